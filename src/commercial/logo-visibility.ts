/**
 * When a logo was shown, from how much of it each picture shows: it neither comes nor goes without reason, and pictures
 * may hide it for seconds. Pure.
 */
import { type Candidate, firstIndex, type SampleSpan } from './boundary-candidates.ts';
import type { CornerSample } from './stream-features.ts';

/**
 * Cost of a change, and weights of a second that shows the logo clearly or does not at all. A busy picture hides a logo for
 * seconds, so that a second without it tells less than one with it; hardly anything else looks like it. So three seconds
 * with it or six without it are a change, in either direction.
 */
const COSTS = { change: 8, on: 3, away: 1.3 } as const;

/**
 * Whether the logo is on at each sample: the most probable history, in which it neither comes nor goes without reason.
 * A flicker of the scores is none.
 */
export function visibilityOf(
  samples: readonly CornerSample[],
  scores: Float32Array,
  telling: readonly boolean[],
  { low, high }: { readonly low: number; readonly high: number },
): boolean[] {
  const span = Math.max(1e-3, high - low);
  // Gain of each state; index 0: away, 1: on.
  let best: [number, number] = [0, 0];
  const from = new Uint8Array(2 * samples.length);
  for (const [index, { timeMs }] of samples.entries()) {
    const seconds = Math.min(2, Math.max(0, timeMs - (samples[index - 1]?.timeMs ?? timeMs - 500)) / 1000);
    // -1: as without it, 1: as with it.
    const shown = Math.max(-1, Math.min(1, (2 * ((scores[index] as number) - low)) / span - 1));
    const weight = shown < 0 ? COSTS.away : COSTS.on;
    const gain = telling[index] === true ? seconds * weight * shown : 0;
    const [away, on] = best;
    from[2 * index] = on - COSTS.change > away ? 1 : 0;
    from[2 * index + 1] = away - COSTS.change > on ? 0 : 1;
    best = [Math.max(away, on - COSTS.change) - gain, Math.max(on, away - COSTS.change) + gain];
  }
  const states: boolean[] = [];
  let state = best[1] > best[0] ? 1 : 0;
  for (let index = samples.length - 1; index >= 0; index -= 1) {
    states.push(state === 1);
    state = from[2 * index + state] as number;
  }
  return states.reverse();
}

/** It appears or disappears: at some time between two samples that tell. */
export interface Move extends SampleSpan {
  readonly isOn: boolean;
}

export function movesOf(
  samples: readonly CornerSample[],
  visible: readonly boolean[],
  telling: readonly boolean[],
): Move[] {
  const found: Move[] = [];
  let last: number | undefined;
  for (const [index, isOn] of visible.entries()) {
    if (telling[index] !== true) continue;
    const before = last === undefined ? undefined : samples[last];
    const sample = samples[index];
    if (before !== undefined && sample !== undefined && visible[last as number] !== isOn)
      found.push({ fromMs: before.timeMs, toMs: sample.timeMs, isOn });
    last = index;
  }
  return found;
}

/** A logo is faded out or in for a moment beside a boundary. */
const NEAR_MS = 700;
const UNIT_MS = 15_000;
/** Of a distance of two cuts: broadcasters count a quarter minute as 449 or 450 pictures. */
const UNIT_TOLERANCE_MS = 200;
const SHORTEST_RUN_MS = 12_000;

/**
 * How regularly the logo comes and goes, 0 to 1 each: the share of moves at joins of picture and sound, and that of
 * absences that last whole quarter minutes from one cut to another.
 */
export function regularity(
  moves: readonly Move[],
  places: readonly Candidate[],
): { readonly near: number; readonly whole: number } {
  const near = moves.filter((move) => placesNear(places, move).some(isJoin)).length;
  let runs = 0;
  let whole = 0;
  for (const [index, move] of moves.entries()) {
    const next = moves[index + 1];
    if (move.isOn || next === undefined) continue;
    runs += 1;
    const ends = placesNear(places, next);
    if (placesNear(places, move).some(({ atMs }) => ends.some((end) => isOnGrid(end.atMs - atMs))))
      whole += 1;
  }
  const share = (part: number, all: number): number => (all === 0 ? 0 : part / all);
  return { near: share(near, moves.length), whole: share(whole, runs) };
}

function isOnGrid(lengthMs: number): boolean {
  const units = Math.round(lengthMs / UNIT_MS);
  return lengthMs > SHORTEST_RUN_MS && Math.abs(lengthMs - UNIT_MS * units) < UNIT_TOLERANCE_MS;
}

function isJoin({ quiet, isCut, isBlackEdge }: Candidate): boolean {
  return quiet > 0 && (isCut || isBlackEdge);
}

function placesNear(places: readonly Candidate[], { fromMs, toMs }: SampleSpan): readonly Candidate[] {
  const firstFrom = (ms: number): number =>
    firstIndex(places.length, (index) => (places[index] as Candidate).atMs >= ms);
  return places.slice(firstFrom(fromMs - NEAR_MS), firstFrom(toMs + NEAR_MS));
}
