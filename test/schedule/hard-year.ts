/**
 * A home with any equipment, in months with many faults: the machine is off and comes back with a wrong
 * clock, the agent is unavailable, tuners are in error, the guide is not received, all folders are full;
 * users reserve and cancel. Uses the real plan, the agent's own rules, and a recorder that behaves like the
 * real one, minute by minute.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { recordingId, reservationId } from '../../lib/wire/ids.ts';
import { tunersOfPlan } from '../../src/booking/plan-tuners.ts';
import { AirWatch } from '../../src/guide/air-watch.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import type { PassedOverReason } from '../../src/model/reservation-reason.ts';
import type { Plan, PlannedOpening } from '../../src/schedule/plan/plan-types.ts';
import type { Random } from '../fuzz/random.ts';
import { tunerOf } from '../tuner.ts';
import { AgentModel } from './agent-model.ts';
import { Air } from './broadcast-year.ts';
import {
  equipmentOf,
  type RankedTuner,
  stationsOf,
  type Trouble,
  type TroubleKind,
  troublesOf,
} from './faults-of-a-year.ts';
import { DAY, Home, MINUTE } from './plan-home.ts';
import { Users } from './random-users.ts';
import { settled } from './settled.ts';
import { planFaults } from './sound-plan.ts';

/** Number of days that the guide covers. */
const AHEAD = 8;
const RECORDED_REACH = 30 * DAY;
const FORGOTTEN = 14 * DAY;
/** Time to tune and to receive three time tables. */
const TIME_DELAY = MINUTE;

export const BIT: Readonly<Record<TroubleKind | 'clock', number>> = {
  off: 1,
  agent: 2,
  guide: 4,
  full: 8,
  clock: 16,
  tuner: 32,
};

export interface Stretch {
  readonly from: number;
  to: number;
  readonly tuner: number;
}

/** A recording, in real time. */
export interface Taken {
  /** May have changed its event id. */
  programId: ProgramId;
  readonly reservation: Reservation;
  readonly beganAt: number;
  /** The written spans. */
  readonly stretches: Stretch[];
  /** The spans in which the reservation used a tuner. */
  readonly held: Stretch[];
  over: boolean;
  /** Its end was given to the next recording on its tuner. */
  yielded: boolean;
}

interface Running {
  readonly taken: Taken;
  readonly id: number;
  closeAt: number;
  holdUntil: number | null;
  tuner: number | null;
  after: readonly ProgramId[];
}

export class HardHome {
  readonly home = new Home();
  readonly tuners: readonly RankedTuner[];
  readonly air: Air;
  readonly taken = new Map<ProgramId, Taken>();
  readonly faults: string[] = [];
  /** Latest reasons why programmes are not reserved. */
  readonly passedOver = new Map<ProgramId, PassedOverReason>();
  /** Programmes that were in the guide early enough to be reserved. */
  readonly known = new Set<ProgramId>();
  /** Programmes whose changes were not received for a while. */
  readonly missedChanges = new Set<ProgramId>();
  readonly homeUsers: Users;
  /** Their tuner was released before the overrun was announced. */
  readonly overtaken = new Set<ProgramId>();
  readonly counts = { plans: 0, shared: 0, troubles: 0 };
  readonly troubles: readonly Trouble[];
  /** Faults of each minute: one bit per kind, see `BIT`, then one per tuner. */
  readonly wrong: number[] = [];
  /** Real time, epoch ms. */
  at: BroadcastMs;
  #agent: AgentModel;
  #watch = new AirWatch();
  #listening = new Set<StationId>();
  #active: Trouble[] = [];
  #next = 0;
  /** Offset of the machine's clock. */
  #clockError = 0;
  #onSince: number;
  /** Time since which the broadcast time can be received. */
  #canReceiveSince = 0;
  /** The latest tuner list from the agent. */
  #tunerList: readonly Tuner[] | null = null;
  #openings: readonly PlannedOpening[] = [];
  readonly #running = new Map<ProgramId, Running>();
  #unannounced = new Set<ProgramId>();
  /** Within the days in which an episode is not recorded again. */
  #recent: Taken[] = [];

  constructor(
    readonly random: Random,
    readonly firstDay: number,
    days: number,
  ) {
    const { home } = this;
    this.at = this.#onSince = home.now = broadcastMs(firstDay);
    this.tuners = equipmentOf(random);
    this.homeUsers = new Users(home, random);
    this.#agent = new AgentModel(this.tuners);
    const marginBefore = random.pick([0, 1, 5]) * MINUTE;
    home.settings = { ...home.settings, marginBefore, marginAfter: random.pick([0, 1, 10]) * MINUTE };
    this.air = new Air(random, stationsOf(home, random), firstDay, 20 + random.below(30));
    for (const { name } of this.air.series) {
      if (random.below(3) > 0)
        home.rule(name, {
          priority: random.below(5),
          dedupe: random.below(3) > 0,
          keywordIn: ['title'],
          marginAfter: random.pick([null, null, 0, 3 * MINUTE]),
        });
    }
    home.rule('野球中継', { priority: 3, dedupe: false });
    this.troubles = troublesOf(random, firstDay, days, this.tuners.length);
    for (let day = 0; day < AHEAD; day++) this.#say(this.air.day(day).map(({ program }) => program.id));
  }

  isIn(kind: TroubleKind): boolean {
    return this.#active.some((one) => one.kind === kind);
  }

  isBroken(tuner: number): boolean {
    return this.#active.some((one) => one.kind === 'tuner' && one.tuner === tuner);
  }

  get isTimeSure(): boolean {
    return this.#clockError === 0;
  }

  /** The events of the minute that begins now. */
  pass(): void {
    const { home, air, random, at } = this;
    const minute = (at - this.firstDay) / MINUTE;
    let changed = this.#updateFaults() || minute === 0;
    if (minute > 0 && minute % 1440 === 0)
      changed = this.#say(air.day(minute / 1440 + AHEAD - 1).map(({ program }) => program.id)) || changed;
    const announcements = air.announcements(at);
    if (announcements !== undefined)
      changed =
        this.#say([...announcements.remove, ...announcements.put.map(({ program }) => program.id)]) ||
        changed;
    if (!this.isIn('off')) {
      changed = this.#announceTime() || changed;
      home.now = broadcastMs(at + this.#clockError);
      home.isTimeSure = this.isTimeSure;
      home.runningSince = broadcastMs(this.#onSince + this.#clockError);
      if (minute % 1440 === 0 && this.isTimeSure) this.#forget();
      if (random.below(400) === 0) changed = this.homeUsers.decide() || changed;
      if (this.#listen()) changed = true;
      // A plan is made every minute; only the minutes in which something is due matter.
      const isDue = this.#openings.some(({ openAt }) => openAt > home.now - MINUTE && openAt <= home.now);
      if (changed || isDue || minute % 30 === 0) this.plan();
      if (this.#record()) this.plan();
    }
    this.#note();
    this.at = plusMs(this.at, MINUTE);
  }

  #note(): void {
    let bits = this.isTimeSure ? 0 : BIT.clock;
    for (const { kind, tuner } of this.#active) bits |= kind === 'tuner' ? BIT.tuner << tuner : BIT[kind];
    this.wrong.push(bits);
  }

  /** The faults in any minute of a time range. */
  wrongBetween(from: number, to: number): number {
    const index = (at: number): number => Math.floor((at - this.firstDay) / MINUTE);
    return this.wrong.slice(Math.max(0, index(from)), index(to)).reduce((all, bits) => all | bits, 0);
  }

  /** Starts and ends faults. @returns whether there was a change */
  #updateFaults(): boolean {
    const before = this.#active;
    const over = before.filter(({ to }) => to <= this.at);
    this.#active = before.filter(({ to }) => to > this.at);
    for (let next = this.troubles[this.#next]; next !== undefined && next.from <= this.at; ) {
      this.#active.push(next);
      this.counts.troubles++;
      this.#next++;
      next = this.troubles[this.#next];
    }
    for (const one of over) if (one.kind === 'off' && !this.isIn('off')) this.#switchOn(one.clockError);
    const begun = this.#active.filter((one) => !before.includes(one));
    const isCut = begun.some(({ kind }) => kind === 'off' || kind === 'agent');
    if (isCut) {
      for (const running of this.#running.values()) this.#lose(running);
      this.#agent = new AgentModel(this.tuners);
    }
    if (this.isIn('off') || this.isIn('agent')) this.#canReceiveSince = Infinity;
    else if (this.#canReceiveSince === Infinity) this.#canReceiveSince = this.at;
    for (let tuner = 0; tuner < this.tuners.length; tuner++) {
      for (const id of this.#agent.setBroken(tuner, this.isBroken(tuner))) {
        const running = [...this.#running.values()].find((one) => one.id === id);
        if (running !== undefined) this.#lose(running);
      }
    }
    if (over.length + begun.length === 0) return false;
    if (!this.isIn('off') && !this.isIn('agent')) this.#receiveGuide();
    return true;
  }

  #switchOn(clockError: number): void {
    this.#clockError = clockError;
    this.#onSince = this.at;
    this.#tunerList = null;
    this.#openings = [];
    this.#watch = new AirWatch();
    this.#listening = new Set();
    this.home.airings.clear();
    // Nothing is considered over while the clock may be wrong.
    if (clockError !== 0) return;
    for (const running of [...this.#running.values()]) if (this.#isThrough(running)) this.#finish(running);
  }

  /** @returns whether the clock has just become right */
  #announceTime(): boolean {
    if (this.isTimeSure || this.at < this.#canReceiveSince + TIME_DELAY) return false;
    this.#clockError = 0;
    return true;
  }

  /**
   * Delivers the stations' announcements, or keeps them for later if there is no reception. @returns whether
   * they were received
   */
  #say(ids: readonly ProgramId[]): boolean {
    for (const id of ids) this.#unannounced.add(id);
    return this.#receiveGuide();
  }

  #receiveGuide(): boolean {
    if (this.isIn('off') || this.isIn('agent') || this.isIn('guide')) {
      for (const id of this.#unannounced) this.missedChanges.add(id);
      return false;
    }
    const { home, air } = this;
    for (const id of this.#unannounced) {
      const aired = air.aired.get(id);
      if (aired === undefined) home.guide.remove(id);
      else if (aired.program.endAt > this.at - DAY) home.guide.put(aired.program);
      if (aired !== undefined && aired.program.startAt > this.at) this.known.add(id);
    }
    const isNew = this.#unannounced.size > 0;
    this.#unannounced.clear();
    return isNew;
  }

  plan(): void {
    const { home, random } = this;
    this.#showTuners();
    const made = home.run();
    this.counts.plans++;
    this.#openings = home.tuners === null ? [...made.openings, ...this.#ownTimes()] : made.openings;
    for (const [id, reason] of made.passedOver) this.passedOver.set(id, reason);
    this.#follow(made);
    this.faults.push(...planFaults(home, made, this.homeUsers.byHand));
    if (random.below(4) === 0) settled(home);
  }

  /** Recordings that begin before the tuner list is known. */
  #ownTimes(): PlannedOpening[] {
    const { settings, reservations } = this.home;
    const open = reservations.filter(({ state }) => state === 'scheduled');
    return open.map(({ programId, startAt, endAt, marginBefore, marginAfter }) => ({
      ...{
        programId,
        startAt,
        endAt,
        holdUntil: null,
        listenUntil: null,
        brokenAt: null,
        after: [],
        cuts: [],
      },
      openAt: plusMs(startAt, -(marginBefore ?? settings.marginBefore)),
      closeAt: plusMs(endAt, marginAfter ?? settings.marginAfter),
    }));
  }

  #follow({ openings }: Plan): void {
    for (const [id, running] of [...this.#running]) {
      const programId = this.home.reservations.find((one) => one.id === running.id)?.programId ?? id;
      if (programId === id) continue;
      running.taken.programId = programId;
      this.#running.delete(id);
      this.#running.set(programId, running);
      this.taken.delete(id);
      this.taken.set(programId, running.taken);
    }
    for (const { programId, closeAt, holdUntil, after } of openings) {
      const running = this.#running.get(programId);
      if (running === undefined) continue;
      running.closeAt = Math.max(running.closeAt, closeAt);
      running.holdUntil = holdUntil;
      running.after = after;
    }
  }

  #showTuners(): void {
    const { home } = this;
    if (!this.isIn('agent')) {
      const readers = this.#agent.readers();
      this.#tunerList = this.tuners.map(({ rank, types }, index) =>
        tunerOf([...types], {
          id: String(index),
          rank,
          state: this.isBroken(index) ? 'error' : 'tuned',
          users: (readers[index] ?? []).map((id) => ({ use: `rec ${id}`, priority: 10, lagBytes: 0 })),
        }),
      );
    }
    const running = [...this.#running.values()].map(
      ({ id, tuner }) =>
        [
          reservationId(id),
          { recordingId: recordingId(id), tunerId: tuner === null ? null : String(tuner) },
        ] as const,
    );
    home.tuners = this.#tunerList === null ? null : tunersOfPlan(this.#tunerList, new Map(running));
    home.recorded = this.#recent
      .filter(({ over, stretches }) => !over || stretches.length > 0)
      .flatMap(({ programId }) => {
        const aired = this.air.aired.get(programId);
        if (aired === undefined || aired.series === '') return [];
        const { name, description, extended, startAt } = aired.program;
        return [{ name, description, extended, programId, startAt }];
      });
  }

  /** Delivers announcements of stations that are being recorded. @returns whether they changed */
  #listen(): boolean {
    const { home, air, at } = this;
    const received = [...this.#running.values()].filter(({ tuner }) => tuner !== null);
    const stations = new Set(received.map(({ taken }) => taken.reservation.stationId));
    let changed = false;
    for (const stationId of home.stations.keys()) {
      const watched = stations.has(stationId);
      if (!watched && !this.#listening.has(stationId)) continue;
      const since = this.#listening.has(stationId) ? at : null;
      const { present, following } = air.onAir(stationId, at);
      changed = this.#watch.take({ stationId, watched, present, following, since }, at) || changed;
    }
    this.#listening = stations;
    if (!changed) return false;
    home.airings.clear();
    for (const [id, airing] of this.#watch.airings(broadcastMs(at))) home.airings.set(id, airing);
    return true;
  }

  #isThrough({ closeAt, holdUntil }: Running): boolean {
    return Math.max(closeAt, holdUntil ?? closeAt) <= this.home.now;
  }

  /** Advances the recorder by a minute. @returns whether something changed */
  #record(): boolean {
    const { home } = this;
    let changed = false;
    const wasSure = this.isTimeSure;
    for (const running of [...this.#running.values()]) {
      if (!this.#isThrough(running) || !wasSure) continue;
      this.#finish(running);
      changed = true;
    }
    for (const running of [...this.#running.values()].sort((a, b) => a.id - b.id))
      if (running.tuner === null) changed = this.#open(running) || changed;
    for (const { programId, openAt, closeAt, holdUntil, after } of this.#openings) {
      if (openAt > home.now || closeAt <= home.now || this.#running.has(programId)) continue;
      // A machine that was just started waits for the broadcast time.
      if (!wasSure && this.at < this.#canReceiveSince + TIME_DELAY) continue;
      const reservation = home.of(programId);
      if (reservation?.state !== 'scheduled') continue;
      if (this.taken.has(programId)) this.faults.push(`${reservation.name} is recorded twice`);
      if (this.homeUsers.cancelled.has(programId))
        this.faults.push(`${reservation.name} was cancelled and is recorded`);
      const lists = { stretches: [], held: [] };
      const taken: Taken = {
        programId,
        reservation,
        beganAt: this.at,
        ...lists,
        over: false,
        yielded: false,
      };
      const running = { taken, id: reservation.id, closeAt, holdUntil, tuner: null, after };
      this.taken.set(programId, taken);
      this.#recent.push(taken);
      this.#running.set(programId, running);
      home.begin(programId);
      this.#open(running);
      changed = true;
    }
    for (const { taken, tuner } of this.#running.values()) if (tuner !== null) this.#write(taken, tuner);
    return changed;
  }

  #write({ stretches, held }: Taken, tuner: number): void {
    for (const list of this.isIn('full') ? [held] : [held, stretches]) {
      const last = list.at(-1);
      if (last?.to === this.at && last.tuner === tuner) last.to += MINUTE;
      else list.push({ from: this.at, to: this.at + MINUTE, tuner });
    }
  }

  #open(running: Running): boolean {
    const { home } = this;
    const { taken, id } = running;
    const station = home.stations.get(taken.reservation.stationId);
    if (station === undefined || this.isIn('agent')) return false;
    const users = running.after.flatMap((other) => this.#running.get(other)?.id ?? []);
    const given = this.#agent.open(id, station, users);
    if (given === undefined) {
      const isWell = this.tuners.every((_, index) => !this.isBroken(index));
      if (isWell && taken.beganAt === this.at && this.isTimeSure) this.#refused(taken);
      return false;
    }
    if ((this.#agent.readers()[given.tuner]?.length ?? 0) > 1) this.counts.shared++;
    for (const other of [...this.#running.values()].filter((one) => given.ended.includes(one.id))) {
      const { programId } = other.taken;
      if ((home.guide.get(programId)?.endAt ?? 0) > home.now) this.faults.push(`${programId} lost its end`);
      if ((this.air.aired.get(programId)?.program.endAt ?? 0) > this.at) this.overtaken.add(programId);
      other.taken.yielded = true;
      this.#finish(other);
    }
    running.tuner = given.tuner;
    return true;
  }

  #refused({ reservation: { name } }: Taken): void {
    // A programme overruns in this very minute: the next plan takes it into account.
    const late = [...this.#running.values()].some(({ taken }) => this.air.silent.has(taken.programId));
    const isBack = this.at <= this.#canReceiveSince + 2 * MINUTE;
    if (!late && !isBack)
      this.faults.push(`${name} was planned and refused at ${new Date(this.at).toISOString()}`);
  }

  #lose(running: Running): void {
    this.#agent.close(running.id);
    running.tuner = null;
  }

  #finish(running: Running): void {
    const { programId } = running.taken;
    this.#lose(running);
    running.taken.over = true;
    this.#running.delete(programId);
    const { home } = this;
    home.reservations = home.reservations.map((one) =>
      one.programId === programId ? { ...one, state: 'finished' } : one,
    );
  }

  /** Like the store: past programmes are deleted. */
  #forget(): void {
    const { home } = this;
    this.#recent = this.#recent.filter(({ beganAt }) => beganAt > this.at - RECORDED_REACH);
    const { now } = home;
    for (const station of home.stations.keys())
      for (const { id, endAt } of home.guide.ofStation(station)) if (endAt < now - DAY) home.guide.remove(id);
    const gone = home.reservations.filter(
      ({ state, endAt }) =>
        endAt <= now - FORGOTTEN && ['cancelled', 'missed', 'skipped', 'finished'].includes(state),
    );
    for (const { id } of gone) this.homeUsers.byHand.delete(id);
    home.reservations = home.reservations.filter((one) => !gone.includes(one));
    home.cancellations = home.cancellations.filter(({ startAt }) => startAt > now - FORGOTTEN);
  }
}
