/**
 * Encodes one recording into the requested files, verifies each and publishes it. Crash safety: every file that a row
 * lists exists at any time. A file has its final name and is synced before its row is written; the row is synced
 * before an original is removed; the names of files in progress are stored before the files are created.
 */
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BroadcastMs, broadcastMs, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { EncodedCodec } from '../../lib/wire/vocabulary.ts';
import type { EncoderChoice } from '../ffmpeg/encoders.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { OpenOriginal } from '../media/job/recording-context.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import type { EncodeReason } from '../model/encode-reason.ts';
import { type EncodedFacts, type EncodeJob, type EncodeResult, SOURCE_OF } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import { encodedLength } from '../model/recording-time.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { Write } from '../store/transaction.ts';
import { pictureFault } from './compare-pictures.ts';
import { encodeCommand } from './encode-command.ts';
import { EncodeFault } from './encode-fault.ts';
import { type EncodePlan, planEncode, shapeOf } from './encode-plan.ts';
import { encodeReasonText } from './encode-reason-text.ts';
import type { EncodeSources, EncodeStep } from './encode-sources.ts';
import { ffmpegLines, lastWords } from './ffmpeg-lines.ts';
import { encodedChapters } from './kept-spans.ts';
import { findChapterRoom, writeChapters } from './matroska-chapters.ts';
import { pictureMaterial } from './picture-material.ts';
import { type EncodeOutcome, RecordingEncode } from './recording-encode.ts';
import { verifyFile } from './verify-file.ts';

interface EncodeTaskOptions {
  readonly job: EncodeJob;
  readonly recording: ListedRecording;
  /** Base name of its files, from its row. */
  readonly stem: string;
  readonly sources: EncodeSources;
  readonly run: JobRun;
  /** @param share progress over all files, 0 to 1 */
  readonly onProgress: (share: number) => void;
}

/** Upper bounds of the bit rate of an encoded broadcast; AV1 needs half of it. */
const MAX_BYTES_PER_SECOND = { av1: 600_000, h264: 1_200_000 } as const;
/** Interval at which free space is checked while the file grows, ms. */
const ROOM_CHECK_MS = 10_000;
/**
 * The original stays if its file lacks more than this, or if it can be played for less than the recorded length by
 * this, s.
 */
const MAX_SHORTER = 2;
/** The tolerated loss is at least this share of the length. */
const MAX_LOST_SHARE = 0.001;
const MAX_LOG_LINES = 400;

/** The message contains the reason why the original cannot be opened. */
function textReason({ message }: Failure): EncodeReason {
  return { code: 'text', text: message };
}

export class EncodeTask {
  #note: EncodeReason | null = null;
  readonly #log: string[] = [];
  readonly results: EncodeResult[] = [];

  constructor(private readonly options: EncodeTaskOptions) {}

  get log(): string {
    return this.#log.join('\n');
  }

  /** The log with the error that ended it. */
  logOf(error: unknown): string {
    return [...this.#log, this.#withoutFolders(String(error))].join('\n');
  }

  /** Why the original stays although its removal was requested. */
  get note(): EncodeReason | null {
    return this.#note;
  }

  get lastLine(): string {
    return this.#log.at(-1) ?? '';
  }

  /** @throws EncodeFault, the run's abort reason; any other error is a bug or a database error */
  async run(): Promise<void> {
    const { job, recording, sources, run } = this.options;
    const folder = join(sources.workFolder, String(job.id));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const original = await this.#open(recording);
    try {
      const addToLog = (text: string): void => this.#addToLog(text);
      // Captions may be read for a minute.
      const planning = planEncode({ job, recording, sources, original, folder, addToLog });
      const plan = await unlessAborted(planning, run.signal);
      // Read meanwhile, where that was not done while it was recorded.
      if (!job.keepTs) sources.keepData(recording).catch(() => {});
      const codecs = codecsOf(job);
      for (const [index, codec] of codecs.entries()) {
        // Finished before an interruption, or before the other file failed.
        const { files, now } = sources;
        if (files.isMadeSince(recording.id, SOURCE_OF[codec], job.createdAt, now())) continue;
        const onProgress = (share: number): void => this.options.onProgress((index + share) / codecs.length);
        await this.#encodeWithFallback({ original, plan, codec, onProgress });
      }
      if (plan.keepsOriginal !== null) await this.#keepOriginal(plan.keepsOriginal);
    } finally {
      original.close();
      await rm(folder, { recursive: true, force: true });
    }
    if (!job.keepTs && this.#note === null) await this.#removeOriginal(original.index);
  }

  #addToLog(text: string): void {
    const time = new Date(this.options.sources.now()).toISOString();
    for (const line of this.#withoutFolders(text).split('\n')) this.#log.push(`${time} ${line}`);
    if (this.#log.length > MAX_LOG_LINES) this.#log.splice(0, this.#log.length - MAX_LOG_LINES);
  }

  /** Everyone in the household and every paired device may read the log, but not where files are on the machine. */
  #withoutFolders(text: string): string {
    const { recording, sources } = this.options;
    const folders = [...recording.files.map(({ path }) => dirname(path)), sources.workFolder];
    return folders.reduce(
      (left, folder) => left.replaceAll(`${folder}/`, '').replaceAll(folder, basename(folder)),
      text,
    );
  }

  async #open(recording: ListedRecording): Promise<OpenOriginal> {
    const { sources } = this.options;
    try {
      return await sources.open(recording);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#addToLog(String(error.cause ?? error.message));
      const path = recording.files.find(({ source }) => source === 'ts')?.path;
      if (path !== undefined && (await sources.room(dirname(path))) === undefined)
        throw new EncodeFault('later', { code: 'away' }, dirname(path));
      throw new EncodeFault(error.code === 'busy' ? 'later' : 'failed', textReason(error));
    }
  }

  /** Uses the hardware encoder where it works, otherwise software. */
  async #encodeWithFallback(part: FilePart): Promise<void> {
    const { encoders } = this.options.sources;
    for (;;) {
      this.options.run.signal.throwIfAborted();
      let choice: EncoderChoice;
      try {
        choice = await encoders.file(part.codec);
      } catch (error) {
        if (error instanceof Failure) throw new EncodeFault('later', textReason(error));
        throw error;
      }
      try {
        await this.#encode(part, choice);
        return;
      } catch (error) {
        const mayFallBack = error instanceof EncodeFault && error.kind === 'failed';
        if (!mayFallBack || choice.encoder.kind !== 'gpu') throw error;
        this.#addToLog(`${choice.encoder.name} failed, another encoder is used: ${error.message}`);
        encoders.suspend(choice.encoder);
      }
    }
  }

  async #encode(part: FilePart, choice: EncoderChoice): Promise<void> {
    const { job, sources } = this.options;
    const length = encodedLength(part.plan.length, part.plan.cuts);
    const folder = await this.#folder(part.codec, length);
    const names = await this.#names(folder, part.codec);
    await this.#write(() => sources.store.putWork(job.id, [names.work, names.final]));
    await sources.stored();
    await this.#step('named');
    const file: FileInProgress = { ...part, choice, folder, names, length };
    try {
      const outcome = await this.#runEncoder(file);
      await this.#step('encoded');
      await this.#publish(file, outcome);
    } catch (error) {
      // A file that was already renamed and has no row is one of them.
      for (const path of sources.store.leftovers(job.id)) await rm(path, { force: true });
      await this.#write(() => sources.store.putWork(job.id, []));
      throw error;
    }
    await this.#write(() => sources.store.putWork(job.id, []));
  }

  /** Folder of the original. @throws EncodeFault later, without free space */
  async #folder(codec: EncodedCodec, length: number): Promise<string> {
    const { recording, sources } = this.options;
    const path = recording.files.find(({ source }) => source === 'ts')?.path;
    if (path === undefined) throw new EncodeFault('final', { code: 'unplayable' });
    const folder = dirname(path);
    const room = await sources.room(folder);
    if (room === undefined) throw new EncodeFault('later', { code: 'away' }, folder);
    if (room < roomFor(codec, length, recording.bytes))
      throw new EncodeFault('later', { code: 'full' }, `${room} octets are free`);
    return folder;
  }

  /** Names that are not taken. */
  async #names(folder: string, codec: EncodedCodec): Promise<{ work: string; final: string }> {
    const { stem, job } = this.options;
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? `${stem}.${codec}.mkv` : `${stem}.${codec}.${number}.mkv`;
      const final = join(folder, name);
      const isTaken = await stat(final).then(
        () => true,
        () => false,
      );
      if (!isTaken) return { final, work: join(folder, `${stem}.${codec}.${job.id}.part`) };
    }
  }

  async #runEncoder({ original, plan, codec, choice, ...file }: FileInProgress): Promise<EncodeOutcome> {
    const { job, sources, run } = this.options;
    const { bytes, index } = original;
    const { entry, streams, cuts, keepsCommercials } = plan;
    const { video } = entry.layout;
    const { signal } = run;
    const material =
      video?.kind === 'mpeg2'
        ? await pictureMaterial({
            ...{ bytes, index, cuts, keepsCommercials, signal },
            ...{ runtime: sources, ffmpeg: choice.ffmpeg },
          })
        : 'video';
    signal.throwIfAborted();
    const command = encodeCommand({
      ...{ choice, quality: job.quality, cuts, output: file.names.work },
      video: video === null ? null : { kind: video.kind, material, shape: shapeOf(entry.format) },
      tracks: plan.tracks,
      captions: plan.captions,
      metadata: plan.metadata,
      poster: plan.poster,
    });
    this.#addToLog(`${codec} by ${choice.encoder.name}, ${job.quality}, ${material}`);
    this.#addToLog([basename(choice.ffmpeg), ...command.slice(1)].join(' '));
    let lack: 'full' | 'away' | undefined;
    const running = new RecordingEncode({
      ...sources,
      ...{ bytes, index, entry, streams, signal, onProgress: file.onProgress },
      command: [...sources.background, ...command],
    });
    const release = run.onHold((isHeld) => running.hold(isHeld));
    const watch = setInterval(() => {
      void sources.room(file.folder).then((room) => {
        if (room !== undefined && room > 0) return;
        lack = room === undefined ? 'away' : 'full';
        void running.stop();
      });
    }, ROOM_CHECK_MS);
    try {
      const outcome = await running.outcome;
      for (const line of ffmpegLines(outcome.stderr)) this.#addToLog(line);
      signal.throwIfAborted();
      if (/No space left on device/i.test(outcome.stderr)) lack ??= 'full';
      if (lack !== undefined) throw new EncodeFault('later', { code: lack });
      throwBroken(outcome);
      return outcome;
    } finally {
      clearInterval(watch);
      release();
    }
  }

  async #publish(made: FileInProgress, { tookMs, missing }: EncodeOutcome): Promise<void> {
    const { job, recording, sources, run } = this.options;
    const { plan, codec, choice, names, length } = made;
    const chapters = plan.cuts === null ? await this.#chapters(names.work, length) : null;
    const verified = await verifyFile({
      ...{ ffmpeg: choice.ffmpeg, path: names.work, length: length / 1000, signal: run.signal },
      hasVideo: plan.entry.layout.video !== null,
      ...{ sounds: plan.tracks.length, missing, background: sources.background },
      folder: dirname(plan.metadata),
    });
    run.signal.throwIfAborted();
    const fault = 'fault' in verified ? verified.fault : await this.#pictureFault(made);
    if ('fault' in verified || fault !== undefined) {
      this.#addToLog(`not used: ${fault}`);
      throw new EncodeFault('failed', { code: 'verify' }, fault);
    }
    await this.#step('verified');
    const { facts, lost } = verified;
    if (lost > Math.max(MAX_SHORTER, (length / 1000) * MAX_LOST_SHARE))
      await this.#keepOriginal({ code: 'lossy' }, `${lost.toFixed(1)} s of it are missing in the file`);
    const bytes = await synced(names.work);
    await rename(names.work, names.final);
    await sources.syncFolder(made.folder);
    await this.#step('renamed');
    const end = facts.videoEnd ?? facts.audioEnds[0] ?? 0;
    const file = {
      ...{ source: SOURCE_OF[codec], codec, path: names.final, bytes, cuts: plan.cuts },
      durationMs: Math.round(end * 1000),
      facts: {
        tracks: plan.tracks.map(({ id }) => id),
        codecs: facts.codecs,
        hasVideo: facts.videoEnd !== null,
        stretches: stretchesOf(made.original.index),
        chapters,
      },
    };
    const isStored = await this.#write(() => sources.files.put(recording.id, file, sources.now()));
    if (!isStored) {
      await rm(names.final, { force: true });
      throw new EncodeFault('final', { code: 'gone' });
    }
    await sources.stored();
    await this.#step('stored');
    const result = { codec, quality: job.quality, encoder: choice.encoder.name };
    this.results.push({ ...result, lengthMs: Math.round(length), bytes, tookMs: Math.round(tookMs) });
    this.#addToLog(`${names.final}: ${bytes} octets in ${(tookMs / 1000).toFixed(1)} s`);
  }

  async #pictureFault({
    original,
    plan,
    choice,
    names,
    length,
  }: FileInProgress): Promise<string | undefined> {
    const { sources, run } = this.options;
    const { entry, cuts } = plan;
    if (entry.layout.video === null) return undefined;
    const { signal } = run;
    const fault = await pictureFault({
      ...{ runtime: sources, ffmpeg: choice.ffmpeg, bytes: original.bytes, index: original.index },
      ...{ path: names.work, length, cuts, signal, shape: shapeOf(entry.format) },
      folder: dirname(plan.metadata),
    });
    signal.throwIfAborted();
    return fault;
  }

  /** Chapters as currently known: they fit in the space that the file reserves for them. */
  async #chapters(path: string, length: number): Promise<EncodedFacts['chapters']> {
    const { job, recording, sources } = this.options;
    const known = sources.chapters(recording.id);
    const segments = job.commercials === 'none' ? [] : (known?.segments ?? []);
    const room = await findChapterRoom(path).catch(() => null);
    if (room === null) return null;
    await writeChapters(path, room, encodedChapters(segments, null, length));
    return { room, version: known?.version ?? 0 };
  }

  /** Stored before the file is published: a task that resumes this one does not verify it again. */
  async #keepOriginal(why: EncodeReason, detail = encodeReasonText(why)): Promise<void> {
    const { job, sources } = this.options;
    if (job.keepTs) return;
    this.#note = why;
    await this.#write(() => sources.store.keepOriginal(job.id));
    this.#addToLog(`the original stays: ${detail}`);
  }

  /** Only if the encode contains all of it: a file with losses does not replace its source. */
  async #removeOriginal(index: RecordingIndex): Promise<void> {
    const { recording, sources, run } = this.options;
    const indexed = index.duration / TICKS_PER_SECOND;
    const judged = recording.durationMs === null ? indexed : recording.durationMs / 1000;
    if (judged - indexed > Math.max(MAX_SHORTER, judged * 0.01)) {
      const detail = `${judged.toFixed(1)} s were recorded, ${indexed.toFixed(1)} s can be played`;
      await this.#keepOriginal({ code: 'short' }, detail);
      return;
    }
    const keeping = unlessAborted(sources.keepData(recording), run.signal);
    const isDataKept = await keeping.catch((error: unknown) => {
      run.signal.throwIfAborted();
      throw new EncodeFault('later', { code: 'data' }, String(error));
    });
    // Published by this task or by the one that it resumes: a listed file may have been removed since.
    for (const { path, bytes } of sources.files.handedOver(recording.id)) {
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile() === true && found.size === bytes) continue;
      throw new EncodeFault('failed', { code: 'verify' }, `${path} is not what was handed over`);
    }
    const paths = await this.#write(() => {
      // Point of no return: cancelling has no effect from here on.
      run.signal.throwIfAborted();
      return sources.files.retireOriginal(recording.id, sources.now());
    });
    if (paths.length === 0) return;
    // The removal is stored and synced before the files are deleted.
    await sources.stored();
    await this.#step('retired');
    await sources.removeRetired(recording.id, paths);
    await this.#step('removed');
    this.#addToLog('the original was removed');
    if (isDataKept) return;
    this.#note = { code: 'data_lost' };
    this.#addToLog(encodeReasonText(this.#note));
  }

  get #write(): Write {
    return this.options.sources.write;
  }

  async #step(step: EncodeStep): Promise<void> {
    await this.options.sources.onStep?.(step);
  }
}

/** Octets that have to be free. @param length of the file, ms; null: unknown @param original octets of the original */
export function roomFor(codec: EncodedCodec, length: number | null, original: number): number {
  const most = length === null ? original : (length / 1000) * MAX_BYTES_PER_SECOND[codec];
  return Math.max(1, Math.min(most, original));
}

export function codecsOf({ codecs }: Pick<EncodeJob, 'codecs'>): EncodedCodec[] {
  return codecs === 'both' ? ['av1', 'h264'] : [codecs];
}

/** One of the files that the task makes. */
interface FilePart {
  readonly original: OpenOriginal;
  readonly plan: EncodePlan;
  readonly codec: EncodedCodec;
  readonly onProgress: (share: number) => void;
}

interface FileInProgress extends FilePart {
  readonly choice: EncoderChoice;
  readonly folder: string;
  readonly names: { readonly work: string; readonly final: string };
  /** Expected, ms. */
  readonly length: number;
}

function throwBroken({ broken, code, error, stderr }: EncodeOutcome): void {
  if (broken === 'codec') throw new EncodeFault('final', { code: 'codec' });
  if (broken === 'stalled') throw new EncodeFault('failed', { code: 'stalled' });
  if (broken === 'unreadable') {
    const isBusy = error instanceof Failure && error.code === 'busy';
    throw new EncodeFault(isBusy ? 'later' : 'failed', { code: 'unreadable' }, String(error));
  }
  if (code !== 0)
    throw new EncodeFault('failed', { code: 'encoder' }, lastWords(stderr) || `ffmpeg ended with ${code}`);
}

/** Size in bytes of a file whose content is synced. */
async function synced(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

function stretchesOf({ scale }: RecordingIndex): { length: number; at: BroadcastMs | null }[] {
  return scale.stretches.map(({ length, at }) => ({
    length: (length / TICKS_PER_SECOND) * 1000,
    at: at === undefined ? null : broadcastMs(Math.round(at)),
  }));
}
