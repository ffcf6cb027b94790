/**
 * Retention: moves recordings to the bin by rules, deletes those expired in the bin, drops old rows. Runs at an
 * interval, and soon after recordings or rules have changed.
 */
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { type BroadcastMs, broadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import { nextTurn } from '../../lib/host/next-turn.ts';
import { BIN_MS, type Retiring } from '../../lib/wire/api.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import type { RecordingState } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { Hub } from '../notify/hub.ts';
import type { KeptRow, RecycleBin, StoredStatus } from '../store/recycle-bin.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import type { FolderMounts } from './folder-mounts.ts';
import { RecordingRemoval } from './recording-removal.ts';

/** Players report their position every few seconds, and request data within minutes. */
const LATELY_MS = 600_000;

/** Recordings being watched, which must not be removed. Kept in memory only. */
export class PlaybackActivity {
  /** By recording, in the order of the last activity. */
  readonly #seen = new Map<RecordingId, BroadcastMs>();

  constructor(private readonly now: () => BroadcastMs) {}

  /** A client reads it or reports its position. */
  note(id: RecordingId): void {
    this.#seen.delete(id);
    this.#seen.set(id, this.now());
    for (const other of this.#seen.keys()) {
      if (this.isWatched(other)) break;
      this.#seen.delete(other);
    }
  }

  isWatched(id: RecordingId): boolean {
    const at = this.#seen.get(id);
    return at !== undefined && Math.abs(this.now() - at) < LATELY_MS;
  }
}

export interface Keepable {
  id: RecordingId;
  /** Epoch ms, of the programme. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  watchedAt: BroadcastMs | null;
  isProtected: boolean;
  state: RecordingState;
}

export interface KeepLimits {
  /** Number to keep; null = all. The same for the next field. */
  keepNewest: number | null;
  keepDays: number | null;
}

/** Watched ones first, then the oldest. */
function byWorth(a: Keepable, b: Keepable): number {
  const watched = Number(b.watchedAt !== null) - Number(a.watchedAt !== null);
  return watched || a.startAt - b.startAt || a.id - b.id;
}

/**
 * Selects the recordings of a rule to move to the bin. Pure: rows, limits and time in, an ordered list out. Never
 * protected or running recordings, nor those of another rule. A pending encode does not delay it: the recording stays
 * complete in the bin for days. Recordings past the age limit, and of the rest those above the number. Failed ones do
 * not count, and are selected when all kept ones are newer. Protected ones do not count.
 * @param recordings of one rule, none of them in the bin @param now epoch ms @returns in the order of deletion
 */
export function recordingsToRetire<R extends Keepable>(
  recordings: readonly R[],
  { keepNewest, keepDays }: KeepLimits,
  now: BroadcastMs,
): R[] {
  const loose = recordings
    .filter((one) => !one.isProtected && one.state !== 'recording')
    .sort((a, b) => byWorth(a, b));
  const isOld = (one: R): boolean => keepDays !== null && one.endAt < now - keepDays * DAY_MS;
  const going = new Set(loose.filter(isOld));
  if (keepNewest !== null) {
    const good = loose.filter((one) => one.state !== 'failed' && !going.has(one));
    const surplus = good.slice(0, Math.max(0, good.length - keepNewest));
    const oldestKept = Math.min(...good.slice(surplus.length).map((one) => one.startAt));
    const isFull = good.length >= keepNewest;
    const failed = loose.filter((one) => one.state === 'failed' && isFull && one.startAt < oldestKept);
    for (const one of [...surplus, ...failed]) going.add(one);
  }
  return loose.filter((one) => going.has(one));
}

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
    this.#removal = new RecordingRemoval({
      ...{ recycleBin, mounts, stored, write, log },
      waitMs: REMOVAL_WAIT_MS,
    });
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

  /** Restores it from the bin, and protects it if its rule would move it back at once. @throws Failure not_found */
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

  binned(): { count: number; bytes: number } {
    return this.options.recycleBin.binned();
  }

  /** Deletes what is in the bin, permanently. @returns what was in it, and whether all of its files are gone */
  async emptyBin(): Promise<{ count: number; bytes: number; isRemoved: boolean }> {
    const held = this.binned();
    // Whatever the clock says: it may have been set back since they were put into the bin.
    const deleted = await this.#deleteBinned(broadcastMs(Number.MAX_SAFE_INTEGER));
    if (deleted.size > 0) this.#changed();
    await this.#removal.run();
    const left = this.options.recycleBin.leftovers();
    return { ...held, isRemoved: !left.some(({ recordingId }) => deleted.has(recordingId)) };
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
      const deleted = isSure ? (await this.#deleteBinned(plusMs(now(), -BIN_MS))).size : 0;
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

  /** Those that are in the bin since then or longer. */
  async #deleteBinned(until: BroadcastMs): Promise<ReadonlySet<RecordingId>> {
    const { recycleBin, now } = this.options;
    const deleted = new Set<RecordingId>();
    while (!this.#closed) {
      const ids = recycleBin.binnedUntil(until, BATCH);
      const marked = ids.length === 0 ? 0 : await this.#write(() => recycleBin.markDeleted(ids, now()));
      if (marked === 0) break;
      for (const id of ids) deleted.add(id);
      await nextTurn();
    }
    return deleted;
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

  #existing(id: RecordingId): StoredStatus {
    const row = this.options.recycleBin.find(id);
    if (row === undefined || row.deletedAt !== null) throw unknown();
    return row;
  }

  #changed(): void {
    this.options.hub.changed('recordings');
  }
}

function unknown(): Failure {
  return new Failure('not_found', '録画が見つかりません。');
}

function isBeingMade(): Failure {
  return new Failure('conflict', '録画中のため削除できません。先に録画を止めてください。');
}
