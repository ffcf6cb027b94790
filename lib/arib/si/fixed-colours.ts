/**
 * The 128 fixed colours that logos, captions and data broadcasts share. ARIB STD-B24 Vol. 1 Part 2, Annex A (default
 * colour map); ARIB STD-B21 (logos).
 *
 * The order follows a rule: eight primaries, transparent, seven at two thirds; the other opaque colours of four
 * levels per channel, ascending; then all of these again at half opacity, except transparent and the last one, which
 * exceeds the table.
 */

interface FixedColour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0 transparent, 255 opaque. */
  readonly alpha: number;
}

const LEVELS = [0x00, 0x55, 0xaa, 0xff] as const;
const OPAQUE = 0xff;
const HALF = 0x80;
const COUNT = 128;

/** Colours whose channels are 0 or `level`: red is the lowest bit. */
function primaries(level: number): FixedColour[] {
  return Array.from({ length: 8 }, (_, bits) => ({
    red: (bits & 1) * level,
    green: ((bits >> 1) & 1) * level,
    blue: ((bits >> 2) & 1) * level,
    alpha: OPAQUE,
  }));
}

function same(a: FixedColour, b: FixedColour): boolean {
  return a.red === b.red && a.green === b.green && a.blue === b.blue;
}

function makeColours(): FixedColour[] {
  const full = primaries(0xff);
  const dimmed = primaries(0xaa).slice(1);
  const others: FixedColour[] = [];
  for (const red of LEVELS) {
    for (const green of LEVELS) {
      for (const blue of LEVELS) {
        const colour = { red, green, blue, alpha: OPAQUE };
        if (![...full, ...dimmed].some((other) => same(other, colour))) others.push(colour);
      }
    }
  }
  const opaque = [...full, ...dimmed, ...others];
  const transparent = { red: 0, green: 0, blue: 0, alpha: 0 };
  const half = opaque.map((colour) => ({ ...colour, alpha: HALF }));
  return [...full, transparent, ...dimmed, ...others, ...half].slice(0, COUNT);
}

/** By index. */
export const FIXED_COLOURS: readonly FixedColour[] = makeColours();
