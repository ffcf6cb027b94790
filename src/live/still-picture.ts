/**
 * One received intra picture as a small JPEG, in memory only: ffmpeg at the lowest priority, with one thread, bounded
 * in time and output.
 */

import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { within } from '../../lib/host/deadline.ts';
import { FfmpegProcess, lowerPriority } from '../ffmpeg/process.ts';
import type { IntraPicture } from '../reception/still-reader.ts';

/** Some 20 KB; a picture of noise is the largest. */
export const MAX_STILL_BYTES = 96 * 1024;
/** A starved machine needs seconds for what takes a tenth of one. */
const LIMIT_MS = 15_000;
const WIDTH = 480;
const HEIGHT = 270;
const QUALITY = '6';

const DEMUXERS = { mpeg2: 'mpegvideo', h264: 'h264', hevc: 'hevc' } as const;

/**
 * Other aspect ratios than 16:9 get bars. Reduced to a quarter, the two fields of an interlaced picture are one line.
 */
function command(ffmpeg: string, kind: IntraPicture['kind']): string[] {
  const width = `min(${WIDTH},trunc(${HEIGHT}*dar/2)*2)`;
  const height = `min(${HEIGHT},trunc(${WIDTH}/dar/2)*2)`;
  const pad = `pad=${WIDTH}:${HEIGHT}:(ow-iw)/2:(oh-ih)/2`;
  return [
    ...[ffmpeg, '-v', 'error', '-nostdin', '-threads', '1', '-skip_frame', 'nokey'],
    ...['-f', DEMUXERS[kind], '-i', 'pipe:0', '-map', '0:v:0', '-filter_threads', '1'],
    ...['-vf', `scale=w='${width}':h='${height}':flags=area,setsar=1,${pad}`],
    ...['-frames:v', '1', '-threads', '1', '-q:v', QUALITY, '-f', 'mjpeg', 'pipe:1'],
  ];
}

/** Undefined if it cannot be decoded, or the picture is too large. @throws Error if ffmpeg cannot be started */
export async function stillOf(
  ffmpeg: string,
  { kind, bytes }: IntraPicture,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (signal.aborted) return undefined;
  const child = new FfmpegProcess(command(ffmpeg, kind), bytes.length);
  lowerPriority(child.pid);
  const stop = (): void => void child.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    child.write(bytes);
    child.finish();
    return await within(LIMIT_MS, outputOf(child), () => undefined);
  } finally {
    signal.removeEventListener('abort', stop);
    await child.stop();
  }
}

async function outputOf(child: FfmpegProcess): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of child.output) {
    size += part.length;
    if (size > MAX_STILL_BYTES) return undefined;
    parts.push(part);
  }
  const { code } = await child.ended;
  return code === 0 && size > 0 ? joinBytes(parts) : undefined;
}
