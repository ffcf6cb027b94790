import { expect, test } from 'bun:test';
import { chapterParts, chapterStep, gapParts, gapWords, previewAt } from './bar-marks.ts';

const chapters = [
  { start: 0, end: 600, title: '本編' },
  { start: 600, end: 720, title: 'CM' },
  { start: 720, end: 1200, title: '本編' },
];

test('chapters are placed on the bar by their share of the duration, commercials marked', () => {
  expect(chapterParts(chapters, 1200).map(({ start, end, isCm }) => [start, end, isCm])).toEqual([
    [0, 0.5, false],
    [0.5, 0.6, true],
    [0.6, 1, false],
  ]);
  expect(chapterParts([{ start: 10, end: 5, title: '' }], 100)).toEqual([]);
  expect(chapterParts(chapters, 0)).toEqual([]);
});

test('back seeks to the start of the chapter, or near it to the one before', () => {
  expect(chapterStep(chapters, 100, 1)).toBe(600);
  expect(chapterStep(chapters, 650, -1)).toBe(600);
  expect(chapterStep(chapters, 601, -1)).toBe(0);
  expect(chapterStep(chapters, 1000, 1)).toBeUndefined();
  expect(chapterStep([], 5, 1)).toBeUndefined();
});

test('a gap has a description near its mark', () => {
  const gaps = [{ start: 300, end: 300, missing: 43, cause: 'stalled' as const }];
  expect(gapParts(gaps, 1200)).toEqual([{ start: 0.25, end: 0.25 }]);
  expect(gapWords(gaps, 303, 1200)).toBe('43秒録画されていません');
  expect(gapWords(gaps, 400, 1200)).toBeUndefined();
});

test('the preview of a position is found on its sprite sheet', () => {
  const previews = {
    width: 160,
    height: 90,
    columns: 5,
    rows: 2,
    count: 13,
    intervalMs: 10_000,
    sheets: ['a', 'b'],
  };
  expect(previewAt(previews, 0)).toEqual({ sheet: 'a', column: 0, row: 0 });
  expect(previewAt(previews, 71)).toEqual({ sheet: 'a', column: 2, row: 1 });
  expect(previewAt(previews, 9_999)).toEqual({ sheet: 'b', column: 2, row: 0 });
  expect(previewAt({ ...previews, sheets: [] }, 5)).toBeUndefined();
  // 20 to 60 s are cut out of the file.
  const kept = [
    { from: 0, to: 20_000 },
    { from: 60_000, to: 130_000 },
  ];
  expect(previewAt({ ...previews, kept }, 11)).toEqual({ sheet: 'a', column: 1, row: 0 });
  expect(previewAt({ ...previews, kept }, 31)).toEqual({ sheet: 'a', column: 2, row: 1 });
  expect(previewAt({ ...previews, kept }, 9_999)).toEqual({ sheet: 'b', column: 2, row: 0 });
});
