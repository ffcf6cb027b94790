/**
 * The guide worker's side of `messages.ts`: reads channels and feeds, merges what they say, and writes it with a
 * connection of its own, so that the main thread neither parses nor waits.
 */
import type { NetworkId, StationId } from '../../arib/ids.ts';
import type { PresentFollowing, StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import { postponed, withSchedule } from '../model/program-precedence.ts';
import type { GuideDatabase } from '../store/guide-database.ts';
import type { FeedOrder, FromGuideWorker, NamedEvents, ToGuideWorker, VisitOrder } from './guide-messages.ts';
import { GuideSession } from './guide-session.ts';
import { runVisit } from './guide-visit.ts';
import { KnownStations } from './known-stations.ts';
import type { StationPresent } from './merge/station-present.ts';
import { VisitGoal } from './visit-goal.ts';

/** Written earlier when so many programmes wait: a full satellite network is not held in memory. */
const MAX_WAITING = 1_000;
/** Present and following events of a stream come together. */
const PRESENT_MS = 50;
/** Open ends and pauses are looked at anew this often. */
const TICK_MS = 60_000;
/** Several writes are one message. */
const TELL_MS = 200;

export interface GuideHostOptions {
  post: (message: FromGuideWorker) => void;
  openFile: (path: string) => GuideDatabase;
  /** Epoch ms. */
  now: () => number;
}

/** A tuning being read, with when it is written. */
interface Reading {
  readonly session: GuideSession;
  readonly goal: VisitGoal;
  readonly writeMs: number;
  beganAt: number;
  writtenAt: number;
  /** A write of this reading is under way; what comes meanwhile waits for the next. */
  writing: boolean;
  /** Its stations count as read once. */
  counted: boolean;
}

export class GuideHost {
  readonly #stations = new KnownStations();
  readonly #visits = new Map<number, AbortController>();
  /** Visits on their way out too. */
  readonly #visiting = new Set<Promise<void>>();
  readonly #readings = new Map<number, Reading>();
  readonly #feeds = new Map<number, Reading>();
  #file: GuideDatabase | undefined;
  #writeMs = { visit: 0, feed: 0 };
  #serial = 0;
  /** All writing, one after the other. */
  #queue: Promise<void> = Promise.resolve();
  readonly #presents = new Set<StationId>();
  #presentTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #changed = new Set<StationId>();
  #tellTimer: ReturnType<typeof setTimeout> | undefined;
  #tick: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: GuideHostOptions) {}

  take(message: ToGuideWorker): void {
    switch (message.kind) {
      case 'open':
        this.#open(message.path, message.writeMs);
        break;
      case 'stations':
        this.#stations.replace(message.stations);
        for (const { session } of this.#readings.values()) session.reread();
        break;
      case 'visit':
        this.#startVisit(message.visit, message);
        break;
      case 'cancel':
        this.#visits.get(message.visit)?.abort(new Error('cancelled'));
        break;
      case 'feed':
        this.#startFeed(message.feed, message);
        break;
      case 'packets':
        this.#feed(message.feed, message.bytes);
        break;
      case 'feedEnd':
        void this.#endFeed(message.feed);
        break;
      case 'purge':
        this.#purge(message.before);
        break;
      case 'ask':
        this.options.post({ kind: 'alive' });
        break;
      case 'shutdown':
        void this.#shutdown();
        break;
    }
  }

  #open(path: string, writeMs: { visit: number; feed: number }): void {
    this.#writeMs = writeMs;
    try {
      this.#file = this.options.openFile(path);
    } catch (error) {
      this.options.post({ kind: 'trouble', error: String(error) });
    }
    this.#tick = setInterval(() => this.#onTick(), TICK_MS);
  }

  #startVisit(visit: number, order: VisitOrder): void {
    const visiting = this.#visit(visit, order).finally(() => this.#visiting.delete(visiting));
    this.#visiting.add(visiting);
  }

  async #visit(visit: number, order: VisitOrder): Promise<void> {
    const { now, post } = this.options;
    const cancel = new AbortController();
    this.#visits.set(visit, cancel);
    const reading = this.#read(order.networkId, order, this.#writeMs.visit, order.patienceMs, true);
    const result = await runVisit(order, {
      session: reading.session,
      goal: reading.goal,
      signal: cancel.signal,
      now,
      onRead: () => this.#writeWhenDue(reading),
    });
    this.#visits.delete(visit);
    const counts = result.outcome === 'complete' || result.outcome === 'partial';
    await this.#end(reading, counts);
    post({ kind: 'done', visit, ...result });
  }

  #read(
    network: NetworkId,
    { wanted, settleMs }: Pick<VisitOrder, 'wanted' | 'settleMs'>,
    writeMs: number,
    patienceMs: number,
    whole: boolean,
  ): Reading {
    const { now, post } = this.options;
    this.#serial += 1;
    const id = this.#serial;
    const session = new GuideSession(
      id,
      network,
      this.#stations,
      {
        present: (station) => this.#presentChanged(station),
        clock: (offsetMs) => post({ kind: 'clock', networkId: network, offsetMs, at: now() }),
      },
      whole,
    );
    const at = now();
    const reading: Reading = {
      session,
      goal: new VisitGoal(wanted, settleMs, patienceMs, this.#stations),
      writeMs,
      beganAt: at,
      writtenAt: at,
      writing: false,
      counted: false,
    };
    this.#readings.set(id, reading);
    return reading;
  }

  #startFeed(feed: number, order: FeedOrder): void {
    this.#feeds.set(feed, this.#read(order.networkId, order, this.#writeMs.feed, 0, false));
  }

  #feed(feed: number, bytes: Uint8Array<ArrayBuffer>): void {
    const reading = this.#feeds.get(feed);
    if (reading !== undefined) {
      reading.session.feed(bytes, this.options.now());
      this.#writeWhenDue(reading);
    }
    this.options.post({ kind: 'fed', feed, bytes: bytes.length });
  }

  async #endFeed(feed: number): Promise<void> {
    const reading = this.#feeds.get(feed);
    this.#feeds.delete(feed);
    if (reading !== undefined) await this.#end(reading, false);
  }

  /** Writes what is left; the stations' present/following may come from elsewhere again. */
  async #end(reading: Reading, counts: boolean): Promise<void> {
    const { session } = reading;
    const now = this.options.now();
    this.#readings.delete(session.id);
    for (const { station, present } of this.#stations.all()) {
      const wasWatched = present.watched;
      present.release(session.id, now);
      if (wasWatched && !present.watched) this.#presentChanged(station.id);
    }
    this.#flushPresents();
    session.readHeld(now);
    await this.#write(reading, counts);
  }

  #writeWhenDue(reading: Reading): void {
    if (reading.writing) return;
    const since = this.options.now() - reading.writtenAt;
    // The difference counts either way: the clock may be set back.
    if (Math.abs(since) < reading.writeMs && reading.session.waiting < MAX_WAITING) return;
    void this.#write(reading, false);
  }

  async #write(reading: Reading, counts: boolean): Promise<void> {
    const { session, goal } = reading;
    reading.writing = true;
    const now = this.options.now();
    reading.writtenAt = now;
    // A stream that stays open is read to its end over and over: it counts when it was whole for the first time.
    const whole = counts || (!reading.counted && goal.reached(session, now - reading.beganAt, now));
    reading.counted ||= whole;
    const coverage = goal.coverage(session, now, whole);
    await this.#enqueue(async (file) => {
      // Taken only now: texts that an earlier write handed back find their programmes among these.
      for (const change of session.take()) {
        const unplaced = await this.#store(file, this.#merged(change, this.options.now()));
        session.putBack(change.stationId, unplaced);
      }
      if (coverage.length === 0) return;
      file.coverage.put(coverage);
      this.options.post({ kind: 'coverage' });
    }, reading);
    reading.writing = false;
  }

  /** Present/following wins over the schedule while it is to be believed. */
  #merged(change: StationChange, now: number): StationChange {
    const present = this.#stations.get(change.stationId)?.present;
    if (present === undefined || !present.known) return change;
    const said = this.#said(present, now);
    const merged = (program: ProgramRecord): ProgramRecord => {
      if (said.waiting?.id === program.id) return postponed(program, said.waiting, said.at);
      const held = present.held(program.eventId, now);
      return held === undefined ? program : withSchedule(held, program);
    };
    return { ...change, programs: change.programs.map(merged), presentFollowing: said };
  }

  /** By the clock of the broadcast that says it: this machine's may be minutes off. */
  #said(present: StationPresent, now: number): PresentFollowing {
    const { source } = present;
    const reading = source === undefined ? undefined : this.#readings.get(source);
    return present.read(reading?.session.time(now) ?? now);
  }

  #presentChanged(station: StationId): void {
    this.#presents.add(station);
    this.#presentTimer ??= setTimeout(() => this.#flushPresents(), PRESENT_MS);
  }

  #flushPresents(): void {
    clearTimeout(this.#presentTimer);
    this.#presentTimer = undefined;
    const now = this.options.now();
    const changes: StationChange[] = [];
    const named: NamedEvents[] = [];
    for (const stationId of this.#presents) {
      const present = this.#stations.get(stationId)?.present;
      if (present === undefined) continue;
      named.push({ stationId, ...present.named });
      const said = this.#said(present, now);
      const programs = [said.present, said.following].filter((program) => program != null);
      changes.push({ stationId, programs, extended: new Map(), windows: [], presentFollowing: said });
    }
    this.#presents.clear();
    if (changes.length === 0) return;
    void this.#enqueue(async (file) => {
      for (const change of changes) await this.#store(file, change);
    });
    // Whoever acts on it finds the programmes that it names.
    this.#queue = this.#queue.then(() => this.options.post({ kind: 'named', stations: named }));
  }

  async #store(file: GuideDatabase, change: StationChange): Promise<StationChange['extended']> {
    const { changed, unplaced } = await file.programs.write(change, this.options.now());
    if (changed > 0) this.#tell(change.stationId);
    return unplaced;
  }

  /** Never rejects: what cannot be stored is reported, and read again where it came from. */
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

  #tell(station: StationId): void {
    this.#changed.add(station);
    this.#tellTimer ??= setTimeout(() => this.#tellNow(), TELL_MS);
  }

  #tellNow(): void {
    clearTimeout(this.#tellTimer);
    this.#tellTimer = undefined;
    if (this.#changed.size === 0) return;
    this.options.post({ kind: 'changed', stations: [...this.#changed] });
    this.#changed.clear();
  }

  #onTick(): void {
    for (const { station, present } of this.#stations.all()) {
      if (present.watched && present.dependsOnTime) this.#presentChanged(station.id);
    }
  }

  #purge(before: number): void {
    void this.#enqueue(async (file) => {
      const programs = await file.programs.purge(before);
      this.options.post({ kind: 'purged', programs });
    });
  }

  async #shutdown(): Promise<void> {
    clearInterval(this.#tick);
    for (const cancel of this.#visits.values()) cancel.abort(new Error('shutting down'));
    for (const feed of [...this.#feeds.keys()]) await this.#endFeed(feed);
    await Promise.all(this.#visiting);
    this.#flushPresents();
    await this.#queue;
    this.#tellNow();
    this.#file?.close();
    this.#file = undefined;
    this.options.post({ kind: 'down' });
  }
}
