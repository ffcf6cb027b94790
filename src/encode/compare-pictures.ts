/**
 * Compares the pictures of an encoded file with those of its original: a faulty driver may write pictures that decode
 * without an error and are wrong. Small grey pictures at some positions are compared; they need not be matched one to
 * one, since any picture of the same second is similar enough.
 */
import { join } from 'node:path';
import { media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { run } from '../ffmpeg/process.ts';
import { findEntry } from '../media/entry-search.ts';
import { PLAYBACK_VIDEO } from '../media/playback-remuxer.ts';
import { type CutList, toOriginal } from '../model/recording-time.ts';
import { fitted, type PictureShape } from './encode-command.ts';
import { type EncoderRuntime, RecordingEncode, type RecordingEncodeOptions } from './recording-encode.ts';

interface CompareOptions extends Pick<RecordingEncodeOptions, 'bytes' | 'index'> {
  readonly runtime: EncoderRuntime;
  readonly ffmpeg: string;
  readonly path: string;
  /** Length of the file, ms. */
  readonly length: number;
  readonly cuts: CutList;
  /** Interlacing of all of its pictures; undefined: the same as in the original. */
  readonly shape: PictureShape | undefined;
  /** Folder for small pictures. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const SIZE = { width: 64, height: 36 } as const;
const BYTES = SIZE.width * SIZE.height;
/** Positions as shares of the length. */
const PLACES = [0.08, 0.35, 0.62, 0.9];
/** ms of the file that are compared, and the wider range of the original. */
const COMPARED_MS = 500;
const AROUND_MS = 500;
/** Largest difference (of 255), and in proportion to the picture's own contrast. */
const MOST_APART = 6;
const MOST_APART_SHARE = 0.5;
/**
 * One position may be damaged in the original, where decoders that started at different positions show different
 * pictures.
 */
const WRONG_PLACES = 2;
const RUN_LIMIT_MS = 120_000;

/** English, for the log; undefined: they match, or nothing can be compared. */
export async function pictureFault(options: CompareOptions): Promise<string | undefined> {
  const { length, cuts, signal } = options;
  const wrong: string[] = [];
  let compared = 0;
  for (const place of PLACES) {
    signal.throwIfAborted();
    const at = Math.max(0, Math.min(place * length, length - COMPARED_MS));
    const from = toOriginal(at, cuts);
    // At a join of kept parts the original has other content in between.
    if (toOriginal(Math.min(length, at + COMPARED_MS), cuts) - from > 2 * COMPARED_MS) continue;
    const originals = await originalPictures(options, from);
    const made = originals.length === 0 ? [] : await madePictures(options, at);
    if (made.length === 0) continue;
    compared += 1;
    const strange = made.filter((one) => !originals.some((other) => isAlike(one, other)));
    if (2 * strange.length > made.length) wrong.push((at / 1000).toFixed(1));
  }
  const isWrong = wrong.length > 0 && wrong.length >= Math.min(WRONG_PLACES, compared);
  return isWrong ? `its pictures are not those of the original at ${wrong.join(', ')} s` : undefined;
}

/** Grey pictures of the same size. */
function isAlike(one: Uint8Array, original: Uint8Array): boolean {
  const mean = original.reduce((sum, value) => sum + value, 0) / original.length;
  const spread = original.reduce((sum, value) => sum + Math.abs(value - mean), 0) / original.length;
  const apart = original.reduce((sum, value, at) => sum + Math.abs(value - (one[at] ?? 0)), 0);
  return apart / original.length <= Math.max(MOST_APART, MOST_APART_SHARE * spread);
}

/** One field: pictures of the file may be made from either. */
function smallPictures(shape: PictureShape | undefined): string {
  const { width, height } = SIZE;
  const made = shape === undefined ? [] : fitted(shape);
  return [...made, 'field=top', `scale=${width}:${height}:flags=area`, 'format=gray'].join(',');
}

const RAW = ['-vsync', 'passthrough', '-f', 'rawvideo'];

async function originalPictures(options: CompareOptions, fromMs: number): Promise<Uint8Array[]> {
  const { ffmpeg, runtime, bytes, index, folder, shape, signal } = options;
  const at = media90k((Math.max(0, fromMs - AROUND_MS) / 1000) * TICKS_PER_SECOND);
  const entry = await findEntry(bytes, index, at);
  if (entry === undefined || entry.layout.video === null) return [];
  const path = join(folder, 'original.gray');
  const words = [ffmpeg, '-v', 'error', '-nostdin', '-nostats', '-y', '-progress', 'pipe:1', '-f', 'mpegts'];
  const encode = new RecordingEncode({
    ...runtime,
    ...{ bytes, index, entry, signal, streams: 0 },
    until: media90k(at + ((COMPARED_MS + 2 * AROUND_MS) / 1000) * TICKS_PER_SECOND),
    command: [
      ...[...runtime.background, ...words, '-i', 'pipe:0', '-map', `0:i:${PLAYBACK_VIDEO}`],
      ...['-vf', smallPictures(shape), ...RAW, path],
    ],
  });
  await encode.outcome;
  return picturesIn(path);
}

async function madePictures(options: CompareOptions, atMs: number): Promise<Uint8Array[]> {
  const { ffmpeg, runtime, path, folder, signal } = options;
  const made = join(folder, 'made.gray');
  const command = [
    ...[
      ...runtime.background,
      ffmpeg,
      '-v',
      'error',
      '-nostdin',
      '-y',
      '-ss',
      (atMs / 1000).toFixed(3),
      '-i',
      path,
    ],
    ...['-t', (COMPARED_MS / 1000).toFixed(3), '-map', '0:V', '-vf', smallPictures(undefined), ...RAW, made],
  ];
  await run(command, { timeoutMs: RUN_LIMIT_MS, signal });
  return picturesIn(made);
}

async function picturesIn(path: string): Promise<Uint8Array[]> {
  const file = Bun.file(path);
  if (!(await file.exists())) return [];
  const bytes = await file.bytes();
  await file.delete();
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, number) =>
    bytes.subarray(number * BYTES, (number + 1) * BYTES),
  );
}
