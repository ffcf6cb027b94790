/**
 * Retention: moves recordings to the bin by rules, deletes those expired in the bin, drops old rows. Runs at an
 * interval, and soon after recordings or rules have changed.
 */
import { removeTitleMarks } from '../../arib/text/title-marks.ts';
import { type BroadcastMs, plusMs } from '../../arib/time.ts';
import type { Log } from '../../host/log.ts';
import { BIN_MS, type Retiring } from '../../wire/api.ts';
import type { Hub } from '../hub/hub.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingId } from '../model/ids.ts';
import type { RuleId } from '../model/rule.ts';
import type { KeptRow, RecycleBin, ShelfRow } from '../store/recycle-bin.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import type { FolderMounts } from './folder-mounts.ts';
import type { PlaybackActivity } from './playback-activity.ts';
import { RecordingRemoval } from './recording-removal.ts';
import { type KeepLimits, recordingsToRetire } from './retention-policy.ts';

const DAY_MS = 86_400_000;
/** How long rows of deleted recordings are kept. */
const FORGET_MS = 14 * DAY_MS;
/** How long after their start: an episode that was recorded within this time is not recorded again. */
const EPISODE_MS = 31 * DAY_MS;
/** Debounce of changes: running recordings change all the time. */
const SETTLE_MS = 500;
/** Rows written at once. */
const BATCH = 200;
const REMOVAL_WAIT_MS = 2_000;

interface RetentionServiceOptions {
  recycleBin: RecycleBin;
  mounts?: Pick<FolderMounts, 'isAway' | 'isDeleted'> | undefined;
  /** Recordings being watched are kept. */
  watching?: Pick<PlaybackActivity, 'isWatched'> | undefined;
  /** See `RemovalOptions`. */
  stored?: (() => Promise<void>) | undefined;
  /** Default: at once. */
  write?: Write | undefined;
  hub: Hub;
  intervalMs: number;
  log: Log;
  /** Epoch ms. */
  now: () => BroadcastMs;
  /** While the time is unconfirmed, nothing expires. */
  isTimeSure?: (() => boolean) | undefined;
}

export class RetentionService {
  readonly #removal: RecordingRemoval;
  #timer: ReturnType<typeof setInterval> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The current run, and whether another must follow. */
  #running: Promise<void> | undefined;
  #again = false;
  /** Stamp of the rows after the last run. */
  #seenStamp = '';
  #closed = false;

  constructor(readonly options: RetentionServiceOptions) {
    const { recycleBin, mounts, stored, write, log } = options;
    this.#removal = new RecordingRemoval({ recycleBin, mounts, stored, write, log, waitMs: REMOVAL_WAIT_MS });
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), this.options.intervalMs);
    this.#unsubscribe = this.options.hub.subscribe(({ name }) => {
      if (name !== 'recordings' && name !== 'rules') return;
      this.#soon ??= setTimeout(() => {
        this.#soon = undefined;
        // Running recordings emit events several times a second without a changed row.
        if (this.options.recycleBin.stamp() !== this.#seenStamp) void this.run();
      }, SETTLE_MS);
    });
    void this.run();
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe?.();
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#running;
    await this.#removal.close();
  }

  /**
   * Recordings that a drafted rule would move to the bin now, in that order. @param ruleId null: a new rule, without
   * recordings
   */
  retiring(ruleId: RuleId | null, draft: KeepLimits & { enabled: boolean }): Retiring {
    if (ruleId === null || !draft.enabled) return [];
    return this.#retiring({ ...draft, id: ruleId }).map(({ id, name, startAt, watchedAt, bytes }) => ({
      id,
      title: removeTitleMarks(name).title,
      startAt,
      watched: watchedAt !== null,
      bytes,
    }));
  }

  /** Moves it to the bin. @throws Failure not_found, conflict while it is being recorded */
  bin(id: RecordingId): void {
    const row = this.#existing(id);
    if (row.state === 'recording') throw isBeingMade();
    if (this.options.recycleBin.bin([id], this.options.now()) > 0) this.#changed();
  }

  /**
   * Restores it from the bin, and protects it if its rule would move it back at once.
   * @throws Failure not_found
   */
  restore(id: RecordingId): void {
    const { recycleBin, now } = this.options;
    const { binnedAt, ruleId } = this.#existing(id);
    if (binnedAt === null) return;
    recycleBin.restore(id, now());
    const rule = recycleBin.keepingRules().find((one) => one.id === ruleId);
    if (rule !== undefined && this.#surplus(rule).some((one) => one.id === id)) {
      recycleBin.putProtected(id, true, now());
    }
    this.#changed();
  }

  /**
   * Deletes it permanently: its files are removed when it resolves, or as soon as their folder is available.
   * Idempotent.
   * @throws Failure not_found, conflict while it is being recorded
   */
  async remove(id: RecordingId): Promise<void> {
    const { recycleBin, now } = this.options;
    const row = recycleBin.find(id);
    if (row === undefined) throw unknown();
    if (row.deletedAt === null) {
      if (row.state === 'recording') throw isBeingMade();
      recycleBin.markDeleted([id], now());
      this.#changed();
    }
    await this.#removal.run();
  }

  /** Runs everything that is due. Never rejects. */
  run(): Promise<void> {
    if (this.#closed) return this.#running ?? Promise.resolve();
    if (this.#running !== undefined) this.#again = true;
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined;
      const again = this.#again;
      this.#again = false;
      if (again) void this.run();
    });
    return this.#running;
  }

  async #runOnce(): Promise<void> {
    const { recycleBin, now, isTimeSure, log } = this.options;
    try {
      const isSure = isTimeSure?.() !== false;
      const binned = isSure ? await this.#binRetired() : 0;
      const deleted = isSure ? await this.#deleteExpired() : 0;
      if (binned + deleted > 0) this.#changed();
      await this.#removal.run();
      if (isSure)
        await this.#write(() => recycleBin.purge(plusMs(now(), -FORGET_MS), plusMs(now(), -EPISODE_MS)));
      this.#seenStamp = recycleBin.stamp();
    } catch (error) {
      log.error('retention failed', { error: String(error) });
    }
  }

  async #binRetired(): Promise<number> {
    const { recycleBin, now, log } = this.options;
    let count = 0;
    for (const rule of recycleBin.keepingRules()) {
      const ids = this.#retiring(rule).map(({ id }) => id);
      for (let from = 0; from < ids.length && !this.#closed; from += BATCH) {
        const batch = ids.slice(from, from + BATCH);
        count += await this.#write(() => recycleBin.bin(batch, now()));
        await nextTurn();
      }
      if (ids.length > 0) log.info('recordings put into the bin', { rule: rule.id, recordings: ids.length });
    }
    return count;
  }

  async #deleteExpired(): Promise<number> {
    const { recycleBin, now } = this.options;
    let count = 0;
    while (!this.#closed) {
      const ids = recycleBin.binnedUntil(plusMs(now(), -BIN_MS), BATCH);
      const marked = ids.length === 0 ? 0 : await this.#write(() => recycleBin.markDeleted(ids, now()));
      if (marked === 0) break;
      count += marked;
      await nextTurn();
    }
    return count;
  }

  get #write(): Write {
    return this.options.write ?? writeNow;
  }

  #retiring(rule: KeepLimits & { id: RuleId }): KeptRow[] {
    const { watching } = this.options;
    return this.#surplus(rule).filter(({ id }) => watching?.isWatched(id) !== true);
  }

  #surplus(rule: KeepLimits & { id: RuleId }): KeptRow[] {
    const { recycleBin, now } = this.options;
    return recordingsToRetire(recycleBin.keptBy(rule.id), rule, now());
  }

  #existing(id: RecordingId): ShelfRow {
    const row = this.options.recycleBin.find(id);
    if (row === undefined || row.deletedAt !== null) throw unknown();
    return row;
  }

  #changed(): void {
    this.options.hub.changed('recordings');
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function unknown(): Failure {
  return new Failure('not_found', '録画が見つかりません。');
}

function isBeingMade(): Failure {
  return new Failure('conflict', '録画中のため削除できません。先に録画を止めてください。');
}
