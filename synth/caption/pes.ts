/** PES packets that carry a data group each: ARIB STD-B24 vol. 3, 5 (independent PES) and vol. 1 part 3, 9.2. */
import { wrapTicks } from '../clock.ts';
import { ByteWriter } from '../si/bytes.ts';

const PRIVATE_STREAM_1 = 0xbd;
const PRIVATE_STREAM_2 = 0xbf;
const START_CODE = 0x000001;
/** '10', not scrambled, aligned with the data that it carries. */
const ALIGNED = 0x84;
const PTS_ONLY = 0x80;
const PTS_LENGTH = 5;
/** Bytes of a PES header after PES_packet_length. */
const HEADER_REST = 3 + PTS_LENGTH;
const CAPTION = 0x80;
const SUPERIMPOSE = 0x81;
const PRIVATE_STREAM_ID = 0xff;
/** Four reserved bits; PES_data_packet_header_length 0. */
const NO_DATA_HEADER = 0xf0;
const DATA_HEADER = 3;

/** Synchronised with the programme. @param ticks unwrapped 90 kHz time of its presentation */
export function captionPes(ticks: number, dataGroup: Uint8Array): Uint8Array {
  const pts = wrapTicks(ticks);
  const high = Math.floor(pts / 2 ** 30);
  const middle = Math.floor(pts / 2 ** 15) & 0x7fff;
  return new ByteWriter()
    .u24(START_CODE)
    .u8(PRIVATE_STREAM_1)
    .u16(HEADER_REST + DATA_HEADER + dataGroup.length)
    .u8(ALIGNED)
    .u8(PTS_ONLY)
    .u8(PTS_LENGTH)
    .u8(0x20 | (high << 1) | 1)
    .u16((middle << 1) | 1)
    .u16(((pts & 0x7fff) << 1) | 1)
    .u8(CAPTION)
    .u8(PRIVATE_STREAM_ID)
    .u8(NO_DATA_HEADER)
    .bytes(dataGroup)
    .done();
}

/** Presented on arrival: without a header, and so without a time stamp. */
export function superimposePes(dataGroup: Uint8Array): Uint8Array {
  return new ByteWriter()
    .u24(START_CODE)
    .u8(PRIVATE_STREAM_2)
    .u16(DATA_HEADER + dataGroup.length)
    .u8(SUPERIMPOSE)
    .u8(PRIVATE_STREAM_ID)
    .u8(NO_DATA_HEADER)
    .bytes(dataGroup)
    .done();
}
