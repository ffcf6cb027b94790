/** The pictures of a station's logo in the six sizes that receivers use: ARIB STD-B21; TR-B14 vol. 4. */
import { deflateSync } from 'node:zlib';
import { hash } from '../random.ts';
import type { ChannelPlan, StationPlan } from '../scenario/model.ts';
import { ByteWriter, concat } from '../si/bytes.ts';
import { drawEmblem, type Emblem, SHAPES } from './draw.ts';

/**
 * Pictures as logos are broadcast: PNG (ISO/IEC 15948) of palette numbers, eight bits each, without the
 * palette itself, which receivers contain: ARIB STD-B21; TR-B14 vol. 4.
 */
export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const INDEXED = 3;

/**
 * CRC of ISO/IEC 15948 Annex D: that of ISO 3309, with the bits reversed compared with the one of sections.
 */
function pngCrc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** A chunk of PNG or MNG. */
export function chunk(name: string, body: Uint8Array): Uint8Array {
  const named = concat([new TextEncoder().encode(name), body]);
  return new ByteWriter().u32(body.length).bytes(named).u32(pngCrc(named)).done();
}

/** @param numbers of colours, row by row */
export function palettelessPng(width: number, height: number, numbers: Uint8Array): Uint8Array {
  return concat([SIGNATURE, ...indexedChunks(width, height, numbers)]);
}

/**
 * The chunks of a picture of palette numbers. @param palette chunks between header and data, which receivers ignore
 */
export function indexedChunks(
  width: number,
  height: number,
  numbers: Uint8Array,
  palette: readonly Uint8Array[] = [],
): Uint8Array[] {
  const header = new ByteWriter().u32(width).u32(height).u8(8).u8(INDEXED).u8(0).u8(0).u8(0);
  const rows = new Uint8Array(height * (width + 1));
  // Each row begins with its filter type: none.
  for (let y = 0; y < height; y++)
    rows.set(numbers.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return [
    chunk('IHDR', header.done()),
    ...palette,
    chunk('IDAT', new Uint8Array(deflateSync(rows, { level: 9 }))),
    chunk('IEND', new Uint8Array(0)),
  ];
}

/** Width and height by logo_type: small 4:3, 16:9 and HD, large 4:3, 16:9 and HD. */
const SIZES = [
  [48, 24],
  [36, 24],
  [48, 27],
  [72, 36],
  [54, 36],
  [64, 36],
] as const;

/** The number that viewers use for a station: its remote control key, or on satellites its service_id. */
function calledBy(channel: ChannelPlan, station: StationPlan): string {
  return String(channel.remoteControlKey ?? station.serviceId % 1000);
}

function emblemOf(channel: ChannelPlan, station: StationPlan): Emblem {
  const shape = SHAPES[hash(`${channel.networkId}/${station.serviceId}`) % SHAPES.length] ?? 'disc';
  return { shape, hue: station.hue, digits: calledBy(channel, station) };
}

/** Number of sizes. */
export const LOGO_TYPES = SIZES.length;

/** @throws RangeError for an invalid logo_type */
export function logoPicture(channel: ChannelPlan, station: StationPlan, logoType: number): Uint8Array {
  const size = SIZES[logoType];
  if (size === undefined) throw new RangeError(`logo_type ${logoType}`);
  const [width, height] = size;
  return palettelessPng(width, height, drawEmblem(emblemOf(channel, station), width, height));
}
