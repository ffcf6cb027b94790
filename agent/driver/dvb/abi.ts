/**
 * The Linux DVB API, version 5, : numbers and structures: `linux/dvb/frontend.h` and `dmx.h` of Linux 6.1 for 64-bit
 * little-endian machines. Only what reception of ISDB-T and ISDB-S needs.
 */

export const FE_GET_INFO = 0x80a86f3d;
export const FE_READ_STATUS = 0x80046f45;
export const FE_SET_VOLTAGE = 0x6f43;
export const FE_SET_PROPERTY = 0x40106f52;
export const FE_GET_PROPERTY = 0x80106f53;
export const DMX_SET_BUFFER_SIZE = 0x6f2d;
export const DMX_SET_PES_FILTER = 0x40146f2c;

export const DTV_TUNE = 1;
export const DTV_CLEAR = 2;
export const DTV_FREQUENCY = 3;
export const DTV_BANDWIDTH_HZ = 5;
export const DTV_DELIVERY_SYSTEM = 0x11;
export const DTV_STREAM_ID = 0x2a;
export const DTV_ENUM_DELSYS = 0x2c;
export const DTV_STAT_SIGNAL_STRENGTH = 0x3e;
export const DTV_STAT_CNR = 0x3f;

export const SYS_ISDBT = 8;
export const SYS_ISDBS = 9;

/** Named 18 V in the API; drivers of Japanese receivers supply the 15 V of ARIB STD-B21. */
export const SEC_VOLTAGE_18 = 1;
export const SEC_VOLTAGE_OFF = 2;

export const FE_HAS_LOCK = 16;

export const PROPERTY_BYTES = 76;
export const INFO_BYTES = 168;
export const PES_FILTER_BYTES = 20;

const NAME_BYTES = 128;
/** `cmd` @0, `u` @16. In `u`: `data`, or `buffer.data[32]` and `buffer.len` @32, or `st`. */
const UNION_OFFSET = 16;
const BUFFER_LENGTH_OFFSET = 48;
const MAX_BUFFER = 32;
/** `struct dtv_fe_stats`: `len` u8, then entries of `scale` u8 and a 64-bit value, packed. */
const STATS_ENTRY = UNION_OFFSET + 1;

const SCALE_DECIBEL = 1;
const SCALE_RELATIVE = 2;

/** An array of `struct dtv_property` from commands and values. */
export function propertyArray(
  properties: readonly (readonly [command: number, value: number])[],
): Uint8Array {
  const bytes = new Uint8Array(properties.length * PROPERTY_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, [command, value]] of properties.entries()) {
    view.setUint32(index * PROPERTY_BYTES, command, true);
    view.setUint32(index * PROPERTY_BYTES + UNION_OFFSET, value >>> 0, true);
  }
  return bytes;
}

/** The `index`-th property's value as octets, such as the list of delivery systems. */
export function propertyBuffer(properties: Uint8Array, index: number): number[] {
  const start = index * PROPERTY_BYTES;
  const view = new DataView(properties.buffer, properties.byteOffset);
  const length = Math.min(view.getUint32(start + BUFFER_LENGTH_OFFSET, true), MAX_BUFFER);
  return [...properties.subarray(start + UNION_OFFSET, start + UNION_OFFSET + length)];
}

export type Statistic =
  /** dB, or dBm for a strength. */
  | { readonly scale: 'decibel'; readonly value: number }
  /** 0 to 1 of a device-specific range. */
  | { readonly scale: 'relative'; readonly value: number };

/** The first entry (the complete channel) of the `index`-th property as a statistic; undefined if there is none. */
export function propertyStatistic(properties: Uint8Array, index: number): Statistic | undefined {
  const start = index * PROPERTY_BYTES;
  if (properties[start + UNION_OFFSET] === 0) return undefined;
  const view = new DataView(properties.buffer, properties.byteOffset);
  const value = view.getBigInt64(start + STATS_ENTRY + 1, true);
  switch (properties[start + STATS_ENTRY]) {
    case SCALE_DECIBEL:
      return { scale: 'decibel', value: Number(value) / 1000 };
    case SCALE_RELATIVE:
      return { scale: 'relative', value: Number(BigInt.asUintN(16, value)) / 0xffff };
    default:
      return undefined;
  }
}

export interface FrontendInfo {
  readonly name: string;
}

/** `struct dvb_frontend_info`. */
export function parseFrontendInfo(bytes: Uint8Array): FrontendInfo {
  const name = new TextDecoder().decode(bytes.subarray(0, NAME_BYTES));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the name is a C string of a driver
  return { name: (name.split('\0')[0] ?? '').replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() };
}

/**
 * `struct dmx_pes_filter_params` that passes the complete transport stream to the dvr device, starting immediately.
 */
export function wholeStreamFilter(): Uint8Array {
  const ALL_PIDS = 0x2000;
  const INPUT_FRONTEND = 0;
  const OUTPUT_TS_TAP = 2;
  const PES_OTHER = 20;
  const IMMEDIATE_START = 4;
  const bytes = new Uint8Array(PES_FILTER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, ALL_PIDS, true);
  view.setUint32(4, INPUT_FRONTEND, true);
  view.setUint32(8, OUTPUT_TS_TAP, true);
  view.setUint32(12, PES_OTHER, true);
  view.setUint32(16, IMMEDIATE_START, true);
  return bytes;
}
