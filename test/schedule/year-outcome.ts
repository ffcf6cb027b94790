/**
 * The outcome of everything that rules and users wanted in a hard year: it is complete, or the missing time
 * is no longer than the faults lasted; or it was not recorded, and the reported reason is true.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import type { Aired } from './broadcast-year.ts';
import { BIT, type HardHome, type Stretch, type Taken } from './hard-year.ts';
import { DAY, HOUR, MINUTE } from './plan-home.ts';

/** A tuner is requested again in the next minute. */
const AGAIN = 2 * MINUTE;
const RECORDED_REACH = 31 * DAY;
/** Older ones do not change any more. */
const DONE = 6 * HOUR;

type Kind =
  | 'whole'
  /** Recorded with an explained gap. */
  | 'torn'
  | 'conflict'
  | 'missed'
  /** Not reserved, with a reported reason. */
  | 'passedOver'
  | 'cancelled'
  /** Not announced in time to be reserved. */
  | 'unknown';

type Wanted = { readonly startAt: number; readonly endAt: number } & Pick<Aired['program'], 'stationId'>;

export class Outcomes {
  readonly counts: Partial<Record<Kind, number>> = {};
  /** Losses without an explanation. */
  readonly faults: string[] = [];
  #judged: number;

  constructor(private readonly home: HardHome) {
    this.#judged = home.at;
  }

  /** Judges everything that is finished by now. */
  judge(): void {
    const { home } = this;
    // While the machine is off or has the wrong time, there is nothing to check.
    if (home.isIn('off') || !home.isTimeSure) return;
    const from = this.#judged;
    this.#judged = home.at - DONE;
    const rules = new Set(home.home.rules.map(({ name }) => name));
    for (const aired of home.air.aired.values()) {
      const { id, endAt, copyNever } = aired.program;
      if (endAt < from || endAt >= this.#judged || copyNever) continue;
      const booked = home.home.of(id);
      if (!rules.has(aired.series) && (booked === undefined || !home.homeUsers.byHand.has(booked.id)))
        continue;
      const kind = this.#kindOf(aired);
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    }
  }

  #fault({ program: { id, name, startAt } }: Aired, what: string): void {
    this.faults.push(`${name} (${id}) of ${new Date(startAt).toISOString()} ${what}`);
  }

  #kindOf(aired: Aired): Kind {
    const { home } = this;
    const { id } = aired.program;
    const taken = home.taken.get(id);
    const reservation = home.home.of(id);
    if (taken !== undefined) return this.#recorded(aired, taken);
    if (reservation?.state === 'cancelled' || home.homeUsers.cancelled.has(id)) return 'cancelled';
    return reservation === undefined ? this.#notBooked(aired) : this.#notRecorded(aired, reservation);
  }

  #recorded(aired: Aired, taken: Taken): Kind {
    const { startAt, endAt } = aired.program;
    const missing = this.#unexplained(aired, taken);
    if (missing !== undefined) this.#fault(aired, `lacks ${missing}`);
    return holes(startAt, endAt, taken.stretches).length === 0 ? 'whole' : 'torn';
  }

  #notRecorded(aired: Aired, { state, reason, priority }: Reservation): Kind {
    const { home } = this;
    const { startAt, endAt, id } = aired.program;
    const code = state === 'missed' ? reason?.code : undefined;
    const wrong = home.wrongBetween(startAt - AGAIN, endAt);
    // According to a wrong clock it was over.
    const wasOff = (wrong & (BIT.off | BIT.clock)) !== 0;
    const type = this.#typeOf(aired.program);
    const isReceived = home.tuners.some(({ types }) => type !== undefined && types.includes(type));
    const isTrue =
      (code === 'missed_not_received' && !isReceived) ||
      (code === 'missed_tuners_in_use' && this.#isExcused(aired.program, priority)) ||
      (code === 'missed_service_stopped' && wasOff) ||
      // Aired at another time than announced.
      (code === 'missed_not_begun' && (wasOff || home.missedChanges.has(id)));
    if (!isTrue) this.#fault(aired, `is ${state}: ${reason?.code}`);
    return code === 'missed_not_received' || code === 'missed_tuners_in_use' ? 'conflict' : 'missed';
  }

  #notBooked(aired: Aired): Kind {
    const { home } = this;
    const { id } = aired.program;
    const reason = home.passedOver.get(id);
    if (reason?.code === 'recorded_before' && !this.#wasRecorded(aired))
      this.#fault(aired, 'was passed over as recorded before');
    if (reason !== undefined) return 'passedOver';
    if (home.known.has(id) && !home.missedChanges.has(id)) this.#fault(aired, 'was not booked');
    return 'unknown';
  }

  /** Describes time that is missing without any fault. */
  #unexplained({ program }: Aired, taken: Taken): string | undefined {
    const { home } = this;
    const { reservation, stretches, yielded, beganAt } = taken;
    const { id, startAt, endAt, stationId } = program;
    if (home.missedChanges.has(id)) return undefined;
    for (const [from, to] of holes(startAt, endAt, stretches)) {
      const isTail = to === endAt && (home.overtaken.has(id) || (yielded && home.air.silent.has(id)));
      if (isTail) continue;
      let wanted = from;
      // Reserved after it had begun.
      if (from === startAt && reservation.createdAt > startAt) wanted = reservation.createdAt + MINUTE;
      // It was in conflict until another one was over.
      const conflict = { startAt, endAt: Math.min(to, beganAt), stationId };
      if (from === startAt && beganAt > startAt && this.#isExcused(conflict, reservation.priority))
        wanted = Math.max(wanted, beganAt);
      for (let at = wanted; at < to; at += MINUTE) {
        if ((home.wrongBetween(at - AGAIN, at + MINUTE) & ~BIT.guide) === 0)
          return `${(to - at) / MINUTE} minutes from its minute ${(at - startAt) / MINUTE} on`;
      }
    }
    return undefined;
  }

  /** Every tuner that could have taken it was in error, or needed by a reservation of higher priority. */
  #isExcused(wanted: Wanted, priority: number): boolean {
    const { home } = this;
    const { startAt, endAt } = wanted;
    const type = this.#typeOf(wanted);
    const wrong = home.wrongBetween(startAt - AGAIN, endAt);
    if ((wrong & (BIT.off | BIT.agent | BIT.clock)) !== 0) return true;
    const before = [...home.taken.values()].filter(({ reservation, beganAt, programId }) => {
      const { program } = home.air.aired.get(programId) ?? { program: reservation };
      const overlaps = program.startAt < endAt && program.endAt > startAt;
      return overlaps && (reservation.priority >= priority || beganAt <= startAt);
    });
    const able = [...home.tuners.entries()].filter(
      ([, { types }]) => type !== undefined && types.includes(type),
    );
    const isTaken = ([index]: (typeof able)[number]): boolean =>
      (wrong & (BIT.tuner << index)) !== 0 ||
      before.some(({ held }) => held.some(({ tuner }) => tuner === index));
    // With tuners of several kinds the agent may assign one that a reservation of higher priority needs for
    // another type.
    return new Set(able.map(([, { rank }]) => rank)).size > 1 ? able.some(isTaken) : able.every(isTaken);
  }

  #typeOf({ stationId }: Pick<Wanted, 'stationId'>): BroadcastType | undefined {
    return this.home.home.stations.get(stationId)?.type;
  }

  #wasRecorded({ series, episode, program }: Aired): boolean {
    const { air, taken } = this.home;
    return [...taken.values()].some(({ programId, beganAt }) => {
      const other = air.aired.get(programId);
      const isSame = other?.series === series && other.episode === episode && programId !== program.id;
      return isSame && Math.abs(program.startAt - beganAt) < RECORDED_REACH;
    });
  }

  /** Number of repeated airings of an episode that a rule recorded completely again. */
  get twice(): number {
    const { home } = this;
    const seen = new Set<string>();
    let twice = 0;
    for (const { programId, stretches, reservation } of home.taken.values()) {
      const aired = home.air.aired.get(programId);
      const rule = home.home.rules.find(({ id }) => id === reservation.ruleId);
      if (aired === undefined || aired.episode === null || rule?.dedupe !== true) continue;
      const { startAt, endAt } = aired.program;
      if (holes(startAt, endAt, stretches).length > 0) continue;
      const episode = `${aired.series}${aired.episode}`;
      if (seen.has(episode)) twice++;
      seen.add(episode);
    }
    return twice;
  }
}

function holes(from: number, to: number, stretches: readonly Stretch[]): [number, number][] {
  const found: [number, number][] = [];
  let at = from;
  for (const one of stretches) {
    if (one.from > at) found.push([at, Math.min(one.from, to)]);
    at = Math.max(at, one.to);
    if (at >= to) return found;
  }
  found.push([at, to]);
  return found;
}
