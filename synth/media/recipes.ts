/**
 * How the pictures and sounds of a station are made: one loop of video with a frame number, the station's name
 * and a flash, one loop of audio with a beep at the same instants. A recipe is a value; its hash names the
 * file in the cache, so a changed recipe is made anew.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MARK_PERIOD } from '../clock.ts';
import type { AudioPlan, VideoPlan } from '../scenario/model.ts';

/** Raised whenever the same recipe would give other bytes. */
const EDITION = { video: 1, audio: 2 };

export interface VideoRecipe {
  kind: 'video';
  edition: number;
  plan: VideoPlan;
  label: string;
  hue: number;
}

export interface AudioRecipe {
  kind: 'audio';
  edition: number;
  mode: AudioPlan['mode'];
  elements: AudioPlan['elements'];
  beepHz: readonly [number, number];
  bitrate: number;
}

export type Recipe = VideoRecipe | AudioRecipe;

export function videoRecipe(plan: VideoPlan, label: string, hue: number): VideoRecipe {
  return { kind: 'video', edition: EDITION.video, plan, label, hue };
}

export function audioRecipe(plan: AudioPlan): AudioRecipe {
  return {
    kind: 'audio',
    edition: EDITION.audio,
    mode: plan.mode,
    elements: plan.elements,
    beepHz: plan.beepHz,
    bitrate: plan.bitrate,
  };
}

/** 29.97 frames a second. */
export const FRAME_TICKS = 3_003;
/** A loop of video: 240 frames, 8.008 s. */
export const LOOP_FRAMES = 240;
export const VIDEO_PERIOD = LOOP_FRAMES * FRAME_TICKS;
/** Frames from flash to flash. */
export const MARK_FRAMES = MARK_PERIOD / FRAME_TICKS;
export const FLASH_FRAMES = 2;
/** One-segment pictures show every second frame. */
export const PARTIAL_FRAMES = LOOP_FRAMES / 2;
export const PARTIAL_FRAME_TICKS = 2 * FRAME_TICKS;

export const SAMPLE_RATE = 48_000;
export const AUDIO_FRAME_SAMPLES = 1_024;
export const AUDIO_FRAME_TICKS = 1_920;
/** A loop of audio: the shortest that is whole frames and whole beeps; eight loops of video. */
export const LOOP_AUDIO_FRAMES = 3_003;
export const MARK_SAMPLES = (MARK_PERIOD * SAMPLE_RATE) / 90_000;
export const BEEP_MS = 70;

const GROUP_FRAMES = 15;
/** From here on the colours of HD hold, below those of SD. */
const HD_HEIGHT = 720;

const FONT = join(
  import.meta.dir,
  '../../node_modules/@fontsource/kosugi-maru/files/kosugi-maru-japanese-400-normal.woff',
);

/** Text for a filter option inside a filter graph: both levels of ffmpeg's quoting. */
function escapeFilterText(text: string): string {
  return text.replace(/([\\':%])/g, '\\$1').replace(/([\\'[\],;])/g, '\\$1');
}

/** Name and frame number over a dark box, and a ball that crosses the picture; sizes follow the height. */
function textFilters(recipe: VideoRecipe, framesPerNumber: number): string[] {
  if (!existsSync(FONT)) return [];
  const { height } = recipe.plan;
  const size = Math.round(height / 12);
  const font = `drawtext=fontfile=${escapeFilterText(FONT)}:fontcolor=white:fontsize=${size}`;
  const box = `box=1:boxcolor=black@0.6:boxborderw=${Math.round(size / 6)}`;
  const number = `%{eif\\:floor(n/${framesPerNumber})\\:d\\:3}`;
  return [
    `${font}:${box}:x=${size}:y=${size}:text='${escapeFilterText(recipe.label)}'`,
    `${font}:${box}:x=w-tw-${size}:y=h-2*${size}:text='${number}'`,
  ];
}

function flashFilter(mark: number, flash: number): string {
  return `drawbox=color=white:t=fill:enable='lt(mod(n,${mark}),${flash})'`;
}

function sourceArgs({ width, height }: VideoPlan, rate: string): string[] {
  return ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, '-r', rate, '-i', 'pipe:0'];
}

/** Interlaced, top field first, closed groups of 15 with two B pictures between: as terrestrial HD and SD are. */
function mpeg2Args(recipe: VideoRecipe): string[] {
  const { bitrate } = recipe.plan;
  const filters = [
    'loop=loop=-1:size=1',
    `scroll=h=${1 / LOOP_FRAMES}`,
    flashFilter(2 * MARK_FRAMES, 2 * FLASH_FRAMES),
    ...textFilters(recipe, 2),
    'tinterlace=interleave_top',
    'setdar=16/9',
  ];
  const colours = recipe.plan.height >= HD_HEIGHT ? 'bt709' : 'smpte170m';
  const rates = ['-b:v', bitrate, '-minrate', bitrate, '-maxrate', bitrate, '-bufsize', bitrate * 0.45].map(
    String,
  );
  const groups = [
    '-g',
    String(GROUP_FRAMES),
    '-bf',
    '2',
    '-sc_threshold',
    '1000000000',
    '-mpv_flags',
    '+strict_gop',
  ];
  return [
    ...sourceArgs(recipe.plan, '60000/1001'),
    ...['-vf', filters.join(','), '-frames:v', String(LOOP_FRAMES), '-c:v', 'mpeg2video', '-threads', '2'],
    ...rates,
    ...groups,
    ...['-flags', '+ilme+ildct+cgop'],
    ...['-color_primaries', colours, '-color_trc', colours, '-colorspace', colours],
    ...['-f', 'mpeg2video'],
  ];
}

/** One-segment: baseline profile, no reordered pictures, a random access point every two seconds. */
function h264Args(recipe: VideoRecipe): string[] {
  const { bitrate } = recipe.plan;
  const filters = [
    'loop=loop=-1:size=1',
    `scroll=h=${1 / PARTIAL_FRAMES}`,
    flashFilter(MARK_FRAMES / 2, FLASH_FRAMES / 2),
    ...textFilters(recipe, 0.5),
    'setdar=16/9',
  ];
  const rate = bitrate / 1000;
  const x264 = `aud=1:keyint=30:min-keyint=30:scenecut=0:vbv-maxrate=${rate}:vbv-bufsize=${rate * 0.6}:nal-hrd=cbr`;
  return [
    ...sourceArgs(recipe.plan, '15000/1001'),
    ...[
      '-vf',
      filters.join(','),
      '-frames:v',
      String(PARTIAL_FRAMES),
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
    ],
    ...[
      '-profile:v',
      'baseline',
      '-b:v',
      String(bitrate),
      '-x264-params',
      x264,
      '-threads',
      '2',
      '-f',
      'h264',
    ],
  ];
}

export function videoArgs(recipe: VideoRecipe): string[] {
  return recipe.plan.codec === 'mpeg2' ? mpeg2Args(recipe) : h264Args(recipe);
}

/** Coding tools that beeps do not need and that take three quarters of the encoder's time. */
const NO_AUDIO_TOOLS = ['-aac_ms', '0', '-aac_is', '0', '-aac_tns', '0', '-aac_pns', '0'];

/** 16-bit samples by pipe; frames are cut afterwards. With `channel`, that one alone at half the rate. */
export function audioArgs(recipe: AudioRecipe, channel?: 0 | 1): string[] {
  // bitexact keeps out the fill element that names the encoder: frames then begin with their sound.
  const single = channel === undefined ? [] : ['-af', `pan=mono|c0=c${channel}`, '-flags:a', '+bitexact'];
  return [
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:0', ...single],
    ...['-c:a', 'aac', '-profile:a', 'aac_low', '-aac_coder', 'fast', ...NO_AUDIO_TOOLS],
    ...['-b:a', String(channel === undefined ? recipe.bitrate : recipe.bitrate / 2), '-f', 'adts'],
  ];
}

/** What shapes the bytes of a recipe, the same wherever the project lies. */
export function recipeShape(recipe: Recipe): string {
  const args = recipe.kind === 'video' ? videoArgs(recipe) : audioArgs(recipe);
  return JSON.stringify([recipe, args]).replaceAll(escapeFilterText(FONT), 'font');
}
