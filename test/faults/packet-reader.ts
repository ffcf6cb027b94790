/**
 * Reads a recorded stream by ISO/IEC 13818-1 alone, to say what is really in it. It shares no code with the recorder or
 * `arib/`, so that both cannot make the same mistake; of the synthetic broadcaster it knows the clock.
 */
import { STC_ZERO } from '../../synth/clock.ts';

const PACKET = 188;
const SYNC = 0x47;
const NULL_PID = 0x1fff;
/** Of the 33 bits of program_clock_reference_base, 90 kHz. */
const MODULUS = 2 ** 33;
/** Longer than between two clock references (100 ms by ARIB TR-B14), shorter than any loss that counts. */
const HOLE_MS = 250;

/** Epoch ms of the broadcast. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface StreamFacts {
  packets: number;
  /** Packets that are no packets. */
  unsynced: number;
  /** Places where a continuity counter does not follow, outside of holes. */
  breaks: number;
  /** Packets with transport_error_indicator. */
  errors: number;
  /** From the first clock reference to the last. */
  span: TimeSpan;
  /** Times without clock references. */
  holes: TimeSpan[];
  /** Seconds of which most packets are scrambled. */
  scrambled: TimeSpan[];
}

/** @param near epoch ms: which of the clock's rounds of 26.5 hours is meant */
export function readStream(bytes: Uint8Array, near: number): StreamFacts {
  const facts: StreamFacts = {
    ...{ packets: 0, unsynced: 0, breaks: 0, errors: 0 },
    ...{ span: { from: Number.NaN, to: Number.NaN }, holes: [], scrambled: [] },
  };
  const counters = new Map<number, number>();
  const seconds = new Map<number, { packets: number; scrambled: number }>();
  let at = Number.NaN;
  let breaksBefore = 0;
  for (let offset = 0; offset + PACKET <= bytes.length; offset += PACKET) {
    const [sync = 0, high = 0, low = 0, flags = 0] = bytes.subarray(offset, offset + 4);
    facts.packets += 1;
    if (sync !== SYNC) {
      facts.unsynced += 1;
      continue;
    }
    const isError = (high & 0x80) !== 0;
    if (isError) facts.errors += 1;
    const pid = ((high & 0x1f) << 8) | low;
    if (pid === NULL_PID || isError) continue;
    const clock = (flags & 0x20) === 0 ? undefined : clockOf(bytes, offset, near);
    if (clock !== undefined) {
      if (clock - at > HOLE_MS) {
        facts.holes.push({ from: at, to: clock });
        // What the hole broke is no loss of its own.
        counters.clear();
        facts.breaks = breaksBefore;
      }
      breaksBefore = facts.breaks;
      if (Number.isNaN(at)) facts.span.from = clock;
      facts.span.to = at = clock;
    }
    if ((flags & 0x10) !== 0) {
      const before = counters.get(pid);
      const counter = flags & 0x0f;
      if (before !== undefined && counter !== ((before + 1) & 0x0f)) facts.breaks += 1;
      counters.set(pid, counter);
    }
    if (!Number.isNaN(at)) count(seconds, Math.floor(at / 1000), (flags & 0xc0) !== 0);
  }
  for (const [second, { packets, scrambled }] of [...seconds].sort(([a], [b]) => a - b)) {
    if (scrambled * 2 <= packets) continue;
    const last = facts.scrambled.at(-1);
    if (last?.to === second * 1000) last.to += 1000;
    else facts.scrambled.push({ from: second * 1000, to: second * 1000 + 1000 });
  }
  return facts;
}

function count(
  seconds: Map<number, { packets: number; scrambled: number }>,
  second: number,
  isScrambled: boolean,
): void {
  const counted = seconds.get(second) ?? { packets: 0, scrambled: 0 };
  counted.packets += 1;
  if (isScrambled) counted.scrambled += 1;
  seconds.set(second, counted);
}

/** Epoch ms of the broadcast; undefined: the adaptation field has no clock reference. */
function clockOf(bytes: Uint8Array, offset: number, near: number): number | undefined {
  const [length = 0, flags = 0, a = 0, b = 0, c = 0, d = 0, e = 0] = bytes.subarray(offset + 4, offset + 11);
  if (length < 7 || (flags & 0x10) === 0) return undefined;
  const base = (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) * 2 + (e >> 7);
  const expected = (near - STC_ZERO) * 90;
  const rounds = Math.round((expected - base) / MODULUS);
  return STC_ZERO + (base + rounds * MODULUS) / 90;
}

/** What of a span no stretch of the stream covers, without what is shorter than `tolerance` ms. */
export function missingOf({ span, holes }: StreamFacts, within: TimeSpan, toleranceMs: number): TimeSpan[] {
  const all = [
    { from: Number.NEGATIVE_INFINITY, to: span.from },
    ...holes,
    { from: span.to, to: Number.POSITIVE_INFINITY },
  ];
  return all
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => to - from > toleranceMs);
}
