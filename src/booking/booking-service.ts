/**
 * Planning of reservations: plans whenever an input has changed, stores the differences, and sends the recorder its
 * orders. A plan may be lost: users' decisions are stored before it, and a plan whose inputs have changed meanwhile
 * is discarded.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { valuesBy } from '../../lib/wire/fields.ts';
import type { ReservationId, RuleId } from '../../lib/wire/ids.ts';
import type { Retiring } from '../../lib/wire/recordings.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { Airings } from '../model/airing.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { RecorderPort, RecordingEnd } from '../model/recording.ts';
import { choiceOf, NO_CHOICE, type RecordingChoice } from '../model/reservation.ts';
import type { ReservationNote } from '../model/reservation-reason.ts';
import type { RuleDraft } from '../model/rule.ts';
import type { KnownStation } from '../model/station.ts';
import type { Hub } from '../notify/hub.ts';
import type { PlannedOpening } from '../schedule/plan/plan-types.ts';
import type { SettingsService } from '../settings/settings.ts';
import type { CancellationStore } from '../store/cancellation-store.ts';
import type { AiringProgram } from '../store/program-store.ts';
import type { PlannedChanges, ReservationStore } from '../store/reservation-store.ts';
import type { RuleStore } from '../store/rule-store.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import { ListChangeNotifier } from './list-change-notifier.ts';
import { TunerWatch, tunersOfPlan } from './plan-tuners.ts';
import { nextDecisionMs, PlanningLoop } from './planning-loop.ts';
import { PlanningWorkerClient } from './planning-worker-client.ts';
import type { Planned, PlanOrder, Repeat } from './planning-worker-messages.ts';
import { type OrderSettings, ordersOf, TUNING_MS } from './recording-orders.ts';
import { type OpeningTimes, openingTimes } from './reservation-items.ts';
import { ReservationService } from './reservation-service.ts';
import { RuleService } from './rule-service.ts';

export interface BookingServiceOptions {
  reservations: ReservationStore;
  rules: RuleStore;
  cancellations: CancellationStore;
  programs: {
    find(id: ProgramId): ProgramRecord | undefined;
    airingOn(station: StationId, now: BroadcastMs): AiringProgram | undefined;
  };
  stations: {
    /** Listed ones. */
    find(id: StationId): unknown;
    findKnown(id: StationId): KnownStation | undefined;
  };
  /** The agent's tuners. @throws Failure agent_unavailable, in bounded time */
  tuners: () => Promise<readonly Tuner[]>;
  recorder: RecorderPort;
  /** Programmes by present/following of the stations being received. */
  airings: () => Airings;
  settings: Pick<SettingsService, 'get'>;
  /** Reservations starting within this time are kept although their rule no longer matches, ms. */
  retractGraceMs: number;
  retiring?: (rule: RuleId | null, draft: RuleDraft) => Retiring;
  /** Longest wait of a request for its plan, ms. */
  settleLimitMs?: number | undefined;
  /** The database file: the worker reads it with a connection of its own. */
  databasePath: string;
  startWorker: () => Worker;
  /** Default: at once. */
  write?: Write;
  hub: Hub;
  log: Log;
  /** Epoch ms, by the broadcast's clock. */
  now: () => BroadcastMs;
  /** While the time is unconfirmed, nothing is purged. */
  isTimeSure?: () => boolean;
}

/** Consecutive plans with changed inputs before a pause. */
const ATTEMPTS = 4;
const SETTLE_LIMIT_MS = 5_000;
const KEPT_MS = 14 * 86_400_000;
const PURGE_MS = 3_600_000;
/** The longest margin, and time for the verdict. */
const LOST_MS = 2 * 3_600_000;
/** Events of other features that change inputs of the plan; own changes trigger it directly. */
const WAKING = new Set<string>(['programs', 'services', 'settings']);

export class BookingService {
  readonly reservations: ReservationService;
  readonly rules: RuleService;
  readonly #plans: PlanningWorkerClient;
  readonly #loop: PlanningLoop;
  readonly #listChanges: ListChangeNotifier;
  readonly #tuners: TunerWatch;
  readonly #unsubscribe: () => void;
  #openings: ReadonlyMap<ProgramId, PlannedOpening> = new Map();
  #times: ReadonlyMap<ReservationId, OpeningTimes> = new Map();
  #purgedAt = -Infinity;
  /** Rules with too many matches, with the number of programmes that are booked later. */
  #crowded: ReadonlyMap<RuleId, number> = new Map();
  /** Reservations whose programmes are on air: lists of stations show them. */
  #onAir = '';
  /** When conflicts of short programmes are planned again, epoch ms. */
  #decisionAt = Infinity;
  #closed = false;
  readonly #began = systemMonotonicClock();

  constructor(private readonly options: BookingServiceOptions) {
    const { hub, log, rules, reservations, stations, now, startWorker, databasePath } = options;
    this.#plans = new PlanningWorkerClient({ startWorker, path: databasePath, log });
    this.#loop = new PlanningLoop({
      run: () => this.#run(),
      log,
      nextInMs: () => this.#decisionAt - now(),
    });
    this.#tuners = new TunerWatch({ read: options.tuners, onChange: () => this.#loop.wake(), log });
    this.#unsubscribe = hub.subscribe(({ name }) => {
      if (name === 'tuners') void this.#tuners.read();
      else if (WAKING.has(name)) this.#loop.wake();
      // The lists show what was recorded.
      else if (name === 'recordings') this.#listChanges.check();
    });
    const settle = async (): Promise<boolean> => {
      const isPlanned = await this.#loop.settle(options.settleLimitMs ?? SETTLE_LIMIT_MS);
      // A manual reservation does not wait for a long plan.
      if (!isPlanned && !this.#closed) this.#sendOrders();
      return isPlanned;
    };
    const changed = () => this.#listChanges.check();
    this.reservations = new ReservationService({
      ...options,
      timesOf: (id) => this.#times.get(id),
      settle,
      changed,
    });
    this.rules = new RuleService({
      rules,
      reservations,
      plans: this.#plans,
      order: () => this.#order(),
      stationName: (id) => stations.findKnown(id)?.name ?? '',
      leftOf: (id) => this.#crowded.get(id) ?? 0,
      retiring: options.retiring,
      settle,
      wake: () => this.wake(),
      changed,
      now,
    });
    this.#listChanges = new ListChangeNotifier({
      hub,
      log,
      lists: {
        reservations: () => [this.reservations.list(false), this.reservations.list(true)],
        rules: () => this.rules.list(),
      },
    });
  }

  /** Sends the orders of the last plan at once; a new plan follows. @throws the database's error */
  start(): void {
    this.#listChanges.start();
    this.#sendOrders();
    void this.#tuners.read().then(() => {
      if (!this.#closed) this.#loop.start();
    });
  }

  /** An input of the plan has changed. */
  wake(): void {
    this.#loop.wake();
  }

  /** The recorder began a recording. */
  onBegan(): void {
    this.#listChanges.check();
    this.#loop.wake();
  }

  onEnded({ recordingId, worthRepeating }: RecordingEnd): void {
    if (worthRepeating) this.options.log.info('next airing wanted', { recording: recordingId });
    this.#listChanges.check();
    this.#loop.wake();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listChanges.close();
    this.#unsubscribe();
    await Promise.all([this.#plans.close(), this.#loop.close()]);
  }

  #order(): PlanOrder {
    const { now, isTimeSure, recorder, settings, retractGraceMs, airings } = this.options;
    const { tuners } = this.#tuners;
    const recordings = recorder.running();
    const at = now();
    return {
      now: at,
      isTimeSure: isTimeSure?.() !== false,
      // By the current clock: it may have been wrong at the start.
      runningSince: plusMs(at, -(systemMonotonicClock() - this.#began)),
      airings: airings(),
      tuners: tuners === null ? null : tunersOfPlan(tuners, recordings),
      judged: [...recordings].flatMap(([id, { progress }]) => (progress.phase === 'over' ? [id] : [])),
      settings: {
        marginBefore: settings.get('marginBefore'),
        tuning: TUNING_MS,
        marginAfter: settings.get('marginAfter'),
        retuneCost: settings.get('retuneCost'),
        retractGrace: retractGraceMs,
      },
    };
  }

  /** @returns false when inputs kept changing during the plans */
  async #run(): Promise<boolean> {
    const { write = writeNow } = this.options;
    await write(() => this.#purge());
    if (this.#tuners.tuners === null) void this.#tuners.read();
    try {
      for (let attempt = 0; attempt < ATTEMPTS && !this.#closed; attempt++) {
        const planned = await this.#plans.plan(this.#order());
        if (this.#closed) return false;
        if (await write(() => this.#apply(planned))) return true;
      }
      return false;
    } finally {
      // Also without a plan: manual reservations are recorded with their own times.
      if (!this.#closed) this.#sendOrders();
    }
  }

  /** @returns false when its inputs have changed in the database */
  #apply({ stamp, create, update, remove, openings, faults, repeats, crowded }: Planned): boolean {
    const { reservations, rules, log, now } = this.options;
    const isDifferent = create.length + update.length + remove.length > 0;
    const choiceOfRule = isDifferent ? this.#choices() : () => NO_CHOICE;
    const changes: PlannedChanges = {
      stamp,
      remove,
      create: create.map((planned) => {
        const { ruleId, relayOf, stationId } = planned;
        const whole = relayOf === null ? undefined : reservations.ofProgram(relayOf);
        const note: ReservationNote | null = planned.repeats === null ? null : { code: 'repeat_of_rule' };
        const isPart = whole?.stationId === stationId;
        return {
          ...planned,
          ...(whole === undefined || ruleId !== null ? choiceOfRule(ruleId) : choiceOf(whole)),
          note: isPart ? { code: 'part_by_hand', name: whole.name } : note,
        };
      }),
      update: update.map(({ id, to }) => {
        const ruleBefore = to.ruleId === null ? null : reservations.find(id)?.ruleId;
        return { id, to, choice: ruleBefore === to.ruleId ? null : choiceOfRule(to.ruleId) };
      }),
    };
    if (isDifferent ? !reservations.apply(changes, now()) : reservations.stamp() !== stamp) return false;
    this.#openings = new Map(openings.map((opening) => [opening.programId, opening]));
    for (const [id, reason] of faults) {
      if (rules.find(id)?.enabled !== true) continue;
      log.warn('rule disabled', { rule: id, reason: reason.code });
      rules.disable(id, reason, now());
    }
    for (const repeat of repeats) this.#repeat(repeat);
    for (const [id, left] of crowded) {
      if (!this.#crowded.has(id)) log.warn('rule matches too many programmes at once', { rule: id, left });
    }
    this.#crowded = new Map(crowded);
    if (isDifferent) {
      log.debug('planned', { created: create.length, changed: update.length, removed: remove.length });
    }
    // Automatic reservations need another plan.
    if (repeats.length > 0) this.#loop.wake();
    return true;
  }

  #choices(): (rule: RuleId | null) => RecordingChoice {
    const rules = new Map(this.options.rules.all().map((rule) => [rule.id, rule]));
    return (id) => {
      const rule = id === null ? undefined : rules.get(id);
      return rule === undefined ? NO_CHOICE : choiceOf(rule);
    };
  }

  #repeat({ recordingId, program: { id, ...rest } }: Repeat): void {
    const { reservations, log, now } = this.options;
    const note: ReservationNote = { code: 'repeat_by_hand', name: rest.name };
    const known = reservations.ofProgram(id);
    if (known === undefined) {
      reservations.book({ programId: id, ...rest, ...NO_CHOICE, note, repeats: recordingId }, now());
    } else reservations.repeat(known.id, recordingId, note, now());
    log.info('next airing booked', { recording: recordingId, program: id });
  }

  #sendOrders(): void {
    const { reservations, settings, stations, recorder, hub, now } = this.options;
    const wanted = reservations.wanted();
    const orders = ordersOf(
      wanted,
      this.#openings,
      valuesBy(RECORDING_OPTIONS, (name) => settings.get(name)) as OrderSettings,
      (station) => stations.findKnown(station),
    );
    this.#times = openingTimes(wanted, orders, this.#times, this.#openings);
    const conflicting = reservations.conflicting();
    recorder.order(orders, conflicting);
    const at = now();
    this.#decisionAt = conflicting.size === 0 ? Infinity : at + nextDecisionMs(reservations.all(), at);
    const onAir = orders.filter(({ startAt, closeAt }) => startAt <= at && closeAt > at);
    const shown = onAir.map(({ programId }) => programId).join();
    if (shown !== this.#onAir) hub.changed('services');
    this.#onAir = shown;
    // After every plan: the lists also depend on its times and on the present time.
    this.#listChanges.check();
  }

  #purge(): void {
    const { reservations, cancellations, recorder, log, now, isTimeSure } = this.options;
    if (isTimeSure?.() === false) return;
    const at = now();
    // Uses the absolute difference: the clock may be set back.
    if (Math.abs(at - this.#purgedAt) < PURGE_MS) return;
    const forgotten = reservations.purge(plusMs(at, -KEPT_MS));
    cancellations.purge(plusMs(at, -KEPT_MS));
    const lost = reservations.endLost([...recorder.running().keys()], at - LOST_MS, at);
    this.#purgedAt = at;
    if (lost > 0) log.warn('reservations without a running recording ended', { reservations: lost });
    if (forgotten > 0) log.debug('reservations forgotten', { reservations: forgotten });
  }
}
