/** Draws the logo of a fictitious station: a shape in its colour with its number on it. */

/**
 * The 128 fixed colours of receivers, to which pictures refer by number: ARIB STD-B24 vol. 1 part 2, Annex A;
 * ARIB STD-B21. Half-transparent ones follow the opaque ones, in the same order.
 */
export type Colour = readonly [red: number, green: number, blue: number];

const LEVELS = [0x00, 0x55, 0xaa, 0xff] as const;
/** Black, red, green, yellow, blue, magenta, cyan, white. */
const PRIMARIES = 8;
/** Number 8 is transparent. */
export const TRANSPARENT = 8;
const HALVES_FIRST = 9;
const OPAQUE = 65;

function primary(number: number, level: number): Colour {
  return [number & 1 ? level : 0, number & 2 ? level : 0, number & 4 ? level : 0];
}

/** The opaque colours with their numbers. */
function buildOpaque(): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let i = 0; i < PRIMARIES; i++) numbers.set(primary(i, 0xff).join(), i);
  for (let i = 1; i < PRIMARIES; i++) numbers.set(primary(i, 0xaa).join(), HALVES_FIRST + i - 1);
  let next = HALVES_FIRST + PRIMARIES - 1;
  for (const red of LEVELS) {
    for (const green of LEVELS) {
      for (const blue of LEVELS) {
        const key = [red, green, blue].join();
        if (!numbers.has(key)) numbers.set(key, next++);
      }
    }
  }
  return numbers;
}

const NUMBERS = buildOpaque();

function nearestLevel(value: number): number {
  return LEVELS.reduce((best, level) => (Math.abs(level - value) < Math.abs(best - value) ? level : best));
}

/** The number of the colour nearest to one, opaque or half transparent. */
export function colourNumber(colour: Colour, half: boolean): number {
  const number = NUMBERS.get(colour.map(nearestLevel).join()) ?? 0;
  if (!half) return number;
  // The half-transparent ones skip the transparent colour; the last one is missing.
  const after = number < TRANSPARENT ? number : number - 1;
  return Math.min(OPAQUE + after, 127);
}

/** A fully saturated colour by its hue, in degrees. */
function hueColour(hue: number): Colour {
  const channel = (shift: number): number => {
    const place = (shift + hue / 60) % 6;
    return Math.round(0xff * (1 - Math.max(0, Math.min(place, 4 - place, 1))));
  };
  return [channel(5), channel(3), channel(1)];
}

/** Properties that distinguish logos. */
export interface Emblem {
  shape: 'disc' | 'plate' | 'diamond' | 'hexagon' | 'ellipse' | 'shield';
  /** Degrees. */
  hue: number;
  /** One to three digits. */
  digits: string;
}

export const SHAPES = ['disc', 'plate', 'diamond', 'hexagon', 'ellipse', 'shield'] as const;

/** Digits of five columns and seven rows, one byte per row, the left column in bit 4. */
const DIGITS: readonly (readonly number[])[] = [
  [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
  [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
  [0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f],
  [0x1f, 0x02, 0x04, 0x06, 0x01, 0x11, 0x0e],
  [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
  [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
  [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
  [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
  [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
  [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
];
const COLUMNS = 5;
const ROWS = 7;
/** Digits are separated by an empty column. */
const ADVANCE = COLUMNS + 1;

/**
 * Whether a point of the picture, both coordinates from -1 to 1, lies on the shape. @param ratio width over
 * height
 */
function onShape(shape: Emblem['shape'], x: number, y: number, ratio: number): boolean {
  const [ax, ay] = [Math.abs(x), Math.abs(y)];
  switch (shape) {
    case 'disc':
      return (x * ratio) ** 2 + y ** 2 <= 1;
    case 'ellipse':
      return x ** 2 + y ** 2 <= 1;
    case 'plate':
      return ax <= 0.96 && ay <= 0.8 && ax + ay <= 1.62;
    case 'diamond':
      return ax + ay <= 1;
    case 'hexagon':
      return ay <= 0.92 && ax + ay / 2 <= 1;
    case 'shield':
      return ax * ratio <= 1.2 && (y <= 0 || ax * ratio <= 1.2 * Math.sqrt(1 - y ** 2));
  }
}

/** Maximum size of the digits: half the height, half the width, and on a disc as wide as high. */
const MOST_HIGH = 1.04;
const MOST_WIDE = { disc: 1.5, other: 1 };

function onDigits({ digits, shape }: Emblem, x: number, y: number, ratio: number): boolean {
  const cells = digits.length * ADVANCE - 1;
  const wide = shape === 'disc' ? MOST_WIDE.disc : MOST_WIDE.other * ratio;
  const cell = Math.min(MOST_HIGH / ROWS, wide / cells);
  const column = Math.floor((x * ratio) / cell + cells / 2);
  const row = Math.floor(y / cell + ROWS / 2);
  if (column < 0 || column >= cells || row < 0 || row >= ROWS) return false;
  const glyph = DIGITS[Number(digits[Math.floor(column / ADVANCE)])];
  const bit = COLUMNS - 1 - (column % ADVANCE);
  return bit >= 0 && (((glyph?.[row] ?? 0) >> bit) & 1) === 1;
}

/** Samples per side of a pixel. */
const SAMPLES = 4;
const WHITE: Colour = [0xff, 0xff, 0xff];
const BLACK: Colour = [0, 0, 0];

/** Whether black is more readable on it than white: weights of ITU-R BT.709. */
function isBright([red, green, blue]: Colour): boolean {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0x90;
}

/** The layer at a point of the picture: nothing, the shape, or a digit on it. */
function layerAt(emblem: Emblem, x: number, y: number, ratio: number): 0 | 1 | 2 {
  if (!onShape(emblem.shape, x, y, ratio)) return 0;
  return onDigits(emblem, x, y, ratio) ? 2 : 1;
}

/** Samples at the corners of a pixel: if they agree, all do, because no stroke is narrower than a pixel. */
const CORNERS = [0, SAMPLES - 1, SAMPLES * (SAMPLES - 1), SAMPLES * SAMPLES - 1] as const;

/** Numbers of a colour: opaque and half transparent. */
function shadesOf(colour: Colour): { whole: number; half: number } {
  return { whole: colourNumber(colour, false), half: colourNumber(colour, true) };
}

/** Numbers of fixed colours, row by row; edges are half transparent. */
export function drawEmblem(emblem: Emblem, width: number, height: number): Uint8Array {
  const ground = hueColour(emblem.hue);
  const ink = isBright(ground) ? BLACK : WHITE;
  const [groundNumbers, inkNumbers] = [shadesOf(ground), shadesOf(ink)];
  const ratio = width / height;
  const numbers = new Uint8Array(width * height);
  for (let at = 0; at < numbers.length; at++) {
    const layer = (sample: number): 0 | 1 | 2 => {
      const px = (at % width) + ((sample % SAMPLES) + 0.5) / SAMPLES;
      const py = Math.floor(at / width) + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES;
      return layerAt(emblem, (2 * px) / width - 1, (2 * py) / height - 1, ratio);
    };
    const corners = CORNERS.map(layer);
    const uniform = corners.every((one) => one === corners[0]);
    const layers = uniform
      ? corners
      : Array.from({ length: SAMPLES * SAMPLES }, (_, sample) => layer(sample));
    const covered = layers.filter((one) => one !== 0).length;
    const inked = layers.filter((one) => one === 2).length;
    const share = covered / layers.length;
    const shades = inked * 2 > covered ? inkNumbers : groundNumbers;
    numbers[at] = share < 0.25 ? TRANSPARENT : share < 0.75 ? shades.half : shades.whole;
  }
  return numbers;
}
