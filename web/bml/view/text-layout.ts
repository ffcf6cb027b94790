/**
 * Places the characters of a box in lines. The fonts of a receiver are fixed pitch: an em, or half of one for the
 * characters of ASCII; lines break before any character. ARIB STD-B24 Vol. 2 Appendix 2, 5.2; TR-B14 Vol. 3.
 */
import { isHalfWidth } from '../../../lib/arib/caption/width.ts';
import type { BmlElement } from '../document/document.ts';
import type { ComputedStyle } from '../style/cascade.ts';

/** A `span` or `a` as it is shown. */
export interface InlineElement {
  readonly element: BmlElement;
  readonly style: ComputedStyle;
}

/** Text of one element. `\n` breaks the line. */
export interface TextRun {
  readonly text: string;
  readonly style: ComputedStyle;
  /** Inline elements around it within the box, the outermost first. */
  readonly inlines: readonly InlineElement[];
}

/** Characters of a run that stand next to each other in a line. */
export interface TextPiece {
  readonly run: TextRun;
  /** UTF-16 units, and their left edges from the left of the content box. */
  readonly units: readonly number[];
  readonly lefts: readonly number[];
  readonly left: number;
  right: number;
}

export interface TextLine {
  /** From the top of the content box. */
  readonly top: number;
  readonly height: number;
  readonly baseline: number;
  readonly pieces: readonly TextPiece[];
}

export interface TextBlock {
  readonly lines: readonly TextLine[];
  /** Of the longest line. */
  readonly width: number;
  readonly height: number;
  /** How far letters extend above and below lines that are lower than their font. */
  readonly overhang: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Height of a line of text alone; 1.0 of the font size if it is `normal`. */
function lineHeightOf(style: ComputedStyle): number {
  const value = style.get('line-height');
  if (value === 'normal') return style.number('font-size');
  const number = style.number('line-height');
  return value.endsWith('px') ? number : number * style.number('font-size');
}

interface LineSettings {
  /** Of the content box; infinite for one line. */
  readonly width: number;
  /** Lines that begin below it are not seen. */
  readonly height: number;
  /** Part of the em above the baseline. */
  readonly ascent: number;
  /** Characters that may still be placed; the rest is left out. */
  readonly limit: number;
}

interface OpenLine {
  pieces: TextPiece[];
  x: number;
  /** Spacing that follows the last character, if another one follows in the line. */
  spacing: number;
  above: number;
  below: number;
}

export function layOutText(
  runs: readonly TextRun[],
  box: ComputedStyle,
  { width, height, ascent, limit }: LineSettings,
): TextBlock {
  const lines: TextLine[] = [];
  let top = 0;
  let widest = 0;
  let overhang = 0;
  let left = limit;
  const align = box.get('text-align');

  const heights = (style: ComputedStyle): { above: number; below: number } => {
    const [size, total] = [style.number('font-size'), lineHeightOf(style)];
    const above = size * ascent + (total - size) / 2;
    return { above, below: total - above };
  };
  // An empty line is as high as one of the box's own text.
  const strut = heights(box);
  const open = (): OpenLine => ({ pieces: [], x: 0, spacing: 0, ...strut });
  let line = open();

  const close = (): void => {
    const free = Number.isFinite(width) ? width - line.x : 0;
    const shift = align === 'center' ? Math.floor(free / 2) : align === 'right' ? free : 0;
    const pieces = shift <= 0 ? line.pieces : line.pieces.map((piece) => shifted(piece, shift));
    const lineHeight = line.above + line.below;
    lines.push({ top, height: lineHeight, baseline: top + line.above, pieces });
    widest = Math.max(widest, line.x);
    top += lineHeight;
    line = open();
  };

  for (const run of runs) {
    const { text, style } = run;
    const size = style.number('font-size');
    const spacing = style.number('letter-spacing');
    const { above, below } = heights(style);
    overhang = Math.max(overhang, Math.ceil((size - lineHeightOf(style)) / 2));
    let piece: { units: number[]; lefts: number[] } & TextPiece = emptyPiece(run, 0);
    for (let index = 0; index < text.length && left > 0 && top < height; index++) {
      let unit = text.charCodeAt(index);
      if (unit === CARRIAGE_RETURN) {
        if (text.charCodeAt(index + 1) === LINE_FEED) continue;
        unit = LINE_FEED;
      }
      left--;
      if (unit === LINE_FEED) {
        close();
        piece = emptyPiece(run, 0);
        continue;
      }
      if (unit === TAB) unit = SPACE;
      if (unit < SPACE) continue;
      const advance = isHalfWidth(unit) ? size / 2 : size;
      if (line.pieces.length > 0 && line.x + line.spacing + advance > width) {
        close();
        if (top >= height) break;
      }
      const at = line.x + (line.pieces.length > 0 ? line.spacing : 0);
      if (line.pieces.at(-1) !== piece) {
        piece = emptyPiece(run, at);
        line.pieces.push(piece);
        line.above = Math.max(line.above, above);
        line.below = Math.max(line.below, below);
      }
      piece.units.push(unit);
      piece.lefts.push(at);
      piece.right = at + advance;
      line.x = piece.right;
      line.spacing = spacing;
    }
  }
  if (line.pieces.length > 0) close();
  return { lines, width: widest, height: top, overhang };
}

function emptyPiece(run: TextRun, left: number): { units: number[]; lefts: number[] } & TextPiece {
  return { run, units: [], lefts: [], left, right: left };
}

function shifted(piece: TextPiece, by: number): TextPiece {
  return {
    run: piece.run,
    units: piece.units,
    lefts: piece.lefts.map((left) => left + by),
    left: piece.left + by,
    right: piece.right + by,
  };
}
