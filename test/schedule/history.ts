/**
 * Random hours of a home over the pure plan and the agent's own rules: programmes overrun, wait, disappear,
 * change their event id, continue on another station, become copy-never; tuners fail and recover; users and
 * rules change their decisions, all during recordings. A plan that is inconsistent or not feasible is a
 * failure.
 */
import { expect } from 'bun:test';
import { eventId, type ProgramId, type StationId, splitStationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type ReservationId, recordingId } from '../../lib/wire/ids.ts';
import { tunersOfPlan } from '../../src/booking/plan-tuners.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import { titleText } from '../../src/model/search-text.ts';
import type { Plan, PlannedOpening } from '../../src/schedule/plan/plan-types.ts';
import type { Random } from '../fuzz/random.ts';
import { tuner } from '../service/bookings.ts';
import { AgentModel } from './agent-model.ts';
import { CHANNELS, Home, MINUTE, NAMES, NOON } from './plan-home.ts';
import { settled } from './settled.ts';

const TITLES = [...NAMES, '海 後編', '野球中継'];
const KEYWORDS = ['灯台', '港', '海', '港|海', '野球'];
const HOMES: readonly (readonly [number, Tuner['types']][])[] = [
  [[0, ['GR']]],
  [
    [0, ['GR']],
    [0, ['GR']],
    [1, ['BS', 'CS']],
  ],
  [
    [0, ['GR']],
    [1, ['BS', 'CS']],
    [2, ['GR', 'BS', 'CS']],
  ],
  [
    [0, ['GR', 'BS', 'CS']],
    [0, ['GR', 'BS', 'CS']],
  ],
];

/** A programme as it is aired, independent of the guide. */
interface Show {
  id: ProgramId;
  from: number;
  to: number;
}

interface Running {
  tuner: number | null;
  closeAt: number;
  holdUntil: number | null;
}

export class Household {
  readonly home = new Home();
  readonly agent: AgentModel;
  readonly faults: string[] = [];
  readonly #tuners: readonly (readonly [number, Tuner['types']])[];
  readonly #broken: boolean[];
  readonly #shows = new Map<StationId, Show[]>();
  readonly #running = new Map<ProgramId, Running>();
  /** Announcements of current changes that follow later. */
  #unannounced: { at: number; say: () => void }[] = [];
  #openings: readonly PlannedOpening[] = [];
  /** Time of the next attempt, and of the refusal. */
  readonly #refused = new Map<ProgramId, { until: number; at: number }>();
  readonly byHand = new Set<ReservationId>();

  constructor(private readonly random: Random) {
    const { home } = this;
    this.#tuners = random.pick(HOMES);
    this.#broken = this.#tuners.map(() => false);
    this.agent = new AgentModel(this.#tuners.map(([rank, types]) => ({ rank, types })));
    home.settings = { ...home.settings, tuning: random.pick([0, 2000]), ...this.#margins() };
    for (const [index, channel] of CHANNELS.entries()) {
      const station = home.station(channel, 1024 + index);
      const shows: Show[] = [];
      for (let at = -15 + random.below(30); at < 420; ) {
        const minutes = random.pick([1, 5, 15, 30, 30, 60, 90]);
        const id = home.program(station, random.pick(TITLES), {
          at,
          minutes,
          copyNever: random.below(12) === 0,
        });
        shows.push({ id, from: NOON + at * MINUTE, to: NOON + (at + minutes) * MINUTE });
        at += minutes;
      }
      this.#shows.set(station, shows);
    }
  }

  #margins(): { marginBefore: number; marginAfter: number } {
    const { random } = this;
    return {
      marginBefore: random.pick([0, 10_000, 60_000, 600_000]),
      marginAfter: random.pick([0, 15_000, 60_000, 1_200_000]),
    };
  }

  plan(): void {
    this.#listen();
    this.#showTuners();
    const { home } = this;
    const before = home.reservations;
    const made = home.run();
    this.#openings = made.openings;
    this.#follow(made);
    this.#check(before, made);
    settled(home);
  }

  #follow({ openings }: Plan): void {
    for (const { programId, closeAt, holdUntil } of openings) {
      const running = this.#running.get(programId);
      if (running === undefined) continue;
      running.closeAt = Math.max(running.closeAt, closeAt);
      running.holdUntil = holdUntil;
    }
    // Those now recorded under another id.
    const recording = this.home.reservations.filter(({ state }) => state === 'recording');
    const lost = [...this.#running].filter(([id]) => !recording.some(({ programId }) => programId === id));
    for (const [id, running] of lost) {
      const next = recording.find(({ programId }) => !this.#running.has(programId));
      if (next === undefined) continue;
      this.#running.delete(id);
      this.#running.set(next.programId, running);
    }
  }

  #check(before: readonly Reservation[], { openings }: Plan): void {
    const { home } = this;
    const { now } = home;
    const opened = new Map(openings.map((one) => [one.programId, one]));
    const numbers = home.reservations.map(({ programId }) => programId);
    expect(new Set(numbers).size).toBe(numbers.length);
    const ids = new Set(home.reservations.map(({ id }) => id));
    expect([...this.byHand].filter((id) => !ids.has(id))).toEqual([]);
    const was = new Map(before.map((one) => [one.id, one.state]));
    for (const one of home.reservations) {
      const { state, programId, tuner: place, reason } = one;
      const done = was.get(one.id);
      if (done === 'cancelled' || done === 'finished' || done === 'recording')
        expect([one.id, state]).toEqual([one.id, done]);
      const opening = opened.get(programId);
      const isWanted = state === 'scheduled' || state === 'recording';
      expect([state, opening !== undefined, one.id, programId]).toEqual([state, isWanted, one.id, programId]);
      expect([state, reason !== null]).toEqual([state, ['conflict', 'skipped', 'missed'].includes(state)]);
      const copyNever = home.guide.get(programId)?.copyNever;
      if (one.endAt > now && copyNever !== undefined && ['skipped', 'scheduled', 'conflict'].includes(state))
        expect([state, copyNever]).toEqual([state, state === 'skipped']);
      if (state === 'conflict') this.#checkConflict(one);
      if (opening === undefined) continue;
      // Never cut short, and no programme begins late if a tuner is free.
      if (opening.holdUntil === null)
        expect(opening.closeAt).toBeGreaterThanOrEqual(Math.min(one.endAt, opening.endAt));
      if (state !== 'scheduled') continue;
      expect(place).not.toBeNull();
      expect(opening.openAt).toBeLessThanOrEqual(Math.max(one.startAt, now));
      expect(opening.closeAt).toBeGreaterThanOrEqual(one.endAt);
    }
  }

  #checkConflict({ stationId, blockers, alternatives }: Reservation): void {
    const { home } = this;
    const type = home.stations.get(stationId)?.type;
    const able = (home.tuners ?? []).some(({ types }) => type !== undefined && types.includes(type));
    expect(blockers.length > 0).toBe(able);
    const holding = home.reservations.filter(({ state }) => state === 'scheduled' || state === 'recording');
    for (const id of blockers) expect(holding.some((one) => one.id === id)).toBe(true);
    for (const id of alternatives) {
      expect(home.of(id)).toBeUndefined();
      expect(home.guide.get(id)?.copyNever).toBe(false);
    }
  }

  /** Delivers announcements of stations that are being recorded: the actual times, not those of the guide. */
  #listen(): void {
    const { home } = this;
    home.airings.clear();
    for (const [station, shows] of this.#shows) {
      const isHeard = [...this.#running].some(
        ([id, { tuner: place }]) => place !== null && home.of(id)?.stationId === station,
      );
      if (!isHeard) continue;
      const on = shows.findLast(({ from, to }) => from <= home.now && to > home.now);
      const next = shows.filter(({ from }) => from > home.now).sort((a, b) => a.from - b.from)[0];
      for (const { id, from, to } of shows)
        if (to <= home.now && to > home.now - 60 * MINUTE)
          home.airings.set(id, { state: 'over', from: broadcastMs(from), until: broadcastMs(to) });
      if (on !== undefined) home.airings.set(on.id, { state: 'on', from: broadcastMs(on.from), until: null });
      if (next !== undefined) home.airings.set(next.id, { state: 'next', from: null, until: null });
    }
  }

  #showTuners(): void {
    const readers = this.agent.readers();
    const list = this.#tuners.map(([rank, types], index) =>
      tuner(String(index), rank, types, {
        state: this.#broken[index] === true ? 'error' : 'tuned',
        users: (readers[index] ?? []).map((id) => ({ use: `rec ${id}`, priority: 10, lagBytes: 0 })),
      }),
    );
    const running = new Map(
      [...this.#running].flatMap(([programId, { tuner: place }]) => {
        const id = this.home.of(programId)?.id;
        return id === undefined
          ? []
          : [[id, { recordingId: recordingId(id), tunerId: place === null ? null : String(place) }]];
      }),
    );
    this.home.tuners = tunersOfPlan(list, running);
  }

  /** Lets time pass; each due action is performed at its moment, followed by a plan. */
  pass(until: number): void {
    const { home } = this;
    for (let count = 0; count < 500; count++) {
      const due = this.#nextMoment();
      if (due > until) break;
      home.now = broadcastMs(Math.max(home.now, due));
      const announcements = this.#unannounced.filter(({ at }) => at <= home.now);
      this.#unannounced = this.#unannounced.filter(({ at }) => at > home.now);
      for (const { say } of announcements) say();
      if (announcements.length > 0) this.plan();
      this.#close();
      this.#open();
      this.plan();
    }
    home.now = broadcastMs(Math.max(home.now, until));
    this.plan();
  }

  #nextMoment(): number {
    const { now } = this.home;
    const heard = new Set([...this.#running.keys()].map((id) => this.home.of(id)?.stationId));
    const changes = [...this.#shows].flatMap(([station, shows]) =>
      heard.has(station) ? shows.flatMap(({ from, to }) => [from, to]) : [],
    );
    return Math.min(
      // A plan is made every minute.
      Math.floor(now / MINUTE + 1) * MINUTE,
      ...changes.filter((at) => at > now),
      ...this.#unannounced.map(({ at }) => at),
      ...[...this.#running.values()].map(({ closeAt, holdUntil }) => Math.max(closeAt, holdUntil ?? closeAt)),
      ...this.#openings.flatMap(({ programId, openAt }) =>
        this.#isOpen(programId) ? [] : [Math.max(openAt, this.#refused.get(programId)?.until ?? openAt)],
      ),
    );
  }

  #isOpen(id: ProgramId): boolean {
    return (this.#running.get(id)?.tuner ?? null) !== null;
  }

  #close(): void {
    for (const [id, { closeAt, holdUntil }] of [...this.#running])
      if (Math.max(closeAt, holdUntil ?? closeAt) <= this.home.now) this.#finish(id);
  }

  #finish(id: ProgramId): void {
    const { home } = this;
    const reservation = home.of(id);
    this.#running.delete(id);
    if (reservation === undefined) return;
    this.agent.close(reservation.id);
    home.reservations = home.reservations.map((one) =>
      one === reservation ? { ...one, state: 'finished' } : one,
    );
    const { name, description, startAt } = reservation;
    if (this.random.below(4) > 0)
      home.recorded.push({ name, description, extended: null, programId: id, startAt });
  }

  #open(): void {
    const { home } = this;
    for (const { programId, openAt, closeAt, holdUntil, after } of this.#openings) {
      const refused = this.#refused.get(programId);
      if (openAt > home.now || (refused?.until ?? 0) > home.now || this.#isOpen(programId)) continue;
      const reservation = home.of(programId);
      const station = home.stations.get(reservation?.stationId ?? (0 as StationId));
      if (reservation === undefined || station === undefined) continue;
      if (reservation.state !== 'scheduled' && reservation.state !== 'recording') continue;
      const given = this.agent.open(
        reservation.id,
        station,
        after.flatMap((other) => home.of(other)?.id ?? []),
      );
      if (given === undefined) {
        // A programme overruns, which the next plan knows; but no recording is delayed for long within its own time.
        const isAgain = refused?.at === home.now;
        this.#refused.set(programId, { at: home.now, until: isAgain ? home.now + MINUTE : home.now });
        const works = this.#tuners.some(
          ([, types], index) => types.includes(station.type) && !this.#broken[index],
        );
        if (works && isAgain && home.now >= reservation.startAt && reservation.state === 'scheduled')
          this.faults.push(`${reservation.name} was planned and refused`);
        continue;
      }
      this.#refused.delete(programId);
      for (const id of given.ended) this.#handOver(id);
      this.#running.set(programId, { tuner: given.tuner, closeAt, holdUntil });
      home.begin(programId);
    }
  }

  #handOver(id: number): void {
    const reservation = this.home.reservations.find((one) => one.id === id);
    if (reservation === undefined) return;
    if (reservation.endAt > this.home.now) this.faults.push(`${reservation.name} lost its end`);
    this.#finish(reservation.programId);
  }

  #comingShow(): { station: StationId; shows: Show[]; index: number } | undefined {
    const [station, shows] = this.random.pick([...this.#shows]);
    const { now } = this.home;
    const open = shows.flatMap(({ to, id }, index) =>
      to > now && this.home.guide.get(id) !== undefined ? [index] : [],
    );
    return open.length === 0 ? undefined : { station, shows, index: this.random.pick(open.slice(0, 5)) };
  }

  /** It overruns and all following ones move; the guide announces it at once, later or after its end. */
  #delay(): void {
    const { home, random } = this;
    const found = this.#comingShow();
    if (found === undefined) return;
    const { shows, index } = found;
    const by = random.pick([1, 5, 10, 30]) * MINUTE;
    const moved = shows.slice(index);
    for (const [at, show] of moved.entries()) {
      if (at > 0) show.from += by;
      show.to += by;
    }
    const say = () => {
      for (const { id, from, to } of moved)
        if (home.guide.get(id) !== undefined)
          home.change(id, { startAt: broadcastMs(from), endAt: broadcastMs(to), openEnd: false });
    };
    const kind = random.below(3);
    if (kind === 0) {
      say();
      return;
    }
    const [first] = moved;
    if (kind === 1 && first !== undefined) home.change(first.id, { openEnd: true });
    this.#unannounced.push({ at: kind === 1 ? (first?.to ?? 0) : home.now + by, say });
  }

  /** Its event id changes, possibly with its time; the new id is announced at once, later, or never. */
  #renumber(): void {
    const { home, random } = this;
    const found = this.#comingShow();
    const show = found?.shows[found.index];
    const program = show === undefined ? undefined : home.guide.get(show.id);
    if (found === undefined || show === undefined || program === undefined) return;
    const old = show.id;
    const kind = random.below(3);
    if (kind > 0) {
      const at = (show.from - NOON) / MINUTE + random.pick([0, 0, 5, 10, 20]);
      const minutes = (show.to - show.from) / MINUTE;
      const { name, copyNever } = program;
      show.id = home.program(found.station, name, {
        at,
        minutes,
        copyNever,
        event: 5000 + random.below(50_000),
      });
    }
    if (kind === 2) this.#unannounced.push({ at: home.now + MINUTE, say: () => home.guide.remove(old) });
    else home.guide.remove(old);
  }

  #relay(): void {
    const { home, random } = this;
    const found = this.#comingShow();
    const show = found?.shows[found.index];
    if (found === undefined || show === undefined) return;
    const target = random.pick([...this.#shows.keys()].filter((id) => id !== found.station));
    const parts = splitStationId(target);
    if (parts === undefined) return;
    const number = 5000 + random.below(50_000);
    if (random.below(2) === 0) {
      const at = (show.to - NOON) / MINUTE;
      const id = home.program(target, '中継のつづき', { at, minutes: 30, event: number });
      this.#shows.get(target)?.push({ id, from: show.to, to: show.to + 30 * MINUTE });
    }
    const events = [{ ...parts, eventId: eventId(number) }];
    home.change(show.id, { groups: [{ type: 'relay', events }] });
  }

  #reserve(): void {
    const { home, random } = this;
    const found = this.#comingShow();
    const id = found?.shows[found.index]?.id;
    if (id === undefined || home.guide.get(id)?.copyNever !== false || home.of(id) !== undefined) return;
    const margins = random.below(3) === 0 ? this.#margins() : {};
    this.byHand.add(home.reserve(id, { createdAt: home.now, ...margins }).id);
  }

  #cancel(): void {
    const { home, random } = this;
    const open = home.reservations.filter(({ state }) => state === 'scheduled' || state === 'conflict');
    if (open.length === 0) return;
    const one = random.pick(open);
    home.reservations = home.reservations.map((other) =>
      other === one ? { ...one, state: 'cancelled', reason: null } : other,
    );
    const station = home.stations.get(one.stationId);
    if (station === undefined) return;
    const { type, channel } = station;
    const { ruleId, name, startAt } = one;
    home.cancellations.push({
      id: 0,
      ruleId,
      type,
      channel,
      title: titleText(name),
      startAt,
      cancelledAt: home.now,
    });
  }

  #rule(): void {
    const { home, random } = this;
    if (home.rules.length < 3 || random.below(4) === 0) {
      home.rule(random.pick(KEYWORDS), {
        priority: random.below(5),
        dedupe: random.below(2) === 0,
        marginBefore: random.pick([null, 0, 300_000]),
        marginAfter: random.pick([null, 0, 900_000]),
      });
      return;
    }
    const chosen = random.pick(home.rules);
    const kind = random.below(3);
    home.rules = home.rules.flatMap((rule) => {
      if (rule !== chosen) return [rule];
      return kind === 0 ? [{ ...rule, enabled: !rule.enabled }] : [{ ...rule, priority: random.below(5) }];
    });
  }

  #tuner(): void {
    const index = this.random.below(this.#tuners.length);
    const broken = this.#broken[index] !== true;
    this.#broken[index] = broken;
    for (const id of this.agent.setBroken(index, broken)) {
      const programId = this.home.reservations.find((one) => one.id === id)?.programId;
      const running = programId === undefined ? undefined : this.#running.get(programId);
      if (running !== undefined) running.tuner = null;
    }
  }

  #change(): void {
    const { home, random } = this;
    const found = this.#comingShow();
    const id = found?.shows[found.index]?.id;
    if (id === undefined) return;
    // The recorder decides about running recordings.
    if (this.#running.has(id)) return;
    if (random.below(2) === 0) home.change(id, { copyNever: home.guide.get(id)?.copyNever !== true });
    else home.change(id, { name: random.below(4) === 0 ? '' : random.pick(TITLES) });
  }

  step(): void {
    const { random, home } = this;
    const acts = [
      () => this.#delay(),
      () => this.#delay(),
      () => this.#renumber(),
      () => this.#relay(),
      () => this.#reserve(),
      () => this.#reserve(),
      () => this.#cancel(),
      () => this.#rule(),
      () => this.#tuner(),
      () => this.#change(),
    ];
    for (let count = random.below(3); count >= 0; count--) random.pick(acts)();
    this.plan();
    this.pass(home.now + random.below(20) * MINUTE + random.below(60) * 1000);
  }

  get recorded(): number {
    return this.home.reservations.filter(({ state }) => state === 'finished').length;
  }
}
