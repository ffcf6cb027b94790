/// <reference path="./font-packages.d.ts" />
/**
 * Builds `svc-font.woff2`, the rounded gothic that captions and data broadcasts are drawn with: Kosugi Maru (Apache
 * License 2.0) and the additional symbols of broadcasting, which no packaged font has, from a public-domain font's
 * outlines. `bun tools/caption-font.ts OUTDIR` by hand.
 *
 * Merging takes some seconds: the result is kept beside the packages, under a name made from all that goes in.
 */
import { readdirSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import symbols from 'aribb24.js/glyph';
import { createFont, type TTF } from 'fonteditor-core';
import path2contours from 'fonteditor-core/lib/ttf/svg/path2contours.js';
import subsetFont from 'subset-font';

const PACKAGES = join(import.meta.dir, '..', 'node_modules');
const KOSUGI = join(PACKAGES, '@fontsource', 'kosugi-maru');
const PARTS = readdirSync(join(KOSUGI, 'files'))
  .filter((name) => /^kosugi-maru-\d+-400-normal\.woff2$/u.test(name))
  .sort();
const CACHE = join(PACKAGES, '.cache', 'svc-font');
export const FONT_NAME = 'svc-font.woff2';
/** Increment when this file makes another font of the same packages. */
const RECIPE = 1;
/** The em of the symbols' outlines. */
const SYMBOL_EM = 1024;

const partFile = (part: string): string => join(KOSUGI, 'files', part);

async function inputsHash(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(`${RECIPE}`);
  for (const part of PARTS) hash.update(await readFile(partFile(part)));
  return hash
    .update(JSON.stringify([...symbols]))
    .digest('hex')
    .slice(0, 16);
}

/** Reads and unpacks one part. */
async function readPart(name: string): Promise<FontFile> {
  const packed = await readFile(partFile(name));
  const sfnt = await subsetFont(packed, '', { keepAllGlyphs: true, targetFormat: 'sfnt' });
  return createFont(sfnt, { type: 'ttf' });
}

type FontFile = ReturnType<typeof createFont>;
type Outline = typeof symbols extends Map<string, infer T> ? T : never;

/** Centres an outline in a full-width cell, scaled by its em. */
function symbolGlyph(character: string, outline: Outline, font: TTF.TTFObject): TTF.Glyph {
  const [left, top, width, height] = outline.viewBox;
  const em = font.head.unitsPerEm ?? SYMBOL_EM;
  const scale = Math.min(em / SYMBOL_EM, em / width, em / height);
  const middle = (font.hhea.ascent + font.hhea.descent) / 2;
  const contours = path2contours(outline.path).map((contour) =>
    contour.map((point) => ({
      ...point,
      x: Math.round((point.x - left - width / 2) * scale + em / 2),
      // y axes point down in outlines and up in fonts.
      y: Math.round(middle - (point.y - top - height / 2) * scale),
    })),
  );
  const xs = contours.flat().map(({ x }) => x);
  const ys = contours.flat().map(({ y }) => y);
  return {
    name: `u${character.codePointAt(0)?.toString(16)}`,
    unicode: [character.codePointAt(0) ?? 0],
    advanceWidth: em,
    leftSideBearing: Math.min(...xs),
    ...{ xMin: Math.min(...xs), xMax: Math.max(...xs), yMin: Math.min(...ys), yMax: Math.max(...ys) },
    contours,
  };
}

/** The parts with the characters of a text, according to the style sheet. */
async function partsFor(text: string): Promise<string[]> {
  const sheet = await readFile(join(KOSUGI, '400.css'), 'utf8');
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const blocks = [...sheet.matchAll(/files\/([\w-]+\.woff2)\)[^}]*unicode-range:\s*([^;}]+)/gu)];
  return blocks.flatMap(([, name = '', ranges = '']) => {
    const holds = ranges.split(',').some((range) => {
      const [from = 0, to = from] = range
        .replace(/U\+/iu, '')
        .split('-')
        .map((one) => Number.parseInt(one, 16));
      return codes.some((code) => code >= from && code <= to);
    });
    return holds && PARTS.includes(name) ? [name] : [];
  });
}

async function make(names: readonly string[], wanted?: string): Promise<Uint8Array> {
  const parts: FontFile[] = [];
  for (const name of names) parts.push(await readPart(name));
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('no font in @fontsource/kosugi-maru');
  const font = first.get();
  const known = new Set(font.glyf.flatMap(({ unicode }) => unicode ?? []));
  const outlines = [...symbols].map(([character, outline]) => symbolGlyph(character, outline, font));
  for (const glyph of [...others.flatMap((part) => part.get().glyf), ...outlines]) {
    const free = (glyph.unicode ?? []).filter((code) => !known.has(code));
    for (const code of free) known.add(code);
    if (free.length > 0) font.glyf.push({ ...glyph, unicode: free });
  }
  const sfnt = first.set(font).write({ type: 'ttf', toBuffer: true });
  const text = wanted ?? String.fromCodePoint(...[...known].filter((code) => code >= 0x20));
  return await subsetFont(sfnt, text, { targetFormat: 'woff2' });
}

/** The bytes of the font, from the cache or made now. @throws Error if a package contains no such font */
export async function captionFont(): Promise<Uint8Array> {
  const kept = join(CACHE, `${await inputsHash()}.woff2`);
  const found = Bun.file(kept);
  if (await found.exists()) return await found.bytes();
  const font = await make(PARTS);
  await mkdir(CACHE, { recursive: true });
  // Concurrent builds make the same file: the last one stays.
  const own = `${kept}.${process.pid}`;
  await writeFile(own, font);
  await rename(own, kept);
  return font;
}

/** The same font with only these characters, made quickly, for tests. */
export async function captionFontOf(text: string): Promise<Uint8Array> {
  return await make(await partsFor(text), text);
}

if (import.meta.main) {
  const out = process.argv[2] ?? 'dist';
  await mkdir(out, { recursive: true });
  await writeFile(join(out, FONT_NAME), await captionFont());
}
