/**
 * Scores a possible part of a commercial break between two candidates, and the cost of a transition from programme to
 * commercials at one. Pure.
 */
import { type Candidate, firstIndex, NO_SILENCE, type SampleSpan } from './boundary-candidates.ts';
import { evidenceBetween, isLogoAway, logoAround, type MainEvidence, meanEvidence } from './main-evidence.ts';
import { fullness, isOffCentre, type SilenceRule } from './spot-silence.ts';

/**
 * Lengths of a spot (or of several without a visible join) in quarter minutes, and the score of one with certain edges.
 */
const UNITS: readonly { readonly count: number; readonly bonus: number; readonly needsEvidence: boolean }[] =
  [
    { count: 1, bonus: 3, needsEvidence: false },
    { count: 2, bonus: 3, needsEvidence: false },
    { count: 3, bonus: 1.8, needsEvidence: true },
    { count: 4, bonus: 2.2, needsEvidence: false },
    ...[5, 6, 7, 8, 10, 12].map((count) => ({ count, bonus: 1.4, needsEvidence: true })),
  ];
/** Broadcasters count a quarter minute as 449 or 450 pictures. */
const UNIT_MS = { least: (449 * 1001) / 30, most: (450 * 1001) / 30 } as const;
/** Tolerance of a length: a pause is located by its middle and therefore inexact; a cut is exact to a frame or two. */
const GRID_MS = { pause: 250, cut: 70 } as const;
/** Sponsor cards and other short parts beside spots. */
const CARDS_MS = [5_000, 10_000, 20_000];
const CARD_TOLERANCE_MS = 200;
const CARD_COST = 1;
/** Cost of the transition between programme and commercials, in either direction. */
const EDGE_COST = 2;
/** Additional cost at a cut without a pause of the sound. */
const LOUD_EDGE_COST = 2.5;
/** At a pause without a change of picture; `ruled`: where spots keep to the prescribed silence. */
const STILL_EDGE_COST = { usual: 1, ruled: 3 } as const;
/** The first or last part of a recording may be an incomplete spot. */
const PARTIAL = {
  withEvidenceMs: 60_000,
  withoutMs: 16_000,
  cost: 1,
  /** Without other evidence, programme is more likely: costs more than a transition. */
  loneCost: 2.5,
  /**
   * Recordings begin before their programme: a part that soon ends with a certain pause, or with the logo appearing, is
   * the break before it.
   */
  headBonus: 4.7,
  shownHeadBonus: 4.5,
  leastHeadMs: 2_500,
  usualMs: 16_000,
  costASecond: 0.1,
} as const;
/** A part without the logo whose length is not that of a spot. */
const ODD = { longestMs: 240_000, cost: 2.5, costASecond: 0.02 } as const;
const BLACK_MS = 3_000;
/** Black between two parts belongs to the break, so that the programme stays complete. */
const BLACK_BONUS = 0.4;
/** Without evidence of a logo, black is stronger evidence. */
const LONE_BLACK_BONUS = 1;
/** Threshold from which a logo counts as shown or absent, and the score of that at an edge. */
const LOGO_SAYS = 0.3;
const LOGO_EDGE_BONUS = 1.5;
const LOGO_EDGE_COST = 4;
/** Distance between a cut and the logo's change that stations keep (join_logo_scp allows as much). */
const LOGO_SHIFT_MS = 4_200;
/** A cut this soon after another is more often the end of a flash than a boundary. */
const FLASH_MS = 150;
const FLASH_COST = 0.3;
/** Scores of the prescribed silence at the ends of spots and of parts of the programme. */
const SIDES = { bonus: 2, cost: 7, awayCost: 3, partCost: 5, outerCost: 3 } as const;
/** Mean evidence from which a part is certainly without the logo. */
const AWAY_EVIDENCE = -0.5;
/** Another cut is nearer the middle of the same silence; `ruled`: where spots keep to the prescribed silence. */
const OFF_CENTRE_COST = { usual: 1, ruled: 4 } as const;
/** Cost of each probable boundary inside a single spot. */
const JOIN_COST = 2;
/** Least distance of such a boundary from the spot's ends, ms: a nearer one lies in the same silence. */
const JOIN_APART_MS = 2_000;
const SEEN_JOIN = 0.7;

/** Within this distance of a recording's ends no parts are distinguished, ms. */
const ENDS_MS = 300;

export interface BreakPlace extends Candidate {
  readonly isEnd: boolean;
  readonly isBehindFlash: boolean;
  readonly isOffCentre: boolean;
}

/** Kind of the part between two places: a spot whose length fits, black, or anything else. */
export type PartKind = 'spot' | 'card' | 'black' | 'partial' | 'odd';

export interface BreakScene {
  readonly places: readonly BreakPlace[];
  readonly evidence: MainEvidence;
  readonly blacks: readonly SampleSpan[];
  readonly rule: SilenceRule;
}

export function placesOf(candidates: readonly Candidate[], durationMs: number): BreakPlace[] {
  const end = { isCut: true, quiet: 1, isBlackEdge: false, silence: NO_SILENCE };
  const edge = { ...end, isEnd: true, isBehindFlash: false, isOffCentre: false };
  const inside = candidates.filter(({ atMs }) => atMs > ENDS_MS && atMs < durationMs - ENDS_MS);
  return [
    { ...edge, atMs: 0 },
    ...inside.map((one, index) => ({
      ...one,
      isEnd: false,
      isBehindFlash: isBehindFlash(one, inside[index - 1]),
      isOffCentre: isOffCentre(one, index, inside),
    })),
    { ...edge, atMs: durationMs },
  ];
}

function isBehindFlash(one: Candidate, before: Candidate | undefined): boolean {
  if (before === undefined || one.isBlackEdge || before.isBlackEdge) return false;
  return one.isCut && before.isCut && one.atMs - before.atMs <= FLASH_MS;
}

/** 0 to 1: certainty that a place is a boundary. */
export function sureness({ isEnd, isCut, isBlackEdge, quiet }: BreakPlace): number {
  if (isEnd) return 0.6;
  if (quiet === 0) return 0;
  return isCut || isBlackEdge ? quiet : 0.3;
}

interface Sides {
  readonly isClear: boolean;
  readonly isDenied: boolean;
}

function logoSides(place: BreakPlace, evidence: MainEvidence, isToCommercials: boolean): Sides {
  const logo = logoAround(evidence, place.atMs);
  if (logo === undefined) return { isClear: false, isDenied: false };
  const [main, cm] = isToCommercials ? [logo.before, logo.behind] : [logo.behind, logo.before];
  return { isClear: main > LOGO_SAYS && cm < -LOGO_SAYS, isDenied: main < -LOGO_SAYS || cm > LOGO_SAYS };
}

/**
 * For an incomplete spot at the head that is followed by the programme; followed by further spots it may equally be
 * programme.
 */
export function headBonus(place: BreakPlace, { evidence, rule }: BreakScene): number {
  if (place.atMs <= PARTIAL.leastHeadMs) return 0;
  if (evidence.isTelling) {
    return logoSides(place, evidence, false).isClear ? PARTIAL.shownHeadBonus : 0;
  }
  const isKept =
    (!rule.spots || fullness(place.silence.before) > 0) &&
    (!rule.programme || fullness(place.silence.behind) > 0);
  return sureness(place) >= 1 && isKept ? PARTIAL.headBonus : 0;
}

/** Cost of a transition at a place; prohibitive without evidence for one. */
export function edgeCost(
  place: BreakPlace,
  { evidence, rule }: BreakScene,
  isToCommercials: boolean,
): number {
  if (place.isEnd) return 0;
  const { isClear, isDenied } = logoSides(place, evidence, isToCommercials);
  const flash = place.isBehindFlash ? FLASH_COST : 0;
  if (place.quiet === 0) {
    return isClear && !rule.spots ? EDGE_COST + LOUD_EDGE_COST + flash : Number.POSITIVE_INFINITY;
  }
  const still =
    place.isCut || place.isBlackEdge ? 0 : rule.spots ? STILL_EDGE_COST.ruled : STILL_EDGE_COST.usual;
  const outer = isToCommercials ? place.silence.before : place.silence.behind;
  const side = rule.programme ? SIDES.outerCost * (1 - fullness(outer)) : 0;
  const logo = isClear ? -LOGO_EDGE_BONUS : isDenied ? LOGO_EDGE_COST : 0;
  return EDGE_COST + still + side + flash + logo;
}

/** Score of a part of a commercial break between two places; undefined: it cannot be one. */
export function partOf(
  from: number,
  to: number,
  scene: BreakScene,
): { worth: number; how: PartKind } | undefined {
  const { places, evidence, blacks, rule } = scene;
  const [start, end] = [places[from] as BreakPlace, places[to] as BreakPlace];
  const length = end.atMs - start.atMs;
  const { isTelling } = evidence;
  if (length <= BLACK_MS && isBlack(start.atMs, end.atMs, blacks)) {
    return { worth: blackBonus(evidence), how: 'black' };
  }
  let best: { worth: number; how: PartKind } | undefined;
  const offer = (worth: number, how: PartKind): void => {
    if (worth > (best?.worth ?? Number.NEGATIVE_INFINITY)) best = { worth, how };
  };
  const isLoud = (place: BreakPlace): boolean => !place.isEnd && place.quiet === 0;
  const loud = Number(isLoud(start)) + Number(isLoud(end));
  const off =
    Number(start.isOffCentre || end.isOffCentre) *
    (rule.spots ? OFF_CENTRE_COST.ruled : OFF_CENTRE_COST.usual);
  const full = fullSides(start, end);
  const spot = spotWorth(start, end, evidence, loud);
  if (spot !== undefined) {
    const isAway = rule.spots && isTelling && meanEvidence(evidence, start.atMs, end.atMs) < AWAY_EVIDENCE;
    const least = isAway ? SIDES.awayCost : SIDES.cost;
    const side = rule.spots ? SIDES.bonus - (SIDES.bonus + least) * (1 - full) : 0;
    offer(spot + side - off - JOIN_COST * joinsWithin(from, to, places, rule), 'spot');
  }
  if (rule.spots && full === 0) return best;
  const side = off + (rule.spots ? SIDES.partCost * (1 - full) : 0);
  const isCard = CARDS_MS.some((ms) => Math.abs(length - ms) < CARD_TOLERANCE_MS);
  if (isCard && loud === 0 && isTelling) offer(-CARD_COST - side, 'card');
  const longest = isTelling ? PARTIAL.withEvidenceMs : PARTIAL.withoutMs;
  if ((start.isEnd || end.isEnd) && length < longest) {
    const beyond = Math.max(0, length - PARTIAL.usualMs) / 1000;
    const cost = isTelling ? PARTIAL.cost : PARTIAL.loneCost;
    offer(-cost - loud - side - PARTIAL.costASecond * beyond, beyond > 0 ? 'odd' : 'partial');
  }
  if (isTelling && loud === 0 && length < ODD.longestMs && length > 1_000) {
    const seconds = length / 1000;
    if (evidenceBetween(evidence, start.atMs, end.atMs) < -0.6 * seconds) {
      offer(-ODD.cost - side - ODD.costASecond * seconds, 'odd');
    }
  }
  return best;
}

export function blackBonus({ isTelling }: MainEvidence): number {
  return isTelling ? BLACK_BONUS : LONE_BLACK_BONUS;
}

/** Score of a spot by its length and edges; undefined: not a spot. `loud`: number of edges without a pause. */
function spotWorth(
  start: BreakPlace,
  end: BreakPlace,
  { isTelling }: MainEvidence,
  loud: number,
): number | undefined {
  // The ends of the recording are not cuts.
  if (start.isEnd || end.isEnd) return undefined;
  const length = end.atMs - start.atMs;
  const tolerance = start.isCut && end.isCut ? GRID_MS.cut : GRID_MS.pause;
  const sure = Math.min(sureness(start), sureness(end));
  // Without a logo, pauses with cuts are the only evidence.
  if (!isTelling && sure < 0.5) return undefined;
  let best: number | undefined;
  for (const { count, bonus, needsEvidence } of UNITS) {
    const off = Math.max(0, count * UNIT_MS.least - length, length - count * UNIT_MS.most);
    if (off > tolerance || ((needsEvidence || loud > 0) && !isTelling)) continue;
    const worth = bonus * (1 - (0.5 * off) / tolerance) * (0.4 + 0.6 * sure) - loud;
    if (worth > (best ?? Number.NEGATIVE_INFINITY)) best = worth;
  }
  return best;
}

/**
 * 0 to 1: how much of the prescribed silence both ends of a spot have. An end cut off by the recording counts as full.
 */
export function fullSides(start: BreakPlace, end: BreakPlace): number {
  return Math.min(
    start.isEnd ? 1 : fullness(start.silence.behind),
    end.isEnd ? 1 : fullness(end.silence.before),
  );
}

/** Number of places inside a part that look like boundaries between spots. */
function joinsWithin(from: number, to: number, places: readonly BreakPlace[], rule: SilenceRule): number {
  const [start, end] = [places[from] as BreakPlace, places[to] as BreakPlace];
  let count = 0;
  for (let at = from + 1; at < to; at += 1) {
    const { atMs, quiet, isBlackEdge, isCut, silence } = places[at] as BreakPlace;
    if (quiet < 1 || atMs - start.atMs < JOIN_APART_MS || end.atMs - atMs < JOIN_APART_MS) continue;
    const full = Math.min(fullness(silence.before), fullness(silence.behind));
    if (isBlackEdge || (rule.spots && isCut && full > SEEN_JOIN)) count += 1;
  }
  return count;
}

function isBlack(fromMs: number, toMs: number, blacks: readonly SampleSpan[]): boolean {
  const span = blacks[firstIndex(blacks.length, (index) => (blacks[index] as SampleSpan).toMs >= toMs)];
  return span !== undefined && span.fromMs <= fromMs && span.toMs >= toMs;
}

/**
 * A logo may disappear some seconds before a break and reappear some seconds after it, but is absent from the break's
 * first picture on.
 */
export function isDivided(place: BreakPlace, evidence: MainEvidence, isToCommercials: boolean): boolean {
  if (place.isEnd) return true;
  const logo = logoAround(evidence, place.atMs);
  if (logo === undefined) return true;
  const outside: [number, number] = isToCommercials
    ? [place.atMs - LOGO_SHIFT_MS, place.atMs]
    : [place.atMs, place.atMs + LOGO_SHIFT_MS];
  const isAway = isLogoAway(evidence, ...outside) ?? false;
  return !isAway && (isToCommercials ? logo.behind : logo.before) <= LOGO_SAYS;
}
