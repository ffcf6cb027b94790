/**
 * A running recording: opens its station, again when its stream ends early, continues in the next folder when needed, and
 * measures what was received. `recording-lifecycle.ts` decides begin and end. No verdict, no database access.
 */
import type { BroadcastType, ServiceId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, earliest } from '../../lib/arib/time.ts';
import {
  type MonotonicClock,
  type MonotonicMs,
  monotonicMs,
  systemMonotonicClock,
  type WallClock,
} from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingPhase } from '../../lib/wire/vocabulary.ts';
import type { RecordingPart, RecordingSeam } from '../model/recording.ts';
import { type Measured, recordedMs } from '../model/verdict.ts';
import type { ReceptionPool, ReceptionStream } from '../reception/reception-pool.ts';
import { lastLife } from '../reception/recorded-file.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { type KeyFailureQuery, keyFailureCause, type SilenceQuery } from '../tuner/tuner-list.ts';
import type { FolderMounts } from './folder-mounts.ts';
import type { Folder } from './folder-selection.ts';
import { ReceptionTimeline } from './reception-timeline.ts';
import {
  endsAt,
  isWritten,
  type LifecycleEnd,
  type LifecycleEvent,
  next,
  type OrderedTimes,
  priorityOf,
  type RecordingLifecycle,
} from './recording-lifecycle.ts';
import { type FilePlace, RecordingStorage } from './recording-storage.ts';
import { causeOfEnd, causeOfRefusal } from './stream-cause.ts';

/** Interval of course ticks; short, because the clock may be set meanwhile. */
const TICK_MS = 200;
/** Retry delay: a tuner released by another recording is free at once or after its linger time. */
const BACKOFF_MS = [0, 250, 500, 1000, 2000, 3000] as const;
/** Polling the agent is cheap, so retry every second. */
const AGENT_BACKOFF_MS = 1000;
/** During the first seconds of a programme, the copy control may still be that of the previous one. */
const COPY_GRACE_MS = 5_000;
/** Interval of saving measurements; after a kill the rest is counted from the file, if packets were written. */
const SAVE_MS = 5_000;
const SAVE_IDLE_MS = 1_000;
const FOLDER_CHECK_MS = 5_000;
/** A tick this late means that the whole process was paused: no other work blocks the main thread that long. */
const PAUSE_MS = 4_000;
/** Enough to read the agent's backlog of 64 MB and to plan with its tables, also on a slow machine. */
const READ_BACKLOG_MS = 5_000;
const CUT_OFF: ReadonlySet<GapCause> = new Set([
  'agent_unavailable',
  'agent_silent',
  'stream_ended',
  'recorder_failed',
  'service_stopped',
]);

export interface RecordedStation {
  type: BroadcastType;
  channel: string;
  serviceId: ServiceId;
}

/** Stores the state that must survive the process. */
interface SessionLedger {
  /** A file is about to be created; the order of the parts. Durable when it resolves. */
  placed(parts: readonly RecordingPart[], place: FilePlace | null): Promise<void>;
  /** Time of the first packet. */
  began(at: BroadcastMs): void;
  measured(measured: Measured, parts: readonly RecordingPart[]): void;
  seam(seam: RecordingSeam): void;
}

export interface SessionOptions {
  id: RecordingId;
  /** From `beginLifecycle`. */
  lifecycle: RecordingLifecycle;
  station: RecordedStation;
  /** Uses (`rec 12`) whose tuner it takes over, as planned. */
  after: readonly string[];
  /** Common beginning of its file names (`recording-file-name.ts`). */
  stem: string;
  /** Cause of a late begin, and its planned begin. */
  delayedBy?: { cause: GapCause; from: BroadcastMs } | undefined;
  /** State left by an earlier process. */
  former: { measured: Measured; parts: readonly RecordingPart[] } | undefined;
  pool: Pick<ReceptionPool, 'open'>;
  /** In order of preference. */
  folders: () => readonly Folder[];
  /** Fallback while the disks of all folders are unavailable; it exists whenever the service runs. */
  fallback?: string | undefined;
  /** Free octets; undefined if unavailable. */
  free: (path: string) => Promise<number | undefined>;
  mounts?: Pick<FolderMounts, 'isAway' | 'isDeleted' | 'identify'> | undefined;
  ledger: SessionLedger;
  /** Why the station stays scrambled on this tuner; undefined if unknown. @throws Failure */
  keyFailure?: KeyFailureQuery | undefined;
  /** Why the stream of a tuner sends nothing. Never rejects. */
  whySilent?: SilenceQuery | undefined;
  /** A value shown in lists has changed. */
  onChange?: (() => void) | undefined;
  log: Log;
  broadcastClock: () => BroadcastMs;
  /** For the times of files and row changes. */
  wallClock: WallClock;
  /** Default: the system's. */
  monotonicClock?: MonotonicClock | undefined;
}

export interface SessionResult {
  end: LifecycleEnd;
  /** When that was decided: a stop counts from the user's action, not from the closing of its file. */
  at: BroadcastMs;
  measured: Measured;
  parts: RecordingPart[];
}

interface SessionState {
  phase: RecordingPhase;
  /** Why currently nothing, or nothing watchable, is written; null: no problem, or not begun. */
  cause: GapCause | null;
  bytes: number;
  drops: number;
  /** More than a second of data is queued for the disk. */
  slow: boolean;
  /** Length so far, without its gaps. */
  recordedMs?: number;
  tunerId: string | null;
}

/** The `use` that identifies a recording to the agent and in `after` of others. */
export function useOf(id: RecordingId): string {
  return STREAM_USE.recording(id);
}

export class RecordingSession {
  /** Resolves when the session has ended completely; never rejects. */
  readonly done: Promise<SessionResult>;
  readonly #done = Promise.withResolvers<SessionResult>();
  readonly #reception: ReceptionTimeline;
  readonly #storage: RecordingStorage;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<undefined>((resolve) => {
    this.#stop.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  #lifecycle: RecordingLifecycle;
  #stream: ReceptionStream | undefined;
  #phase: SessionState['phase'] = 'waiting';
  /** Resolves when received data must no longer be written. */
  #suspended = Promise.withResolvers<undefined>();
  /** Resolves when the probed programme is on. */
  #resumed = Promise.withResolvers<undefined>();
  /** The copy control at the programme's begin was checked. */
  #mainChecked = false;
  #savedAt: BroadcastMs;
  #checkedAt: BroadcastMs;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #monotonicClock: MonotonicClock;
  #turnAt: MonotonicMs;
  #readingUntil: MonotonicMs = monotonicMs(Number.NEGATIVE_INFINITY);
  /** Ends a wait early. */
  #nudge = Promise.withResolvers<void>();

  constructor(readonly options: SessionOptions) {
    this.done = this.#done.promise;
    const { lifecycle, broadcastClock, wallClock, former, delayedBy, ledger } = options;
    this.#lifecycle = lifecycle;
    // An earlier process checked it.
    this.#mainChecked = lifecycle.state === 'on';
    this.#monotonicClock = options.monotonicClock ?? systemMonotonicClock;
    this.#turnAt = this.#monotonicClock();
    this.#savedAt = this.#checkedAt = broadcastClock();
    this.#reception = new ReceptionTimeline({
      ...{ former: former?.measured, delayedBy, broadcastClock, wallClock },
      began: (at) => this.#store(() => ledger.began(at)),
      whyScrambled: () => this.#whyScrambled(),
      whySilent: () => this.#whySilent(),
      onUnwatchable: options.onChange,
      onGap: () => this.#save(),
      onReceiving: () => {
        if (this.#phase === 'receiving') return;
        this.#enter('receiving');
        this.#save();
      },
    });
    this.#storage = new RecordingStorage({
      ...options,
      parts: former?.parts ?? [],
      reception: this.#reception,
      placed: (parts, place) => ledger.placed(parts, place),
      onTrouble: options.onChange,
      seam: (seam) => this.#store(() => ledger.seam({ ...seam, at: broadcastClock() })),
    });
  }

  get state(): SessionState {
    return {
      phase: this.#phase,
      cause: this.#reception.cause ?? this.#storage.trouble ?? this.#reception.unwatchableBy ?? null,
      bytes: this.#storage.bytes,
      drops: this.#reception.measured.sums.drops,
      slow: this.#storage.isSlow,
      recordedMs: recordedMs(this.#reception.measured),
      tunerId: this.#stream?.tunerId ?? null,
    };
  }

  get lifecycle(): RecordingLifecycle {
    return this.#lifecycle;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#turnAt = this.#monotonicClock();
    void this.#run();
  }

  /** The programme's times or its state at the station have changed. */
  follow(ordered: OrderedTimes): void {
    const at = this.options.broadcastClock();
    const { startAt } = this.#lifecycle.times;
    this.#dispatch({ kind: 'ordered', at, ordered });
    // The copy control of what was on before the new start does not apply to the programme.
    if (this.#lifecycle.times.startAt > Math.max(at, startAt)) this.#mainChecked = false;
  }

  async #whyScrambled(): Promise<GapCause | undefined> {
    const { keyFailure, station, log, id } = this.options;
    const tunerId = this.#stream?.tunerId ?? null;
    if (keyFailure === undefined || tunerId === null) return undefined;
    try {
      const failure = await keyFailure({ ...station, tunerId });
      if (failure === undefined) return undefined;
      log.warn('recording stays scrambled', { recording: id, reason: failure });
      return keyFailureCause(failure);
    } catch (error) {
      log.warn('cannot tell why a recording stays scrambled', { recording: id, error: String(error) });
      return undefined;
    }
  }

  /** From this time on the tuner belongs to another recording, which names this one in its `after`. */
  yieldEnd(at: BroadcastMs): void {
    // Set before the tuner is taken: losing it is not an interruption then.
    this.#dispatch({ kind: 'yielded', at });
  }

  /** The clock was corrected by this. */
  clockSet(byMs: number): void {
    this.#reception.clockSet(byMs);
    this.#dispatch({ kind: 'clock_set', byMs });
  }

  /** A user stops it. */
  stop(): Promise<SessionResult> {
    this.#dispatch({ kind: 'stopped', at: this.options.broadcastClock() });
    return this.done;
  }

  /** Shutdown: writes everything received; the recording can be resumed. Idempotent. */
  close(): Promise<SessionResult> {
    this.#storage.giveUp();
    this.#dispatch({ kind: 'closed', at: this.options.broadcastClock() });
    return this.done;
  }

  get #isOver(): boolean {
    return this.#lifecycle.state === 'over';
  }

  #dispatch(event: LifecycleEvent): void {
    const before = this.#lifecycle;
    const after = next(before, event);
    if (after === before) return;
    this.#lifecycle = after;
    if (after.state === 'over') this.#stop.abort(new Error(after.end));
    else if (isWritten(before.state) && !isWritten(after.state)) {
      this.#resumed = Promise.withResolvers();
      if (after.state === 'broken_off') this.#suspended.resolve(undefined);
    } else if (!isWritten(before.state) && isWritten(after.state)) this.#resumed.resolve(undefined);
    if (event.kind !== 'tick' || after.state !== before.state) this.#nudge.resolve();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#lifecycle.state === 'announced') await this.#wait(TICK_MS);
    this.#reception.begin();
    while (!this.#isOver) {
      const received = await this.#live();
      failures = received ? 0 : Math.min(failures + 1, BACKOFF_MS.length - 1);
      const rest = BACKOFF_MS[failures] ?? 0;
      const { cause } = this.#reception;
      const isAway = cause === 'agent_unavailable' || cause === 'agent_silent';
      if (!this.#isOver) await this.#wait(isAway ? Math.min(rest, AGENT_BACKOFF_MS) : rest);
    }
    clearInterval(this.#timer);
    await this.#storage.written();
    await this.#countLeftBehind();
    this.#conclude();
  }

  async #whySilent(): Promise<GapCause | undefined> {
    const tunerId = this.#stream?.tunerId ?? null;
    return tunerId === null ? undefined : await this.options.whySilent?.(tunerId);
  }

  /** Runs one opened stream to its end. @returns whether anything was received */
  async #live(): Promise<boolean> {
    const { pool, station, id, after, log } = this.options;
    const request = { type: station.type, channel: station.channel, use: useOf(id), after };
    const ended = Promise.withResolvers<{ reason: string; cause: GapCause }>();
    this.#enter(this.#reception.isBegun ? 'interrupted' : 'opening');
    try {
      this.#stream = await pool.open({
        request: { ...request, priority: priorityOf(this.#lifecycle) },
        serviceId: station.serviceId,
        handlers: {
          ended: (problem, by) =>
            ended.resolve({
              reason: problem.reason,
              cause: causeOfEnd(problem, by, this.#reception.silentBy),
            }),
        },
        signal: this.#stop.signal,
        lane: 'recording',
      });
    } catch (error) {
      if (!this.#isOver && this.#lifecycle.state !== 'broken_off')
        this.#reception.lose(causeOfRefusal(error));
      return false;
    }
    if (!isWritten(this.#lifecycle.state)) return this.#probe(this.#stream, ended.promise);
    const before = this.#reception.until;
    this.#suspended = Promise.withResolvers();
    if (!(await this.#write(this.#stream))) return false;
    const end = await Promise.race([ended.promise, this.#stopped, this.#suspended.promise]);
    this.#storage.closing();
    await this.#stream.close();
    this.#storage.end();
    this.#stream = undefined;
    if (!this.#isOver && end === undefined) {
      log.info('recording waits for its programme', { recording: id });
      this.#reception.lose('broken_off');
      this.#save();
    } else if (!this.#isOver && end !== undefined) {
      log.warn('recording interrupted', { recording: id, reason: end.reason });
      this.#noticePause();
      this.#reception.lose(end.cause);
      this.#save();
    }
    return this.#reception.until !== before;
  }

  /** Receives without writing. @returns whether its programme is on: then the stream is opened again and written */
  async #probe(stream: ReceptionStream, ended: Promise<unknown>): Promise<boolean> {
    this.#dispatch({ kind: 'opened', at: this.options.broadcastClock() });
    await Promise.race([this.#resumed.promise, ended, this.#stopped]);
    await stream.close();
    this.#stream = undefined;
    return isWritten(this.#lifecycle.state);
  }

  /** If the database's disk is full, no file name can be stored: nothing is written, and it is retried. */
  async #write(stream: ReceptionStream): Promise<boolean> {
    try {
      await this.#storage.begin(stream);
      return true;
    } catch (error) {
      this.options.log.error('recording file cannot be created', {
        recording: this.options.id,
        error: String(error),
      });
      await stream.close();
      this.#stream = undefined;
      this.#reception.lose('disk_failed');
      return false;
    }
  }

  /** Resolves after this time, or earlier when something changes. */
  async #wait(milliseconds: number): Promise<void> {
    await within(milliseconds, this.#nudge.promise, () => {});
    this.#nudge = Promise.withResolvers();
  }

  #tick(): void {
    const at = this.options.broadcastClock();
    this.#noticePause();
    // The agent's backlog of a pause is read before decisions depend on the time.
    if (this.#turnAt < this.#readingUntil) return;
    const reception = { isReceiving: this.#phase === 'receiving', isCutOff: this.#isCutOff };
    this.#dispatch({ kind: 'tick', at, reception });
    const { state, times } = this.#lifecycle;
    if (state === 'over' || !isWritten(state)) return;
    if (at >= times.startAt + COPY_GRACE_MS && this.#reception.hasReported) this.#checkMain(at);
    const everyMs = this.#reception.isRunning ? SAVE_MS : SAVE_IDLE_MS;
    if (Math.abs(at - this.#savedAt) >= everyMs && this.#reception.isTried) this.#save();
    if (Math.abs(at - this.#checkedAt) >= FOLDER_CHECK_MS) {
      this.#checkedAt = at;
      this.#storage.check();
    }
  }

  /** Also called when a stream ends: that may be reported before the first tick after a pause. */
  #noticePause(): void {
    const turn = this.#monotonicClock();
    const passedMs = turn - this.#turnAt;
    this.#turnAt = turn;
    if (passedMs <= PAUSE_MS) return;
    this.#readingUntil = monotonicMs(turn + READ_BACKLOG_MS);
    this.#reception.paused(passedMs);
    this.options.log.warn('process was paused', { recording: this.options.id, ms: Math.round(passedMs) });
  }

  /** Reception was interrupted: it is unknown whether the programme has ended. */
  get #isCutOff(): boolean {
    const { isBegun, cause } = this.#reception;
    return isBegun && cause !== undefined && CUT_OFF.has(cause);
  }

  /**
   * A programme that is copy-never from its begin is not recorded; later only that part is left out. Unknown if its
   * begin was not received, for instance because the service was stopped.
   */
  #checkMain(at: BroadcastMs): void {
    if (this.#mainChecked) return;
    this.#mainChecked = true;
    const { until, isForbidden, soFar } = this.#reception;
    const { startAt } = this.#lifecycle.times;
    const begun = startAt + COPY_GRACE_MS;
    if (!isForbidden || (until !== undefined && until > begun)) return;
    const isBeginUnknown = soFar.breaks.some(
      ({ cause, from, to }) => cause !== 'copy_never' && from < begun && to > startAt,
    );
    if (!isBeginUnknown) this.#dispatch({ kind: 'forbidden', at });
  }

  #save(): void {
    const { broadcastClock, ledger } = this.options;
    this.#savedAt = broadcastClock();
    this.#store(() => ledger.measured(this.#withAired(this.#reception.soFar), this.#storage.parts));
  }

  #withAired(measured: Measured): Measured {
    return { ...measured, isAired: this.#lifecycle.isAired };
  }

  /** A failed save does not stop the recording: the next save contains it, or it is counted from the file. */
  #store(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.options.log.error('measurements not stored', {
        recording: this.options.id,
        error: String(error),
      });
    }
  }

  /** Nothing was received since an earlier process was killed: data written after its last save is only in its file. */
  async #countLeftBehind(): Promise<void> {
    const last = this.#storage.parts.at(-1);
    if (!this.#reception.isFormerUnknown || last === undefined) return;
    const former = await lastLife(last);
    if (former !== undefined) this.#reception.leftBehind(former);
  }

  #conclude(): void {
    const lifecycle = this.#lifecycle;
    const at = lifecycle.state === 'over' ? lifecycle.at : this.options.broadcastClock();
    const end = lifecycle.state === 'over' ? lifecycle.end : 'finished';
    const { times, yieldedAt } = lifecycle;
    if (end !== 'closed' && end !== 'unreceived') this.#reception.settle(earliest(at, endsAt(times)));
    // A margin that was given to another recording ends with the margin, however long the programme was held open.
    if (end === 'finished' && yieldedAt !== null) this.#reception.yielded(times.closeAt);
    if (end !== 'unreceived') this.#save();
    this.#enter('over');
    const measured = this.#withAired(this.#reception.measured);
    this.#done.resolve({ end, at, measured, parts: this.#storage.parts });
  }

  #enter(phase: SessionState['phase']): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.options.onChange?.();
  }
}
