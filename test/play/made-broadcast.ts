/**
 * A small broadcast made by ffmpeg: a programme with a station logo at the upper right, with commercials of
 * 15 s each, and silence between the parts.
 */
import { output } from './made-recording.ts';

interface BroadcastOptions {
  /** Seconds of the programme before and after the commercials. */
  readonly before: number;
  readonly behind: number;
  /** Number of commercials of 15 s. */
  readonly spots: number;
  /** The station has a logo. */
  readonly hasLogo: boolean;
}

/** 29.97 Hz. */
const FRAME = 1001 / 30_000;
/** Frames in 15 s. */
const SPOT_FRAMES = 450;
const SIZE = '320x180';

/** A moving picture of its own for each kind. */
function picture(kind: number, frames: number, hasLogo: boolean): string {
  const source = [
    `gradients=s=${SIZE}:r=30000/1001:speed=0.03:seed=7,noise=alls=25:allf=t`,
    `smptehdbars=s=${SIZE}:r=30000/1001,scroll=h=0.006:v=0.003`,
    `rgbtestsrc=s=${SIZE}:r=30000/1001,scroll=v=0.01,noise=alls=20:allf=t`,
  ][kind];
  const logo = hasLogo
    ? ',drawbox=x=278:y=12:w=26:h=18:color=white@0.5:t=2,drawbox=x=284:y=18:w=14:h=6:color=white@0.5:t=2'
    : '';
  return `${source},trim=end_frame=${frames},setpts=PTS-STARTPTS,format=yuv420p${logo}`;
}

/** A tone of its own for each part, with 0.2 s of silence at its ends. */
function sound(parts: readonly { from: number; to: number }[]): string {
  const tones = parts.map(
    ({ from, to }, index) =>
      `0.2*sin(2*PI*${300 + 170 * index}*t)*between(t,${(from + 0.2).toFixed(3)},${(to - 0.2).toFixed(3)})`,
  );
  return `aevalsrc='${tones.join('+')}':s=48000:c=mono:d=${parts.at(-1)?.to.toFixed(3)}`;
}

/** @returns the stream, and the positions of its commercials, s from its first picture */
export async function madeBroadcast({ before, behind, spots, hasLogo }: BroadcastOptions): Promise<{
  content: Uint8Array;
  commercials: { from: number; to: number };
}> {
  const frames = [
    Math.round(before / FRAME),
    ...new Array<number>(spots).fill(SPOT_FRAMES),
    Math.round(behind / FRAME),
  ];
  let at = 0;
  const parts = frames.map((count) => {
    const from = at;
    at += count * FRAME;
    return { from, to: at };
  });
  const isMain = (index: number): boolean => index === 0 || index === frames.length - 1;
  const films = frames.map(
    (count, index) =>
      `${picture(isMain(index) ? 0 : 1 + (index % 2), count, hasLogo && isMain(index))}[v${index}]`,
  );
  const joined = `${films.map((_, index) => `[v${index}]`).join('')}concat=n=${films.length}:v=1[v]`;
  const content = await output(
    ...['-f', 'lavfi', '-i', sound(parts), '-filter_complex', `${films.join(';')};${joined}`],
    ...['-map', '[v]', '-map', '0:a', '-c:v', 'mpeg2video', '-g', '15', '-bf', '2', '-b:v', '1500k'],
    ...['-c:a', 'aac', '-ac', '2', '-b:a', '64k', '-pat_period', '0.1', '-f', 'mpegts', 'pipe:1'],
  );
  const commercials = { from: parts[1]?.from ?? 0, to: parts.at(-1)?.from ?? 0 };
  return { content, commercials };
}
