/**
 * The guide worker's side of `guide-messages.ts`: merges the sections of every stream being read, and writes the
 * result with its own connection, so that neither the main thread nor a reception worker waits for the database.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import {
  type MonotonicClock,
  type MonotonicMs,
  RemoteClock,
  type WallClock,
  type WallMs,
} from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { PresentFollowing, StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import { postponed, withSchedule } from '../model/program-precedence.ts';
import { type GuideAnswer, type GuideMessage, guideSections } from '../reception/guide-reader.ts';
import type { GuideDatabase } from '../store/guide-database.ts';
import type { WorkerLock } from '../store/write-lock.ts';
import type { GuideEvent, GuideOrder, NamedEvents, ReadingOrder } from './guide-messages.ts';
import { GuideSession, KnownStations } from './guide-session.ts';
import type { StationPresent } from './station-present.ts';
import { VisitGoal } from './visit-goal.ts';

/** Pending programmes that trigger a write: a full satellite network is not held in memory. */
const MAX_WAITING = 1_000;
/** Delay of a write: present and following events of a stream arrive together. */
const PRESENT_MS = 50;
/** Limit per station until they are written. */
const MAX_PRESENTS = 8;
/** Interval of recomputing open ends and pauses. */
const TICK_MS = 60_000;
/** Interval of checking goals: a check visits every station of a network. */
const GOAL_MS = 250;
/** Longest wait for the last sections of a reading whose reception worker may be lost. */
const DRAIN_LIMIT_MS = 1_000;
/** Delay by which several writes are reported in one message. */
const REPORT_DELAY_MS = 200;

interface GuideHostOptions {
  post: (event: GuideEvent) => void;
  openFile: (path: string, lock: WorkerLock) => GuideDatabase;
  now: WallClock;
  clock: MonotonicClock;
}

/** A tuning being read, with the time of its last write. */
interface Reading {
  readonly session: GuideSession;
  readonly goal: VisitGoal;
  readonly writeMs: number;
  /** A visit whose goal is not reached yet. */
  awaitsGoal: boolean;
  readonly beganAt: WallMs;
  /** Its sources that have not ended; usually one. */
  readonly ports: Set<MessagePort>;
  /** Resolves when the last of them has ended. */
  drained: PromiseWithResolvers<void>;
  /** Arrival of the sections being read, by this thread's monotonic clock. */
  arrivedAt: MonotonicMs | undefined;
  writtenAt: WallMs;
  /** A write of this reading is in progress; later data waits for the next. */
  writing: boolean;
  /** Its stations were counted as read once. */
  counted: boolean;
}

/** Present/following of a station, and which part of it is written. */
interface PresentUpdate {
  readonly named: NamedEvents;
  readonly change: StationChange;
}

export class GuideHost {
  readonly #stations = new KnownStations();
  /** By the main thread's number, which is the session's id. */
  readonly #readings = new Map<number, Reading>();
  #file: GuideDatabase | undefined;
  #writeMs = { visit: 0, feed: 0 };
  /** Serialises all writes. */
  #queue: Promise<void> = Promise.resolve();
  readonly #presents = new Map<StationId, PresentUpdate[]>();
  #presentTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #changed = new Set<StationId>();
  /** As JSON, of known stations. */
  readonly #broadcasters = new Map<StationId, string>();
  #reportTimer: ReturnType<typeof setTimeout> | undefined;
  #tick: ReturnType<typeof setInterval> | undefined;
  #goals: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: GuideHostOptions) {}

  take(order: GuideOrder): void {
    switch (order.kind) {
      case 'open':
        this.#open(order);
        break;
      case 'stations':
        this.#stations.replace(order.stations);
        for (const { session } of this.#readings.values()) session.reread();
        break;
      case 'read':
        this.#read(order.reading, order);
        break;
      case 'source':
        this.#connect(order.reading, order.port);
        break;
      case 'purge':
        this.#purge(order.before);
        break;
    }
  }

  /** Writes the rest of a reading; other streams may then provide the stations' present/following again. */
  async end({ reading: id, counts }: { reading: number; counts: boolean }): Promise<null> {
    const reading = this.#readings.get(id);
    if (reading === undefined) return null;
    const { session } = reading;
    // Its reader has posted its last sections before, by a way of their own.
    if (reading.ports.size > 0) await within(DRAIN_LIMIT_MS, reading.drained.promise, () => {});
    if (!this.#readings.delete(id)) return null;
    for (const port of reading.ports) port.close();
    const now = this.options.now();
    this.#watch();
    for (const { station, present } of this.#stations.all()) {
      const wasWatched = present.watched;
      present.release(session.id, now);
      if (wasWatched && !present.watched) this.#presentChanged(station.id);
    }
    this.#flushPresents();
    session.readHeld(now);
    await this.#write(reading, counts);
    return null;
  }

  async close(): Promise<void> {
    clearInterval(this.#tick);
    await Promise.all([...this.#readings.keys()].map((reading) => this.end({ reading, counts: false })));
    this.#flushPresents();
    await this.#queue;
    this.#reportNow();
    this.#file?.close();
    this.#file = undefined;
  }

  #open({ path, lock, writeMs }: Extract<GuideOrder, { kind: 'open' }>): void {
    this.#writeMs = writeMs;
    try {
      this.#file = this.options.openFile(path, lock);
      void this.#file.programs.fillIndex();
    } catch (error) {
      this.options.post({ kind: 'trouble', error: String(error) });
    }
    this.#tick = setInterval(() => this.#onTick(), TICK_MS);
  }

  #read(id: number, { source, networkId, wanted, settleMs, patienceMs }: ReadingOrder): void {
    const { now, post } = this.options;
    const ports = new Set<MessagePort>();
    const session = new GuideSession(id, networkId, this.#stations, {
      present: (station) => this.#presentChanged(station),
      clock: (offsetMs, at) => {
        const arrivedAt = this.#readings.get(id)?.arrivedAt;
        const postedAt = this.options.clock();
        if (arrivedAt !== undefined) post({ kind: 'clock', networkId, offsetMs, at, arrivedAt, postedAt });
      },
      repeat: () => {
        for (const port of ports) answer(port, { kind: 'forget' });
      },
      broadcaster: (station, broadcaster) => this.#sendBroadcaster(station, broadcaster),
    });
    const at = now();
    this.#readings.set(id, {
      session,
      goal: new VisitGoal(wanted, settleMs, patienceMs, this.#stations),
      writeMs: this.#writeMs[source],
      awaitsGoal: source === 'visit',
      beganAt: at,
      ports,
      drained: Promise.withResolvers(),
      arrivedAt: undefined,
      writtenAt: at,
      writing: false,
      counted: false,
    });
    this.#watch();
  }

  #sendBroadcaster(stationId: StationId, broadcaster: ServiceBroadcaster): void {
    const json = JSON.stringify(broadcaster);
    if (this.#broadcasters.get(stationId) === json) return;
    this.#broadcasters.set(stationId, json);
    this.options.post({ kind: 'broadcaster', stationId, broadcaster });
  }

  #connect(id: number, port: MessagePort): void {
    const reading = this.#readings.get(id);
    if (reading === undefined) {
      port.close();
      return;
    }
    const clock = new RemoteClock(this.options.clock);
    reading.ports.add(port);
    reading.drained = Promise.withResolvers();
    port.onmessage = (event) => {
      const message: GuideMessage = event.data;
      if (message.kind === 'end') {
        port.close();
        reading.ports.delete(port);
        if (reading.ports.size === 0) reading.drained.resolve();
        return;
      }
      const { at, postedAt, bytes } = message.batch;
      clock.heard(postedAt);
      reading.arrivedAt = clock.local(postedAt);
      reading.session.feed(guideSections(bytes), at);
      this.#writeWhenDue(reading);
      answer(port, { kind: 'read', bytes: bytes.length });
    };
  }

  /** Checks goals while anything is read: they also depend on time. */
  #watch(): void {
    if (this.#readings.size > 0) this.#goals ??= setInterval(() => this.#checkGoals(), GOAL_MS);
    else {
      clearInterval(this.#goals);
      this.#goals = undefined;
    }
  }

  #checkGoals(): void {
    const now = this.options.now();
    for (const [id, reading] of this.#readings) {
      reading.session.tick(now);
      this.#writeWhenDue(reading);
      if (!reading.awaitsGoal || !reading.goal.reached(reading.session, now - reading.beganAt, now)) continue;
      reading.awaitsGoal = false;
      this.options.post({ kind: 'reached', reading: id });
    }
  }

  #writeWhenDue(reading: Reading): void {
    if (reading.writing) return;
    const since = this.options.now() - reading.writtenAt;
    // Uses the absolute difference: the clock may be set back.
    if (Math.abs(since) < reading.writeMs && reading.session.waiting < MAX_WAITING) return;
    void this.#write(reading, false);
  }

  async #write(reading: Reading, counts: boolean): Promise<void> {
    const { session, goal } = reading;
    reading.writing = true;
    const now = this.options.now();
    reading.writtenAt = now;
    // A stream that stays open repeats its tables: it counts when it is complete for the first time.
    const isComplete = counts || (!reading.counted && goal.reached(session, now - reading.beganAt, now));
    reading.counted ||= isComplete;
    const coverage = goal.coverage(session, now, isComplete);
    await this.#enqueue(async (file) => {
      // Taken after the previous write: texts returned by it may belong to these programmes.
      for (const change of session.take()) {
        const unplaced = await this.#store(file, this.#merged(change, this.options.now()));
        session.putBack(change.stationId, unplaced);
      }
      if (coverage.length === 0) return;
      await file.putCoverage(coverage);
      this.options.post({ kind: 'coverage' });
    }, reading);
    reading.writing = false;
  }

  /** Present/following takes precedence over the schedule while it is current. */
  #merged(change: StationChange, now: WallMs): StationChange {
    const present = this.#stations.get(change.stationId)?.present;
    if (present === undefined || !present.known) return change;
    const current = this.#presentFollowing(present, now);
    const merged = (program: ProgramRecord): ProgramRecord => {
      if (current.waiting?.id === program.id) return postponed(program, current.waiting, current.at);
      const held = present.held(program.eventId, broadcastMs(now));
      return held === undefined ? program : withSchedule(held, program);
    };
    return { ...change, programs: change.programs.map(merged), presentFollowing: current };
  }

  /** By the broadcast's clock: this machine's clock may be minutes off. */
  #presentFollowing(present: StationPresent, now: WallMs): PresentFollowing {
    const { source } = present;
    const reading = source === undefined ? undefined : this.#readings.get(source);
    return present.read(reading?.session.time(now) ?? broadcastMs(now));
  }

  /** Also reports an event that was present only briefly: a process that was paused reads many tables at once. */
  #presentChanged(stationId: StationId): void {
    const present = this.#stations.get(stationId)?.present;
    if (present === undefined) return;
    const current = this.#presentFollowing(present, this.options.now());
    const programs = [current.present, current.following].filter((program) => program != null);
    const named = { stationId, ...present.named };
    const change = { stationId, programs, extended: new Map(), windows: [], presentFollowing: current };
    const all = this.#presents.get(stationId) ?? [];
    const last = all.at(-1);
    const isAnother = last === undefined || last.named.present !== named.present;
    all.splice(isAnother && all.length < MAX_PRESENTS ? all.length : -1, 1, { named, change });
    this.#presents.set(stationId, all);
    this.#presentTimer ??= setTimeout(() => this.#flushPresents(), PRESENT_MS);
  }

  #flushPresents(): void {
    clearTimeout(this.#presentTimer);
    this.#presentTimer = undefined;
    const all = [...this.#presents.values()].flatMap((updates) => [
      ...updates.slice(0, -1).map(withoutFollowing),
      ...updates.slice(-1),
    ]);
    const changes = all.map(({ change }) => change);
    const named = all.map((one) => one.named);
    this.#presents.clear();
    if (changes.length === 0) return;
    void this.#enqueue(async (file) => {
      for (const change of changes) await this.#store(file, change);
    });
    // Sent after the write, so that subscribers find the listed programmes.
    this.#queue = this.#queue.then(() => this.options.post({ kind: 'named', stations: named }));
  }

  async #store(file: GuideDatabase, change: StationChange): Promise<StationChange['extended']> {
    const { changed, unplaced } = await file.programs.write(change, this.options.now());
    if (changed > 0) this.#reportChange(change.stationId);
    return unplaced;
  }

  /** Never rejects: a failed write is reported, and its sections are read again. */
  #enqueue(act: (file: GuideDatabase) => Promise<void>, reading?: Reading): Promise<void> {
    const done = this.#queue.then(async () => {
      if (this.#file === undefined) return;
      try {
        await act(this.#file);
      } catch (error) {
        reading?.session.forget();
        this.options.post({ kind: 'trouble', error: String(error) });
      }
    });
    this.#queue = done;
    return done;
  }

  #reportChange(station: StationId): void {
    this.#changed.add(station);
    this.#reportTimer ??= setTimeout(() => this.#reportNow(), REPORT_DELAY_MS);
  }

  #reportNow(): void {
    clearTimeout(this.#reportTimer);
    this.#reportTimer = undefined;
    if (this.#changed.size === 0) return;
    this.options.post({ kind: 'changed', stations: [...this.#changed] });
    this.#changed.clear();
  }

  #onTick(): void {
    for (const { station, present } of this.#stations.all()) {
      if (present.watched && present.dependsOnTime) this.#presentChanged(station.id);
    }
  }

  #purge(before: BroadcastMs): void {
    void this.#enqueue(async (file) => {
      const programs = await file.programs.purge(before);
      this.options.post({ kind: 'purged', programs });
    });
  }
}

function answer(port: MessagePort, message: GuideAnswer): void {
  port.postMessage(message);
}

/** Present and following are two sections: between their arrivals they may contradict each other. */
function withoutFollowing({ named, change }: PresentUpdate): PresentUpdate {
  const { presentFollowing } = change;
  if (presentFollowing === undefined) return { named, change };
  const { present, at } = presentFollowing;
  return {
    named: { ...named, following: undefined },
    change: {
      ...change,
      programs: present == null ? [] : [present],
      presentFollowing: { present, following: undefined, at },
    },
  };
}
