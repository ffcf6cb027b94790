import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Bouquet name descriptor, tag 0x47. ARIB STD-B10 Part 2, 6.2.1. */
export interface BouquetNameDescriptor {
  readonly kind: 'bouquet_name';
  readonly name: string;
}

export function parseBouquetName(r: Reader): BouquetNameDescriptor {
  return { kind: 'bouquet_name', name: readText(r, r.remaining) };
}
