import { expect, test } from 'bun:test';
import { breaksOf, isSkipping, type SkipMemory, skipAt, untilBreak } from './skip-rules.ts';

const chapters = [
  { start: 0, end: 12, title: 'CM' },
  { start: 12, end: 600, title: '本編' },
  { start: 600, end: 660, title: 'CM' },
  { start: 660, end: 720, title: 'CM' },
  { start: 720, end: 1170, title: '本編' },
  { start: 1170, end: 1200, title: 'CM' },
];
const breaks = breaksOf(chapters);
const FRESH: SkipMemory = { sought: undefined, kept: [], passed: undefined };

test('commercials that follow each other directly are one break', () => {
  expect(breaks).toEqual([
    { start: 0, end: 12 },
    { start: 600, end: 720 },
    { start: 1170, end: 1200 },
  ]);
  expect(breaksOf([{ start: 5, end: 5, title: 'CM' }])).toEqual([]);
  expect(breaksOf([...chapters].reverse())).toEqual(breaks);
});

const middle = { start: 600, end: 720 };
const CASES: readonly (readonly [string, number, Partial<SkipMemory>, number | undefined])[] = [
  ['the programme is seen', 599.9, {}, undefined],
  ['its first picture is not', 600, {}, 720],
  ['nor one in its middle', 659.99, {}, 720],
  ['the last pictures are not worth a jump', 719.9, {}, undefined],
  ['behind it is the programme', 720, {}, undefined],
  ['a recording that begins with one', 0, {}, 12],
  ['started over', 0, { sought: 0 }, 12],
  ['one that ends with one', 1170.2, {}, 1200],
  ['sought by hand into it', 650, { sought: 640 }, undefined],
  ['sought exactly to its start', 600, { sought: 600 }, undefined],
  ['sought before it: entered by playing', 600.1, { sought: 590 }, 720],
  ['sought to its end and landed early', 719.5, { sought: 720 }, 720],
  ['sought into another one', 600, { sought: 5 }, 720],
  ['taken back', 600, { kept: [middle] }, undefined],
  ['taken back, its boundaries corrected since', 600, { kept: [{ start: 605, end: 700 }] }, undefined],
  ['another was taken back', 1180, { kept: [middle] }, 1200],
  ['skipped, and landed before its end', 719.2, { passed: middle }, undefined],
  ['skipped: the next one again', 1170, { passed: middle }, 1200],
];

test.each(CASES)('%s', (_, position, memory, end) => {
  expect(skipAt(breaks, position, { ...FRESH, ...memory })?.end).toBe(end);
});

test('skips automatically only where the detection is certain, unless the viewer chose otherwise', () => {
  const table = (['reliable', 'always', 'never'] as const).map((choice) =>
    [true, false].map((reliable) => isSkipping(choice, reliable)),
  );
  expect(table).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});

test('the next break is announced in time', () => {
  expect(untilBreak(breaks, 599.5)).toBe(0.5);
  expect(untilBreak(breaks, 600)).toBe(570);
  expect(untilBreak(breaks, 1180)).toBeUndefined();
});
