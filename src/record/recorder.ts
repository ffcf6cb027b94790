/**
 * The recorder: begins orders in time, updates running recordings, concludes them with a verdict, and resumes those
 * of an earlier process. What to record is decided in `booking` and `schedule`.
 *
 * Times are checked every second at least, because the clock may be set; many orders that are due at once are begun
 * in slices, so that they do not block the main thread.
 */
import { mkdir } from 'node:fs/promises';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin, within } from '../../lib/host/deadline.ts';
import type { RecordingId, ReservationId } from '../../lib/wire/ids.ts';
import type { RecordingProgress } from '../../lib/wire/recordings.ts';
import type { ProgramRecord } from '../model/program.ts';
import type {
  RecordingEnd,
  RecordingOrder,
  RecordingRecord,
  RunningRecordingStatus as RunningRecordingInfo,
} from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import type { StationRecord } from '../model/station.ts';
import type { BroadcastSpan } from '../model/verdict.ts';
import type { EventData, Hub } from '../notify/hub.ts';
import { folderProblem } from '../settings/recording-folder-rules.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { ClockStepDetector } from './clock-step-detector.ts';
import { CommitBatcher } from './commit-batcher.ts';
import { FileWatch, reconcile } from './file-reconciliation.ts';
import type { FolderMounts } from './folder-mounts.ts';
import { freeBytes } from './folder-selection.ts';
import {
  delayOf,
  latestTexts,
  lifecycleOf,
  NOTHING_YET,
  newRecording,
  resumedTimes,
  type SeriesReader,
} from './recording-begin.ts';
import { RecordingChangeNotifier } from './recording-change-notifier.ts';
import { type ConcludeOptions, joinReturned } from './recording-conclusion.ts';
import { stemOf } from './recording-file-name.ts';
import type { LifecycleTimes } from './recording-lifecycle.ts';
import { RecordingSession, type SessionOptions, useOf } from './recording-session.ts';
import {
  endOf,
  type GuideOfStation,
  orderedTimes,
  type PreviousProgress,
  previousProgress,
  RunningRecording,
  retryUntilStored,
  type Session,
} from './running-recording.ts';

const CHECK_MS = 1_000;
/** A deleted file is detected within a minute. */
const FILE_CHECK_MS = 30_000;
/** Time slice for creating rows before the event loop continues. */
const SLICE_MS = 4;
/** An output that has not written its data within 3 s has a hanging disk (`reception/file-output.ts`). */
const CLOSE_LIMIT_MS = 4_000;
/**
 * Longest wait of a beginning recording for the database's disk: a power cut while a disk spins up may leave a file
 * without a row, but packets that are not received are lost for certain.
 */
const PLACED_PATIENCE_MS = 500;
/** Longest wait of a conclusion for files on a hanging disk. */
const RECONCILE_LIMIT_MS = 60_000;
/** A programme is assumed to be over this long after its end. The plan uses the same value. */
const UNRECEIVED_MS = 3 * 3_600_000;

/** The pool is closed by its owner, after the recorder; the broadcast's clock may be set at any time. */
export interface RecorderOptions
  extends Pick<
    SessionOptions,
    'pool' | 'folders' | 'fallback' | 'keyFailure' | 'whySilent' | 'log' | 'broadcastClock' | 'wallClock'
  > {
  store: RecordingStore;
  /** Also finds stations that are not listed. */
  findStation: (id: RecordingOrder['stationId']) => StationRecord | undefined;
  findProgram: (id: RecordingOrder['programId']) => ProgramRecord | undefined;
  findFollowing?: GuideOfStation['findFollowing'];
  readSeries: SeriesReader;
  /** See `CommitsOptions`. */
  stored?: (() => Promise<void>) | undefined;
  retryDamaged: ConcludeOptions['retryDamaged'];
  onBegan: (reservationId: ReservationId, recordingId: RecordingId) => void;
  onEnded: (end: RecordingEnd) => void;
  hub: Hub;
  monotonicClock: MonotonicClock;
  /** False: no broadcast has confirmed the time since the machine was started. */
  isTimeSure?: (() => boolean) | undefined;
  /** Free octets; undefined if unavailable. */
  free?: (path: string) => Promise<number | undefined>;
  mounts?: FolderMounts | undefined;
  openSession?: (options: SessionOptions) => Session;
  /** Interval of time checks, ms. */
  checkMs?: number;
  /** Interval of the check for deleted files, ms. */
  fileCheckMs?: number;
}

/** Longest wait for the correct time: three TOTs, plus the start of a guide visit that reads them. */
const DOUBT_MS = 60_000;

const UNREADABLE: RecordingReason = { code: 'unreadable' };

export class Recorder {
  readonly #changes: RecordingChangeNotifier;
  readonly #commits: CommitBatcher;
  readonly #clock: ClockStepDetector;
  /** Orders that have not begun. */
  #waiting = new Map<ReservationId, RecordingOrder>();
  readonly #running = new Map<RecordingId, RunningRecording>();
  readonly #byReservation = new Map<ReservationId, RunningRecording>();
  /** Orders that could not begin; each is logged once. */
  readonly #notBegun = new Set<ReservationId>();
  /** Recordings of an earlier process that are over according to a clock that may be wrong. */
  #doubtful: RecordingId[] = [];
  readonly #createdAt: MonotonicMs;
  #startedAt: BroadcastMs;
  /** Reservations without a tuner in the plan. */
  #conflicts: ReadonlySet<ReservationId> = new Set();
  /** Orders that came late because they had been in conflict. */
  readonly #wasInConflict = new Set<ReservationId>();
  #reconciled: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #slice: ReturnType<typeof setImmediate> | undefined;
  #closed = false;
  readonly #closing = new AbortController();
  readonly #fileWatch: FileWatch;
  #fileTimer: ReturnType<typeof setInterval> | undefined;
  #isCheckingFiles = false;

  constructor(readonly options: RecorderOptions) {
    const { log, hub, store } = options;
    this.#createdAt = options.monotonicClock();
    this.#fileWatch = new FileWatch(options);
    this.#startedAt = options.broadcastClock();
    this.#changes = new RecordingChangeNotifier(hub);
    this.#commits = new CommitBatcher({ store, stored: options.stored });
    this.#clock = new ClockStepDetector(options.broadcastClock, options.monotonicClock, (byMs) => {
      this.#startedAt = broadcastMs(this.#startedAt + byMs);
      log.warn('clock set', { byMs, running: this.#running.size });
      for (const running of this.#running.values()) running.clockSet(byMs);
    });
  }

  /** Resumes recordings of an earlier process. @throws the database's error when it cannot be read */
  start(): void {
    this.#reconciled = this.#reconcile();
    this.#fileTimer = setInterval(() => void this.#checkFiles(), this.options.fileCheckMs ?? FILE_CHECK_MS);
    void this.#checkFolders();
    for (const id of this.options.store.unfinished()) this.#continue(id);
    this.#arm();
  }

  /** A recording that cannot be resumed must not block the others. */
  #continue(id: RecordingId): void {
    const { store, log } = this.options;
    const { now } = this.#clock;
    try {
      const record = store.find(id);
      // Deleted in the meantime.
      if (record === undefined) return;
      if (this.#isInDoubt && record.ended === null && endOf(record) <= now()) {
        this.#doubtful.push(id);
        return;
      }
      log.info('recording is resumed', { recording: id, closeAt: record.closeAt });
      const mayBeOn = record.ended === null && endOf(record) + UNRECEIVED_MS > now();
      this.#run(record, mayBeOn ? this.#resume(record) : undefined);
    } catch (error) {
      log.error('recording cannot be resumed', { recording: id, error: String(error) });
      this.#giveUp(id);
    }
  }

  /** The clock of a machine that was just started may be wrong. */
  get #isInDoubt(): boolean {
    const { isTimeSure, monotonicClock } = this.options;
    return isTimeSure?.() === false && monotonicClock() - this.#createdAt < DOUBT_MS;
  }

  #giveUp(id: RecordingId): void {
    const { store, log } = this.options;
    try {
      store.giveUp(id, UNREADABLE, this.options.wallClock());
      this.#changes.changed('reservations', 'services');
    } catch (error) {
      log.error('failed recording not ended in the database', { recording: id, error: String(error) });
    }
  }

  /**
   * Replaces all orders; running recordings without an order continue to their end.
   * @param conflicts reservations that currently have no tuner: the cause if one of them is ordered late
   */
  order(orders: readonly RecordingOrder[], conflicts: ReadonlySet<ReservationId> = new Set()): void {
    const waiting = new Map<ReservationId, RecordingOrder>();
    for (const order of orders) {
      const running = this.#byReservation.get(order.reservationId);
      if (running === undefined) {
        waiting.set(order.reservationId, order);
        if (this.#conflicts.has(order.reservationId)) this.#wasInConflict.add(order.reservationId);
      } else if (!running.isOver) running.follow(order);
    }
    this.#waiting = waiting;
    this.#conflicts = new Set(conflicts);
    for (const id of this.#wasInConflict) if (!waiting.has(id)) this.#wasInConflict.delete(id);
    for (const id of this.#notBegun) if (!waiting.has(id)) this.#notBegun.delete(id);
    this.#arm();
  }

  /** A user stops a running recording; received data is kept. Resolves when writing has ended. */
  async stop(reservationId: ReservationId): Promise<void> {
    await this.#byReservation.get(reservationId)?.stop();
  }

  /** Resolves when it has ended and its verdict is stored. */
  async over(reservationId: ReservationId): Promise<void> {
    await this.#byReservation.get(reservationId)?.over;
  }

  running(): ReadonlyMap<ReservationId, RunningRecordingInfo> {
    const entries = [...this.#byReservation].map(
      ([reservationId, running]): [ReservationId, RunningRecordingInfo] => {
        const { progress } = running;
        const { tunerId, until } = progress;
        return [reservationId, { recordingId: running.id, tunerId, until: broadcastMs(until), progress }];
      },
    );
    return new Map(entries);
  }

  /** Of recordings that are running or being concluded. */
  progress(): ReadonlyMap<RecordingId, RecordingProgress> {
    return new Map([...this.#running].map(([id, { progress }]) => [id, progress]));
  }

  /** When recordings run or are planned. */
  uses(): BroadcastSpan[] {
    const running = [...this.#running.values()].filter(({ isOver }) => !isOver);
    return [
      ...running.map(({ progress, record }) => ({ from: record.startAt, to: progress.until })),
      ...[...this.#waiting.values()].map(({ openAt, closeAt }) => ({ from: openAt, to: closeAt })),
    ];
  }

  /** For messages to viewers: until when a running recording needs its tuner. */
  describe(recordingId: RecordingId): EventData['yielded']['recording'] | undefined {
    const running = this.#running.get(recordingId);
    if (running === undefined || running.isOver) return undefined;
    const { id, name, serviceName } = running.record;
    const endAt = broadcastMs(running.progress.until);
    return { id, title: removeTitleMarks(name).title, serviceName, endAt };
  }

  /** The clock was set: check what is due by the new time. */
  clockSet(): void {
    this.#clock.now();
    this.#arm();
  }

  /** Writes everything received; recordings can be resumed. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort(new Error('closed'));
    clearTimeout(this.#timer);
    clearImmediate(this.#slice);
    clearInterval(this.#fileTimer);
    this.#changes.close();
    const closing = [...this.#running.values()].map((running) => running.close());
    await within(CLOSE_LIMIT_MS, Promise.all(closing), () => {});
    this.#commits.flush();
  }

  /** The first folder is the service's own and is created. */
  async #checkFolders(): Promise<void> {
    const { folders, mounts, log } = this.options;
    const [own] = folders();
    if (own !== undefined && !(await mounts?.isAway(own.path))) {
      await mkdir(own.path, { recursive: true }).catch((error: unknown) => {
        log.error('recording folder cannot be created', { folder: own.path, error: String(error) });
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

  /** Detects files that a user deleted, renamed or brought back. */
  async #checkFiles(): Promise<void> {
    await this.#reconciled;
    if (this.#isCheckingFiles || this.#closed) return;
    this.#isCheckingFiles = true;
    try {
      const { forgotten, returned } = await this.#fileWatch.check();
      if (forgotten > 0) this.options.log.warn('recording files are gone', { files: forgotten });
      if (returned > 0) this.options.log.info('recording files are back', { files: returned });
      // A folder may be back, or have room again.
      const { free = freeBytes } = this.options;
      const waiting = { signal: this.#closing.signal, log: this.options.log };
      const persist = (act: () => void): Promise<void> =>
        retryUntilStored('joined file', () => this.#commits.commit(act), waiting);
      if (this.#fileWatch.hasChanged) await joinReturned({ ...this.options, free, persist });
      if (forgotten + returned > 0) this.#changes.changed();
    } catch (error) {
      this.options.log.error('recording files not checked', { error: String(error) });
    } finally {
      this.#isCheckingFiles = false;
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const isIdle = this.#waiting.size === 0 && this.#running.size === 0 && this.#doubtful.length === 0;
    if (this.#closed || isIdle) return;
    const now = this.#clock.now();
    let next = this.options.checkMs ?? CHECK_MS;
    for (const { openAt, reservationId } of this.#waiting.values()) {
      if (!this.#notBegun.has(reservationId)) next = Math.min(next, openAt - now);
    }
    this.#timer = setTimeout(() => this.#check(), Math.max(0, next));
  }

  #check(): void {
    if (this.#closed) return;
    for (const id of this.#isInDoubt ? [] : this.#doubtful.splice(0)) this.#continue(id);
    for (const running of this.#running.values()) {
      this.#changes.watch(running.progress);
      running.outlast();
    }
    this.#changes.check();
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

  #begin(order: RecordingOrder, now: BroadcastMs): void {
    const { reservationId } = order;
    const { log, onBegan } = this.options;
    if (order.closeAt <= now) {
      this.#waiting.delete(reservationId);
      return;
    }
    let record: RecordingRecord | undefined;
    try {
      record = this.#create(order);
      this.#notBegun.delete(reservationId);
      this.#waiting.delete(reservationId);
    } catch (error) {
      if (!this.#notBegun.has(reservationId)) {
        log.error('recording cannot begin', { reservation: reservationId, error: String(error) });
      }
      this.#notBegun.add(reservationId);
      return;
    }
    if (record === undefined) return;
    // Recordings whose tuner it takes over.
    const before = this.#underWay(order.after);
    for (const running of before) running.yieldEnd(now);
    const times = { ...orderedTimes(order), openAt: order.openAt };
    const delayedBy = delayOf(order, {
      now,
      startedAt: this.#startedAt,
      wasInConflict: this.#wasInConflict.has(reservationId),
    });
    const after = [...before, ...this.#underWay(order.apart ?? [])].map(({ id }) => useOf(id));
    this.#run(record, this.#session(record, { times, after, delayedBy })).follow(order);
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

  /** Undefined if its reservation was removed. @throws the database's error */
  #create(order: RecordingOrder): RecordingRecord | undefined {
    const { findStation, findProgram, store, log } = this.options;
    const station = findStation(order.stationId);
    if (station === undefined) throw new Error(`station ${order.stationId} is not known`);
    const recording = newRecording(order, station, findProgram(order.programId), this.options.readSeries);
    const id = store.create(recording, this.options.wallClock());
    if (id === undefined) {
      log.warn('reservation was removed', { reservation: order.reservationId });
      return undefined;
    }
    return { ...recording, ...NOTHING_YET, id };
  }

  #resume(record: RecordingRecord): Session | undefined {
    const former = previousProgress(this.options.store, record);
    const times = resumedTimes(record, this.#clock.now());
    return this.#session(record, { times, after: [], former });
  }

  /** Undefined if its station was removed. */
  #session(record: RecordingRecord, { times, after, former, delayedBy }: SessionBegin): Session | undefined {
    const { id, startAt, name, serviceName: stationName } = record;
    const { pool, folders, fallback, free = freeBytes, mounts, store, log, wallClock } = this.options;
    const { findStation, keyFailure, whySilent } = this.options;
    const broadcastClock = this.#clock.now;
    const { openSession = (options) => new RecordingSession(options) } = this.options;
    const station = findStation(record.stationId);
    if (station === undefined) {
      log.error('station of a recording is not known', { recording: id, station: record.stationId });
      return undefined;
    }
    const title = removeTitleMarks(name).title;
    const lifecycle = lifecycleOf(times, former?.measured, broadcastClock());
    return openSession({
      ...{ id, station, lifecycle, after, former, delayedBy },
      stem: record.stem ?? stemOf({ id, startAt, title, stationName }),
      ...{ pool, folders, fallback, free, mounts, keyFailure, whySilent, log, broadcastClock, wallClock },
      ledger: {
        placed: async (parts, place) => {
          if (place !== null) await mounts?.used(place.folder);
          await this.#commits.commit(() => store.placed(id, parts, place, wallClock()), PLACED_PATIENCE_MS);
        },
        began: (at) => store.began(id, at, wallClock()),
        measured: (measured, parts) => store.saveMeasured(id, measured, parts),
        seam: (seam) => store.seam(id, seam),
      },
      onChange: () => this.#changes.changed(),
    });
  }

  #run(record: RecordingRecord, session: Session | undefined): RunningRecording {
    const { free = freeBytes } = this.options;
    const running = new RunningRecording(record, session, {
      ...this.options,
      broadcastClock: this.#clock.now,
      free,
      reconciled: this.#reconciled,
      commits: this.#commits,
      latestTexts: (one) => latestTexts(one, this.options),
      onOver: (one, conclusion) => {
        this.#running.delete(one.id);
        if (one.reservationId !== null) this.#byReservation.delete(one.reservationId);
        if (conclusion === undefined || this.#closed) return;
        this.#changes.changed('services');
        const { reservationId, id: recordingId } = one;
        this.options.onEnded({ reservationId, recordingId, worthRepeating: conclusion.worthRepeating });
      },
    });
    this.#running.set(record.id, running);
    if (record.reservationId !== null) this.#byReservation.set(record.reservationId, running);
    this.#changes.changed('services');
    return running;
  }
}

interface SessionBegin extends Pick<SessionOptions, 'after' | 'delayedBy'> {
  times: LifecycleTimes;
  former?: PreviousProgress | undefined;
}
