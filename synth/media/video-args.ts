/**
 * ffmpeg's arguments for a film. The input is one wide picture, which filters move, mark and label; the logo
 * is a second picture with transparency.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VideoPlan } from '../scenario/model.ts';
import { drawLogo, logoPlace } from './logo.ts';
import {
  FLASH_FRAMES,
  filmFrames,
  GROUP_FRAMES,
  MARK_FRAMES,
  PARTIAL_FRAMES,
  PARTIAL_GROUP_FRAMES,
  type VideoRecipe,
} from './recipes.ts';

/** Minimum height of HD, with its colour matrix; smaller pictures use that of SD. */
const HD_HEIGHT = 720;

const FONT = join(
  import.meta.dir,
  '../../node_modules/@fontsource/kosugi-maru/files/kosugi-maru-japanese-400-normal.woff',
);

/** Text for a filter option inside a filter graph: both levels of ffmpeg's quoting. */
function escapeFilterText(text: string): string {
  return text.replace(/([\\':%])/g, '\\$1').replace(/([\\'[\],;])/g, '\\$1');
}

/** The path of the font in the arguments, the only part that differs between machines. */
export const FONT_WORD = escapeFilterText(FONT);

/** A film before it is coded: the rate of its pictures, and how its frames are made from them. */
interface Shooting {
  rate: string;
  /** Pictures shot for one frame. */
  perFrame: number;
  /** Filters that make frames of the pictures. */
  framing: string[];
}

const SHOOTINGS: Record<'fields' | 'film' | 'partial', Shooting> = {
  fields: { rate: '60000/1001', perFrame: 2, framing: ['tinterlace=interleave_top'] },
  // Hard telecine: every field is coded, including repeated ones, as in a stream that is interlaced
  // throughout.
  film: {
    rate: '24000/1001',
    perFrame: 4 / 5,
    framing: ['telecine=first_field=top:pattern=23', 'setfield=tff'],
  },
  partial: { rate: '15000/1001', perFrame: 1 / 2, framing: [] },
};

function shootingOf({ plan, cadence }: VideoRecipe): Shooting {
  if (plan.codec === 'h264') return SHOOTINGS.partial;
  return cadence === 'film' ? SHOOTINGS.film : SHOOTINGS.fields;
}

/** Pictures shot for a whole loop. */
function shotPictures(recipe: VideoRecipe): number {
  return filmFrames(recipe) * shootingOf(recipe).perFrame;
}

/** Direction and speed of each commercial, in widths and heights per loop; and its second shot. */
const COMMERCIAL_SHOTS = [
  { across: 3, down: 0, second: 'negate' },
  { across: 0, down: 2, second: 'hflip' },
  { across: -4, down: 0, second: 'vflip' },
  { across: 2, down: -2, second: 'negate' },
  { across: -2, down: 1, second: 'vflip' },
  { across: 5, down: 3, second: 'hflip' },
] as const;

function motion(recipe: VideoRecipe): string[] {
  const pictures = shotPictures(recipe);
  switch (recipe.film) {
    case 'main':
      return [`scroll=h=${1 / pictures}`];
    case 'commercial': {
      const shot = COMMERCIAL_SHOTS[recipe.number % COMMERCIAL_SHOTS.length] ?? COMMERCIAL_SHOTS[0];
      return [
        `scroll=h=${shot.across / pictures}:v=${shot.down / pictures}`,
        `${shot.second}=enable='gte(n,${pictures / 2})'`,
      ];
    }
    case 'announcement':
      return [`scroll=v=${1 / pictures}`];
    default:
      return [];
  }
}

/** White at the marks. */
function flash(recipe: VideoRecipe): string[] {
  if (recipe.film !== 'main') return [];
  const { perFrame } = shootingOf(recipe);
  const bright = Math.ceil(FLASH_FRAMES * perFrame);
  return [`drawbox=color=white:t=fill:enable='lt(mod(n,${MARK_FRAMES * perFrame}),${bright})'`];
}

/**
 * A programme shows its station's name and a frame number over a dark box, other films their name in the
 * middle.
 */
function texts(recipe: VideoRecipe): string[] {
  if (!existsSync(FONT) || recipe.label === '') return [];
  const { height, width } = recipe.plan;
  const draw = (size: number): string =>
    `drawtext=fontfile=${FONT_WORD}:fontcolor=white:fontsize=${size}:box=1:boxcolor=black@0.6:boxborderw=${Math.round(size / 6)}`;
  const label = escapeFilterText(recipe.label);
  if (recipe.film !== 'main') {
    const size = Math.round(Math.min(height / 5, (0.8 * width) / recipe.label.length));
    return [`${draw(size)}:x=(w-tw)/2:y=(h-th)/2:text='${label}'`];
  }
  const size = Math.round(height / 12);
  const number = `%{eif\\:floor(n/${shootingOf(recipe).perFrame})\\:d\\:3}`;
  return [
    `${draw(size)}:x=${size}:y=${size}:text='${label}'`,
    `${draw(size)}:x=w-tw-${size}:y=h-2*${size}:text='${number}'`,
  ];
}

/** Scaled to three quarters, at the lower right. */
function frame({ framed, plan: { width, height } }: VideoRecipe): string[] {
  if (framed !== true) return [];
  const even = (value: number): number => 2 * Math.round(value / 2);
  const [w, h] = [even(0.75 * width), even(0.75 * height)];
  return [`scale=${w}:${h}`, `pad=${width}:${height}:${width - w}:${height - h}:color=0x205080`];
}

/** From the picture on the first input and the logo on the second to frames. */
function graph(recipe: VideoRecipe): string {
  const { framing } = shootingOf(recipe);
  const shot = [
    'loop=loop=-1:size=1',
    ...motion(recipe),
    ...flash(recipe),
    ...texts(recipe),
    ...frame(recipe),
  ].join(',');
  const made = [...framing, `setdar=${recipe.plan.aspect === '4:3' ? '4/3' : '16/9'}`, 'format=yuv420p'].join(
    ',',
  );
  if (recipe.logo === null) return `[0:v]${shot},${made}[v]`;
  const { x, y } = logoPlace(recipe.plan);
  return `[0:v]${shot}[shot];[shot][1:v]overlay=x=${x}:y=${y},${made}[v]`;
}

function inputs(recipe: VideoRecipe): string[] {
  const { width, height } = recipe.plan;
  const { rate } = shootingOf(recipe);
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    '-s',
    `${width}x${height}`,
    '-r',
    rate,
    '-i',
    'pipe:0',
  ];
  if (recipe.logo === null) return picture;
  const logo = Buffer.from(drawLogo(recipe.plan, recipe.logo)).toString('base64');
  return [...picture, '-f', 'image2pipe', '-c:v', 'pam', '-r', rate, '-i', `data:image/pam;base64,${logo}`];
}

/** Seconds of stream in the rate control's buffer: groups of pictures become similar in size. */
const BUFFER_SECONDS = 0.3;

/**
 * Interlaced, top field first, closed groups of 15 with two B pictures between, like terrestrial HD and SD.
 */
function mpeg2Args(recipe: VideoRecipe): string[] {
  const { bitrate, height } = recipe.plan;
  const isHd = height >= HD_HEIGHT;
  const colours = isHd ? 'bt709' : 'smpte170m';
  // Not in HD: searching motion in each field takes half of the encoder's time, for 0.2 to 2 dB above 40 dB.
  const fieldMotion = isHd ? '' : '+ilme';
  const buffer = String(Math.round(bitrate * BUFFER_SECONDS));
  const rate = String(bitrate);
  return [
    ...['-c:v', 'mpeg2video', '-threads', '2'],
    ...['-b:v', rate, '-minrate', rate, '-maxrate', rate, '-bufsize', buffer],
    ...['-g', String(GROUP_FRAMES), '-bf', '2', '-sc_threshold', '1000000000', '-mpv_flags', '+strict_gop'],
    ...['-flags', `${fieldMotion}+ildct+cgop`],
    ...['-color_primaries', colours, '-color_trc', colours, '-colorspace', colours],
    ...['-f', 'mpeg2video'],
  ];
}

/** One-segment: baseline profile, no reordered pictures, a random access point every two seconds. */
function h264Args({ plan }: VideoRecipe): string[] {
  const rate = plan.bitrate / 1000;
  const group = `keyint=${PARTIAL_GROUP_FRAMES}:min-keyint=${PARTIAL_GROUP_FRAMES}:scenecut=0`;
  const x264 = `aud=1:${group}:vbv-maxrate=${rate}:vbv-bufsize=${rate * 0.6}:nal-hrd=cbr`;
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'baseline', '-b:v', String(plan.bitrate)],
    ...['-x264-params', x264, '-threads', '2', '-f', 'h264'],
  ];
}

export function videoArgs(recipe: VideoRecipe): string[] {
  const { codec }: VideoPlan = recipe.plan;
  const frames = codec === 'h264' ? PARTIAL_FRAMES : filmFrames(recipe);
  return [
    ...inputs(recipe),
    ...['-filter_complex', graph(recipe), '-map', '[v]', '-frames:v', String(frames)],
    ...(codec === 'h264' ? h264Args(recipe) : mpeg2Args(recipe)),
  ];
}
