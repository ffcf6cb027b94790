/**
 * Files with the data broadcast of recordings. Jobs follow those in progress every few seconds and complete ended ones;
 * older ones are read when they are first asked for. The background worker reads and writes (`data-file-host.ts`).
 * Whatever fails here, the recording continues, and what is missing is read again from its original.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import { settlesWithin, unlessAborted, within } from '../../lib/host/deadline.ts';
import { WorkerError, type WorkerLink } from '../../lib/host/worker-link.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { JOB_PRIORITY, type JobKind } from '../media/job/job-kind.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { JobRunner } from '../media/job/job-runner.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { Failure } from '../model/failure.ts';
import type { Hub } from '../notify/hub.ts';
import type { DataFile, DataFileStore } from '../store/data-file-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';
import type { RecordingCache } from './recording-cache.ts';
import type { BackgroundContract, DataFileAnswer, DataFileAsk } from './side-file-messages.ts';

interface DataFilesOptions extends Pick<RecordingContext, 'write' | 'stored' | 'log'> {
  readonly jobs: Pick<JobRunner, 'add'>;
  readonly store: Pick<DataFileStore, 'find' | 'stem' | 'put' | 'growing' | 'unfinished'>;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly open: Pick<OpenRecordings, 'open'>;
  readonly cache: Pick<RecordingCache, 'place'>;
  /** As its BIT was last received. */
  readonly findBroadcaster: (station: StationId) => ServiceBroadcaster | undefined;
  readonly link: Pick<WorkerLink<BackgroundContract>, 'request'>;
  /** Undefined for a folder that does not respond, or whose disk is missing. */
  readonly folderSpace: (path: string) => Promise<object | undefined>;
  readonly hub: Pick<Hub, 'changed'>;
  /** Interval in which recordings in progress are read, ms. */
  readonly followMs?: number | undefined;
  /** Timeout of a request, ms; the reading continues. */
  readonly waitMs?: number | undefined;
  /** Time for one recording in progress before the next is read, too, ms. */
  readonly turnMs?: number | undefined;
}

const FOLLOW_MS = 5_000;
const WAIT_MS = 90_000;
/** A folder that does not respond must not delay the others. */
const TURN_MS = 10_000;
/** One that fails is tried every ten minutes in the end, and when it is asked for: each attempt may read all of it. */
const ROUNDS_OF_REST = 120;
/** Recordings in progress that are read at once: viewers' captions are read by the same worker. */
const MAX_FOLLOWED = 3;
/** An encode asks twice every ten minutes: it waits half a day for one that is read, an hour for one that fails. */
const MAX_REFUSALS = 144;
const REFUSALS_OF_FAILED = 12;
/** Space that the original has is needed by the recordings in progress. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const CLOSE_MS = 3_000;
const NAME = 'databroadcast';
/** Bound of recordings whose failure was logged. */
const MAX_LOGGED = 1_000;

const NO_DATA = () => new Failure('not_found', 'この録画にデータ放送はありません。');
const NOT_YET = () => new Failure('not_found', 'この録画のデータ放送は、まだ受信していません。');
const GONE = () =>
  new Failure('not_found', '元の放送ストリームがなく、データ放送も残っていないため、表示できません。');
const READING = () =>
  new Failure('busy', 'データ放送を読み取っています。しばらくしてから、もう一度お試しください。');

function hasOriginal({ files }: ListedRecording): boolean {
  return files.some(({ source }) => source === 'ts');
}

/** How much a failure counts of `MAX_REFUSALS`. */
function refusalsOf(error: unknown): number {
  if (!(error instanceof Failure)) return REFUSALS_OF_FAILED;
  if (error.code !== 'busy') return MAX_REFUSALS;
  const { cause } = error;
  if (!(cause instanceof WorkerError)) return 1;
  if (FULL.includes(cause.code)) return MAX_REFUSALS;
  return cause.kind === 'failed' || cause.kind === 'lost' ? REFUSALS_OF_FAILED : 1;
}

type Timing = 'needs' | 'startMs' | 'pollMs' | 'restMs' | 'retry';

interface DataJob {
  readonly id: RecordingId;
}

/** The worker died, or could not read or write: each further attempt may read the whole recording. */
function isWorkerFault(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return cause instanceof WorkerError && cause.kind !== 'busy';
}

export class DataFiles {
  readonly #steps = new Map<RecordingId, Promise<DataFile>>();
  /** Recordings whose reading fails, until it succeeds. */
  readonly #failing = new Set<RecordingId>();
  /** Of `keep`. */
  readonly #refusals = new Map<RecordingId, number>();
  readonly #stop = new AbortController();

  constructor(private readonly options: DataFilesOptions) {
    options.jobs.add(this.#received());
    options.jobs.add(this.#ended());
  }

  /** Idempotent. The runner is closed before. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the service ends'));
    await settlesWithin(CLOSE_MS, Promise.allSettled(this.#steps.values()));
  }

  /**
   * The file, complete unless the recording is in progress.
   * @throws Failure not_found if there is no data broadcast, busy while it is read
   */
  async find(recording: ListedRecording): Promise<DataFile> {
    return this.#found(recording, await this.#current(recording));
  }

  /**
   * Reads it to the end, if that was not done, before its original is removed. One that cannot be read or written does
   * not keep gigabytes on the disk for ever: on a full disk at once, otherwise after many calls.
   * @returns whether all of it is in the file, or there is none. @throws Failure busy: the original has to stay for now
   */
  async keep(recording: ListedRecording): Promise<boolean> {
    const { id } = recording;
    try {
      const { isComplete } = await this.#current(recording, true);
      // The caller removes the original, so that the rest could not be read later.
      if (!isComplete) throw READING();
      this.#refusals.delete(id);
      return true;
    } catch (error) {
      const refusals = (this.#refusals.get(id) ?? 0) + refusalsOf(error);
      this.#refusals.set(id, refusals);
      if (refusals < MAX_REFUSALS) throw error;
      this.#refusals.delete(id);
      this.options.log.warn('data broadcast of a recording not kept', {
        recording: id,
        error: String(error),
      });
      return false;
    }
  }

  /** The file is missing or damaged although its row has it: it is made again. @throws as `find` */
  async rebuild(recording: ListedRecording): Promise<DataFile> {
    if (!hasOriginal(recording)) throw GONE();
    this.options.log.warn('data broadcast of a recording is damaged, it is read again', {
      recording: recording.id,
    });
    return this.#found(recording, await this.#waited(recording));
  }

  #found({ state }: ListedRecording, file: DataFile): DataFile {
    if (file.bytes > 0) return file;
    throw file.isComplete ? NO_DATA() : state === 'recording' ? NOT_YET() : GONE();
  }

  async #current(recording: ListedRecording, isBackground = false): Promise<DataFile> {
    const known = this.options.store.find(recording.id);
    if (known !== undefined && (known.isComplete || !hasOriginal(recording))) return known;
    if (!hasOriginal(recording)) throw GONE();
    return this.#waited(recording, isBackground);
  }

  #waited({ id }: ListedRecording, isBackground = false): Promise<DataFile> {
    return within(this.options.waitMs ?? WAIT_MS, this.#step(id, isBackground), () => {
      throw READING();
    });
  }

  /** Recordings in progress: in turn, each every few seconds. */
  #received(): JobKind<DataJob> {
    const { store, followMs = FOLLOW_MS, turnMs = TURN_MS } = this.options;
    let last = recordingId(0);
    return {
      name: 'data broadcast of recordings in progress',
      priority: JOB_PRIORITY.receivedData,
      ...this.#common(followMs),
      ...{ atOnce: MAX_FOLLOWED, overlapMs: turnMs },
      next: (excluded) => {
        const due = store.growing().filter((id) => !excluded.has(id));
        const id = due.find((one) => one > last) ?? due[0];
        if (id === undefined) return undefined;
        last = id;
        return { id };
      },
      // It has no file before its first packet, and its folder may not respond for a moment.
      meaningOf: (error) => (isWorkerFault(error) ? 'fault' : 'later'),
    };
  }

  /** Ended recordings whose file is not complete. */
  #ended(): JobKind<DataJob> {
    const { store, followMs = FOLLOW_MS } = this.options;
    return {
      name: 'data broadcast of ended recordings',
      priority: JOB_PRIORITY.endedData,
      ...this.#common(followMs),
      next: (excluded) => {
        const id = store.unfinished().find((one) => !excluded.has(one));
        return id === undefined ? undefined : { id };
      },
      meaningOf: () => 'fault',
    };
  }

  #common(followMs: number): Pick<JobKind<DataJob>, 'run' | Timing> {
    return {
      ...{ needs: 'none', startMs: followMs, pollMs: followMs, restMs: followMs },
      retry: {
        ...{ attempts: Number.POSITIVE_INFINITY, firstMs: 2 * followMs, laterMs: followMs },
        maxMs: ROUNDS_OF_REST * followMs,
      },
      run: async ({ id }: DataJob, { signal }: JobRun) =>
        void (await unlessAborted(this.#step(id, true), signal)),
    };
  }

  /** Reads what is there now; requests meanwhile share it. @param isBackground with half of the processor time */
  #step(id: RecordingId, isBackground: boolean): Promise<DataFile> {
    const known = this.#steps.get(id);
    if (known !== undefined) return known;
    const step = this.#read(id, isBackground)
      .then(
        (file) => {
          this.#failing.delete(id);
          return file;
        },
        (error: unknown) => {
          this.#logFailure(id, error);
          throw error;
        },
      )
      .finally(() => this.#steps.delete(id));
    this.#steps.set(id, step);
    // Its requests may have timed out.
    step.catch(() => {});
    return step;
  }

  /** Once while it lasts: a recording in progress is tried every few seconds, and has no file before its first packet. */
  #logFailure(id: RecordingId, error: unknown): void {
    const { log } = this.options;
    const isExpected = this.#failing.has(id) || (error instanceof Failure && error.code === 'not_found');
    if (this.#stop.signal.aborted) return;
    if (this.#failing.size >= MAX_LOGGED) this.#failing.clear();
    this.#failing.add(id);
    const facts = { recording: id, error: String(error), cause: String((error as Error).cause ?? '') };
    if (isExpected) log.debug('data broadcast of a recording not read', facts);
    else log.warn('data broadcast of a recording not read', facts);
  }

  async #read(id: RecordingId, isBackground: boolean): Promise<DataFile> {
    const { list, open, store } = this.options;
    const recording = list.find(id);
    if (recording === undefined) throw GONE();
    await this.#responds(recording);
    const opened = await open.open(recording);
    try {
      const before = store.find(id) ?? (await this.#named(recording, opened));
      const now = {
        path: before.path,
        ...(await this.#write(recording, opened, { path: before.path, isBackground })),
      };
      // Deleted meanwhile: nothing else would remove it.
      if (store.stem(id) === undefined) await rm(before.path, { force: true });
      // While it grows its size is in no list.
      if (now.isComplete || (before.bytes === 0 && now.bytes > 0)) await this.#put(id, now);
      return now;
    } finally {
      // A recording in progress may continue in other files.
      opened.close('once');
    }
  }

  /** A hanging folder is not accessed: each call would block a thread that recordings need. @throws Failure busy */
  async #responds({ id, files }: ListedRecording): Promise<void> {
    const { store, folderSpace } = this.options;
    const paths = [files.find(({ source }) => source === 'ts')?.path, store.find(id)?.path];
    for (const folder of new Set(paths.flatMap((path) => (path === undefined ? [] : dirname(path)))))
      if ((await folderSpace(folder)) === undefined)
        throw new Failure('busy', '録画フォルダーが応答しません。');
  }

  async #write(
    recording: ListedRecording,
    opened: OpenRecording,
    { path, isBackground }: Pick<DataFileAsk, 'path' | 'isBackground'>,
  ): Promise<DataFileAnswer> {
    const { id } = recording;
    const { bytes, index } = opened;
    const paths = bytes.starts.map((one) => one.path);
    const { pieces, size, serviceId } = index;
    const grows = recording.state === 'recording';
    const broadcaster = this.options.findBroadcaster(recording.stationId);
    const ask = {
      key: `${id} ${path}`,
      path,
      paths,
      size,
      pieces,
      serviceId,
      grows,
      isBackground,
      broadcaster,
    };
    try {
      return await this.options.link.request('dataFile', ask, { signal: this.#stop.signal });
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const message = error.kind === 'busy' ? 'サーバが混んでいます' : 'データ放送を読み取れませんでした。';
      throw new Failure('busy', message, { cause: error });
    }
  }

  /** Stored before the file is made: a power cut leaves no file without a row. */
  async #named({ id }: ListedRecording, { bytes }: OpenRecording): Promise<DataFile> {
    const { store, stored, cache } = this.options;
    const stem = store.stem(id);
    const folder = dirname(bytes.starts[0]?.path ?? '');
    // An imported recording is in a folder of another program.
    const path = stem ? join(folder, `${stem}.${NAME}`) : await cache.place(id, `r${id}.${NAME}`);
    const file = { path, bytes: 0, isComplete: false };
    await this.#put(id, file);
    // Deleted meanwhile: nothing would remove the file.
    if (store.find(id) === undefined) throw GONE();
    await stored();
    return file;
  }

  async #put(id: RecordingId, file: DataFile): Promise<void> {
    await this.options.write(() => this.options.store.put(id, file));
    if (file.isComplete) this.options.hub.changed('recordings');
  }
}
