import { expect, test } from 'bun:test';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { CAPTION_PAGE_VERSION } from '../../lib/wire/vocabulary.ts';
import type { TimedPage } from '../caption/caption-timeline.ts';
import { withNewer } from './caption-track.ts';

const BLANK: CaptionPage = { v: CAPTION_PAGE_VERSION, plane: [960, 540], duration: null, runs: [] };
const pages = (...seconds: number[]): TimedPage[] =>
  seconds.map((at) => ({ atMs: at * 1000, page: { ...BLANK } }));
const times = (merged: ReadonlyMap<number, readonly TimedPage[]>): [number, number[]][] =>
  [...merged].map(([index, list]) => [index, list.map(({ atMs }) => atMs / 1000)]);

test('newer pages replace those from their time on, in every language', () => {
  const held = new Map([
    [1, pages(1, 5, 11, 14)],
    [2, pages(2, 12)],
  ]);
  // The one at 5 is shown at 10; that of 14 was withdrawn.
  const newer = new Map([
    [1, pages(5, 11, 16)],
    [3, pages(17)],
  ]);
  expect(times(withNewer(held, newer, 10))).toEqual([
    [1, [1, 5, 11, 16]],
    [2, [2]],
    [3, [17]],
  ]);
});
