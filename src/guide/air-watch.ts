/**
 * Present and next programmes of the stations being received, and when programmes actually began and ended. Pure. A
 * table announces when a programme should begin; a change of present/following shows when it does.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type Airing, type Airings, boundary, LATE_TABLE_MS } from '../model/airing.ts';
import {
  type AnnouncedEnds,
  announce,
  endOfReplaced,
  type Room,
  standingEnd,
  UNKNOWN_ROOM,
} from './announced-ends.ts';

/** Present/following of a station's own stream. */
interface PresentUpdate {
  stationId: StationId;
  /** Whether the stream is still being read. */
  watched: boolean;
  /** null: no programme; undefined: not received yet. */
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Since when it is present; null: from before reception began. */
  since: BroadcastMs | null;
  /** Announced begin and end of the present programme; null: undefined there; undefined: not received. */
  startsAt?: BroadcastMs | null | undefined;
  endsAt?: BroadcastMs | null | undefined;
  /** Announced begin of the following programme; null: undefined there; undefined: not received. */
  followingStartsAt?: BroadcastMs | null | undefined;
}

/** An interrupted stream is reopened within this time; until then its last present event is assumed to be on. */
const UNRECEIVED_MS = 180_000;
/** How long ended programmes are remembered, and what was present before an interruption of the reception. */
const PAST_MS = 3_600_000;
/** For this long, an empty table before the announced end is treated as a broadcaster's mistake. */
const EMPTY_MS = 120_000;

/** A programme with its announced begin and end; null: undefined there; undefined: not received. */
interface AnnouncedProgram {
  readonly id: ProgramId;
  readonly startsAt: BroadcastMs | null | undefined;
  readonly endsAt: BroadcastMs | null | undefined;
}

interface Station {
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Announced begin and end of the present programme; null: undefined there; undefined: not received. */
  startsAt: BroadcastMs | null | undefined;
  endsAt: BroadcastMs | null | undefined;
  /** Its table is empty although the present programme should continue: when that was received, and since when. */
  empty: { at: BroadcastMs; since: BroadcastMs | null } | undefined;
  /** Epoch ms; null: it is being received. */
  lostAt: BroadcastMs | null;
  /** The programme that the present one replaced, and when; null: unknown. */
  replaced?: (AnnouncedProgram & { readonly until: BroadcastMs | null }) | undefined;
  /** What was present before the reception was interrupted for long; undefined: nothing, or a table was received. */
  unreceived?: (AnnouncedProgram & { readonly airing: WatchedAiring }) | undefined;
}

/** How a programme ended. */
type Ceased = Pick<Airing, 'until' | 'announcedEnd' | 'closesAt'>;

type WatchedAiring = Airing & {
  readonly stationId: StationId;
  /** It was present. */
  readonly begun: boolean;
  /** When it last ended; it may be present or next again. */
  readonly ceased: Ceased;
  /** Absent: none was received. */
  readonly announced?: AnnouncedEnds | undefined;
  /** When this was received, epoch ms. */
  readonly at: BroadcastMs;
};

export class AirWatch {
  readonly #stations = new Map<StationId, Station>();
  readonly #airings = new Map<ProgramId, WatchedAiring>();

  /** @param now epoch ms of the broadcast @returns whether anything changed */
  take(update: PresentUpdate, now: BroadcastMs): boolean {
    const { stationId, following, since } = update;
    this.#forget(now);
    const known = this.#stations.get(stationId);
    if (!update.watched) {
      if (known?.lostAt === null) this.#stations.set(stationId, { ...known, lostAt: now });
      return false;
    }
    const before: Partial<Station> = known ?? {};
    const empty = emptyOf(before, update, now);
    const present = empty === undefined ? update.present : undefined;
    const isNew = present !== undefined && before.present !== present;
    let changed = false;
    let { replaced } = before;
    if (isNew) replaced = this.#replacedBy(update, before, now);
    // A table that was not received says nothing about the room that another one left.
    const isWhole = present !== undefined && following !== undefined;
    if (replaced !== undefined && (isNew || isWhole))
      changed = this.#cease(stationId, replaced, now, roomFor(replaced.id, update), isNew);
    if (isNew && present !== null) changed = this.#set(stationId, present, 'on', since, now) || changed;
    // Present and following are independent tables.
    this.#stations.set(stationId, {
      present: present === undefined ? before.present : present,
      following: following === undefined ? before.following : following,
      startsAt: present === undefined ? before.startsAt : update.startsAt,
      endsAt: present === undefined ? before.endsAt : update.endsAt,
      empty: update.present === undefined ? before.empty : empty,
      lostAt: null,
      replaced,
      unreceived: present === undefined ? before.unreceived : undefined,
    });
    if (present != null) this.#announce(present, update.endsAt, now);
    if (following !== undefined && before.following !== following) {
      const passed = before.following;
      if (passed != null && passed !== present) changed = this.#pass(passed) || changed;
    }
    if (following != null && following !== present && this.#airings.get(following)?.state !== 'next')
      changed = this.#set(stationId, following, 'next', null, now) || changed;
    return changed;
  }

  /** The programme that was present before. Undefined: none is known. */
  #replacedBy(update: PresentUpdate, before: Partial<Station>, now: BroadcastMs): Station['replaced'] {
    const { present: id, startsAt, endsAt, unreceived } = before;
    // The end of a programme that ended while its station was not received is unknown.
    if (id != null) return { id, startsAt, endsAt, until: ceasedAt(before, update) };
    if (unreceived === undefined) return undefined;
    this.#airings.set(unreceived.id, { ...unreceived.airing, at: now });
    return unreceived.id === update.present
      ? undefined
      : { ...unreceived, until: endedUnreceived(unreceived, update) };
  }

  /** No station is being received any more. */
  lost(now: BroadcastMs): void {
    for (const station of this.#stations.values()) station.lostAt ??= now;
  }

  airings(now: BroadcastMs): Airings {
    this.#forget(now);
    return new Map([...this.#airings].map(([id, airing]) => [id, reported(airing, now)]));
  }

  /** Its first start is kept across interruptions. @param since epoch ms; null: unknown */
  #set(
    stationId: StationId,
    id: ProgramId,
    state: 'on' | 'next',
    since: BroadcastMs | null,
    at: BroadcastMs,
  ): boolean {
    const known = this.#airings.get(id);
    const wasBegun = known?.begun === true;
    const from = wasBegun ? known.from : since;
    const { ceased = { until: null }, announced } = known ?? {};
    this.#airings.delete(id);
    this.#airings.set(id, {
      ...{ stationId, state, begun: wasBegun || state === 'on', from, until: null, ceased, announced, at },
    });
    return true;
  }

  #announce(id: ProgramId, endsAt: BroadcastMs | null | undefined, now: BroadcastMs): void {
    const known = this.#airings.get(id);
    if (known === undefined) return;
    const announced = announce(known.announced, endsAt, now);
    if (announced !== known.announced) this.#airings.set(id, { ...known, announced });
  }

  /** @param isNew it ended now; otherwise, only what is announced after it is new @returns whether anything changed */
  #cease(
    stationId: StationId,
    { id, until, startsAt, endsAt }: NonNullable<Station['replaced']>,
    at: BroadcastMs,
    room: Room,
    isNew = true,
  ): boolean {
    const known = this.#airings.get(id);
    const { from = null, announced } = known ?? {};
    const isKnown = announced !== undefined && until !== null;
    const ceased: Ceased = {
      until,
      ...(endsAt === undefined ? {} : { announcedEnd: endsAt }),
      ...(isKnown ? { closesAt: endOfReplaced(announced, until, room) } : {}),
    };
    if (!isNew && (known?.state !== 'over' || known.ceased.closesAt === ceased.closesAt)) return false;
    // If the table was wrong for a while, nothing has begun.
    const begun = until === null || startsAt == null || until > startsAt;
    this.#airings.delete(id);
    this.#airings.set(id, { stationId, state: 'over', begun, from, ...ceased, ceased, announced, at });
    return true;
  }

  /** No longer announced as next: an interrupted programme has ended then. */
  #pass(id: ProgramId): boolean {
    const known = this.#airings.get(id);
    if (known?.state !== 'next') return false;
    if (known.begun) this.#airings.set(id, { ...known, state: 'over' });
    else this.#airings.delete(id);
    return true;
  }

  #forget(now: BroadcastMs): void {
    for (const [id, station] of this.#stations) {
      const { present, empty } = station;
      if (empty === undefined || Math.abs(now - empty.at) <= EMPTY_MS) continue;
      if (present != null)
        this.#cease(id, { ...station, id: present, until: empty.since }, now, UNKNOWN_ROOM);
      this.#stations.set(id, { ...station, present: null, empty: undefined });
    }
    for (const [id, { lostAt, present, startsAt, endsAt, unreceived }] of [...this.#stations]) {
      if (lostAt === null || Math.abs(now - lostAt) <= UNRECEIVED_MS) continue;
      this.#stations.delete(id);
      const airing = present == null ? undefined : this.#airings.get(present);
      const last =
        present == null || airing === undefined ? unreceived : { id: present, airing, startsAt, endsAt };
      const isRemembered = last !== undefined && Math.abs(now - lostAt) <= PAST_MS;
      if (isRemembered) this.#stations.set(id, { ...UNKNOWN, lostAt, unreceived: last });
      for (const [program, { stationId, state }] of this.#airings)
        if (stationId === id && state !== 'over') this.#airings.delete(program);
    }
    for (const [program, { state, at }] of this.#airings)
      if (state === 'over' && Math.abs(now - at) > PAST_MS) this.#airings.delete(program);
  }
}

const UNKNOWN = {
  ...{ present: undefined, following: undefined, startsAt: undefined, endsAt: undefined, empty: undefined },
};

/** Where a replaced programme could return. */
function roomFor(id: ProgramId, { endsAt, following, followingStartsAt, present }: PresentUpdate): Room {
  const isAfter = following != null && following !== present && following !== id;
  return { from: endsAt ?? null, to: isAfter ? (followingStartsAt ?? null) : null };
}

/** The other programme began when it was announced to end, or before; otherwise, further ones may have been on. */
function endedUnreceived(
  { startsAt, airing: { announced, from } }: NonNullable<Station['unreceived']>,
  { startsAt: otherStartsAt, present }: PresentUpdate,
): BroadcastMs | null {
  if (present == null || otherStartsAt == null || announced === undefined) return null;
  // An announced begin that moved after it had begun is wrong.
  const beganAt = from ?? startsAt;
  const isAfter = beganAt == null || otherStartsAt > beganAt;
  const isInTime = announced.ends.some(({ endsAt }) => otherStartsAt <= endsAt + LATE_TABLE_MS);
  return isAfter && isInTime ? otherStartsAt : null;
}

function reported({ state, from, ceased, announced }: WatchedAiring, now: BroadcastMs): Airing {
  if (state === 'over') return { state, from, ...ceased };
  const closesAt = state === 'on' && announced !== undefined ? standingEnd(announced, now) : undefined;
  return { state, from, until: null, ...(closesAt === undefined ? {} : { closesAt }) };
}

/**
 * When the present programme ended. A paused process receives an interruption late: then its announced start counts,
 * as for every announced boundary. Null: unknown.
 */
function ceasedAt(before: Partial<Station>, { present, startsAt, since }: PresentUpdate): BroadcastMs | null {
  if (since === null || present == null || startsAt == null) return since;
  if (before.startsAt == null || before.endsAt == null) return since;
  const hasBrokenIn = startsAt > before.startsAt && startsAt < before.endsAt;
  return hasBrokenIn && startsAt < since ? boundary(startsAt, since) : since;
}

/** Undefined: its table lists a programme, or none was to follow. */
function emptyOf(
  { present, endsAt, empty }: Partial<Station>,
  update: PresentUpdate,
  now: BroadcastMs,
): Station['empty'] {
  if (update.present !== null || present == null) return undefined;
  if (endsAt === undefined) return undefined;
  const isOver = endsAt !== null && Math.abs((update.since ?? now) - endsAt) <= LATE_TABLE_MS;
  return isOver ? undefined : (empty ?? { at: now, since: update.since });
}
