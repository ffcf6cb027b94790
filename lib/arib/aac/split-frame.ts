/**
 * Splits a frame of two programmes (dual mono) into one stereo frame of each, without decoding: the data of a single
 * channel element becomes both channels of a channel pair element. ISO/IEC 13818-7 6.2 and 6.3.
 */
import { ADTS_HEADER, type AdtsHeader, readAdtsHeader, SILENT_FRAME, setFrameLength } from './adts.ts';
import { BitCursor, copyBits, skipChannelStream } from './channel-stream.ts';

/** id_syn_ele, table 11. */
const SINGLE_CHANNEL = 0;
const DATA_STREAM = 4;
const FILL = 6;
const END = 7;

const MAX_FRAME = 0x1fff;
/** channel_configuration of a stereo frame. */
const STEREO = 2;

interface BitRange {
  readonly from: number;
  readonly to: number;
}

function skipFill(bits: BitCursor): void {
  const count = bits.number(4);
  bits.skip(8 * (count === 15 ? 14 + bits.number(8) : count));
}

function skipDataStream(bits: BitCursor): void {
  bits.skip(4); // element_instance_tag
  const isAligned = bits.bit() === 1;
  const count = bits.number(8);
  const octets = count === 255 ? count + bits.number(8) : count;
  if (isAligned) bits.align();
  bits.skip(8 * octets);
}

/**
 * Data of the single channel elements of a frame; undefined: it has others too, or is damaged. Fill and data stream
 * elements are left out.
 */
function singleChannels(frame: Uint8Array, header: AdtsHeader): BitRange[] | undefined {
  const bits = new BitCursor(frame, header.headerLength, header.frameLength);
  const found: BitRange[] = [];
  while (!bits.exhausted) {
    switch (bits.number(3)) {
      case SINGLE_CHANNEL: {
        bits.skip(4); // element_instance_tag
        const from = bits.at;
        if (!skipChannelStream(bits, header.samplingIndex)) return undefined;
        found.push({ from, to: bits.at });
        break;
      }
      case FILL:
        skipFill(bits);
        break;
      case DATA_STREAM:
        skipDataStream(bits);
        break;
      case END:
        return found;
      default:
        return undefined;
    }
  }
  return undefined;
}

function stereoHeader(frame: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const stereo = new Uint8Array(length);
  stereo.set(frame.subarray(0, ADTS_HEADER));
  stereo[1] = (frame[1] as number) | 0x01; // protection_absent: a CRC would cover the old elements
  stereo[2] = (frame[2] as number) & 0xfe;
  stereo[3] = ((frame[3] as number) & 0x3f) | (STEREO << 6);
  stereo[6] = (frame[6] as number) & 0xfc; // one raw_data_block
  setFrameLength(stereo, length);
  return stereo;
}

function stereoFrame(frame: Uint8Array, { from, to }: BitRange): Uint8Array {
  const size = to - from;
  // Element, tag, common_window, both channels, END.
  const length = ADTS_HEADER + Math.ceil((3 + 4 + 1 + 2 * size + 3) / 8);
  if (length > MAX_FRAME) return silentLike(frame);
  const stereo = stereoHeader(frame, length);
  // id_syn_ele 001, tag 0000, common_window 0.
  stereo[ADTS_HEADER] = 0b0010_0000;
  const first = (ADTS_HEADER + 1) * 8;
  copyBits(frame, from, size, stereo, first);
  copyBits(frame, from, size, stereo, first + size);
  copyBits(Uint8Array.of(0b1110_0000), 0, 3, stereo, first + 2 * size);
  return stereo;
}

/** A silent frame with the sampling frequency of another. */
function silentLike(frame: Uint8Array): Uint8Array {
  const silent = stereoHeader(frame, SILENT_FRAME.length);
  silent.set(SILENT_FRAME.slice(ADTS_HEADER), ADTS_HEADER);
  return silent;
}

interface SplitFrame {
  readonly main: Uint8Array;
  /** Undefined: the frame has one programme. */
  readonly sub: Uint8Array | undefined;
}

/**
 * The programmes of a complete ADTS frame. Mono becomes stereo, other frames are returned as they are. Two programmes in
 * a damaged frame are replaced by silence: a client must not lose the second stream for it.
 */
export function splitFrame(frame: Uint8Array): SplitFrame {
  const header = readAdtsHeader(frame, 0);
  if (header === undefined || header.frameLength !== frame.length) return { main: frame, sub: undefined };
  const { channelConfiguration, headerLength } = header;
  const element = (frame[headerLength] as number) >> 5;
  const isSingle = channelConfiguration === 1 || (channelConfiguration === 0 && element === SINGLE_CHANNEL);
  if (!isSingle) return { main: frame, sub: undefined };
  const blocks = (frame[6] as number) & 0x03;
  const [main, sub] = (blocks === 0 ? singleChannels(frame, header) : undefined) ?? [];
  if (channelConfiguration === 1)
    return { main: main === undefined ? silentLike(frame) : stereoFrame(frame, main), sub: undefined };
  const silent = silentLike(frame);
  if (main === undefined) return { main: silent, sub: silent };
  return {
    main: stereoFrame(frame, main),
    sub: sub === undefined ? undefined : stereoFrame(frame, sub),
  };
}
