/**
 * Divides a recording into programme and commercials: the division for which most speaks. Commercials are chains of spots
 * of whole quarter minutes between candidates (broadcasters count 15 s as 449 or 450 frames), programme is what is
 * between; the logo and the sound's mode speak for each moment. Pure; a shortest path over the candidates.
 */
import type { Candidate, Span } from './boundary-candidates.ts';
import {
  evidenceBetween,
  isLogoSeen,
  logoAround,
  logoSeen,
  type MainEvidence,
  meanEvidence,
} from './main-evidence.ts';

export interface CommercialBreak {
  readonly startMs: number;
  readonly endMs: number;
  /** More than pauses and lengths speaks for it. */
  readonly isSure: boolean;
  /** 0 to 1. */
  readonly confidence: number;
}

interface DecisionInput {
  readonly candidates: readonly Candidate[];
  readonly blacks: readonly Span[];
  readonly evidence: MainEvidence;
  readonly durationMs: number;
}

/** Weight of a second of evidence, and how much of one stretch of it counts: it is one observation after a while. */
const WEIGHT = 0.35;
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
/** At a pause in which no picture changes. */
const STILL_EDGE_COST = 1;
/** What the recording begins or ends with may be a part of a spot. */
const PARTIAL = {
  withEvidenceMs: 60_000,
  withoutMs: 16_000,
  cost: 1,
  /** Without evidence it is programme rather: more than going over. */
  loneCost: 2.5,
  /** Recordings begin before their programme: what a sure pause ends soon is the break before it. */
  headBonus: 4.7,
  leastHeadMs: 2_500,
  usualMs: 16_000,
  costASecond: 0.1,
} as const;
/** What the logo leaves out and is of no usual length. */
const ODD = { longestMs: 240_000, cost: 2.5, costASecond: 0.02 } as const;
const LONGEST_MS = 241_000;
const BLACK_MS = 3_000;
/** Between two parts it belongs to the break: nothing of a programme is lost. */
const BLACK_BONUS = 0.4;
/** Where no logo speaks it tells more. */
const LONE_BLACK_BONUS = 1;
/** A logo is seen, or seen to be away; and what that is worth at an edge. */
const LOGO_SAYS = 0.3;
const LOGO_EDGE_BONUS = 0.8;
/** Of the samples of each part of a break that is sure: the programme beside it may show the logo for a moment only. */
const MOST_SEEN = 0.04;
/** Between a cut and the logo, as stations have it (join_logo_scp allows as much). */
const LOGO_SHIFT_MS = 4_200;
/** So long a programme must show its logo beside a break that is sure. */
const SIDE_MS = 3_000;
/** A cut this near behind another is the end of a flash more often than where parts meet. */
const FLASH_MS = 150;
const FLASH_COST = 0.3;

interface Place extends Candidate {
  readonly isEnd: boolean;
  readonly isBehindFlash: boolean;
}

type Kind = 'main' | 'cm';

interface Step {
  score: number;
  from: number;
  kind: Kind;
  /** Of what is between: a spot by the grid, black, or anything else. */
  how: 'main' | 'spot' | 'card' | 'black' | 'partial' | 'odd';
}

const NONE: Step = { score: Number.NEGATIVE_INFINITY, from: -1, kind: 'main', how: 'main' };

export function decideCommercials(input: DecisionInput): CommercialBreak[] {
  const { durationMs, evidence } = input;
  const places = placesOf(input);
  const main: Step[] = places.map(() => NONE);
  const cm: Step[] = places.map(() => NONE);
  main[0] = { ...NONE, score: 0 };
  cm[0] = { ...NONE, score: 0, kind: 'cm' };
  let first = 0;
  for (let at = 1; at < places.length; at += 1) {
    const place = places[at] as Place;
    while ((places[first] as Place).atMs < place.atMs - LONGEST_MS) first += 1;
    // The programme continues from candidate to candidate.
    const before = places[at - 1] as Place;
    const gain = WEIGHT * evidenceBetween(evidence, before.atMs, place.atMs);
    const back = at - 1 === 0 ? 0 : edgeCost(before, evidence, false);
    better(main, at, { score: (main[at - 1] as Step).score + gain, from: at - 1, kind: 'main', how: 'main' });
    better(main, at, {
      score: (cm[at - 1] as Step).score + gain - back + headBonus(before, cm[at - 1] as Step, evidence),
      from: at - 1,
      kind: 'cm',
      how: 'main',
    });
    for (let from = first; from < at; from += 1) {
      const start = places[from] as Place;
      const part = partOf(start, place, input);
      if (part === undefined) continue;
      const worth = part.worth - WEIGHT * evidenceBetween(evidence, start.atMs, place.atMs);
      const edge = from === 0 ? 0 : edgeCost(start, evidence, true);
      better(cm, at, { score: (cm[from] as Step).score + worth, from, kind: 'cm', how: part.how });
      better(cm, at, { score: (main[from] as Step).score + worth - edge, from, kind: 'main', how: part.how });
    }
  }
  return breaksOf(places, main, cm, evidence).filter(({ startMs }) => startMs < durationMs);
}

function better(steps: Step[], at: number, step: Step): void {
  if (step.score > (steps[at] as Step).score) steps[at] = step;
}

function placesOf({ candidates, durationMs }: DecisionInput): Place[] {
  const edge = { isCut: true, quiet: 1, isBlackEdge: false, isEnd: true, isBehindFlash: false };
  const inside = candidates.filter(({ atMs }) => atMs > 0 && atMs < durationMs);
  return [
    { ...edge, atMs: 0 },
    ...inside.map((one, index) => ({
      ...one,
      isEnd: false,
      isBehindFlash: isBehindFlash(one, inside[index - 1]),
    })),
    { ...edge, atMs: durationMs },
  ];
}

function isBehindFlash(one: Candidate, before: Candidate | undefined): boolean {
  if (before === undefined || one.isBlackEdge || before.isBlackEdge) return false;
  return one.isCut && before.isCut && one.atMs - before.atMs <= FLASH_MS;
}

/** For the rest of a spot that is followed by the programme; by further spots it may be programme as well. */
function headBonus(place: Place, { from, how }: Step, { isTelling }: MainEvidence): number {
  const isHead = from === 0 && how === 'partial' && place.atMs > PARTIAL.leastHeadMs;
  return isHead && !isTelling && sure(place) >= 1 ? PARTIAL.headBonus : 0;
}

/** What it costs to go over at a place; more than anything where nothing speaks for it. */
function edgeCost(place: Place, evidence: MainEvidence, isToCommercials: boolean): number {
  if (place.isEnd) return 0;
  const logo = logoAround(evidence, place.atMs);
  const [mainSide, cmSide] =
    logo === undefined ? [0, 0] : isToCommercials ? [logo.before, logo.behind] : [logo.behind, logo.before];
  const isClear = mainSide > LOGO_SAYS && cmSide < -LOGO_SAYS;
  const isDenied = mainSide < -LOGO_SAYS || cmSide > LOGO_SAYS;
  const flash = place.isBehindFlash ? FLASH_COST : 0;
  if (place.quiet > 0) {
    const still = place.isCut || place.isBlackEdge ? 0 : STILL_EDGE_COST;
    return EDGE_COST + still + flash + (isClear ? -LOGO_EDGE_BONUS : isDenied ? LOGO_EDGE_BONUS : 0);
  }
  return isClear ? EDGE_COST + LOUD_EDGE_COST + flash : Number.POSITIVE_INFINITY;
}

/** What speaks for a part of a commercial break between two places; undefined: it is none. */
function partOf(
  start: Place,
  end: Place,
  { evidence, blacks }: DecisionInput,
): { worth: number; how: Step['how'] } | undefined {
  const length = end.atMs - start.atMs;
  const { isTelling } = evidence;
  if (length <= BLACK_MS && isBlack(start.atMs, end.atMs, blacks))
    return { worth: isTelling ? BLACK_BONUS : LONE_BLACK_BONUS, how: 'black' };
  let best: { worth: number; how: Step['how'] } | undefined;
  const offer = (worth: number, how: Step['how']): void => {
    if (worth > (best?.worth ?? Number.NEGATIVE_INFINITY)) best = { worth, how };
  };
  const isLoud = (place: Place): boolean => !place.isEnd && place.quiet === 0;
  const loud = Number(isLoud(start)) + Number(isLoud(end));
  const tolerance = start.isCut && end.isCut ? GRID_MS.cut : GRID_MS.pause;
  for (const { count, bonus, needsEvidence } of UNITS) {
    // Where a recording begins or ends nothing is cut.
    if (start.isEnd || end.isEnd) break;
    const off = Math.max(0, count * UNIT_MS.least - length, length - count * UNIT_MS.most);
    if (off > tolerance || ((needsEvidence || loud > 0) && !isTelling)) continue;
    const sureness = Math.min(sure(start), sure(end));
    // Without a logo nothing but pauses with cuts speaks.
    if (!isTelling && sureness < 0.5) continue;
    offer(bonus * (1 - (0.5 * off) / tolerance) * (0.4 + 0.6 * sureness) - loud, 'spot');
  }
  const isCard = CARDS_MS.some((ms) => Math.abs(length - ms) < CARD_TOLERANCE_MS);
  if (isCard && loud === 0 && isTelling) offer(-CARD_COST, 'card');
  const longest = isTelling ? PARTIAL.withEvidenceMs : PARTIAL.withoutMs;
  if ((start.isEnd || end.isEnd) && length < longest) {
    const beyond = Math.max(0, length - PARTIAL.usualMs) / 1000;
    const cost = isTelling ? PARTIAL.cost : PARTIAL.loneCost;
    offer(-cost - loud - PARTIAL.costASecond * beyond, beyond > 0 ? 'odd' : 'partial');
  }
  if (isTelling && loud === 0 && length < ODD.longestMs && length > 1_000) {
    const seconds = length / 1000;
    if (evidenceBetween(evidence, start.atMs, end.atMs) < -0.6 * seconds) {
      offer(-ODD.cost - ODD.costASecond * seconds, 'odd');
    }
  }
  return best;
}

function sure({ isEnd, isCut, isBlackEdge, quiet }: Place): number {
  if (isEnd) return 0.6;
  if (quiet === 0) return 0;
  return isCut || isBlackEdge ? quiet : 0.3;
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

function breaksOf(
  places: readonly Place[],
  main: readonly Step[],
  cm: readonly Step[],
  evidence: MainEvidence,
): CommercialBreak[] {
  const last = places.length - 1;
  let kind: Kind = (main[last] as Step).score >= (cm[last] as Step).score ? 'main' : 'cm';
  const parts: { from: number; to: number; how: Step['how'] }[] = [];
  for (let at = last; at > 0; ) {
    const step = (kind === 'main' ? main[at] : cm[at]) as Step;
    if (step.from < 0) return [];
    if (kind === 'cm') parts.push({ from: step.from, to: at, how: step.how });
    kind = step.kind;
    at = step.from;
  }
  parts.reverse();
  const breaks: (typeof parts)[] = [];
  for (const part of parts) {
    if (breaks.at(-1)?.at(-1)?.to === part.from) breaks.at(-1)?.push(part);
    else breaks.push([part]);
  }
  return breaks
    .filter((chain) => chain.some(({ how }) => how !== 'black'))
    .map((chain) => {
      const start = places[chain[0]?.from ?? 0] as Place;
      const end = places[chain.at(-1)?.to ?? 0] as Place;
      const isSeen = chain.some(({ from, to }) => {
        const [first, last] = [places[from] as Place, places[to] as Place];
        return (logoSeen(evidence, first.atMs + 1, last.atMs - 1) ?? 0) > MOST_SEEN;
      });
      return { startMs: start.atMs, endMs: end.atMs, ...sureness(chain, { start, end, isSeen }, evidence) };
    });
}

/** A logo may go some seconds before a break and come back some seconds behind it, but is away from its first picture on. */
function isDivided(place: Place, evidence: MainEvidence, isToCommercials: boolean): boolean {
  if (place.isEnd) return true;
  const logo = logoAround(evidence, place.atMs);
  if (logo === undefined) return true;
  const outside: [number, number] = isToCommercials
    ? [place.atMs - LOGO_SHIFT_MS, place.atMs]
    : [place.atMs, place.atMs + LOGO_SHIFT_MS];
  const isShown = isLogoSeen(evidence, ...outside) ?? true;
  return isShown && (isToCommercials ? logo.behind : logo.before) < -LOGO_SAYS;
}

function sureness(
  chain: readonly { how: Step['how'] }[],
  { start, end, isSeen }: { start: Place; end: Place; isSeen: boolean },
  evidence: MainEvidence,
): Pick<CommercialBreak, 'isSure' | 'confidence'> {
  const inside = -meanEvidence(evidence, start.atMs, end.atMs);
  const before = start.isEnd ? 1 : meanEvidence(evidence, start.atMs - SIDE_MS, start.atMs);
  const behind = end.isEnd ? 1 : meanEvidence(evidence, end.atMs, end.atMs + SIDE_MS);
  const isOnGrid = chain.every(({ how }) => how === 'spot' || how === 'black' || how === 'partial');
  const edges = Math.min(sure(start), sure(end));
  // Where it is divided by the logo, the logo goes and comes with the break, and is not seen in it.
  const isDenied = isSeen || !isDivided(start, evidence, true) || !isDivided(end, evidence, false);
  const isSure =
    evidence.isTelling &&
    !isDenied &&
    inside > 0.5 &&
    before > 0.2 &&
    behind > 0.2 &&
    isOnGrid &&
    edges >= 0.6;
  const spots = chain.filter(({ how }) => how === 'spot').length;
  const grid = spots === 0 ? 0.2 : Math.min(1, 0.6 + 0.2 * spots);
  const told = evidence.isTelling ? Math.max(0, Math.min(1, (inside + before + behind) / 3)) : 0.3;
  return { isSure, confidence: Math.round(100 * (0.45 * told + 0.3 * grid + 0.25 * edges)) / 100 };
}
