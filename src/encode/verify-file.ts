/**
 * Checks whether an encoded file can replace its original: its streams, its length, no gaps that the original does not
 * have, and samples and the end decode without an error.
 */
import { join } from 'node:path';
import { type RunResult, run } from '../ffmpeg/process.ts';
import type { EncodedFileFacts } from '../media/encoded-file.ts';
import { lastWords } from './ffmpeg-lines.ts';

interface VerifyOptions {
  readonly ffmpeg: string;
  readonly path: string;
  /** Expected length, s. */
  readonly length: number;
  readonly hasVideo: boolean;
  readonly sounds: number;
  /** s missing in the original itself. */
  readonly missing: number;
  readonly signal: AbortSignal;
  readonly folder: string;
  /** Command prefix that lowers the priority. */
  readonly background: readonly string[];
}

type Verified =
  /** `lost`: s missing in a track but not in the original. */
  { readonly facts: EncodedFileFacts; readonly lost: number } | { readonly fault: string };

/** Tolerance, s; a picture and a frame of sound are shorter. */
const LENGTH_TOLERANCE = 0.5;
/** Sound may end this much before the picture, s: a broadcast sends it later, so that a cut end has less of it. */
const SOUND_TOLERANCE = 2;
/** s, and share of the length: a file with a larger loss is not used. */
const MAX_LOST = 10;
const MAX_LOST_SHARE = 0.01;
const SAMPLES = 5;
const SAMPLE_SECONDS = 2;
const DECODE_LIMIT_MS = 300_000;

export async function verifyFile(options: VerifyOptions): Promise<Verified> {
  const { path, length, hasVideo, sounds } = options;
  let facts: EncodedFileFacts;
  try {
    const { readEncodedFile } = await import('../media/encoded-file.ts');
    facts = await readEncodedFile(path, options.signal);
  } catch (error) {
    return { fault: `the file cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const { videoEnd, audioEnds } = facts;
  if (hasVideo !== (videoEnd !== null)) return { fault: 'the file has no picture' };
  if (audioEnds.length !== sounds) return { fault: `${audioEnds.length} sounds instead of ${sounds}` };
  const end = videoEnd ?? audioEnds[0] ?? 0;
  if (Math.abs(end - length) > LENGTH_TOLERANCE) {
    return { fault: `${end.toFixed(3)} s long instead of ${length.toFixed(3)} s` };
  }
  for (const [index, audioEnd] of audioEnds.entries()) {
    if (Math.abs(audioEnd - end) > SOUND_TOLERANCE)
      return {
        fault: `sound ${index + 1} ends at ${audioEnd.toFixed(3)} s, the picture at ${end.toFixed(3)} s`,
      };
  }
  const lost = Math.max(0, facts.missing - options.missing);
  if (lost > Math.max(MAX_LOST, length * MAX_LOST_SHARE)) {
    return { fault: `${lost.toFixed(1)} s of it are missing that the original has` };
  }
  const starts = Array.from({ length: SAMPLES }, (_, sample) => (sample / SAMPLES) * end);
  // A short file is decoded completely.
  const isShort = end <= (SAMPLES + 1) * SAMPLE_SECONDS;
  for (const start of isShort ? [0] : [...starts, end - SAMPLE_SECONDS]) {
    const fault = await decodeFault(options, isShort ? undefined : { start, seconds: SAMPLE_SECONDS });
    if (fault !== undefined) return { fault: `at ${start.toFixed(1)} s: ${fault}` };
  }
  return { facts, lost };
}

/**
 * A sample is copied first: a copy begins with a keyframe. A decoder that seeks into a cluster is given the frames
 * before that, and reports errors.
 */
async function decodeFault(
  options: VerifyOptions,
  sample: { start: number; seconds: number } | undefined,
): Promise<string | undefined> {
  const { ffmpeg, path, background, signal, folder } = options;
  const words = [...background, ffmpeg, '-v', 'error', '-xerror', '-nostdin', '-y'];
  const streams = ['-map', '0:V?', '-map', '0:a?'];
  const limit = { timeoutMs: DECODE_LIMIT_MS, signal };
  // Keep timestamps: rounded to a frame rate, two pictures may coincide, which ffmpeg reports as an error.
  const decoding = [...streams, '-vsync', 'passthrough', '-enc_time_base:v', '1:90000', '-f', 'null', '-'];
  const part = join(folder, 'sample.mkv');
  if (sample !== undefined) {
    const { start, seconds } = sample;
    const from = ['-ss', start.toFixed(3), '-i', path, '-t', seconds.toFixed(3)];
    const copied = await run([...words, ...from, ...streams, '-c', 'copy', '-f', 'matroska', part], limit);
    if (copied.code !== 0) return faultOf(copied);
  }
  const decoded = await run([...words, '-i', sample === undefined ? path : part, ...decoding], limit);
  return decoded.code === 0 && decoded.stderr === '' ? undefined : faultOf(decoded);
}

function faultOf({ code, stderr }: RunResult): string {
  return lastWords(stderr) || `ffmpeg ended with ${code}`;
}
