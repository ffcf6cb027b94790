/** Accumulates the reports of a recording's outputs, over all processes, into the measurements of its verdict. */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import {
  type BroadcastSpan,
  type Damage,
  isUnreadable,
  type Measured,
  type PacketSums,
} from '../model/verdict.ts';
import type { Recount, RecountedRun } from '../reception/file-recount.ts';
import type { UnwatchableSpan } from '../reception/programme-watch.ts';

/** Consecutive seconds have small gaps on a busy machine. */
const JOIN_MS = 500;
/** The first packets of a stream are dated by their arrival, which a busy machine delays. */
const LATE_MS = 5_000;
/** Times of the same packets by the clock of the machine and of the broadcast. */
const CLOCKS_APART_MS = 1_000;
/** Entries of unwatchable parts: each lasts 0.4 s or more, so that a hostile broadcast could fill a day with them. */
const MAX_UNWATCHABLE = 5_000;
/** Longest entry of damage: a recording of a day, damaged throughout, has 8,640 of them. */
const WINDOW_MS = 10_000;

const SILENCE: ReadonlySet<GapCause> = new Set(['stalled', 'agent_silent']);

type FoundContents = Pick<Recount, 'spanMs' | 'earlier' | 'wholeMs'> & { lost: number };

type CausedSums = PacketSums & Pick<Damage, 'cause'>;

/** What is missing at the end of a file, or was before other packets were appended. */
interface MissingEnd {
  path: string;
  /** Octets that are left before it, and missing ones. */
  size: number;
  lost: number;
  /** Time of the missing packets. `from`: null if unknown. */
  from: BroadcastMs | null;
  to: BroadcastMs;
}

export class RecordingMeasurement {
  /** From when on packets were received that are in no file yet. */
  #waitingSince: BroadcastMs | undefined;

  constructor(readonly value: Measured) {}

  /** When the last packet arrived; undefined before the first. */
  get until(): BroadcastMs | undefined {
    return this.value.stretches.at(-1)?.to;
  }

  /** Up to when reception is known; undefined: nothing is known. */
  get reportedUntil(): BroadcastMs | undefined {
    const ends = [...this.value.stretches.slice(-1), ...this.value.breaks].map(({ to }) => to);
    return ends.length === 0 ? undefined : broadcastMs(Math.max(...ends));
  }

  /** @param sums with the cause if the packets stayed scrambled and it is known @param path the open file */
  received(stretch: BroadcastSpan, sums: CausedSums, path?: string): void {
    const { stretches, breaks } = this.value;
    const last = stretches.at(-1);
    const broken = (breaks.at(-1)?.to ?? 0) > (last?.to ?? 0);
    if (last === undefined || broken || stretch.from - last.to > JOIN_MS) {
      stretches.push({ from: stretch.from, to: latest(stretch.from, stretch.to) });
    } else last.to = latest(last.to, stretch.to);
    if (path !== undefined) this.#wrote(path, stretch);
    else this.#waitingSince ??= stretch.from;
    this.count(stretch, sums);
  }

  /** Packets received since `fileLeft` are written to this file. */
  fileOpened(path: string): void {
    const { until } = this;
    if (this.#waitingSince !== undefined && until !== undefined && until > this.#waitingSince)
      this.#wrote(path, { from: this.#waitingSince, to: until });
  }

  /** @param at when the first packets were received that are not in it; some before them may not be reported yet */
  fileLeft(path: string, at: BroadcastMs): void {
    const last = this.value.files?.findLast((one) => one.path === path);
    if (last !== undefined) last.to = latest(last.from, at);
    this.#waitingSince = at;
  }

  /** No packets wait for a file any more. */
  outputBegins(): void {
    this.#waitingSince = undefined;
  }

  #wrote(path: string, { from, to }: BroadcastSpan): void {
    this.value.files ??= [];
    const last = this.value.files.at(-1);
    const begin = this.#waitingSince ?? from;
    this.#waitingSince = undefined;
    if (last?.path === path) last.to = latest(last.to, to);
    else this.value.files.push({ path, from: begin, to: latest(begin, to) });
  }

  /** Counts packets of a time span that is already covered. */
  count(stretch: BroadcastSpan, sums: CausedSums): void {
    add(this.value.sums, sums);
    if (sums.drops + sums.errors + sums.scrambled === 0) return;
    const { damage } = this.value;
    const last = damage.at(-1);
    const cause = isUnreadable(sums) ? sums.cause : undefined;
    const one: Damage = {
      ...{ from: stretch.from, to: stretch.to, ...pick(sums) },
      ...(cause === undefined ? {} : { cause }),
    };
    const joins =
      last !== undefined &&
      one.from - last.to <= JOIN_MS &&
      one.to - last.from <= WINDOW_MS &&
      isUnreadable(last) === isUnreadable(one) &&
      last.cause === one.cause;
    if (!joins) damage.push(one);
    else {
      last.to = latest(last.to, one.to);
      add(last, sums);
    }
  }

  /**
   * Adds what was found in the file of a killed process, for a time span that is already covered. Packets that stayed
   * scrambled have the same cause as those right before them. The file does not show why packets are missing.
   */
  recounted(stretch: BroadcastSpan, { runs, holes, unwatchable }: Omit<Recount, 'recounted' | 'pcr'>): void {
    this.#recountedRuns(stretch, runs);
    this.unwatchable(stretch.to, unwatchable);
    for (const { fromBeforeEndMs, toBeforeEndMs } of holes) {
      const from = latest(plusMs(stretch.to, -fromBeforeEndMs), stretch.from);
      this.broke('stalled', { from, to: earliest(plusMs(stretch.to, -toBeforeEndMs), stretch.to) });
    }
  }

  #recountedRuns(stretch: BroadcastSpan, runs: readonly RecountedRun[]): void {
    const before = this.value.damage.at(-1);
    const isContinued = before !== undefined && isUnreadable(before) && stretch.from - before.to <= JOIN_MS;
    const cause = isContinued ? before.cause : undefined;
    const packets = runs.reduce((sum, run) => sum + run.packets, 0);
    let counted = 0;
    let from = stretch.from;
    for (const [index, run] of runs.entries()) {
      counted += run.packets;
      const end = runs[index + 1]?.beforeEndMs;
      const share = plusMs(stretch.from, ((stretch.to - stretch.from) * counted) / Math.max(1, packets));
      const estimate = end === undefined || end === null ? share : plusMs(stretch.to, -end);
      const to = index === runs.length - 1 ? stretch.to : earliest(latest(estimate, from), stretch.to);
      this.count({ from, to }, index === 0 && cause !== undefined ? { ...run, cause } : run);
      from = to;
    }
  }

  /** Received parts without picture or sound. @param end of the packets to which their times refer */
  unwatchable(end: BroadcastMs, spans: readonly UnwatchableSpan[]): void {
    if (spans.length === 0) return;
    this.value.unwatchable ??= [];
    const { unwatchable } = this.value;
    for (const { cause, fromBeforeEndMs, toBeforeEndMs } of spans) {
      const one = { from: plusMs(end, -fromBeforeEndMs), to: plusMs(end, -toBeforeEndMs), cause };
      const last = unwatchable.findLast((known) => known.cause === cause);
      const joins = last !== undefined && one.from - last.to <= JOIN_MS;
      if (!joins && unwatchable.length < MAX_UNWATCHABLE) unwatchable.push(one);
      else if (last !== undefined) {
        last.from = earliest(last.from, one.from);
        last.to = latest(last.to, one.to);
      }
    }
  }

  /** Sets the cause of the last scrambled packets, also for those of the same run that were reported without one. */
  explainScrambled(cause: GapCause): void {
    let next: Damage | undefined;
    for (const one of this.value.damage.toReversed()) {
      const isOfRun = next === undefined || next.from - one.to <= JOIN_MS;
      if (!isOfRun || !isUnreadable(one) || one.cause !== undefined) return;
      one.cause = cause;
      next = one;
    }
  }

  /** A gap. Replaces earlier reports about its time span. */
  broke(cause: GapCause, { from, to }: BroadcastSpan): void {
    if (to <= from) return;
    this.value.breaks.push({ from, to, cause });
    this.value.stretches = this.value.stretches.flatMap((one) => {
      // An empty range is kept: it marks when the recording began.
      if (one.from === one.to) return one.from > from && one.from < to ? [] : [one];
      return [
        { from: one.from, to: earliest(one.to, from) },
        { from: latest(one.from, to), to: one.to },
      ].filter((part) => part.to > part.from);
    });
  }

  /**
   * When packets were last written that are not measured: by the file's clock, if possible, because any program may
   * have touched the file since.
   */
  writtenUntil({
    spanMs,
    modifiedAt,
  }: {
    spanMs?: number | undefined;
    modifiedAt: BroadcastMs;
  }): BroadcastMs {
    const until = this.until;
    if (until === undefined || spanMs === undefined || spanMs < 0) return modifiedAt;
    return earliest(modifiedAt, plusMs(until, spanMs));
  }

  /** The packets were received, and are no longer in their file: nor are the places where some were missing. */
  lost(cause: GapCause, { from, to }: BroadcastSpan): void {
    this.broke(cause, { from, to });
    this.value.damage = this.value.damage.filter((one) => {
      if (one.from < from || one.to > to) return true;
      subtract(this.value.sums, one);
      return false;
    });
  }

  /** How long packets were received since then. */
  receivedMs(since: BroadcastMs): number {
    return this.value.stretches.reduce((sum, { from, to }) => sum + Math.max(0, to - latest(from, since)), 0);
  }

  /** What was received since then is in no file. */
  unwritten(cause: GapCause, since: BroadcastMs): void {
    for (const { from, to } of this.value.stretches) this.lost(cause, { from: latest(from, since), to });
  }

  /** Packets received since then were not written to this file any more. */
  lostEnd(cause: GapCause, path: string, since: BroadcastMs): void {
    const last = this.value.files?.findLast((one) => one.path === path);
    if (last !== undefined && last.to > since)
      this.lost(cause, { from: latest(last.from, since), to: last.to });
  }

  cut(missing: MissingEnd, cause: GapCause = 'file_changed'): void {
    this.lost(cause, { from: this.cutAt(missing), to: missing.to });
  }

  /** The time where a file's contents now end; by their share of its octets if unknown. */
  cutAt({ path, size, lost, from, to }: MissingEnd): BroadcastMs {
    const { files = [], stretches } = this.value;
    const start = files.find((one) => one.path === path)?.from ?? stretches[0]?.from ?? to;
    if (from !== null && size > 0 && from >= start && from <= to + CLOCKS_APART_MS) return earliest(from, to);
    return earliest(to, plusMs(start, (Math.max(0, to - start) * size) / Math.max(1, size + lost)));
  }

  /** Packets that a killed process had written to this file after its last report. */
  found(path: string, spanMs: number, recounted: Omit<Recount, 'recounted' | 'pcr'>): void {
    const { value } = this;
    const file = value.files?.findLast((one) => one.path === path);
    if (file === undefined) return;
    const found = { from: file.to, to: plusMs(file.to, spanMs) };
    file.to = found.to;
    value.breaks = value.breaks
      .map((one) => (one.from < found.to && one.to > found.from ? { ...one, from: found.to } : one))
      .filter(({ from, to }) => to > from);
    const before = value.stretches.findLast(({ to }) => to <= found.to);
    if (before !== undefined && found.from - before.to <= JOIN_MS) before.to = found.to;
    else value.stretches = [...value.stretches, { ...found }].sort((one, other) => one.from - other.from);
    this.recounted(found, recounted);
  }

  /**
   * When the last packets of a file were received. Packets of a new stream may arrive late, and so may those before its
   * end have done: the beginning of the file decides which of both dates fits.
   * @param byStream by the clock references of the packets that follow
   */
  fileEnd(path: string | undefined, file: FoundContents, byStream: BroadcastMs): BroadcastMs {
    const { until } = this;
    const byBegin = this.#byBegin(path, file);
    if (until === undefined || byBegin === undefined || file.spanMs === undefined) return byStream;
    const byReport = plusMs(until, file.spanMs);
    const isLate = byStream > byReport && byStream - byReport < LATE_MS;
    return isLate && Math.abs(byBegin - byReport) < Math.abs(byBegin - byStream) ? byReport : byStream;
  }

  #byBegin(path: string | undefined, { wholeMs }: FoundContents): BroadcastMs | undefined {
    const begin = this.value.files?.find((one) => one.path === path)?.from;
    return begin === undefined || wholeMs === undefined ? undefined : plusMs(begin, wholeMs);
  }

  /**
   * Holes in the part of a file that was measured until then: another program cut it off before a killed process
   * appended more, without a report. @param end of the file's contents
   */
  cutOut(path: string, measuredUntil: BroadcastMs, end: BroadcastMs, file: FoundContents): void {
    const { lost, spanMs, earlier = [] } = file;
    const begin = this.value.files?.find((one) => one.path === path)?.from;
    if (begin === undefined) return;
    // The first packets of a new stream may be dated late; its beginning may be cut off.
    const byBegin = this.#byBegin(path, file) ?? end;
    const last = Math.abs(byBegin - end) < LATE_MS ? byBegin : end;
    const isCut = lost > 0 || (spanMs !== undefined && last - spanMs - measuredUntil > JOIN_MS);
    if (!isCut) return;
    for (const { fromBeforeEndMs, toBeforeEndMs } of earlier) {
      const hole = { from: latest(plusMs(last, -fromBeforeEndMs), begin), to: plusMs(last, -toBeforeEndMs) };
      const lengthMs = hole.to - hole.from;
      const measuredMs = this.receivedMs(hole.from) - this.receivedMs(hole.to);
      if (lengthMs > JOIN_MS && measuredMs * 2 > lengthMs) this.lost('file_changed', hole);
    }
  }

  /** Drops gaps in which nothing seemed to come. */
  forgetSilence({ from, to }: BroadcastSpan): void {
    this.value.breaks = this.value.breaks.filter(
      (one) => !(SILENCE.has(one.cause) && one.from >= from && one.to <= to),
    );
  }

  /** Moves all times from `since` on by `byMs`: the clock was wrong. */
  shift(byMs: number, since: BroadcastMs): void {
    const { stretches, breaks, damage, unwatchable = [], files = [] } = this.value;
    for (const one of [...stretches, ...breaks, ...damage, ...unwatchable, ...files]) {
      if (one.from >= since) one.from = plusMs(one.from, byMs);
      if (one.to >= since) one.to = latest(one.from, plusMs(one.to, byMs));
    }
    const unwritten = this.#waitingSince;
    if (unwritten !== undefined && unwritten >= since) this.#waitingSince = plusMs(unwritten, byMs);
  }

  /** Moves the end of the received range, earlier or later. Known gaps stay. */
  endedAt(at: BroadcastMs): void {
    const { stretches } = this.value;
    const last = stretches.at(-1);
    if (last === undefined) return;
    const reported = this.reportedUntil ?? last.to;
    if (reported > last.to && at > reported) stretches.push({ from: reported, to: at });
    else if (at > last.from) last.to = at;
  }
}

function add(to: PacketSums, more: PacketSums): void {
  to.packets += more.packets;
  to.drops += more.drops;
  to.errors += more.errors;
  to.scrambled += more.scrambled;
}

/** Packets that a killed process had not counted may be missing in the sums. */
function subtract(from: PacketSums, less: PacketSums): void {
  from.packets = Math.max(0, from.packets - less.packets);
  from.drops = Math.max(0, from.drops - less.drops);
  from.errors = Math.max(0, from.errors - less.errors);
  from.scrambled = Math.max(0, from.scrambled - less.scrambled);
}

function pick({ packets, drops, errors, scrambled }: PacketSums): PacketSums {
  return { packets, drops, errors, scrambled };
}
