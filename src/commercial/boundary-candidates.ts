/**
 * Candidates for boundaries between parts of a broadcast: scene cuts, pauses of the sound, black pictures. Pure. The
 * thresholds are those of established tools: chapter_exe (silence by peak, with a cut inside it), comskip (black).
 */
import { LOUDNESS_STEP_MS, NO_SOUND, type PictureFeatures, type StreamFeatures } from './stream-features.ts';

/** ms. */
export interface SampleSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Candidate {
  readonly atMs: number;
  readonly isCut: boolean;
  /** 0 to 1: how certain a pause of the sound is; 0: none. */
  readonly quiet: number;
  /** Black, or a picture of a single brightness, begins or ends here. */
  readonly isBlackEdge: boolean;
  /** ms of silence just before and just after it. */
  readonly silence: { readonly before: number; readonly behind: number };
}

export const NO_SILENCE = { before: 0, behind: 0 } as const;

/** -50 dBFS: joins of commercials are digitally silent, programmes hardly ever. */
const SILENT_PEAK = 100;
/** A pause between commercials lasts 0.3 to 1 s; a shorter one is weaker evidence. */
const SHORTEST_SILENCE_MS = 140;
const SURE_SILENCE_MS = 300;
/** Sound and picture are not exactly aligned: a cut may lie this far outside its silence. */
const SILENCE_EDGE_MS = 70;
/** A longer silence is a recording without sound, not a pause. */
const MAX_SILENCE_MS = 20_000;

/**
 * Thresholds of a cut: mean difference (of 255), difference of brightness and of colour (of 2), and by how much each
 * exceeds its neighbours.
 */
const CUT = {
  ...{ change: 6, changeFloor: 1, shift: 0.1, shiftFloor: 0.03, tint: 0.2, tintFloor: 0.05 },
  ...{ quiet: 2.2, lively: 1.6 },
} as const;
const AROUND = 4;
const ABOVE = { ratio: 1.2, spreads: 2 } as const;
/** Video black is 16. */
const BLACK_LUMA = 26;
const EVEN_SPREAD = 3;
const SHORTEST_BLACK_MS = 90;
/** Candidates lie on pictures; two cuts within this time are one flash. */
const SAME_MS = 1;

function silences(peaks: Int16Array): SampleSpan[] {
  const found: SampleSpan[] = [];
  let from: number | undefined;
  for (let step = 0; step <= peaks.length; step += 1) {
    const peak = step < peaks.length ? (peaks[step] as number) : SILENT_PEAK + 1;
    const isSilent = peak <= SILENT_PEAK && peak !== NO_SOUND;
    if (isSilent) from ??= step;
    else if (from !== undefined) {
      const length = (step - from) * LOUDNESS_STEP_MS;
      if (length >= SHORTEST_SILENCE_MS) {
        found.push({ fromMs: from * LOUDNESS_STEP_MS, toMs: step * LOUDNESS_STEP_MS });
      }
      from = undefined;
    }
  }
  return found;
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}

/**
 * How far a value exceeds those around it: ratio to the quieter side and to the livelier side. `isAbove` is for steady
 * motion, which a cut exceeds by less.
 */
function standsOut(
  values: Float64Array,
  index: number,
  floor: number,
): { quiet: number; lively: number; isAbove: boolean } {
  const before: number[] = [];
  const behind: number[] = [];
  for (let by = 1; by <= AROUND; by += 1) {
    if (index - by > 0) before.push(values[index - by] as number);
    if (index + by < values.length) behind.push(values[index + by] as number);
  }
  const [one, other] = [median(before) + floor, median(behind) + floor];
  const value = values[index] as number;
  const isAboveSide = (side: readonly number[]): boolean => {
    if (side.length === 0) return false;
    const most = Math.max(...side);
    const spread = most - Math.min(...side);
    return value > ABOVE.ratio * most && value - most > ABOVE.spreads * spread + floor;
  };
  const isAbove = isAboveSide(before) && isAboveSide(behind);
  return { quiet: value / Math.min(one, other), lively: value / Math.max(one, other), isAbove };
}

/**
 * Indexes of pictures that differ from the previous one far more than their neighbours do: by pixel, in brightness or
 * in colour.
 */
function cuts({ changes, shifts, tints }: Pick<PictureFeatures, 'changes' | 'shifts' | 'tints'>): number[] {
  const found: number[] = [];
  const isOut = (values: Float64Array, index: number, floor: number): boolean => {
    const { isAbove, quiet, lively } = standsOut(values, index, floor);
    return isAbove || (quiet > CUT.quiet && lively > CUT.lively);
  };
  for (let index = 1; index < changes.length; index += 1) {
    const isCut =
      ((changes[index] as number) >= CUT.change &&
        (isOut(changes, index, CUT.changeFloor) ||
          ((shifts[index] as number) > CUT.shift && isOut(shifts, index, CUT.shiftFloor)))) ||
      ((tints[index] as number) > CUT.tint && isOut(tints, index, CUT.tintFloor));
    if (isCut) found.push(index);
  }
  return found;
}

/** Runs of pictures of a single brightness; `toMs` is the first picture after the run. */
export function blacks({ times, lumas, spreads }: PictureFeatures): SampleSpan[] {
  const found: SampleSpan[] = [];
  let from: number | undefined;
  for (let index = 0; index <= times.length; index += 1) {
    const isBlack =
      index < times.length &&
      (spreads[index] as number) < EVEN_SPREAD &&
      (lumas[index] as number) < BLACK_LUMA;
    if (isBlack) from ??= index;
    else if (from !== undefined) {
      const fromMs = times[from] as number;
      const toMs = index < times.length ? (times[index] as number) : (times[index - 1] as number);
      if (toMs - fromMs >= SHORTEST_BLACK_MS) found.push({ fromMs, toMs });
      from = undefined;
    }
  }
  return found;
}

/** The pause of the sound around a time. `at`: index at which the search begins, advanced by the call. */
function quietAt(
  list: readonly SampleSpan[],
  timeMs: number,
  cursor: { at: number },
): Pick<Candidate, 'quiet' | 'silence'> {
  while (cursor.at < list.length && (list[cursor.at] as SampleSpan).toMs + SILENCE_EDGE_MS < timeMs)
    cursor.at += 1;
  const span = list[cursor.at];
  const none = { quiet: 0, silence: NO_SILENCE };
  if (span === undefined || timeMs < span.fromMs - SILENCE_EDGE_MS) return none;
  const length = span.toMs - span.fromMs;
  if (length > MAX_SILENCE_MS) return none;
  const silence = { before: Math.max(0, timeMs - span.fromMs), behind: Math.max(0, span.toMs - timeMs) };
  return { quiet: length >= SURE_SILENCE_MS ? 1 : 0.7, silence };
}

/** In ascending order, without duplicates. */
export function candidates({ pictures, peaks }: Pick<StreamFeatures, 'pictures' | 'peaks'>): Candidate[] {
  const { times } = pictures;
  const quiet = silences(peaks);
  const black = blacks(pictures);
  const found = new Map<number, { isCut: boolean; isBlackEdge: boolean }>();
  for (const index of cuts(pictures)) found.set(times[index] as number, { isCut: true, isBlackEdge: false });
  for (const { fromMs, toMs } of black) {
    for (const edge of [fromMs, toMs]) {
      found.set(edge, { isCut: found.get(edge)?.isCut ?? false, isBlackEdge: true });
    }
  }
  const marked = [...found.keys()].sort((a, b) => a - b);
  // A pause without a change of picture: a fade, or a still picture.
  let next = 0;
  for (const { fromMs, toMs } of quiet) {
    while (next < marked.length && (marked[next] as number) < fromMs - SILENCE_EDGE_MS) next += 1;
    const nearest = marked[next];
    if (nearest !== undefined && nearest <= toMs + SILENCE_EDGE_MS) continue;
    if (toMs - fromMs > MAX_SILENCE_MS) continue;
    found.set(pictureNear(times, (fromMs + toMs) / 2), { isCut: false, isBlackEdge: false });
  }
  const cursor = { at: 0 };
  let last = Number.NEGATIVE_INFINITY;
  return [...found]
    .sort(([a], [b]) => a - b)
    .flatMap(([atMs, { isCut, isBlackEdge }]) => {
      if (atMs - last < SAME_MS) return [];
      last = atMs;
      return [{ atMs, isCut, isBlackEdge, ...quietAt(quiet, atMs, cursor) }];
    });
}

/** The first picture at or after a time. */
function pictureNear(times: Float64Array, timeMs: number): number {
  return times[firstIndex(times.length, (index) => (times[index] as number) >= timeMs)] ?? timeMs;
}

/** First index of a list of `count` in order from which on the condition holds; `count`: it never does. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
