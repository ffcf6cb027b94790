/**
 * What a recording is worth: a pure function of what was measured while it was made and of the real boundaries of
 * its programme. Nothing here knows where the measurements come from.
 */
import { type BroadcastMs, earliest, latest } from '../../arib/time.ts';

/** Why a stretch is missing: stable codes, also as stored. */
export const GAP_CAUSES = [
  /** Opened too late, for none of the reasons below. */
  'late',
  /** The plan had no tuner for it: other recordings used them. */
  'conflict',
  /** Its tuner was the previous recording's until it began. */
  'handover',
  'no_tuner',
  /** A tuner received nothing of the station. */
  'no_signal',
  'agent_unavailable',
  'stream_ended',
  'stalled',
  'service_stopped',
  /** The whole process did not run (SIGSTOP, suspended machine), for longer than the agent keeps data. */
  'paused',
  'recorder_failed',
  /** It stayed scrambled: for a reason that is not known, or by the agent's for one of those below. */
  'scrambled',
  /** PC/SC is not installed, or its daemon did not run. */
  'card_software',
  'card_reader_missing',
  'card_missing',
  /** A card for another kind of broadcast, or no such card at all. */
  'card_unsuitable',
  /** The card has no contract for the programme. */
  'not_subscribed',
  /** The card gave no usable answer. */
  'card_failed',
  /** The agent whose card is shared was away or refused. */
  'card_share_failed',
  'copy_never',
  'disk_full',
  'disk_failed',
  'disk_slow',
  'yielded',
  'stopped',
  'broken_off',
  /** Another programme was on in its place from its start to its end. */
  'not_aired',
] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

export const VERDICT_LEVELS = ['complete', 'damaged', 'lost'] as const;

/** What is missing of a recording's programme, in ms from the programme's real start. */
export interface Verdict {
  level: (typeof VERDICT_LEVELS)[number];
  /** Places where packets are missing. */
  drops: number;
  gaps: { startMs: number; endMs: number; cause: GapCause }[];
  /** Recorded before the real start; negative: missing of it. */
  headMs: number;
  /** Recorded after the real end; negative: missing of it. */
  tailMs: number;
}

/** End exclusive. */
export interface Stretch {
  from: BroadcastMs;
  to: BroadcastMs;
}

export interface Break extends Stretch {
  cause: GapCause;
}

export interface PacketSums {
  packets: number;
  /** Places where packets are missing: continuity errors. */
  drops: number;
  /** Packets with transport_error_indicator. */
  errors: number;
  scrambled: number;
}

/** A stretch in every second of which not every packet was sound. */
export interface Damage extends Stretch, PacketSums {
  /** Why it stayed scrambled, where the agent gave a reason. */
  cause?: GapCause;
}

/** What was measured of a recording. Stored while it runs: it outlives the process (`store/recording-json.ts`). */
export interface Measured {
  /** When packets were received and kept, in order, without overlap. */
  stretches: Stretch[];
  /** When none were, and why; also outside of what was wanted. */
  breaks: Break[];
  /** In order. */
  damage: Damage[];
  sums: PacketSums;
  /** In which file what was received stands; absent of recordings of before. */
  files?: FileStretch[];
  /** Whether its station named it as present while it was to be on; null: its station was not heard. */
  isAired?: boolean | null;
}

export interface FileStretch extends Stretch {
  path: string;
}

/** The programme as it was really on the air, and what of it was wanted. */
export interface Wanted {
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** When somebody asked for it, where that was later than its start. */
  from?: BroadcastMs;
  /** When somebody stopped it, where that was before its end. */
  until?: BroadcastMs;
  /** Since when another programme was on in its place, where it did not come back. */
  brokenAt?: BroadcastMs;
  /** Its station never named it while it was received. Believed only where most of it was received. */
  isNeverAired?: boolean;
}

/** Judged with what it is of use for: how long the damage is. */
export interface Judgement {
  verdict: Verdict;
  /** Of what was wanted, gaps and damaged seconds. */
  damagedMs: number;
  /** The longest run of damage. */
  longestMs: number;
  /** How long that is which was wanted. */
  wantedMs: number;
  /** How much of it never was on the air. */
  droppedMs: number;
}

/** Gaps up to this, whatever their cause, are clock and buffer jitter, not loss. */
const TOLERANCE_MS = 500;
/** Clock references, which date packets, come this often (ARIB TR-B14): shorter holes are not measured well. */
const CLOCK_REFERENCE_MS = 100;
/** With less than this part usable it does not count as recorded. */
const LOST_BELOW = 0.5;
/** A larger part of which something else was on, to the end, was not shown. */
const DROPPED_PART = 0.25;
/** Setting `retryDamaged`: more than this part, or a run of this length. */
const WORTH_REPEATING_PART = 0.01;
const WORTH_REPEATING_MS = 10_000;
/** Booked while it is on: wanted from the first packet if that comes within this (5 s to lock, 1 s for the request). */
const BEGIN_MS = 6_000;
/** Gaps of one cause this near to each other are reported as one. */
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
  const holes = [...missing(measured, shown), ...scrambledRuns(measured.damage, shown), ...dropped];
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
  // While something else was on there was nothing to record.
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
function coverage({ stretches }: Measured, within: Stretch): number {
  if (within.to <= within.from) return 0;
  const inside = stretches.map(({ from, to }) => ({
    from: latest(from, within.from),
    to: earliest(to, within.to),
  }));
  return lengthOf(inside) / (within.to - within.from);
}

/** Whatever was received is of another programme. */
function neverAired(measured: Measured, wanted: Wanted, { from, to }: Stretch): Judgement {
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

/** With nothing recorded all of it is missing. */
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

function isLoss({ from, to }: Stretch): boolean {
  return to - from > TOLERANCE_MS;
}

/** How much was recorded, without what is missing in between, ms. */
export function recordedMs({ stretches }: Pick<Measured, 'stretches'>): number {
  return Math.round(lengthOf(stretches));
}

/** Something else in place of a few last minutes may be a table that was early. */
function shownUntil({ startAt, endAt, brokenAt = endAt }: Wanted, { from, to }: Stretch): BroadcastMs {
  return endAt - brokenAt > (endAt - startAt) * DROPPED_PART ? earliest(to, latest(from, brokenAt)) : to;
}

function wantedFrom({ stretches }: Measured, { startAt, from = startAt }: Wanted): BroadcastMs {
  const begin = stretches[0]?.from ?? from;
  return from > startAt && begin > from && begin - from <= BEGIN_MS ? begin : latest(startAt, from);
}

/** Whether the next airing is worth a tuner, by the setting `retryDamaged`. */
export function worthRepeating(judgement: Judgement, setting: 'never' | 'failed' | 'damaged'): boolean {
  if (setting === 'never') return false;
  const { damagedMs, longestMs, wantedMs, droppedMs } = judgement;
  if (judgement.verdict.level === 'lost' || droppedMs > wantedMs * LOST_BELOW) return true;
  if (setting === 'failed') return false;
  return damagedMs > wantedMs * WORTH_REPEATING_PART || longestMs >= WORTH_REPEATING_MS;
}

/** What of `within` no stretch covers, each part with its cause. */
function missing(measured: Measured, within: Stretch): Break[] {
  const holes: Stretch[] = [];
  let at = within.from;
  for (const stretch of union(measured.stretches)) {
    if (stretch.from > at) holes.push({ from: at, to: earliest(stretch.from, within.to) });
    at = latest(at, stretch.to);
  }
  if (within.to > at) holes.push({ from: at, to: within.to });
  return lossesOf(holes).flatMap((hole) => explain(hole, measured.breaks));
}

/** In order of time. Short holes near to another are one loss together with it: the tolerance holds for their sum. */
function lossesOf(holes: readonly Stretch[]): Stretch[] {
  const groups: Stretch[][] = [];
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

/** Cuts a hole where its causes change. What no break explains is from before the stream was first opened. */
function explain(hole: Stretch, breaks: readonly Break[]): Break[] {
  const inside = breaks
    .map(({ from, to, cause }) => ({ from: latest(from, hole.from), to: earliest(to, hole.to), cause }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const out: Break[] = [];
  let at = hole.from;
  for (const one of inside) {
    if (one.to <= at) continue;
    // Breaks are measured a little apart from stretches: a sliver belongs to what follows it.
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

function scrambledRuns(damage: readonly Damage[], within: Stretch): Break[] {
  const runs = damage.filter(isUnreadable).map(({ from, to, cause = 'scrambled' }) => ({
    from: latest(from, within.from),
    to: earliest(to, within.to),
    cause,
  }));
  return merge(runs.filter(({ from, to }) => to > from)).filter(isLoss);
}

/** In order of time; what has one cause and meets is one. */
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

function lengthOf(stretches: readonly Stretch[]): number {
  return union(stretches).reduce((sum, { from, to }) => sum + to - from, 0);
}

function union(stretches: readonly Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    if (to <= from) continue;
    const before = out.at(-1);
    if (before !== undefined && from <= before.to) before.to = latest(before.to, to);
    else out.push({ from, to });
  }
  return out;
}
