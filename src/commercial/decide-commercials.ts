/**
 * Divides a recording into programme and commercials by the division with the highest score. Commercials are chains of
 * spots of whole quarter minutes between candidates (broadcasters count 15 s as 449 or 450 frames), programme is what
 * lies between; the logo and the sound mode are evidence for each moment. Pure; a shortest path over the candidates.
 */
import type { Candidate, SampleSpan } from './boundary-candidates.ts';
import {
  type BreakPlace,
  type BreakScene,
  blackBonus,
  edgeCost,
  fullSides,
  headBonus,
  isDivided,
  type PartKind,
  partOf,
  placesOf,
  sureness,
} from './break-parts.ts';
import { evidenceBetween, logoSeen, type MainEvidence, meanEvidence } from './main-evidence.ts';
import { fullness, NO_RULE, type SilenceRule, silenceRuleOf } from './spot-silence.ts';

export interface CommercialBreak {
  readonly startMs: number;
  readonly endMs: number;
  /** There is evidence besides pauses and lengths. */
  readonly isSure: boolean;
  /** 0 to 1. */
  readonly confidence: number;
}

interface DecisionInput {
  readonly candidates: readonly Candidate[];
  readonly blacks: readonly SampleSpan[];
  readonly evidence: MainEvidence;
  readonly durationMs: number;
}

/**
 * Weight of a second of evidence, and the longest stretch that counts: beyond it, more of the same is no new
 * observation.
 */
const WEIGHT = 0.35;
const LONGEST_MS = 241_000;
/** Black between two spots: black this long occurs only between spots and programme. */
const INNER_BLACK = { longMs: 300, longCost: 3.5, cost: 1 } as const;
/**
 * Largest share of samples with the logo in each part of a certain break: the adjacent programme may show the logo for
 * a moment only.
 */
const MOST_SEEN = 0.04;
/**
 * Time for which the programme must show its logo next to a certain break, and for which a bright picture may hide it
 * there.
 */
const SIDE = { shownMs: 3_000, hiddenMs: 20_000, least: 0.2 } as const;
/** Evidence against the programme that each part of a certain break has. */
const PART_EVIDENCE = -0.2;

type Kind = 'main' | 'cm';

interface Step {
  score: number;
  from: number;
  kind: Kind;
  how: 'main' | PartKind;
}

/** A part of a break, between two places. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly how: Step['how'];
}

const NONE: Step = { score: Number.NEGATIVE_INFINITY, from: -1, kind: 'main', how: 'main' };

export function decideCommercials({
  candidates,
  blacks,
  evidence,
  durationMs,
}: DecisionInput): CommercialBreak[] {
  const scene = { places: placesOf(candidates, durationMs), blacks, evidence };
  const first = chainsOf({ ...scene, rule: NO_RULE });
  // Spots found in the first pass show how this recording's spots look; a second pass uses that.
  const rule = ruleOf(first, scene.places);
  const last = rule.spots ? chainsOf({ ...scene, rule }) : first;
  // A single pause near the beginning of a recording without other breaks belongs to the programme.
  const chains = last.some(hasSpot) || evidence.isTelling ? last : [];
  return chains.map((chain) => breakOf(chain, scene)).filter(({ startMs }) => startMs < durationMs);
}

/** The silence rule that the detected breaks follow. */
function ruleOf(chains: readonly (readonly Part[])[], places: readonly BreakPlace[]): SilenceRule {
  const spots = chains
    .flat()
    .filter(({ how }) => how === 'spot')
    .map(({ from, to }) => fullSides(places[from] as BreakPlace, places[to] as BreakPlace));
  const outer = chains.filter(hasSpot).flatMap((chain) => {
    const start = places[chain[0]?.from ?? 0] as BreakPlace;
    const end = places[chain.at(-1)?.to ?? 0] as BreakPlace;
    return [
      ...(start.isEnd ? [] : [fullness(start.silence.before)]),
      ...(end.isEnd ? [] : [fullness(end.silence.behind)]),
    ];
  });
  return silenceRuleOf(spots, outer);
}

function hasSpot(chain: readonly Part[]): boolean {
  return chain.some(({ how }) => how === 'spot');
}

/** The breaks of the best division, each as a list of parts. */
function chainsOf(scene: BreakScene): Part[][] {
  const { places, evidence } = scene;
  const main: Step[] = places.map(() => NONE);
  const cm: Step[] = places.map(() => NONE);
  main[0] = { ...NONE, score: 0 };
  cm[0] = { ...NONE, score: 0, kind: 'cm' };
  let first = 0;
  for (let at = 1; at < places.length; at += 1) {
    const place = places[at] as BreakPlace;
    while ((places[first] as BreakPlace).atMs < place.atMs - LONGEST_MS) first += 1;
    // The programme continues from candidate to candidate.
    const before = places[at - 1] as BreakPlace;
    const gain = WEIGHT * evidenceBetween(evidence, before.atMs, place.atMs);
    const left = cm[at - 1] as Step;
    const back = at - 1 === 0 ? 0 : edgeCost(before, scene, false);
    const head = left.from === 0 && left.how === 'partial' ? headBonus(before, scene) : 0;
    better(main, at, { score: (main[at - 1] as Step).score + gain, from: at - 1, kind: 'main', how: 'main' });
    better(main, at, { score: left.score + gain - back + head, from: at - 1, kind: 'cm', how: 'main' });
    for (let from = first; from < at; from += 1) {
      const part = partOf(from, at, scene);
      if (part === undefined) continue;
      const { how } = part;
      const start = places[from] as BreakPlace;
      const worth = part.worth - WEIGHT * evidenceBetween(evidence, start.atMs, place.atMs);
      const edge = from === 0 ? 0 : edgeCost(start, scene, true);
      const inner = cm[from] as Step;
      const within = how === 'black' ? 0 : innerBlackCost(inner, from, scene);
      better(cm, at, { score: inner.score + worth - within, from, kind: 'cm', how });
      better(cm, at, { score: (main[from] as Step).score + worth - edge, from, kind: 'main', how });
    }
  }
  return traced(places, main, cm).filter((chain) => chain.some(({ how }) => how !== 'black'));
}

/** Cost of black that was treated as the end of a break but is followed by another part. */
function innerBlackCost(step: Step, at: number, { places, evidence }: BreakScene): number {
  if (step.how !== 'black' || step.kind !== 'cm') return 0;
  const length = (places[at] as BreakPlace).atMs - (places[step.from] as BreakPlace).atMs;
  return blackBonus(evidence) + (length < INNER_BLACK.longMs ? INNER_BLACK.cost : INNER_BLACK.longCost);
}

function better(steps: Step[], at: number, step: Step): void {
  if (step.score > (steps[at] as Step).score) steps[at] = step;
}

function traced(places: readonly BreakPlace[], main: readonly Step[], cm: readonly Step[]): Part[][] {
  const last = places.length - 1;
  let kind: Kind = (main[last] as Step).score >= (cm[last] as Step).score ? 'main' : 'cm';
  const parts: Part[] = [];
  for (let at = last; at > 0; ) {
    const step = (kind === 'main' ? main[at] : cm[at]) as Step;
    if (step.from < 0) return [];
    if (kind === 'cm') parts.push({ from: step.from, to: at, how: step.how });
    kind = step.kind;
    at = step.from;
  }
  const chains: Part[][] = [];
  for (const part of parts.reverse()) {
    if (chains.at(-1)?.at(-1)?.to === part.from) chains.at(-1)?.push(part);
    else chains.push([part]);
  }
  return chains;
}

function breakOf(
  chain: readonly Part[],
  { places, evidence }: Pick<BreakScene, 'places' | 'evidence'>,
): CommercialBreak {
  const start = places[chain[0]?.from ?? 0] as BreakPlace;
  const end = places[chain.at(-1)?.to ?? 0] as BreakPlace;
  const isSeen = chain.some(({ from, to }) => {
    const [first, last] = [places[from] as BreakPlace, places[to] as BreakPlace];
    return (logoSeen(evidence, first.atMs + 1, last.atMs - 1) ?? 0) > MOST_SEEN;
  });
  return {
    startMs: start.atMs,
    endMs: end.atMs,
    ...certaintyOf(chain, { start, end, isSeen }, { places, evidence }),
  };
}

/** Mean evidence on the outer side of a break; if it is hidden there, of a longer time. */
function sideEvidence(evidence: MainEvidence, atMs: number, side: 1 | -1): number {
  const near = (ms: number): number =>
    side < 0 ? meanEvidence(evidence, atMs - ms, atMs) : meanEvidence(evidence, atMs, atMs + ms);
  const shown = near(SIDE.shownMs);
  return Math.abs(shown) > SIDE.least ? shown : near(SIDE.hiddenMs);
}

function certaintyOf(
  chain: readonly Part[],
  { start, end, isSeen }: { start: BreakPlace; end: BreakPlace; isSeen: boolean },
  { places, evidence }: Pick<BreakScene, 'places' | 'evidence'>,
): Pick<CommercialBreak, 'isSure' | 'confidence'> {
  const inside = -meanEvidence(evidence, start.atMs, end.atMs);
  const before = start.isEnd ? 1 : sideEvidence(evidence, start.atMs, -1);
  const behind = end.isEnd ? 1 : sideEvidence(evidence, end.atMs, 1);
  const isSupported = chain.every(
    ({ from, to, how }) =>
      how === 'black' ||
      meanEvidence(evidence, (places[from] as BreakPlace).atMs, (places[to] as BreakPlace).atMs) <
        PART_EVIDENCE,
  );
  // The recording's own ends divide spots anywhere.
  const isOnGrid = chain.every(
    ({ from, to, how }) =>
      how === 'spot' ||
      how === 'black' ||
      how === 'partial' ||
      (how === 'odd' && ((places[from] as BreakPlace).isEnd || (places[to] as BreakPlace).isEnd)),
  );
  const edges = Math.min(sureness(start), sureness(end));
  // In a recording divided by its logo, the logo changes with the break and is not visible in it.
  const isDenied = isSeen || !isDivided(start, evidence, true) || !isDivided(end, evidence, false);
  const isSure =
    evidence.isTelling &&
    !isDenied &&
    inside > 0.5 &&
    before > SIDE.least &&
    behind > SIDE.least &&
    isSupported &&
    isOnGrid &&
    edges >= 0.6;
  const spots = chain.filter(({ how }) => how === 'spot').length;
  const grid = spots === 0 ? 0.2 : Math.min(1, 0.6 + 0.2 * spots);
  const support = evidence.isTelling ? Math.max(0, Math.min(1, (inside + before + behind) / 3)) : 0.3;
  return { isSure, confidence: Math.round(100 * (0.45 * support + 0.3 * grid + 0.25 * edges)) / 100 };
}
