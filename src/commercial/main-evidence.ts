/**
 * Evidence for programme or for commercials at each moment, independent of boundaries: the station's logo, the sound
 * mode, captions. Pure.
 */
import { firstIndex } from './boundary-candidates.ts';
import type { CornerSample, Since, StreamFeatures } from './stream-features.ts';

/** Evidence is stored per half second: about the distance of intra pictures. */
const SLOT_MS = 500;

export interface MainEvidence {
  /** Prefix sums of the weighted evidence per slot: programme is positive, commercials negative. */
  readonly sums: Float64Array;
  /** Prefix sums of the unweighted evidence, about -1 to 1 a slot. */
  readonly plainSums: Float64Array;
  /** There is evidence besides pauses and cuts. */
  readonly isTelling: boolean;
  /** Samples of the logo comparison and their results. */
  readonly logo: Logo | undefined;
}

interface Logo {
  readonly samples: readonly CornerSample[];
  readonly evidence: Float32Array;
}

/** Score of a logo that is certainly visible. */
const CLEARLY = 0.3;
const LIMIT = 1.2;
const SEEN_WEIGHT = 2;
/** Seconds. */
const MOST_AWAY = 40;
const MODE = { special: 0.8, plain: -0.4 } as const;
/** A different sound mode for less than this is a fault or a jingle. */
const LEAST_MODE_SHARE = 0.1;
const CAPTION = { on: 0.5, holdMs: 3_000, off: -0.15, offAfterMs: 14_000 } as const;
/** A recording with fewer captions a minute does not count as captioned. */
const LEAST_CAPTIONS_A_MINUTE = 2;
/** A logo may be hidden for this long next to an edge. */
const HIDDEN_MS = 2_000;
/** Largest distance from a sample at which its result still applies. */
const REACH_MS = 8_000;

export function mainEvidence(
  { modes, captions, durationMs }: Pick<StreamFeatures, 'modes' | 'captions' | 'durationMs'>,
  logo: Logo | undefined,
): MainEvidence {
  const slots = new Float32Array(Math.ceil(durationMs / SLOT_MS) + 1);
  if (logo !== undefined) addLogo(slots, logo);
  const isModeTelling = addModes(slots, modes, durationMs);
  addCaptions(slots, captions, durationMs);
  const plainSums = summed(slots);
  weigh(slots);
  return { sums: summed(slots), plainSums, isTelling: logo !== undefined || isModeTelling, logo };
}

/** Weighted evidence of a stretch, in seconds of full evidence. */
export function evidenceBetween({ sums }: MainEvidence, fromMs: number, toMs: number): number {
  return (between(sums, fromMs, toMs) * SLOT_MS) / 1000;
}

/** Mean unweighted evidence of a stretch, about -1 to 1. */
export function meanEvidence({ plainSums }: MainEvidence, fromMs: number, toMs: number): number {
  return between(plainSums, fromMs, toMs) / Math.max(1, (toMs - fromMs) / SLOT_MS);
}

function between(sums: Float64Array, fromMs: number, toMs: number): number {
  const at = (ms: number): number => {
    const exact = Math.max(0, Math.min(sums.length - 1, ms / SLOT_MS));
    const whole = Math.floor(exact);
    const here = sums[whole] as number;
    return here + (exact - whole) * ((sums[Math.min(sums.length - 1, whole + 1)] as number) - here);
  };
  return at(toMs) - at(fromMs);
}

function summed(slots: Float32Array): Float64Array {
  const sums = new Float64Array(slots.length + 1);
  for (const [slot, value] of slots.entries()) sums[slot + 1] = (sums[slot] as number) + value;
  return sums;
}

/**
 * A visible logo is stronger evidence than an absent one, which may be hidden or faded for a while. Consecutive seconds
 * without it are one observation.
 */
function weigh(slots: Float32Array): void {
  for (let from = 0; from < slots.length; ) {
    const isAway = (slots[from] as number) < 0;
    let to = from;
    let sum = 0;
    for (; to < slots.length && (slots[to] as number) < 0 === isAway; to += 1) {
      const value = Math.max(-LIMIT, Math.min(LIMIT, slots[to] as number));
      slots[to] = isAway ? value : SEEN_WEIGHT * value;
      sum += value;
    }
    const seconds = (-sum * SLOT_MS) / 1000;
    if (isAway && seconds > MOST_AWAY) {
      for (let slot = from; slot < to; slot += 1)
        slots[slot] = ((slots[slot] as number) * MOST_AWAY) / seconds;
    }
    from = to;
  }
}

/** The nearest clear sample in a direction: a bright picture may hide the logo for a moment. */
function clearFrom({ samples, evidence }: Logo, from: number, step: 1 | -1, atMs: number): number {
  for (let index = from; ; index += step) {
    const sample = samples[index];
    const isFar = sample === undefined || Math.abs(sample.timeMs - atMs) > HIDDEN_MS;
    if (isFar && index !== from) return evidence[from] ?? 0;
    const one = evidence[index] ?? 0;
    if (Math.abs(one) > CLEARLY || sample === undefined) return one;
  }
}

/** Result of the logo just before and just after a time, -1 to 1; undefined without a sample nearby. */
export function logoAround(
  { logo }: MainEvidence,
  atMs: number,
): { before: number; behind: number } | undefined {
  if (logo === undefined) return undefined;
  const { samples } = logo;
  const low = firstIndex(samples.length, (index) => (samples[index] as CornerSample).timeMs >= atMs - 1);
  const before = samples[low - 1];
  const behind = samples[low];
  if (before === undefined || behind === undefined) return undefined;
  if (atMs - before.timeMs > REACH_MS || behind.timeMs - atMs > REACH_MS) return undefined;
  return { before: clearFrom(logo, low - 1, -1, atMs), behind: clearFrom(logo, low, 1, atMs) };
}

/** Whether the logo is clearly absent in a whole stretch, apart from pictures that hide it; undefined without samples. */
export function isLogoAway({ logo }: MainEvidence, fromMs: number, toMs: number): boolean | undefined {
  if (logo === undefined) return undefined;
  const inside = logo.evidence.filter((_, index) => {
    const { timeMs } = logo.samples[index] as CornerSample;
    return timeMs >= fromMs && timeMs < toMs;
  });
  if (inside.length === 0) return undefined;
  return inside.some((one) => one < -CLEARLY) && !inside.some((one) => one > CLEARLY);
}

/** Share of samples in a stretch with a clearly visible logo; undefined without samples. */
export function logoSeen({ logo }: MainEvidence, fromMs: number, toMs: number): number | undefined {
  if (logo === undefined) return undefined;
  let all = 0;
  let seen = 0;
  for (const [index, { timeMs }] of logo.samples.entries()) {
    if (timeMs < fromMs || timeMs >= toMs) continue;
    all += 1;
    if ((logo.evidence[index] ?? 0) > CLEARLY) seen += 1;
  }
  return all === 0 ? undefined : seen / all;
}

/** Each slot takes the value of the nearest sample. */
function addLogo(slots: Float32Array, { samples, evidence }: Logo): void {
  let index = 0;
  for (let slot = 0; slot < slots.length; slot += 1) {
    const timeMs = (slot + 0.5) * SLOT_MS;
    const distance = (at: number): number =>
      Math.abs((samples[at]?.timeMs ?? Number.POSITIVE_INFINITY) - timeMs);
    while (distance(index + 1) <= distance(index) && index + 1 < samples.length) index += 1;
    if (distance(index) <= REACH_MS) slots[slot] = (slots[slot] as number) + (evidence[index] ?? 0);
  }
}

/** Commercials are stereo: bilingual or multichannel sound means programme. */
function addModes(slots: Float32Array, modes: readonly Since<number>[], durationMs: number): boolean {
  const lengths = new Map<boolean, number>();
  const spans = modes.map(({ atMs, value }, index) => {
    const toMs = modes[index + 1]?.atMs ?? durationMs;
    const isSpecial = value === 0 || value > 2;
    lengths.set(isSpecial, (lengths.get(isSpecial) ?? 0) + toMs - atMs);
    return { atMs, toMs, isSpecial };
  });
  const special = lengths.get(true) ?? 0;
  const plain = lengths.get(false) ?? 0;
  if (special < LEAST_MODE_SHARE * durationMs || plain === 0) return false;
  for (const { atMs, toMs, isSpecial } of spans) {
    fill(slots, atMs, toMs, isSpecial ? MODE.special : MODE.plain);
  }
  return true;
}

function addCaptions(slots: Float32Array, captions: readonly number[], durationMs: number): void {
  if (captions.length < (LEAST_CAPTIONS_A_MINUTE * durationMs) / 60_000) return;
  let last = 0;
  for (const timeMs of [...captions, durationMs]) {
    if (timeMs - last > CAPTION.offAfterMs) fill(slots, last + CAPTION.holdMs, timeMs, CAPTION.off);
    if (timeMs < durationMs)
      fill(slots, Math.max(timeMs, last + CAPTION.holdMs), timeMs + CAPTION.holdMs, CAPTION.on);
    last = timeMs;
  }
}

function fill(slots: Float32Array, fromMs: number, toMs: number, by: number): void {
  const end = Math.min(slots.length, Math.ceil(toMs / SLOT_MS));
  for (let slot = Math.max(0, Math.ceil(fromMs / SLOT_MS)); slot < end; slot += 1) {
    slots[slot] = (slots[slot] as number) + by;
  }
}
