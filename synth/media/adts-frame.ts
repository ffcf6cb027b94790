/**
 * AAC frames as Japanese broadcasters send them: ADTS with ID 1 (MPEG-2), optionally with a CRC, and dual
 * mono as two single channel elements without a channel configuration. ISO/IEC 13818-7 6.2 and 8.5, ARIB
 * STD-B32 part 2.
 */
import { MediaError } from './access-units.ts';

/** Writes and copies runs of bits, most significant bit first. */
export class BitWriter {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(size: number, firstBit: number) {
    this.#bytes = new Uint8Array(size);
    this.#at = firstBit;
  }

  /** Position in bits. */
  get at(): number {
    return this.#at;
  }

  /** Writes the low `count` bits of a value, at most 8. */
  put(value: number, count: number): void {
    const byte = this.#at >> 3;
    const room = 8 - (this.#at & 7);
    const bits = (value & ((1 << count) - 1)) << (16 - count);
    this.#bytes[byte] = (this.#bytes[byte] as number) | (bits >> (16 - room));
    if (count > room) this.#bytes[byte + 1] = (bits << room) >> 8;
    this.#at += count;
  }

  /** Copies `count` bits of `from`, beginning at its bit `first`. */
  copy(from: Uint8Array, first: number, count: number): void {
    for (let done = 0; done < count; done += 8) {
      const at = first + done;
      const pair = ((from[at >> 3] as number) << 8) | (from[(at >> 3) + 1] ?? 0);
      const byte = (pair >> (8 - (at & 7))) & 0xff;
      const take = Math.min(8, count - done);
      this.put(byte >> (8 - take), take);
    }
  }

  /** The bytes written so far; the last one is padded with zero bits. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, (this.#at + 7) >> 3);
  }
}

const HEADER = 7;
const CRC = 2;
/** ID in the second byte of the header: 1 is MPEG-2. */
const MPEG2_ID = 0x08;
const PROTECTION_ABSENT = 0x01;

/** id_syn_ele takes three bits, element_instance_tag the next four: ISO/IEC 13818-7 tables 9 and 11. */
const ELEMENT_ID_BITS = 3;
const TAG_BITS = 4;
const SINGLE_CHANNEL = 0;
const CHANNEL_PAIR = 1;
const END = 7;
const END_BITS = 3;

/** A part of a frame that the CRC covers, in bits; beyond the end of its element zeros are used. */
interface CoveredBits {
  from: number;
  count: number;
  /** The first bit after the element. */
  end: number;
}

/** Bits of an element, and of a pair's second channel, that the CRC covers: ISO/IEC 13818-7 6.2.3. */
const COVERED_ELEMENT = 192;
const COVERED_SECOND_CHANNEL = 128;
/** x^16 + x^15 + x^2 + 1. */
const CRC_POLYNOMIAL = 0x8005;

/**
 * adts_error_check: over the header and the covered bits of its elements, with all ones as the initial value.
 */
function errorCheck(frame: Uint8Array, covered: readonly CoveredBits[]): number {
  let crc = 0xffff;
  const feed = ({ from, count, end }: CoveredBits): void => {
    for (let at = from; at < from + count; at++) {
      const bit = at < end ? ((frame[at >> 3] as number) >> (7 - (at & 7))) & 1 : 0;
      const carry = ((crc >> 15) & 1) ^ bit;
      crc = (crc << 1) & 0xffff;
      if (carry === 1) crc ^= CRC_POLYNOMIAL;
    }
  };
  feed({ from: 0, count: HEADER * 8, end: HEADER * 8 });
  for (const bits of covered) feed(bits);
  return crc;
}

/** Index of the bit after the payload of a mono frame: END is 111, only zeros follow. */
function payloadEnd(frame: Uint8Array): number {
  let last = frame.length - 1;
  while (last >= HEADER && frame[last] === 0) last -= 1;
  const byte = frame[last] ?? 0;
  const zeros = Math.clz32(byte & -byte);
  const end = last * 8 + (zeros - 23) - END_BITS;
  const element = (frame[HEADER] ?? 0xff) >> (8 - ELEMENT_ID_BITS);
  if (last < HEADER || end <= HEADER * 8 || element !== SINGLE_CHANNEL) {
    throw new MediaError('not a mono AAC frame');
  }
  return end;
}

interface Layout {
  configuration: number;
  protection: boolean;
}

/** Writes the header of a mono frame with another layout and length. */
function writeHeader(frame: Uint8Array, mono: Uint8Array, { configuration, protection }: Layout): void {
  const { length } = frame;
  frame.set(mono.subarray(0, HEADER));
  frame[1] = ((mono[1] as number) & 0xf6) | MPEG2_ID | (protection ? 0 : PROTECTION_ABSENT);
  frame[2] = ((mono[2] as number) & 0xfe) | (configuration >> 2);
  frame[3] = ((mono[3] as number) & 0x3c) | ((configuration & 3) << 6) | (length >> 11);
  frame[4] = length >> 3;
  frame[5] = ((length & 7) << 5) | ((mono[5] as number) & 0x1f);
}

/** Position of a mono frame's individual_channel_stream. */
const CHANNEL_STREAM = HEADER * 8 + ELEMENT_ID_BITS + TAG_BITS;

function copyChannel(writer: BitWriter, mono: Uint8Array): void {
  writer.copy(mono, CHANNEL_STREAM, payloadEnd(mono) - CHANNEL_STREAM);
}

/**
 * Builds a frame of two mono frames. @param write writes the elements and returns the parts that the CRC
 * covers
 */
function joinFrames(
  main: Uint8Array,
  sub: Uint8Array,
  layout: Layout,
  write: (writer: BitWriter) => CoveredBits[],
): Uint8Array {
  const start = (HEADER + (layout.protection ? CRC : 0)) * 8;
  const writer = new BitWriter(main.length + sub.length + CRC, start);
  const covered = write(writer);
  writer.put(END, END_BITS);
  const frame = writer.done();
  writeHeader(frame, main, layout);
  if (layout.protection) {
    const crc = errorCheck(frame, covered);
    frame[HEADER] = crc >> 8;
    frame[HEADER + 1] = crc & 0xff;
  }
  return frame;
}

/** One frame of two single channel elements, without a channel configuration. @throws MediaError */
export function joinDualMono(main: Uint8Array, sub: Uint8Array, protection: boolean): Uint8Array {
  return joinFrames(main, sub, { configuration: 0, protection }, (writer) =>
    [main, sub].map((mono, tag) => {
      writer.put(SINGLE_CHANNEL, ELEMENT_ID_BITS);
      const from = writer.at;
      writer.put(tag, TAG_BITS);
      copyChannel(writer, mono);
      return { from, count: COVERED_ELEMENT, end: writer.at };
    }),
  );
}

/**
 * One frame of a channel pair element without a common window. @throws MediaError if one is not a mono frame
 */
export function joinPair(left: Uint8Array, right: Uint8Array, protection: boolean): Uint8Array {
  return joinFrames(left, right, { configuration: 2, protection }, (writer) => {
    writer.put(CHANNEL_PAIR, ELEMENT_ID_BITS);
    const from = writer.at;
    writer.put(0, TAG_BITS);
    // common_window 0: each channel has its own ics_info, as in a single channel element.
    writer.put(0, 1);
    copyChannel(writer, left);
    const second = writer.at;
    copyChannel(writer, right);
    return [
      { from, count: COVERED_ELEMENT, end: writer.at },
      { from: second, count: COVERED_SECOND_CHANNEL, end: writer.at },
    ];
  });
}

/** Turns an encoder's frame without a CRC into a broadcast frame: ID is MPEG-2. */
export function asMpeg2(frame: Uint8Array): Uint8Array {
  const copy = frame.slice();
  copy[1] = (copy[1] as number) | MPEG2_ID;
  return copy;
}
