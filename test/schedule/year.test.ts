/**
 * Months of television, planned and recorded without a database: the rules of a household over the announced
 * guide, a plan after every change, the agent's own rules when a recording begins. Afterwards the result is
 * compared with what was aired: what the rules wanted was recorded completely, or all tuners that could have
 * taken it were used by reservations of higher priority. The suite runs a fortnight, `--long` a year.
 */
import { expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { AirWatch } from '../../src/guide/air-watch.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import type { Rule } from '../../src/model/rule.ts';
import type { IndexedProgram } from '../../src/schedule/match/program-rows.ts';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { AgentModel } from './agent-model.ts';
import { Air, type Aired, type AirStation } from './broadcast-year.ts';
import { ANY_TUNER, DAY, GR_TUNER, Home, MINUTE, SATELLITE_TUNER } from './plan-home.ts';

const LONG = process.env.SVC_LONG === '1';
const DAYS = LONG ? 365 : 14;
/** Number of days that the guide covers. */
const AHEAD = 8;
const FIRST_DAY = Date.parse('2026-11-21T05:00:00+09:00');
const RECORDED_REACH = 30 * DAY;

interface Taken {
  readonly aired: Aired;
  readonly priority: number;
  readonly tuner: number;
  readonly openedAt: number;
  closedAt: number;
}

class Household {
  readonly home = new Home([GR_TUNER, SATELLITE_TUNER, ANY_TUNER]);
  readonly agent = new AgentModel(this.home.tuners ?? []);
  readonly air: Air;
  readonly taken: Taken[] = [];
  readonly faults: string[] = [];
  readonly #running = new Map<ProgramId, { taken: Taken; id: number; closeAt: number }>();
  #openings: { programId: ProgramId; openAt: number; after: readonly ProgramId[] }[] = [];
  readonly #watch = new AirWatch();
  #listening = new Set<StationId>();
  /** Their tuner was released before the overrun was announced. */
  readonly overtaken = new Set<ProgramId>();
  plans = 0;

  constructor(random: Random) {
    const { home } = this;
    home.settings = { ...home.settings, marginBefore: MINUTE, marginAfter: MINUTE };
    const stations: AirStation[] = [];
    for (const channel of ['T21', 'T22', 'T23', 'T24', 'T25']) {
      const id = home.station(channel, 1024);
      const branch = home.station(channel, 1025);
      stations.push({ id, branch }, { id: branch, branch: null });
    }
    for (const channel of ['BS01_0', 'BS03_1', 'BS05_0', 'CS02'])
      stations.push({ id: home.station(channel), branch: null });
    this.air = new Air(random, stations, FIRST_DAY, 60);
    for (const [index, { name }] of this.air.series.entries()) {
      if (index % 3 !== 2)
        home.rule(name, { priority: 1 + (index % 4), dedupe: index % 5 !== 0, keywordIn: ['title'] });
    }
    home.rule('野球中継', { priority: 3, dedupe: false });
  }

  announce(aired: readonly Aired[]): void {
    for (const { program } of aired) this.home.guide.put(program);
  }

  plan(): void {
    const made = this.home.run();
    this.#openings = [...made.openings];
    this.plans++;
    for (const { programId, closeAt, holdUntil } of made.openings) {
      const running = this.#running.get(programId);
      if (running !== undefined) running.closeAt = Math.max(closeAt, holdUntil ?? closeAt);
    }
  }

  /** Delivers announcements of stations that are being recorded. @returns whether they changed */
  listen(now: BroadcastMs): boolean {
    const heard = new Set([...this.#running.values()].map(({ taken }) => taken.aired.program.stationId));
    let changed = false;
    for (const stationId of this.home.stations.keys()) {
      const watched = heard.has(stationId);
      if (!watched && !this.#listening.has(stationId)) continue;
      const since = this.#listening.has(stationId) ? now : null;
      const { present, following } = this.air.onAir(stationId, now);
      changed = this.#watch.take({ stationId, watched, present, following, since }, now) || changed;
    }
    this.#listening = heard;
    if (changed) {
      this.home.airings.clear();
      for (const [id, airing] of this.#watch.airings(broadcastMs(now))) this.home.airings.set(id, airing);
    }
    return changed;
  }

  /** Advances the recorder by a minute. @returns whether something changed */
  record(now: number): boolean {
    let changed = false;
    for (const [programId, { closeAt }] of [...this.#running]) {
      if (closeAt <= now) changed = this.#finish(programId, now) || changed;
    }
    for (const { programId, openAt, after } of this.#openings) {
      if (openAt > now || this.#running.has(programId)) continue;
      changed = this.#begin(programId, after, now) || changed;
    }
    if (changed) this.#showTuners();
    return changed;
  }

  #begin(programId: ProgramId, after: readonly ProgramId[], now: number): boolean {
    const reservation = this.home.of(programId);
    const station = this.home.stations.get(reservation?.stationId ?? (0 as StationId));
    if (reservation?.state !== 'scheduled' || station === undefined) return false;
    // A programme that disappeared from the guide is recorded at its announced time all the same.
    const aired = this.air.aired.get(programId) ?? fallenOut(reservation);
    const users = after.flatMap((other) => this.#running.get(other)?.id ?? []);
    const given = this.agent.open(reservation.id, station, users);
    if (given === undefined) {
      this.faults.push(`${reservation.name} was planned and refused`);
      return false;
    }
    for (const [other, running] of [...this.#running]) {
      if (!given.ended.includes(running.id)) continue;
      if ((this.home.guide.get(other)?.endAt ?? 0) > now) this.faults.push(`${other} lost its end`);
      if ((this.air.aired.get(other)?.program.endAt ?? 0) > now) this.overtaken.add(other);
      this.#finish(other, now);
    }
    const taken = {
      aired,
      priority: reservation.priority,
      tuner: given.tuner,
      openedAt: now,
      closedAt: Infinity,
    };
    this.taken.push(taken);
    this.#running.set(programId, { taken, id: reservation.id, closeAt: reservation.endAt + MINUTE });
    this.home.begin(programId);
    return true;
  }

  #finish(programId: ProgramId, now: number): boolean {
    const running = this.#running.get(programId);
    if (running === undefined) return false;
    running.taken.closedAt = now;
    this.agent.close(running.id);
    this.#running.delete(programId);
    const { home } = this;
    home.reservations = home.reservations.map((one) =>
      one.programId === programId ? { ...one, state: 'finished' } : one,
    );
    return true;
  }

  #showTuners(): void {
    const { home, taken } = this;
    const readers = this.agent.readers();
    home.tuners = (home.tuners ?? []).map((tuner, index) => ({
      ...tuner,
      recording: (readers[index] ?? []).map(reservationId),
    }));
    // Incomplete recordings, and those of another programme than announced, do not prevent recording the
    // episode again.
    home.recorded = taken
      .filter(({ openedAt }) => openedAt > home.now - RECORDED_REACH - DAY)
      .filter(({ aired: { program, series }, openedAt }) => series !== '' && openedAt <= program.startAt)
      .map(({ aired: { program }, openedAt }) => ({
        ...program,
        programId: program.id,
        startAt: broadcastMs(openedAt),
      }));
  }

  /** Like the store: past programmes are deleted. */
  forget(now: number): void {
    const { home } = this;
    for (const station of home.stations.keys()) {
      for (const { id, endAt } of home.guide.ofStation(station)) if (endAt < now - DAY) home.guide.remove(id);
    }
    home.reservations = home.reservations.filter(({ endAt }) => endAt > now - 14 * DAY);
  }

  isWhole(aired: Aired): boolean {
    const { id, startAt, endAt } = aired.program;
    return this.taken.some(
      (one) => one.aired.program.id === id && one.openedAt <= startAt && one.closedAt >= endAt,
    );
  }

  /**
   * Every tuner that could have taken it was needed by a reservation of higher priority or one that had
   * begun.
   */
  isExcused(aired: Aired, rule: Rule): boolean {
    const { startAt, endAt, stationId } = aired.program;
    const type = this.home.stations.get(stationId)?.type;
    return (this.home.tuners ?? []).every(
      ({ types }, index) =>
        type === undefined ||
        !types.includes(type) ||
        this.taken.some((one) => {
          // As it was finally aired, without margins.
          const { program } = this.air.aired.get(one.aired.program.id) ?? one.aired;
          const overlaps = program.startAt < endAt && program.endAt > startAt;
          return (
            one.tuner === index && overlaps && (one.priority >= rule.priority || one.openedAt <= startAt)
          );
        }),
    );
  }
}

function fallenOut(reservation: Reservation): Aired {
  const { programId: id, startAt, endAt } = reservation;
  const program: IndexedProgram = {
    ...reservation,
    id,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(endAt),
    openEnd: false,
    extended: null,
    genres: [],
    isFree: true,
    copyNever: false,
    groups: [],
  };
  return { program, series: '', episode: null };
}

function live(household: Household): void {
  const { home, air } = household;
  for (let day = 0; day < AHEAD; day++) household.announce(air.day(day));
  for (let minute = 0; minute < DAYS * 1440; minute++) {
    const now = FIRST_DAY + minute * MINUTE;
    home.now = broadcastMs(now);
    let changed = minute === 0;
    if (minute > 0 && minute % 1440 === 0) {
      household.forget(now);
      household.announce(air.day(minute / 1440 + AHEAD - 1));
      changed = true;
    }
    const announcements = air.announcements(now);
    if (announcements !== undefined) {
      for (const id of announcements.remove) home.guide.remove(id);
      household.announce(announcements.put);
      changed = true;
    }
    if (household.listen(broadcastMs(now))) changed = true;
    // Announcements come before the actions of the recorder, because stations announce changes in advance.
    if (changed) household.plan();
    if (household.record(now)) household.plan();
  }
}

test(
  'nothing that the tuners could have recorded is missed',
  () => {
    const seed = fuzzSeed();
    console.log(`seed ${seed}`);
    const household = new Household(new Random(seed));
    live(household);
    const { home, air, taken, faults } = household;
    expect(faults).toEqual([]);
    const end = FIRST_DAY + (DAYS - 1) * DAY;
    const aired = [...air.aired.values()].filter(({ program }) => program.endAt < end);
    const missed: string[] = [];
    let conflicts = 0;
    let wanted = 0;
    for (const rule of home.rules) {
      const own = aired.filter(({ series }) => series === rule.name);
      for (const one of own) {
        if (one.program.copyNever) continue;
        wanted++;
        if (household.isWhole(one) || household.overtaken.has(one.program.id)) continue;
        const same = own.filter((other) => other.episode !== null && other.episode === one.episode);
        if (rule.dedupe && same.some((other) => household.isWhole(other))) continue;
        if (household.isExcused(one, rule)) conflicts++;
        else missed.push(`${rule.name} ${new Date(one.program.startAt).toISOString()} ${one.program.name}`);
      }
    }
    expect(missed).toEqual([]);
    // Enough was recorded for the test to be meaningful.
    expect(wanted).toBeGreaterThan(DAYS * 3);
    expect(taken.length).toBeGreaterThan(DAYS * 3);
    expect(conflicts).toBeGreaterThan(0);
    // Relays of recorded games are recorded, unless no tuner was free.
    const relayed = aired.filter(({ series }) => series === '中継のつづき');
    expect(relayed.filter((one) => household.isWhole(one)).length).toBeGreaterThanOrEqual(
      Math.floor(relayed.length / 4),
    );
    // Unannounced overruns were recorded to their actual end, unless another recording needed the tuner.
    const silent = aired.filter(
      ({ program: { id, startAt } }) =>
        air.silent.has(id) &&
        !household.overtaken.has(id) &&
        taken.some((one) => one.aired.program.id === id && one.openedAt <= startAt),
    );
    expect(silent.filter((one) => !household.isWhole(one))).toEqual([]);
    // An episode is recorded twice only if a later airing was within the grace period, or the first lacks its
    // beginning.
    const episodes = taken.filter(
      ({ aired: { program, series, episode }, openedAt }) =>
        episode !== null &&
        openedAt <= program.startAt &&
        home.rules.find(({ name }) => name === series)?.dedupe,
    );
    const different = new Set(episodes.map(({ aired: { series, episode } }) => `${series}${episode}`));
    expect(episodes.length - different.size).toBeLessThanOrEqual(Math.ceil(episodes.length / 50));
    console.log(
      `${wanted} wanted, ${taken.length} recorded, ${conflicts} in conflict, ${silent.length} unannounced, ${household.plans} plans`,
    );
  },
  LONG ? 1_800_000 : 60_000,
);
