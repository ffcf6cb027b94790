/**
 * ffmpeg's arguments for a film. The input is one tall picture of all backgrounds and objects, which filters
 * compose, move, mark and label; the logo is a second picture with transparency.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VideoPlan } from '../scenario/model.ts';
import { filmRows, filmShots, HD_HEIGHT, type Layer, type Shot, type SpriteLayer } from './draw-film.ts';
import { drawLogo, logoPlace } from './logo.ts';
import {
  FLASH_FRAMES,
  FLASH_SHARE,
  filmFrames,
  GROUP_FRAMES,
  MARK_FRAMES,
  PARTIAL_FRAMES,
  PARTIAL_GROUP_FRAMES,
  type VideoRecipe,
} from './recipes.ts';
import { HIGH, WIDE } from './scene/canvas.ts';

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

/** Text of a given height over a dark box, or without it. */
function drawText(text: string, size: number, colour: string, place: string): string {
  return `drawtext=fontfile=${FONT_WORD}:fontcolor=${colour}:fontsize=${size}:${place}:text='${text}'`;
}

function boxed(size: number): string {
  return `box=1:boxcolor=black@0.6:boxborderw=${Math.round(size / 6)}`;
}

const hasFont = existsSync(FONT);

/** The texts on an object, whose place in the picture is that of its layer. */
function spriteTexts({ sprite: { texts = [] }, layer }: SpriteLayer, { width, height }: VideoPlan): string[] {
  if (!hasFont) return [];
  // Letters are as wide as high in pixels, which a screen widens: of their usual width, they are less high.
  const squeeze = Math.min(1, (width * HIGH) / (height * WIDE));
  return texts.map(({ text, x, y, size, colour, centred }) => {
    const left = Math.round((x * width) / WIDE) - layer.x;
    const top = Math.round(((y + (size * (1 - squeeze)) / 2) * height) / HIGH) - layer.y;
    const hex = `0x${colour.toString(16).padStart(6, '0')}`;
    const place = `x=${centred === true ? `${left}-tw/2` : left}:y=${top}`;
    return drawText(escapeFilterText(text), Math.round((size * squeeze * height) / HIGH), hex, place);
  });
}

/** Pictures in which the background of a scene passes by its pan. */
const PAN_FRAMES = 240;

/** One shot: its background passes by, its objects move before it. `index` names its streams. */
function shotGraph(
  recipe: VideoRecipe,
  { scene, frames, background, sprites }: Shot,
  index: number,
): string[] {
  const { perFrame } = shootingOf(recipe);
  const { plan } = recipe;
  const [wide, high] = [plan.width / WIDE, plan.height / HIGH];
  const layer = ({ row, width, height }: Layer): string => `crop=${width}:${height}:0:${row}`;
  const speed = (scene.pan / (PAN_FRAMES * perFrame)).toFixed(7);
  const pass = scene.pan === 0 ? '' : `,scroll=h=${speed}`;
  const back = `[p${index}]${layer(background)},format=yuv420p,loop=loop=${frames * perFrame - 1}:size=1${pass}`;
  let last = `s${index}`;
  const lines = [`${back}[${last}]`];
  for (const [number, one] of sprites.entries()) {
    const { x, y } = one.layer;
    const { sway = { x: 0, y: 0, seconds: 1 } } = one.sprite;
    const turn = `2*PI*n/${(30 * perFrame * sway.seconds).toFixed(2)}`;
    const left = `x='${x}+${(sway.x * wide).toFixed(1)}*sin(${turn})'`;
    const top = `y='${y}+${(sway.y * high).toFixed(1)}*cos(${turn})'`;
    const name = `${index}_${number}`;
    lines.push(
      `[p${name}]${[layer(one.layer), ...spriteTexts(one, plan)].join(',')}[o${name}]`,
      `[${last}][o${name}]overlay=${left}:${top}[s${name}]`,
    );
    last = `s${name}`;
  }
  return [...lines, `[${last}]null[shot${index}]`];
}

/** The shots one after the other, of the tall picture on the first input. */
function shotsGraph(recipe: VideoRecipe, shots: readonly Shot[]): string {
  const pads = shots.flatMap(({ sprites }, index) => [
    `[p${index}]`,
    ...sprites.map((_, number) => `[p${index}_${number}]`),
  ]);
  const joined = shots.map((_, index) => `[shot${index}]`).join('');
  const { rate } = shootingOf(recipe);
  return [
    `[0:v]split=${pads.length}${pads.join('')}`,
    ...shots.flatMap((shot, index) => shotGraph(recipe, shot, index)),
    `${joined}concat=n=${shots.length},settb=1/(${rate}),setpts=N[film]`,
  ].join(';');
}

/** The box of the marks: white at a flash, otherwise dark with the number of the frame. */
function flash(recipe: VideoRecipe): string[] {
  if (recipe.film !== 'main') return [];
  const { perFrame } = shootingOf(recipe);
  const { width, height } = recipe.plan;
  const bright = Math.ceil(FLASH_FRAMES * perFrame);
  const since = `mod(n,${MARK_FRAMES * perFrame})`;
  const even = (value: number): number => 2 * Math.round(value / 2);
  const [w, h] = [even(width * FLASH_SHARE.width), even(height * FLASH_SHARE.height)];
  const box = `drawbox=x=${width - w}:y=${height - h}:w=${w}:h=${h}:t=fill`;
  const number = `%{eif\\:floor(n/${perFrame})\\:d\\:3}`;
  const place = `x=${width - w}+(${w}-tw)/2:y=${height - h}+(${h}-th)/2:enable='gte(${since},${bright})'`;
  return [
    `${box}:color=0x101c30`,
    `${box}:color=white:enable='lt(${since},${bright})'`,
    ...(hasFont ? [drawText(number, Math.round(h / 2.4), '0xb0b8c8', place)] : []),
  ];
}

/** A programme shows its station's name at the upper left; cards show theirs in the middle. */
function texts(recipe: VideoRecipe): string[] {
  const { film, plan } = recipe;
  if (!hasFont || recipe.label === '' || film === 'commercial' || film === 'announcement') return [];
  const { height, width } = plan;
  const label = escapeFilterText(recipe.label);
  if (film === 'main') {
    const size = Math.round(height / 18);
    return [drawText(label, size, 'white', `${boxed(size)}:x=${size}:y=${size}`)];
  }
  const size = Math.round(Math.min(height / 5, (0.8 * width) / recipe.label.length));
  return [drawText(label, size, 'white', `${boxed(size)}:x=(w-tw)/2:y=(h-th)/2`)];
}

/** Scaled to three quarters, at the lower right. */
function frame({ framed, plan: { width, height } }: VideoRecipe): string[] {
  if (framed !== true) return [];
  const even = (value: number): number => 2 * Math.round(value / 2);
  const [w, h] = [even(0.75 * width), even(0.75 * height)];
  return [`scale=${w}:${h}`, `pad=${width}:${height}:${width - w}:${height - h}:color=0x205080`];
}

/** From the tall picture on the first input and the logo on the second to frames. */
function graph(recipe: VideoRecipe): string {
  const { framing } = shootingOf(recipe);
  const shots = shotsGraph(recipe, filmShots(recipe));
  const shot = [...flash(recipe), ...texts(recipe), ...frame(recipe), 'null'].join(',');
  const made = [...framing, `setdar=${recipe.plan.aspect === '4:3' ? '4/3' : '16/9'}`, 'format=yuv420p'].join(
    ',',
  );
  if (recipe.logo === null) return `${shots};[film]${shot},${made}[v]`;
  const { x, y } = logoPlace(recipe.plan);
  return `${shots};[film]${shot}[shot];[shot][1:v]overlay=x=${x}:y=${y},${made}[v]`;
}

function inputs(recipe: VideoRecipe): string[] {
  const { width } = recipe.plan;
  const { rate } = shootingOf(recipe);
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuva420p',
    '-s',
    `${width}x${filmRows(filmShots(recipe))}`,
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
