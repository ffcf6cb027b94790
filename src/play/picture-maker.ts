/**
 * Makes the pictures of one recording: its poster, and the sheets of previews for seeking. Reads key frames only, one
 * place after the other, and runs ffmpeg with little priority; while `isBusy` says that the machine is wanted it waits,
 * and an ffmpeg under way is ended and begun again later.
 */
import { readFile, rm } from 'node:fs/promises';
import { broadcastMs, type Media90k, media90k, TICKS_PER_SECOND } from '../../arib/time.ts';
import type { Previews } from '../../wire/api.ts';
import { type RunResult, run } from '../ffmpeg/run.ts';
import type { RecordingId } from '../model/ids.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';
import { PREVIEW, posterCommand, SAMPLE, sampleCommand, sheetCommand } from './picture-commands.ts';
import { writeKeyFrames } from './picture-frames.ts';
import { mostTelling, type SmallPicture } from './picture-score.ts';
import type { RecordingCache } from './recording-cache.ts';

/** What is kept of the sheets, as JSON beside them. */
export type StoredPreviews = Omit<Previews, 'sheets'> & {
  sheets: number;
  /** Epoch ms. */
  madeAt: number;
};

export const POSTER_FILE = 'poster.jpg';
export const PREVIEWS_FILE = 'previews.json';

export function sheetFile(sheet: number): string {
  return `previews-${sheet}.jpg`;
}

export interface PictureMakerOptions {
  readonly cache: RecordingCache;
  readonly open: Pick<OpenRecordings, 'open'>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  /** Something that people wait for runs: an encoder of a viewer. */
  readonly isBusy: () => boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Interval in which `isBusy` is asked, ms. */
  readonly pollMs?: number | undefined;
}

/** Of which one is chosen. */
const SAMPLES = 16;
/** Shares of the programme between which samples are taken: behind the opening, before the end. */
const FIRST_SAMPLE = 0.04;
const LAST_SAMPLE = 0.8;
const SHEET = { columns: 10, rows: 10 } as const;
const INTERVAL_MS = 10_000;
/** Of a recording of more than 100 minutes pictures are farther apart. */
const MAX_PREVIEWS = 600;
/** A hundred key frames take some seconds on a slow machine, alone. */
const FFMPEG_LIMIT_MS = 300_000;
const POLL_MS = 250;

export class PictureMaker {
  constructor(private readonly options: PictureMakerOptions) {}

  /**
   * @param onPoster its file is there
   * @returns whether there is any picture; false for what has no video, or none that can be decoded
   * @throws Failure, what reading, writing and ffmpeg fail with, the signal's reason
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
    const stream = await cache.place(id, 'work.ts');
    try {
      if (opened.index.layout.video === null || opened.index.duration <= 0) return false;
      const work: Work = { ffmpeg, id, opened, stream, signal };
      const times = sampleTimes(recording, opened);
      if ((await this.#frames(work, times)) === 0) return false;
      if (await this.#poster(work, times)) onPoster();
      await this.#previews(work);
      return true;
    } finally {
      opened.close();
      await rm(stream, { force: true });
      await cache.remove(id, 'work.raw');
    }
  }

  /** The most telling of the samples that stand in the stream; false when nothing is to be seen in any. */
  async #poster(work: Work, times: readonly Media90k[]): Promise<boolean> {
    const { ffmpeg, id, stream } = work;
    const { cache } = this.options;
    const raw = cache.path(id, 'work.raw');
    await this.#run(sampleCommand(ffmpeg, stream, times.length, raw), work.signal);
    const chosen = times[mostTelling(smallPictures(new Uint8Array(await readFile(raw))))];
    if (chosen === undefined || (await this.#frames(work, [chosen])) === 0) return false;
    await this.#run(posterCommand(ffmpeg, stream, await cache.place(id, POSTER_FILE)), work.signal);
    return true;
  }

  async #previews(work: Work): Promise<void> {
    const { ffmpeg, id, opened, stream, signal } = work;
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
      // A stretch without pictures leaves the whole bar without them: a wrong one would be worse.
      if ((await this.#frames(work, times)) === 0) return;
      const command = sheetCommand(
        ffmpeg,
        stream,
        { ...SHEET, count: onSheet },
        await cache.place(id, sheetFile(sheet)),
      );
      await this.#run(command, signal);
    }
    const stored: StoredPreviews = { ...PREVIEW, ...SHEET, count, intervalMs, sheets, madeAt: now() };
    await cache.write(id, PREVIEWS_FILE, JSON.stringify(stored));
  }

  #frames({ opened, stream, signal }: Work, times: readonly Media90k[]): Promise<number> {
    const { bytes: source, index } = opened;
    return writeKeyFrames(stream, { source, index, times, quiet: () => this.#quiet(signal) });
  }

  /** Resolves when the machine is not wanted. @throws the signal's reason */
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

/** Spread over the programme without its margins, as far as it is known where they are. */
function sampleTimes(
  { startAt, endAt }: Pick<ListedRecording, 'startAt' | 'endAt'>,
  { index }: Pick<OpenRecording, 'index'>,
): Media90k[] {
  const { scale, duration } = index;
  const from = scale.mediaAtBroadcast(broadcastMs(startAt)) ?? media90k(0);
  const to = scale.mediaAtBroadcast(broadcastMs(endAt)) ?? duration;
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
