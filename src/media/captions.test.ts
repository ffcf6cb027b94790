import { expect, test } from 'bun:test';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import { encodedCaptions } from './captions.ts';

const run = (text: string) => ({
  ...{ text, x: 0, y: 0, w: 40, h: 60, fx: 2, fy: 2, size: 36, scaleX: 1, fg: '#ffffffff', bg: '#00000080' },
});
const page = (text: string, duration: number | null = null) => ({
  ...{ v: 1 as const, plane: [960, 540] as [number, number], duration },
  runs: text === '' ? [] : [run(text)],
});
const FILE: CaptionsFile = {
  v: 1,
  pages: [
    { at: 1, page: page('前') },
    { at: 9, page: page('切れる', 4_000) },
    { at: 12, page: page('CMの字幕', 3_000) },
    { at: 25, page: page('後') },
  ],
};
/** 10 to 20 s are cut out. */
const CUTS = [
  { from: 0, to: 10_000 },
  { from: 20_000, to: 40_000 },
];

test('pages are shifted, and a page shown in a cut part does not stay on the screen', () => {
  const moved = encodedCaptions(FILE, CUTS).pages.map(({ at, page: { runs, duration } }) => [
    ...[at, runs.map(({ text }) => text).join(''), duration],
  ]);
  expect(moved).toEqual([
    [1, '前', null],
    [9, '切れる', 1_000],
    [10, '', null],
    [15, '後', null],
  ]);
  expect(encodedCaptions(FILE, null)).toBe(FILE);
});
