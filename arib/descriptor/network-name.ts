import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Network name descriptor, tag 0x40. ARIB STD-B10 Part 2, 6.2.11. */
export interface NetworkNameDescriptor {
  readonly kind: 'network_name';
  readonly name: string;
}

export function parseNetworkName(r: Reader): NetworkNameDescriptor {
  return { kind: 'network_name', name: readText(r, r.remaining) };
}
