/**
 * The built-in default macros: sixteen sets of designations, codes 0x60 to 0x6F.
 * Each also invokes G0 to GL and G2 to GR. ARIB STD-B24 Vol. 1 Part 2, 7.1 (default macro codes).
 */
import { designatedSet, type GraphicSet, MACRO_SET } from './character-set.ts';

const kanji = designatedSet(0x42, 2, false);
const alphanumeric = designatedSet(0x4a, 1, false);
const hiragana = designatedSet(0x30, 1, false);
const katakana = designatedSet(0x31, 1, false);
const mosaicA = designatedSet(0x32, 1, false);
const mosaicB = designatedSet(0x33, 1, false);
const mosaicC = designatedSet(0x34, 1, false);
const mosaicD = designatedSet(0x35, 1, false);
const drcs = (number: number): GraphicSet => designatedSet(0x40 + number, 1, true);

const FIRST_DEFAULT_MACRO = 0x60;

/** G0, G1 and G2 of each macro from 0x60 on; G3 is the macro set in all of them. */
const DEFAULT_MACROS: readonly (readonly [GraphicSet, GraphicSet, GraphicSet])[] = [
  [kanji, alphanumeric, hiragana],
  [kanji, katakana, hiragana],
  [kanji, drcs(1), hiragana],
  [mosaicA, mosaicC, mosaicD],
  [mosaicA, mosaicB, mosaicD],
  [mosaicA, drcs(1), mosaicD],
  [drcs(1), drcs(2), drcs(3)],
  [drcs(4), drcs(5), drcs(6)],
  [drcs(7), drcs(8), drcs(9)],
  [drcs(10), drcs(11), drcs(12)],
  [drcs(13), drcs(14), drcs(15)],
  [kanji, drcs(2), hiragana],
  [kanji, drcs(3), hiragana],
  [kanji, drcs(4), hiragana],
  [katakana, hiragana, alphanumeric],
  [alphanumeric, mosaicA, drcs(1)],
];

/** The four sets, G0 to G3, designated by a default macro; undefined for a code without default. */
export function defaultMacro(code: number): readonly GraphicSet[] | undefined {
  const sets = DEFAULT_MACROS[code - FIRST_DEFAULT_MACRO];
  return sets === undefined ? undefined : [...sets, MACRO_SET];
}
