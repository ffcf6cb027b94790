/** Existing and new reservations as claims for a tuner. Pure. */
import { type ProgramId, splitProgramId } from '../../../lib/arib/ids.ts';
import { type BroadcastMs, earliest, latest } from '../../../lib/arib/time.ts';
import type { ReservationId, RuleId } from '../../../lib/wire/ids.ts';
import { CLOSED_RESERVATION_STATES } from '../../../lib/wire/vocabulary.ts';
import { isBrokenOff, LATE_TABLE_MS, RESUME_MS } from '../../model/airing.ts';
import { EVENT_ID_REUSED_MS, MANUAL_PRIORITY, type Reservation } from '../../model/reservation.ts';
import type { Rule } from '../../model/rule.ts';
import type { IndexedProgram } from '../match/program-rows.ts';
import type { PlanInput, PlannedReservation } from './plan-types.ts';
import { coming, type ProgramTimes, underWay } from './program-times.ts';
import { isMostOf, putOff, relayIds, relayStartsOf, relaysOf, relayTargets, wholeOf } from './relays.ts';
import type { Slot } from './tuner-allocation.ts';

export interface Claim
  extends Slot,
    ProgramTimes,
    Pick<
      PlannedReservation,
      'programId' | 'stationId' | 'ruleId' | 'relayOf' | 'priority' | 'name' | 'description'
    > {
  readonly to: BroadcastMs;
  readonly holdUntil: BroadcastMs | null;
  /** undefined: to be created. */
  readonly reservation: Reservation | undefined;
  /** undefined: no longer in the guide. */
  readonly program: IndexedProgram | undefined;
  readonly isManual: boolean;
  readonly isRunning: boolean;
  readonly isOver: boolean;
  readonly copyNever: boolean;
}

/** Maximum shift of a programme that was moved or got another event id. */
const MOVED_MS = 3 * 3_600_000;
/** Within this shift it is the same programme even if others have its title. */
const SHIFTED_MS = 600_000;

/**
 * Order of claims: running recordings first, among them those holding a tuner, which always fit; then by priority,
 * then by time of booking.
 */
export function compareClaims(a: Claim, b: Claim): number {
  const running =
    Number(b.isRunning) - Number(a.isRunning) || Number(b.held !== null) - Number(a.held !== null);
  const booked = (a.reservation?.id ?? Infinity) - (b.reservation?.id ?? Infinity);
  // Both are not booked yet: the difference of infinities is not a number.
  return running || b.priority - a.priority || booked || a.startAt - b.startAt || a.id - b.id;
}

/** A rule's claim to a programme without reservation; undefined if its station is unknown. */
export function claimOf(input: PlanInput, program: IndexedProgram, rule: Rule | null): Claim | undefined {
  const station = input.stations.get(program.stationId);
  if (station === undefined) return undefined;
  const { now, settings } = input;
  const times = coming(program, program, input.airings.get(program.id), now);
  return {
    id: program.id,
    type: station.type,
    channel: station.channel,
    from: latest(program.startAt, now),
    ...times,
    before: (rule?.marginBefore ?? settings.marginBefore) + settings.tuning,
    after: rule?.marginAfter ?? settings.marginAfter,
    held: null,
    programId: program.id,
    stationId: program.stationId,
    ruleId: rule?.id ?? null,
    relayOf: null,
    priority: rule?.priority ?? MANUAL_PRIORITY,
    name: program.name,
    description: program.description,
    reservation: undefined,
    program,
    isManual: rule === null,
    isRunning: false,
    isOver: times.to <= now,
    copyNever: program.copyNever,
  };
}

export interface Claims {
  /** From reservations that are neither completed nor cancelled. */
  readonly byProgram: ReadonlyMap<ProgramId, Claim>;
  /** Claims that stay whatever the rules match. */
  readonly kept: readonly Claim[];
  /** Programmes with a completed reservation. */
  readonly closed: ReadonlySet<ProgramId>;
  /**
   * Current reservations: each is bound to the programme that replaced a vanished one; completed ones whose event id
   * now belongs to another programme are left out.
   */
  readonly reservations: readonly Reservation[];
  /** Reservations of rules on a programme that replaces a vanished one. */
  readonly replaced: ReadonlySet<ReservationId>;
  relaysOf(claim: Claim): IndexedProgram[];
  /** Booked parts of a split programme, besides the one that has its event id. */
  partsOf(id: ProgramId): readonly Claim[];
}

const DONE = new Set<Reservation['state']>(CLOSED_RESERVATION_STATES);

/**
 * Whether it is over. False if it was missed because of a wrong clock, or delayed; or cancelled because its station was
 * gone, which is back with its programme.
 */
function isDone({ guide, airings, now, isTimeSure }: PlanInput, reservation: Reservation): boolean {
  const { state, reason, programId: id } = reservation;
  const program = guide.get(id);
  const isBack = state === 'cancelled' && reason?.code === 'station_gone' && program !== undefined;
  if (!isBack && (state !== 'missed' || isTimeSure === false)) return DONE.has(state);
  return coming(program, reservation, airings.get(id), now).to <= now;
}

/** Whether its event id now belongs to another programme. */
function isReused({ guide }: PlanInput, { state, programId: id, endAt }: Reservation): boolean {
  const startAt = guide.get(id)?.startAt;
  return startAt !== undefined && DONE.has(state) && startAt > endAt + EVENT_ID_REUSED_MS;
}

export function currentClaims(input: PlanInput): Claims {
  const { reservations, replaced } = rebound({
    ...input,
    reservations: input.reservations.filter((one) => !isReused(input, one)),
  });
  const done = new Set(reservations.filter((one) => isDone(input, one)));
  const live = reservations.filter((one) => !done.has(one));
  const enabled = new Set(input.rules.filter((rule) => rule.enabled).map((rule) => rule.id));
  const held = heldTuners(input);
  const relayStarts = relayStartsOf({ ...input, reservations: live });
  const claims = live.flatMap(
    (reservation) => claimOfReservation(input, reservation, held, relayStarts) ?? [],
  );
  const parts = Map.groupBy(
    claims.filter((claim) => wholeOf(claim) !== null && isRelayed(input, claim)),
    wholeOf,
  );
  const bound = { ...input, reservations };
  return {
    byProgram: new Map(claims.map((claim) => [claim.programId, claim])),
    kept: claims.filter((claim) => isKept(bound, claim, enabled)),
    closed: new Set([...done].map((one) => one.programId)),
    reservations,
    replaced,
    relaysOf: (claim) => relaysOf(input, claim),
    partsOf: (id) => parts.get(id) ?? [],
  };
}

function heldTuners({ tuners }: PlanInput): Map<number, number> {
  const held = new Map<number, number>();
  for (const [index, { recording }] of (tuners ?? []).entries()) {
    for (const id of recording) held.set(id, index);
  }
  return held;
}

function claimOfReservation(
  input: PlanInput,
  reservation: Reservation,
  held: ReadonlyMap<number, number>,
  relayStarts: ReadonlyMap<ProgramId, number>,
): Claim | undefined {
  const station = input.stations.get(reservation.stationId);
  if (station === undefined) return undefined;
  const { now, settings } = input;
  const program = input.guide.get(reservation.programId);
  const isRunning = reservation.state === 'recording';
  const airing = input.airings.get(reservation.programId);
  const shifted = putOff(program, reservation, airing, relayStarts.get(reservation.programId));
  const isElsewhere = isRunning && airing === undefined && isAnotherOn(input, reservation);
  const times = isRunning
    ? underWay(shifted.program, shifted.reservation, airing, now, isElsewhere)
    : coming(shifted.program, shifted.reservation, airing, now);
  const place = isRunning ? (held.get(reservation.id) ?? null) : null;
  // A recording that holds a tuner does so already in the margin before its programme.
  const from = place === null ? latest(times.startAt, now) : now;
  return {
    id: reservation.programId,
    type: station.type,
    channel: station.channel,
    from: earliest(from, times.to),
    ...times,
    // If a running recording is neither received nor tracked, an end beyond the guide's estimate is only an assumption.
    to:
      isRunning && place === null && airing === undefined
        ? earliest(times.to, latest(times.endAt, from))
        : times.to,
    isOpen: times.to > times.closesAt,
    before: (reservation.marginBefore ?? settings.marginBefore) + settings.tuning,
    after: reservation.marginAfter ?? settings.marginAfter,
    held: place,
    programId: reservation.programId,
    stationId: reservation.stationId,
    ruleId: reservation.ruleId,
    relayOf: reservation.relayOf ?? null,
    priority: reservation.priority,
    name: program?.name || reservation.name,
    description: program?.description || reservation.description,
    reservation,
    program,
    isManual: reservation.ruleId === null,
    isRunning,
    isOver: !isRunning && times.to <= now,
    copyNever: program?.copyNever ?? reservation.state === 'skipped',
  };
}

/** Whether its station reports a programme of another title as present. */
function isAnotherOn({ airings, guide, facts }: PlanInput, reservation: Reservation): boolean {
  const { stationId: station, name, description } = reservation;
  for (const [id, { state }] of airings) {
    if (state !== 'on' || splitProgramId(id)?.stationId !== station) continue;
    const other = guide.get(id);
    const { title } = facts.of({ name, description, extended: null });
    return other !== undefined && facts.of(other).title !== title;
  }
  return false;
}

/** Whether a reservation stays without a matching rule. */
function isKept(input: PlanInput, claim: Claim, enabled: ReadonlySet<RuleId>): boolean {
  const { isManual, isRunning, isOver, program, ruleId, startAt } = claim;
  const { now, settings } = input;
  if (!isRunning && !isRelayed(input, claim)) return false;
  if (isManual || isRunning || isOver) return true;
  if (program === undefined || program.name.trim() === '') return true;
  if (ruleId === null || !enabled.has(ruleId)) return false;
  return startAt <= now + settings.retractGrace || isLastPart(input, claim);
}

/** It was split off a programme whose own recording has ended: before that, it is booked together with it. */
function isLastPart({ reservations }: PlanInput, claim: Claim): boolean {
  const whole = reservations.find(({ programId: id }) => id === wholeOf(claim));
  return whole?.state === 'finished' || whole?.state === 'missed';
}

/**
 * False: the announcement that another programme continues with it was withdrawn, and it does not follow there; or a
 * programme that was split is whole again.
 */
function isRelayed({ guide, airings, facts }: PlanInput, claim: Claim): boolean {
  const { relayOf, programId: id, program, stationId: station } = claim;
  const origin = relayOf === null ? undefined : guide.get(relayOf);
  if (origin === undefined || relayIds(origin).includes(id)) return true;
  // Tables of delayed programmes overlap for a while.
  if (origin.stationId === station) return !isMostOf(claim, origin);
  return (
    isNamed({ airings }, id) && program !== undefined && facts.of(program).title === facts.of(origin).title
  );
}

/**
 * Reservations whose programme vanished or was interrupted, bound to the programme that replaced it, if any. A rule
 * may have booked that one already, which would be a duplicate recording.
 */
function rebound(input: PlanInput): Pick<Claims, 'reservations' | 'replaced'> {
  const { guide, reservations, now } = input;
  const taken = new Map(reservations.map((one) => [one.programId, one]));
  const replaced = new Set<ReservationId>();
  const announced = relayTargets(input);
  const successors = new Map<ProgramId, ProgramId>();
  /** The parts of a split programme stay its parts. */
  const withSuccessor = (reservation: Reservation): Reservation => {
    const whole = wholeOf(reservation);
    const successor = whole === null ? undefined : successors.get(whole);
    return successor === undefined ? reservation : { ...reservation, relayOf: successor };
  };
  const bound = reservations.map((reservation) => {
    const { programId: id, endAt } = reservation;
    if (replaced.has(reservation.id) || isDone(input, reservation) || isNamed(input, id)) return reservation;
    const isOwn = (reservation.relayOf ?? null) === null || wholeOf(reservation) !== null;
    const vanished = isOwn && guide.get(id) === undefined && endAt > now && !announced.has(id);
    const successor = vanished ? successorOf(input, reservation) : resumedAs(input, reservation);
    // A part that vanished is in its whole again.
    if (successor === undefined || successor.id === reservation.relayOf) return reservation;
    const other = taken.get(successor.id);
    if (other !== undefined) {
      const isInstead = isOfRule(other) && guide.get(other.programId) === successor;
      if (!isInstead) return reservation;
      replaced.add(other.id);
    }
    const next = { ...reservation, programId: successor.id };
    taken.set(successor.id, next);
    successors.set(id, successor.id);
    return next;
  });
  const left = bound.filter(({ id }) => !replaced.has(id));
  return { reservations: successors.size === 0 ? left : left.map(withSuccessor), replaced };
}

/** Booked by a rule, and neither begun nor completed. */
function isOfRule({ ruleId, state }: Reservation): boolean {
  return ruleId !== null && (state === 'scheduled' || state === 'conflict' || state === 'skipped');
}

/** Whether its station lists it as present or following. */
export function isNamed({ airings }: Pick<PlanInput, 'airings'>, id: ProgramId): boolean {
  const state = airings.get(id)?.state;
  return state === 'on' || state === 'next';
}

/**
 * A programme that present/following left long before its end, or without one, continues after the interruption under
 * another id. An event listed right after a programme without a known end, and starting there, is the next one of its
 * title.
 */
function resumedAs(input: PlanInput, reservation: Reservation): IndexedProgram | undefined {
  const { programId: id, stationId: station, name, description, startAt, state } = reservation;
  const airing = input.airings.get(id);
  const endAt = airing?.closesAt ?? reservation.endAt;
  const until = airing?.until ?? endAt;
  const isBeforeEnd = until < endAt - Math.min(LATE_TABLE_MS, (endAt - startAt) / 4);
  const isBroken = isBeforeEnd || (airing !== undefined && isBrokenOff(airing));
  if (state !== 'recording' || !isBroken) return undefined;
  const { title } = input.facts.of({ name, description, extended: null });
  const isRest = (other: IndexedProgram): boolean => {
    const from = input.airings.get(other.id)?.from ?? other.startAt;
    const isInTime = isBeforeEnd || from > until + LATE_TABLE_MS || other.startAt < until - LATE_TABLE_MS;
    return isInTime && other.startAt < Math.max(until, endAt) + RESUME_MS;
  };
  return input.guide
    .ofStation(station)
    .find(
      (other) =>
        other.id !== id && isNamed(input, other.id) && isRest(other) && input.facts.of(other).title === title,
    );
}

/**
 * A programme with the same title on the same station, close enough in time, and the only one unless it is very
 * close. A running recording is on air: a programme that begins after it is another one.
 */
function successorOf({ guide, facts, now }: PlanInput, reservation: Reservation): IndexedProgram | undefined {
  const { name, description, stationId: station, startAt, endAt, state } = reservation;
  const last = state === 'recording' ? endAt + LATE_TABLE_MS : Infinity;
  const { title } = facts.of({ name, description, extended: null });
  const away = (program: IndexedProgram): number => Math.abs(program.startAt - startAt);
  const same = guide
    .ofStation(station)
    .filter(
      (program) =>
        away(program) <= MOVED_MS &&
        program.startAt < last &&
        program.endAt > now &&
        facts.of(program).title === title,
    )
    .sort((a, b) => away(a) - away(b) || a.id - b.id);
  const [nearest] = same;
  return nearest !== undefined && (same.length === 1 || away(nearest) <= SHIFTED_MS) ? nearest : undefined;
}
