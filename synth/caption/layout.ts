/**
 * Positions of caption rows, as broadcasters place them: at the bottom, at the speaker's side, at the top.
 */
import type { Random } from '../random.ts';
import { DRCS_FIRST } from './coder.ts';
import {
  cellOf,
  type Frame,
  type Look,
  PLAIN,
  type Run,
  type SizeName,
  STANDARD_FRAME,
  VERTICAL_FRAME,
  WHOLE_FRAME,
} from './page.ts';
import type { Voice } from './scenes.ts';

/** A span of text with the same appearance. */
interface Span {
  text: string;
  ruby: string | null;
  look: Partial<Look>;
}

const LOOKS: Readonly<Record<string, Partial<Look>>> = {
  u: { underline: true },
  f: { flash: 'normal' },
  i: { flash: 'inverted' },
  b: { boxed: true },
  p: { inverted: true },
  m: { size: 'middle' },
  s: { size: 'small' },
  w: { size: 'wide' },
  t: { size: 'tall' },
  l: { size: 'large' },
};

const PIECE = /｜(?<base>[^《]+)《(?<ruby>[^》]+)》|\[(?<look>[a-z]):(?<inner>[^\]]+)\]/g;

function plain(text: string): Span[] {
  return text === '' ? [] : [{ text, ruby: null, look: {} }];
}

function rowSpans(row: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of row.matchAll(PIECE)) {
    spans.push(...plain(row.slice(at, match.index)));
    at = match.index + match[0].length;
    const { base, ruby = null, look = '', inner = '' } = match.groups ?? {};
    if (base !== undefined) spans.push({ text: base, ruby, look: {} });
    else spans.push({ text: inner, ruby: null, look: LOOKS[look] ?? {} });
  }
  return [...spans, ...plain(row.slice(at))];
}

/** The rows of a text. */
function parseMarkup(text: string): Span[][] {
  const drawn = text.replace(/\{(\d)\}/g, (_, index) => String.fromCodePoint(DRCS_FIRST + Number(index)));
  return drawn.split('\n').map(rowSpans);
}

const ASCII_OR_SPACE = /[!-~ ]/;
const PUNCTUATION = /[、。「」（）・]/;

/**
 * Splits a span where the width of its characters changes: letters, digits and blanks of ASCII take half a
 * cell.
 */
function bySize(span: Span, halfPunctuation: boolean): { text: string; size: SizeName }[] {
  const { size } = span.look;
  if (size !== undefined) return [{ text: span.text, size }];
  const parts: { text: string; size: SizeName }[] = [];
  for (const character of span.text) {
    const half = ASCII_OR_SPACE.test(character) || (halfPunctuation && PUNCTUATION.test(character));
    const wanted = half ? 'middle' : 'normal';
    const open = parts.at(-1);
    if (open?.size === wanted) open.text += character;
    else parts.push({ text: character, size: wanted });
  }
  return parts;
}

const YELLOW = 3;
const CYAN = 6;
const GREEN = 2;
/** Palette 1, colour 8: a colour that requires COL. */
const MINT = 24;
const TRANSPARENT = 8;
/** Colours distinguish the speakers. */
const COLOURS: Readonly<Partial<Record<Voice, number>>> = {
  first: YELLOW,
  second: CYAN,
  third: GREEN,
  note: MINT,
};

/** Rows are placed on this grid, a small character's width. */
const GRID = 20;

interface Row {
  spans: readonly Span[];
  width: number;
  height: number;
  /** Space above for its rubies. */
  rubyHeight: number;
}

function widthOf(frame: Frame, span: Span, half: boolean): number {
  return bySize(span, half).reduce(
    (sum, { text, size }) => sum + [...text].length * cellOf(frame, size).width,
    0,
  );
}

function measure(frame: Frame, spans: readonly Span[], half: boolean): Row {
  const parts = spans.flatMap((span) => bySize(span, half));
  return {
    spans,
    width: spans.reduce((sum, span) => sum + widthOf(frame, span, half), 0),
    height: Math.max(...parts.map(({ size }) => cellOf(frame, size).height), cellOf(frame, 'normal').height),
    rubyHeight: spans.some(({ ruby }) => ruby !== null) ? cellOf(frame, 'small').height : 0,
  };
}

function rubyRun(frame: Frame, ruby: string, base: { x: number; y: number; width: number }, look: Look): Run {
  const { width } = cellOf(frame, 'small');
  const room = base.width - [...ruby].length * width;
  const x = Math.max(frame.x, base.x + Math.floor(room / 2));
  return { ...look, size: 'small', x, y: base.y - cellOf(frame, 'normal').height, text: ruby, role: 'ruby' };
}

/** The runs of a row whose bottom dots are at `y`: rubies first, as encoders send them. */
function rowRuns(frame: Frame, row: Row, x: number, y: number, look: Look, half: boolean): Run[] {
  const rubies: Run[] = [];
  const texts: Run[] = [];
  let at = x;
  for (const span of row.spans) {
    const width = widthOf(frame, span, half);
    if (span.ruby !== null) rubies.push(rubyRun(frame, span.ruby, { x: at, y, width }, look));
    for (const { text, size } of bySize(span, half)) {
      texts.push({ ...look, ...span.look, size, x: at, y, text, role: 'text' });
      at += [...text].length * cellOf(frame, size).width;
    }
  }
  return [...rubies, ...texts];
}

type Place = 'bottom' | 'left' | 'right' | 'top' | 'anywhere';

const PLACES: Readonly<Record<Voice, readonly Place[]>> = {
  first: ['bottom', 'bottom', 'left'],
  second: ['bottom', 'bottom', 'right'],
  third: ['left', 'bottom', 'top'],
  fourth: ['right', 'bottom'],
  narrator: ['bottom', 'top'],
  sound: ['bottom', 'anywhere'],
  song: ['bottom'],
  note: ['anywhere', 'top'],
  vertical: ['top'],
};

function horizontalRoom(frame: Frame, width: number, place: Place, random: Random): number {
  const room = Math.max(0, Math.floor((frame.width - width) / GRID));
  if (place === 'left') return 0;
  if (place === 'right') return room;
  return place === 'anywhere' ? random.below(room + 1) : Math.floor(room / 2);
}

export interface Placed {
  frame: Frame;
  /** The rows in order. */
  rows: Run[][];
}

/** Rows of a block from top to bottom. */
function stack(
  frame: Frame,
  rows: readonly Row[],
  block: { x: number; y: number },
  look: Look,
  half: boolean,
) {
  let y = block.y - 1;
  return rows.map((row) => {
    y += row.rubyHeight + row.height;
    return rowRuns(frame, row, block.x, y, look, half);
  });
}

/** @param half whether punctuation takes half a cell */
export function placeText(text: string, voice: Voice, random: Random, half: boolean): Placed {
  const look: Look = {
    ...PLAIN,
    foreground: COLOURS[voice] ?? PLAIN.foreground,
    background: voice === 'song' ? TRANSPARENT : PLAIN.background,
  };
  const spans = parseMarkup(text);
  if (voice === 'vertical') return placeColumns(spans, look);
  const place = random.pick(PLACES[voice]);
  const frame = place === 'anywhere' ? WHOLE_FRAME : STANDARD_FRAME;
  const rows = spans.map((row) => measure(frame, row, half));
  const width = Math.max(...rows.map((row) => row.width));
  const height = rows.reduce((sum, row) => sum + row.height + row.rubyHeight, 0);
  const room = Math.max(0, frame.height - height);
  let down = place === 'top' ? 0 : room;
  if (place === 'anywhere') down = random.below(room + 1);
  const x = frame.x + horizontalRoom(frame, width, place, random) * GRID;
  return { frame, rows: stack(frame, rows, { x, y: frame.y + down }, look, half) };
}

/** Vertical writing: columns from right to left, each with one size. */
function placeColumns(columns: readonly (readonly Span[])[], look: Look): Placed {
  const frame = VERTICAL_FRAME;
  // Horizontal and vertical are exchanged: lines are columns, at the distance of the line spacing.
  const { height: pitch } = cellOf(frame, 'normal');
  const right = frame.x + frame.width - pitch / 2;
  const rows = columns.map((spans, index): Run[] => {
    const text = spans.map((span) => span.text).join('');
    return [{ ...look, x: right - index * pitch, y: frame.y, text, role: 'text' }];
  });
  return { frame, rows };
}

/** Half-width letters in a row of the standard area. */
const LETTERS = 30;

/** English at half width, centred at the bottom. */
export function placeEnglish(text: string, voice: Voice): Placed {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const open = rows.at(-1);
    if (open !== undefined && open.length + 1 + word.length <= LETTERS)
      rows[rows.length - 1] = `${open} ${word}`;
    else rows.push(word);
  }
  const frame = STANDARD_FRAME;
  const { width, height } = cellOf(frame, 'middle');
  const look: Look = { ...PLAIN, size: 'middle', foreground: COLOURS[voice] ?? PLAIN.foreground };
  const longest = Math.max(...rows.map((row) => row.length));
  const x = frame.x + Math.floor((frame.width / width - longest) / 2) * width;
  const bottom = frame.y + frame.height - 1;
  return {
    frame,
    rows: rows.map((row, index): Run[] => [
      { ...look, x, y: bottom - (rows.length - 1 - index) * height, text: row, role: 'text' },
    ]),
  };
}
