/** What a verdict tells, held against what the independent reader of packets finds in the file. */
import { expect } from 'bun:test';
import type { RecordingVerdict } from '../../wire/recordings.ts';
import type { Cause } from './fault-rows.ts';
import { missingOf, readStream, type TimeSpan } from './packet-reader.ts';

/** Told and really missing are at most so far apart. */
const APART_MS = 500;
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
}

/** @returns how far apart what is told and what is missing are at most, ms */
export function holdAgainstFile(
  verdict: RecordingVerdict,
  bytes: Uint8Array,
  aired: TimeSpan,
  { level, mayBeComplete = false, causes }: Expected,
): number {
  const facts = readStream(bytes, aired.from);
  const gaps = verdict.gaps.map(({ startMs, endMs, cause }) => ({
    ...{ from: aired.from + startMs, to: aired.from + endMs, cause },
  }));
  // A margin that was given away is told too.
  const told = joined(gaps.map(({ from, to }) => ({ from, to: Math.min(to, aired.to) })));
  const missing = joined(missingOf(facts, aired));
  const seconds = (spans: readonly TimeSpan[]): string =>
    spans.map((one) => `${(one.from - aired.from) / 1000}..${(one.to - aired.from) / 1000}`).join(' ');
  const picture = `told ${seconds(told)}, missing ${seconds(missing)}`;
  const causesTold = gaps.map(({ cause }) => cause).filter((cause, index, all) => cause !== all[index - 1]);
  const isComplete = mayBeComplete && verdict.level === 'complete';
  // How long a program is away is this machine's matter.
  const isLost = level === 'damaged' && lengthOf(missing) * 2 > aired.to - aired.from - BORDER_MS;
  expect({ picture, level: verdict.level, causes: causesTold }).toEqual({
    picture,
    level: isComplete ? 'complete' : isLost ? verdict.level : level,
    // A margin is told in any case.
    causes: isComplete ? causesTold.filter((cause) => cause === 'yielded') : [...causes],
  });
  const { breaks, breaksInShortHoles, unsynced } = facts;
  const drops = Math.min(Math.max(verdict.drops, breaks), breaks + breaksInShortHoles);
  expect({ picture, drops: verdict.drops, unsynced }).toEqual({ picture, drops, unsynced: 0 });
  const apart = told.map((one) => {
    const found = missing.find(({ from, to }) => from < one.to && to > one.from);
    return found === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(Math.abs(found.from - one.from), Math.abs(found.to - one.to));
  });
  const hidden = missing
    .filter(({ from, to }) => to - from > TOLERANCE_MS + BORDER_MS)
    .filter(({ from, to }) => !told.some((one) => one.from < to && one.to > from));
  expect({ picture, hidden: seconds(hidden) }).toEqual({ picture, hidden: '' });
  const worst = Math.max(0, ...apart);
  expect({ picture, worst }).toEqual({ picture, worst: Math.min(worst, APART_MS) });
  return worst;
}

function lengthOf(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

function joined(spans: readonly TimeSpan[]): TimeSpan[] {
  const out: TimeSpan[] = [];
  for (const { from, to } of spans.filter((one) => one.to > one.from).sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last !== undefined && from - last.to <= NEAR_MS) last.to = Math.max(last.to, to);
    else out.push({ from, to });
  }
  return out;
}
