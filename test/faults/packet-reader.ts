/**
 * Reads a recorded stream by ISO/IEC 13818-1 alone, to find its actual content. It shares no code with the
 * recorder or `lib/arib/`, so that both cannot have the same bug; of the synthetic broadcaster it only knows the
 * clock.
 */
import { STC_ZERO } from '../../synth/clock.ts';
import { MediaReader } from './media-reader.ts';
import type { TimeSpan } from './time-span.ts';

const PACKET = 188;
const SYNC = 0x47;
const NULL_PID = 0x1fff;
/** program_clock_reference_base has 33 bits, 90 kHz. */
const MODULUS = 2 ** 33;
/**
 * Longer than two intervals between clock references (up to 86 ms in this broadcast; one reference may be
 * damaged), shorter than any loss that counts.
 */
const HOLE_MS = 190;
const SHORT_HOLE_MS = 1_000;
/** Scrambled spans this close to each other are merged. */
const APART_MS = 300;

interface StreamFacts {
  packets: number;
  /** Packets without a sync byte. */
  unsynced: number;
  /** Continuity counter errors outside of gaps. */
  breaks: number;
  /** Those of `breaks` that may be duplicate packets, which ISO/IEC 13818-1 2.4.3.3 allows. */
  repeats: number;
  /**
   * Further errors that a recorder may count as well: all in holes of less than a second. A longer hole
   * breaks each PID once; loss right next to it cannot always be distinguished from that, so further errors
   * there are counted here too.
   */
  breaksAtHoles: number;
  /** Packets with transport_error_indicator. */
  errors: number;
  /** From the first to the last clock reference. */
  span: TimeSpan;
  /** Times without clock references. */
  holes: TimeSpan[];
  /** Clock jumps across which every continuity counter continues: nothing is missing there. */
  jumps: number;
  /** Times in which most packets are scrambled. */
  scrambled: TimeSpan[];
  /** Times without pictures or without sound, apart from `holes` and `scrambled`. */
  unwatchable: TimeSpan[];
}

/** A step of the clock; the following packets decide whether something is missing. */
interface Step extends TimeSpan {
  /** Errors up to the clock reference before it. */
  breaks: number;
}

/**
 * @param near epoch ms: selects the cycle of the clock, which wraps after 26.5 hours @param mayJump the
 * broadcaster may set its clock; otherwise every step of it is a hole, even if by chance every continuity
 * counter continues
 */
export function readStream(bytes: Uint8Array, near: number, mayJump = true): StreamFacts {
  const reader = new StreamReader(near, mayJump);
  for (let offset = 0; offset + PACKET <= bytes.length; offset += PACKET) reader.packet(bytes, offset);
  return reader.end();
}

class StreamReader {
  readonly #facts: StreamFacts = {
    ...{ packets: 0, unsynced: 0, breaks: 0, errors: 0, jumps: 0, breaksAtHoles: 0, repeats: 0 },
    ...{ span: { from: Number.NaN, to: Number.NaN }, holes: [], scrambled: [], unwatchable: [] },
  };
  readonly #media = new MediaReader();
  readonly #counters = new Map<number, number>();
  /** Counters of PIDs without a packet since a hole of less than a second. */
  readonly #overHole = new Map<number, number>();
  /** The last clock reference, corrected by the jumps before it. */
  #at = Number.NaN;
  /** Sum of the clock jumps so far. */
  #jumpedMs = 0;
  #breaksAtClock = 0;
  #step: Step | undefined;
  /** PIDs with counter errors since the last clock reference, or since the one before the step. */
  readonly #broken = new Set<number>();
  /** PIDs with packets since the step. */
  readonly #since = new Set<number>();
  /** Since the last clock reference. */
  #interval = { packets: 0, scrambled: 0 };

  constructor(
    readonly near: number,
    readonly mayJump: boolean,
  ) {}

  packet(bytes: Uint8Array, offset: number): void {
    const facts = this.#facts;
    const [sync = 0, high = 0, low = 0, flags = 0] = bytes.subarray(offset, offset + 4);
    facts.packets += 1;
    if (sync !== SYNC) {
      facts.unsynced += 1;
      return;
    }
    const isError = (high & 0x80) !== 0;
    if (isError) facts.errors += 1;
    const pid = ((high & 0x1f) << 8) | low;
    if (pid === NULL_PID || isError) return;
    const clock = (flags & 0x20) === 0 ? undefined : clockOf(bytes, offset, this.near);
    if (clock !== undefined) this.#clock(clock);
    if ((flags & 0x10) !== 0) {
      const before = this.#counters.get(pid);
      const counter = flags & 0x0f;
      const overHole = this.#overHole.get(pid);
      if (overHole !== undefined) {
        if (counter !== ((overHole + 1) & 0x0f)) facts.breaksAtHoles += 1;
        this.#overHole.delete(pid);
      }
      if (before !== undefined && counter !== ((before + 1) & 0x0f)) {
        facts.breaks += 1;
        this.#broken.add(pid);
        if (counter === before) facts.repeats += 1;
      }
      this.#counters.set(pid, counter);
      if (this.#step !== undefined) this.#since.add(pid);
    }
    this.#media.packet(bytes, offset, pid, this.#at);
    this.#interval.packets += 1;
    if ((flags & 0xc0) !== 0) this.#interval.scrambled += 1;
  }

  end(): StreamFacts {
    this.#decide(true);
    const { holes, scrambled, span } = this.#facts;
    this.#facts.unwatchable.push(...this.#media.missing(span.to, [...holes, ...scrambled]));
    return this.#facts;
  }

  #clock(raw: number): void {
    const { span } = this.#facts;
    this.#decide(false);
    const clock = raw - this.#jumpedMs;
    const before = this.#at;
    if (Number.isNaN(before)) span.from = clock;
    else if (clock - before > HOLE_MS || clock < before) {
      this.#step = { from: before, to: clock, breaks: this.#breaksAtClock };
      this.#since.clear();
    } else this.#addScrambled({ from: before, to: clock });
    this.#breaksAtClock = this.#facts.breaks;
    if (this.#step === undefined) this.#broken.clear();
    this.#interval = { packets: 0, scrambled: 0 };
    span.to = this.#at = clock;
  }

  /**
   * Decides whether a step of the clock was a jump or a gap, by the packets up to the next clock reference.
   */
  #decide(isEnd: boolean): void {
    const step = this.#step;
    const facts = this.#facts;
    if (step === undefined) return;
    this.#step = undefined;
    if (facts.breaks !== step.breaks || isEnd || !this.mayJump) {
      // Counter errors caused by the gap are no additional loss.
      const isShort = step.to - step.from < SHORT_HOLE_MS;
      const atHole = facts.breaks - step.breaks;
      facts.breaksAtHoles += isShort ? atHole : Math.max(atHole - this.#broken.size, Math.min(1, atHole));
      if (!isShort) this.#overHole.clear();
      facts.breaks = step.breaks;
      this.#breaksAtClock = step.breaks;
      for (const [pid, counter] of this.#counters) {
        if (this.#since.has(pid)) continue;
        this.#counters.delete(pid);
        // The next packet of the PID may come seconds later.
        if (isShort) this.#overHole.set(pid, counter);
      }
      if (step.to > step.from) facts.holes.push({ from: step.from, to: step.to });
      return;
    }
    facts.jumps += 1;
    this.#jumpedMs += step.to - step.from;
    this.#at = step.from;
  }

  #addScrambled({ from, to }: TimeSpan): void {
    const { packets, scrambled } = this.#interval;
    if (scrambled * 2 <= packets) return;
    const last = this.#facts.scrambled.at(-1);
    if (last !== undefined && from - last.to <= APART_MS) last.to = to;
    else this.#facts.scrambled.push({ from, to });
  }
}

/** Epoch ms of the broadcast; undefined if the adaptation field has no clock reference. */
function clockOf(bytes: Uint8Array, offset: number, near: number): number | undefined {
  const [length = 0, flags = 0, a = 0, b = 0, c = 0, d = 0, e = 0] = bytes.subarray(offset + 4, offset + 11);
  if (length < 7 || (flags & 0x10) === 0) return undefined;
  const base = (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) * 2 + (e >> 7);
  const expected = (near - STC_ZERO) * 90;
  const rounds = Math.round((expected - base) / MODULUS);
  return STC_ZERO + (base + rounds * MODULUS) / 90;
}

/**
 * Reads chunks that may begin inside a packet. @param near epoch ms @returns epoch ms of the last clock
 * reference
 */
export function lastClock(bytes: Uint8Array, near: number): number | undefined {
  let at = bytes.indexOf(SYNC);
  while (at >= 0 && at + PACKET < bytes.length && bytes[at + PACKET] !== SYNC)
    at = bytes.indexOf(SYNC, at + 1);
  let last: number | undefined;
  for (; at >= 0 && at + PACKET <= bytes.length; at += PACKET) {
    const hasField = ((bytes[at + 3] ?? 0) & 0x20) !== 0;
    if (bytes[at] === SYNC && hasField) last = clockOf(bytes, at, near) ?? last;
  }
  return last;
}

/** The unwatchable parts of a span, in order: not covered by the stream, scrambled, without pictures or sound. */
export function missingOf(
  { span, holes, scrambled, unwatchable }: Pick<StreamFacts, 'span' | 'holes' | 'scrambled' | 'unwatchable'>,
  within: TimeSpan,
): TimeSpan[] {
  const all = Number.isNaN(span.from)
    ? [within]
    : [
        { from: Number.NEGATIVE_INFINITY, to: span.from },
        ...holes,
        ...scrambled,
        ...unwatchable,
        { from: span.to, to: Number.POSITIVE_INFINITY },
      ];
  return all
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
}
