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
export function hueColour(hue: number): Colour {
  const channel = (shift: number): number => {
    const place = (shift + hue / 60) % 6;
    return Math.round(0xff * (1 - Math.max(0, Math.min(place, 4 - place, 1))));
  };
  return [channel(5), channel(3), channel(1)];
}
