/**
 * The silence that is demanded at the ends of what broadcasters are delivered: 15 frames at either end of a spot, and of
 * each part of a finished programme (テレビCM素材搬入基準 of JBA and JAAA), so that a second without sound lies around a join
 * and the cut in its middle. Whether a recording's spots keep to it is found out from the recording. Pure.
 */
import type { Candidate } from './boundary-candidates.ts';

/** ms. A silence of 15 frames that went through an encoder, and what may be left of it where the sound is early or late. */
const SIDE = { none: 250, full: 450 } as const;
/** How full a side must be to count as kept. */
const KEPT = 0.7;
/** So many spots at least, and such a share of them. */
const LEAST_SPOTS = 2;
const LEAST_SHARE = 0.6;
/** A cut that lies so much more in the middle of one silence than another is the join, ms. */
const MORE_CENTRED_MS = 100;
/** Places in one silence begin at the same time, ms. */
const SAME_SILENCE_MS = 1;

/** What a recording keeps to. */
export interface SilenceRule {
  readonly spots: boolean;
  readonly programme: boolean;
}

export const NO_RULE: SilenceRule = { spots: false, programme: false };

/** 0 to 1: how much of the demanded silence is on a side of a place. */
export function fullness(silenceMs: number): number {
  return Math.max(0, Math.min(1, (silenceMs - SIDE.none) / (SIDE.full - SIDE.none)));
}

/** ms of silence on the side that has less of it. */
function centred({ silence }: Candidate): number {
  return Math.min(silence.before, silence.behind);
}

/** Another cut lies in the middle of the same silence: that is where parts meet. `all` in order. */
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
 * @param spots how full the sides of each spot that was found are, the less full one
 * @param outer how full those of the programme beside the breaks are
 */
export function silenceRuleOf(spots: readonly number[], outer: readonly number[]): SilenceRule {
  const kept = (list: readonly number[]): number => list.filter((one) => one > KEPT).length;
  const isKept = kept(spots) >= LEAST_SPOTS && kept(spots) >= LEAST_SHARE * spots.length;
  return { spots: isKept, programme: isKept && outer.length > 0 && kept(outer) === outer.length };
}
