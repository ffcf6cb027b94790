/**
 * Makes dual mono decodable for decoders that only know channels by configuration.
 *
 * Japanese broadcasts send two programmes (main and sub) in one stream as frames of two single channel elements with
 * channel_configuration 0 and no program_config_element (ARIB STD-B32 part 2). General decoders reject such frames. A
 * program_config_element that declares two front channels makes each frame an ordinary two-channel one: left is main,
 * right is sub. The element is exactly seven octets long, so that the following data is not shifted by bits. The
 * audio is neither decoded nor changed.
 */
import { joinBytes } from '../join-bytes.ts';
import { ADTS_HEADER, type AdtsHeader, readAdtsHeader, setFrameLength } from './adts.ts';

/** id_syn_ele of ISO/IEC 13818-7 table 11, three bits. */
const SINGLE_CHANNEL_ELEMENT = 0b000;
const MAX_FRAME_LENGTH = 0x1fff;
/** Header, CRC and the first octet of the payload. */
const LOOK_AHEAD = 10;

export const CONFIG_LENGTH = 7;

/** Whether the frame that starts at `offset` is dual mono without its own configuration. */
export function isBareDualMono(bytes: Uint8Array, offset: number): boolean {
  const header = readAdtsHeader(bytes, offset);
  return header !== undefined && needsConfig(header, bytes, offset);
}

function needsConfig(header: AdtsHeader, bytes: Uint8Array, offset: number): boolean {
  const first = bytes[offset + header.headerLength];
  return header.channelConfiguration === 0 && first !== undefined && first >> 5 === SINGLE_CHANNEL_ELEMENT;
}

/**
 * program_config_element of two front single channel elements, tags 0 and 1, preceded by its id_syn_ele: 47 bits, one
 * of byte_alignment, an empty comment. ISO/IEC 13818-7 6.3, table 25.
 */
export function twoChannelConfig(profile: number, samplingIndex: number): Uint8Array {
  const bits = [
    [0b101, 3], // id_syn_ele
    [0, 4], // element_instance_tag
    [profile, 2],
    [samplingIndex, 4],
    [2, 4], // num_front_channel_elements
    [0, 4], // num_side_channel_elements
    [0, 4], // num_back_channel_elements
    [0, 2], // num_lfe_channel_elements
    [0, 3], // num_assoc_data_elements
    [0, 4], // num_valid_cc_elements
    [0, 3], // mono, stereo and matrix mixdown: none
    [0, 5], // front element 0: single channel, tag 0
    [1, 5], // front element 1: single channel, tag 1
    [0, 1], // byte_alignment
    [0, 8], // comment_field_bytes
  ] as const;
  const config = new Uint8Array(CONFIG_LENGTH);
  let position = 0;
  for (const [value, width] of bits) {
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      const octet = position >> 3;
      config[octet] = (config[octet] as number) | (((value >> bit) & 1) << (7 - (position & 7)));
      position += 1;
    }
  }
  return config;
}

/** Rewrites an ADTS stream in pieces of any size; frames that need no change pass unchanged. */
export class DualMonoConfigurer {
  /** The start of a frame with an incomplete header: fewer than LOOK_AHEAD octets. */
  #held = new Uint8Array(0);
  /** Octets of the current frame that pass unchanged. */
  #passing = 0;

  reset(): void {
    this.#held = new Uint8Array(0);
    this.#passing = 0;
  }

  /** Returns the rewritten piece; up to LOOK_AHEAD - 1 octets wait for the next piece. */
  feed(piece: Uint8Array): Uint8Array {
    const input = new Uint8Array(this.#held.length + piece.length);
    input.set(this.#held);
    input.set(piece, this.#held.length);
    const parts: Uint8Array[] = [];
    let at = 0;
    while (at < input.length) {
      if (this.#passing > 0) {
        const end = Math.min(input.length, at + this.#passing);
        parts.push(input.subarray(at, end));
        this.#passing -= end - at;
        at = end;
        continue;
      }
      if (input.length - at < LOOK_AHEAD) break;
      at = this.#frame(input, at, parts);
    }
    this.#held = input.slice(at);
    return joinBytes(parts);
  }

  /** Handles the octets where a frame should start; returns where to continue. */
  #frame(input: Uint8Array, at: number, parts: Uint8Array[]): number {
    const header = readAdtsHeader(input, at);
    if (header === undefined) {
      // Not in sync: keeps everything up to a possible next frame.
      let next = at + 1;
      while (next < input.length && input[next] !== 0xff) next += 1;
      parts.push(input.subarray(at, next));
      return next;
    }
    const longer = header.frameLength + CONFIG_LENGTH;
    if (!needsConfig(header, input, at) || longer > MAX_FRAME_LENGTH) {
      this.#passing = header.frameLength;
      return at;
    }
    const start = input.slice(at, at + ADTS_HEADER);
    setFrameLength(start, longer);
    // A CRC over the old header would be wrong: the frame is written without one.
    if (header.headerLength > ADTS_HEADER) {
      start[1] = (start[1] as number) | 0x01;
      setFrameLength(start, longer - (header.headerLength - ADTS_HEADER));
    }
    parts.push(start, twoChannelConfig(header.profile, header.samplingIndex));
    this.#passing = header.frameLength - header.headerLength;
    return at + header.headerLength;
  }
}
