/**
 * Writes `lib/host/licenses.txt`: the notices of everything that the executables contain. Run `bun
 * tools/licenses.ts` after a change of the dependencies; a test fails while the file is out of date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const TARGET = join(ROOT, 'lib', 'host', 'licenses.txt');
/**
 * Build-time packages of which parts are contained: fonts, symbol glyphs, the runtime of compiled
 * WebAssembly.
 */
const EMBEDDED = ['@fontsource/kosugi-maru', 'aribb24.js', 'assemblyscript'];
const RULE = '='.repeat(100);

const RUNTIME = `Bun 1.4 (the runtime inside the executables)
License: MIT, with statically linked parts under their own licenses

Copyright (c) Oven

${mitTerms()}

Bun statically links JavaScriptCore and other parts of WebKit, which are licensed under LGPL-2.1; their source and the
way to build Bun with a changed copy are published by the Bun project (https://bun.sh/docs/project/licensing), which
also lists the notices of the other linked libraries, among them BoringSSL, brotli, c-ares, libarchive, libdeflate,
libuv, lol-html, ls-hpack, mimalloc, picohttp, simdutf, SQLite, tinycc, uSockets, uWebSockets, zlib-ng and zstd.`;

function mitTerms(): string {
  return `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  dependencies?: Record<string, string>;
}

function manifestOf(name: string): Manifest | undefined {
  const path = join(ROOT, 'node_modules', name, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined;
}

/** The packages with all their dependencies; peers and types are not bundled. */
function closure(names: readonly string[]): string[] {
  const found = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const manifest = found.has(name) ? undefined : manifestOf(name);
    if (manifest === undefined) continue;
    found.add(name);
    queue.push(...Object.keys(manifest.dependencies ?? {}));
  }
  return [...found].sort();
}

/** A package without a licence text is listed with the terms in its manifest. */
function noticeOf(name: string): string {
  const manifest = manifestOf(name);
  if (manifest === undefined) throw new Error(`${name} is not installed`);
  const folder = join(ROOT, 'node_modules', name);
  const files = readdirSync(folder)
    .filter((file) => /^(licen[sc]e|copying|notice)/i.test(file))
    .sort();
  const { author, license = 'unstated' } = manifest;
  const holder = typeof author === 'string' ? author : author?.name;
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const own =
    texts.length > 0
      ? texts.join('\n\n')
      : `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${termsOf(license)}`;
  return `${name} ${manifest.version}\nLicense: ${license}\n\n${own}`;
}

function termsOf(license: string): string {
  return license === 'MIT' ? mitTerms() : `Licensed under ${license}.`;
}

export function licenseNotices(): string {
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const names = [...new Set([...closure(Object.keys(dependencies)), ...EMBEDDED])].sort();
  const installed = names.filter((name) => manifestOf(name) !== undefined);
  const own = `svc and svc-agent\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}`;
  const all = [own, RUNTIME, ...installed.map(noticeOf)].join(`\n\n${RULE}\n\n`);
  return `${all.replace(/\r\n/g, '\n').replace(/[ \t]+$/gm, '')}\n`;
}

if (import.meta.main) writeFileSync(TARGET, licenseNotices());
