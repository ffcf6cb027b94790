/**
 * The channel scan: one at a time, on all tuners that are not needed otherwise. Decisions are in `startable`
 * (channels to open) and `scan-progress.ts` (results). Nothing is changed before the end.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { WallClock, WallMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { ScanStatus } from '../../lib/wire/api.ts';
import { BROADCAST_NAMES, PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { Hub } from '../notify/hub.ts';
import type { ChannelSurveys } from '../reception/channel-survey.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { canServe, hasTunerFor } from '../tuner/tuner-list.ts';
import {
  beginScan,
  foundTypes,
  giveUp,
  nothingFound,
  type ScanChannel,
  type ScanProgress,
  type ScanTask,
  scannedTable,
  settleTask,
  startTask,
  unseenChannels,
} from './scan-progress.ts';

/** Limit for any number of tuners: each survey parses a whole stream. */
export const MOST_AT_ONCE = 8;

/** Has no user of a priority that a scan must not displace. */
function isFree(tuner: Tuner): boolean {
  return tuner.users.every((user) => user.priority < PRIORITY.scan);
}

/** The channel is kept open by another user: sharing its tuning costs nothing. */
function isOpen(tuners: readonly Tuner[], { type, channel }: ScanChannel): boolean {
  return tuners.some(
    (tuner) =>
      tuner.tuned?.type === type &&
      tuner.tuned.channel === channel &&
      tuner.users.some((user) => user.priority >= PRIORITY.scan && user.use !== STREAM_USE.scan(channel)),
  );
}

/**
 * Which waiting channels a scan may open now: a pure function of the agent's tuners. Uses of a higher
 * priority are not displaced, and one free tuner is left for the next user.
 * @param running current readings; @param waiting in order of preference
 */
export function startable<Task extends ScanChannel>(
  waiting: readonly Task[],
  running: readonly ScanChannel[],
  tuners: readonly Tuner[],
): Task[] {
  const free = tuners.filter(isFree);
  const take = (type: BroadcastType): void => {
    const index = free.findIndex((tuner) => canServe(tuner, type));
    if (index >= 0) free.splice(index, 1);
  };
  // Just started: the agent's list does not show them yet, but each occupies a tuner.
  const seen = new Set(tuners.flatMap((tuner) => tuner.users.map((user) => user.use)));
  for (const { type, channel } of running) if (!seen.has(STREAM_USE.scan(channel))) take(type);
  const busy = new Set(running.map(({ type }) => type));
  const start: Task[] = [];
  for (const task of waiting) {
    if (running.length + start.length >= MOST_AT_ONCE) break;
    if (isOpen(tuners, task)) {
      start.push(task);
      continue;
    }
    const able = free.filter((tuner) => canServe(tuner, task.type)).length;
    if (able === 0 || (able === 1 && busy.has(task.type))) continue;
    take(task.type);
    busy.add(task.type);
    start.push(task);
  }
  return start;
}

interface ScanAgent {
  tuners(signal?: AbortSignal): Promise<Tuner[]>;
  channels(signal?: AbortSignal): Promise<Channel[]>;
  putChannels(channels: readonly Channel[], signal?: AbortSignal): Promise<Channel[]>;
}

export interface ScanTiming {
  /** Time limit of one channel, tuning included, ms. */
  channelMs: number;
  /** Interval of checking the tuners while no survey runs, ms. */
  lookMs: number;
  /** The scan ends after this long without a survey, ms. */
  stuckMs: number;
}

const SCAN_TIMING: ScanTiming = { channelMs: 30_000, lookMs: 1000, stuckMs: 120_000 };

interface ChannelScanOptions {
  agent: ScanAgent;
  surveys: Pick<ChannelSurveys, 'survey'>;
  hub: Hub;
  log: Log;
  now: WallClock;
  /** The agent's table was replaced. */
  onStored: () => void;
  timing?: ScanTiming;
}

type State = ScanStatus['state'];

export class ChannelScan {
  #state: State = 'idle';
  #progress: ScanProgress = beginScan([]);
  #startedAt: WallMs | null = null;
  #endedAt: WallMs | null = null;
  #message: string | null = null;
  #aborting = new AbortController();
  #running: Promise<void> | undefined;
  /** The tuners' users or a survey changed: the loop continues. */
  #changed = Promise.withResolvers<void>();

  constructor(private readonly options: ChannelScanOptions) {}

  get running(): boolean {
    return this.#running !== undefined;
  }

  status(): ScanStatus {
    const { types, running, done, total, found, failed } = this.#progress;
    return {
      state: this.#state,
      types: [...types],
      done,
      total,
      current: running.map(({ type, channel }) => ({ type, channel })),
      found: found.map((channel) => ({ ...channel, stations: [...channel.stations] })),
      failed: failed.map(({ type, channel, message }) => ({ type, channel, message })),
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      message: this.#message,
    };
  }

  /**
   * Starts a scan, which runs in the background.
   * @throws Failure conflict when one is running, no_tuner, agent_unavailable, agent_misconfigured
   */
  async start(types: readonly BroadcastType[]): Promise<void> {
    this.#refuseSecond();
    // Results are merged into this table at the end: if it is unreadable, the scan must fail now.
    const [tuners] = await Promise.all([this.options.agent.tuners(), this.options.agent.channels()]);
    const missing = types.filter((type) => !hasTunerFor(tuners, type));
    if (missing.length > 0) {
      const names = missing.map((type) => BROADCAST_NAMES[type]).join('、');
      throw new Failure('no_tuner', `${names}を受信できるチューナーがありません。`);
    }
    this.#refuseSecond();
    this.#state = 'running';
    this.#progress = beginScan([...types]);
    this.#startedAt = this.options.now();
    this.#endedAt = null;
    this.#message = null;
    this.#aborting = new AbortController();
    this.options.log.info('scan started', { types: types.join(' '), channels: this.#progress.total });
    this.#running = this.#run(this.#aborting.signal);
    this.#publish();
  }

  /** Aborts the scan without changing anything; resolves when its tuners are released. */
  async abort(): Promise<void> {
    this.#aborting.abort();
    this.#wake();
    await this.#running;
  }

  onTuners(): void {
    if (this.running) this.#wake();
  }

  close(): Promise<void> {
    return this.abort();
  }

  #refuseSecond(): void {
    if (this.running) throw new Failure('conflict', 'チャンネルスキャンはすでに実行中です。');
  }

  #publish(): void {
    this.options.hub.changed('scan');
  }

  #wake(): void {
    this.#changed.resolve();
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    let end: { state: State; message: string | null };
    try {
      await this.#readAll(signal);
      end = signal.aborted ? { state: 'aborted', message: null } : await this.#finish(signal);
    } catch (error) {
      if (signal.aborted) end = { state: 'aborted', message: null };
      else {
        const known = error instanceof Failure;
        if (!known) this.options.log.error('scan failed', { error: String(error) });
        end = {
          state: 'failed',
          message: known ? error.message : 'スキャン中に内部でエラーが起きました。ログを確認してください。',
        };
      }
    }
    this.#progress.running = [];
    this.#state = end.state;
    this.#message = end.message;
    this.#endedAt = this.options.now();
    this.#running = undefined;
    const { found, failed } = this.#progress;
    this.options.log.info('scan ended', { state: end.state, found: found.length, failed: failed.length });
    this.#publish();
    if (end.state === 'finished') this.options.onStored();
  }

  /**
   * Surveys every channel; resolves when none is waiting or running.
   * @throws Failure agent_unavailable when the agent stays unavailable
   */
  async #readAll(signal: AbortSignal): Promise<void> {
    const timing = this.options.timing ?? SCAN_TIMING;
    const progress = this.#progress;
    const readings = new Set<Promise<void>>();
    let moved = { done: 0, at: performance.now() };
    let away: Failure | undefined;
    while (progress.waiting.length > 0 || readings.size > 0) {
      this.#changed = Promise.withResolvers();
      if (moved.done !== progress.done) moved = { done: progress.done, at: performance.now() };
      // Longer than any survey: without progress the scan cannot continue.
      const stuck = performance.now() - moved.at > timing.stuckMs;
      if (!signal.aborted && !stuck) away = await this.#startMore(readings, signal);
      if (readings.size > 0) {
        await this.#changed.promise;
      } else if (signal.aborted) {
        return;
      } else if (stuck) {
        if (away !== undefined) throw away;
        giveUp(progress, 'no_tuner');
      } else {
        await settlesWithin(timing.lookMs, this.#changed.promise);
      }
    }
  }

  /** Begins all possible surveys. @returns the failure of an agent that does not respond */
  async #startMore(readings: Set<Promise<void>>, signal: AbortSignal): Promise<Failure | undefined> {
    let tuners: Tuner[];
    try {
      tuners = await this.options.agent.tuners(signal);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    if (signal.aborted) return undefined;
    for (const task of startable(this.#progress.waiting, this.#progress.running, tuners)) {
      startTask(this.#progress, task);
      const reading = this.#read(task, signal).finally(() => {
        readings.delete(reading);
        this.#wake();
      });
      readings.add(reading);
    }
    this.#publish();
    return undefined;
  }

  /** Never rejects. A refused channel is not retried at once. */
  async #read(task: ScanTask, signal: AbortSignal): Promise<void> {
    const { surveys, log } = this.options;
    const timing = this.options.timing ?? SCAN_TIMING;
    const { type, channel } = task;
    const request = { type, channel, priority: PRIORITY.scan, use: STREAM_USE.scan(channel) };
    const order = { request, limitMs: timing.channelMs, task: { kind: 'scan' as const, type } };
    const result = await surveys.survey(order, signal);
    if (result.outcome === 'no_tuner') await settlesWithin(timing.lookMs, aborted(signal));
    settleTask(this.#progress, task, result);
    const { outcome, reason } = result;
    log.debug('channel read', { channel: `${type}/${channel}`, attempt: task.attempt, outcome, reason });
    this.#publish();
  }

  /** @throws Failure when nothing was found or the result could not be stored */
  async #finish(signal: AbortSignal): Promise<{ state: State; message: string | null }> {
    const { agent } = this.options;
    const progress = this.#progress;
    const types = foundTypes(progress);
    if (types.length === 0) return { state: 'failed', message: nothingFound(progress) };
    const before = await agent.channels(signal);
    if (signal.aborted) return { state: 'aborted', message: null };
    // From here on it cannot be aborted.
    await agent.putChannels(scannedTable(before, progress));
    const without = progress.types
      .filter((type) => !types.includes(type))
      .map((type) => BROADCAST_NAMES[type]);
    const notes = [
      without.length === 0
        ? ''
        : `${without.join('、')}では何も見つからなかったので、前の局をそのまま残しました。`,
      unseenChannels(progress).length === 0
        ? ''
        : '調べられなかったチャンネルは、前の局をそのまま残しました。',
    ];
    const message = notes.join('') || null;
    return { state: 'finished', message };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
