/**
 * The silence prescribed for material delivered to broadcasters: 15 frames at either end of a spot and of each part of
 * a finished programme (テレビCM素材搬入基準 of JBA and JAAA), so that a join has about one second of silence with the cut in
 * its middle. Whether a recording's spots follow this is measured in the recording. Pure.
 */
import type { Candidate } from './boundary-candidates.ts';

/**
 * ms. `full`: a silence of 15 frames after an encoder; `none`: what may be left of it if the sound is early or late.
 */
const SIDE = { none: 250, full: 450 } as const;
/** Fullness from which a side counts as compliant. */
const KEPT = 0.7;
/** The rule applies with at least this many compliant spots and this share of them. */
const LEAST_SPOTS = 2;
const LEAST_SHARE = 0.6;
/** Of two cuts in one silence, one that is nearer its middle by this is the join, ms. */
const MORE_CENTRED_MS = 100;
/** Places whose silence begins at the same time (within this, ms) share it. */
const SAME_SILENCE_MS = 1;

/** Which parts of a recording follow the rule. */
export interface SilenceRule {
  readonly spots: boolean;
  readonly programme: boolean;
}

export const NO_RULE: SilenceRule = { spots: false, programme: false };

/** 0 to 1: share of the prescribed silence on one side of a place. */
export function fullness(silenceMs: number): number {
  return Math.max(0, Math.min(1, (silenceMs - SIDE.none) / (SIDE.full - SIDE.none)));
}

/** ms of silence on the shorter side. */
function centred({ silence }: Candidate): number {
  return Math.min(silence.before, silence.behind);
}

/** Another cut is nearer the middle of the same silence, which makes that one the boundary. `all` in order. */
export function isOffCentre(one: Candidate, index: number, all: readonly Candidate[]): boolean {
  if (one.quiet === 0 || one.isBlackEdge) return false;
  const beginsAt = one.atMs - one.silence.before;
  for (const step of [-1, 1]) {
    for (let at = index + step; ; at += step) {
      const other = all[at];
      if (other === undefined || other.quiet === 0) break;
      if (Math.abs(other.atMs - other.silence.before - beginsAt) > SAME_SILENCE_MS) break;
      const isMore = centred(other) > centred(one) + MORE_CENTRED_MS;
      if (other.isCut && isMore && fullness(centred(other)) > KEPT) return true;
    }
  }
  return false;
}

/**
 * @param spots fullness of the less full side of each detected spot
 * @param outer the same for the programme next to the breaks
 */
export function silenceRuleOf(spots: readonly number[], outer: readonly number[]): SilenceRule {
  const kept = (list: readonly number[]): number => list.filter((one) => one > KEPT).length;
  const isKept = kept(spots) >= LEAST_SPOTS && kept(spots) >= LEAST_SHARE * spots.length;
  return { spots: isKept, programme: isKept && outer.length > 0 && kept(outer) === outer.length };
}
