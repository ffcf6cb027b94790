/**
 * Data groups of captions: management data, statements and the data units in both. ARIB STD-B24 vol. 1 part
 * 3, chapter 9; restricted by ARIB TR-B14 vol. 3 section 2, chapter 4.
 */
import { wrapTicks } from '../clock.ts';
import { ByteWriter, concat } from '../si/bytes.ts';

const CRC_TABLE = new Uint16Array(256);
for (let i = 0; i < 256; i++) {
  let value = i << 8;
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000 ? (value << 1) ^ 0x1021 : value << 1;
  CRC_TABLE[i] = value;
}

/** CRC_16: polynomial 0x1021, most significant bit first, from zero. */
export function crc16(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (CRC_TABLE[(value >> 8) ^ byte] as number)) & 0xffff;
  return value;
}

/** Two sets of data_group_ids; receivers read management data again when the set changes. */
export type Group = 'A' | 'B';

const GROUP_B = 0x20;
/** Time control mode: free. The six bits after it are reserved. */
const FREE_TIME = 0x3f;
const UNIT_SEPARATOR = 0x1f;
const MAX_GROUP = 0xffff;

/** data_group() with its CRC_16. @param id 0 management, 1 and 2 the statements of a language */
function dataGroup(group: Group, id: number, data: Uint8Array): Uint8Array {
  if (data.length > MAX_GROUP) throw new RangeError(`data group of ${data.length} bytes`);
  const writer = new ByteWriter()
    .u8((id | (group === 'B' ? GROUP_B : 0)) << 2)
    // data_group_link_number and last_data_group_link_number: one group, not linked.
    .u16(0)
    .u16(data.length)
    .bytes(data);
  return writer.u16(crc16(writer.done())).done();
}

/** data_unit_parameter. */
export const UNIT = { text: 0x20, drcs1: 0x30, drcs2: 0x31 } as const;

export function dataUnit(parameter: number, data: Uint8Array): Uint8Array {
  return new ByteWriter().u8(UNIT_SEPARATOR).u8(parameter).u24(data.length).bytes(data).done();
}

/**
 * Display modes, live in the high, recorded in the low two bits: chosen by the viewer, or always as for
 * superimposed text.
 */
export const DISPLAY = { chosen: 0b1010, always: 0b0000 } as const;

interface ManagedLanguage {
  /** ISO 639-2. */
  code: string;
  displayMode: number;
}

/** Format of horizontal writing on 960 by 540 dots, 8-unit code, no roll-up. */
const HORIZONTAL_960_540 = 0x80;

/** caption_management_data(). */
export function managementGroup(group: Group, languages: readonly ManagedLanguage[]): Uint8Array {
  const writer = new ByteWriter().u8(FREE_TIME).u8(languages.length);
  for (const [tag, { code, displayMode }] of languages.entries()) {
    writer
      .u8((tag << 5) | 0x10 | displayMode)
      .letters(code)
      .u8(HORIZONTAL_960_540);
  }
  return dataGroup(group, 0, writer.u24(0).done());
}

/** caption_data() of a language. @param language 0 for the first, 1 for the second */
export function statementGroup(group: Group, language: number, units: readonly Uint8Array[]): Uint8Array {
  const loop = concat(units);
  return dataGroup(group, language + 1, new ByteWriter().u8(FREE_TIME).u24(loop.length).bytes(loop).done());
}

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
