/**
 * Small recordings made by ffmpeg: black with silence, except for a white flash with a beep at a known
 * second, by which a test measures the position of picture and sound.
 */
interface MadeOptions {
  readonly seconds: number;
  /** s from the start at which flash and beep begin; both last 0.2 s. */
  readonly flashAt: number;
  /** Time stamp of the first picture, s. */
  readonly clock: number;
  readonly size?: string;
  readonly aspect?: string;
  readonly channels?: 1 | 2 | 6;
  /** The streams use this PID and the following ones; default: 0x100. */
  readonly firstPid?: number;
  readonly only?: 'video' | 'audio';
  readonly codec?: 'mpeg2video' | 'libx264';
}

export const FFMPEG = Bun.which('ffmpeg') ?? 'ffmpeg';
const made = new Map<string, Promise<Uint8Array>>();

export async function output(...words: string[]): Promise<Uint8Array> {
  return outputOf(new Uint8Array(0), ...words);
}

/** Output of ffmpeg for these bytes on standard input. */
export async function outputOf(input: Uint8Array, ...words: string[]): Promise<Uint8Array> {
  const child = Bun.spawn([FFMPEG, '-v', 'error', ...words], {
    stdin: input,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [bytes, errors, code] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(errors);
  return bytes;
}

export function madeStream(options: MadeOptions): Promise<Uint8Array> {
  const key = JSON.stringify(options);
  const known = made.get(key) ?? make(options);
  made.set(key, known);
  return known;
}

function make(options: MadeOptions): Promise<Uint8Array> {
  const {
    seconds,
    flashAt,
    clock,
    size = '320x180',
    aspect = '16:9',
    channels = 2,
    firstPid = 256,
  } = options;
  const { only, codec = 'mpeg2video' } = options;
  const during = `between(t\\,${flashAt}\\,${flashAt + 0.2})`;
  const tone = `0.8*sin(6283*t)*${during}`;
  const layout = { 1: 'mono', 2: 'stereo', 6: '5.1' }[channels];
  const picture = [
    ...['-f', 'lavfi', '-i', `color=black:s=${size}:r=30000/1001:d=${seconds}`],
    ...['-vf', `drawbox=enable='${during}':color=white:t=fill,setdar=${aspect.replace(':', '/')}`],
    ...[
      '-c:v',
      codec,
      '-g',
      '15',
      ...(codec === 'libx264' ? ['-preset', 'ultrafast'] : ['-bf', '2', '-b:v', '1M']),
    ],
  ];
  const expressions = new Array(channels).fill(tone).join('|');
  const sound = [
    ...['-f', 'lavfi', '-i', `aevalsrc='${expressions}':s=48000:c=${layout}:d=${seconds}`],
    ...['-c:a', 'aac', '-b:a', '64k'],
  ];
  const inputs = [
    ...(only === 'audio' ? [] : picture.slice(0, 4)),
    ...(only === 'video' ? [] : sound.slice(0, 4)),
  ];
  const codecs = [...(only === 'audio' ? [] : picture.slice(4)), ...(only === 'video' ? [] : sound.slice(4))];
  // ffmpeg's multiplexer delays its time stamps by 1.4 s.
  const muxer = ['-output_ts_offset', String(clock - 1.4), '-mpegts_start_pid', String(firstPid)];
  return output(...inputs, ...codecs, ...muxer, '-pat_period', '0.1', '-f', 'mpegts', 'pipe:1');
}

export interface Played {
  /** Times of the first and last picture and sound packet, s. */
  readonly video: readonly [number, number] | undefined;
  readonly audio: readonly [number, number] | undefined;
  /** s at which flashes begin. */
  readonly flashes: readonly number[];
  readonly beeps: readonly number[];
  /** Longest distance between two pictures, s. */
  readonly longestPicture: number;
  readonly size: string;
}

interface Probed {
  /** s, in order. */
  readonly video: number[];
  readonly audio: number[];
  readonly size: string;
}

async function probed(bytes: Uint8Array): Promise<Probed> {
  const probe = Bun.which('ffprobe') ?? 'ffprobe';
  const entries = 'packet=codec_type,pts_time:stream=codec_type,width,height';
  const child = Bun.spawn([probe, '-v', 'error', '-show_entries', entries, '-of', 'json', '-'], {
    stdin: bytes,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const probed = (await new Response(child.stdout).json()) as {
    packets?: { codec_type: string; pts_time?: string }[];
    streams?: { codec_type: string; width?: number; height?: number }[];
  };
  const times = (kind: string): number[] =>
    (probed.packets ?? [])
      .filter(({ codec_type }) => codec_type === kind)
      .map(({ pts_time }) => Number(pts_time))
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
  const picture = probed.streams?.find(({ codec_type }) => codec_type === 'video');
  const size = picture === undefined ? '' : `${picture.width}x${picture.height}`;
  return { video: times('video'), audio: times('audio'), size };
}

/** Indexes at which a run of true begins. */
function begins(list: readonly boolean[]): number[] {
  return list.flatMap((is, index) => (is && list[index - 1] !== true ? [index] : []));
}

/** Cells of a picture of 8 by 8. */
const CENTRE = 36;
/** Where the synthetic broadcast flashes. */
export const LOWER_RIGHT = 63;

/** How a player presents a stream. @param cell of the picture that is white during a flash */
export async function played(bytes: Uint8Array, cell = CENTRE): Promise<Played> {
  const { video, audio, size } = await probed(bytes);
  const rate = 8_000;
  const pictures =
    video.length === 0
      ? new Uint8Array(0)
      : await outputOf(
          bytes,
          ...['-copyts', '-i', '-', '-an', '-vf', 'scale=8:8,format=gray', '-vsync', 'passthrough'],
          ...['-f', 'rawvideo', '-'],
        );
  const samples =
    audio.length === 0
      ? new Uint8Array(0)
      : await outputOf(
          bytes,
          ...['-copyts', '-i', '-', '-vn', '-ac', '1', '-ar', String(rate), '-f', 's16le', '-'],
        );
  const bright = video.map((_, index) => (pictures[index * 64 + cell] ?? 0) > 128);
  const wave = new Int16Array(samples.buffer, 0, samples.length >> 1);
  // Windows of 10 ms.
  const loud = Array.from({ length: Math.floor(wave.length / 80) }, (_, index) =>
    wave.subarray(index * 80, index * 80 + 80).some((value) => Math.abs(value) > 5_000),
  );
  const ends = (list: readonly number[]): readonly [number, number] | undefined =>
    list.length === 0 ? undefined : [list[0] ?? 0, list.at(-1) ?? 0];
  const steps = video.slice(1).map((time, index) => time - (video[index] ?? 0));
  return {
    video: ends(video),
    audio: ends(audio),
    flashes: begins(bright).map((index) => video[index] ?? 0),
    beeps: begins(loud).map((index) => (audio[0] ?? 0) + index / 100),
    longestPicture: Math.max(0, ...steps),
    size,
  };
}
