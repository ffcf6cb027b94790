/** Characters of captions as code points of the Kanji set: ARIB STD-B24 vol. 1 part 2, 7.1. */
import { kanjiCode } from '../text/tables.ts';

/** Additional symbols and kanji that captions use: row, first cell, characters. */
const STRETCHES: readonly (readonly [row: number, cell: number, characters: string])[] = [
  [85, 15, '𠮷'],
  [85, 31, '寬﨑㟢'],
  [86, 39, '髙'],
  [91, 17, '♨'],
  [92, 1, '➡⬅⬆⬇'],
  [92, 11, '㎡㎥㎝'],
  [92, 48, '▶◀〖〗'],
  [93, 64, '☀☁☂⛄'],
  [93, 72, '♦♥♣♠'],
  [93, 78, '‼⁉'],
  [93, 90, '♬☎'],
  [94, 1, 'ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ'],
  [94, 65, '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯❶❷❸❹❺❻❼❽❾❿⓫⓬'],
];

const ADDITIONAL = new Map(
  STRETCHES.flatMap(([row, cell, characters]) =>
    [...characters].map((character, index) => [character, (row << 8) | (cell + index)] as const),
  ),
);

/** 1-13 to 1-18 and 2-94 do not advance in captions: the next character is drawn over them. */
function isNonSpacing(code: number): boolean {
  return (code >= 0x010d && code <= 0x0112) || code === 0x025e;
}

/** The two bytes of a character in the Kanji set, high byte first. */
export function captionKanji(character: string): readonly [number, number] | undefined {
  const code = ADDITIONAL.get(character) ?? kanjiCode(character);
  if (code === undefined || isNonSpacing(code)) return undefined;
  return [(code >> 8) + 0x20, (code & 0xff) + 0x20];
}

/** All characters of `captionKanji` beyond JIS X 0208. */
export const ADDITIONAL_CHARACTERS: readonly string[] = [...ADDITIONAL.keys()];
