/**
 * Measures a station's packets while they are kept: sums of each second, and holes in the broadcast. It counts; what
 * it means is judged elsewhere. All times are those of the clock that is passed in, in ms.
 */
import type { Pid } from '../../arib/ids.ts';
import { PCR_HZ, pcrDifference } from '../../arib/ts/clock.ts';
import { PACKET_SIZE, packetPcr, packetPid } from '../../arib/ts/packet.ts';
import { StreamStatistics } from '../../arib/ts/statistics.ts';

const SECOND_MS = 1000;
/** A clock reference comes every 100 ms (ARIB TR-B14): after a pause of this length it tells what is missing. */
const HOLE_MS = 1000;
/** Of a stretch that is told by itself because it is scrambled, or not any more. */
const SHORTEST_MS = 200;
/** Further apart two clock references are no neighbours. */
const STEADY_PCR = PCR_HZ;
/** Behind a pause so much may come without a clock reference: 300 ms of the fastest station. */
const MAX_UNDECIDED_BYTES = 1024 * 1024;

export interface ReceptionSums {
  packets: number;
  /** Places where packets are missing. */
  drops: number;
  /** Packets with transport_error_indicator. */
  errors: number;
  scrambled: number;
}

/** What came within a second, or in less where something ended it. */
export interface ReceptionSecond extends ReceptionSums {
  /** Of the first and of the last packets. */
  from: number;
  to: number;
  /** The first and the last program_clock_reference, 27 MHz; null: none came. */
  pcr: number | null;
  lastPcr: number | null;
  /** Each clock reference follows the one before it as in a stream without loss and jump. */
  isSteady: boolean;
  /** No clock reference is known that its own could follow: behind a hole, or in a new stream. */
  isApart: boolean;
}

export interface ReceptionHandlers {
  second(second: ReceptionSecond): void;
  /** The broadcast went on while nothing came. */
  hole(hole: { from: number; to: number }): void;
}

export class ReceptionMeter {
  #statistics = new StreamStatistics();
  #second: ReceptionSecond | undefined;
  #lastPcr: number | undefined;
  /** What came after a pause, until a clock reference tells whether something is missing. */
  #undecided: { bytes: Uint8Array; at: number }[] = [];
  #undecidedBytes = 0;

  /** @param pcrPid as the station's PMT says now */
  constructor(
    readonly pcrPid: () => Pid | undefined,
    readonly handlers: ReceptionHandlers,
  ) {}

  /** Takes whole packets that came just now, which do not change any more. */
  take(bytes: Uint8Array, now: number): void {
    const { first } = this.#clocks(bytes);
    const before = this.#second?.to;
    const [waiting] = this.#undecided;
    if (before === undefined || (waiting === undefined && now - before < HOLE_MS)) {
      this.#count(bytes, now);
      return;
    }
    this.#undecided.push({ bytes, at: now });
    this.#undecidedBytes += bytes.length;
    const mayWait =
      this.#lastPcr !== undefined &&
      this.#undecidedBytes < MAX_UNDECIDED_BYTES &&
      now - (waiting?.at ?? now) < HOLE_MS;
    if (first !== undefined || !mayWait) this.#decide(this.#isHole(first));
  }

  /** Counts what waited for a clock reference. */
  #decide(isHole: boolean): void {
    const undecided = this.#undecided;
    const [first] = undecided;
    const before = this.#second?.to;
    this.#undecided = [];
    this.#undecidedBytes = 0;
    if (isHole && first !== undefined && before !== undefined) {
      this.interrupt();
      this.handlers.hole({ from: before, to: first.at });
    }
    for (const each of undecided) this.#count(each.bytes, each.at);
  }

  #count(bytes: Uint8Array, now: number): void {
    const { first, last, isSteady } = this.#clocks(bytes);
    this.tick(now);
    const sums = this.#sumsOf(bytes);
    const running = this.#second;
    // Where scrambling begins and ends is told more finely than in whole seconds.
    if (
      running !== undefined &&
      running.packets > 0 &&
      now - running.from >= SHORTEST_MS &&
      isMostlyScrambled(running) !== isMostlyScrambled(sums)
    ) {
      this.#give(running.to);
    }
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
    this.#lastPcr = last ?? this.#lastPcr;
  }

  #sumsOf(bytes: Uint8Array): ReceptionSums {
    const { packets, continuityErrors, transportErrors, scrambled } = this.#statistics;
    this.#statistics.count(bytes);
    return {
      packets: this.#statistics.packets - packets,
      drops: this.#statistics.continuityErrors - continuityErrors,
      errors: this.#statistics.transportErrors - transportErrors,
      scrambled: this.#statistics.scrambled - scrambled,
    };
  }

  /** Gives the second when it is over. */
  tick(now: number): void {
    if (this.#second !== undefined && now - this.#second.from >= SECOND_MS) this.#give(this.#second.to);
  }

  /** Gives what there is of a second before it is over, if the broadcast's clock dates it. @returns whether it did */
  tell(): boolean {
    const second = this.#second;
    if (second === undefined || second.pcr === null) return false;
    this.#give(second.to);
    return true;
  }

  /** What follows does not continue what was; its counters are not compared. */
  interrupt(): void {
    this.#decide(true);
    if (this.#second !== undefined) this.#give(undefined);
    this.#statistics = new StreamStatistics();
    this.#lastPcr = undefined;
  }

  /** An empty second keeps the time of the last packets, which a pause is measured from. */
  #give(last: number | undefined): void {
    const second = this.#second;
    this.#second = last === undefined ? undefined : emptySecond(last, this.#lastPcr === undefined);
    if (second !== undefined && second.packets > 0) this.handlers.second(second);
  }

  /** Packets that waited somewhere on the way all come, late. */
  #isHole(first: number | undefined): boolean {
    if (first === undefined || this.#lastPcr === undefined) return true;
    return pcrDifference(first, this.#lastPcr) / (PCR_HZ / 1000) >= HOLE_MS;
  }

  #clocks(bytes: Uint8Array): ClockReferences {
    return clockReferences(bytes, this.pcrPid());
  }
}

function isMostlyScrambled({ packets, scrambled }: ReceptionSums): boolean {
  return scrambled * 2 > packets;
}

function emptySecond(at: number, isApart: boolean): ReceptionSecond {
  const clocks = { pcr: null, lastPcr: null, isSteady: true, isApart };
  return { from: at, to: at, ...clocks, packets: 0, drops: 0, errors: 0, scrambled: 0 };
}

function follows(pcr: number, before: number): boolean {
  const step = pcrDifference(pcr, before);
  return step >= 0 && step < STEADY_PCR;
}

interface ClockReferences {
  first: number | undefined;
  last: number | undefined;
  /** Each follows the one before it. */
  isSteady: boolean;
}

/** The first and the last program_clock_reference of a PID in whole packets. */
export function clockReferences(bytes: Uint8Array, pid: Pid | undefined): ClockReferences {
  let first: number | undefined;
  let last: number | undefined;
  let isSteady = true;
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    if (packetPid(bytes, at) !== pid) continue;
    const pcr = packetPcr(bytes, at);
    if (pcr === undefined) continue;
    first ??= pcr;
    if (last !== undefined && !follows(pcr, last)) isSteady = false;
    last = pcr;
  }
  return { first, last, isSteady };
}
