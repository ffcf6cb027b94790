/**
 * Whether an encoded file can take the place of its original: its streams, its length, that nothing is missing in between
 * which the original has, and that ffmpeg decodes samples of it and its end without a complaint.
 */
import { run } from '../ffmpeg/run.ts';
import { type EncodedFileFacts, readEncodedFile } from '../media/encoded-file.ts';

interface VerifyOptions {
  readonly ffmpeg: string;
  readonly path: string;
  /** s that it should have. */
  readonly length: number;
  readonly hasVideo: boolean;
  readonly sounds: number;
  /** s that the original itself lacks. */
  readonly missing: number;
  readonly signal: AbortSignal;
  /** Words before a command that lower its priority. */
  readonly background: readonly string[];
}

type Verified =
  /** `lost`: s that a track lacks and the original does not. */
  { readonly facts: EncodedFileFacts; readonly lost: number } | { readonly fault: string };

/** s; a picture and a frame of sound are less. */
const LENGTH_TOLERANCE = 0.5;
/** Sound may end this much before its picture, s: a broadcast sends it later, so that a cut end has less of it. */
const SOUND_TOLERANCE = 2;
/** s, and share of the length: a file that lacks more is not used. */
const MAX_LOST = 10;
const MAX_LOST_SHARE = 0.01;
const SAMPLES = 5;
const SAMPLE_SECONDS = 2;
const DECODE_LIMIT_MS = 300_000;

export async function verifyFile(options: VerifyOptions): Promise<Verified> {
  const { path, length, hasVideo, sounds } = options;
  let facts: EncodedFileFacts;
  try {
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
  // A short file is decoded as a whole.
  const isShort = end <= (SAMPLES + 1) * SAMPLE_SECONDS;
  for (const start of isShort ? [0] : [...starts, end - SAMPLE_SECONDS]) {
    const fault = await decodeFault(options, start, isShort ? end + 1 : SAMPLE_SECONDS);
    if (fault !== undefined) return { fault: `at ${start.toFixed(1)} s: ${fault}` };
  }
  return { facts, lost };
}

async function decodeFault(
  { ffmpeg, path, background, signal }: VerifyOptions,
  start: number,
  seconds: number,
): Promise<string | undefined> {
  const command = [
    ...[...background, ffmpeg, '-v', 'error', '-xerror', '-nostdin', '-ss', start.toFixed(3), '-i', path],
    ...['-t', seconds.toFixed(3), '-map', '0:V?', '-map', '0:a?', '-f', 'null', '-'],
  ];
  const { code, stderr } = await run(command, { timeoutMs: DECODE_LIMIT_MS, signal });
  return code === 0 && stderr === '' ? undefined : stderr.slice(-500) || `ffmpeg ended with ${code}`;
}
