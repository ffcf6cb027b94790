/**
 * One recording while it is made: opens its station, keeps it open until the end, writes to one folder after another,
 * and tells what was and what was not received. It judges nothing and knows no database; who owns it says when to
 * begin, when to end, and what it is worth.
 *
 * Whatever ends the stream before the end time is answered by opening it again; whatever ends the writing by writing
 * elsewhere. Only the end time, a person, or a copy-never programme end a recording.
 */

import type { BroadcastType, ServiceId } from '../../arib/ids.ts';
import { within } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import { PRIORITY } from '../../wire/agent.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingEnding, RecordingPart, RecordingSeam } from '../model/recording.ts';
import type { GapCause, Measured } from '../model/verdict.ts';
import type { ReceptionClient, StationStream } from '../reception/reception-client.ts';
import { streamUrl } from '../tuner/agent-client.ts';
import { AiringProbe } from './airing-probe.ts';
import type { FolderMounts } from './folder-mounts.ts';
import type { Folder } from './folder-selection.ts';
import { ReceptionTimeline } from './reception-timeline.ts';
import { type Place, RecordingStorage } from './recording-storage.ts';

/** Times are looked at this often; the clock may be set meanwhile. */
const TICK_MS = 200;
/** Between one try and the next: a tuner that another one lets go of is free at once or after its lingering. */
const BACKOFF_MS = [0, 250, 500, 1000, 2000, 3000] as const;
/** Whether an agent is back costs nobody anything to ask. */
const AGENT_BACKOFF_MS = 1000;
/** A programme's first seconds in which its copy control may still be that of the one before. */
const COPY_GRACE_MS = 5_000;
/** What a killed process may forget to have measured; it is counted from the file then. */
const SAVE_MS = 5_000;
const FOLDER_CHECK_MS = 5_000;
const CUT_OFF: ReadonlySet<GapCause> = new Set([
  'agent_unavailable',
  'stream_ended',
  'recorder_failed',
  'service_stopped',
]);

export interface RecordedStation {
  type: BroadcastType;
  channel: string;
  serviceId: ServiceId;
}

/** What has to outlive the process. Called before it is needed. */
export interface SessionLedger {
  /** A file is about to be created, in this order of parts. Durable when it resolves. */
  placed(parts: readonly RecordingPart[], place: Place | null): Promise<void>;
  /** The first packet ever, epoch ms. */
  began(at: number): void;
  measured(measured: Measured, parts: readonly RecordingPart[]): void;
  seam(seam: RecordingSeam): void;
}

/** Epoch ms. */
export interface SessionTimes {
  /** When the tuner is asked for: before the margin, so that the margin is whole. */
  openAt: number;
  /** The programme's start. */
  mainAt: number;
  /** With the margin. */
  endAt: number;
  /** After the end it waits so long for its programme, which was broken off; null: it is over then. */
  listenUntil?: number | null;
}

export interface SessionOptions extends SessionTimes {
  id: number;
  station: RecordedStation;
  /** Uses (`rec 12`) whose tuner it takes over, as planned. */
  after: readonly string[];
  /** Of its files (`file-name.ts`). */
  stem: string;
  /** Its end passed while nobody heard its station: only listens at first, and ends as `unheard` if it is over. */
  listens?: boolean | undefined;
  /** What a former life left. */
  former: { measured: Measured; parts: readonly RecordingPart[] } | undefined;
  client: ReceptionClient;
  agentUrl: string;
  /** In the order in which they are wished for. */
  folders: () => readonly Folder[];
  /** Written to while the disks of all of them are away. */
  spare?: string | undefined;
  /** Free octets; undefined = away. */
  free: (path: string) => Promise<number | undefined>;
  mounts?: Pick<FolderMounts, 'isAway'> | undefined;
  ledger: SessionLedger;
  /** Something that lists show has changed. */
  onChange?: (() => void) | undefined;
  log: Log;
  /** Epoch ms, by the broadcast's clock. */
  now: () => number;
  /** Epoch ms by the machine's clock, which dates files. */
  wall: () => number;
}

/** `closed`: the service ends, the recording does not. `unheard`: it was over before this session began. */
export type SessionEnd = RecordingEnding | 'closed' | 'unheard';

export interface SessionResult {
  end: SessionEnd;
  /** Epoch ms. */
  at: number;
  measured: Measured;
  parts: RecordingPart[];
}

export interface SessionState {
  phase: 'waiting' | 'opening' | 'receiving' | 'interrupted' | 'over';
  /** Why nothing is written now; null: it is, or was not tried. */
  cause: GapCause | null;
  bytes: number;
  drops: number;
  /** The disk has more than a second of work waiting. */
  slow: boolean;
  tunerId: string | null;
}

/** The `use` by which the agent, and others' `after`, know a recording. */
export function useOf(id: number): string {
  return `rec ${id}`;
}

export class RecordingSession {
  /** Resolves once, when nothing of it is left running; never rejects. */
  readonly done: Promise<SessionResult>;
  readonly #done = Promise.withResolvers<SessionResult>();
  readonly #reception: ReceptionTimeline;
  readonly #storage: RecordingStorage;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<undefined>((resolve) => {
    this.#stop.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  #times: SessionTimes;
  #yieldedFrom: number | undefined;
  #end: SessionEnd | undefined;
  #stream: StationStream | undefined;
  #phase: SessionState['phase'] = 'waiting';
  #listening: AiringProbe | undefined;
  /** Resolves when what is received is not to be written any more. */
  #paused = Promise.withResolvers<undefined>();
  /** Something may have been written in this life. */
  #wrote = false;
  /** The copy control at the programme's begin was looked at. */
  #mainJudged = false;
  #savedAt: number;
  #checkedAt: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Ends a wait before its time. */
  #nudge = Promise.withResolvers<void>();

  constructor(readonly options: SessionOptions) {
    this.done = this.#done.promise;
    const { openAt, mainAt, endAt, now, wall, former, ledger } = options;
    this.#times = { openAt, mainAt, endAt };
    this.#savedAt = this.#checkedAt = now();
    if (options.listens === true) this.#listening = new AiringProbe(now());
    this.#reception = new ReceptionTimeline({
      former: former?.measured,
      now,
      wall,
      began: (at) => this.#tell(() => ledger.began(at)),
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
      seam: (seam) => this.#tell(() => ledger.seam({ ...seam, at: now() })),
    });
  }

  get state(): SessionState {
    return {
      phase: this.#phase,
      cause: this.#reception.cause ?? null,
      bytes: this.#storage.bytes,
      drops: this.#reception.measured.sums.drops,
      slow: this.#storage.isSlow,
      tunerId: this.#stream?.tunerId ?? null,
    };
  }

  get times(): SessionTimes {
    return { ...this.#times };
  }

  get measured(): Measured {
    return this.#reception.measured;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    void this.#run();
  }

  /** The programme begins at another time. A recording under way goes on: what is too early is head. */
  setStart({ openAt, mainAt }: Pick<SessionTimes, 'openAt' | 'mainAt'>): void {
    this.#times = { ...this.#times, openAt, mainAt };
    // What was on before it says nothing of it.
    if (mainAt > this.options.now()) this.#mainJudged = false;
    this.#nudge.resolve();
  }

  /** With the margin. A margin that was given away stays given away until a later end is set. */
  setEnd(endAt: number): void {
    if (this.#yieldedFrom !== undefined && endAt > this.#times.endAt) this.#yieldedFrom = undefined;
    this.#times = { ...this.#times, endAt };
    if (endAt > this.options.now()) {
      this.#listening?.hear();
      this.#listening = undefined;
    }
    this.#nudge.resolve();
  }

  /** Its programme was broken off, and may come back until then; null: it is on, or over. */
  setListen(listenUntil: number | null): void {
    this.#times = { ...this.#times, listenUntil };
    this.#listening?.waitUntil(listenUntil ?? this.options.now());
  }

  /** From this moment on the tuner is another recording's, which names this one in its `after`. */
  yieldEnd(at: number): void {
    this.#yieldedFrom = at;
    // Before the tuner is taken away: what comes then is no interruption.
    this.#tick();
    this.#nudge.resolve();
  }

  /** The clock was wrong until now, by so much. */
  clockSet(byMs: number): void {
    this.#reception.clockSet(byMs);
    this.#listening?.clockSet(byMs);
  }

  /** A person ends it. */
  stop(): Promise<SessionResult> {
    return this.#finish('stopped');
  }

  /** The service ends: everything received is written, the recording can be resumed. Idempotent. */
  close(): Promise<SessionResult> {
    return this.#finish('closed');
  }

  #finish(end: SessionEnd): Promise<SessionResult> {
    this.#end ??= end;
    this.#stop.abort(new Error(end));
    this.#nudge.resolve();
    return this.done;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#end === undefined && this.options.now() < this.#times.openAt) await this.#wait(TICK_MS);
    this.#reception.begin();
    while (this.#end === undefined) {
      const received = await this.#live();
      failures = received ? 0 : Math.min(failures + 1, BACKOFF_MS.length - 1);
      const rest = BACKOFF_MS[failures] ?? 0;
      const isAway = this.#reception.cause === 'agent_unavailable';
      if (this.#end === undefined) await this.#wait(isAway ? Math.min(rest, AGENT_BACKOFF_MS) : rest);
    }
    clearInterval(this.#timer);
    this.#conclude();
  }

  /** One opened stream, to its end; whether anything was received. */
  async #live(): Promise<boolean> {
    const { client, agentUrl, station, id, after, log } = this.options;
    const { type, channel } = station;
    const listening = this.#listening;
    const priority = priorityOf(listening);
    const url = streamUrl(agentUrl, { type, channel, priority, use: useOf(id), after });
    const ended = Promise.withResolvers<{ reason: string; cause: GapCause }>();
    this.#enter(this.#reception.isBegun ? 'interrupted' : 'opening');
    try {
      this.#stream = await client.open(
        url,
        station.serviceId,
        {
          layout: () => {},
          ended: (reason, by) =>
            ended.resolve({ reason, cause: by === 'worker' ? 'recorder_failed' : 'stream_ended' }),
        },
        this.#stop.signal,
      );
    } catch (error) {
      if (this.#end === undefined && listening?.isPatient !== true) this.#reception.lose(causeOf(error));
      return false;
    }
    if (listening !== undefined) return this.#listen(this.#stream, listening, ended.promise);
    const before = this.#reception.until;
    this.#paused = Promise.withResolvers();
    if (!(await this.#write(this.#stream))) return false;
    const end = await Promise.race([ended.promise, this.#stopped, this.#paused.promise]);
    await this.#stream.close();
    this.#storage.end();
    this.#stream = undefined;
    if (this.#end === undefined && end === undefined) {
      log.info('recording waits for its programme', { recording: id });
      this.#reception.lose('broken_off');
      this.#save();
    } else if (this.#end === undefined && end !== undefined) {
      log.warn('recording interrupted', { recording: id, reason: end.reason });
      this.#reception.lose(end.cause);
      this.#save();
    }
    return this.#reception.until !== before;
  }

  /** @returns whether its programme is on: then it is opened again, to be written */
  async #listen(stream: StationStream, listening: AiringProbe, ended: Promise<unknown>): Promise<boolean> {
    listening.opened(this.options.now());
    await Promise.race([listening.heard, ended, this.#stopped]);
    await stream.close();
    this.#stream = undefined;
    return this.#listening === undefined;
  }

  /** A database on a full disk names no file: then nothing is written, and it is tried again. */
  async #write(stream: StationStream): Promise<boolean> {
    this.#wrote = true;
    try {
      await this.#storage.begin(stream);
      return true;
    } catch (error) {
      this.options.log.error('recording cannot begin to be written', {
        recording: this.options.id,
        error: String(error),
      });
      await stream.close();
      this.#stream = undefined;
      this.#reception.lose('disk_failed');
      return false;
    }
  }

  /** At most so long, and no longer than until something changes. */
  async #wait(milliseconds: number): Promise<void> {
    await within(milliseconds, this.#nudge.promise, () => {});
    this.#nudge = Promise.withResolvers();
  }

  #tick(): void {
    if (this.#end !== undefined) return;
    const now = this.options.now();
    const { endAt, mainAt } = this.#times;
    const isYielded = this.#yieldedFrom !== undefined && now >= this.#yieldedFrom;
    const listening = this.#listening;
    if (listening !== undefined) {
      if (isYielded || listening.isOver(now)) void this.#finish(this.#wrote ? 'finished' : 'unheard');
      return;
    }
    if (isYielded) void this.#finish('finished');
    else if (now >= endAt) this.#endOrListen(now);
    else if (now >= mainAt + COPY_GRACE_MS && this.#reception.isTold) this.#judgeMain();
    if (Math.abs(now - this.#savedAt) >= SAVE_MS && this.#reception.isTried) this.#save();
    if (Math.abs(now - this.#checkedAt) >= FOLDER_CHECK_MS) {
      this.#checkedAt = now;
      this.#storage.check();
    }
  }

  #endOrListen(now: number): void {
    const { listenUntil = null } = this.#times;
    if (this.#isCutOff) this.#listening = new AiringProbe(now);
    else if (this.#phase === 'receiving' && listenUntil !== null && listenUntil > now) {
      this.#listening = new AiringProbe(now, listenUntil);
      this.#paused.resolve(undefined);
    } else void this.#finish('finished');
  }

  /** It was being received, and what brought it is not there: nobody says whether its programme has ended. */
  get #isCutOff(): boolean {
    const { isBegun, cause } = this.#reception;
    return isBegun && cause !== undefined && CUT_OFF.has(cause);
  }

  /** What is forbidden from its very begin is not recorded at all; later it is only left out. */
  #judgeMain(): void {
    if (this.#mainJudged) return;
    this.#mainJudged = true;
    const { until, isForbidden } = this.#reception;
    const hasMain = until !== undefined && until > this.#times.mainAt + COPY_GRACE_MS;
    if (isForbidden && !hasMain) void this.#finish('copy_never');
  }

  #save(): void {
    const { now, ledger } = this.options;
    this.#savedAt = now();
    this.#tell(() => ledger.measured(this.#reception.soFar, this.#storage.parts));
  }

  /** What cannot be stored now is stored with the next, or counted from the file: no reason to stop recording. */
  #tell(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.options.log.error('measurements not stored', {
        recording: this.options.id,
        error: String(error),
      });
    }
  }

  #conclude(): void {
    const at = this.options.now();
    const end = this.#end ?? 'finished';
    const { endAt } = this.#times;
    if (end !== 'closed' && end !== 'unheard') this.#reception.settle(Math.min(at, endAt));
    if (end === 'finished' && this.#yieldedFrom !== undefined && this.#yieldedFrom < endAt) {
      this.#reception.yielded(endAt);
    }
    if (end !== 'unheard') this.#save();
    this.#enter('over');
    this.#done.resolve({ end, at, measured: this.#reception.measured, parts: this.#storage.parts });
  }

  #enter(phase: SessionState['phase']): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.options.onChange?.();
  }
}

/** What is perhaps over takes no tuner from what is on; what may come back only one that nobody else wants. */
function priorityOf(listening: AiringProbe | undefined): number {
  if (listening === undefined) return PRIORITY.recording;
  return listening.isPatient ? PRIORITY.guide : PRIORITY.live;
}

function causeOf(error: unknown): GapCause {
  if (!(error instanceof Failure)) return 'stream_ended';
  if (error.code === 'agent_unavailable' || error.code === 'no_tuner') return error.code;
  // The worker died while it tuned.
  return error.code === 'internal' ? 'recorder_failed' : 'stream_ended';
}
