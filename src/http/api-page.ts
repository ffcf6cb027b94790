/**
 * `/api/docs`: a list of the HTTP interface's routes for people with a browser. Programs read the OpenAPI
 * description.
 */
import { escapeHtml, htmlPage, PAGE_FONTS } from '../route/page.ts';

interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
}

/** The part of the OpenAPI description that the page shows. */
export interface DescribedRoutes {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

function routesByTag({ paths }: DescribedRoutes): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { summary = '', tags = [] }] of Object.entries(operations)) {
      const tag = tags[0] ?? '';
      const route = escapeHtml(`${method.toUpperCase()} ${path}`);
      const entry = `<li><code>${route}</code><br><small>${escapeHtml(summary)}</small></li>`;
      groups.set(tag, [...(groups.get(tag) ?? []), entry]);
    }
  }
  return groups;
}

/** Its links are relative, so that they work behind a front proxy with a path prefix. */
export function apiPage(description: DescribedRoutes): Response {
  const lists = [...routesByTag(description)].map(
    ([tag, entries]) => `<h2>${escapeHtml(tag)}</h2>\n<ul>\n${entries.join('\n')}\n</ul>`,
  );
  const body = [
    '<p>このサービスを外部のプログラムから使うための窓口です。引数と応答の形は ' +
      '<a href="openapi.json">openapi.json</a>（OpenAPI 3.1）にあります。</p>',
    ...lists,
    '<p><a href="../">テレビの画面に戻る</a></p>',
  ].join('\n');
  return htmlPage({ status: 200, title: 'HTTP API', body, fonts: `../${PAGE_FONTS}` });
}
