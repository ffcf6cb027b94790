/**
 * The plan of recordings: one pure function of the guide, the rules, the reservations, recorded and cancelled
 * programmes, and the tuners. It runs whenever one of them changed, and its difference to the stored state is
 * applied. It is idempotent.
 *
 * Programmes conflict, margins do not. Claims are sorted: running recordings, then higher priority, then earlier
 * booking. Each gets a tuner if all before it keep theirs.
 */
import type { BroadcastType, ProgramId } from '../../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../../lib/arib/time.ts';
import type { ReservationId } from '../../../lib/wire/ids.ts';
import type { Reservation } from '../../model/reservation.ts';
import {
  isSameReason,
  type PassedOverReason,
  type ReservationReason,
} from '../../model/reservation-reason.ts';
import type { Rule } from '../../model/rule.ts';
import { repeats } from './airings.ts';
import { type Claim, type Claims, claimOf, compareClaims, currentClaims } from './claims.ts';
import { type Cut, type Opening, openings } from './openings.ts';
import type { Plan, PlanInput, PlannedCut, PlannedOpening, PlannedReservation } from './plan-types.ts';
import { restsOf } from './relays.ts';
import { placeAll, TunerTime } from './tuner-allocation.ts';
import { chooseWanted, type WantedEpisode } from './wanted-episodes.ts';

const MAX_OFFERED = 3;

/**
 * Alternatives for a reservation without a tuner: other airings of the same episode that have one, by the rules of
 * automatic repeats. Pure.
 * @param fits whether a claim would get a tuner besides all claims that have one
 */
function findAlternatives(
  input: PlanInput,
  claim: Claim,
  taken: ReadonlySet<ProgramId>,
  fits: (claim: Claim) => boolean,
): ProgramId[] {
  const { now, facts, guide } = input;
  // A programme that the guide lacks is identified by its reservation.
  const { name, description, program } = claim;
  const text = program ?? { name, description, extended: null };
  const same = repeats(guide, facts, text, claim.startAt, now)
    .filter(({ id }) => id !== claim.programId && !taken.has(id))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  const offered: ProgramId[] = [];
  for (const other of same) {
    if (offered.length >= MAX_OFFERED) break;
    const instead = claimOf(input, other, null);
    if (instead !== undefined && fits(instead)) offered.push(other.id);
  }
  return offered;
}

const MAX_NAMED = 2;

interface Pending {
  readonly claim: Claim;
  /** The next claim if this one finds no tuner. */
  readonly next: (() => Pending | undefined) | undefined;
}

type Outcome = Pick<PlannedReservation, 'state' | 'reason' | 'tuner' | 'blockers' | 'alternatives'>;

const NOWHERE = { tuner: null, blockers: [], alternatives: [] } as const;
function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

type Comparable = Omit<PlannedReservation, 'relayOf' | 'reason' | 'tuner' | 'blockers' | 'alternatives'>;
const FIELDS: readonly (keyof Comparable)[] = [
  'programId',
  'stationId',
  'ruleId',
  'state',
  'priority',
  'name',
  'description',
  'startAt',
  'endAt',
];

function isSame(
  reservation: Reservation,
  planned: PlannedReservation,
  programOf: ReadonlyMap<ReservationId, ProgramId>,
): boolean {
  const blockers = reservation.blockers.flatMap((id) => programOf.get(id) ?? []);
  return (
    FIELDS.every((field) => reservation[field] === planned[field]) &&
    (reservation.relayOf ?? null) === planned.relayOf &&
    isSameReason(reservation.reason, planned.reason) &&
    reservation.tuner?.rank === planned.tuner?.rank &&
    reservation.tuner?.type === planned.tuner?.type &&
    blockers.length === reservation.blockers.length &&
    sameList(blockers, planned.blockers) &&
    sameList(reservation.alternatives, planned.alternatives)
  );
}

/** Between current and planned reservations. */
function difference(
  input: PlanInput,
  claims: Claims,
  planned: readonly PlannedReservation[],
): Pick<Plan, 'create' | 'update' | 'remove'> {
  const programOf = new Map(claims.reservations.map((one) => [one.id, one.programId]));
  const wanted = new Map(planned.map((one) => [one.programId, one]));
  const current = new Set(claims.reservations.map(({ id }) => id));
  const before = new Map(input.reservations.map((one) => [one.id, one]));
  const update: { id: ReservationId; to: PlannedReservation }[] = [];
  // A completed one is replaced by another programme with its event id.
  const remove = input.reservations.flatMap(({ id, programId }) =>
    claims.replaced.has(id) || (!current.has(id) && wanted.has(programId)) ? [id] : [],
  );
  for (const { id, programId } of claims.reservations) {
    if (claims.closed.has(programId)) continue;
    const reservation = before.get(id);
    const to = wanted.get(programId);
    wanted.delete(programId);
    if (to !== undefined && reservation !== undefined) {
      // Without known tuners their allocation is unknown.
      const placed = input.tuners === null ? { ...to, tuner: reservation.tuner } : to;
      if (!isSame(reservation, placed, programOf)) update.push({ id, to: placed });
    } else if (claims.byProgram.has(programId)) remove.push(id);
  }
  return { create: [...wanted.values()], update, remove };
}

/** An airing that a rule passed over because it is reserved manually, with a lower priority. */
interface ManualAiring {
  readonly programId: ProgramId;
  /** Index of its episode among the wanted ones. */
  readonly episode: number;
}

export type Decisions = Omit<Plan, 'openings'>;

class Planner {
  readonly #claims: Claims;
  readonly #time: TunerTime<Claim>;
  readonly #wanted: readonly WantedEpisode[];
  readonly #passedOver: Map<ProgramId, PassedOverReason>;
  readonly #manual: ManualAiring[] = [];
  /** Sorted; the next one is at `#taken`. */
  #queue: Pending[] = [];
  #taken = 0;
  readonly #outcomes = new Map<ProgramId, { claim: Claim; outcome: Outcome }>();

  /** @param recorded indices of wanted episodes for which rules book nothing */
  constructor(
    private readonly input: PlanInput,
    private readonly recorded: ReadonlySet<number> = new Set(),
  ) {
    this.#claims = currentClaims(input);
    const { wanted, passedOver } = chooseWanted({ ...input, reservations: this.#claims.reservations });
    this.#wanted = wanted;
    this.#passedOver = passedOver;
    this.#time = new TunerTime(input.tuners ?? []);
  }

  plan(): Plan {
    this.#decideAll();
    this.#assignTuners();
    this.#offerAlternatives();
    return { ...this.#decided(), openings: this.#openings() };
  }

  decisions(): Decisions {
    this.#decideAll();
    return this.#decided();
  }

  #decideAll(): void {
    const first = this.#wanted.flatMap((_, episode) => this.#airing(episode, 0) ?? []);
    const staying = this.#stayingClaims(first).map((claim): Pending => ({ claim, next: undefined }));
    this.#queue = [...staying, ...first].sort((a, b) => compareClaims(a.claim, b.claim));
    for (let pending = this.#queue[0]; pending !== undefined; pending = this.#queue[this.#taken]) {
      this.#taken++;
      this.#decide(pending);
    }
  }

  #decided(): Decisions {
    const planned = [...this.#outcomes.values()].map(({ claim, outcome }) => asPlanned(claim, outcome));
    this.#nameFallbacks();
    return {
      ...difference(this.input, this.#claims, planned),
      passedOver: new Map([...this.#passedOver].filter(([id]) => !this.#outcomes.has(id))),
    };
  }

  /** Airings are passed over for the one that is recorded, which need not be the first. */
  #nameFallbacks(): void {
    for (const { airings } of this.#wanted) {
      const recorded = airings.find(({ id }) => this.isRecorded(id));
      if (recorded === undefined || recorded === airings[0]) continue;
      for (const { id } of airings) {
        if (this.#passedOver.get(id)?.code === 'other_airing')
          this.#passedOver.set(id, { code: 'other_airing', startAt: recorded.startAt });
      }
    }
  }

  /** After `plan`: manual airings that got a tuner although a rule books another airing of the episode. */
  twice(): ManualAiring[] {
    return this.#manual.filter(({ programId, episode }) => {
      const airings = this.#wanted[episode]?.airings ?? [];
      const hasOther = airings.some(({ id }) => id !== programId && this.#outcomes.has(id));
      return hasOther && this.isRecorded(programId);
    });
  }

  isRecorded(id: ProgramId): boolean {
    const state = this.#outcomes.get(id)?.outcome.state;
    return state === 'scheduled' || state === 'recording';
  }

  /**
   * Claims that stay regardless of rules. A rule's first choice is part of its wanted episode; its fallbacks also belong to the
   * rule.
   */
  #stayingClaims(first: readonly Pending[]): Claim[] {
    const firstIds = new Set(first.map(({ claim }) => claim.programId));
    const wanted = new Map<ProgramId, Rule>();
    for (const [episode, { rule, airings }] of this.#wanted.entries()) {
      if (this.recorded.has(episode)) continue;
      for (const { id } of airings) {
        const known = wanted.get(id);
        if (known === undefined || known.priority < rule.priority) wanted.set(id, rule);
      }
    }
    return this.#claims.kept.flatMap((claim) => {
      if (claim.isManual || claim.isRunning || claim.isOver) return [claim];
      if (firstIds.has(claim.programId)) return [];
      const rule = wanted.get(claim.programId);
      return [rule === undefined ? claim : this.#ofRule(claim, rule)];
    });
  }

  #push(pending: Pending): void {
    let low = this.#taken;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#queue[middle];
      if (other !== undefined && compareClaims(other.claim, pending.claim) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, pending);
  }

  /** The first airing of a wanted episode, from an index on, that may be booked at all. */
  #airing(episode: number, from: number): Pending | undefined {
    const wanted = this.#wanted[episode];
    if (wanted === undefined || this.recorded.has(episode)) return undefined;
    const { rule, airings } = wanted;
    for (let at = from; at < airings.length; at++) {
      const program = airings[at];
      if (program === undefined || this.#claims.closed.has(program.id)) continue;
      const claim = this.#claims.byProgram.get(program.id) ?? claimOf(this.input, program, rule);
      // A past programme without reservation was not missed.
      if (claim === undefined || (claim.isOver && claim.reservation === undefined)) continue;
      // Its priority is lower than the rule's: waiting for it would give precedence to weaker claims.
      if (claim.isManual && claim.priority < rule.priority) {
        this.#manual.push({ programId: claim.programId, episode });
        continue;
      }
      return { claim: this.#ofRule(claim, rule), next: () => this.#airing(episode, at + 1) };
    }
    return undefined;
  }

  /** A manual reservation stays manual; a rule's reservation belongs to the rule with the strongest claim. */
  #ofRule(claim: Claim, rule: Rule): Claim {
    if (claim.isManual || claim.isRunning) return claim;
    return { ...claim, ruleId: rule.id, relayOf: null, priority: rule.priority };
  }

  #decide({ claim, next }: Pending): void {
    const known = this.#outcomes.get(claim.programId);
    const outcome = known?.outcome ?? this.#outcomeOf(claim);
    if (known === undefined) {
      this.#outcomes.set(claim.programId, { claim, outcome });
      this.#relay(claim, outcome);
      this.#bookParts(claim);
    }
    if (outcome.state === 'scheduled' || outcome.state === 'recording') return;
    const other = next?.();
    if (other !== undefined) this.#push(other);
  }

  #outcomeOf(claim: Claim): Outcome {
    if (claim.isRunning) {
      const isJudged = claim.reservation !== undefined && this.input.judged?.includes(claim.reservation.id);
      // Only its end margin is left and it has lost its tuner: it must not block a programme.
      const isThrough = claim.held === null && claim.to <= this.input.now;
      if (isJudged !== true && !isThrough) this.#time.add(claim);
      return { state: 'recording', reason: null, ...NOWHERE };
    }
    if (claim.isOver) {
      const { state } = claim.reservation ?? {};
      if (this.input.isTimeSure === false) return asItWas(claim);
      if (claim.copyNever || state === 'skipped') return skipped();
      return { state: 'missed', reason: missedReason(claim, this.input), ...NOWHERE };
    }
    if (claim.copyNever) return skipped();
    if (this.input.tuners === null || this.#time.add(claim))
      return { state: 'scheduled', reason: null, ...NOWHERE };
    return this.#conflict(claim, this.input.tuners);
  }

  #conflict(claim: Claim, tuners: NonNullable<PlanInput['tuners']>): Outcome {
    if (!tuners.some(({ types }) => types.includes(claim.type)))
      return { state: 'conflict', reason: { code: 'not_received', type: claim.type }, ...NOWHERE };
    const others = this.#time
      .overlapping(claim)
      .filter((other) => tuners.some(({ types }) => types.includes(claim.type) && types.includes(other.type)))
      .sort((a, b) => a.from - b.from || a.id - b.id);
    return {
      ...NOWHERE,
      state: 'conflict',
      reason: {
        code: 'tuners_in_use',
        names: others.slice(0, MAX_NAMED).map(({ name }) => name),
        hasMore: others.length > MAX_NAMED,
        broken: brokenTuners(tuners, claim.type),
      },
      blockers: others.map(({ programId }) => programId),
    };
  }

  /** The recording continues with the relayed programme: another reservation of the same priority. */
  #relay(claim: Claim, { state }: Outcome): void {
    if (state !== 'scheduled' && state !== 'recording') return;
    for (const program of this.#claims.relaysOf(claim)) {
      if (this.#claims.closed.has(program.id) || this.#outcomes.has(program.id)) continue;
      const known = this.#claims.byProgram.get(program.id);
      // With the margins that it will get.
      const made = claimOf(this.input, program, this.#ruleOf(claim));
      const relayed = known ?? (made === undefined ? undefined : { ...made, relayOf: claim.programId });
      if (relayed === undefined) continue;
      const { ruleId, priority, isManual } = claim;
      const ranked =
        known === undefined || !known.isManual ? { ...relayed, ruleId, priority, isManual } : known;
      this.#push({ claim: ranked, next: undefined });
    }
  }

  /** The other parts of a split programme: a rule counts them as the same episode, or does not match them. */
  #bookParts(claim: Claim): void {
    if (claim.isOver) return;
    const { programId: relayOf, ruleId, priority, isManual } = claim;
    const owner = { ruleId, priority, isManual };
    for (const part of this.#claims.partsOf(relayOf))
      if (!part.isManual) this.#push({ claim: { ...part, ...owner }, next: undefined });
    for (const program of restsOf(this.input, claim)) {
      const isKnown = this.#claims.closed.has(program.id) || this.#claims.byProgram.has(program.id);
      const rest = isKnown ? undefined : claimOf(this.input, program, this.#ruleOf(claim));
      if (rest !== undefined) this.#push({ claim: { ...rest, ...owner, relayOf }, next: undefined });
    }
  }

  #ruleOf({ ruleId }: Claim): Rule | null {
    return this.input.rules.find(({ id }) => id === ruleId) ?? null;
  }

  #assignTuners(): void {
    const { tuners } = this.input;
    if (tuners === null) return;
    for (const cluster of this.#time.clusters()) {
      for (const { slot, tuner } of placeAll(tuners, cluster) ?? []) {
        const held = this.#outcomes.get(slot.programId);
        const rank = tuners[tuner]?.rank;
        if (held !== undefined && rank !== undefined)
          held.outcome = { ...held.outcome, tuner: { type: slot.type, rank } };
      }
    }
  }

  #offerAlternatives(): void {
    // Without tuners every claim fails.
    if (this.input.tuners?.length === 0) return;
    const taken = new Set([...this.#claims.closed, ...this.#outcomes.keys()]);
    for (const held of this.#outcomes.values()) {
      if (held.outcome.state !== 'conflict') continue;
      const alternatives = findAlternatives(this.input, held.claim, taken, (claim) => this.#time.fits(claim));
      held.outcome = { ...held.outcome, alternatives };
    }
  }

  #openings(): Plan['openings'] {
    const { tuners, now, settings } = this.input;
    // No tuner is known: only running recordings can be planned.
    if (tuners === null) return this.#running().map((claim) => asOpening(claim, now, claim.to, []));
    const clusters = this.#time.clusters();
    const placed = clusters.flatMap((cluster) =>
      openings(tuners, cluster, now, settings.retuneCost).map((opening) =>
        asOpening(opening.slot, opening.openAt, opening.closeAt, opening.after, cutsOf(opening)),
      ),
    );
    // Its tuner was removed: it continues as soon as another is available.
    const lost = this.#running().filter((claim) => !clusters.some((cluster) => cluster.includes(claim)));
    return [...placed, ...lost.map((claim) => asOpening(claim, now, claim.to, []))];
  }

  #running(): Claim[] {
    return [...this.#outcomes.values()].flatMap(({ claim }) => (claim.isRunning ? [claim] : []));
  }
}

function cutsOf({ headCut, tailCut }: Opening<Claim>): PlannedCut[] {
  const cut = (part: PlannedCut['part'], one: Cut<Claim> | undefined): PlannedCut[] =>
    one === undefined ? [] : [{ part, ms: Math.ceil(one.ms), neighbour: one.neighbour.programId }];
  return [...cut('head', headCut), ...cut('tail', tailCut)];
}

function asOpening(
  claim: Claim,
  openAt: BroadcastMs,
  closeAt: BroadcastMs,
  after: readonly Claim[],
  cuts: readonly PlannedCut[] = [],
): PlannedOpening {
  const { programId, startAt, endAt, endedAt, holdUntil, listenUntil, brokenAt, airState } = claim;
  return {
    programId,
    openAt,
    // A running recording keeps its tuner for a while, although its programme ends.
    closeAt: claim.isRunning ? plusMs(claim.closesAt, claim.after) : closeAt,
    holdUntil,
    listenUntil,
    brokenAt,
    airState,
    startAt,
    endAt: endedAt ?? endAt,
    after: after.map((other) => other.programId),
    cuts,
  };
}

/** Number of tuners of a type that are unusable because of an error. */
function brokenTuners(tuners: NonNullable<PlanInput['tuners']>, type: BroadcastType): number {
  return tuners.filter((one) => one.broken?.includes(type) === true && !one.types.includes(type)).length;
}

/** It is over according to a clock that may be wrong: unchanged. */
function asItWas({ reservation }: Claim): Outcome {
  const { state = 'scheduled', reason = null } = reservation ?? {};
  return { state, reason, ...NOWHERE };
}

function missedReason(
  { reservation, type, to }: Claim,
  { tuners, runningSince }: PlanInput,
): ReservationReason {
  if (reservation?.state === 'conflict') {
    const isReceived = tuners?.some(({ types, broken }) => types.includes(type) || broken?.includes(type));
    if (isReceived === false) return { code: 'missed_not_received', type };
    const { reason } = reservation;
    const [names, hasMore] = reason?.code === 'tuners_in_use' ? [reason.names, reason.hasMore] : [[], false];
    return { code: 'missed_tuners_in_use', names, hasMore };
  }
  const wasStopped = runningSince !== undefined && to <= runningSince;
  return { code: wasStopped ? 'missed_service_stopped' : 'missed_not_begun' };
}

function skipped(): Outcome {
  return { state: 'skipped', reason: { code: 'copy_never' }, ...NOWHERE };
}

function asPlanned(claim: Claim, outcome: Outcome): PlannedReservation {
  const { programId, stationId, ruleId, relayOf, priority, name, description, startAt, endAt } = claim;
  return { programId, stationId, ruleId, relayOf, priority, name, description, startAt, endAt, ...outcome };
}

function settledBy<T>(input: PlanInput, settle: (planner: Planner) => T): T {
  const planner = new Planner(input);
  const settled = settle(planner);
  const twice = planner.twice();
  if (twice.length === 0) return settled;
  // Only now it is known that these manual reservations got a tuner: one airing of an episode is enough.
  const once = new Planner(input, new Set(twice.map(({ episode }) => episode)));
  const better = settle(once);
  return twice.every(({ programId }) => once.isRecorded(programId)) ? better : settled;
}

export function plan(input: PlanInput): Plan {
  return settledBy(input, (planner) => planner.plan());
}

/** The same states and reasons without openings, tuners and alternatives, which take most of the time. */
export function planDecisions(input: PlanInput): Decisions {
  return settledBy(input, (planner) => planner.decisions());
}
