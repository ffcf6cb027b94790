import type { Reader } from '../reader.ts';

/** Content descriptor, tag 0x54: the genres of an event. ARIB STD-B10 Part 2, 6.2.4 and Annex H. */
export interface ContentDescriptor {
  readonly kind: 'content';
  readonly genres: readonly Genre[];
}

export interface Genre {
  /** content_nibble_level_1: major genre; 0xE = extension, whose code is in the user nibbles. */
  readonly lv1: number;
  /** content_nibble_level_2. */
  readonly lv2: number;
  readonly user1: number;
  readonly user2: number;
}

export function parseContent(r: Reader): ContentDescriptor {
  const genres: Genre[] = [];
  while (r.remaining > 0) {
    const content = r.u8();
    const user = r.u8();
    genres.push({ lv1: content >> 4, lv2: content & 0x0f, user1: user >> 4, user2: user & 0x0f });
  }
  return { kind: 'content', genres };
}
