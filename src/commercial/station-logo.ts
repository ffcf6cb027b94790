/**
 * Detects a station's logo: by edges that stay while everything else moves, distinguished from other static content
 * (texts, frames) by when it disappears: for whole quarter minutes, at pauses of the sound. Pure. A learnt logo is
 * stored per station and format and reused for its next recordings.
 */
import type { LogoModel } from '../model/learnt-logo.ts';
import { STRIP } from './analysis-command.ts';
import type { Candidate } from './boundary-candidates.ts';
import { type Move, movesOf, regularity, visibilityOf } from './logo-visibility.ts';
import { CORNER, CORNERS_WIDTH, type CornerSample } from './stream-features.ts';

export interface LogoFound {
  readonly model: LogoModel;
  /** Per sample, -1 (absent) to 1 (shown). */
  readonly evidence: Float32Array;
  /** It was shown in all samples. */
  readonly isAlwaysOn: boolean;
}

/** Stronger gradients belong to the picture, not to a half-transparent logo. */
const CLIP = 40;
const HEIGHT = STRIP.height;
const SIZE = CORNERS_WIDTH * HEIGHT;
/** Threshold, as a multiple of the median of all mean gradients. */
const STANDS_OUT = 5;
const WEAKEST_GRADIENT = 2;
const GROWN = { x: 4, y: 2 } as const;
const BOX = { minWidth: 6, maxWidth: 150, minHeight: 4, maxHeight: 56, minArea: 24 } as const;
const MAX_BOXES = 8;
const ROUNDS = 3;
/** Least number of samples with it and without it. */
const LEAST_SAMPLES = 8;
const LEAST_PIXELS = 20;
/** Plausible share of samples that show the logo of a station with commercials. */
const SHOWN = { least: 0.3, most: 0.985 } as const;
/** A known logo applies to this recording when this share of samples shows it. */
const KNOWN_SHOWN = 0.25;
const ALWAYS_SHOWN = 0.985;
const MIN_QUALITY = 2.6;
const MAX_TRANSITIONS_PER_HOUR = 80;

interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const EVERYWHERE: Region = { x: 0, y: 0, width: CORNERS_WIDTH, height: HEIGHT };

function clipped(value: number): number {
  return value > CLIP ? CLIP : Math.max(value, -CLIP);
}

/** Adds the gradients of a region, x and y alternating; those at the edges of a corner are zero. */
function addGradients({ pixels }: CornerSample, region: Region, sums: Float32Array, share: number): void {
  const bottom = Math.min(HEIGHT - 1, region.y + region.height);
  const right = region.x + region.width;
  for (let row = Math.max(1, region.y); row < bottom; row += 1) {
    for (const side of [0, CORNER]) {
      const end = Math.min(side + CORNER - 1, right);
      for (let column = Math.max(side + 1, region.x); column < end; column += 1) {
        const at = row * CORNERS_WIDTH + column;
        const dx = clipped((pixels[at + 1] as number) - (pixels[at - 1] as number));
        const dy = clipped((pixels[at + CORNERS_WIDTH] as number) - (pixels[at - CORNERS_WIDTH] as number));
        sums[2 * at] = (sums[2 * at] as number) + share * dx;
        sums[2 * at + 1] = (sums[2 * at + 1] as number) + share * dy;
      }
    }
  }
}

/** Mean gradients of the chosen samples, within the region. */
function meanGradients(
  samples: readonly CornerSample[],
  isChosen: (index: number) => boolean,
  region: Region = EVERYWHERE,
): Float32Array {
  const sums = new Float32Array(2 * SIZE);
  const chosen = samples.filter((_, index) => isChosen(index));
  for (const sample of chosen) addGradients(sample, region, sums, 1 / chosen.length);
  return sums;
}

interface Box extends Region {
  readonly strength: number;
}

/** Groups of pixels that stand out, the strongest first. */
function boxesOf(means: Float32Array): Box[] {
  const strength = new Float32Array(SIZE);
  for (let at = 0; at < SIZE; at += 1)
    strength[at] = Math.hypot(means[2 * at] as number, means[2 * at + 1] as number);
  const sorted = Float32Array.from(strength).sort();
  const least = Math.max(WEAKEST_GRADIENT, STANDS_OUT * (sorted[SIZE >> 1] as number));
  const label = new Int32Array(SIZE);
  const boxes: (Box & { area: number })[] = [];
  const stack: number[] = [];
  for (let start = 0; start < SIZE; start += 1) {
    if ((strength[start] as number) < least || label[start] !== 0) continue;
    const number = boxes.length + 1;
    let left: number = CORNERS_WIDTH;
    let top: number = HEIGHT;
    let [right, bottom, sum, area] = [0, 0, 0, 0];
    stack.push(start);
    label[start] = number;
    while (stack.length > 0) {
      const at = stack.pop() as number;
      const x = at % CORNERS_WIDTH;
      const y = (at - x) / CORNERS_WIDTH;
      [left, right, top, bottom] = [
        Math.min(left, x),
        Math.max(right, x),
        Math.min(top, y),
        Math.max(bottom, y),
      ];
      sum += strength[at] as number;
      area += 1;
      const side = x < CORNER ? 0 : CORNER;
      for (let ny = Math.max(0, y - GROWN.y); ny <= Math.min(HEIGHT - 1, y + GROWN.y); ny += 1) {
        for (let nx = Math.max(side, x - GROWN.x); nx <= Math.min(side + CORNER - 1, x + GROWN.x); nx += 1) {
          const near = ny * CORNERS_WIDTH + nx;
          if (label[near] !== 0 || (strength[near] as number) < least) continue;
          label[near] = number;
          stack.push(near);
        }
      }
    }
    boxes.push({ x: left, y: top, width: right - left + 1, height: bottom - top + 1, strength: sum, area });
  }
  return boxes
    .filter(
      ({ width, height, area }) =>
        area >= BOX.minArea &&
        width >= BOX.minWidth &&
        width <= BOX.maxWidth &&
        height >= BOX.minHeight &&
        height <= BOX.maxHeight,
    )
    .sort((a, b) => b.strength - a.strength)
    .slice(0, MAX_BOXES);
}

/** The pixels of a box with outstanding mean gradients; undefined when they are too few. */
function modelOf(box: Region, means: Float32Array): LogoModel | undefined {
  const { x, y, width, height } = box;
  const gradientX = new Float32Array(width * height);
  const gradientY = new Float32Array(width * height);
  const strengths = new Float32Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = 2 * ((y + row) * CORNERS_WIDTH + x + column);
      const at = row * width + column;
      gradientX[at] = means[from] as number;
      gradientY[at] = means[from + 1] as number;
      strengths[at] = Math.hypot(gradientX[at] as number, gradientY[at] as number);
    }
  }
  const sorted = Float32Array.from(strengths).sort();
  const least = Math.max(WEAKEST_GRADIENT, 0.3 * (sorted[Math.floor(0.99 * (sorted.length - 1))] as number));
  let count = 0;
  for (let at = 0; at < strengths.length; at += 1) {
    if ((strengths[at] as number) >= least) count += 1;
    else {
      gradientX[at] = 0;
      gradientY[at] = 0;
    }
  }
  return count < LEAST_PIXELS ? undefined : { x, y, width, height, gradientX, gradientY };
}

/** How much of a logo each sample shows: about 0 without, 1 with it. */
function scoresOf(model: LogoModel, samples: readonly CornerSample[]): Float32Array {
  const { x, y, width, height, gradientX, gradientY } = model;
  const scores = new Float32Array(samples.length);
  for (const [index, { pixels }] of samples.entries()) {
    let sum = 0;
    let total = 0;
    for (let row = 0; row < height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        const at = row * width + column;
        const wantedX = gradientX[at] as number;
        const wantedY = gradientY[at] as number;
        const square = wantedX * wantedX + wantedY * wantedY;
        if (square === 0) continue;
        const from = (y + row) * CORNERS_WIDTH + x + column;
        const dx = clipped((pixels[from + 1] ?? 0) - (pixels[from - 1] ?? 0));
        const dy = clipped((pixels[from + CORNERS_WIDTH] ?? 0) - (pixels[from - CORNERS_WIDTH] ?? 0));
        const share = (dx * wantedX + dy * wantedY) / square;
        const weight = Math.sqrt(square);
        sum += weight * (share < -0.5 ? -0.5 : Math.min(share, 1.5));
        total += weight;
      }
    }
    scores[index] = total === 0 ? 0 : sum / total;
  }
  return smoothed(scores);
}

/** Median of three: ignores a single picture whose background hides the logo. */
function smoothed(scores: Float32Array): Float32Array {
  const out = Float32Array.from(scores);
  for (let at = 1; at + 1 < scores.length; at += 1) {
    const [a, b, c] = [scores[at - 1] as number, scores[at] as number, scores[at + 1] as number];
    out[at] = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }
  return out;
}

/** Steps of brightness for which the visibility of a logo is measured. */
const BRIGHTNESS_STEP = 16;
/** With fewer samples of a brightness nothing is known about it. */
const LEAST_OF_BRIGHTNESS = 12;
/** A logo that is this faint at a brightness where it is shown at times is not visible there. */
const FAINT = 0.45;

/**
 * Whether each sample can tell if the logo is shown: a white logo is not visible on white. Measured in the recording:
 * above some brightness hardly any sample shows it.
 */
function tellingOf(model: LogoModel, samples: readonly CornerSample[], scores: Float32Array): boolean[] {
  const steps = samples.map((sample) => Math.floor(brightnessOf(model, sample) / BRIGHTNESS_STEP));
  const upper = new Map<number, number>();
  for (const step of new Set(steps)) {
    const list = scores.filter((_, index) => steps[index] === step).sort();
    if (list.length >= LEAST_OF_BRIGHTNESS) upper.set(step, list[Math.floor(0.85 * list.length)] as number);
  }
  const most = Math.max(...upper.values(), 0);
  // Dark pictures without it are commercials.
  const visible = [...upper].filter(([, score]) => score >= FAINT * most).map(([step]) => step);
  const brightest = Math.max(...visible, Number.NEGATIVE_INFINITY);
  return steps.map((step) => step <= brightest || !upper.has(step));
}

function brightnessOf({ x, y, width, height }: LogoModel, { pixels }: CornerSample): number {
  let sum = 0;
  for (let row = y; row < y + height; row += 1) {
    for (let column = x; column < x + width; column += 1) sum += pixels[row * CORNERS_WIDTH + column] ?? 0;
  }
  return sum / (width * height);
}

interface Split {
  readonly threshold: number;
  readonly low: number;
  readonly high: number;
  /** Distance of the two groups in units of their spread. */
  readonly separation: number;
  /** Share of the high group. */
  readonly shown: number;
}

/** Divides scores into two groups. */
function twoGroups(scores: Float32Array): Split {
  const sorted = Float32Array.from(scores).sort();
  let low = sorted[Math.floor(0.05 * (sorted.length - 1))] ?? 0;
  let high = sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
  let [variance, shown] = [0, 0];
  for (let round = 0; round < 30; round += 1) {
    const threshold = (low + high) / 2;
    const group = { low: { n: 0, sum: 0, square: 0 }, high: { n: 0, sum: 0, square: 0 } };
    for (const score of scores) {
      const one = score > threshold ? group.high : group.low;
      one.n += 1;
      one.sum += score;
      one.square += score * score;
    }
    if (group.low.n < 3 || group.high.n < 3) break;
    const before = [low, high];
    low = group.low.sum / group.low.n;
    high = group.high.sum / group.high.n;
    variance =
      (group.low.square - group.low.n * low * low + group.high.square - group.high.n * high * high) /
      scores.length;
    shown = group.high.n / scores.length;
    if (before[0] === low && before[1] === high) break;
  }
  const separation = (high - low) / (Math.sqrt(Math.max(0, variance)) + 1e-3);
  return { threshold: (low + high) / 2, low, high, separation, shown };
}

/** Score of logo-like behaviour: disappears at joins of picture and sound, for whole quarter minutes. */
function quality(moves: readonly Move[], split: Split, hours: number, places: readonly Candidate[]): number {
  if (split.shown < SHOWN.least || split.shown > SHOWN.most) return 0;
  if (moves.length > Math.max(12, MAX_TRANSITIONS_PER_HOUR * hours)) return 0;
  const { near, whole } = regularity(moves, places);
  return Math.min(12, split.separation) * (0.2 + near) * (0.3 + whole);
}

/** Scores of a recording, which samples tell whether the logo is shown, and when it most probably was. */
interface LogoVisibility {
  readonly scores: Float32Array;
  readonly telling: readonly boolean[];
  readonly visible: readonly boolean[];
  readonly moves: readonly Move[];
}

function logoVisibility(
  model: LogoModel,
  samples: readonly CornerSample[],
  scores: Float32Array,
  split: Pick<Split, 'low' | 'high'>,
  telling = tellingOf(model, samples, scores),
): LogoVisibility {
  const visible = visibilityOf(samples, scores, telling, split);
  return { scores, telling, visible, moves: movesOf(samples, visible, telling) };
}

/** Evidence of a sample whose score contradicts this: it is hidden, or something resembles it. */
const HIDDEN_EVIDENCE = 0.5;

/** None where the logo came or went and cannot be seen. */
function evidenceOf(
  samples: readonly CornerSample[],
  { scores, telling, visible, moves }: LogoVisibility,
  threshold: number,
  half: number,
): Float32Array {
  let next = 0;
  return scores.map((score, index) => {
    const timeMs = samples[index]?.timeMs ?? 0;
    while ((moves[next]?.toMs ?? Number.POSITIVE_INFINITY) <= timeMs) next += 1;
    if (telling[index] !== true && timeMs > (moves[next]?.fromMs ?? Number.POSITIVE_INFINITY)) return 0;
    const one = Math.max(-1, Math.min(1, (score - threshold) / half));
    return visible[index] === true ? Math.max(HIDDEN_EVIDENCE, one) : Math.min(-HIDDEN_EVIDENCE, one);
  });
}

/**
 * Detects the logo of a recording without any prior knowledge.
 * @param places in order: where parts of the broadcast may begin
 * @param isMain the user's correction for a time, if any
 */
export function learnLogo(
  samples: readonly CornerSample[],
  places: readonly Candidate[],
  isMain?: (timeMs: number) => boolean,
): LogoFound | undefined {
  if (samples.length < 2 * LEAST_SAMPLES) return undefined;
  if (isMain !== undefined) return taughtLogo(samples, isMain);
  let best: { quality: number; found: LogoFound } | undefined;
  const hours = ((samples.at(-1)?.timeMs ?? 0) - (samples[0]?.timeMs ?? 0)) / 3_600_000;
  const means = meanGradients(samples, () => true);
  for (const box of boxesOf(means)) {
    const refined = refine(box, means, samples);
    if (refined === undefined) continue;
    const { model, split, visibility } = refined;
    const reached = quality(visibility.moves, split, hours, places);
    if (reached <= MIN_QUALITY || reached <= (best?.quality ?? 0)) continue;
    const half = Math.max(0.1, (split.high - split.low) / 2);
    best = {
      quality: reached,
      found: { model, evidence: evidenceOf(samples, visibility, split.threshold, half), isAlwaysOn: false },
    };
  }
  return best?.found;
}

/** Edges of a box where the logo is shown minus those where it is not. */
function refine(
  box: Box,
  means: Float32Array,
  samples: readonly CornerSample[],
): { model: LogoModel; split: Split; visibility: LogoVisibility } | undefined {
  let model = modelOf(box, means);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (model === undefined) return undefined;
    const now = scoresOf(model, samples);
    const { threshold } = twoGroups(now);
    const shown = now.reduce((sum, score) => sum + (score > threshold ? 1 : 0), 0);
    if (shown < LEAST_SAMPLES || samples.length - shown < LEAST_SAMPLES) return undefined;
    model = modelOf(
      box,
      contrast(samples, (index) => (now[index] as number) > threshold, box),
    );
  }
  if (model === undefined) return undefined;
  const scores = scoresOf(model, samples);
  const telling = tellingOf(model, samples, scores);
  const split = twoGroups(scores.filter((_, index) => telling[index] === true));
  return { model, split, visibility: logoVisibility(model, samples, scores, split, telling) };
}

function contrast(
  samples: readonly CornerSample[],
  isShown: (index: number) => boolean,
  region?: Region,
): Float32Array {
  const shown = meanGradients(samples, isShown, region);
  const away = meanGradients(samples, (index) => !isShown(index), region);
  return shown.map((value, at) => value - (away[at] as number));
}

/** Learns the logo from a user's correction of the recording. */
function taughtLogo(
  samples: readonly CornerSample[],
  isMain: (timeMs: number) => boolean,
): LogoFound | undefined {
  const main = samples.map(({ timeMs }) => isMain(timeMs));
  const count = main.filter(Boolean).length;
  if (count < LEAST_SAMPLES || samples.length - count < LEAST_SAMPLES) return undefined;
  const means = contrast(samples, (index) => main[index] === true);
  let best: { separation: number; found: LogoFound } | undefined;
  for (const box of boxesOf(means)) {
    const model = modelOf(box, means);
    if (model === undefined) continue;
    const scores = scoresOf(model, samples);
    const split = twoGroups(scores);
    const { separation, threshold, low, high } = split;
    if (separation <= Math.max(3, best?.separation ?? 0)) continue;
    const half = Math.max(0.1, (high - low) / 2);
    best = {
      separation,
      found: {
        model,
        evidence: evidenceOf(samples, logoVisibility(model, samples, scores, split), threshold, half),
        isAlwaysOn: false,
      },
    };
  }
  return best?.found;
}

/** A logo learnt from earlier recordings of the station; undefined where this recording does not show it. */
export function knownLogo(model: LogoModel, samples: readonly CornerSample[]): LogoFound | undefined {
  if (samples.length < LEAST_SAMPLES) return undefined;
  const scores = scoresOf(model, samples);
  const shown = scores.reduce((sum, score) => sum + (score > 0.5 ? 1 : 0), 0) / scores.length;
  if (shown < KNOWN_SHOWN) return undefined;
  const visibility = logoVisibility(model, samples, scores, { low: 0.1, high: 0.9 });
  return { model, evidence: evidenceOf(samples, visibility, 0.5, 0.4), isAlwaysOn: shown >= ALWAYS_SHOWN };
}
