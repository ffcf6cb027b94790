/**
 * A station's logo as an overlay of the picture: a generated glyph, half transparent, with a soft dark edge.
 */
import { Random } from '../random.ts';
import type { VideoPlan } from '../scenario/model.ts';

/** Height of the logo relative to the picture's. */
const HEIGHT_SHARE = 1 / 9;
/** Distance from the upper and the right edge, relative to the picture's height and width. */
const MARGIN = 0.06;
const OPACITY = 0.45;
const EDGE_OPACITY = 0.25;
/** Samples per pixel in each direction. */
const SAMPLES = 3;

interface LogoPlace {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Pixels of the coded picture, all even; the picture is 16:9 whatever its coded size. */
export function logoPlace(plan: VideoPlan): LogoPlace {
  const even = (value: number): number => 2 * Math.round(value / 2);
  const height = even(plan.height * HEIGHT_SHARE);
  const width = even((height * plan.width * 9) / (plan.height * 16));
  return {
    x: even(plan.width * (1 - MARGIN) - width),
    y: even(plan.height * MARGIN),
    width,
    height,
  };
}

/** Whether the glyph covers a point; coordinates from -1 to 1. */
type Glyph = (x: number, y: number) => boolean;

/** A ring around hills and a star, whose orientation depends on the station. */
function glyphOf(name: string): Glyph {
  const random = new Random('logo', name);
  const rays = 3 + random.below(5);
  const turn = random.next() * Math.PI;
  const hill = 0.25 + 0.3 * random.next();
  return (x, y) => {
    const radius = Math.sqrt(x * x + y * y);
    if (radius > 0.95) return false;
    if (radius > 0.78) return true;
    if (y > 0.15 + hill * Math.cos(3 * x + turn)) return true;
    const up = y + 0.25;
    const far = Math.sqrt(x * x + up * up);
    // Beyond the longest ray.
    if (far >= 0.34) return false;
    return far < 0.16 + 0.18 * Math.cos(rays * (Math.atan2(up, x) + turn));
  };
}

/** Width of the soft edge. */
const EDGE = 0.06;
const AROUND = [-EDGE, 0, EDGE];
const NEIGHBOURS = AROUND.flatMap((dx) => AROUND.map((dy) => [dx, dy] as const)).filter(
  ([dx, dy]) => dx !== 0 || dy !== 0,
);

/** Fractions of a pixel covered by the glyph, and by the glyph or its edge. */
function coverage(glyph: Glyph, place: LogoPlace, column: number, row: number): [number, number] {
  let inside = 0;
  let grown = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = (2 * (column + ((i % SAMPLES) + 0.5) / SAMPLES)) / place.width - 1;
    const y = (2 * (row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES)) / place.height - 1;
    if (glyph(x, y)) inside += 1;
    else if (NEIGHBOURS.some(([dx, dy]) => glyph(x + dx, y + dy))) grown += 1;
  }
  const all = SAMPLES * SAMPLES;
  return [inside / all, (inside + grown) / all];
}

const drawn = new Map<string, Uint8Array>();
/** Size of the cache: the logos of a channel's stations. */
const MAX_DRAWN = 8;

/**
 * A PAM file of grey and opacity; cached, because every tuning needs those of its stations several times to
 * name its films.
 */
export function drawLogo(plan: VideoPlan, name: string): Uint8Array {
  const key = `${plan.width}x${plan.height} ${name}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const made = draw(logoPlace(plan), name);
  if (drawn.size >= MAX_DRAWN) drawn.clear();
  drawn.set(key, made);
  return made;
}

function draw(place: LogoPlace, name: string): Uint8Array {
  const { width, height } = place;
  const glyph = glyphOf(name);
  const head = `P7\nWIDTH ${width}\nHEIGHT ${height}\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n`;
  const bytes = new Uint8Array(head.length + 2 * width * height);
  bytes.set(new TextEncoder().encode(head));
  let at = head.length;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const [inside, grown] = coverage(glyph, place, column, row);
      const edge = grown - inside;
      const opacity = OPACITY * inside + EDGE_OPACITY * edge;
      bytes[at] =
        opacity === 0 ? 0 : Math.round((235 * OPACITY * inside + 16 * EDGE_OPACITY * edge) / opacity);
      bytes[at + 1] = Math.round(255 * opacity);
      at += 2;
    }
  }
  return bytes;
}
