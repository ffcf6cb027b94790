/**
 * Makes the pictures of one recording: its poster, and the sheets of previews for seeking. Reads key frames only, one
 * place after the other, and runs ffmpeg with little priority; while its run is held it waits, and a running ffmpeg is
 * ended and started again later.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type Media90k, media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { WallClock, WallMs } from '../../lib/host/clock.ts';
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { Previews } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { type RunResult, run } from '../ffmpeg/process.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';
import { type KeyFrameRun, keyFrameRuns } from './picture-frames.ts';
import { mostTelling, replaceBlack, type SmallPicture } from './picture-score.ts';
import type { RecordingCache } from './recording-cache.ts';

/** Stored as JSON beside the sheets. */
export type StoredPreviews = Omit<Previews, 'sheets' | 'kept'> & {
  sheets: number;
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
  readonly now: WallClock;
}

/** Number of samples, of which one is chosen. */
const SAMPLES = 16;
/** Fractions of the programme between which samples are taken: after the opening, before the end. */
const FIRST_SAMPLE = 0.04;
const LAST_SAMPLE = 0.8;
const SHEET = { columns: 10, rows: 10 } as const;
const INTERVAL_MS = 10_000;
/** Intervals from a black preview to the one that is shown for it. */
const MOST_APART = 2;
/** Recordings of more than 100 minutes have a longer interval between pictures. */
const MAX_PREVIEWS = 600;
/** A hundred key frames take some seconds on a slow machine if nothing else runs. */
const FFMPEG_LIMIT_MS = 300_000;

export class PictureMaker {
  constructor(private readonly options: PictureMakerOptions) {}

  /**
   * @param onPoster called when its file exists
   * @returns whether there is any picture; false without decodable video
   * @throws Failure, errors of reading, writing and ffmpeg, the run's abort reason
   */
  async make(
    recording: ListedRecording,
    id: RecordingId,
    onPoster: () => void,
    run: JobRun,
  ): Promise<boolean> {
    const { cache, open } = this.options;
    const ffmpeg = await this.options.ffmpeg();
    await run.resumed();
    const opened = await open.open(recording);
    const stream = await cache.place(id, STREAM_FILE);
    try {
      if (opened.index.layout.video === null || opened.index.duration <= 0) return false;
      const work: Work = { ffmpeg, id, opened, stream, run };
      const times = sampleTimes(recording, opened);
      const samples = await this.#pictures(work, times, SAMPLE);
      if (samples === undefined) return false;
      if (await this.#poster(work, times[mostTelling(smallPictures(samples, SAMPLE))])) onPoster();
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
    const { ffmpeg, id, stream, run } = work;
    if (chosen === undefined) return false;
    for await (const _run of this.#runs(work, [chosen])) {
      const place = await this.options.cache.place(id, POSTER_FILE);
      await runFfmpeg(posterCommand(ffmpeg, stream, place), run);
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
    const { ffmpeg, id, stream, run } = work;
    const raw = this.options.cache.path(id, RAW_FILE);
    const bytes = size.width * size.height * 3;
    const all = new Uint8Array(bytes * times.length);
    let filled = 0;
    for await (const { first, last } of this.#runs(work, times)) {
      await runFfmpeg(picturesCommand(ffmpeg, stream, { size, count: last - first + 1 }, raw), run);
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
    const { ffmpeg, id, opened, run } = work;
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
      replaceBlack(smallPictures(pictures, PREVIEW), MOST_APART);
      const raw = cache.path(id, RAW_FILE);
      await writeFile(raw, pictures);
      const rows = Math.ceil(onSheet / SHEET.columns);
      const place = await cache.place(id, sheetFile(sheet));
      await runFfmpeg(sheetCommand(ffmpeg, raw, { columns: SHEET.columns, rows }, place), run);
    }
    const stored: StoredPreviews = { ...PREVIEW, ...SHEET, count, intervalMs, sheets, madeAt: now() };
    await cache.write(id, PREVIEWS_FILE, JSON.stringify(stored));
  }

  #runs({ opened, stream, run }: Work, times: readonly Media90k[]): AsyncGenerator<KeyFrameRun> {
    const { bytes, index } = opened;
    // A folder that does not respond must not delay the end of the run.
    const source = {
      size: bytes.size,
      read: (at: number, length: number) => unlessAborted(bytes.read(at, length), run.signal),
    };
    return keyFrameRuns(stream, { source, index, times, resumed: () => run.resumed() });
  }
}

/** Ends it while the run is held, and starts it again. @throws Error, the run's abort reason */
async function runFfmpeg(command: readonly string[], job: JobRun): Promise<void> {
  for (;;) {
    await job.resumed();
    const yielding = new AbortController();
    const release = job.onHold((isHeld) => {
      if (isHeld) yielding.abort();
    });
    let result: RunResult;
    try {
      const either = AbortSignal.any([job.signal, yielding.signal]);
      result = await run(command, { timeoutMs: FFMPEG_LIMIT_MS, background: true, signal: either });
    } finally {
      release();
    }
    job.signal.throwIfAborted();
    if (result.code === 0) return;
    if (!yielding.signal.aborted) throw new Error(`ffmpeg: ${result.stderr || `exit code ${result.code}`}`);
  }
}

interface Work {
  readonly ffmpeg: string;
  readonly id: RecordingId;
  readonly opened: OpenRecording;
  /** File of the key frames. */
  readonly stream: string;
  readonly run: JobRun;
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

function smallPictures(raw: Uint8Array, { width, height }: PictureSize): SmallPicture[] {
  const size = width * height * 3;
  const pictures: SmallPicture[] = [];
  for (let at = 0; at + size <= raw.length; at += size) {
    pictures.push({ width, height, pixels: raw.subarray(at, at + size) });
  }
  return pictures;
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Size in a list: 16:9; other aspect ratios get bars. */
const POSTER: PictureSize = { width: 640, height: 360 };
/** On a sheet, for seeking. */
export const PREVIEW: PictureSize = { width: 160, height: 90 };
/** Size of samples, of which the best is chosen. */
const SAMPLE: PictureSize = { width: 64, height: 36 };

/** Square pixels, scaled to fit the box whatever the aspect ratio. */
function fit({ width, height }: PictureSize): string {
  const w = `min(${width},trunc(${height}*dar/2)*2)`;
  const h = `min(${height},trunc(${width}/dar/2)*2)`;
  return `scale=w='${w}':h='${h}',setsar=1,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
}

/** Key frames only, with one thread: this work has the lowest priority. */
function input(ffmpeg: string, path: string): string[] {
  return [
    ...[ffmpeg, '-v', 'error', '-y', '-nostdin', '-threads', '1', '-skip_frame', 'nokey'],
    ...['-copyts', '-f', 'mpegts', '-i', path, '-map', '0:v:0', '-an', '-filter_threads', '1'],
  ];
}

/**
 * One picture a second from 0 on. A picture that cannot be decoded is replaced by the previous one, at the beginning
 * by the next.
 */
const EACH_SECOND = 'fps=1:start_time=0:round=near:eof_action=pass';

/** `count` pictures of that size as consecutive RGB. */
export function picturesCommand(
  ffmpeg: string,
  path: string,
  { size, count }: { size: PictureSize; count: number },
  output: string,
): string[] {
  return [
    ...input(ffmpeg, path),
    ...['-vf', `${EACH_SECOND},${fit(size)}`, '-frames:v', String(count), '-pix_fmt', 'rgb24'],
    ...['-f', 'rawvideo', output],
  ];
}

function posterCommand(ffmpeg: string, path: string, output: string): string[] {
  return [
    ...input(ffmpeg, path),
    ...['-vf', `yadif=deint=interlaced,${fit(POSTER)}`, '-frames:v', '1', '-q:v', '4', '-f', 'mjpeg', output],
  ];
}

/** @param pictures file of consecutive RGB pictures for a sheet */
function sheetCommand(
  ffmpeg: string,
  pictures: string,
  { columns, rows }: { columns: number; rows: number },
  output: string,
): string[] {
  const { width, height } = PREVIEW;
  return [
    ...[ffmpeg, '-v', 'error', '-y', '-nostdin', '-threads', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24'],
    ...['-video_size', `${width}x${height}`, '-framerate', '1', '-i', pictures],
    ...['-vf', `tile=${columns}x${rows}`, '-frames:v', '1', '-q:v', '6', '-f', 'mjpeg', output],
  ];
}
