/** The documents: links and headings lead somewhere, paths that they name exist, the map of the code stays short. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
  [...new Bun.Glob('docs/**/*.md').scanSync({ cwd: ROOT })].sort(),
);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```.*?^```/gmsu, '').replace(/`[^`\n]*`/gu, '');

/** Anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const LINK = /\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/gu;

test('every link leads to a file, and to a heading of it', () => {
  const links = DOCUMENTS.flatMap((from) =>
    [...withoutCode(textOf(from)).matchAll(LINK)]
      .map(([, link, source]) => link ?? source ?? '')
      .filter((link) => !/^[a-z]+:/u.test(link))
      .map((link) => ({ from, link })),
  );
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter(({ from, link }) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? from : join(dirname(from), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
  expect(broken.map(({ from, link }) => `${from} → ${link}`)).toEqual([]);
});

test('the paths that documents name exist', () => {
  // The changelog tells of what was.
  const named = DOCUMENTS.filter((file) => file !== 'CHANGELOG.md').flatMap((from) =>
    [
      ...textOf(from).matchAll(/`((?:agent|assets|docs|lib|src|synth|systemd|test|tools|web)\/[\w./-]+)`/gu),
    ].map(([, path = '']) => ({ from, path })),
  );
  expect(named.length).toBeGreaterThan(200);
  // Some name a folder or a test without its ending.
  const isThere = (path: string): boolean =>
    ['', '.ts', '.test.ts'].some((ending) => existsSync(join(ROOT, path + ending)));
  const missing = named.filter(({ path }) => !isThere(path));
  expect(missing.map(({ from, path }) => `${from}: ${path}`)).toEqual([]);
});

test('the map of the code is no copy of it', () => {
  expect(Buffer.byteLength(textOf('docs/architecture.md'))).toBeLessThanOrEqual(20_000);
});
