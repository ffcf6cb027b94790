import type { Reader } from '../reader.ts';
import { readWord } from '../text/text.ts';

/** Component descriptor, tag 0x50: the video of an event. ARIB STD-B10 Part 2, 6.2.3. */
export interface ComponentDescriptor {
  readonly kind: 'component';
  /** stream_content, 4 bits: 1 MPEG-2, 5 H.264, 9 HEVC. */
  readonly streamContent: number;
  /** component_type: high nibble the resolution, low nibble the aspect ratio. */
  readonly componentType: number;
  readonly componentTag: number;
  readonly language: string;
  readonly text: string;
}

export function parseComponent(r: Reader): ComponentDescriptor {
  return {
    kind: 'component',
    // reserved_future_use 4
    streamContent: r.u8() & 0x0f,
    componentType: r.u8(),
    componentTag: r.u8(),
    language: r.language(),
    text: readWord(r, r.remaining),
  };
}
