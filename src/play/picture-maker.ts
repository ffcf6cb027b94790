/**
 * Makes the pictures of one recording: its poster, and the sheets of previews for seeking. Reads key frames only, one
 * place after the other, and runs ffmpeg with little priority; while `isBusy` it waits, and a running ffmpeg is ended
 * and started again later.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type Media90k, media90k, TICKS_PER_SECOND } from '../../arib/time.ts';
import type { WallClock, WallMs } from '../../host/clock.ts';
import type { Previews } from '../../wire/api.ts';
import { type RunResult, run } from '../ffmpeg/run.ts';
import type { RecordingId } from '../model/ids.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';
import {
  type PictureSize,
  PREVIEW,
  picturesCommand,
  posterCommand,
  SAMPLE,
  sheetCommand,
} from './picture-commands.ts';
import { type KeyFrameRun, keyFrameRuns } from './picture-frames.ts';
import { mostTelling, type SmallPicture } from './picture-score.ts';
import type { RecordingCache } from './recording-cache.ts';

/** Stored as JSON beside the sheets. */
export type StoredPreviews = Omit<Previews, 'sheets' | 'kept'> & {
  sheets: number;
  /** Epoch ms. */
  madeAt: WallMs;
};

export const POSTER_FILE = 'poster.jpg';
export const PREVIEWS_FILE = 'previews.json';

/** Temporary file. */
const STREAM_FILE = 'work.ts';
const RAW_FILE = 'work.raw';

export function sheetFile(sheet: number): string {
  return `previews-${sheet}.jpg`;
}

interface PictureMakerOptions {
  readonly cache: RecordingCache;
  readonly open: Pick<OpenRecordings, 'open'>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  /** A user waits for running work: an encoder of a viewer. */
  readonly isBusy: () => boolean;
  /** Epoch ms. */
  readonly now: WallClock;
  /** Interval of checking `isBusy`, ms. */
  readonly pollMs?: number | undefined;
}

/** Number of samples, of which one is chosen. */
const SAMPLES = 16;
/** Fractions of the programme between which samples are taken: after the opening, before the end. */
const FIRST_SAMPLE = 0.04;
const LAST_SAMPLE = 0.8;
const SHEET = { columns: 10, rows: 10 } as const;
const INTERVAL_MS = 10_000;
/** Recordings of more than 100 minutes have a longer interval between pictures. */
const MAX_PREVIEWS = 600;
/** A hundred key frames take some seconds on a slow machine if nothing else runs. */
const FFMPEG_LIMIT_MS = 300_000;
const POLL_MS = 250;

export class PictureMaker {
  constructor(private readonly options: PictureMakerOptions) {}

  /**
   * @param onPoster called when its file exists
   * @returns whether there is any picture; false without decodable video
   * @throws Failure, errors of reading, writing and ffmpeg, the signal's reason
   */
  async make(
    recording: ListedRecording,
    id: RecordingId,
    onPoster: () => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { cache, open } = this.options;
    const ffmpeg = await this.options.ffmpeg();
    await this.#quiet(signal);
    const opened = await open.open(recording);
    const stream = await cache.place(id, STREAM_FILE);
    try {
      if (opened.index.layout.video === null || opened.index.duration <= 0) return false;
      const work: Work = { ffmpeg, id, opened, stream, signal };
      const times = sampleTimes(recording, opened);
      const samples = await this.#pictures(work, times, SAMPLE);
      if (samples === undefined) return false;
      if (await this.#poster(work, times[mostTelling(smallPictures(samples))])) onPoster();
      await this.#previews(work);
      return true;
    } finally {
      opened.close();
      await rm(stream, { force: true });
      await cache.remove(id, RAW_FILE);
    }
  }

  /** False if no sample shows anything, or the chosen one is not readable any more. */
  async #poster(work: Work, chosen: Media90k | undefined): Promise<boolean> {
    const { ffmpeg, id, stream, signal } = work;
    if (chosen === undefined) return false;
    for await (const _run of this.#runs(work, [chosen])) {
      const place = await this.options.cache.place(id, POSTER_FILE);
      await this.#run(posterCommand(ffmpeg, stream, place), signal);
      return true;
    }
    return false;
  }

  /**
   * RGB, one for each time; a missing picture is replaced by the one before it, at the beginning by the next.
   * Undefined: none at all.
   */
  async #pictures(
    work: Work,
    times: readonly Media90k[],
    size: PictureSize,
  ): Promise<Uint8Array | undefined> {
    const { ffmpeg, id, stream, signal } = work;
    const raw = this.options.cache.path(id, RAW_FILE);
    const bytes = size.width * size.height * 3;
    const all = new Uint8Array(bytes * times.length);
    let filled = 0;
    for await (const { first, last } of this.#runs(work, times)) {
      await this.#run(picturesCommand(ffmpeg, stream, { size, count: last - first + 1 }, raw), signal);
      const made = new Uint8Array(await readFile(raw));
      const complete = Math.min(Math.floor(made.length / bytes), times.length - first);
      if (complete === 0) continue;
      // Fills the gap between the last run and this one.
      for (; filled < first; filled += 1) {
        const before = filled === 0 ? made : all.subarray((filled - 1) * bytes);
        all.set(before.subarray(0, bytes), filled * bytes);
      }
      all.set(made.subarray(0, complete * bytes), first * bytes);
      filled = first + complete;
    }
    if (filled === 0) return undefined;
    for (; filled < times.length; filled += 1)
      all.copyWithin(filled * bytes, (filled - 1) * bytes, filled * bytes);
    return all;
  }

  async #previews(work: Work): Promise<void> {
    const { ffmpeg, id, opened, signal } = work;
    const { cache, now } = this.options;
    const duration = (opened.index.duration / TICKS_PER_SECOND) * 1000;
    const intervalMs = Math.max(INTERVAL_MS, Math.ceil(duration / MAX_PREVIEWS));
    const count = Math.floor(duration / intervalMs) + 1;
    const size = SHEET.columns * SHEET.rows;
    const sheets = Math.ceil(count / size);
    for (let sheet = 0; sheet < sheets; sheet += 1) {
      const first = sheet * size;
      const onSheet = Math.min(size, count - first);
      const times = Array.from({ length: onSheet }, (_, index) =>
        media90k(((first + index) * intervalMs * TICKS_PER_SECOND) / 1000),
      );
      const pictures = await this.#pictures(work, times, PREVIEW);
      // A sheet without any picture disables all previews: wrong ones would be worse.
      if (pictures === undefined) return;
      const raw = cache.path(id, RAW_FILE);
      await writeFile(raw, pictures);
      const rows = Math.ceil(onSheet / SHEET.columns);
      const place = await cache.place(id, sheetFile(sheet));
      await this.#run(sheetCommand(ffmpeg, raw, { columns: SHEET.columns, rows }, place), signal);
    }
    const stored: StoredPreviews = { ...PREVIEW, ...SHEET, count, intervalMs, sheets, madeAt: now() };
    await cache.write(id, PREVIEWS_FILE, JSON.stringify(stored));
  }

  #runs({ opened, stream, signal }: Work, times: readonly Media90k[]): AsyncGenerator<KeyFrameRun> {
    const { bytes: source, index } = opened;
    return keyFrameRuns(stream, { source, index, times, quiet: () => this.#quiet(signal) });
  }

  /** Resolves when the machine is not busy. @throws the signal's reason */
  async #quiet(signal: AbortSignal): Promise<void> {
    const { isBusy, pollMs = POLL_MS } = this.options;
    for (;;) {
      signal.throwIfAborted();
      if (!isBusy()) return;
      await Bun.sleep(pollMs);
    }
  }

  async #run(command: readonly string[], signal: AbortSignal): Promise<void> {
    const { isBusy, pollMs = POLL_MS } = this.options;
    for (;;) {
      await this.#quiet(signal);
      const yielding = new AbortController();
      const poll = setInterval(() => {
        if (isBusy()) yielding.abort();
      }, pollMs);
      let result: RunResult;
      try {
        const either = AbortSignal.any([signal, yielding.signal]);
        result = await run(command, { timeoutMs: FFMPEG_LIMIT_MS, background: true, signal: either });
      } finally {
        clearInterval(poll);
      }
      signal.throwIfAborted();
      if (result.code === 0) return;
      if (!yielding.signal.aborted) throw new Error(`ffmpeg: ${result.stderr || `exit code ${result.code}`}`);
    }
  }
}

interface Work {
  readonly ffmpeg: string;
  readonly id: RecordingId;
  readonly opened: OpenRecording;
  /** File of the key frames. */
  readonly stream: string;
  readonly signal: AbortSignal;
}

/** Spread over the programme, without its margins if their length is known. */
function sampleTimes(
  { startAt, endAt }: Pick<ListedRecording, 'startAt' | 'endAt'>,
  { index }: Pick<OpenRecording, 'index'>,
): Media90k[] {
  const { scale, duration } = index;
  const from = scale.mediaAtBroadcast(startAt) ?? media90k(0);
  const to = scale.mediaAtBroadcast(endAt) ?? duration;
  const [start, end] = to > from ? [from, to] : [media90k(0), duration];
  return Array.from({ length: SAMPLES }, (_, number) => {
    const share = FIRST_SAMPLE + ((LAST_SAMPLE - FIRST_SAMPLE) * number) / (SAMPLES - 1);
    return media90k(Math.round(start + (end - start) * share));
  });
}

function smallPictures(raw: Uint8Array): SmallPicture[] {
  const size = SAMPLE.width * SAMPLE.height * 3;
  const pictures: SmallPicture[] = [];
  for (let at = 0; at + size <= raw.length; at += size) {
    pictures.push({ ...SAMPLE, pixels: raw.subarray(at, at + size) });
  }
  return pictures;
}
