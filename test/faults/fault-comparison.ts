/** What a verdict tells, held against what the independent reader of packets finds in the file. */
import { expect } from 'bun:test';
import type { RecordingVerdict } from '../../wire/recordings.ts';
import type { Cause } from './fault-rows.ts';
import { missingOf, readStream, type TimeSpan } from './packet-reader.ts';

/** Told and really missing are at most so far apart. */
export const APART_MS = 500;
/** Verdicts tolerate this; what is about as long may be told or not. */
const TOLERANCE_MS = 500;
const BORDER_MS = 150;
/** What is this near to each other is one stretch, with several causes perhaps. */
const NEAR_MS = 500;

interface Expected {
  level: RecordingVerdict['level'];
  causes: readonly Cause[];
  /** What is lost may be too short to count: nothing is told then. */
  mayBeComplete?: boolean | undefined;
  /** A loss too short for both: one may count drops where the other sees a hole. */
  isShort?: boolean | undefined;
}

interface Comparison {
  /** In seconds of the programme, for messages. */
  picture: string;
  /** Told gaps, those that meet as one, within the programme; and what is really missing. */
  told: TimeSpan[];
  missing: TimeSpan[];
  /** How far told and missing are apart at most, ms; infinite: what is told is there. */
  apartMs: number;
  /** Missing, and not told. */
  hidden: string;
  /** At least half of the programme cannot be watched, in one of the ways to see what that is. */
  isHalfMissing: boolean;
  /** By how many places where packets are missing recorder and reader differ; infinite: not all are packets. */
  countedApart: number;
}

/** @param startAt of the programme as the recording has it, which its gaps are told from; epoch ms */
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
  // Of what is between two only clock references tell, which are 100 ms apart.
  const told = joined(gaps, NEAR_MS + BORDER_MS);
  const missing = joined(missingOf(facts, aired));
  const seconds = (spans: readonly TimeSpan[]): string =>
    spans.map((one) => `${(one.from - aired.from) / 1000}..${(one.to - aired.from) / 1000}`).join(' ');
  const apart = told.map((one) => {
    const found = missing.filter(({ from, to }) => from < one.to && to > one.from);
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
    // Between two that are told as one, as little is there as between those that are joined here.
    const between = found.map(({ from }, index) => from - (found[index - 1]?.to ?? from) - NEAR_MS);
    return Math.max(Math.abs(first.from - one.from), Math.abs(last.to - one.to), ...between);
  });
  const hidden = missing
    .filter(({ from, to }) => to - from > TOLERANCE_MS + BORDER_MS)
    .filter(({ from, to }) => !told.some((one) => one.from < to && one.to > from));
  const { breaks, breaksAtHoles, repeats, unsynced } = facts;
  const { drops } = verdict;
  return {
    ...{ told, missing, hidden: seconds(hidden), apartMs: Math.max(0, ...apart) },
    picture: `told ${seconds(told)}, missing ${seconds(missing)}, breaks ${breaks} and ${breaksAtHoles} at holes`,
    isHalfMissing: ways.some((parts) => isHalf(parts, (part) => missingOf(facts, part))),
    countedApart:
      unsynced > 0
        ? Number.POSITIVE_INFINITY
        : Math.max(0, breaks - repeats - drops, drops - breaks - breaksAtHoles),
  };
}

/** @returns how far apart what is told and what is missing are at most, ms */
export function holdAgainstFile(
  verdict: RecordingVerdict,
  bytes: Uint8Array,
  aired: TimeSpan,
  { level, mayBeComplete = false, isShort = false, causes }: Expected,
): number {
  const { picture, hidden, apartMs, isHalfMissing, countedApart } = compareWithFile(verdict, bytes, aired);
  const causesTold = verdict.gaps
    .map(({ cause }) => cause)
    .filter((cause, index, all) => cause !== all[index - 1]);
  const isComplete = mayBeComplete && verdict.level === 'complete';
  // How long a program is away is this machine's matter.
  const mayBeLost = level === 'damaged' && isHalfMissing;
  expect({ picture, level: verdict.level, causes: causesTold }).toEqual({
    picture,
    level: isComplete ? 'complete' : mayBeLost ? verdict.level : level,
    // A margin is told in any case.
    causes: isComplete ? causesTold.filter((cause) => cause === 'yielded') : [...causes],
  });
  expect({ picture, hidden, countedApart: isShort ? 0 : countedApart }).toEqual({
    ...{ picture, hidden: '', countedApart: 0 },
  });
  expect({ picture, apartMs }).toEqual({ picture, apartMs: Math.min(apartMs, APART_MS) });
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
