/**
 * What a recording is worth: a pure function of what was measured while it was made and of the real boundaries of
 * its programme. Nothing here knows where the measurements come from.
 */

import type { GapCause, RecordingVerdict as Verdict } from '../../wire/recordings.ts';

export type { GapCause, Verdict };

/** Why a stretch is missing, for people. */
export const CAUSES: Readonly<Record<GapCause, string>> = {
  late: '録画の開始が番組の開始に間に合いませんでした',
  no_tuner: 'チューナーを確保できないか、放送を受信できませんでした',
  agent_unavailable: 'チューナーエージェントに接続できませんでした',
  stream_ended: '受信が途切れました',
  stalled: '放送のデータが届きませんでした',
  service_stopped: 'サービスが止まっていました',
  recorder_failed: '録画の処理が止まり、始め直しました',
  scrambled: 'スクランブルを解除できませんでした',
  copy_never: 'コピー禁止のため書き込みませんでした',
  disk_full: '録画先の空き容量がなくなりました',
  disk_failed: '録画先に書き込めませんでした',
  disk_slow: '録画先の書き込みが追いつきませんでした',
  yielded: '次の録画にチューナーを渡しました',
  stopped: '録画を途中で止めました',
  broken_off: '別の番組に切り替わっていました',
};

/** Epoch ms, end exclusive. */
export interface Stretch {
  from: number;
  to: number;
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
export interface Damage extends Stretch, PacketSums {}

/** What was measured of a recording. JSON: it outlives the process. */
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
}

export interface FileStretch extends Stretch {
  path: string;
}

/** The programme as it was really on the air, and what of it was wanted. Epoch ms. */
export interface Wanted {
  startAt: number;
  endAt: number;
  /** When somebody asked for it, where that was later than its start. */
  from?: number;
  /** When somebody stopped it, where that was before its end. */
  until?: number;
  /** Since when another programme was on in its place, where it did not come back. */
  brokenAt?: number;
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

/** What nothing explains and is not longer is of the clocks and of the buffers on the way, not of the recording. */
const TOLERANCE_MS = 500;
/** Less than this part usable: nobody would call it recorded. */
const LOST_BELOW = 0.5;
/** A larger part of which something else was on, to the end, was not shown. */
const DROPPED_PART = 0.25;
/** Setting `retryDamaged`: more than this part, or a run of this length. */
const WORTH_REPEATING_PART = 0.01;
const WORTH_REPEATING_MS = 10_000;
/** Whoever wants what is on already has it as soon as a tuner gives it: 5 s at most to lock, and the way of the wish. */
const BEGIN_MS = 6_000;
/** Gaps of one cause this near to each other are told as one. */
const MERGE_MS = 500;

export function nothingMeasured(): Measured {
  return {
    stretches: [],
    breaks: [],
    damage: [],
    sums: { packets: 0, drops: 0, errors: 0, scrambled: 0 },
  };
}

/** Whether it is what was measured: it comes out of a file. */
export function isMeasured(value: unknown): value is Measured {
  if (typeof value !== 'object' || value === null) return false;
  const { stretches, breaks, damage, sums, files = [] } = value as Partial<Record<keyof Measured, unknown>>;
  const isSums = (one: unknown): boolean => hasNumbers(one, 'packets', 'drops', 'errors', 'scrambled');
  const areStretches = (list: unknown): list is unknown[] =>
    Array.isArray(list) && list.every((one) => hasNumbers(one, 'from', 'to'));
  if (![stretches, breaks, files].every(areStretches)) return false;
  return areStretches(damage) && damage.every(isSums) && isSums(sums);
}

function hasNumbers(value: unknown, ...fields: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return fields.every((field) => Number.isFinite((value as Record<string, unknown>)[field]));
}

export function judge(measured: Measured, wanted: Wanted): Judgement {
  const from = wantedFrom(measured, wanted);
  const to = Math.max(from, Math.min(wanted.endAt, wanted.until ?? wanted.endAt));
  const first = measured.stretches[0];
  const last = measured.stretches.at(-1);
  const shownTo = shownUntil(wanted, { from, to });
  const shown = { from, to: shownTo };
  const dropped: Break[] = shownTo < to ? [{ from: shownTo, to, cause: 'broken_off' }] : [];
  const holes = [...missing(measured, shown), ...scrambledRuns(measured.damage, shown), ...dropped];
  const yielded = measured.breaks.filter((one) => one.cause === 'yielded' && one.to > wanted.endAt);
  const gaps = merge([...holes, ...yielded]).map(({ from: start, to: end, cause }) => ({
    startMs: Math.round(start - wanted.startAt),
    endMs: Math.round(end - wanted.startAt),
    cause,
  }));
  const damage = union([
    ...holes,
    ...measured.damage.map((one) => ({ from: Math.max(one.from, from), to: Math.min(one.to, shownTo) })),
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
  // Nothing recorded: all of it is missing.
  const headMs = Math.round(wanted.startAt - (first?.from ?? wanted.endAt));
  const tailMs = Math.round((last?.to ?? wanted.startAt) - wanted.endAt);
  return {
    verdict: { level, drops, gaps, headMs, tailMs },
    damagedMs,
    longestMs: Math.max(0, ...damage.map((one) => one.to - one.from)),
    wantedMs,
    droppedMs: to - shownTo,
  };
}

/** Something else in place of a few last minutes may be a table that was early. */
function shownUntil({ startAt, endAt, brokenAt = endAt }: Wanted, { from, to }: Stretch): number {
  return endAt - brokenAt > (endAt - startAt) * DROPPED_PART ? Math.min(to, Math.max(from, brokenAt)) : to;
}

function wantedFrom({ stretches }: Measured, { startAt, from = startAt }: Wanted): number {
  const begin = stretches[0]?.from ?? from;
  return from > startAt && begin > from && begin - from <= BEGIN_MS ? begin : Math.max(startAt, from);
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
    if (stretch.from > at) holes.push({ from: at, to: Math.min(stretch.from, within.to) });
    at = Math.max(at, stretch.to);
  }
  if (within.to > at) holes.push({ from: at, to: within.to });
  const isKnown = (hole: Stretch): boolean =>
    measured.breaks.some(({ from, to }) => from < hole.to && to > hole.from);
  return holes
    .filter((hole) => hole.to > hole.from && (hole.to - hole.from > TOLERANCE_MS || isKnown(hole)))
    .flatMap((hole) => explain(hole, measured.breaks));
}

/** Cuts a hole where its causes change. What no break explains was before anything was tried. */
function explain(hole: Stretch, breaks: readonly Break[]): Break[] {
  const inside = breaks
    .map(({ from, to, cause }) => ({ from: Math.max(from, hole.from), to: Math.min(to, hole.to), cause }))
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

/** Most packets stayed scrambled: nobody can see them. */
export function isUnreadable({ packets, scrambled }: PacketSums): boolean {
  return scrambled * 2 > packets;
}

function scrambledRuns(damage: readonly Damage[], within: Stretch): Break[] {
  return damage
    .filter(isUnreadable)
    .map(({ from, to }) => ({
      from: Math.max(from, within.from),
      to: Math.min(to, within.to),
      cause: 'scrambled' as const,
    }))
    .filter(({ from, to }) => to > from);
}

/** In order of time; what has one cause and meets is one. */
function merge(breaks: readonly Break[]): Break[] {
  const out: Break[] = [];
  for (const one of [...breaks].sort((a, b) => a.from - b.from)) {
    const before = out.at(-1);
    if (before !== undefined && before.cause === one.cause && one.from - before.to <= MERGE_MS) {
      before.to = Math.max(before.to, one.to);
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
    if (before !== undefined && from <= before.to) before.to = Math.max(before.to, to);
    else out.push({ from, to });
  }
  return out;
}
