import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodedLength } from '../model/recording-time.ts';
import { encodedChapters, keptSpans, type ProgramSegment } from './kept-spans.ts';

const main = (startMs: number, endMs: number): ProgramSegment => ({ startMs, endMs, kind: 'main' });
const cm = (startMs: number, endMs: number): ProgramSegment => ({ startMs, endMs, kind: 'cm' });
const PROGRAMME = [
  main(0, 600_000),
  cm(600_000, 660_000),
  main(660_000, 1_200_000),
  cm(1_200_000, 1_230_000),
];
const LENGTH = 1_230_000;

describe('kept spans of a recording', () => {
  test('are all but its commercials', () => {
    expect(keptSpans(PROGRAMME, LENGTH)).toEqual([
      { from: 0, to: 600_000 },
      { from: 660_000, to: 1_200_000 },
    ]);
  });

  test('are the complete recording if there are no commercials, or if nothing would be left', () => {
    expect(keptSpans([main(0, LENGTH)], LENGTH)).toBeNull();
    expect(keptSpans([], LENGTH)).toBeNull();
    expect(keptSpans([cm(0, LENGTH)], LENGTH)).toBeNull();
  });

  test('for any input, stay inside the recording, ascend, and are as long as their parts', () => {
    const time = fc.integer({ min: -5_000, max: LENGTH + 5_000 });
    const segment = fc.tuple(time, time, fc.constantFrom('main' as const, 'cm' as const));
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), (list) => {
        const kept = keptSpans(
          list.map(([startMs, endMs, kind]) => ({ startMs, endMs, kind })),
          LENGTH,
        );
        if (kept === null) return;
        let at = 0;
        for (const { from, to } of kept) {
          expect(from).toBeGreaterThanOrEqual(at);
          expect(to).toBeGreaterThan(from);
          at = to;
        }
        expect(at).toBeLessThanOrEqual(LENGTH);
        expect(encodedLength(LENGTH, kept)).toBeLessThanOrEqual(LENGTH);
      }),
    );
  });
});

test('chapters are on the time scale of the file', () => {
  expect(
    encodedChapters(PROGRAMME, null, LENGTH).map(({ start, end, title }) => [start, end, title]),
  ).toEqual([
    [0, 600_000, '本編'],
    [600_000, 660_000, 'CM'],
    [660_000, 1_200_000, '本編'],
    [1_200_000, 1_230_000, 'CM'],
  ]);
  expect(encodedChapters(PROGRAMME, keptSpans(PROGRAMME, LENGTH), LENGTH)).toEqual([]);
  expect(encodedChapters([main(0, LENGTH)], null, LENGTH)).toEqual([]);
});
