/** The markup of `scenes.ts`, and which of its characters are shown at half width. */
import { DRCS_FIRST } from './coder.ts';
import type { Look, SizeName } from './page.ts';

/** A span of text with the same appearance. */
export interface Span {
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
export function parseMarkup(text: string): Span[][] {
  const drawn = text.replace(/\{(\d)\}/g, (_, index) => String.fromCodePoint(DRCS_FIRST + Number(index)));
  return drawn.split('\n').map(rowSpans);
}

const ASCII_OR_SPACE = /[!-~ ]/;
const PUNCTUATION = /[、。「」（）・]/;

/**
 * Splits a span where the width of its characters changes: letters, digits and blanks of ASCII take half a
 * cell.
 */
export function bySize(span: Span, halfPunctuation: boolean): { text: string; size: SizeName }[] {
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
