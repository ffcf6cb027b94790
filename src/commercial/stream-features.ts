/**
 * Features of a stream that are kept during analysis: per picture its difference from the previous one, per 10 ms the
 * loudness of the sound, and the corners of some pictures. Pure; times are ms of the original stream's media time.
 */
import { SOUND_RATE, STRIP, TINY } from './analysis-command.ts';

const LUMA_SIZE = TINY.width * TINY.height;
const CHROMA_SIZE = LUMA_SIZE / 4;

/** Hundredths of a second. */
export const LOUDNESS_STEP_MS = 10;
const SAMPLES_A_STEP = (SOUND_RATE * LOUDNESS_STEP_MS) / 1000;
/** A day. */
const MAX_STEPS = 8_640_000;
/** No sound was received: this is not silence. */
export const NO_SOUND = -1;
/** Widths of the left and right corner that are kept. */
export const CORNER = 160;
/** Pixels per row of the stored corners: the left one, then the right one. */
export const CORNERS_WIDTH = 2 * CORNER;
/** 2,400 strips of 22 KB. */
const MAX_STRIPS = 2_400;

export interface PictureFeatures {
  /** In order. */
  readonly times: Float64Array;
  /** Mean absolute difference from the previous picture, 0 to 255. */
  readonly changes: Float64Array;
  /** Difference of the brightness histograms of this picture and the previous one: 0 to 2. */
  readonly shifts: Float64Array;
  /** Difference of the colour histograms, likewise. */
  readonly tints: Float64Array;
  /** Mean luma, 0 to 255. */
  readonly lumas: Float64Array;
  /** Mean absolute deviation from the mean luma. */
  readonly spreads: Float64Array;
}

export interface CornerSample {
  readonly timeMs: number;
  /** `CORNERS_WIDTH` times the height of a strip. */
  readonly pixels: Uint8Array;
}

/** A value that applies from a time on. */
export interface Since<T> {
  readonly atMs: number;
  readonly value: T;
}

export interface StreamFeatures {
  readonly pictures: PictureFeatures;
  /** Peak sample of each 10 ms, 0 to 32768, or `NO_SOUND`. */
  readonly peaks: Int16Array;
  readonly corners: readonly CornerSample[];
  /** Channels of the sound by its headers; 0: dual mono (two languages). */
  readonly modes: readonly Since<number>[];
  /** Times of captions, ms. */
  readonly captions: readonly number[];
  readonly durationMs: number;
}

/** Histogram bins of brightness and of each colour difference: 16 and 32. */
const BRIGHTNESS_SHIFT = 4;
const COLOUR_SHIFT = 3;

/** Histogram: number of bytes in each bin. */
function histogramOf(octets: Uint8Array, shift: number): Uint16Array {
  const histogram = new Uint16Array(256 >> shift);
  for (let at = 0; at < octets.length; at += 1) {
    const bin = (octets[at] as number) >> shift;
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  return histogram;
}

function distance(a: Uint16Array, b: Uint16Array): number {
  let sum = 0;
  for (let bin = 0; bin < a.length; bin += 1) sum += Math.abs((a[bin] as number) - (b[bin] as number));
  return sum;
}

interface TinyPicture {
  readonly luma: Uint8Array;
  readonly brightness: Uint16Array;
  /** Histograms of each colour difference. */
  readonly colours: readonly [Uint16Array, Uint16Array];
}

function tinyPicture(pixels: Uint8Array): TinyPicture {
  const luma = pixels.slice(0, LUMA_SIZE);
  const colour = (index: 0 | 1): Uint16Array => {
    const from = LUMA_SIZE + index * CHROMA_SIZE;
    return histogramOf(pixels.subarray(from, from + CHROMA_SIZE), COLOUR_SHIFT);
  };
  return { luma, brightness: histogramOf(luma, BRIGHTNESS_SHIFT), colours: [colour(0), colour(1)] };
}

/** Bound on stored changes of the sound mode; a stream with more of them gives no evidence. */
const MAX_MODES = 2_000;
const MAX_CAPTIONS = 100_000;

export class FeatureCollector {
  readonly #times = new GrowingNumbers();
  readonly #changes = new GrowingNumbers();
  readonly #shifts = new GrowingNumbers();
  readonly #tints = new GrowingNumbers();
  readonly #lumas = new GrowingNumbers();
  readonly #spreads = new GrowingNumbers();
  #peaks = new Int16Array(60_000).fill(NO_SOUND);
  #steps = 0;
  /** Position of the sound in samples at which the next block is expected. */
  #sampleAt: number | undefined;
  readonly #corners: CornerSample[] = [];
  readonly #modes: Since<number>[] = [];
  readonly #captions: number[] = [];
  #previous: TinyPicture | undefined;

  /** @param pixels 4:2:0, plane by plane */
  tiny(timeMs: number, pixels: Uint8Array): void {
    if (pixels.length < LUMA_SIZE + 2 * CHROMA_SIZE || timeMs < 0) return;
    const one = tinyPicture(pixels);
    const previous = this.#previous ?? one;
    let sum = 0;
    let difference = 0;
    for (let at = 0; at < LUMA_SIZE; at += 1) {
      const value = one.luma[at] as number;
      sum += value;
      difference += Math.abs(value - (previous.luma[at] as number));
    }
    const mean = sum / LUMA_SIZE;
    let spread = 0;
    for (let at = 0; at < LUMA_SIZE; at += 1) spread += Math.abs((one.luma[at] as number) - mean);
    const [blue, red] = one.colours;
    const colours = distance(blue, previous.colours[0]) + distance(red, previous.colours[1]);
    this.#times.push(timeMs);
    this.#changes.push(difference / LUMA_SIZE);
    this.#shifts.push(distance(one.brightness, previous.brightness) / LUMA_SIZE);
    this.#tints.push(colours / (2 * CHROMA_SIZE));
    this.#lumas.push(mean);
    this.#spreads.push(spread / LUMA_SIZE);
    this.#previous = one;
  }

  strip(timeMs: number, pixels: Uint8Array): void {
    const { width, height } = STRIP;
    if (pixels.length < width * height || this.#corners.length >= MAX_STRIPS || timeMs < 0) return;
    const kept = new Uint8Array(CORNERS_WIDTH * height);
    for (let row = 0; row < height; row += 1) {
      const from = row * width;
      kept.set(pixels.subarray(from, from + CORNER), row * CORNERS_WIDTH);
      kept.set(pixels.subarray(from + width - CORNER, from + width), row * CORNERS_WIDTH + CORNER);
    }
    this.#corners.push({ timeMs, pixels: kept });
  }

  /** @param samples two channels of 16 bits, little endian */
  sound(timeMs: number, samples: Uint8Array): void {
    const view = new DataView(samples.buffer, samples.byteOffset, samples.length);
    const frames = samples.length >> 2;
    const stamped = Math.round((timeMs * SOUND_RATE) / 1000);
    // Timestamps of blocks are rounded: a small difference is not a gap.
    let at =
      this.#sampleAt !== undefined && Math.abs(stamped - this.#sampleAt) < SAMPLES_A_STEP
        ? this.#sampleAt
        : stamped;
    for (let frame = 0; frame < frames; frame += 1, at += 1) {
      if (at < 0) continue;
      const step = Math.floor(at / SAMPLES_A_STEP);
      if (step >= this.#peaks.length && !this.#grow(step)) break;
      const left = Math.abs(view.getInt16(4 * frame, true));
      const right = Math.abs(view.getInt16(4 * frame + 2, true));
      const peak = Math.min(32_767, Math.max(left, right));
      if (peak > (this.#peaks[step] as number)) this.#peaks[step] = peak;
      if (step >= this.#steps) this.#steps = step + 1;
    }
    this.#sampleAt = at;
  }

  /** @param channels ADTS channel configuration, 0 to 7 */
  mode(timeMs: number, channels: number): void {
    if (this.#modes.at(-1)?.value === channels || this.#modes.length >= MAX_MODES) return;
    this.#modes.push({ atMs: timeMs, value: channels });
  }

  caption(timeMs: number): void {
    if (this.#captions.length < MAX_CAPTIONS) this.#captions.push(timeMs);
  }

  /** Time of the last picture or sound, ms. */
  get reachedMs(): number {
    return Math.max(this.#times.values.at(-1) ?? 0, this.#steps * LOUDNESS_STEP_MS);
  }

  features(durationMs: number): StreamFeatures {
    return {
      pictures: {
        times: this.#times.values,
        changes: this.#changes.values,
        shifts: this.#shifts.values,
        tints: this.#tints.values,
        lumas: this.#lumas.values,
        spreads: this.#spreads.values,
      },
      peaks: this.#peaks.subarray(0, this.#steps),
      corners: this.#corners,
      modes: this.#modes,
      captions: this.#captions,
      durationMs,
    };
  }

  #grow(step: number): boolean {
    if (step >= MAX_STEPS) return false;
    const larger = new Int16Array(Math.min(MAX_STEPS, Math.max(step + 1, 2 * this.#peaks.length))).fill(
      NO_SOUND,
    );
    larger.set(this.#peaks);
    this.#peaks = larger;
    return true;
  }
}

/** Number of pictures of a day; later ones are dropped and count as programme. */
const MAX_LENGTH = 2_700_000;

/** A growing array of numbers (hundreds of thousands) in one buffer that doubles. */
class GrowingNumbers {
  #values = new Float64Array(4096);
  length = 0;

  push(value: number): void {
    if (this.length >= MAX_LENGTH) return;
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.length);
  }
}
