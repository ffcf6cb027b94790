/** A station's logo as it stands in the picture: an invented glyph, half transparent, with a soft dark edge. */
import { Random } from '../random.ts';
import type { VideoPlan } from '../scenario/model.ts';

/** Heights of the logo in the picture's height. */
const HEIGHT_SHARE = 1 / 9;
/** Distance from the upper and the right edge, of the picture's height and width. */
const MARGIN = 0.06;
const OPACITY = 0.45;
const EDGE_OPACITY = 0.25;
/** Samples of a pixel in each direction. */
const SAMPLES = 3;

export interface LogoPlace {
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

/** True where the glyph covers: points from -1 to 1. */
type Glyph = (x: number, y: number) => boolean;

/** A ring round hills and a star, which way they stand is the station's own. */
function glyphOf(name: string): Glyph {
  const random = new Random('logo', name);
  const rays = 3 + random.below(5);
  const turn = random.next() * Math.PI;
  const hill = 0.25 + 0.3 * random.next();
  return (x, y) => {
    const radius = Math.hypot(x, y);
    if (radius > 0.95) return false;
    if (radius > 0.78) return true;
    if (y > 0.15 + hill * Math.cos(3 * x + turn)) return true;
    const ray = Math.cos(rays * (Math.atan2(y + 0.25, x) + turn));
    return Math.hypot(x, y + 0.25) < 0.16 + 0.18 * ray;
  };
}

/** Share of a pixel that the glyph covers. */
function coverage(glyph: Glyph, place: LogoPlace, column: number, row: number): number {
  let covered = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = column + ((i % SAMPLES) + 0.5) / SAMPLES;
    const y = row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES;
    if (glyph((2 * x) / place.width - 1, (2 * y) / place.height - 1)) covered += 1;
  }
  return covered / (SAMPLES * SAMPLES);
}

/** A PAM file of grey and opacity. */
export function drawLogo(plan: VideoPlan, name: string): Uint8Array {
  const place = logoPlace(plan);
  const { width, height } = place;
  const glyph = glyphOf(name);
  const grown: Glyph = (x, y) =>
    [-0.06, 0, 0.06].some((dx) => [-0.06, 0, 0.06].some((dy) => glyph(x + dx, y + dy)));
  const head = `P7\nWIDTH ${width}\nHEIGHT ${height}\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n`;
  const bytes = new Uint8Array(head.length + 2 * width * height);
  bytes.set(new TextEncoder().encode(head));
  let at = head.length;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const inside = coverage(glyph, place, column, row);
      const edge = Math.max(0, coverage(grown, place, column, row) - inside);
      const opacity = OPACITY * inside + EDGE_OPACITY * edge;
      bytes[at] =
        opacity === 0 ? 0 : Math.round((235 * OPACITY * inside + 16 * EDGE_OPACITY * edge) / opacity);
      bytes[at + 1] = Math.round(255 * opacity);
      at += 2;
    }
  }
  return bytes;
}
