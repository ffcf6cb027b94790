/**
 * Measures a station's packets while they are recorded: sums of each second, gaps in the broadcast, and losses of
 * picture or sound. It makes no verdicts.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { SECOND_MS } from '../../lib/arib/time.ts';
import { PCR_HZ, PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import { hasTransportError, PACKET_SIZE, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { StreamStatistics } from '../../lib/arib/ts/statistics.ts';
import { type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';
import type { PacketSums } from '../model/verdict.ts';
import { ProgrammeWatch, type UnwatchableSpan } from './programme-watch.ts';

/** Clock references come every 100 ms (ARIB TR-B14), so after a pause of this length they show what is missing. */
export const HOLE_MS = 500;
/** Late packets arrive in a burst, in which their clock advances faster than real time, by at least this difference. */
const LATE_MS = 250;
/** Shortest period reported separately when scrambling begins or ends. */
const SHORTEST_MS = 200;
/** Clock references to wait for a continuity error after a clock step: one counter in 16 matches by chance. */
const STEP_REFERENCES = 6;
/** Largest distance of clock references that counts as consecutive. */
const STEADY_PCR = PCR_HZ;
/** Limit of data without a clock reference after a pause: 300 ms of the fastest station. */
const MAX_UNDECIDED_BYTES = 1024 * 1024;

/** Sums of a second, or of less if it was ended early. */
export interface ReceptionSecond extends PacketSums {
  /** Arrival times of the first and the last packets. */
  from: MonotonicMs;
  to: MonotonicMs;
  /** The first and the last program_clock_reference, 27 MHz; null: none was received. */
  pcr: number | null;
  lastPcr: number | null;
  /** All clock references are consecutive, without loss or jump. */
  isSteady: boolean;
  /** There is no previous clock reference: after a gap, or in a new stream. */
  isApart: boolean;
  /** Losses of picture or sound that were noticed in it; they may have begun earlier. */
  unwatchable: UnwatchableSpan[];
}

export interface ReceptionHandlers {
  second(second: ReceptionSecond): void;
  /** The broadcast continued while nothing was received. */
  hole(hole: { from: MonotonicMs; to: MonotonicMs }): void;
}

/** Received data that is not counted yet because it is unknown whether packets are missing before it. */
interface Undecided {
  /** After a pause, or after a clock step in a burst of packets. */
  readonly why: 'pause' | 'step';
  /** `counted`: only after a step, which is decided by the continuity counters. */
  readonly pieces: { bytes: Uint8Array; at: MonotonicMs; counted: PacketSums | undefined }[];
  /** Continuity errors before the first piece. */
  readonly dropsBefore: number;
  /** Number of clock references since a step. */
  references: number;
}

export class ReceptionMeter {
  #statistics = new StreamStatistics();
  readonly #watch = new ProgrammeWatch();
  #second: ReceptionSecond | undefined;
  #lastPcr: number | undefined;
  /** Arrival of the last clock reference, and the drops counted before it. */
  #lastPcrAt = monotonicMs(0);
  #dropsAtPcr = 0;
  #undecided: Undecided | undefined;
  #undecidedBytes = 0;

  /** @param pcrPid PID from the station's current PMT */
  constructor(
    readonly pcrPid: () => Pid | undefined,
    readonly handlers: ReceptionHandlers,
  ) {}

  /** Takes whole packets that have just arrived; the caller must not change them. */
  take(bytes: Uint8Array, now: MonotonicMs): void {
    const pid = this.pcrPid();
    for (const piece of this.#hasStep(bytes, now) ? atClocks(bytes, pid) : [bytes]) this.#take(piece, now);
  }

  #take(bytes: Uint8Array, now: MonotonicMs): void {
    const { first } = this.#clocks(bytes);
    if (this.#undecided?.why === 'step') {
      if (first !== undefined) this.#undecided.references += 1;
      if (this.#isStepDecided(first) || this.#isWaitOver(now)) this.#decideStep(first);
    }
    const before = this.#second?.to;
    const undecided = this.#undecided;
    const isPause =
      before !== undefined && now - before >= (this.#lastPcr === undefined ? SECOND_MS : HOLE_MS);
    const isStep = before !== undefined && !isPause && first !== undefined && this.#isStep(first, now);
    if (undecided === undefined && !isPause && !isStep) {
      this.#count(bytes, now);
      return;
    }
    this.#undecided ??= {
      ...{ why: isPause ? 'pause' : 'step', pieces: [], references: 0 },
      dropsBefore: this.#statistics.continuityErrors,
    };
    const mayWait = this.#lastPcr !== undefined && !this.#isWaitOver(now);
    const counted = this.#undecided.why === 'step' ? this.#sumsOf(bytes) : undefined;
    this.#undecided.pieces.push({ bytes, at: now, counted });
    this.#undecidedBytes += bytes.length;
    if (this.#undecided.why === 'pause' && (first !== undefined || !mayWait)) {
      this.#decide(this.#isHole(first));
    }
  }

  #isWaitOver(now: MonotonicMs): boolean {
    const waiting = this.#undecided?.pieces[0]?.at ?? now;
    return this.#undecidedBytes >= MAX_UNDECIDED_BYTES || now - waiting >= HOLE_MS;
  }

  /** Whether the clock advances more than the time since the last clock reference. */
  #isStep(pcr: number, now: MonotonicMs): boolean {
    if (this.#lastPcr === undefined) return false;
    const stepMs = pcrDifference(pcr, this.#lastPcr) / PCR_PER_MS;
    return stepMs >= HOLE_MS && stepMs - (now - this.#lastPcrAt) >= LATE_MS;
  }

  #hasStep(bytes: Uint8Array, now: MonotonicMs): boolean {
    const { first, isEven } = this.#clocks(bytes);
    return !isEven || (first !== undefined && this.#isStep(first, now));
  }

  /** @param next the clock reference in the current packets, if any */
  #isStepDecided(next: number | undefined): boolean {
    if (next === undefined || this.#undecided === undefined) return false;
    const { references } = this.#undecided;
    if (references === 1 && !this.#isStepFollowed(next)) return true;
    return this.#hasBroken || references >= STEP_REFERENCES;
  }

  /** Whether there is a continuity error since the last clock reference before the step. */
  get #hasBroken(): boolean {
    return this.#statistics.continuityErrors > this.#dropsAtPcr;
  }

  #isStepFollowed(next: number): boolean {
    const [piece] = this.#undecided?.pieces ?? [];
    const stepped = piece === undefined ? undefined : this.#clocks(piece.bytes).last;
    return stepped !== undefined && follows(next, stepped);
  }

  /**
   * The packets around a clock step arrived in one burst. With continuity errors, packets are missing in between;
   * otherwise the broadcaster set its clock.
   * @param next the clock reference after the step: it is consecutive unless one reference was damaged
   */
  #decideStep(next: number | undefined): void {
    const isFirst = (this.#undecided?.references ?? 0) <= 1;
    const isReal = next === undefined || !isFirst || this.#isStepFollowed(next);
    const isHole = isReal && this.#hasBroken;
    const { dropsBefore = 0, pieces = [] } = this.#undecided ?? {};
    if (isHole) {
      // Continuity errors caused by the hole are not counted as drops.
      const broken = dropsBefore - this.#dropsAtPcr;
      if (this.#second !== undefined) this.#second.drops -= Math.min(this.#second.drops, broken);
      for (const piece of pieces) piece.counted = undefined;
    }
    this.#decide(isHole);
  }

  /** Counts the data that waited for a decision. */
  #decide(isHole: boolean): void {
    const undecided = this.#undecided?.pieces ?? [];
    const [first] = undecided;
    const before = this.#second?.to;
    this.#undecided = undefined;
    this.#undecidedBytes = 0;
    if (isHole && first !== undefined && before !== undefined) {
      this.interrupt();
      this.handlers.hole({ from: before, to: first.at });
    }
    for (const { bytes, at, counted } of undecided) this.#count(bytes, at, counted);
  }

  #count(bytes: Uint8Array, now: MonotonicMs, sums = this.#sumsOf(bytes)): void {
    const { first, last, isSteady } = this.#clocks(bytes);
    this.tick(now);
    const running = this.#second;
    // Start and end of scrambling are reported with a finer resolution than seconds.
    if (
      running !== undefined &&
      running.packets > 0 &&
      Math.max(now - running.from, lengthOf(running)) >= SHORTEST_MS &&
      isMostlyScrambled(running) !== isMostlyScrambled(sums)
    ) {
      this.#emit(running.to);
    }
    this.#watch.feed(bytes);
    this.#second ??= emptySecond(now, this.#lastPcr === undefined);
    const second = this.#second;
    const before = this.#lastPcr;
    if (!isSteady || (first !== undefined && before !== undefined && !follows(first, before))) {
      second.isSteady = false;
    }
    second.to = now;
    second.pcr ??= first ?? null;
    second.lastPcr = last ?? second.lastPcr;
    second.packets += sums.packets;
    second.drops += sums.drops;
    second.errors += sums.errors;
    second.scrambled += sums.scrambled;
    if (last === undefined) return;
    this.#lastPcr = last;
    this.#lastPcrAt = now;
    this.#dropsAtPcr = this.#statistics.continuityErrors;
  }

  #sumsOf(bytes: Uint8Array): PacketSums {
    const { packets, continuityErrors, transportErrors, scrambled } = this.#statistics;
    this.#statistics.count(bytes);
    return {
      packets: this.#statistics.packets - packets,
      drops: this.#statistics.continuityErrors - continuityErrors,
      errors: this.#statistics.transportErrors - transportErrors,
      scrambled: this.#statistics.scrambled - scrambled,
    };
  }

  /** Ends the second by the local clock, or by the broadcast's clock, because late packets arrive in a burst. */
  tick(now: MonotonicMs): void {
    if (this.#undecided?.why === 'step') {
      if (this.#isWaitOver(now)) this.#decideStep(undefined);
      return;
    }
    const second = this.#second;
    if (second === undefined) return;
    if (now - second.from >= SECOND_MS || lengthOf(second) >= SECOND_MS) this.#emit(second.to);
  }

  /** Ends the second early if it has a clock reference. @returns whether it was ended */
  tell(): boolean {
    const second = this.#second;
    if (second === undefined || second.pcr === null || this.#undecided !== undefined) return false;
    this.#emit(second.to);
    return true;
  }

  /** The next packets do not continue the previous ones; their counters are not compared. */
  interrupt(): void {
    if (this.#undecided?.why === 'step') this.#decideStep(undefined);
    else this.#decide(true);
    this.#watch.end();
    if (this.#second !== undefined) this.#emit(undefined);
    this.#watch.interrupt();
    this.#statistics = new StreamStatistics();
    this.#lastPcr = undefined;
    this.#dropsAtPcr = 0;
  }

  /** An empty second keeps the arrival of the last packets, from which a pause is measured. */
  #emit(last: MonotonicMs | undefined): void {
    const second = this.#second;
    this.#second = last === undefined ? undefined : emptySecond(last, this.#lastPcr === undefined);
    if (second === undefined || second.packets === 0) return;
    second.unwatchable = this.#watch.take();
    this.handlers.second(second);
  }

  /** Whether the clock shows missing packets; delayed packets are complete and only late. */
  #isHole(first: number | undefined): boolean {
    if (first === undefined || this.#lastPcr === undefined) return true;
    return pcrDifference(first, this.#lastPcr) / PCR_PER_MS >= HOLE_MS;
  }

  #clocks(bytes: Uint8Array): ClockReferences {
    return clockReferences(bytes, this.pcrPid());
  }
}

export function isMostlyScrambled({ packets, scrambled }: PacketSums): boolean {
  return scrambled * 2 > packets;
}

function emptySecond(at: MonotonicMs, isApart: boolean): ReceptionSecond {
  const clocks = { pcr: null, lastPcr: null, isSteady: true, isApart };
  return { from: at, to: at, ...clocks, packets: 0, drops: 0, errors: 0, scrambled: 0, unwatchable: [] };
}

function follows(pcr: number, before: number): boolean {
  const step = pcrDifference(pcr, before);
  return step >= 0 && step < STEADY_PCR;
}

/** Length of the received part of a second by the broadcast's clock, ms. */
function lengthOf({ pcr, lastPcr }: ReceptionSecond): number {
  return pcr === null || lastPcr === null ? 0 : pcrDifference(lastPcr, pcr) / PCR_PER_MS;
}

/** Splits whole packets into pieces; all but the first begin with a clock reference. */
export function* atClocks(bytes: Uint8Array, pid: Pid | undefined): Generator<Uint8Array> {
  let from = 0;
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    if (at === from || packetPid(bytes, at) !== pid || packetPcr(bytes, at) === undefined) continue;
    yield bytes.subarray(from, at);
    from = at;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

interface ClockReferences {
  first: number | undefined;
  last: number | undefined;
  /** All clock references are consecutive. */
  isSteady: boolean;
  /** No distance between two clock references is so large that packets may be missing. */
  isEven: boolean;
}

/** The first and the last program_clock_reference of a PID in whole packets. */
export function clockReferences(bytes: Uint8Array, pid: Pid | undefined): ClockReferences {
  let first: number | undefined;
  let last: number | undefined;
  let isSteady = true;
  let isEven = true;
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    if (packetPid(bytes, at) !== pid || hasTransportError(bytes, at)) continue;
    const pcr = packetPcr(bytes, at);
    if (pcr === undefined) continue;
    first ??= pcr;
    if (last !== undefined && !follows(pcr, last)) isSteady = false;
    if (last !== undefined && pcrDifference(pcr, last) >= HOLE_MS * PCR_PER_MS) isEven = false;
    last = pcr;
  }
  return { first, last, isSteady, isEven };
}
