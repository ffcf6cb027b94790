/**
 * Sounds of the pages: AIFF-C of 16 bits and one channel at 12 kHz, and MPEG-2 AAC in ADTS. ARIB STD-B24 vol. 1 part 2,
 * 6; ISO/IEC 13818-7.
 */
import { BitWriter } from '../media/adts-frame.ts';
import { ByteWriter, concat, encodeLatin } from '../si/bytes.ts';

const RATE = 12_000;
/** 12000 as an 80-bit float. */
const RATE_EXTENDED = [0x40, 0x0c, 0xbb, 0x80, 0, 0, 0, 0, 0, 0];
/** AIFF-C version 1. */
const AIFC_VERSION = 0xa280_5140;

function iffChunk(name: string, body: Uint8Array): Uint8Array {
  return new ByteWriter().bytes(encodeLatin(name)).u32(body.length).bytes(body).done();
}

/** Two tones, one after the other, that fade out. */
export function chimeAiff(first: number, second: number, seconds: number): Uint8Array {
  const count = Math.round(RATE * seconds);
  const samples = new ByteWriter().u32(0).u32(0);
  for (let at = 0; at < count; at++) {
    const half = at < count / 2 ? 0 : count / 2;
    const fade = Math.exp((-6 * (at - half)) / count);
    const tone = Math.sin((2 * Math.PI * (half === 0 ? first : second) * at) / RATE);
    samples.u16(Math.round(9_000 * fade * tone) & 0xffff);
  }
  const common = new ByteWriter().u16(1).u32(count).u16(16).bytes(RATE_EXTENDED);
  common.bytes(encodeLatin('NONE')).counted8(encodeLatin('not compressed')).u8(0);
  const body = concat([
    encodeLatin('AIFC'),
    iffChunk('FVER', new ByteWriter().u32(AIFC_VERSION).done()),
    iffChunk('COMM', common.done()),
    iffChunk('SSND', samples.done()),
  ]);
  return iffChunk('FORM', body);
}

const FRAME_BYTES = 32;
/** Low complexity, 24 kHz, one channel; MPEG-2, no CRC. */
const PROFILE = 1;
const RATE_INDEX = 6;
/** Codebook 1: four values of -1, 0 or 1. ISO/IEC 13818-7, tables A.2 and A.1. */
const CODEBOOK = 1;
const QUAD_SILENT = { code: 0, bits: 1 };
const QUAD_LAST = { code: 0x14, bits: 5 };
/** The delta 0 between scale factors. */
const SAME_SCALE = { code: 0, bits: 1 };
/** Bands of four lines, up to that with the tone. */
const BANDS = 6;
const GAIN = 192;

/** A buzz at about 260 Hz: the same line of the spectrum in each frame. */
export function buzzAac(frames: number): Uint8Array {
  const writer = new BitWriter(FRAME_BYTES, 0);
  const put = (value: number, bits: number) => {
    for (let left = bits; left > 0; left -= 8) writer.put(value >> Math.max(0, left - 8), Math.min(8, left));
  };
  put(0xfff9, 16); // syncword, ID 1, layer 0, protection_absent
  put(PROFILE, 2);
  put(RATE_INDEX, 4);
  put(0, 1); // private_bit
  put(1, 3); // channel_configuration
  put(0, 4); // original, home, copyright identification
  put(FRAME_BYTES, 13);
  put(0x7ff, 11); // adts_buffer_fullness: variable bit rate
  put(0, 2); // one raw data block
  put(0, 7); // single_channel_element, element_instance_tag
  put(GAIN, 8);
  put(0, 4); // ics_reserved_bit, long window, sine window
  put(BANDS, 6); // max_sfb
  put(0, 1); // predictor_data_present
  put(CODEBOOK, 4);
  put(BANDS, 5); // sect_len
  for (let band = 0; band < BANDS; band++) put(SAME_SCALE.code, SAME_SCALE.bits);
  put(0, 3); // pulse, TNS, gain control
  for (let band = 0; band < BANDS; band++) {
    const quad = band === BANDS - 1 ? QUAD_LAST : QUAD_SILENT;
    put(quad.code, quad.bits);
  }
  // A fill element takes the rest, then END.
  put(6, 3);
  // cnt 4; above 14 bytes, esc_count 8 takes the first of them.
  const fill = Math.floor((FRAME_BYTES * 8 - writer.at - 4 - 3) / 8);
  put(15, 4);
  put(fill - 15, 8);
  for (let left = fill - 1; left > 0; left--) put(0, 8);
  put(7, 3);
  const frame = new Uint8Array(FRAME_BYTES);
  frame.set(writer.done());
  return concat(Array.from({ length: frames }, () => frame));
}
