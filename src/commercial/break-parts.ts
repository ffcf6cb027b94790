/**
 * What speaks for a part of a commercial break between two places, and what it costs to go over from programme to
 * commercials at one. Pure.
 */
import { type Candidate, NO_SILENCE, type Span } from './boundary-candidates.ts';
import { evidenceBetween, isLogoSeen, logoAround, type MainEvidence } from './main-evidence.ts';
import { fullness, isOffCentre, type SilenceRule } from './spot-silence.ts';

/** Quarter minutes of a spot, or of several between which nothing is seen: what speaks for one whose edges are sure. */
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
/** A pause's middle stands for its place: no more exact than this. A cut is exact to a frame or two. */
const GRID_MS = { pause: 250, cut: 70 } as const;
/** Cards and other short parts beside spots. */
const CARDS_MS = [5_000, 10_000, 20_000];
const CARD_TOLERANCE_MS = 200;
const CARD_COST = 1;
/** Going over from programme to commercials and back. */
const EDGE_COST = 2;
/** At a cut without a pause of the sound. */
const LOUD_EDGE_COST = 2.5;
/** At a pause in which no picture changes; the second where spots keep to the demanded silence. */
const STILL_EDGE_COST = { usual: 1, ruled: 3 } as const;
/** What the recording begins or ends with may be a part of a spot. */
const PARTIAL = {
  withEvidenceMs: 60_000,
  withoutMs: 16_000,
  cost: 1,
  /** Without evidence it is programme rather: more than going over. */
  loneCost: 2.5,
  /** Recordings begin before their programme: what a sure pause, or the logo, ends soon is the break before it. */
  headBonus: 4.7,
  shownHeadBonus: 4.5,
  leastHeadMs: 2_500,
  usualMs: 16_000,
  costASecond: 0.1,
} as const;
/** What the logo leaves out and is of no usual length. */
const ODD = { longestMs: 240_000, cost: 2.5, costASecond: 0.02 } as const;
const BLACK_MS = 3_000;
/** Between two parts it belongs to the break: nothing of a programme is lost. */
const BLACK_BONUS = 0.4;
/** Where no logo speaks it tells more. */
const LONE_BLACK_BONUS = 1;
/** A logo is seen, or seen to be away; and what that is worth at an edge. */
const LOGO_SAYS = 0.3;
const LOGO_EDGE_BONUS = 0.8;
const LOGO_EDGE_COST = 2;
/** Between a cut and the logo, as stations have it (join_logo_scp allows as much). */
const LOGO_SHIFT_MS = 4_200;
/** A cut this near behind another is the end of a flash more often than where parts meet. */
const FLASH_MS = 150;
const FLASH_COST = 0.3;
/** Of the silence at the ends of spots, and of the programme's parts. */
const SIDES = { bonus: 2, cost: 7, partCost: 5, outerCost: 3 } as const;
/** Another cut of the same silence lies in its middle; the second where spots keep to the demanded silence. */
const OFF_CENTRE_COST = { usual: 1, ruled: 4 } as const;
/** For each place within what would be one spot where other parts meet, as it seems. */
const JOIN_COST = 2;
/** So far from its ends, ms: what is nearer lies in the same silence. */
const JOIN_APART_MS = 2_000;
const SEEN_JOIN = 0.7;

/** So near the ends of a recording nothing is told apart, ms. */
const ENDS_MS = 300;

export interface Place extends Candidate {
  readonly isEnd: boolean;
  readonly isBehindFlash: boolean;
  readonly isOffCentre: boolean;
}

/** What is between two places: a spot by the grid, black, or anything else. */
export type PartKind = 'spot' | 'card' | 'black' | 'partial' | 'odd';

export interface BreakScene {
  readonly places: readonly Place[];
  readonly evidence: MainEvidence;
  readonly blacks: readonly Span[];
  readonly rule: SilenceRule;
}

export function placesOf(candidates: readonly Candidate[], durationMs: number): Place[] {
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

/** 0 to 1: how sure a place is one where parts meet. */
export function sureness({ isEnd, isCut, isBlackEdge, quiet }: Place): number {
  if (isEnd) return 0.6;
  if (quiet === 0) return 0;
  return isCut || isBlackEdge ? quiet : 0.3;
}

interface Sides {
  readonly isClear: boolean;
  readonly isDenied: boolean;
}

function logoSides(place: Place, evidence: MainEvidence, isToCommercials: boolean): Sides {
  const logo = logoAround(evidence, place.atMs);
  if (logo === undefined) return { isClear: false, isDenied: false };
  const [main, cm] = isToCommercials ? [logo.before, logo.behind] : [logo.behind, logo.before];
  return { isClear: main > LOGO_SAYS && cm < -LOGO_SAYS, isDenied: main < -LOGO_SAYS || cm > LOGO_SAYS };
}

/** For the rest of a spot that is followed by the programme; by further spots it may be programme as well. */
export function headBonus(place: Place, { evidence, rule }: BreakScene): number {
  if (place.atMs <= PARTIAL.leastHeadMs) return 0;
  if (evidence.isTelling) {
    return logoSides(place, evidence, false).isClear ? PARTIAL.shownHeadBonus : 0;
  }
  const isKept =
    (!rule.spots || fullness(place.silence.before) > 0) &&
    (!rule.programme || fullness(place.silence.behind) > 0);
  return sureness(place) >= 1 && isKept ? PARTIAL.headBonus : 0;
}

/** What it costs to go over at a place; more than anything where nothing speaks for it. */
export function edgeCost(place: Place, { evidence, rule }: BreakScene, isToCommercials: boolean): number {
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

/** What speaks for a part of a commercial break between two places; undefined: it is none. */
export function partOf(
  from: number,
  to: number,
  scene: BreakScene,
): { worth: number; how: PartKind } | undefined {
  const { places, evidence, blacks, rule } = scene;
  const [start, end] = [places[from] as Place, places[to] as Place];
  const length = end.atMs - start.atMs;
  const { isTelling } = evidence;
  if (length <= BLACK_MS && isBlack(start.atMs, end.atMs, blacks)) {
    return { worth: blackBonus(evidence), how: 'black' };
  }
  let best: { worth: number; how: PartKind } | undefined;
  const offer = (worth: number, how: PartKind): void => {
    if (worth > (best?.worth ?? Number.NEGATIVE_INFINITY)) best = { worth, how };
  };
  const isLoud = (place: Place): boolean => !place.isEnd && place.quiet === 0;
  const loud = Number(isLoud(start)) + Number(isLoud(end));
  const off =
    Number(start.isOffCentre || end.isOffCentre) *
    (rule.spots ? OFF_CENTRE_COST.ruled : OFF_CENTRE_COST.usual);
  const full = fullSides(start, end);
  const spot = spotWorth(start, end, evidence, loud);
  if (spot !== undefined) {
    const side = rule.spots ? SIDES.bonus - (SIDES.bonus + SIDES.cost) * (1 - full) : 0;
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

/** What length and edges say of a spot; undefined: it is none. `loud`: edges without a pause. */
function spotWorth(start: Place, end: Place, { isTelling }: MainEvidence, loud: number): number | undefined {
  // Where a recording begins or ends nothing is cut.
  if (start.isEnd || end.isEnd) return undefined;
  const length = end.atMs - start.atMs;
  const tolerance = start.isCut && end.isCut ? GRID_MS.cut : GRID_MS.pause;
  const sure = Math.min(sureness(start), sureness(end));
  // Without a logo nothing but pauses with cuts speaks.
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

/** 0 to 1: how much of the demanded silence both ends of a spot have. What the recording cuts off has it. */
export function fullSides(start: Place, end: Place): number {
  return Math.min(
    start.isEnd ? 1 : fullness(start.silence.behind),
    end.isEnd ? 1 : fullness(end.silence.before),
  );
}

/** How many places within a part look like those between spots. */
function joinsWithin(from: number, to: number, places: readonly Place[], rule: SilenceRule): number {
  const [start, end] = [places[from] as Place, places[to] as Place];
  let count = 0;
  for (let at = from + 1; at < to; at += 1) {
    const { atMs, quiet, isBlackEdge, isCut, silence } = places[at] as Place;
    if (quiet < 1 || atMs - start.atMs < JOIN_APART_MS || end.atMs - atMs < JOIN_APART_MS) continue;
    const full = Math.min(fullness(silence.before), fullness(silence.behind));
    if (isBlackEdge || (rule.spots && isCut && full > SEEN_JOIN)) count += 1;
  }
  return count;
}

function isBlack(fromMs: number, toMs: number, blacks: readonly Span[]): boolean {
  let low = 0;
  let high = blacks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blacks[middle] as Span).toMs < toMs) low = middle + 1;
    else high = middle;
  }
  const span = blacks[low];
  return span !== undefined && span.fromMs <= fromMs && span.toMs >= toMs;
}

/** A logo may go some seconds before a break and come back some seconds behind it, but is away from its first picture on. */
export function isDivided(place: Place, evidence: MainEvidence, isToCommercials: boolean): boolean {
  if (place.isEnd) return true;
  const logo = logoAround(evidence, place.atMs);
  if (logo === undefined) return true;
  const outside: [number, number] = isToCommercials
    ? [place.atMs - LOGO_SHIFT_MS, place.atMs]
    : [place.atMs, place.atMs + LOGO_SHIFT_MS];
  const isShown = isLogoSeen(evidence, ...outside) ?? true;
  return isShown && (isToCommercials ? logo.behind : logo.before) < -LOGO_SAYS;
}
