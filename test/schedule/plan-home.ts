/** A compact builder of homes for tests of the plan: stations, tuners, guide, rules and reservations. */
import { eventId, type ProgramId, programId, type StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import type { Airing } from '../../src/model/airing.ts';
import type { Cancellation, Reservation } from '../../src/model/reservation.ts';
import type { Rule } from '../../src/model/rule.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { GuideIndex } from '../../src/schedule/match/guide-index.ts';
import type { IndexedProgram } from '../../src/schedule/match/program-rows.ts';
import { RuleMatcher } from '../../src/schedule/match/rule-matcher.ts';
import { Facts } from '../../src/schedule/plan/airings.ts';
import type { RetuneCost } from '../../src/schedule/plan/openings.ts';
import type { Plan, PlanInput, RecordedEpisode, TunerOfPlan } from '../../src/schedule/plan/plan-types.ts';
import { plan } from '../../src/schedule/plan/reservation-plan.ts';
import { readRule } from '../../src/schedule/rule-body.ts';
import { reservationOf } from '../reservation.ts';
import { applied } from './applied.ts';
import { MINUTE, NOON, stationOn } from './plan-setting.ts';

export { MINUTE, NOON };
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Stations of random homes; two of them share a physical channel. */
export const CHANNELS = ['T27', 'T27', 'T28', 'T29', 'BS01_0', 'BS03_1', 'CS02'];
/** Titles of random guides: episodes in several notations, and other programmes. */
export const NAMES = ['灯台 #1「波」', '灯台 #2', '灯台 第2話「風」', '港', '港[字]', '海 前編'];

export const GR_TUNER: TunerOfPlan = { rank: 0, types: ['GR'], recording: [] };
export const SATELLITE_TUNER: TunerOfPlan = { rank: 1, types: ['BS', 'CS'], recording: [] };
export const ANY_TUNER: TunerOfPlan = { rank: 2, types: ['GR', 'BS', 'CS'], recording: [] };

export interface GivenProgram
  extends Partial<Omit<IndexedProgram, 'id' | 'stationId' | 'startAt' | 'endAt'>> {
  /** Minutes from noon. */
  at: number;
  minutes?: number;
  event?: number;
}

export class Home {
  now = NOON;
  readonly guide = new GuideIndex();
  readonly facts = new Facts();
  readonly stations = new Map<StationId, StationRecord>();
  rules: Rule[] = [];
  reservations: Reservation[] = [];
  recorded: RecordedEpisode[] = [];
  cancellations: Cancellation[] = [];
  tuners: TunerOfPlan[] | null;
  readonly airings = new Map<ProgramId, Airing>();
  /** Start of the current recordings. */
  runningSince = broadcastMs(Number.NEGATIVE_INFINITY);
  isTimeSure = true;
  settings = {
    marginBefore: 10_000,
    tuning: 0,
    marginAfter: 15_000,
    retuneCost: 'second' as RetuneCost,
    retractGrace: HOUR,
  };
  #nextEvent = 1;
  #nextId = 1;

  constructor(tuners: TunerOfPlan[] | null = [GR_TUNER, SATELLITE_TUNER]) {
    this.tuners = tuners;
  }

  /** `T27` is terrestrial, `BS01_0` is BS and `CS02` is CS; stations of one channel share a key. */
  station(channel: string, service = 1024 + this.stations.size * 8, key = 1): StationId {
    const station = stationOn(channel, service, { name: `${channel}-${service}` });
    this.stations.set(station.id, {
      ...station,
      remoteControlKey: station.type === 'GR' ? key : service,
    });
    return station.id;
  }

  program(station: StationId, name: string, given: GivenProgram): ProgramId {
    const { at, minutes = 30, event = this.#nextEvent++, ...rest } = given;
    const startAt = NOON + at * MINUTE;
    const id = programId(station, eventId(event));
    this.guide.put({
      id,
      stationId: station,
      startAt: broadcastMs(startAt),
      endAt: broadcastMs(startAt + minutes * MINUTE),
      openEnd: false,
      name,
      description: '',
      extended: null,
      genres: [],
      isFree: true,
      copyNever: false,
      groups: [],
      ...rest,
    });
    return id;
  }

  change(id: ProgramId, change: Partial<IndexedProgram>): void {
    const program = this.guide.get(id);
    if (program === undefined) throw new Error(`no programme ${id}`);
    this.guide.put({ ...program, ...change });
  }

  rule(keyword: string, body: Record<string, unknown> = {}): Rule {
    const draft = readRule({ keyword, dedupe: false, ...body }, () => {});
    const rule: Rule = {
      ...draft,
      id: ruleId(this.rules.length + 1),
      disabledReason: null,
      createdAt: broadcastMs(0),
      updatedAt: broadcastMs(0),
    };
    this.rules.push(rule);
    return rule;
  }

  /** A reservation by hand, or with the given stored fields. */
  reserve(program: ProgramId, given: Partial<Reservation> = {}): Reservation {
    const found = this.guide.get(program);
    if (found === undefined) throw new Error(`no programme ${program}`);
    const reservation = reservationOf({
      id: reservationId(this.#nextId++),
      programId: program,
      stationId: found.stationId,
      name: found.name,
      description: found.description,
      startAt: found.startAt,
      endAt: found.endAt,
      ...given,
    });
    this.reservations.push(reservation);
    return reservation;
  }

  input(): PlanInput {
    const matches = new Map(
      this.rules
        .filter((rule) => rule.enabled)
        .map((rule) => [rule.id, new RuleMatcher(rule.conditions).match(this.guide, this.stations).programs]),
    );
    const { now, guide, facts, rules, reservations, recorded } = this;
    const { cancellations, stations, tuners, settings, airings, runningSince, isTimeSure } = this;
    const given = { now, guide, facts, rules, reservations, recorded };
    return {
      ...given,
      matches,
      cancellations,
      stations,
      tuners,
      settings,
      airings,
      runningSince,
      isTimeSure,
    };
  }

  /** Plans without applying the result. */
  look(): Plan {
    return plan(this.input());
  }

  /** Plans, and applies the result. */
  run(): Plan {
    const made = this.look();
    this.reservations = applied(
      this.reservations,
      made,
      reservationId(this.#nextId),
      ({ ruleId }) => {
        const rule = this.rules.find((one) => one.id === ruleId);
        const { marginBefore = null, marginAfter = null, encode = null } = rule ?? {};
        const { keepTs = null, commercials = null } = rule ?? {};
        return { marginBefore, marginAfter, encode, keepTs, commercials };
      },
      this.now,
    );
    this.#nextId += made.create.length;
    return made;
  }

  /** State by programme name, ordered by start. */
  states(): [string, string][] {
    return this.reservations
      .toSorted((a, b) => a.startAt - b.startAt || a.programId - b.programId)
      .map(({ name, state }) => [name, state]);
  }

  of(program: ProgramId): Reservation | undefined {
    return this.reservations.find((one) => one.programId === program);
  }

  /** Does what the recorder does when a programme begins. */
  begin(program: ProgramId): void {
    this.reservations = this.reservations.map((one) =>
      one.programId === program ? { ...one, state: 'recording' } : one,
    );
  }
}
