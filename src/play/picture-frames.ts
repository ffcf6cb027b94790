/** Key frames of a recording at given times, written as a small stream that ffmpeg reads (`key-frame-stream.ts`). */
import { open } from 'node:fs/promises';
import type { Pid } from '../../arib/ids.ts';
import type { Media90k } from '../../arib/time.ts';
import { findEntry } from '../media/entry-search.ts';
import type { ByteSource } from '../media/recording-bytes.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import { continueCounters, keyFrameAt } from './key-frame-stream.ts';

/** An intra picture of 25 Mbit/s with what is sent between; then the largest one that MPEG-2 allows. */
const WINDOWS = [1024 * 1024, 4 * 1024 * 1024] as const;

interface KeyFrame {
  readonly tables: Uint8Array<ArrayBuffer>;
  readonly video: Pid;
  readonly picture: Uint8Array<ArrayBuffer>;
}

async function keyFrame(
  source: ByteSource,
  index: RecordingIndex,
  media: Media90k,
  second: number,
): Promise<KeyFrame | undefined> {
  const entry = await findEntry(source, index, media);
  const video = entry?.layout.video;
  if (entry === undefined || video === undefined || video === null) return undefined;
  for (const length of WINDOWS) {
    const packets = await source.read(entry.at, length);
    const picture = keyFrameAt(packets, video.pid, second);
    if (picture !== undefined) return { tables: entry.tables, video: video.pid, picture };
    if (packets.length < length) break;
  }
  return undefined;
}

export interface KeyFrameOrder {
  readonly source: ByteSource;
  readonly index: RecordingIndex;
  /** In order; the picture of each is stamped with its number in seconds. */
  readonly times: readonly Media90k[];
  /** Resolves when reading may continue; throws when it is to end. */
  readonly quiet: () => Promise<void>;
}

/**
 * @returns how many pictures were written: those of one video PID, that of the first one
 * @throws what reading and writing throw
 */
export async function writeKeyFrames(path: string, order: KeyFrameOrder): Promise<number> {
  const { source, index, times, quiet } = order;
  const file = await open(path, 'w');
  let video: Pid | undefined;
  let count = 0;
  let counter = 0;
  try {
    for (const [second, media] of times.entries()) {
      await quiet();
      const found = await keyFrame(source, index, media, second);
      if (found === undefined) continue;
      if (video === undefined) await file.write(found.tables);
      video ??= found.video;
      // Another PID is another programme's layout: one decoder reads one stream.
      if (found.video !== video) continue;
      counter = continueCounters(found.picture, video, counter);
      await file.write(found.picture);
      count += 1;
    }
  } finally {
    await file.close();
  }
  return count;
}
