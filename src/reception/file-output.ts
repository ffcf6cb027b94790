/**
 * Output `file`: writes a station's stream to a file. Feeding never waits: data is queued until the disk has taken it,
 * and data that the queue has no room for is reported as a hole. A failed or full disk stops the writing, not the
 * output: it resumes with its queue in the next file that its owner names.
 *
 * Bounds: MAX_QUEUED (20 s of the fastest station, 3 MB a second; at worst half a gigabyte for 8 of them at once).
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import { type MonotonicClock, type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import { defineOutput, type Output, type OutputKind } from './output-kind.ts';
import {
  clockReferences,
  type ReceptionHandlers,
  ReceptionMeter,
  type ReceptionSecond,
} from './reception-meter.ts';
import {
  asFarAsItCan,
  closeQuietly,
  type FileOpening,
  type FormerLife,
  RecordedFile,
  WriteFailure,
} from './recorded-file.ts';

const MAX_QUEUED = 64 * 1024 * 1024;
/** Writes after this time, or after this number of octets. */
const WRITE_MS = 500;
const WRITE_BYTES = 256 * 1024;
const BATCH_BYTES = 1024 * 1024;
/** Interval of fsync: limits the data lost in a power failure. */
const SYNC_MS = 5_000;
/** Longest wait for the disk when ending; the owner has 4 s in total (`reception-pool.ts`). */
const END_LIMIT_MS = 3_000;
/** Packets come all the time; the agent joins them for 50 ms. */
const IDLE_MS = 1_500;

/** Why writing is suspended. */
export type Withholding = 'stalled' | 'disk_slow' | 'disk_full' | 'disk_failed' | 'copy_never';

export interface FileTrouble {
  cause: 'disk_full' | 'disk_failed';
  path: string;
  /** The system's error code: ENOSPC, EIO, … */
  code: string;
}

/** A file as the output left it, to continue in another one, or because of an error. */
export interface LeftFile {
  path: string;
  /** Octets in it, whole packets. */
  size: number;
  /** Octets that are not in it: they wait for the next file. */
  queued: number;
  /** When the first of them arrived. */
  writtenUntil: MonotonicMs;
}

export interface FileProgress {
  second: ReceptionSecond;
  /** Current size of the open file, octets. */
  size: number;
  /** Octets queued for the disk. */
  queued: number;
  /** The longest write or sync since the last report, ms. */
  slowestMs: number;
}

/** A hole whose end is unknown: what is known of it if the process is killed now. */
export interface FileIdle {
  cause: Withholding;
  from: MonotonicMs;
  /** Nothing at all comes from the agent, not only nothing of the station. */
  isSilent: boolean;
}

/** Another program shortened the file. */
export interface FileCut {
  path: string;
  /** Octets that are left, whole packets, and missing ones. */
  size: number;
  lost: number;
  /** Time of the missing packets. `from`: null if no clock reference is near. */
  from: MonotonicMs | null;
  to: MonotonicMs;
  /** The first clock reference after them, 27 MHz; null: unknown. */
  pcr: number | null;
}

/** Posted to the owner. Times are on the worker's clock. */
export type FileEvent =
  /** Ready for writing. `former`: earlier contents of the file; null for a new file. */
  | { kind: 'opened'; path: string; size: number; inode?: number; former: FormerLife | null }
  | { kind: 'progress'; progress: FileProgress }
  | { kind: 'hole'; cause: Withholding; from: MonotonicMs; to: MonotonicMs }
  | { kind: 'cut'; cut: FileCut }
  /** Nothing is written since then. Sent about once a second, until packets are written or `hole` is sent. */
  | { kind: 'idle'; idle: FileIdle }
  /** Recording is forbidden from now on, or allowed again. */
  | { kind: 'forbidden'; on: boolean }
  /** The station's layout changed after this octet of the file. Sent once the data after it is written. */
  | { kind: 'layout'; path: string; position: number }
  /** Sent before the next file is opened, and before `trouble` with an open file. */
  | { kind: 'left'; left: LeftFile }
  /** Writing is suspended until `move`. */
  | { kind: 'trouble'; trouble: FileTrouble }
  /** Sent once, as the last event. `size`: null if no file is open. */
  | { kind: 'ended'; path: string; size: number | null };

interface Queued {
  bytes: Uint8Array;
  at: MonotonicMs;
  /** The station's layout changed before this chunk. */
  changed?: boolean;
}

/** Continue in another file, or reopen the same one: after an error, or to leave a folder at its floor. */
export interface FileCommand {
  kind: 'move';
  opening: FileOpening;
}

/** Everything is written and closed, or given up; sent after the event `ended`. */
export interface FileEnd {
  cause: 'closed';
}

/** Waits for the disk; rejects with the system's error. */
export type SyncFile = (path: string) => Promise<void>;

type FileOutputKind = OutputKind<FileOpening, FileCommand, FileEvent, FileEnd>;

/** @param syncFile fsync in a thread of its own (`FileSyncer`); undefined: in a thread of the runtime's pool */
export function fileOutputWith(syncFile: SyncFile | undefined): FileOutputKind {
  return defineOutput<FileOpening, FileCommand, FileEvent, FileEnd>({
    name: 'file',
    isEssential: true,
    start: (opening, context) => {
      const { stream, clock } = context;
      const file = new FileOutput(
        opening,
        () => stream.pcrPid(),
        context.event,
        clock,
        syncFile,
        () => context.ended({ cause: 'closed' }),
        () => stream.heardAt(),
      );
      file.copyControlChanged(stream.isCopyForbidden());
      // Includes the stream's first packets if it was just opened.
      for (const bytes of stream.burst.since(0)) file.feed(bytes);
      return file;
    },
  });
}

/** The kind as the main thread uses it. */
export const fileOutput = fileOutputWith(undefined);

export class FileOutput implements Output<FileCommand> {
  readonly #meter: ReceptionMeter;
  readonly #batch = new Uint8Array(BATCH_BYTES);
  #queue: Queued[] = [];
  #queuedBytes = 0;
  #file: RecordedFile | undefined;
  /** The file to open next. */
  #opening: FileOpening | undefined;
  #trouble: FileTrouble['cause'] | undefined;
  /** Since when writing is suspended, and why. */
  #withheld: { cause: Withholding; from: MonotonicMs } | undefined;
  /** The next queued chunk has another layout. */
  #changed = false;
  #forbidden = false;
  /** Copying was forbidden at the start of the next chunk. */
  #isPieceForbidden = false;
  #ending = false;
  #stopping: Promise<void> | undefined;
  #wake = Promise.withResolvers<void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #syncedAt: MonotonicMs;
  #fedAt: MonotonicMs;
  #unsynced = false;
  #syncing: Promise<void> | undefined;
  /** Error of the last sync of the open file. */
  #unsyncable: unknown;
  #slowestMs = 0;
  #path: string;
  #size = 0;
  /** The file that was open before, as it was written. */
  #left: LeftFile | undefined;
  /** The owner was notified that reception has begun. */
  #reported = false;
  readonly #running: Promise<void>;

  /** @param now monotonic ms @param syncFile see `fileOutputWith` */
  constructor(
    opening: FileOpening,
    readonly pcrPid: () => Pid | undefined,
    readonly emit: (event: FileEvent) => void,
    readonly now: MonotonicClock,
    readonly syncFile?: SyncFile | undefined,
    /** Called after the event `ended`. */
    readonly closed: () => void = () => {},
    /** When the last data arrived from the agent. */
    readonly heardAt: MonotonicClock = now,
  ) {
    this.#fedAt = now();
    this.#path = opening.path;
    this.#opening = opening;
    this.#syncedAt = now();
    const meterHandlers: ReceptionHandlers = {
      second: (second) => this.#report(second),
      hole: ({ from, to }) => emit({ kind: 'hole', cause: 'stalled', from, to }),
    };
    this.#meter = new ReceptionMeter(pcrPid, meterHandlers);
    this.#running = this.#run();
  }

  /** Takes whole packets; the caller must not change them afterwards. */
  feed(bytes: Uint8Array): void {
    if (this.#ending || bytes.length === 0) return;
    const at = this.now();
    this.#fedAt = at;
    // A chunk in which copy control changes is dropped completely: the position of the change is unknown.
    const wasForbidden = this.#isPieceForbidden;
    this.#isPieceForbidden = false;
    if (this.#forbidden || wasForbidden) return;
    // Resumes below half of the bound (hysteresis), so that there is one hole instead of many.
    const room = this.#withheld === undefined ? MAX_QUEUED : MAX_QUEUED / 2;
    if (this.#queuedBytes + bytes.length > room) {
      this.#withhold(this.#trouble ?? 'disk_slow');
      return;
    }
    this.#release();
    this.#meter.take(bytes, at);
    this.#queue.push(this.#changed ? { bytes, at, changed: true } : { bytes, at });
    this.#changed = false;
    this.#queuedBytes += bytes.length;
    if (this.#queuedBytes >= WRITE_BYTES) this.#wake.resolve();
    else this.#timer ??= setTimeout(() => this.#wake.resolve(), WRITE_MS);
  }

  /** The next packets have another layout. */
  layoutChanged(): void {
    this.#changed = true;
  }

  /** Copy control of the next packets. */
  copyControlChanged(on: boolean): void {
    if (on === this.#forbidden || this.#ending) return;
    this.#forbidden = on;
    if (on) this.#withhold('copy_never');
    else this.#isPieceForbidden = true;
    this.emit({ kind: 'forbidden', on });
  }

  command({ opening }: FileCommand): void {
    if (this.#ending) return;
    this.#opening = opening;
    this.#wake.resolve();
  }

  /** Called about once a second. */
  check(): void {
    const now = this.now();
    this.#meter.tick(now);
    const isUnfed = now - this.#fedAt >= IDLE_MS;
    const idle = this.#withheld ?? (isUnfed ? ({ cause: 'stalled', from: this.#fedAt } as const) : undefined);
    if (idle !== undefined)
      this.emit({ kind: 'idle', idle: { ...idle, isSilent: now - this.heardAt() >= IDLE_MS } });
    if (this.#unsynced && now - this.#syncedAt >= SYNC_MS) this.#wake.resolve();
  }

  /** Writes the queue and closes the file; resolves when that is done, or at the time limit. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#ending = true;
    this.#meter.interrupt();
    this.#release();
    this.#wake.resolve();
    await within(END_LIMIT_MS, this.#running, () => {});
    clearTimeout(this.#timer);
  }

  #withhold(cause: Withholding): void {
    if (this.#withheld !== undefined) return;
    this.#withheld = { cause, from: this.now() };
    this.#meter.interrupt();
  }

  #release(): void {
    const held = this.#withheld;
    if (held === undefined) return;
    this.#withheld = undefined;
    this.emit({ kind: 'hole', ...held, to: this.now() });
  }

  #report(second: ReceptionSecond): void {
    this.#reported = true;
    const written = { size: this.#size, queued: this.#queuedBytes, slowestMs: Math.round(this.#slowestMs) };
    this.#slowestMs = 0;
    this.emit({ kind: 'progress', progress: { second, ...written } });
  }

  async #run(): Promise<void> {
    while (!this.#ending || (this.#queuedBytes > 0 && (this.#file ?? this.#opening) !== undefined)) {
      try {
        await this.#step();
      } catch (error) {
        await this.#fail(error);
      }
      if (this.#queuedBytes < WRITE_BYTES || (this.#file ?? this.#opening) === undefined) await this.#pause();
    }
    await this.#finish();
  }

  /** Opens the next file if there is one, writes a batch, starts a sync when it is due. */
  async #step(): Promise<void> {
    if (this.#opening !== undefined) await this.#open(this.#opening);
    const file = this.#file;
    if (file === undefined) return;
    if (this.#unsyncable !== undefined) throw this.#unsyncable;
    if (this.#queuedBytes > 0) await this.#write(file);
    if (this.#unsynced && this.#syncing === undefined && this.now() - this.#syncedAt >= SYNC_MS) {
      this.#syncing = this.#sync(file);
    }
  }

  async #open(opening: FileOpening): Promise<void> {
    this.#opening = undefined;
    await this.#close(this.#leave());
    this.#path = opening.path;
    const own = this.#left?.path === opening.path ? this.#left.size : undefined;
    const file = await this.#timed(() => RecordedFile.open(opening, this.pcrPid(), own));
    this.#file = file;
    this.#size = file.size;
    this.#trouble = undefined;
    const { path, size, inode, former = null } = file;
    this.emit({ kind: 'opened', path, size, ...(inode === undefined ? {} : { inode }), former });
    if (own !== undefined && own > size) await this.#reportCut(file, own - size);
  }

  /** What is queued goes to the next file. */
  #leave(): RecordedFile | undefined {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return undefined;
    const writtenUntil = this.#queue[0]?.at ?? this.now();
    this.#left = { path: file.path, size: file.size, queued: this.#queuedBytes, writtenUntil };
    this.emit({ kind: 'left', left: this.#left });
    return file;
  }

  async #write(file: RecordedFile): Promise<void> {
    const lost = await file.restore();
    if (lost > 0) await this.#reportCut(file, lost);
    // Reports the first data early, because its time cannot be recovered from the file after a kill.
    this.#reported ||= this.#meter.tell();
    let length = 0;
    let taken = 0;
    for (const { bytes } of this.#queue) {
      if (length > 0 && length + bytes.length > BATCH_BYTES) break;
      if (bytes.length <= BATCH_BYTES) this.#batch.set(bytes, length);
      length += bytes.length;
      taken += 1;
    }
    const [only] = this.#queue;
    const batch = length > BATCH_BYTES && only !== undefined ? only.bytes : this.#batch.subarray(0, length);
    let written = length;
    try {
      const lost = await this.#timed(() => file.append(batch));
      if (lost !== undefined) written = 0;
      if (lost !== undefined && lost > 0) await this.#reportCut(file, lost);
    } catch (error) {
      written = error instanceof WriteFailure ? error.written : 0;
      throw error;
    } finally {
      this.#size = file.size;
      this.#unsynced = true;
      this.#reportLayouts(file, taken, written);
      this.#dequeue(taken, written);
    }
  }

  /** The queue has the packets after the missing ones. */
  async #reportCut(file: RecordedFile, lost: number): Promise<void> {
    const pid = this.pcrPid();
    const last = await file.lastClock(pid).catch(() => undefined);
    const next = this.#queue.find(({ bytes }) => clockReferences(bytes, pid).first !== undefined);
    const first = next === undefined ? undefined : clockReferences(next.bytes, pid).first;
    const isKnown = next !== undefined && last !== undefined && first !== undefined;
    const from = isKnown ? monotonicMs(next.at - pcrDifference(first, last) / PCR_PER_MS) : null;
    const cut = { path: file.path, size: file.size, lost, from, to: this.#queue[0]?.at ?? this.now() };
    this.emit({ kind: 'cut', cut: { ...cut, pcr: first ?? null } });
  }

  /** Reports layout changes in the data just written. */
  #reportLayouts({ path, size }: RecordedFile, taken: number, written: number): void {
    let position = size - written;
    for (const chunk of this.#queue.slice(0, taken)) {
      if (position >= size) break;
      if (chunk.changed === true) {
        this.emit({ kind: 'layout', path, position });
        chunk.changed = false;
      }
      position += chunk.bytes.length;
    }
  }

  /** Removes written data from the front of the queue: all of `taken` chunks, or less. */
  #dequeue(taken: number, written: number): void {
    let left = written;
    let whole = 0;
    while (whole < taken && left >= (this.#queue[whole]?.bytes.length ?? 0)) {
      left -= this.#queue[whole]?.bytes.length ?? 0;
      whole += 1;
    }
    this.#queue = this.#queue.slice(whole);
    const [first] = this.#queue;
    if (left > 0 && first !== undefined) this.#queue[0] = { bytes: first.bytes.subarray(left), at: first.at };
    this.#queuedBytes -= written;
  }

  /** Writing continues meanwhile; data that a hanging disk has not written stays in the page cache. Never rejects. */
  async #sync(file: RecordedFile): Promise<void> {
    const { syncFile } = this;
    this.#unsynced = false;
    try {
      await this.#timed(() => file.assertInPlace());
      await this.#timed(() =>
        syncFile === undefined ? file.sync() : asFarAsItCan(() => syncFile(file.path)),
      );
    } catch (error) {
      if (file === this.#file) this.#unsyncable = error;
      this.#wake.resolve();
    }
    this.#syncedAt = this.now();
    this.#syncing = undefined;
  }

  async #timed<T>(act: () => Promise<T>): Promise<T> {
    const began = this.now();
    try {
      return await act();
    } finally {
      this.#slowestMs = Math.max(this.#slowestMs, this.now() - began);
    }
  }

  /** Closes the file; unwritten data stays queued for the next file. */
  async #fail(error: unknown): Promise<void> {
    const cause = error instanceof WriteFailure ? error.cause : error;
    const code = String(
      (cause as { code?: unknown }).code ?? (cause instanceof Error ? cause.message : cause),
    );
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const trouble: FileTrouble = { cause: isFull ? 'disk_full' : 'disk_failed', path: this.#path, code };
    this.#trouble = trouble.cause;
    await this.#close(this.#leave());
    this.emit({ kind: 'trouble', trouble });
  }

  /** Waits for a running sync first. */
  async #close(file: RecordedFile | undefined): Promise<void> {
    await this.#syncing;
    this.#unsyncable = undefined;
    await closeQuietly(file);
  }

  async #pause(): Promise<void> {
    if (!this.#ending) await this.#wake.promise;
    this.#wake = Promise.withResolvers<void>();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #finish(): Promise<void> {
    const [lost] = this.#queue;
    if (lost !== undefined) {
      const cause = this.#trouble ?? 'disk_failed';
      this.emit({ kind: 'hole', cause, from: lost.at, to: this.now() });
    }
    this.#queue = [];
    this.#queuedBytes = 0;
    const file = this.#file;
    await this.#close(file);
    this.#file = undefined;
    this.emit({ kind: 'ended', path: this.#path, size: file?.size ?? null });
    this.closed();
  }
}
