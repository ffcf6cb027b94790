/**
 * What is on and next on the stations that are being received, and when programmes really began and ended there.
 * Pure. Stored guides tell neither: a table says when a programme should be, its change says when it is.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { Airing, Airings } from '../model/airing.ts';

/** What present/following of a station's own stream said. */
export interface AirNews {
  stationId: StationId;
  /** Whether the stream is still being read. */
  watched: boolean;
  /** null: nothing is; undefined: it was not heard yet. */
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Since when it is so, epoch ms of the broadcast; null: from before the reading began. */
  since: number | null;
}

/** A stream that broke off is opened again within this. What was on is taken to go on so long. */
const UNHEARD_MS = 180_000;
/** Whoever asks when something ended, asks soon. */
const PAST_MS = 3_600_000;

interface Station {
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Epoch ms; null: it is being read. */
  lostAt: number | null;
}

type Heard = Airing & {
  readonly stationId: StationId;
  /** It has been present. */
  readonly begun: boolean;
  /** When this was heard, epoch ms. */
  readonly at: number;
};

export class AirWatch {
  readonly #stations = new Map<StationId, Station>();
  readonly #airings = new Map<ProgramId, Heard>();

  /** @param now epoch ms of the broadcast @returns whether anything is different */
  take(news: AirNews, now: number): boolean {
    const { stationId, present, following, since } = news;
    this.#forget(now);
    const known = this.#stations.get(stationId);
    if (!news.watched) {
      if (known?.lostAt === null) this.#stations.set(stationId, { ...known, lostAt: now });
      return false;
    }
    const before: Partial<Station> = known ?? {};
    // What it says of one of the two says nothing of the other.
    this.#stations.set(stationId, {
      present: present === undefined ? before.present : present,
      following: following === undefined ? before.following : following,
      lostAt: null,
    });
    let changed = false;
    if (present !== undefined && before.present !== present) {
      // What ended while nobody listened ended at a time that nobody knows.
      if (before.present != null)
        changed = this.#set(stationId, before.present, { state: 'over', until: since }, now);
      if (present !== null)
        changed = this.#set(stationId, present, { state: 'on', from: since, until: null }, now) || changed;
    }
    if (following !== undefined && before.following !== following) {
      const passed = before.following;
      if (passed != null && passed !== present && this.#airings.get(passed)?.state === 'next')
        changed = this.#airings.delete(passed) || changed;
    }
    if (following != null && following !== present && this.#airings.get(following)?.state !== 'next')
      changed = this.#set(stationId, following, { state: 'next' }, now) || changed;
    return changed;
  }

  /** Nothing is being read any more. */
  lost(now: number): void {
    for (const station of this.#stations.values()) station.lostAt ??= now;
  }

  airings(now: number): Airings {
    this.#forget(now);
    return new Map(
      [...this.#airings].map(([id, { state, from, until }]) => [id, { state, from, until }] as const),
    );
  }

  /** When it first began stands, whatever came between. */
  #set(
    stationId: StationId,
    id: ProgramId,
    change: Partial<Airing> & Pick<Airing, 'state'>,
    at: number,
  ): boolean {
    const known = this.#airings.get(id);
    const { from = null, until = null } = change;
    this.#airings.delete(id);
    this.#airings.set(id, {
      stationId,
      state: change.state,
      begun: known?.begun === true || change.state !== 'next',
      from: known?.begun === true ? known.from : from,
      until: change.state === 'next' ? null : until,
      at,
    });
    return true;
  }

  #forget(now: number): void {
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
