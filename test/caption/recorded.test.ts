/** Recorded captions against an independent decoder. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDataGroup } from '../../lib/arib/caption/data-group.ts';
import { CaptionDecoder } from '../../lib/arib/caption/decoder.ts';
import { pts90k } from '../../lib/arib/time.ts';
import { type Cell, readCells, readGroup } from '../synth/caption-peer.ts';
import { pageCells } from './page-cells.ts';

const SAMPLES = '../shared/samples/captions';
const files = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter((name) => name.endsWith('.es')) : [];

/** Normalises text for comparison: compatibility forms unified, blanks removed. */
function plain(text: string): string {
  return text.normalize('NFKC').replace(/[\s\u3000]/g, '');
}

/** Symbols that the other decoder maps to similar ones: docs/standards.md, "Captions, read". */
const MISREAD: readonly (readonly [theirs: string, ours: string])[] = [
  ['♫', '♬'],
  ['⁈', '⁉'],
];

/** The result of the other decoder without its notes on control functions; a bitmap is 〓. */
function goldenText(name: string): string {
  const golden = readFileSync(join(SAMPLES, `${name}.txt`), 'utf8');
  const withoutBitmaps = golden
    .replace(/<DRCS set=[\s\S]*?<\/DRCS>/g, '')
    .replace(/<DRCS group[^>]*>/g, '〓');
  const text = withoutBitmaps.replace(/<[^>\n]*>/g, '');
  return plain(MISREAD.reduce((read, [theirs, ours]) => read.replaceAll(theirs, ours), text));
}

/** The text of each statement, in the order of sending. */
function ownText(name: string): { text: string; groups: number; damaged: number } {
  const bytes = readFileSync(join(SAMPLES, name));
  const decoder = new CaptionDecoder();
  const texts: string[] = [];
  let groups = 0;
  for (let at = 0; at < bytes.length; groups++) {
    const group = readDataGroup(bytes.subarray(at));
    if (typeof group === 'string') throw new Error(`${group} at ${at}`);
    decoder.reset();
    for (const event of decoder.feed(bytes.subarray(at, at + group.size), pts90k(groups * 90_000))) {
      if (event.kind === 'page') texts.push(event.page.runs.map((run) => run.text).join(''));
    }
    at += group.size;
  }
  return { text: plain(texts.join('')), groups, damaged: decoder.damagedGroups };
}

/**
 * Cells of a statement by aribb24.js in the form of `pageCells`: by bottom left corner, without erased ones.
 */
function peerCells(cells: readonly Cell[]): string[] {
  const screen = new Map<string, string>();
  for (const { what, box, colours, marks } of cells) {
    if (what === 'erase') {
      screen.clear();
      continue;
    }
    const [x = 0, y = 0, width = 0, height = 0] = box;
    const decoration = marks.split(' ').filter((mark) => mark !== '' && mark !== 'none');
    screen.set(
      `${x},${y}`,
      `${x},${y - height + 1},${width},${height} ${what} ${colours.join('/')} ${decoration.join(' ')}`,
    );
  }
  return [...screen.values()].sort();
}

describe.skipIf(files.length === 0)('recorded captions', () => {
  test.each(files)('%s decodes as in an independent decoder', (name) => {
    const { text, groups, damaged } = ownText(name);
    expect(groups).toBeGreaterThan(1_000);
    expect(damaged).toBe(0);
    expect(text.length).toBeGreaterThan(2_000);
    expect(text).toBe(goldenText(name));
  });

  test.each(files)('%s has its characters at the positions of aribb24.js', (name) => {
    const bytes = readFileSync(join(SAMPLES, name));
    let compared = 0;
    for (let at = 0; at < bytes.length; ) {
      const group = readDataGroup(bytes.subarray(at));
      if (typeof group === 'string') throw new Error(`${group} at ${at}`);
      const payload = bytes.subarray(at, at + group.size);
      at += group.size;
      if (group.number === 0) continue;
      const decoder = new CaptionDecoder();
      const pages = decoder.feed(payload, pts90k(0)).filter((event) => event.kind === 'page');
      // Up to its first wait, after which it erases. A copy, because from a view it would read bitmaps at
      // offsets of the underlying buffer.
      const theirs = readCells(readGroup(Uint8Array.from(payload)).data, 0).filter(
        ({ ticks }) => ticks === 0,
      );
      const [first] = pages;
      expect(first === undefined ? [] : pageCells(first.page)).toEqual(peerCells(theirs));
      compared++;
    }
    expect(compared).toBeGreaterThan(200);
  });
});
