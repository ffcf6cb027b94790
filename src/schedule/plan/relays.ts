/**
 * Programmes that continue on another station (event relay): where, and when. The target's guide may not have been
 * read yet, and the target may be delayed with the programme it continues before its own station reports it. Pure.
 */
import { type ProgramId, programId, splitProgramId, stationId } from '../../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, latest, MINUTE_MS } from '../../../lib/arib/time.ts';
import { type Airing, LATE_TABLE_MS } from '../../model/airing.ts';
import type { Reservation } from '../../model/reservation.ts';
import type { IndexedProgram } from '../match/program-rows.ts';
import type { PlanInput } from './plan-types.ts';
import type { ListedTimes } from './program-times.ts';

/**
 * Relay targets of recordings, also of those that just ended: a target that the guide lacks has not vanished, it has
 * not been read yet.
 */
export function relayTargets({ guide, reservations }: PlanInput): Set<ProgramId> {
  const begun = reservations.filter(({ state }) => state === 'recording' || state === 'finished');
  return new Set(begun.flatMap(({ programId: id }) => relayIds(guide.get(id))));
}

/**
 * The earliest start of a relayed programme, epoch ms: the end of the recording that it continues, by its table, and
 * not before now if that one overruns.
 */
export function relayStartsOf({ guide, reservations, airings, now }: PlanInput): Map<ProgramId, number> {
  const starts = new Map<ProgramId, number>();
  for (const { programId: id, state, endAt } of reservations) {
    const airing = airings.get(id)?.state;
    if (state !== 'recording' || airing === 'over') continue;
    const program = guide.get(id);
    const isOpen = program?.openEnd === true;
    const listed = isOpen ? -Infinity : (program?.endAt ?? endAt);
    // Lists show whole minutes.
    const start = airing === 'on' && listed < now ? Math.floor(now / MINUTE_MS) * MINUTE_MS : listed;
    for (const target of relayIds(program)) starts.set(target, Math.max(start, starts.get(target) ?? start));
  }
  return starts;
}

/** A relayed programme is delayed with the one it continues, until its own station lists it. */
export function putOff(
  program: ListedTimes | undefined,
  reservation: Pick<Reservation, 'startAt' | 'endAt'>,
  airing: Airing | undefined,
  earliest: number | undefined,
): { program: ListedTimes | undefined; reservation: Pick<Reservation, 'startAt' | 'endAt'> } {
  const listed = program ?? reservation;
  const delay = (earliest ?? listed.startAt) - listed.startAt;
  const isNamed = airing?.state === 'on' || airing?.state === 'next';
  if (isNamed || delay <= LATE_TABLE_MS) return { program, reservation };
  const startAt = broadcastMs(listed.startAt + delay);
  const endAt = broadcastMs(listed.endAt + delay);
  return {
    program: { startAt, endAt, openEnd: program?.openEnd ?? false },
    reservation: { startAt, endAt: latest(endAt, reservation.endAt) },
  };
}

/** Assumed length of a relay target that is not in the guide yet. */
const RELAY_MS = 30 * 60_000;

interface Origin {
  /** undefined: not in the guide. */
  readonly program: IndexedProgram | undefined;
  readonly endAt: BroadcastMs;
  readonly isRunning: boolean;
}

/** Relay targets of a programme: event_group_descriptor, ARIB STD-B10 Part 2, 6.2.34. */
export function relaysOf({ guide, now, stations }: PlanInput, from: Origin): IndexedProgram[] {
  const { program, endAt, isRunning } = from;
  return relayIds(program).flatMap((id): IndexedProgram[] => {
    const next = guide.get(id);
    if (next !== undefined) return next.endAt <= now ? [] : [next];
    // Its tables give the rest as soon as its station is received.
    const { stationId: station } = splitProgramId(id) ?? {};
    if (program === undefined || !isRunning || station === undefined || !stations.has(station)) return [];
    const startAt = broadcastMs(endAt);
    const { name, description } = program;
    const times = { startAt, endAt: broadcastMs(endAt + RELAY_MS) };
    // Texts may be getters of a class, which a spread leaves out. These are the fields that a reservation has.
    const texts = { name, description, extended: null };
    return [{ ...program, ...texts, ...times, id, stationId: station, isFree: true, groups: [] }];
  });
}

/**
 * The other parts of a programme that was split: events of its title or series in the time that it had and no longer
 * has. Found by the plans that shorten its reservation, which has the new times from then on.
 */
export function restsOf(
  { guide, facts, airings, now }: PlanInput,
  {
    reservation,
    program,
  }: { readonly reservation: Reservation | undefined; readonly program: IndexedProgram | undefined },
): IndexedProgram[] {
  if (reservation === undefined || program === undefined || program.openEnd) return [];
  if (lengthOf(reservation) - lengthOf(program) <= LATE_TABLE_MS) return [];
  // It runs over the end in its table.
  if (program.endAt <= now && airings.get(program.id)?.state !== 'over') return [];
  const { title, episode } = facts.of(program);
  return guide.ofStation(program.stationId).filter((other) => {
    if (other.id === program.id || other.endAt <= now || overlapOf(program, other) > 0) return false;
    // The next episode begins earlier, too, where one is shortened: most of it is outside of the former time.
    if (!isMostOf(other, reservation)) return false;
    const found = facts.of(other);
    return title !== '' && (found.title === title || found.episode.series === episode.series);
  });
}

type Times = Pick<IndexedProgram, 'startAt' | 'endAt'>;

function lengthOf({ startAt, endAt }: Times): number {
  return endAt - startAt;
}

function overlapOf(one: Times, other: Times): number {
  return Math.max(0, Math.min(one.endAt, other.endAt) - Math.max(one.startAt, other.startAt));
}

/** Whether most of a programme is within the time of another one. */
export function isMostOf(one: Times, other: Times): boolean {
  return overlapOf(one, other) > lengthOf(one) / 2;
}

/** The programme on the same station that it was split off; null: none. */
export function wholeOf({
  relayOf = null,
  stationId: station,
}: Pick<Reservation, 'relayOf' | 'stationId'>): ProgramId | null {
  return relayOf !== null && splitProgramId(relayOf)?.stationId === station ? relayOf : null;
}

/** Programmes that it is announced to continue with. */
export function relayIds(program: IndexedProgram | undefined): ProgramId[] {
  // Most programmes have none, and this is called for everything that is booked.
  if (program === undefined || program.groups.length === 0) return [];
  const relays = program.groups.filter(({ type }) => type === 'relay');
  const ids = relays.flatMap(({ events }) =>
    events.map(({ networkId, serviceId, eventId }) => programId(stationId(networkId, serviceId), eventId)),
  );
  return ids.filter((id) => id !== program.id);
}
