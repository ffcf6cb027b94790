/**
 * The verdict of a recording: a pure function of the measurements made during recording and of the actual boundaries
 * of its programme. Independent of the source of the measurements.
 */
import { type BroadcastMs, earliest, latest } from '../../lib/arib/time.ts';
import { RECEPTION_FAULTS } from '../../lib/arib/ts/clock.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { RetryChoice, VerdictLevel } from '../../lib/wire/vocabulary.ts';

/** The missing parts of a recording's programme, in ms from the programme's actual start. */
export interface Verdict {
  level: VerdictLevel;
  /** Number of places where packets are missing. */
  drops: number;
  gaps: { startMs: number; endMs: number; cause: GapCause }[];
  /** Recorded before the actual start; negative: missing after it. */
  headMs: number;
  /** Recorded after the actual end; negative: missing before it. */
  tailMs: number;
}

/** End exclusive. */
export interface BroadcastSpan {
  from: BroadcastMs;
  to: BroadcastMs;
}

export interface Break extends BroadcastSpan {
  cause: GapCause;
}

export interface PacketSums {
  packets: number;
  /** Number of places where packets are missing: continuity errors. */
  drops: number;
  /** Packets with transport_error_indicator. */
  errors: number;
  scrambled: number;
}

/** A period in which every second has damaged or missing packets. */
export interface Damage extends BroadcastSpan, PacketSums {
  /** Why it stayed scrambled, if the agent gave a reason. */
  cause?: GapCause;
}

/** Measurements of a recording. Stored while it runs, so that they survive the process (`store/recording-json.ts`). */
export interface Measured {
  /** When packets were received and written, in order, without overlap. */
  stretches: BroadcastSpan[];
  /** When none were, and why; also outside of the wanted span. */
  breaks: Break[];
  /** In order. */
  damage: Damage[];
  sums: PacketSums;
  /** Received parts without picture or sound, by cause in order; absent: none. */
  unwatchable?: Break[];
  /** Which file contains which received part; absent for older recordings. */
  files?: FileStretch[];
  /** Whether its station listed it as present during its time; null: its station was not received. */
  isAired?: boolean | null;
}

export interface FileStretch extends BroadcastSpan {
  path: string;
}

/** The programme as it was actually on the air, and its wanted part. */
export interface Wanted {
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** When it was requested, if that was after its start. */
  from?: BroadcastMs;
  /** When a user stopped it, if that was before its end. */
  until?: BroadcastMs;
  /** Since when another programme replaced it, if it did not resume. */
  brokenAt?: BroadcastMs;
  /** Its station never listed it while it was received. Only used if most of it was received. */
  isNeverAired?: boolean;
}

/** A verdict with the durations of the damage. */
export interface Judgement {
  verdict: Verdict;
  /** Gaps and damaged seconds of the wanted span. */
  damagedMs: number;
  /** The longest period of damage. */
  longestMs: number;
  /** Length of the wanted span. */
  wantedMs: number;
  /** Length of the part that was never on the air. */
  droppedMs: number;
}

/** Gaps up to this length, whatever their cause, are clock and buffer jitter, not loss. */
const TOLERANCE_MS = 500;
/** Interval of clock references, which date packets (ARIB TR-B14): shorter gaps are not measured precisely. */
const CLOCK_REFERENCE_MS = 100;
/** With a smaller usable part it does not count as recorded. */
const LOST_BELOW = 0.5;
/** If another programme replaced a larger part up to the end, the programme was not shown. */
const DROPPED_PART = 0.25;
/** Setting `retryDamaged`: damage of more than this part, or a period of this length. */
const WORTH_REPEATING_PART = 0.01;
const WORTH_REPEATING_MS = 10_000;
/**
 * Reserved while it is on: wanted from the first packet if that arrives within this (5 s to lock, 1 s for the request).
 */
const BEGIN_MS = 6_000;
/** Gaps of one cause this close to each other are reported as one. */
const MERGE_MS = 500;

export function nothingMeasured(): Measured {
  return {
    stretches: [],
    breaks: [],
    damage: [],
    sums: { packets: 0, drops: 0, errors: 0, scrambled: 0 },
  };
}

export function judge(measured: Measured, wanted: Wanted): Judgement {
  const from = wantedFrom(measured, wanted);
  const to = latest(from, earliest(wanted.endAt, wanted.until ?? wanted.endAt));
  if (wanted.isNeverAired === true && coverage(measured, { from, to }) >= LOST_BELOW)
    return neverAired(measured, wanted, { from, to });
  const first = measured.stretches[0];
  const shownTo = shownUntil(wanted, { from, to });
  const shown = { from, to: shownTo };
  const dropped: Break[] = shownTo < to ? [{ from: shownTo, to, cause: 'broken_off' }] : [];
  const scrambled = scrambledRuns(measured.damage, shown);
  const unreceived = [...missing(measured, shown), ...scrambled, ...dropped];
  const unwatchable = unwatchableParts(measured.unwatchable ?? [], shown, unreceived);
  const holes = [...unreceived, ...unwatchable.map((one) => asScrambledBeside(one, scrambled))];
  const yielded = measured.breaks
    .filter((one) => one.cause === 'yielded' && one.to > wanted.endAt)
    .map((one) => ({ ...one, from: latest(one.from, wanted.endAt) }))
    .filter(isLoss);
  const gaps = gapsOf(merge([...holes, ...yielded]), wanted);
  const damage = union([
    ...holes,
    ...measured.damage.map((one) => ({ from: latest(one.from, from), to: earliest(one.to, shownTo) })),
  ]);
  const damagedMs = lengthOf(damage);
  // While another programme was on there was nothing to record.
  const elsewhereMs = lengthOf(holes.filter(({ cause }) => cause === 'broken_off'));
  const unusableMs = lengthOf(holes) - elsewhereMs;
  const { drops } = measured.sums;
  const wantedMs = to - from;
  const shownMs = wantedMs - elsewhereMs;
  const usable = first !== undefined && (shownMs <= 0 || (shownMs - unusableMs) / shownMs >= LOST_BELOW);
  const level = !usable ? 'lost' : damagedMs > 0 ? 'damaged' : 'complete';
  return {
    verdict: { level, drops, gaps, ...marginsOf(measured, wanted) },
    damagedMs,
    longestMs: Math.max(0, ...damage.map((one) => one.to - one.from)),
    wantedMs,
    droppedMs: to - shownTo,
  };
}

/** The part of `within` that was received. */
function coverage({ stretches }: Measured, within: BroadcastSpan): number {
  if (within.to <= within.from) return 0;
  const inside = stretches.map(({ from, to }) => ({
    from: latest(from, within.from),
    to: earliest(to, within.to),
  }));
  return lengthOf(inside) / (within.to - within.from);
}

/** All received data belongs to another programme. */
function neverAired(measured: Measured, wanted: Wanted, { from, to }: BroadcastSpan): Judgement {
  const gaps = gapsOf([{ from, to, cause: 'not_aired' }], wanted);
  const wantedMs = to - from;
  return {
    verdict: { level: 'lost', drops: measured.sums.drops, gaps, ...marginsOf(measured, wanted) },
    damagedMs: wantedMs,
    longestMs: wantedMs,
    wantedMs,
    droppedMs: wantedMs,
  };
}

/** If nothing was recorded, all of it is missing. */
function marginsOf({ stretches }: Measured, { startAt, endAt }: Wanted): Pick<Verdict, 'headMs' | 'tailMs'> {
  return {
    headMs: Math.round(startAt - (stretches[0]?.from ?? endAt)),
    tailMs: Math.round((stretches.at(-1)?.to ?? startAt) - endAt),
  };
}

function gapsOf(breaks: readonly Break[], { startAt }: Wanted): Verdict['gaps'] {
  return breaks.map(({ from, to, cause }) => ({
    startMs: Math.round(from - startAt),
    endMs: Math.round(to - startAt),
    cause,
  }));
}

function isLoss({ from, to }: BroadcastSpan): boolean {
  return to - from > TOLERANCE_MS;
}

/** Recorded length without gaps, ms. */
export function recordedMs({ stretches }: Pick<Measured, 'stretches'>): number {
  return Math.round(lengthOf(stretches));
}

/** Another programme during the last minutes may be a table that was early. */
function shownUntil({ startAt, endAt, brokenAt = endAt }: Wanted, { from, to }: BroadcastSpan): BroadcastMs {
  return endAt - brokenAt > (endAt - startAt) * DROPPED_PART ? earliest(to, latest(from, brokenAt)) : to;
}

function wantedFrom({ stretches }: Measured, { startAt, from = startAt }: Wanted): BroadcastMs {
  const begin = stretches[0]?.from ?? from;
  return from > startAt && begin > from && begin - from <= BEGIN_MS ? begin : latest(startAt, from);
}

/** Whether the next airing is worth a tuner, by the setting `retryDamaged`. */
export function worthRepeating(judgement: Judgement, setting: RetryChoice): boolean {
  if (setting === 'never') return false;
  const { damagedMs, longestMs, wantedMs, droppedMs } = judgement;
  if (judgement.verdict.level === 'lost' || droppedMs > wantedMs * LOST_BELOW) return true;
  if (setting === 'failed') return false;
  return damagedMs > wantedMs * WORTH_REPEATING_PART || longestMs >= WORTH_REPEATING_MS;
}

/** The parts of `within` that were not received, each with its cause. */
function missing(measured: Measured, within: BroadcastSpan): Break[] {
  const holes: BroadcastSpan[] = [];
  let at = within.from;
  for (const stretch of union(measured.stretches)) {
    if (stretch.from > at) holes.push({ from: at, to: earliest(stretch.from, within.to) });
    at = latest(at, stretch.to);
  }
  if (within.to > at) holes.push({ from: at, to: within.to });
  return lossesOf(holes).flatMap((hole) => explain(hole, measured.breaks));
}

/** In order of time. Short gaps close to another one count as one loss: the tolerance applies to their sum. */
function lossesOf(holes: readonly BroadcastSpan[]): BroadcastSpan[] {
  const groups: BroadcastSpan[][] = [];
  for (const hole of holes) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && hole.from - before.to <= MERGE_MS) group.push(hole);
    else groups.push([hole]);
  }
  return groups
    .filter((group) => lengthOf(group) > TOLERANCE_MS)
    .flatMap((group) =>
      group.filter(({ from, to }) => to - from >= CLOCK_REFERENCE_MS || group.length === 1),
    );
}

/** Splits a gap where its cause changes. A part without a known cause is from before the stream was first opened. */
function explain(hole: BroadcastSpan, breaks: readonly Break[]): Break[] {
  const inside = breaks
    .map(({ from, to, cause }) => ({ from: latest(from, hole.from), to: earliest(to, hole.to), cause }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const out: Break[] = [];
  let at = hole.from;
  for (const one of inside) {
    if (one.to <= at) continue;
    // Breaks are measured slightly differently from stretches: a part within the tolerance belongs to the next one.
    const from = one.from - at > TOLERANCE_MS ? one.from : at;
    if (from > at) out.push({ from: at, to: from, cause: out.at(-1)?.cause ?? 'late' });
    out.push({ from, to: one.to, cause: one.cause });
    at = one.to;
  }
  const before = out.at(-1);
  if (before !== undefined) before.to = hole.to;
  else out.push({ ...hole, cause: 'late' });
  return out;
}

/** Most packets stayed scrambled: they cannot be watched. */
export function isUnreadable({ packets, scrambled }: PacketSums): boolean {
  return scrambled * 2 > packets;
}

function scrambledRuns(damage: readonly Damage[], within: BroadcastSpan): Break[] {
  const runs = damage.filter(isUnreadable).map(({ from, to, cause = 'scrambled' }) => ({
    from: latest(from, within.from),
    to: earliest(to, within.to),
    cause,
  }));
  return merge(runs.filter(({ from, to }) => to > from)).filter(isLoss);
}

/** The end of a scrambled run whose packets are too few to count there: the run tells why it has no key. */
function asScrambledBeside(one: Break, runs: readonly Break[]): Break {
  if (one.cause !== 'scrambled') return one;
  const run = runs.find(({ from, to }) => from - one.to <= MERGE_MS && one.from - to <= MERGE_MS);
  return run === undefined ? one : { ...one, cause: run.cause };
}

/** What neither a gap nor a more important cause explains: without a picture, the sound does not matter. */
function unwatchableParts(
  spans: readonly Break[],
  within: BroadcastSpan,
  explained: readonly Break[],
): Break[] {
  const out: Break[] = [];
  for (const cause of RECEPTION_FAULTS) {
    const known = union([...explained, ...out]);
    const own = union(spans.filter((one) => one.cause === cause))
      .map(({ from, to }) => ({ from: latest(from, within.from), to: earliest(to, within.to) }))
      .flatMap((one) => without(one, known))
      .map((one) => ({ ...one, cause }));
    out.push(...merge(own).filter(isLoss));
  }
  return out;
}

/** @param known in order, without overlap */
function without(one: BroadcastSpan, known: readonly BroadcastSpan[]): BroadcastSpan[] {
  const out: BroadcastSpan[] = [];
  let at = one.from;
  for (const { from, to } of known) {
    if (to <= at || from >= one.to) continue;
    if (from > at) out.push({ from: at, to: from });
    at = to;
  }
  if (one.to > at) out.push({ from: at, to: one.to });
  return out;
}

/** In order of time; adjacent gaps of one cause are merged. */
function merge(breaks: readonly Break[]): Break[] {
  const out: Break[] = [];
  for (const one of [...breaks].sort((a, b) => a.from - b.from)) {
    const before = out.at(-1);
    if (before !== undefined && before.cause === one.cause && one.from - before.to <= MERGE_MS) {
      before.to = latest(before.to, one.to);
    } else out.push({ ...one });
  }
  return out;
}

function lengthOf(stretches: readonly BroadcastSpan[]): number {
  return union(stretches).reduce((sum, { from, to }) => sum + to - from, 0);
}

function union(stretches: readonly BroadcastSpan[]): BroadcastSpan[] {
  const out: BroadcastSpan[] = [];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    if (to <= from) continue;
    const before = out.at(-1);
    if (before !== undefined && from <= before.to) before.to = latest(before.to, to);
    else out.push({ from, to });
  }
  return out;
}
