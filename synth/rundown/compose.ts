/**
 * Splits a programme into parts like broadcasters do: the first commercials soon after the opening, sponsors'
 * cards next to them and at the end, blocks of two to four minutes about every quarter of an hour, the
 * station's own spots before the next programme. 80 to 90 per cent of the time remain for the programme.
 */
import { COMMERCIALS } from '../media/recipes.ts';
import type { Random } from '../random.ts';
import type { CommercialPlan } from '../scenario/model.ts';
import { type Piece, SPOT_GROUPS } from './part.ts';

/** Groups of the given number of minutes, rounded: a minute is four spots. */
const MINUTE_GROUPS = 4 * SPOT_GROUPS;
/** Ten seconds of a sponsor's card. */
const SPONSOR_GROUPS = 20;
/** Half a second between a programme and other parts. */
const BLACK: Piece = { kind: 'black', groups: 1, number: 0 };
/** Parts shorter than this many seconds get no break. */
const SHORTEST_MAIN = 4;

function main(groups: number): Piece {
  return { kind: 'main', groups, number: 0 };
}

function sponsor(groups: number): Piece[] {
  return groups === 0 ? [] : [{ kind: 'sponsor', groups, number: 0 }];
}

function total(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { groups }) => sum + groups, 0);
}

/** Commercials of 15, mostly, 30 and 60 seconds; none after itself. */
function spots(random: Random, count: number): Piece[] {
  const pieces: Piece[] = [];
  let last = -1;
  for (let left = count; left > 0; ) {
    const length = random.pick([1, 1, 1, 1, 1, 1, 2, 2, 2, 4].filter((units) => units <= left));
    let number = random.below(COMMERCIALS);
    if (number === last) number = (number + 1) % COMMERCIALS;
    pieces.push({ kind: 'commercial', groups: length * SPOT_GROUPS, number });
    last = number;
    left -= length;
  }
  return pieces;
}

const ANNOUNCEMENT: Piece = { kind: 'announcement', groups: SPOT_GROUPS, number: 0 };

/** The part between this programme and the next, if there is enough time. */
function stationBreak(random: Random, groups: number, plan: CommercialPlan): Piece[] {
  if (plan === 'announcements') return groups < 5 * MINUTE_GROUPS ? [] : [BLACK, ANNOUNCEMENT];
  if (plan !== 'usual' || groups < MINUTE_GROUPS) return [];
  const count = Math.round(groups / MINUTE_GROUPS) < 10 ? 0 : 1 + random.below(3);
  return [BLACK, ANNOUNCEMENT, ...spots(random, count)];
}

/** Lengths of the breaks inside a programme, in spots. */
function breakLengths(random: Random, groups: number): number[] {
  // Groups are a thousandth longer than half a second: half an hour contains a little less than thirty
  // minutes of them.
  const minutes = Math.round(groups / MINUTE_GROUPS);
  if (minutes < 10) return [];
  if (minutes < 20) return [random.pick([4, 6])];
  const lengths = minutes < 90 ? [8, 8, 8, 10, 12] : [8, 10, 12, 16];
  return Array.from({ length: Math.floor(minutes / 15) }, () => random.pick(lengths));
}

/** Divides groups into the given number of parts that differ by a fifth at most. */
function divide(random: Random, groups: number, count: number): number[] {
  const weights = Array.from({ length: count }, () => 0.9 + 0.2 * random.next());
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const parts = weights.slice(1).map((weight) => Math.floor((groups * weight) / sum));
  return [groups - parts.reduce((all, part) => all + part, 0), ...parts];
}

function usual(random: Random, groups: number): Piece[] {
  const tail = stationBreak(random, groups, 'usual');
  const blocks = breakLengths(random, groups).map((count) => [BLACK, ...spots(random, count), BLACK]);
  const inner = groups - BLACK.groups - total(tail);
  if (blocks.length === 0) return [BLACK, main(inner), ...tail];
  const rest = inner - blocks.reduce((sum, block) => sum + total(block), 0) - 2 * SPONSOR_GROUPS;
  // The opening is short if there are several breaks.
  const opening = blocks.length > 1 ? MINUTE_GROUPS + random.below(MINUTE_GROUPS) : Math.floor(rest / 2);
  const mains = divide(random, rest - opening, blocks.length);
  const pieces: Piece[] = [BLACK, main(opening), ...sponsor(SPONSOR_GROUPS)];
  for (const [index, block] of blocks.entries()) pieces.push(...block, main(mains[index] ?? 0));
  return [...pieces, ...sponsor(SPONSOR_GROUPS), ...tail];
}

const GROUPS_A_SECOND = SPOT_GROUPS / 15;

/** Breaks at fixed intervals, as tests need them. */
function regular(random: Random, groups: number, plan: Exclude<CommercialPlan, string>): Piece[] {
  const every = Math.round(plan.everySec * GROUPS_A_SECOND);
  const card = sponsor(Math.round(plan.sponsorSec * GROUPS_A_SECOND));
  const pieces: Piece[] = [BLACK, ...card];
  const left = (): number => groups - total(pieces) - total(card);
  const block = (plan.lengthSec / 15) * SPOT_GROUPS + 2 * BLACK.groups;
  while (left() >= every + block + SHORTEST_MAIN * GROUPS_A_SECOND) {
    pieces.push(main(every), BLACK, ...spots(random, plan.lengthSec / 15), BLACK);
  }
  const rest = left();
  return rest < 1 ? [main(groups)] : [...pieces, main(rest), ...card];
}

/** Shorter programmes have no other parts. */
const SHORTEST_GROUPS = 8;

/** The parts of a programme of the given number of groups, in order; they fill it exactly. */
export function composeProgramme(random: Random, groups: number, plan: CommercialPlan): Piece[] {
  if (plan === 'none' || groups < SHORTEST_GROUPS) return [main(groups)];
  if (plan === 'usual') return usual(random, groups);
  if (plan !== 'announcements') return regular(random, groups, plan);
  const tail = stationBreak(random, groups, plan);
  return [BLACK, main(groups - BLACK.groups - total(tail)), ...tail];
}
