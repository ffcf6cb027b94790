/**
 * Counts packets again that a killed process had written to a file but not yet reported, with the losses of picture and
 * sound in them. Bounded memory.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Pid } from '../../lib/arib/ids.ts';
import { PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import { hasTransportError, PACKET_SIZE, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { StreamStatistics } from '../../lib/arib/ts/statistics.ts';
import type { PacketSums } from '../model/verdict.ts';
import { ProgrammeWatch, type UnwatchableSpan } from './programme-watch.ts';
import { atClocks, clockReferences, HOLE_MS, isMostlyScrambled } from './reception-meter.ts';

/** Half a second of the fastest station holds several clock references. */
const TAIL_BYTES = 4096 * PACKET_SIZE;
/** Unreported data of a killed process is a few seconds; counting more than this would take too long. */
const MAX_RECOUNT_BYTES = 1_400_000 * PACKET_SIZE;
/** A killed process can have appended this much without a report: five seconds of the fastest station. */
const EARLIER_BYTES = 20 * TAIL_BYTES;
/**
 * Steps of one recount: a few seconds in steps of a tenth of a second. LEAST_STEP_BYTES has enough packets to tell
 * whether most are scrambled.
 */
const STEPS = 64;
const LEAST_STEP_BYTES = 32 * PACKET_SIZE;
/** A larger clock step means another clock. */
const MAX_HOLE_MS = 600_000;
/** A clock reference comes at least every 100 ms (ISO/IEC 13818-1 2.7.2); a late one is not yet a hole. */
const LATE_PCR_MS = 150;

/** Consecutive packets that are mostly scrambled, or mostly not. */
export interface RecountedRun extends PacketSums {
  /** From its first clock reference to the file's last one, ms; null: not known. */
  beforeEndMs: number | null;
}

/** Missing packets between two clock references. */
interface RecountedHole {
  /** Time from each of them to the file's last clock reference, ms. */
  fromBeforeEndMs: number;
  toBeforeEndMs: number;
}

export interface Recount {
  /** Sums of all runs. */
  recounted: PacketSums;
  /** In order; split where scrambling began or ended. */
  runs: readonly RecountedRun[];
  /** In order. */
  holes: readonly RecountedHole[];
  /** Losses of picture or sound, as times before the file's end; they may have begun in the counted part. */
  unwatchable: readonly UnwatchableSpan[];
  /** The last program_clock_reference, 27 MHz; null: none. */
  pcr: number | null;
  /** Broadcast time from the last one that was counted to the last one, ms; undefined: unknown. */
  spanMs?: number | undefined;
  /**
   * Holes near the end of the part that was counted. The first one begins with the file, if its beginning was read:
   * what another program cut off is missing there, when packets were appended afterwards.
   */
  earlier?: readonly RecountedHole[];
  /** Broadcast time from the file's first clock reference to the last one, ms; undefined: unknown. */
  wholeMs?: number | undefined;
}

/**
 * @param counted octets that were already counted @param size octets, whole packets
 * @param known PID of the clock references; undefined: read from the file
 * @throws the system's error
 */
export async function recount(
  handle: FileHandle,
  counted: number,
  size: number,
  known: Pid | undefined,
): Promise<Recount> {
  const tail = await lastBytes(handle, size);
  const pid = known ?? clockPid(tail);
  const last = clockReferences(tail, pid).last;
  const aligned = counted - (counted % PACKET_SIZE);
  let at = Math.max(aligned, size - MAX_RECOUNT_BYTES);
  const counter = new PieceCounter(pid, last);
  const before = at < size ? await lastBytes(handle, at) : new Uint8Array(0);
  counter.follow(before);
  const counting = at === aligned ? clockReferences(before, pid).last : undefined;
  const isKnown = counting !== undefined && last !== undefined;
  const spanMs = isKnown ? pcrDifference(last, counting) / PCR_PER_MS : undefined;
  const packets = Math.floor((size - at) / PACKET_SIZE / STEPS);
  const block = new Uint8Array(Math.min(Math.max(packets * PACKET_SIZE, LEAST_STEP_BYTES), TAIL_BYTES));
  while (at < size) {
    const length = await fill(handle, block, at, Math.min(block.length, size - at));
    if (length === 0) break;
    at += length;
    counter.take(block.subarray(0, length));
  }
  const { runs, holes, unwatchable } = counter.end();
  const counts = { recounted: sumOf(runs), runs, holes, unwatchable, pcr: last ?? null, spanMs };
  if (aligned === size) return counts;
  const { first } = clockReferences(await lastBytes(handle, Math.min(size, TAIL_BYTES)), pid);
  const wholeMs =
    first === undefined || last === undefined ? undefined : pcrDifference(last, first) / PCR_PER_MS;
  return { ...counts, earlier: await earlierHoles(handle, Math.min(aligned, size), pid, last), wholeMs };
}

/** @param to octet up to which it was counted @param last the file's last clock reference */
async function earlierHoles(
  handle: FileHandle,
  to: number,
  pid: Pid | undefined,
  last: number | undefined,
): Promise<RecountedHole[]> {
  const counter = new PieceCounter(pid, last);
  let at = Math.max(0, to - EARLIER_BYTES);
  const begin: RecountedHole[] = [];
  const block = new Uint8Array(Math.min(TAIL_BYTES, to - at));
  while (at < to) {
    const length = await fill(handle, block, at, Math.min(block.length, to - at));
    if (length === 0) break;
    const { first } = at === 0 ? clockReferences(block.subarray(0, length), pid) : {};
    if (first !== undefined && last !== undefined) {
      const toBeforeEndMs = pcrDifference(last, first) / PCR_PER_MS;
      begin.push({ fromBeforeEndMs: Number.POSITIVE_INFINITY, toBeforeEndMs });
    }
    counter.take(block.subarray(0, length));
    at += length;
  }
  return [...begin, ...counter.end().holes];
}

/** The last clock reference before an octet, 27 MHz; undefined: none is near. @throws the system's error */
export async function lastClock(
  handle: FileHandle,
  size: number,
  known: Pid | undefined,
): Promise<number | undefined> {
  const tail = await lastBytes(handle, size);
  return clockReferences(tail, known ?? clockPid(tail)).last;
}

/** The first and the last clock reference, 27 MHz. @throws the system's error */
export async function clockEnds(
  handle: FileHandle,
  size: number,
): Promise<{ first: number; last: number } | undefined> {
  const head = await lastBytes(handle, Math.min(size, TAIL_BYTES));
  const pid = clockPid(head);
  const { first } = clockReferences(head, pid);
  const last = await lastClock(handle, size, pid);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** Counts from clock reference to clock reference, across blocks. */
class PieceCounter {
  readonly #runs: RecountedRun[] = [];
  readonly #holes: RecountedHole[] = [];
  #statistics = new StreamStatistics();
  readonly #watch = new ProgrammeWatch();
  #step = emptyStep();
  #lastPcr: number | undefined;
  /** Drops since the last clock reference. */
  #drops = 0;
  /** A clock step for which it is still unknown whether packets are missing. */
  #suspect: { from: number; to: number; isKnown: boolean } | undefined;
  /** The packets being counted were reported before. */
  #isFollowing = false;
  /** Reported drops since the last clock reference: the clock has not shown the hole yet that caused them. */
  #knownDrops = 0;
  /** From the end of the reported packets to the file's end, ms. */
  #reportedBeforeEndMs: number | null = null;

  /** @param last the file's last clock reference */
  constructor(
    readonly pid: Pid | undefined,
    readonly last: number | undefined,
  ) {}

  /** Reads already reported packets, whose holes are known, as the start for the next blocks. */
  follow(bytes: Uint8Array): void {
    this.#isFollowing = true;
    this.take(bytes);
    this.#decide();
    this.#isFollowing = false;
    this.#knownDrops = this.#drops;
    this.#drops = 0;
    this.#runs.length = 0;
    this.#holes.length = 0;
    if (this.#lastPcr !== undefined) this.#reportedBeforeEndMs = this.#beforeEnd(this.#lastPcr);
  }

  /** Counts one block as one step. */
  take(block: Uint8Array): void {
    for (const piece of atClocks(block, this.pid)) {
      const { first } = clockReferences(piece, this.pid);
      if (first !== undefined) this.#reference(first);
      this.#count(piece);
    }
    const { packets } = this.#step;
    if (packets > 0) addStep(this.#runs, this.#step);
    this.#step = emptyStep();
  }

  end(): Pick<Recount, 'runs' | 'holes' | 'unwatchable'> {
    this.#decide();
    this.#watch.end();
    const reportedMs = this.#reportedBeforeEndMs ?? Number.POSITIVE_INFINITY;
    const unwatchable = this.#watch.take().filter(({ toBeforeEndMs }) => toBeforeEndMs < reportedMs);
    return { runs: this.#runs, holes: this.#holes, unwatchable };
  }

  #count(piece: Uint8Array): void {
    const before = sumsOf(this.#statistics);
    this.#statistics.count(piece);
    this.#watch.feed(piece);
    const sums = difference(sumsOf(this.#statistics), before);
    this.#drops += sums.drops;
    this.#step = { ...sumOf([this.#step, sums]), beforeEndMs: this.#step.beforeEndMs };
  }

  #reference(pcr: number): void {
    this.#decide();
    const before = this.#lastPcr;
    this.#lastPcr = pcr;
    this.#step.beforeEndMs ??= this.#beforeEnd(pcr);
    const stepMs = before === undefined ? 0 : pcrDifference(pcr, before) / PCR_PER_MS;
    if (stepMs >= HOLE_MS && stepMs <= MAX_HOLE_MS) this.#watch.pass(stepMs);
    // A reported break may be shorter than HOLE_MS (a restart of the recorder); rare packets show it much later.
    const isKnown = this.#isFollowing || this.#knownDrops > 0;
    // The continuity error may come before or after this clock reference.
    if (before !== undefined && stepMs >= (isKnown ? LATE_PCR_MS : HOLE_MS) && stepMs <= MAX_HOLE_MS) {
      this.#suspect = { from: before, to: pcr, isKnown: isKnown && stepMs < HOLE_MS };
    } else {
      this.#drops = 0;
      this.#knownDrops = 0;
    }
  }

  /** Without continuity errors, the step is a clock change of the broadcaster and not a hole. */
  #decide(): void {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    if (suspect === undefined) return;
    const isBroken = this.#drops > 0;
    if (isBroken || this.#knownDrops > 0) this.#statistics = new StreamStatistics();
    this.#knownDrops = 0;
    if (!isBroken) return;
    if (!suspect.isKnown) this.#pushHole(suspect);
    // Continuity errors caused by the hole are not counted as drops.
    const inStep = Math.min(this.#drops, this.#step.drops);
    this.#step.drops -= inStep;
    const run = this.#runs.at(-1);
    if (run !== undefined) run.drops -= Math.min(this.#drops - inStep, run.drops);
    this.#drops = 0;
  }

  #pushHole(suspect: { from: number; to: number }): void {
    const fromBeforeEndMs = this.#beforeEnd(suspect.from);
    const toBeforeEndMs = this.#beforeEnd(suspect.to);
    if (fromBeforeEndMs === null || toBeforeEndMs === null) return;
    this.#holes.push({ fromBeforeEndMs, toBeforeEndMs });
  }

  #beforeEnd(pcr: number): number | null {
    return this.last === undefined ? null : pcrDifference(this.last, pcr) / PCR_PER_MS;
  }
}

function addStep(runs: RecountedRun[], step: RecountedRun): void {
  const last = runs.at(-1);
  if (last === undefined || isMostlyScrambled(last) !== isMostlyScrambled(step)) {
    runs.push(step);
    return;
  }
  Object.assign(last, sumOf([last, step]), { beforeEndMs: last.beforeEndMs ?? step.beforeEndMs });
}

function emptyStep(): RecountedRun {
  return { packets: 0, drops: 0, errors: 0, scrambled: 0, beforeEndMs: null };
}

function sumsOf({ packets, continuityErrors, transportErrors, scrambled }: StreamStatistics): PacketSums {
  return { packets, drops: continuityErrors, errors: transportErrors, scrambled };
}

function difference(after: PacketSums, before: PacketSums): PacketSums {
  return {
    packets: after.packets - before.packets,
    drops: after.drops - before.drops,
    errors: after.errors - before.errors,
    scrambled: after.scrambled - before.scrambled,
  };
}

function sumOf(all: readonly PacketSums[]): PacketSums {
  const sum = { packets: 0, drops: 0, errors: 0, scrambled: 0 };
  for (const one of all) {
    sum.packets += one.packets;
    sum.drops += one.drops;
    sum.errors += one.errors;
    sum.scrambled += one.scrambled;
  }
  return sum;
}

/** A station's file has clock references on one PID (its PMT's PCR_PID). */
function clockPid(bytes: Uint8Array): Pid | undefined {
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    if (!hasTransportError(bytes, at) && packetPcr(bytes, at) !== undefined) return packetPid(bytes, at);
  }
  return undefined;
}

async function lastBytes(handle: FileHandle, size: number): Promise<Uint8Array> {
  const from = Math.max(0, size - TAIL_BYTES);
  const block = new Uint8Array(size - from);
  return block.subarray(0, await fill(handle, block, from, block.length));
}

/** Reads `wanted` octets, fewer at the file's end. */
async function fill(handle: FileHandle, into: Uint8Array, from: number, wanted: number): Promise<number> {
  let done = 0;
  while (done < wanted) {
    const { bytesRead } = await handle.read(into, done, wanted - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
