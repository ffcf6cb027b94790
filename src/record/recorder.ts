/**
 * Recording: what was ordered is begun in time, followed while it is made, and judged at its end; what a former life of
 * the service left goes on. What is to be recorded, and why, is decided elsewhere.
 *
 * Times are looked at every second at least, because the clock may be set; many that are due at once are begun in
 * slices, so that nobody waits for them.
 */
import { mkdir } from 'node:fs/promises';
import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import { settlesWithin, within } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import type { RecordingProgress } from '../../wire/recordings.ts';
import type { EventData, Hub } from '../hub/hub.ts';
import type { ProgramRecord } from '../model/program.ts';
import type {
  NewRecording,
  RecordingEnd,
  RecordingOrder,
  RecordingRecord,
  RecordingTexts,
} from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import type { ReservationId } from '../model/reservation.ts';
import type { StationRecord } from '../model/station.ts';
import { ReceptionClient } from '../reception/reception-client.ts';
import type { StreamTap } from '../reception/stream-tap.ts';
import { folderProblem } from '../settings/folder-problem.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { UNHEARD_MS } from './airing-probe.ts';
import { ClockStepDetector } from './clock-step-detector.ts';
import { CommitBatcher } from './commit-batcher.ts';
import { reconcile } from './file-reconciliation.ts';
import type { FolderMounts } from './folder-mounts.ts';
import { type Folder, freeBytes } from './folder-selection.ts';
import { RecordingChangeNotifier } from './recording-change-notifier.ts';
import type { ConcludeOptions } from './recording-conclusion.ts';
import { stemOf } from './recording-file-name.ts';
import { RecordingSession, type SessionOptions, useOf } from './recording-session.ts';
import { latestTexts, type SeriesReader } from './recording-texts.ts';
import { endOf, RunningRecording, type Session } from './running-recording.ts';
import { previousProgress } from './unfinished-recording.ts';

const LOOK_MS = 1_000;
/** Rows are made for so long before others have their turn. */
const SLICE_MS = 4;
/** Everything received is written in 3 s, or the disk hangs (`stream/file-sink.ts`). */
const CLOSE_LIMIT_MS = 4_000;
/**
 * A recording that begins does not wait longer for the database's disk: a power cut within the seconds of its waking up
 * may leave a file that no row knows, and what is not received is lost for certain.
 */
const PLACED_PATIENCE_MS = 500;
/** Files on a disk that hangs are not waited for when a recording is to be judged. */
const RECONCILE_LIMIT_MS = 60_000;

export interface RecorderOptions {
  agentUrl: string;
  store: RecordingStore;
  /** Listed or not. */
  findStation: (id: RecordingOrder['stationId']) => StationRecord | undefined;
  findProgram: (id: RecordingOrder['programId']) => ProgramRecord | undefined;
  readSeries: SeriesReader;
  /** As `CommitsOptions`. */
  stored?: (() => Promise<void>) | undefined;
  /** In the order in which they are wished for. */
  folders: () => readonly Folder[];
  retryDamaged: ConcludeOptions['retryDamaged'];
  onBegan: (reservationId: ReservationId, recordingId: number) => void;
  onEnded: (end: RecordingEnd) => void;
  hub: Hub;
  startWorker: () => Worker;
  /** Reads along whatever is recorded. */
  tap?: StreamTap | undefined;
  log: Log;
  /** Epoch ms, by the broadcast's clock; may be set at any time. */
  now: () => number;
  /** ms since some moment, which nobody sets. */
  elapsed: () => number;
  /** False: nobody confirmed the time since the machine was started. */
  isTimeSure?: (() => boolean) | undefined;
  /** Epoch ms by the machine's clock, which dates files. */
  wall: () => number;
  /** Free octets; undefined = away. */
  free?: (path: string) => Promise<number | undefined>;
  /** A folder that is there whenever the service runs, for when no other is. */
  spare?: string | undefined;
  mounts?: FolderMounts | undefined;
  openSession?: (options: SessionOptions) => Session;
  /** How often times are looked at, ms. */
  lookMs?: number;
}

/** Three Time Offset Tables, and a guide that is collected to hear them: so long the right time is waited for. */
const DOUBT_MS = 60_000;

const UNREADABLE: RecordingReason = { code: 'unreadable' };

const NOTHING_YET: Omit<RecordingRecord, keyof NewRecording | 'id'> = {
  state: 'recording',
  holdUntil: null,
  ended: null,
  reason: null,
  beganAt: null,
  durationMs: null,
  folder: null,
  stem: null,
  verdict: null,
};

export interface RunningOrder {
  recordingId: number;
  tunerId: string | null;
  /** Epoch ms: it ends by itself then. */
  until: number;
  progress: RecordingProgress;
}

export class Recorder {
  readonly #client: ReceptionClient;
  readonly #news: RecordingChangeNotifier;
  readonly #commits: CommitBatcher;
  readonly #clock: ClockStepDetector;
  /** Not begun. */
  #waiting = new Map<ReservationId, RecordingOrder>();
  readonly #running = new Map<number, RunningRecording>();
  readonly #byReservation = new Map<ReservationId, RunningRecording>();
  /** Orders that could not be begun, told once. */
  readonly #troubled = new Set<ReservationId>();
  /** Left by a former life, and over by a clock that may be wrong. */
  #doubtful: number[] = [];
  readonly #bornAt: number;
  #reconciled: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #slice: ReturnType<typeof setImmediate> | undefined;
  #closed = false;

  constructor(readonly options: RecorderOptions) {
    const { startWorker, log, tap, hub, store } = options;
    this.#bornAt = options.elapsed();
    this.#client = new ReceptionClient({ startWorker, log, tap });
    this.#news = new RecordingChangeNotifier(hub);
    this.#commits = new CommitBatcher({ store, stored: options.stored });
    this.#clock = new ClockStepDetector(options.now, options.elapsed, (byMs) => {
      log.warn('clock set', { byMs, running: this.#running.size });
      for (const running of this.#running.values()) running.clockSet(byMs);
    });
  }

  /** Goes on with what was begun before. @throws the database's error, when it cannot tell what that is */
  start(): void {
    this.#reconciled = this.#reconcile();
    void this.#lookAtFolders();
    for (const id of this.options.store.unfinished()) this.#goOn(id);
    this.#arm();
  }

  /** One that cannot be gone on with keeps no other from going on. */
  #goOn(id: number): void {
    const { store, log } = this.options;
    const { now } = this.#clock;
    try {
      const record = store.find(id);
      // Deleted meanwhile: nothing of it is wanted.
      if (record === undefined) return;
      if (this.#isInDoubt && record.ended === null && endOf(record) <= now()) {
        this.#doubtful.push(id);
        return;
      }
      log.info('recording goes on', { recording: id, closeAt: record.closeAt });
      const mayBeOn = record.ended === null && endOf(record) + UNHEARD_MS > now();
      this.#run(record, mayBeOn ? this.#resume(record) : undefined);
    } catch (error) {
      log.error('recording cannot go on', { recording: id, error: String(error) });
      this.#giveUp(id);
    }
  }

  /** A machine that was just started may be set to any time. */
  get #isInDoubt(): boolean {
    const { isTimeSure, elapsed } = this.options;
    return isTimeSure?.() === false && elapsed() - this.#bornAt < DOUBT_MS;
  }

  #giveUp(id: number): void {
    const { store, log } = this.options;
    try {
      store.giveUp(id, UNREADABLE, this.#clock.now());
      this.#news.changed('reservations', 'services');
    } catch (error) {
      log.error('recording that cannot go on not ended', { recording: id, error: String(error) });
    }
  }

  /** Everything that is to be recorded, whole, at each change; what runs and is missing here goes on to its end. */
  order(orders: readonly RecordingOrder[]): void {
    const waiting = new Map<ReservationId, RecordingOrder>();
    for (const order of orders) {
      const running = this.#byReservation.get(order.reservationId);
      if (running === undefined) waiting.set(order.reservationId, order);
      else if (!running.isOver) running.follow(order);
    }
    this.#waiting = waiting;
    for (const id of this.#troubled) if (!waiting.has(id)) this.#troubled.delete(id);
    this.#arm();
  }

  /** A person cancels a running one: what there is is kept. Resolves when nothing is written any more. */
  async stop(reservationId: ReservationId): Promise<void> {
    await this.#byReservation.get(reservationId)?.stop();
  }

  /** Resolves when nothing of it runs or is judged any more. */
  async over(reservationId: ReservationId): Promise<void> {
    await this.#byReservation.get(reservationId)?.over;
  }

  running(): ReadonlyMap<ReservationId, RunningOrder> {
    const entries = [...this.#byReservation].map(
      ([reservationId, running]): [ReservationId, RunningOrder] => {
        const { progress } = running;
        const { tunerId, until } = progress;
        return [reservationId, { recordingId: running.id, tunerId, until, progress }];
      },
    );
    return new Map(entries);
  }

  /** Of the recordings that are being made, or judged. */
  progress(): ReadonlyMap<number, RecordingProgress> {
    return new Map([...this.#running].map(([id, { progress }]) => [id, progress]));
  }

  /** What viewers are told of one that is being made: until when it needs its tuner. */
  describe(recordingId: number): EventData['yielded']['recording'] | undefined {
    const running = this.#running.get(recordingId);
    if (running === undefined || running.isOver) return undefined;
    const { id, name, serviceName } = running.record;
    return { id, title: removeTitleMarks(name).title, serviceName, endAt: running.progress.until };
  }

  /** The clock was set: due is what its new time says. */
  clockSet(): void {
    this.#clock.now();
    this.#arm();
  }

  /** Everything received is written; nothing has failed. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#slice);
    this.#news.close();
    const closing = [...this.#running.values()].map((running) => running.close());
    await within(CLOSE_LIMIT_MS, Promise.all(closing), () => {});
    this.#commits.flush();
    await this.#client.close();
  }

  /** The first is the service's own and is made. */
  async #lookAtFolders(): Promise<void> {
    const { folders, mounts, log } = this.options;
    const [own] = folders();
    if (own !== undefined && !(await mounts?.isAway(own.path))) {
      await mkdir(own.path, { recursive: true }).catch((error: unknown) => {
        log.error('recording folder cannot be made', { folder: own.path, error: String(error) });
      });
    }
    for (const { path } of folders()) {
      const isAway = await mounts?.isAway(path);
      const problem = isAway ? 'ディスクがマウントされていません' : await folderProblem(path);
      if (problem !== undefined) log.error('recordings cannot be written', { folder: path, problem });
    }
  }

  async #reconcile(): Promise<void> {
    const { log } = this.options;
    const done = reconcile(this.options).catch((error: unknown) => {
      log.error('recordings and files not compared', { error: String(error) });
    });
    await settlesWithin(RECONCILE_LIMIT_MS, done);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const isIdle = this.#waiting.size === 0 && this.#running.size === 0 && this.#doubtful.length === 0;
    if (this.#closed || isIdle) return;
    const now = this.#clock.now();
    let next = this.options.lookMs ?? LOOK_MS;
    for (const { openAt, reservationId } of this.#waiting.values()) {
      if (!this.#troubled.has(reservationId)) next = Math.min(next, openAt - now);
    }
    this.#timer = setTimeout(() => this.#look(), Math.max(0, next));
  }

  #look(): void {
    if (this.#closed) return;
    for (const id of this.#isInDoubt ? [] : this.#doubtful.splice(0)) this.#goOn(id);
    for (const running of this.#running.values()) {
      this.#news.watch(running.progress);
      running.outlast();
    }
    this.#news.look();
    this.#beginDue();
  }

  /** The earliest first. */
  #beginDue(): void {
    const began = performance.now();
    const now = this.#clock.now();
    const due = [...this.#waiting.values()]
      .filter(({ openAt }) => openAt <= now)
      .sort((a, b) => a.openAt - b.openAt || a.reservationId - b.reservationId);
    for (const [index, order] of due.entries()) {
      this.#begin(order, now);
      if (performance.now() - began < SLICE_MS || index === due.length - 1) continue;
      clearImmediate(this.#slice);
      clearTimeout(this.#timer);
      this.#slice = setImmediate(() => this.#beginDue());
      return;
    }
    this.#arm();
  }

  #begin(order: RecordingOrder, now: number): void {
    const { reservationId } = order;
    const { log, onBegan } = this.options;
    if (order.closeAt <= now) {
      this.#waiting.delete(reservationId);
      return;
    }
    let record: RecordingRecord | undefined;
    try {
      record = this.#create(order, now);
      this.#troubled.delete(reservationId);
      this.#waiting.delete(reservationId);
    } catch (error) {
      if (!this.#troubled.has(reservationId)) {
        log.error('recording cannot begin', { reservation: reservationId, error: String(error) });
      }
      this.#troubled.add(reservationId);
      return;
    }
    if (record === undefined) return;
    // Those whose tuner it takes over.
    const before = this.#underWay(order.after);
    for (const running of before) running.yieldEnd(now);
    const { openAt } = order;
    const after = [...before, ...this.#underWay(order.apart ?? [])].map(({ id }) => useOf(id));
    this.#run(record, this.#session(record, { openAt, after })).follow(order);
    log.info('recording begins', {
      recording: record.id,
      reservation: reservationId,
      closeAt: order.closeAt,
    });
    onBegan(reservationId, record.id);
  }

  #underWay(reservations: readonly ReservationId[]): RunningRecording[] {
    return reservations.flatMap((id) => {
      const running = this.#byReservation.get(id);
      return running === undefined || running.isOver ? [] : [running];
    });
  }

  /** Undefined: its reservation does not stand any more. @throws the database's error */
  #create(order: RecordingOrder, now: number): RecordingRecord | undefined {
    const { findStation, findProgram, store, log } = this.options;
    const station = findStation(order.stationId);
    if (station === undefined) throw new Error(`station ${order.stationId} is not known`);
    const { after: _, openAt: __, holdUntil: ___, apart: ____, ...rest } = order;
    const { listenUntil: _____, brokenAt: ______, ...wanted } = rest;
    const program = findProgram(order.programId);
    const { extended = null, genres = [], audios = [] } = program ?? {};
    const { name, description } = order;
    const recording: NewRecording = {
      ...wanted,
      ...{ extended, genres, audios, serviceName: station.name },
      videoType: program?.videoType ?? null,
      videoResolution: program?.videoResolution ?? null,
      isFree: program?.isFree ?? true,
      series: this.options.readSeries({ name, description, extended }),
    };
    const id = store.create(recording, now);
    if (id === undefined) {
      log.warn('reservation does not stand any more', { reservation: order.reservationId });
      return undefined;
    }
    return { ...recording, ...NOTHING_YET, id };
  }

  #resume(record: RecordingRecord): Session | undefined {
    const { store } = this.options;
    const former = previousProgress(store, record);
    const openAt = this.#clock.now();
    return this.#session(record, { openAt, after: [], former, listens: endOf(record) <= openAt });
  }

  /** Undefined when its station is not known any more. */
  #session(
    record: RecordingRecord,
    { openAt, after, former, listens }: Pick<SessionOptions, 'openAt' | 'after'> & Partial<SessionOptions>,
  ): Session | undefined {
    const { id, startAt, name, serviceName: stationName } = record;
    const {
      agentUrl,
      folders,
      spare,
      free = freeBytes,
      mounts,
      store,
      log,
      wall,
      findStation,
    } = this.options;
    const { now } = this.#clock;
    const { openSession = (options) => new RecordingSession(options) } = this.options;
    const station = findStation(record.stationId);
    if (station === undefined) {
      log.error('station of a recording is not known', { recording: id, station: record.stationId });
      return undefined;
    }
    const title = removeTitleMarks(name).title;
    return openSession({
      ...{ id, station, openAt, mainAt: startAt, endAt: endOf(record), after, former, listens },
      stem: record.stem ?? stemOf({ id, startAt, title, stationName }),
      ...{ client: this.#client, agentUrl, folders, spare, free, mounts, log, now, wall },
      ledger: {
        placed: async (parts, place) => {
          if (place !== null) await mounts?.used(place.folder);
          await this.#commits.commit(() => store.placed(id, parts, place, now()), PLACED_PATIENCE_MS);
        },
        began: (at) => store.began(id, at),
        measured: (measured, parts) => store.saveMeasured(id, measured, parts),
        seam: (seam) => store.seam(id, seam),
      },
      onChange: () => this.#news.changed(),
    });
  }

  #latestTexts(record: RecordingRecord): RecordingTexts | undefined {
    const { findProgram, readSeries } = this.options;
    return record.programId === null
      ? undefined
      : latestTexts(record, findProgram(record.programId), readSeries);
  }

  #run(record: RecordingRecord, session: Session | undefined): RunningRecording {
    const { free = freeBytes } = this.options;
    const running = new RunningRecording(record, session, {
      ...this.options,
      now: this.#clock.now,
      free,
      reconciled: this.#reconciled,
      commits: this.#commits,
      latestTexts: (one) => this.#latestTexts(one),
      onOver: (one, conclusion) => {
        this.#running.delete(one.id);
        if (one.reservationId !== null) this.#byReservation.delete(one.reservationId);
        if (conclusion === undefined || this.#closed) return;
        this.#news.changed('services');
        const { reservationId, id: recordingId } = one;
        this.options.onEnded({ reservationId, recordingId, worthRepeating: conclusion.worthRepeating });
      },
    });
    this.#running.set(record.id, running);
    if (record.reservationId !== null) this.#byReservation.set(record.reservationId, running);
    this.#news.changed('services');
    return running;
  }
}
