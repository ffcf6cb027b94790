import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Short event descriptor, tag 0x4D. ARIB STD-B10 Part 2, 6.2.15. */
export interface ShortEventDescriptor {
  readonly kind: 'short_event';
  readonly language: string;
  readonly name: string;
  readonly text: string;
}

export function parseShortEvent(r: Reader): ShortEventDescriptor {
  return {
    kind: 'short_event',
    language: r.language(),
    name: readText(r, r.u8()),
    text: readText(r, r.u8()),
  };
}
