/**
 * Finds access units that a decoder can use in the payloads of one PID, by start codes and headers alone: cheap enough
 * for eight recordings, and random octets contain none. Wrong data inside an otherwise complete unit is not detected.
 */
import { ADTS_HEADER, readAdtsHeader } from '../../lib/arib/aac/adts.ts';
import type { VideoKind } from '../model/encoding.ts';

export interface AccessUnits {
  /**
   * Takes the payload of the next packet of the PID. @param isStart a PES packet begins with it @returns whether at
   * least one usable unit was found
   */
  feed(bytes: Uint8Array, from: number, to: number, isStart: boolean): boolean;
  /** The broadcaster ended the sequence after the last unit, as before another format: that unit stays on screen. */
  readonly isEnded?: boolean;
}

/** stream_id of video (1110 xxxx) and audio (110x xxxx), ISO/IEC 13818-1 table 2-22. */
const VIDEO_IDS = { mask: 0xf0, value: 0xe0 };
const AUDIO_IDS = { mask: 0xe0, value: 0xc0 };
const PES_HEADER = 9;

/** Start of the data of the PES packet at `from`; undefined if none of these ids begins there. */
function pesData(
  bytes: Uint8Array,
  from: number,
  to: number,
  ids: { mask: number; value: number },
): number | undefined {
  if (from + PES_HEADER > to || bytes[from] !== 0 || bytes[from + 1] !== 0 || bytes[from + 2] !== 1) return;
  if (((bytes[from + 3] as number) & ids.mask) !== ids.value) return;
  return from + PES_HEADER + (bytes[from + 8] as number);
}

/** Start codes, ISO/IEC 13818-2 table 6-1. */
const PICTURE = 0x00;
const LAST_SLICE = 0xaf;
const SEQUENCE = 0xb3;
const SEQUENCE_END = 0xb7;
/** picture_coding_type: intra, predictive, bidirectional. */
const LAST_CODING_TYPE = 3;
const ROW_LINES = 16;
/** A field has half of the rows, and half of those may be lost. */
const USABLE_PART = 4;
/** Octets after a start code that are read here. */
const LOOKAHEAD = 4;

/** nal_unit_type of coded slices, access unit delimiters, end of sequence: ITU-T H.264 table 7-1, H.265 table 7-1. */
const AVC = { slices: [1, 5] as readonly number[], delimiter: 9, end: 10 };
const HEVC = { lastSlice: 31, delimiter: 35, end: 36 };

/** Pictures: of MPEG-2 with enough of their slices in order, of the others with a slice. */
export class Pictures implements AccessUnits {
  /** The last three octets. */
  #tail = 0xffffff;
  #isVideo = false;
  /** Slices required of a picture; from its sequence header. */
  #required = 1;
  #slices = 0;
  #row = 0;
  /** A picture has begun and is not usable yet. */
  #isPending = false;
  #isFound = false;
  isEnded = false;

  constructor(readonly kind: VideoKind) {}

  feed(bytes: Uint8Array, from: number, to: number, isStart: boolean): boolean {
    if (isStart) {
      this.#isVideo = pesData(bytes, from, to, VIDEO_IDS) !== undefined;
      this.#tail = 0xffffff;
      // In the other formats a PES packet begins with an access unit.
      this.#isPending = this.kind !== 'mpeg2';
    }
    if (!this.#isVideo) return false;
    this.#isFound = false;
    const edge = Math.min(to, from + 3);
    for (let at = from; at < edge; at += 1) {
      if (this.#tail === 1) this.#code(bytes, at, to);
      this.#tail = ((this.#tail << 8) | (bytes[at] as number)) & 0xffffff;
    }
    // An octet above 1 cannot be part of a start code prefix: most octets are skipped in steps of three.
    let at = from + 2;
    while (at + 1 < to) {
      const octet = bytes[at] as number;
      if (octet === 0) at += 1;
      else {
        if (octet === 1 && bytes[at - 1] === 0 && bytes[at - 2] === 0) this.#code(bytes, at + 1, to);
        at += 3;
      }
    }
    if (to - from > 3) {
      this.#tail =
        ((bytes[to - 3] as number) << 16) | ((bytes[to - 2] as number) << 8) | (bytes[to - 1] as number);
    }
    return this.#isFound;
  }

  /** @param at position of the octet after the prefix */
  #code(bytes: Uint8Array, at: number, to: number): void {
    const code = bytes[at] as number;
    if (this.kind === 'mpeg2') this.#startCode(code, bytes, at, to);
    else if (code < 0x80) this.#nalUnit(this.kind === 'h264' ? code & 0x1f : code >> 1);
  }

  #startCode(code: number, bytes: Uint8Array, at: number, to: number): void {
    if (code === PICTURE) {
      // temporal_reference has 10 bits, picture_coding_type the next 3; at the end of a packet they are not read.
      const type = at + 2 < to ? ((bytes[at + 2] as number) >> 3) & 7 : 1;
      this.#isPending = type >= 1 && type <= LAST_CODING_TYPE;
      this.#slices = 0;
      this.#row = 0;
    } else if (code <= LAST_SLICE) {
      if (!this.#isPending || code <= this.#row) return;
      this.#row = code;
      this.#slices += 1;
      if (this.#slices >= this.#required) this.#found();
    } else if (code === SEQUENCE_END) this.isEnded = true;
    else if (code === SEQUENCE && at + LOOKAHEAD <= to) {
      const lines = (((bytes[at + 2] as number) & 0x0f) << 8) | (bytes[at + 3] as number);
      this.#required = Math.min(LAST_SLICE, Math.max(1, Math.floor(lines / ROW_LINES / USABLE_PART)));
    }
  }

  #nalUnit(type: number): void {
    const { delimiter, end } = this.kind === 'h264' ? AVC : HEVC;
    const isSlice = this.kind === 'h264' ? AVC.slices.includes(type) : type <= HEVC.lastSlice;
    if (isSlice && this.#isPending) this.#found();
    else if (type === delimiter) this.#isPending = true;
    else if (type === end) this.isEnded = true;
  }

  #found(): void {
    this.#isPending = false;
    this.#isFound = true;
    this.isEnded = false;
  }
}

/** AAC frames in ADTS, each of which ends where the next one begins. ISO/IEC 13818-7 6.2. */
export class SoundFrames implements AccessUnits {
  #isAudio = false;
  /** Octets of the current frame that are still to come. */
  #left = 0;
  readonly #header = new Uint8Array(ADTS_HEADER);
  #held = 0;
  /** The last frame had a header, and its end is the next octet. */
  #isInStep = false;
  /** The frame before it also ended where it should. */
  #isConfirmed = false;

  feed(bytes: Uint8Array, from: number, to: number, isStart: boolean): boolean {
    let at = from;
    if (isStart) {
      const data = pesData(bytes, from, to, AUDIO_IDS);
      this.#isAudio = data !== undefined;
      at = data ?? to;
      // A sync word found in other data may belong to a frame that does not exist.
      const isInFrame = this.#left + this.#held > 0 && !this.#isConfirmed;
      if (isInFrame && at + 1 < to && isSyncWord(bytes[at] as number, bytes[at + 1] as number)) {
        this.#left = this.#held = 0;
        this.#isInStep = false;
      }
    }
    if (!this.#isAudio) return false;
    let isFound = false;
    while (at < to) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, to - at);
        this.#left -= passed;
        at += passed;
      } else {
        isFound = this.#octet(bytes[at] as number) || isFound;
        at += 1;
      }
    }
    return isFound;
  }

  /** Takes an octet of a header. @returns whether it completes the frame before it */
  #octet(octet: number): boolean {
    this.#header[this.#held] = octet;
    this.#held += 1;
    const isSync = this.#held === 1 ? octet === 0xff : this.#held > 2 || isSyncWord(0xff, octet);
    if (!isSync) {
      this.#isInStep = this.#isConfirmed = false;
      // The second octet may be the first of the next sync word.
      this.#held = octet === 0xff ? 1 : 0;
      return false;
    }
    if (this.#held < ADTS_HEADER) return false;
    this.#held = 0;
    const header = readAdtsHeader(this.#header, 0);
    const isFound = this.#isInStep && header !== undefined;
    this.#isInStep = header !== undefined;
    this.#isConfirmed = isFound;
    this.#left = header === undefined ? 0 : header.frameLength - ADTS_HEADER;
    return isFound;
  }
}

/** syncword of 12 bits, layer 0: ISO/IEC 13818-7 6.2.1. */
function isSyncWord(first: number, second: number): boolean {
  return first === 0xff && (second & 0xf6) === 0xf0;
}

/** Audio of other formats: PES packets. */
export class SoundPackets implements AccessUnits {
  feed(bytes: Uint8Array, from: number, to: number, isStart: boolean): boolean {
    return isStart && pesData(bytes, from, to, AUDIO_IDS) !== undefined;
  }
}
