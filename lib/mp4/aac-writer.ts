/**
 * Writes AAC as fragmented MP4: the audio of a broadcast in a form that a media source accepts, with unchanged
 * frames. ISO/IEC 14496-12 (boxes), 14496-14 5.6 (mp4a, esds), 14496-3 1.6.2.1 (AudioSpecificConfig).
 */
import { joinBytes } from '../arib/join-bytes.ts';

interface AacConfig {
  /** audio object type minus one, as in ADTS; 1 is low complexity. */
  readonly profile: number;
  /** Index into the sampling frequencies, ISO/IEC 14496-3 table 1.18. */
  readonly samplingIndex: number;
  /** 1 to 7; 6 is 5.1. */
  readonly channelConfiguration: number;
}

export const AAC_MIME = 'audio/mp4; codecs="mp4a.40.2"';
export const AAC_FRAME_SAMPLES = 1024;

const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000];
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8];
const TRACK = 1;
/** Flags of samples that can all be decoded independently. */
const SYNC_SAMPLE = 0x02000000;

/** Hz; undefined for a reserved index. */
export function samplingRate(index: number): number | undefined {
  return RATES[index];
}

function u8(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

function u16(value: number): Uint8Array {
  return u8((value >> 8) & 255, value & 255);
}

function u32(value: number): Uint8Array {
  return u8((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

function text(value: string): Uint8Array {
  return Uint8Array.from(value, (letter) => letter.charCodeAt(0));
}

function box(type: string, ...parts: Uint8Array[]): Uint8Array {
  const body = joinBytes(parts);
  return joinBytes([u32(body.length + 8), text(type), body]);
}

function fullBox(type: string, version: number, flags: number, ...parts: Uint8Array[]): Uint8Array {
  return box(type, u8(version), u32(flags).subarray(1), ...parts);
}

const zeros = (count: number): Uint8Array => new Uint8Array(count);
/** Unity, 16.16 and 2.30 fixed point. */
const MATRIX = joinBytes([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

/** A descriptor of ISO/IEC 14496-1, shorter than 128 octets. */
function descriptor(tag: number, ...parts: Uint8Array[]): Uint8Array {
  const body = joinBytes(parts);
  return joinBytes([u8(tag, body.length), body]);
}

function esds({ profile, samplingIndex, channelConfiguration }: AacConfig): Uint8Array {
  const config = ((profile + 1) << 11) | (samplingIndex << 7) | (channelConfiguration << 3);
  const specific = descriptor(0x05, u16(config));
  // MPEG-4 audio, audio stream; buffer and bit rates unknown.
  const decoder = descriptor(0x04, u8(0x40, 0x15), zeros(3), u32(0), u32(0), specific);
  const stream = descriptor(0x03, u16(TRACK), u8(0), decoder, descriptor(0x06, u8(0x02)));
  return fullBox('esds', 0, 0, stream);
}

/** The initialisation segment; undefined for a configuration without valid rate or channels. */
export function aacInitSegment(config: AacConfig): Uint8Array | undefined {
  const rate = RATES[config.samplingIndex];
  const channels = CHANNELS[config.channelConfiguration];
  if (rate === undefined || channels === undefined || channels === 0) return undefined;
  const entry = box(
    'mp4a',
    ...[zeros(6), u16(1), zeros(8), u16(channels), u16(16), zeros(4), u32(rate * 65536)],
    esds(config),
  );
  const empty = u32(0);
  const tables = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    fullBox('stts', 0, 0, empty),
    fullBox('stsc', 0, 0, empty),
    fullBox('stsz', 0, 0, empty, empty),
    fullBox('stco', 0, 0, empty),
  );
  const data = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)));
  const media = box(
    'mdia',
    // Language: undetermined.
    fullBox('mdhd', 0, 0, zeros(8), u32(rate), u32(0), u16(0x55c4), u16(0)),
    fullBox('hdlr', 0, 0, u32(0), text('soun'), zeros(12), u8(0)),
    box('minf', fullBox('smhd', 0, 0, u32(0)), data, tables),
  );
  const header = fullBox(
    'tkhd',
    0,
    3,
    zeros(8),
    u32(TRACK),
    zeros(8),
    zeros(12),
    u16(0x0100),
    u16(0),
    MATRIX,
    zeros(8),
  );
  const movie = fullBox(
    'mvhd',
    0,
    0,
    zeros(8),
    u32(1000),
    u32(0),
    u32(0x10000),
    u16(0x0100),
    zeros(10),
    MATRIX,
    zeros(24),
    u32(2),
  );
  const defaults = box(
    'mvex',
    fullBox('trex', 0, 0, u32(TRACK), u32(1), u32(AAC_FRAME_SAMPLES), u32(0), u32(SYNC_SAMPLE)),
  );
  return joinBytes([
    box('ftyp', text('isom'), u32(0x200), text('isomiso5mp41')),
    box('moov', movie, box('trak', header, media), defaults),
  ]);
}

/** A fragment of raw AAC frames. @param start decode time of the first one, in samples */
export function aacFragment(
  sequence: number,
  start: number,
  frames: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const sizes = joinBytes(frames.map((frame) => u32(frame.length)));
  const build = (dataOffset: number): Uint8Array =>
    box(
      'moof',
      fullBox('mfhd', 0, 0, u32(sequence)),
      box(
        'traf',
        // default-base-is-moof
        fullBox('tfhd', 0, 0x020000, u32(TRACK)),
        fullBox('tfdt', 1, 0, u32(Math.floor(start / 2 ** 32)), u32(start % 2 ** 32)),
        // data-offset, sample-size
        fullBox('trun', 0, 0x000201, u32(frames.length), u32(dataOffset), sizes),
      ),
    );
  const header = build(build(0).length + 8);
  const length = frames.reduce((size, frame) => size + frame.length, 8);
  return joinBytes([header, u32(length), text('mdat'), ...frames]);
}
