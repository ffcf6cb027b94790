/**
 * The drawn width of a character depends on its size, not on its code set: ARIB STD-B24 Vol. 1 Part 2, 7.1; TR-B14
 * Vol. 3 Section 2. Half-width sizes show letters, digits and signs half width, the others show them full width.
 */

/** U+FF01 to U+FF5E are the full-width forms of U+0021 to U+007E. */
const FULL_WIDTH = 0xfee0;
const IDEOGRAPHIC_SPACE = '\u3000';

/** Full-width forms that are exceptions, by half-width character. */
const OTHER_FORMS: readonly (readonly [half: string, full: string])[] = [
  ['¥', '￥'],
  ['‾', '￣'],
];
const FULL = new Map(OTHER_FORMS);
const HALF = new Map(OTHER_FORMS.map(([half, full]) => [full, half]));

/** JIS X 0201 katakana U+FF61 to U+FF9F as full-width characters. */
const KATAKANA =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜';
const FIRST_KATAKANA = 0xff61;
const LAST_KATAKANA = 0xff9f;

/** Whether a font draws the character half an em wide. */
export function isHalfWidth(code: number): boolean {
  return code < 0x7f || code === 0xa5 || code === 0x203e || (code >= FIRST_KATAKANA && code <= LAST_KATAKANA);
}

export function fullWidth(code: number): string {
  if (code > 0x20 && code < 0x7f) return String.fromCharCode(code + FULL_WIDTH);
  if (code === 0x20) return IDEOGRAPHIC_SPACE;
  if (code >= FIRST_KATAKANA && code <= LAST_KATAKANA) return KATAKANA.charAt(code - FIRST_KATAKANA);
  const character = String.fromCodePoint(code);
  return FULL.get(character) ?? character;
}

/** Letters, digits and signs half width; kana and kanji have no readable half-width form. */
export function halfWidth(code: number): string {
  if (code > 0xff00 && code < 0xff5f) return String.fromCharCode(code - FULL_WIDTH);
  if (code === 0x3000) return ' ';
  const character = String.fromCodePoint(code);
  return HALF.get(character) ?? character;
}
