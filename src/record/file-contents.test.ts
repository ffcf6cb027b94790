import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { span } from '../../test/record/span.ts';
import { type Measured, nothingMeasured } from '../model/verdict.ts';
import { asHeld, type FileDifference } from './file-contents.ts';

const PATHS = ['/a.ts', '/b.ts'] as const;

/** @param end of the first file as measured, and begin of the next one @param breaks gaps between them */
function measured(end: number, begin: number, breaks: Measured['breaks'] = []): Measured {
  const [first, next] = [span(0, end), span(begin, 60_000)];
  return {
    ...nothingMeasured(),
    stretches: end === begin ? [span(0, 60_000)] : [first, next],
    breaks,
    files: [
      { path: PATHS[0], ...first },
      { path: PATHS[1], ...next },
    ],
  };
}

const shorter = (spanMs: number | undefined, toNextMs: number | undefined): FileDifference => ({
  ...{ path: PATHS[0], size: 18_800, lost: 1_880, spanMs, toNextMs, more: undefined },
});

test('what was counted for a file and is at the beginning of the next one is not lost', () => {
  expect(asHeld(measured(20_000, 20_000), [shorter(18_500, 90)]).breaks).toEqual([]);
});

test('only what is between a file and the next one is lost', () => {
  const { breaks } = asHeld(measured(20_000, 20_000), [shorter(15_000, 3_000)]);
  expect(breaks).toEqual([{ cause: 'file_changed', ...span(15_000, 18_000) }]);
});

test('what is lost before a gap ends with the gap', () => {
  const stalled = { cause: 'stalled' as const, ...span(20_000, 30_000) };
  const { breaks } = asHeld(measured(20_000, 30_000, [stalled]), [shorter(15_000, 15_000)]);
  expect(breaks).toEqual([stalled, { cause: 'file_changed', ...span(15_000, 20_000) }]);
});

test.each([
  [18_000, 'service_stopped'],
  [2_000, 'file_changed'],
] as const)(
  'what a killed process had not written is lost with it, but not much: from %d ms on',
  (from, cause) => {
    const stopped = { cause: 'service_stopped' as const, ...span(20_000, 30_000) };
    const { breaks } = asHeld(measured(20_000, 30_000, [stopped]), [shorter(from, 30_000 - from)]);
    expect(breaks.at(-1)).toEqual({ cause, from: broadcastMs(from), to: broadcastMs(20_000) });
  },
);

test('a file that holds slightly more than was measured has lost nothing', () => {
  const { breaks } = asHeld(measured(20_000, 20_000), [shorter(20_300, undefined)]);
  expect(breaks).toEqual([]);
});
