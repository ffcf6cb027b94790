/**
 * Key frames of a recording at given times, written as small streams that ffmpeg reads (`key-frame-stream.ts`). A
 * stream has pictures of one size and one PID: ffmpeg's filters do not adapt to changes.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Pid } from '../../lib/arib/ids.ts';
import type { Media90k } from '../../lib/arib/time.ts';
import { findEntry, type RecordingEntry } from '../media/entry-search.ts';
import type { ByteSource } from '../media/recording-bytes.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import { continueCounters, keyFrameAt } from './key-frame-stream.ts';

/** An intra picture of 25 Mbit/s with interleaved packets; then the largest one that MPEG-2 allows. */
const WINDOWS = [1024 * 1024, 4 * 1024 * 1024] as const;

interface KeyFrameOrder {
  readonly source: ByteSource;
  readonly index: RecordingIndex;
  /** Sorted. */
  readonly times: readonly Media90k[];
  /** Resolves when reading may continue; throws if it must end. */
  readonly resumed: () => Promise<void>;
}

/** A written stream: which of the times its first and last picture belong to. */
export interface KeyFrameRun {
  readonly first: number;
  readonly last: number;
}

interface OpenRun {
  readonly key: string;
  readonly file: FileHandle;
  readonly first: number;
  last: number;
  counter: number;
}

/** @param second time stamp of the picture */
async function readPicture(
  source: ByteSource,
  { at }: RecordingEntry,
  video: Pid,
  second: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const length of WINDOWS) {
    const packets = await source.read(at, length);
    const picture = keyFrameAt(packets, video, second);
    if (picture !== undefined) return picture;
    if (packets.length < length) return undefined;
  }
  return undefined;
}

/**
 * Writes one stream after the other to the same file; use each before requesting the next. Its pictures have time
 * stamps of full seconds: the picture of time n is at n - first. Times without a readable picture are left out.
 * @throws errors of reading and writing
 */
export async function* keyFrameRuns(path: string, order: KeyFrameOrder): AsyncGenerator<KeyFrameRun> {
  const { source, index, times, resumed } = order;
  let run: OpenRun | undefined;
  try {
    for (const [number, media] of times.entries()) {
      await resumed();
      const entry = await findEntry(source, index, media);
      const video = entry?.layout.video;
      if (entry === undefined || video === undefined || video === null) continue;
      const key = `${video.pid} ${video.kind} ${entry.format}`;
      const isNew = run === undefined || run.key !== key;
      const first: number = run === undefined || isNew ? number : run.first;
      const picture = await readPicture(source, entry, video.pid, number - first);
      if (picture === undefined) continue;
      if (run !== undefined && isNew) {
        await run.file.close();
        const { first: from, last } = run;
        run = undefined;
        yield { first: from, last };
      }
      if (run === undefined) {
        run = { key, file: await open(path, 'w'), first, last: number, counter: 0 };
        await run.file.write(entry.tables);
      }
      run.counter = continueCounters(picture, video.pid, run.counter);
      run.last = number;
      await run.file.write(picture);
    }
    if (run === undefined) return;
    await run.file.close();
    const { first, last } = run;
    run = undefined;
    yield { first, last };
  } finally {
    await run?.file.close();
  }
}
