/**
 * Files of a recording: one file in one folder; when that is full or fails, a further part in the next folder.
 * Follows the events of the output of each opened stream, and moves it to another file.
 */
import { dirname, join } from 'node:path';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingPart, RecordingSeam } from '../model/recording.ts';
import {
  type FileCommand,
  type FileCut,
  type FileEvent,
  type FileProgress,
  type FileTrouble,
  fileOutput,
  type LeftFile,
} from '../reception/file-output.ts';
import type { ReceptionStream, StreamPart } from '../reception/reception-pool.ts';
import { type FileOpening, REPLACED } from '../reception/recorded-file.ts';
import type { FolderMounts } from './folder-mounts.ts';
import { chooseFolder, type Folder, isFilling, isGone } from './folder-selection.ts';
import type { ReceptionTimeline } from './reception-timeline.ts';
import { partName, shortStem } from './recording-file-name.ts';

/** Three seconds of the fastest station. */
const SLOW_QUEUE_BYTES = 8 * 1024 * 1024;
const SLOW_MS = 1_000;
/** The verdict waits this long for a slow disk to write what was received. */
const WRITE_LIMIT_MS = 120_000;
/** Errors that say nothing about the folder. */
const OF_THE_FILE: ReadonlySet<string> = new Set(['ENOENT', 'EEXIST', REPLACED]);

export interface FilePlace {
  folder: string;
  /** Common beginning of its file names. */
  stem: string;
}

interface RecordingStorageOptions {
  id: RecordingId;
  stem: string;
  parts: readonly RecordingPart[];
  folders: () => readonly Folder[];
  /** Fallback while the disks of all folders are unavailable. */
  fallback?: string | undefined;
  free: (path: string) => Promise<number | undefined>;
  mounts?: Pick<FolderMounts, 'isAway' | 'isDeleted' | 'identify'> | undefined;
  reception: ReceptionTimeline;
  /** Durable when it resolves. @param place folder and stem of the last part; null: no part is left */
  placed: (parts: readonly RecordingPart[], place: FilePlace | null) => Promise<void>;
  seam: (seam: Omit<RecordingSeam, 'at'>) => void;
  /** `trouble` has changed. */
  onTrouble?: (() => void) | undefined;
  log: Log;
}

/** Occasion of choosing a file: a new stream, an output that stopped now or earlier, or the regular check. */
type Occasion = 'begin' | 'trouble' | 'stuck' | 'check';

type FilePart = StreamPart<FileCommand>;

/** The output of one stream. A slow disk may still be writing its queue after the stream was closed. */
interface FileLife {
  /** The file that it writes or opens. */
  path: string;
  /** The file that it was told to write next. */
  next?: string | undefined;
  readonly ended: PromiseWithResolvers<void>;
}

export class RecordingStorage {
  readonly #parts: RecordingPart[];
  /** Folders where writing failed in this session. */
  readonly #failed = new Set<string>();
  /** Files that reached the maximum file size of their file system. */
  readonly #maxed = new Set<string>();
  #stem: string;
  /** Files created by this session. */
  readonly #made: Set<string>;
  /** Number of the last part; names are not reused. */
  #number: number;
  #output: FilePart | undefined;
  /** The last output, and all that have not ended. */
  #life: FileLife | undefined;
  readonly #unended = new Set<FileLife>();
  readonly #givenUp = Promise.withResolvers<void>();
  /** The output is being closed, and removes a file that is still empty. */
  #isClosing = false;
  /** The output waits for a file. */
  #stuck = false;
  #open: string | undefined;
  /** Received data that waits for an open file. */
  #unwritten = 0;
  #trouble: FileTrouble['cause'] | undefined;
  #slow = false;
  #placing: Promise<void> = Promise.resolve();

  constructor(readonly options: RecordingStorageOptions) {
    this.#parts = options.parts.map((part) => ({ ...part }));
    this.#made = new Set(this.#parts.map(({ path }) => path));
    this.#number = this.#parts.length;
    this.#stem = options.stem;
  }

  get parts(): RecordingPart[] {
    return this.#parts.map((part) => ({ ...part }));
  }

  get bytes(): number {
    return this.#parts.reduce((sum, part) => sum + part.bytes, 0);
  }

  /**
   * Current problem of the disk; undefined if none. Received data is queued meanwhile, and dropped when the queue is
   * full.
   */
  get trouble(): FileTrouble['cause'] | undefined {
    return this.#output === undefined ? undefined : this.#trouble;
  }

  get isSlow(): boolean {
    return this.#slow;
  }

  /** Starts the output of a newly opened stream. */
  async begin(stream: Pick<ReceptionStream, 'output'>): Promise<void> {
    const { reception } = this.options;
    const opening = (await this.#next('begin')) ?? (await this.#lastResort());
    reception.beginLife();
    this.#stuck = false;
    this.#open = undefined;
    this.#unwritten = 0;
    this.#isClosing = false;
    const life: FileLife = { path: opening.path, ended: Promise.withResolvers() };
    this.#life = life;
    this.#unended.add(life);
    this.#output = stream.output(fileOutput, opening, {
      event: (event, at) => {
        if (life === this.#life) this.#take(event, at);
        else this.#takeLate(life, event, at);
      },
      ended: (end) => {
        this.#unended.delete(life);
        life.ended.resolve();
        if (end.cause === 'lost' && life === this.#life) this.end();
      },
    });
  }

  /** Resolves when everything received is written, or given up; never rejects. */
  async written(): Promise<void> {
    const all = Promise.all(Array.from(this.#unended, ({ ended }) => ended.promise));
    await within(WRITE_LIMIT_MS, Promise.race([all, this.#givenUp.promise]), () => {});
  }

  /** The process ends: what a slow disk has not written is missing. */
  giveUp(): void {
    this.#givenUp.resolve();
  }

  /** The stream is about to be closed. */
  closing(): void {
    this.#isClosing = true;
  }

  /** The output has ended. */
  end(): void {
    this.#output = undefined;
    this.#stuck = false;
  }

  /** Regular check: leaves a folder that reached its floor, and a full one as soon as another is available. */
  check(): void {
    if (this.#output === undefined) return;
    this.#queue(this.#stuck ? 'stuck' : 'check');
  }

  /** @param missing a file that could not be found */
  #queue(why: Occasion, missing?: string): void {
    const act = async (): Promise<void> => {
      const isBack = missing !== undefined && (await this.#lookFor(missing));
      await this.#place(isBack ? 'stuck' : why);
    };
    this.#placing = this.#placing.then(act).catch((error: unknown) => {
      this.options.log.error('no folder to record to', { recording: this.options.id, error: String(error) });
    });
  }

  /** An output that ends after the next one has begun: what it wrote was reported when it was received. */
  #takeLate(life: FileLife, event: FileEvent, at: MonotonicMs): void {
    if (event.kind === 'opened') {
      this.#made.add(event.path);
      life.path = event.path;
    } else if (event.kind === 'left') this.#counted(event.left.path, event.left.size);
    else if (event.kind === 'ended' && event.size !== null) this.#counted(event.path, event.size);
    else if (event.kind === 'cut') this.#cut(event.cut);
    this.options.reception.takeLate(life.path, event, at);
  }

  #take(event: FileEvent, at: MonotonicMs): void {
    const { reception } = this.options;
    // Counts octets first: both are saved together, possibly during this call.
    if (event.kind === 'progress') this.#progressed(event.progress);
    else if (event.kind === 'opened') this.#opened(event);
    else if (event.kind === 'left') this.#leave(event.left);
    else if (event.kind === 'cut') this.#cut(event.cut);
    reception.take(event, at);
    if (event.kind === 'opened') {
      if (event.size > 0) this.options.seam({ path: event.path, position: event.size, kind: 'resumed' });
    } else if (event.kind === 'layout') {
      this.options.seam({ path: event.path, position: event.position, kind: 'layout' });
    } else if (event.kind === 'ended' && event.size !== null) this.#counted(event.path, event.size);
    else if (event.kind === 'trouble') {
      this.#troubled(event.trouble);
    }
  }

  #progressed({ size, queued, slowestMs }: FileProgress): void {
    if (this.#open === undefined) this.#unwritten = queued;
    else this.#counted(this.#open, size + queued);
    this.#watch(slowestMs, queued);
  }

  /** What was queued for it is written to the next file. */
  #leave({ path, size, queued }: LeftFile): void {
    this.#open = undefined;
    this.#counted(path, size);
    this.#unwritten = queued;
  }

  #opened({ path, size, inode }: Extract<FileEvent, { kind: 'opened' }>): void {
    this.#made.add(path);
    this.#open = path;
    if (this.#life !== undefined) this.#life.path = path;
    void this.options.mounts?.identify(dirname(path));
    const part = this.#parts.find((one) => one.path === path);
    if (part !== undefined && inode !== undefined) part.inode = inode;
    this.#setTrouble(undefined);
    if (this.#unwritten > 0) this.#counted(path, size + this.#unwritten);
    this.#unwritten = 0;
  }

  #cut({ path, size, lost }: FileCut): void {
    const { log, id, seam } = this.options;
    log.error('recording file was shortened by another program', { recording: id, path, size, lost });
    this.#counted(path, size);
    seam({ path, position: size, kind: 'resumed' });
  }

  #troubled(trouble: FileTrouble): void {
    const { log, id } = this.options;
    const { cause, code, path } = trouble;
    log.error('recording cannot be written', { recording: id, path, code });
    this.#setTrouble(cause);
    const isMissing = this.#made.has(path) && code === 'ENOENT';
    if (!this.#made.has(path)) this.#forget(path);
    else if (code === REPLACED) this.#forget(path);
    if (code === 'EFBIG') this.#maxed.add(path);
    else if (code === 'ENAMETOOLONG' && this.#shorten()) log.warn('shorter file names', { recording: id });
    else if (cause === 'disk_failed' && !OF_THE_FILE.has(code)) this.#failed.add(dirname(path));
    this.#stuck = true;
    this.#queue('trouble', isMissing ? path : undefined);
  }

  #setTrouble(cause: FileTrouble['cause'] | undefined): void {
    if (cause === this.#trouble) return;
    this.#trouble = cause;
    this.options.onTrouble?.();
  }

  /** All files of a recording share one stem, fixed with the first one. */
  #shorten(): boolean {
    const { stem, id } = this.options;
    if (this.#parts.length > 0 || this.#stem !== stem) return false;
    this.#stem = shortStem(stem, id);
    return true;
  }

  #counted(path: string, bytes: number): void {
    const part = this.#parts.find((one) => one.path === path);
    if (part !== undefined) part.bytes = bytes;
  }

  /**
   * While its disk is missing, or its folder was renamed or covered, the file is not lost: further data is written
   * elsewhere. @returns whether it is back already
   */
  async #lookFor(path: string): Promise<boolean> {
    if (await this.#isLost(path)) this.#forget(path);
    return !(await isGone(path));
  }

  async #isAway(folder: string): Promise<boolean> {
    return (await this.options.mounts?.isAway(folder)) ?? false;
  }

  /** An earlier output still writes to it: what another one appends would be taken for that of another program. */
  #isBusy(part: RecordingPart | undefined): boolean {
    return [...this.#unended].some(({ path, next }) => path === part?.path || next === part?.path);
  }

  async #isLost(path: string): Promise<boolean> {
    return (await isGone(path)) && (await this.options.mounts?.isDeleted(path)) !== false;
  }

  /** A file that this recording did not create, or that was removed. */
  #forget(path: string): void {
    const index = this.#parts.findIndex((one) => one.path === path);
    if (index < 0) return;
    this.#parts.splice(index, 1);
    if (this.#made.delete(path)) this.options.reception.forget(path, this.#parts.length === 0);
    const { placed, log, id } = this.options;
    const last = this.#parts.at(-1);
    const place = last === undefined ? null : { folder: dirname(last.path), stem: this.#stem };
    placed(this.parts, place).catch((error: unknown) => {
      // The row lists a missing file: detected at the recording's end, or at the next start.
      log.error('name of a removed recording file not deleted', {
        recording: id,
        path,
        error: String(error),
      });
    });
  }

  #watch(slowestMs: number, queued: number): void {
    const slow = slowestMs >= SLOW_MS || queued >= SLOW_QUEUE_BYTES;
    if (slow && !this.#slow) {
      this.options.log.warn('slow disk', { recording: this.options.id, slowestMs, queued });
    }
    this.#slow = slow;
  }

  async #place(why: Occasion): Promise<void> {
    const output = this.#output;
    const opening = await this.#next(why);
    if (opening === undefined || output === undefined || output !== this.#output) return;
    this.#stuck = false;
    if (this.#life !== undefined) this.#life.next = opening.path;
    output.command({ kind: 'move', opening });
  }

  /** Undefined if nothing changes, or if there is no space anywhere. */
  async #next(why: Occasion): Promise<FileOpening | undefined> {
    const { folders, free } = this.options;
    const all = folders();
    const last = this.#parts.at(-1);
    const lastFolder = last === undefined ? undefined : dirname(last.path);
    const sound = all.filter(({ path }) => !this.#failed.has(path));
    const isWhole = last !== undefined && this.#maxed.has(last.path);
    const isBusy = why === 'begin' && this.#isBusy(last);
    // A folder that was full, or the last one that failed, is tried again at the next check, not at once.
    const isLeft = why === 'trouble' && !isWhole;
    const preferred = isLeft ? sound.filter(({ path }) => path !== lastFolder) : sound;
    const candidates = preferred.length === 0 && why === 'stuck' ? all : preferred;
    const room = await Promise.all(candidates.map(({ path }) => free(path)));
    const at = candidates.findIndex(({ path }) => path === lastFolder);
    const current = candidates[at];
    const fills = current !== undefined && isFilling(current, room[at]);
    const isAway = lastFolder !== undefined && (await this.#isAway(lastFolder));
    // The open file was deleted; a folder that does not respond is skipped. A file that the disk has not opened yet
    // is not missing: a disk in standby takes seconds.
    const isOpen = last !== undefined && last.path === this.#open;
    const mayBeGone = isOpen && why === 'check' && !isAway && room[at] !== undefined;
    if (mayBeGone && (await this.#isLost(last.path))) {
      if (this.#isClosing) return undefined;
      this.options.log.error('recording file is gone', { recording: this.options.id, path: last.path });
      this.#forget(last.path);
      const another = chooseFolder(candidates, room);
      return another === undefined ? undefined : this.#create(another);
    }
    if (last !== undefined) {
      if (why === 'check' && !fills && !isAway) return undefined;
      const takesMore = !isWhole && !fills && !isAway;
      const isSound = !isBusy && !this.#failed.has(dirname(last.path));
      if (why === 'begin' && takesMore && isSound) return again(last);
    }
    const chosen = chooseFolder(candidates, room) ?? (await this.#fallback(why, lastFolder));
    if (chosen === undefined) return undefined;
    if (last === undefined || isWhole || isBusy || chosen !== current) return this.#create(chosen);
    return why === 'check' ? undefined : again(last);
  }

  /** A fallback folder is better than no recording. Undefined while a configured folder exists, however full. */
  async #fallback(why: Occasion, lastFolder: string | undefined): Promise<Folder | undefined> {
    const { fallback, folders, free, log, id } = this.options;
    if (
      fallback === undefined ||
      this.#failed.has(fallback) ||
      (why === 'trouble' && lastFolder === fallback)
    )
      return undefined;
    const away = await Promise.all(folders().map(({ path }) => this.#isAway(path)));
    if (away.includes(false)) return undefined;
    const folder = { path: fallback, floorBytes: 0 };
    const chosen = chooseFolder([folder], [await free(fallback)]);
    if (chosen !== undefined && lastFolder !== fallback) {
      log.error('no recording folder is mounted, recorded beside the database', {
        recording: id,
        folder: fallback,
      });
    }
    return chosen;
  }

  async #create(folder: Folder): Promise<FileOpening> {
    const { placed, log, id } = this.options;
    let path: string;
    do {
      this.#number += 1;
      path = join(folder.path, partName(this.#stem, this.#number));
    } while (this.#parts.some((part) => part.path === path));
    const part = { path, bytes: 0 };
    // Stores the name before it creates the file: if this throws, nothing was changed.
    await placed([...this.parts, part], { folder: folder.path, stem: this.#stem });
    this.#parts.push(part);
    log.info('recording file', { recording: id, path });
    return { path, mode: 'create' };
  }

  /**
   * All folders are full or do not respond: tries one, and reports its error. Never one whose disk is missing: files
   * below its mount point would be hidden by the mount.
   * @throws if all disks are missing
   */
  async #lastResort(): Promise<FileOpening> {
    const last = this.#parts.at(-1);
    const takesMore = last !== undefined && !this.#isBusy(last) && !(await this.#isAway(dirname(last.path)));
    if (takesMore) return again(last);
    for (const folder of this.options.folders()) {
      if (!(await this.#isAway(folder.path))) return this.#create(folder);
    }
    throw new Error('no recording folder is mounted');
  }
}

function again({ path, bytes }: RecordingPart): FileOpening {
  return { path, mode: 'append', counted: bytes };
}
