/**
 * Two mono AAC streams as one stream of two independent programmes, the way Japanese broadcasters send dual
 * mono: each frame holds two single channel elements and no channel configuration (ISO/IEC 13818-7 6.2, 8.5;
 * ARIB STD-B32 part 2).
 */
import { MediaError } from './access-units.ts';

const ADTS_HEADER = 7;
/** id_syn_ele of a single channel element is 000; its element_instance_tag takes the next four bits. */
const ELEMENT_ID_BITS = 3;
const TAG_BITS = 4;
const END_BITS = 3;

/** The bits of a frame's payload before its end element: END is 111 and only zeros follow. */
function payloadBits(frame: Uint8Array): number {
  let last = frame.length - 1;
  while (last >= ADTS_HEADER && frame[last] === 0) last -= 1;
  const byte = frame[last] ?? 0;
  const zeros = Math.clz32(byte & -byte);
  const end = (last - ADTS_HEADER) * 8 + (zeros - 23) - END_BITS;
  const element = (frame[ADTS_HEADER] ?? 0xff) >> (8 - ELEMENT_ID_BITS);
  if (last < ADTS_HEADER || end <= 0 || element !== 0) throw new MediaError('not a mono AAC frame');
  return end;
}

/** Appends bits to a byte array. */
class BitWriter {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(size: number, firstBit: number) {
    this.#bytes = new Uint8Array(size);
    this.#at = firstBit;
  }

  /** The low `count` bits of a value, at most 8. */
  put(value: number, count: number): void {
    const byte = this.#at >> 3;
    const room = 8 - (this.#at & 7);
    const bits = (value & ((1 << count) - 1)) << (16 - count);
    this.#bytes[byte] = (this.#bytes[byte] as number) | (bits >> (16 - room));
    if (count > room) this.#bytes[byte + 1] = (bits << room) >> 8;
    this.#at += count;
  }

  /** `count` bits of `from`, beginning at its bit `first`. */
  copy(from: Uint8Array, first: number, count: number): void {
    for (let done = 0; done < count; done += 8) {
      const at = first + done;
      const pair = ((from[at >> 3] as number) << 8) | (from[(at >> 3) + 1] ?? 0);
      const byte = (pair >> (8 - (at & 7))) & 0xff;
      const take = Math.min(8, count - done);
      this.put(byte >> (8 - take), take);
    }
  }

  /** Whole bytes, filled up with zeros. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, (this.#at + 7) >> 3);
  }
}

/** The header of a mono frame for a longer frame without channel configuration. */
function header(mono: Uint8Array, length: number): Uint8Array {
  const bytes = mono.slice(0, ADTS_HEADER);
  bytes[2] = (bytes[2] as number) & 0xfe;
  bytes[3] = ((bytes[3] as number) & 0x3c) | (length >> 11);
  bytes[4] = length >> 3;
  bytes[5] = ((length & 7) << 5) | ((bytes[5] as number) & 0x1f);
  return bytes;
}

/** One frame of two programmes. @throws MediaError when one is no mono frame. */
export function joinMono(main: Uint8Array, sub: Uint8Array): Uint8Array {
  const writer = new BitWriter(main.length + sub.length, ADTS_HEADER * 8);
  writer.copy(main, ADTS_HEADER * 8, payloadBits(main));
  writer.put(0, ELEMENT_ID_BITS);
  writer.put(1, TAG_BITS);
  const skipped = ELEMENT_ID_BITS + TAG_BITS;
  writer.copy(sub, ADTS_HEADER * 8 + skipped, payloadBits(sub) - skipped);
  writer.put(7, END_BITS);
  const frame = writer.done();
  frame.set(header(main, frame.length));
  return frame;
}
