/** Goal of a reading: when it ends, and which stations count as read. Pure. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { ReadCoverage } from '../model/guide-change.ts';
import type { WantedStation } from './guide-messages.ts';
import type { GuideSession, KnownStations } from './guide-session.ts';

/**
 * A schedule without a section within this multiple of the settling time is not sent. Those of other streams' stations
 * may be sent as rarely as every three minutes.
 */
const ABSENT_AFTER = { own: 1, others: 3 };

export class VisitGoal {
  constructor(
    private readonly wanted: readonly WantedStation[],
    private readonly settleMs: number,
    private readonly patienceMs: number,
    private readonly stations: KnownStations,
  ) {}

  /** @param elapsed ms since the first byte */
  reached(session: GuideSession, elapsed: number, now: WallMs): boolean {
    if (elapsed < this.settleMs || session.holds) return false;
    return this.wanted.every(
      (each) => (each.optional && elapsed >= this.patienceMs) || this.#isRead(each, session, elapsed, now),
    );
  }

  /** @param counts the reading was complete: stations whose complete schedule was wanted have been read */
  coverage(session: GuideSession, now: WallMs, counts: boolean): ReadCoverage[] {
    const rows = new Map(session.coverage(now).map((row) => [row.stationId, row]));
    if (!counts) return [...rows.values()];
    for (const { id, depth } of this.wanted) {
      if (depth !== 'full' || this.stations.get(id) === undefined) continue;
      const row = rows.get(id);
      const announced = session.description(id)?.hasSchedule ?? false;
      // A schedule that is announced but not sent does not count as complete: the next reading may find it.
      rows.set(
        id,
        row === undefined
          ? { stationId: id, filledUntil: null, whole: !announced, readAt: now, hasGuide: false }
          : { ...row, readAt: now },
      );
    }
    return [...rows.values()];
  }

  #isRead({ id, depth }: WantedStation, session: GuideSession, elapsed: number, now: WallMs): boolean {
    // The station was removed: no longer wanted.
    if (this.stations.get(id) === undefined) return true;
    const description = session.description(id);
    if (depth === 'present') return session.sawPresent(id) || description?.hasPresentFollowing === false;
    const schedule = session.schedule(id);
    if (schedule === undefined || schedule.taken.basic === 0) {
      // Basic schedules of a stream's own stations begin to arrive within seconds, whatever the SDT announces.
      const turns = description?.actual === true ? ABSENT_AFTER.own : ABSENT_AFTER.others;
      return description?.hasSchedule === false || elapsed >= this.settleMs * turns;
    }
    const time = session.time(now);
    if (!schedule.progress('basic', time).complete) return false;
    if (depth === 'basic') return true;
    // Not every station has extended texts: if none arrived, it has none.
    return schedule.taken.extended === 0 || schedule.progress('extended', time).complete;
  }
}

/** Stations of a reading, which all must be found. */
export function wantedStations(
  ids: readonly StationId[],
  depth: WantedStation['depth'],
  optional = false,
): WantedStation[] {
  return ids.map((id) => ({ id, depth, optional }));
}
