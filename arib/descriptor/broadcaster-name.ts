import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Broadcaster name descriptor, tag 0xD8, of a BIT. ARIB STD-B10 Part 2, 6.2.36. */
export interface BroadcasterNameDescriptor {
  readonly kind: 'broadcaster_name';
  readonly name: string;
}

export function parseBroadcasterName(r: Reader): BroadcasterNameDescriptor {
  return { kind: 'broadcaster_name', name: readText(r, r.remaining) };
}
