/**
 * `GET /api/bml/hybrid`: the container in which the page runs an application that an AIT controls. It is the same for every
 * application: its script (`web/hybrid/frame/`) reads the query, and gets everything else by messages of the page. Whatever
 * runs in it has no origin, no connection and nothing but what was made in it.
 */
import { type Elysia, t } from 'elysia';
import { Failure } from '../model/failure.ts';
import type { Assets } from './assets.ts';
import { CONTAINER_CSP } from './headers.ts';
import { problemResponse, REFUSALS } from './route/described-responses.ts';

/** File that the build puts beside those of the UI: tools/web.ts. */
const SCRIPT = 'hybrid-frame.js';
const MAX_URL = 4096;

/** What the content security policy does not cover. */
const PERMISSIONS = [
  'camera',
  'microphone',
  'geolocation',
  'clipboard-read',
  'clipboard-write',
  'fullscreen',
];

/** @param script the built one. It stands in the page: a file of the service would be of another origin */
export function containerResponse(script: string): Response {
  const inline = script.replaceAll('</script', '<\\/script');
  const html = `<!doctype html><html lang="ja"><meta charset="utf-8"><title>svc</title><script>${inline}</script></html>`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTAINER_CSP,
      'cache-control': 'no-store',
      'x-dns-prefetch-control': 'off',
      'permissions-policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
    },
  });
}

export function addHybridRoute(
  app: Elysia,
  parts: { assets: Pick<Assets, 'serve'>; isBidirectional: () => boolean },
): void {
  app.get(
    '/api/bml/hybrid',
    async () => {
      if (!parts.isBidirectional())
        throw new Failure('forbidden', 'データ放送の双方向通信は、設定でオフになっています。');
      const script = await parts.assets.serve(SCRIPT, new Request('http://svc.internal/'));
      if (script === undefined)
        throw new Failure('not_found', '放送連動アプリを表示するための部品が組み込まれていません。');
      return containerResponse(await script.text());
    },
    {
      query: t.Object({
        url: t.String({
          maxLength: MAX_URL,
          description: 'of the document; the container does not fetch it',
        }),
        organisation: t.String({ pattern: '^\\d{1,10}$', description: 'organisation_id' }),
        application: t.String({ pattern: '^\\d{1,5}$', description: 'application_id' }),
      }),
      detail: {
        summary: 'Sandboxed container for an AIT-controlled application',
        description:
          "Loaded by the service's own page into a frame; everything in it comes by messages of that page.",
        tags: ['stations'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'a page without an origin (`sandbox` in its Content-Security-Policy)',
            content: { 'text/html': { schema: { type: 'string' as const } } },
          },
          404: problemResponse('a development tree without the built script'),
        },
      },
    },
  );
}
