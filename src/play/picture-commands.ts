/** The ffmpeg commands that make pictures of a stream of key frames (`key-frame-stream.ts`), one per second of stamps. */

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Size in a list: 16:9; other aspect ratios get bars. */
const POSTER: PictureSize = { width: 640, height: 360 };
/** On a sheet, for seeking. */
export const PREVIEW: PictureSize = { width: 160, height: 90 };
/** Size of samples, of which the best is chosen. */
export const SAMPLE: PictureSize = { width: 64, height: 36 };

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

export function posterCommand(ffmpeg: string, path: string, output: string): string[] {
  return [
    ...input(ffmpeg, path),
    ...['-vf', `yadif=deint=interlaced,${fit(POSTER)}`, '-frames:v', '1', '-q:v', '4', '-f', 'mjpeg', output],
  ];
}

/** @param pictures file of consecutive RGB pictures for a sheet */
export function sheetCommand(
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
