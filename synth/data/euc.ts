/** Writes EUC-JP, the character set of documents. ARIB STD-B24 vol. 2 appendix 2, 4.1. */
import { concat, encodeLatin } from '../si/bytes.ts';
import { kanjiCode } from '../text/tables.ts';

/** ASCII, and two bytes per character of JIS X 0208. @throws RangeError for any other character */
export function encodeEuc(text: string): Uint8Array {
  return concat(
    [...text].map((character) => {
      if (character <= '~') return encodeLatin(character);
      const code = kanjiCode(character);
      if (code === undefined) throw new RangeError(`${character} is not in JIS X 0208`);
      return Uint8Array.of((code >> 8) + 0xa0, (code & 0xff) + 0xa0);
    }),
  );
}
