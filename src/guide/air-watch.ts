/**
 * Present and next programmes of the stations being received, and when programmes actually began and ended. Pure. A
 * table announces when a programme should begin; a change of present/following shows when it does.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import { type Airing, type Airings, boundary, LATE_TABLE_MS } from '../model/airing.ts';
import { type AnnouncedEnds, announce, endOfReplaced, standingEnd } from './announced-ends.ts';

/** Present/following of a station's own stream. */
interface AirNews {
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
}

/** An interrupted stream is reopened within this time; until then its last present event is assumed to be on. */
const UNHEARD_MS = 180_000;
/** How long ended programmes are remembered. */
const PAST_MS = 3_600_000;
/** For this long, an empty table before the announced end is treated as a broadcaster's mistake. */
const EMPTY_MS = 120_000;

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
  take(news: AirNews, now: BroadcastMs): boolean {
    const { stationId, following, since } = news;
    this.#forget(now);
    const known = this.#stations.get(stationId);
    if (!news.watched) {
      if (known?.lostAt === null) this.#stations.set(stationId, { ...known, lostAt: now });
      return false;
    }
    const before: Partial<Station> = known ?? {};
    const empty = emptyOf(before, news, now);
    const present = empty === undefined ? news.present : undefined;
    // Present and following are independent tables.
    this.#stations.set(stationId, {
      present: present === undefined ? before.present : present,
      following: following === undefined ? before.following : following,
      startsAt: present === undefined ? before.startsAt : news.startsAt,
      endsAt: present === undefined ? before.endsAt : news.endsAt,
      empty: news.present === undefined ? before.empty : empty,
      lostAt: null,
    });
    let changed = false;
    if (present !== undefined && before.present !== present) {
      // The end of a programme that ended while its station was not received is unknown.
      if (before.present != null)
        changed = this.#cease(stationId, before.present, ceasedAt(before, news), before, now, news.endsAt);
      if (present !== null) changed = this.#set(stationId, present, 'on', since, now) || changed;
    }
    if (present != null) this.#announce(present, news.endsAt, now);
    if (following !== undefined && before.following !== following) {
      const passed = before.following;
      if (passed != null && passed !== present) changed = this.#pass(passed) || changed;
    }
    if (following != null && following !== present && this.#airings.get(following)?.state !== 'next')
      changed = this.#set(stationId, following, 'next', null, now) || changed;
    return changed;
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

  /**
   * @param until epoch ms; null: unknown
   * @param endsAt its announced end
   * @param otherEndsAt announced end of the programme that is on instead
   */
  #cease(
    stationId: StationId,
    id: ProgramId,
    until: BroadcastMs | null,
    { startsAt, endsAt }: Partial<Pick<Station, 'startsAt' | 'endsAt'>>,
    at: BroadcastMs,
    otherEndsAt: BroadcastMs | null = null,
  ): boolean {
    const { from = null, announced } = this.#airings.get(id) ?? {};
    const isKnown = announced !== undefined && until !== null;
    const ceased: Ceased = {
      until,
      ...(endsAt === undefined ? {} : { announcedEnd: endsAt }),
      ...(isKnown ? { closesAt: endOfReplaced(announced, until, otherEndsAt) } : {}),
    };
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
      if (present != null) this.#cease(id, present, empty.since, station, now);
      this.#stations.set(id, { ...station, present: null, empty: undefined });
    }
    for (const [id, { lostAt }] of this.#stations) {
      if (lostAt === null || Math.abs(now - lostAt) <= UNHEARD_MS) continue;
      this.#stations.delete(id);
      for (const [program, { stationId, state }] of this.#airings)
        if (stationId === id && state !== 'over') this.#airings.delete(program);
    }
    for (const [program, { state, at }] of this.#airings)
      if (state === 'over' && Math.abs(now - at) > PAST_MS) this.#airings.delete(program);
  }
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
function ceasedAt(before: Partial<Station>, { present, startsAt, since }: AirNews): BroadcastMs | null {
  if (since === null || present == null || startsAt == null) return since;
  if (before.startsAt == null || before.endsAt == null) return since;
  const hasBrokenIn = startsAt > before.startsAt && startsAt < before.endsAt;
  return hasBrokenIn && startsAt < since ? boundary(startsAt, since) : since;
}

/** Undefined: its table lists a programme, or none was to follow. */
function emptyOf(
  { present, endsAt, empty }: Partial<Station>,
  news: AirNews,
  now: BroadcastMs,
): Station['empty'] {
  if (news.present !== null || present == null) return undefined;
  if (endsAt === undefined) return undefined;
  const isOver = endsAt !== null && Math.abs((news.since ?? now) - endsAt) <= LATE_TABLE_MS;
  return isOver ? undefined : (empty ?? { at: now, since: news.since });
}
