/** Compares a verdict with the losses that an independent packet reader finds in the file. */
import { expect } from 'bun:test';
import type { RecordingVerdict } from '../../lib/wire/recordings.ts';
import type { Cause } from './fault-rows.ts';
import { missingOf, readStream } from './packet-reader.ts';
import type { TimeSpan } from './time-span.ts';

/** Tolerance between reported and actually missing time. */
export const APART_MS = 500;
/** Tolerance of verdicts; a gap of about this length may be reported or not. */
const TOLERANCE_MS = 500;
const BORDER_MS = 150;
/** Gaps this close to each other count as one, possibly with several causes. */
const NEAR_MS = 500;

interface Expected {
  level: RecordingVerdict['level'];
  causes: readonly Cause[];
  /** The loss may be too short to count; then nothing is reported. */
  mayBeComplete?: boolean | undefined;
  /** A loss near the limit: one side may count dropped packets where the other sees a gap. */
  isShort?: boolean | undefined;
  /**
   * The cause of a loss that is too short to count; on a slow machine it may become longer and be reported.
   */
  mayLast?: Cause | undefined;
  /** What is noticed by a timer, such as a file that is gone, is noticed this much later; at most as late as is tolerated. */
  lateMs?: number;
}

interface Comparison {
  /** For messages, in seconds of the programme. */
  picture: string;
  /** Reported gaps within the programme, adjacent ones merged; and the actually missing ones. */
  reported: TimeSpan[];
  missing: TimeSpan[];
  /** Largest difference between reported and missing, ms; infinite: a reported gap is not missing at all. */
  apartMs: number;
  /** Losses that were not reported. */
  hidden: string;
  /** At least half of the programme is unwatchable, by at least one of the measurements. */
  isHalfMissing: boolean;
  /** Difference in the number of places with missing packets between recorder and reader; infinite: invalid packets. */
  countedApart: number;
  /** The part of it that the recorder did not count. */
  uncounted: number;
}

/** @param startAt start of the recorded programme, to which the gaps are relative; epoch ms */
export function compareWithFile(
  verdict: RecordingVerdict,
  bytes: Uint8Array,
  aired: TimeSpan,
  startAt = aired.from,
  ways: readonly (readonly TimeSpan[])[] = [[aired]],
): Comparison {
  const facts = readStream(bytes, aired.from, false);
  const gaps = verdict.gaps.map(({ startMs, endMs }) => ({
    from: Math.max(startAt + startMs, aired.from),
    to: Math.min(startAt + endMs, aired.to),
  }));
  // The boundaries between two clock references are only known to 100 ms.
  const reported = joined(gaps, NEAR_MS + BORDER_MS);
  const parts = missingOf(facts, aired);
  const missing = joined(parts);
  const seconds = (spans: readonly TimeSpan[]): string =>
    spans.map((one) => `${(one.from - aired.from) / 1000}..${(one.to - aired.from) / 1000}`).join(' ');
  const hidden = missing
    .filter(({ from, to }) => to - from > TOLERANCE_MS + BORDER_MS)
    .filter(({ from, to }) => !reported.some((one) => one.from < to && one.to > from));
  // Time in which another programme interrupted it does not count as part of it.
  const apartMs = Math.min(
    ...ways.map((way) => largestDifference(within(reported, way), within(parts, way))),
  );
  const { breaks, breaksAtHoles, repeats, unsynced } = facts;
  const { drops } = verdict;
  const uncounted = Math.max(0, breaks - repeats - drops);
  return {
    ...{ reported, missing, hidden: seconds(hidden), apartMs },
    picture: `reported ${seconds(reported)}, missing ${seconds(missing)}, breaks ${breaks} and ${breaksAtHoles} at holes`,
    isHalfMissing: ways.some((parts) => isHalf(parts, (part) => missingOf(facts, part))),
    countedApart:
      unsynced > 0 ? Number.POSITIVE_INFINITY : Math.max(uncounted, drops - breaks - breaksAtHoles),
    uncounted,
  };
}

/** @returns ms; infinite: a reported gap is not missing at all */
function largestDifference(reported: readonly TimeSpan[], missing: readonly TimeSpan[]): number {
  const all = joined(missing);
  // A loss within the tolerance next to another one may be counted as dropped packets instead.
  const withoutShort = joined(missing.filter(({ from, to }) => to - from > TOLERANCE_MS));
  const differences = reported.map((one) =>
    Math.min(differenceTo(all, one), differenceTo(withoutShort, one)),
  );
  return Math.max(0, ...differences);
}

function differenceTo(missing: readonly TimeSpan[], reported: TimeSpan): number {
  const found = missing.filter(({ from, to }) => from < reported.to && to > reported.from);
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
  // The time between two gaps reported as one is as short as between those merged here.
  const between = found.map(({ from }, index) => from - (found[index - 1]?.to ?? from) - NEAR_MS);
  return Math.max(Math.abs(first.from - reported.from), Math.abs(last.to - reported.to), ...between);
}

/** The intersection of the spans with the parts. */
function within(spans: readonly TimeSpan[], parts: readonly TimeSpan[]): TimeSpan[] {
  return spans
    .flatMap(({ from, to }) =>
      parts.map((part) => ({ from: Math.max(from, part.from), to: Math.min(to, part.to) })),
    )
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
}

/**
 * Asserts that the verdict matches the file. @returns the largest difference between reported and missing, ms
 */
export function expectMatchesFile(
  verdict: RecordingVerdict,
  bytes: Uint8Array,
  aired: TimeSpan,
  { level, mayBeComplete = false, isShort = false, mayLast, lateMs = 0, causes }: Expected,
): number {
  const compared = compareWithFile(verdict, bytes, aired);
  const { picture, missing, hidden, apartMs, isHalfMissing, countedApart } = compared;
  const reportedCauses = verdict.gaps
    .map(({ cause }) => cause)
    .filter((cause, index, all) => cause !== all[index - 1]);
  const isComplete = mayBeComplete && verdict.level === 'complete';
  // The downtime of a process depends on this machine.
  const mayBeLost = level === 'damaged' && isHalfMissing;
  const counts = missing.some(({ from, to }) => to - from > TOLERANCE_MS - BORDER_MS);
  const hasLasted = mayLast !== undefined && counts && verdict.level === 'damaged';
  expect({ picture, level: verdict.level, causes: reportedCauses }).toEqual({
    picture,
    level: isComplete ? 'complete' : mayBeLost || hasLasted ? verdict.level : level,
    // A lost margin is reported in every case.
    causes: isComplete
      ? reportedCauses.filter((cause) => cause === 'yielded')
      : hasLasted
        ? [mayLast]
        : [...causes],
  });
  expect({ picture, hidden, countedApart: isShort ? 0 : countedApart }).toEqual({
    ...{ picture, hidden: '', countedApart: 0 },
  });
  expect({ picture, apartMs }).toEqual({
    picture,
    apartMs: Math.min(apartMs, APART_MS + Math.min(lateMs, APART_MS)),
  });
  return apartMs;
}

function isHalf(parts: readonly TimeSpan[], missingIn: (part: TimeSpan) => TimeSpan[]): boolean {
  return lengthOf(joined(parts.flatMap(missingIn))) * 2 > lengthOf(parts) - BORDER_MS;
}

function lengthOf(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

function joined(spans: readonly TimeSpan[], nearMs = NEAR_MS): TimeSpan[] {
  const out: TimeSpan[] = [];
  for (const { from, to } of spans.filter((one) => one.to > one.from).sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last !== undefined && from - last.to <= nearMs) last.to = Math.max(last.to, to);
    else out.push({ from, to });
  }
  return out;
}
