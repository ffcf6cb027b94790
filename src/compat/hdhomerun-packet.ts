/**
 * Packets of HDHomeRun discovery and control: type, length, values with tags, check sum. Numbers are big-endian, the
 * check sum (CRC-32 of Ethernet) little-endian. Pure but for the runtime's CRC.
 */

const HEAD_BYTES = 4;
const CRC_BYTES = 4;
const MAX_PAYLOAD_BYTES = 1_452;
/** The longest value of two octets of length that fits in a packet. */
const MAX_VALUE_BYTES = MAX_PAYLOAD_BYTES - 3;

interface HdhrValue {
  readonly tag: number;
  readonly value: Uint8Array;
}

export interface HdhrPacket {
  readonly type: number;
  readonly values: readonly HdhrValue[];
}

const crc32 = (bytes: Uint8Array): number => Bun.hash.crc32(bytes) >>> 0;

/** Octets of the packet that begins `bytes`; undefined: not enough are there to say; -1: no packet. */
export function packetLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const payload = ((bytes[2] as number) << 8) | (bytes[3] as number);
  return payload > MAX_PAYLOAD_BYTES ? -1 : HEAD_BYTES + payload + CRC_BYTES;
}

/** A complete packet; undefined: it is damaged. */
export function readHdhrPacket(bytes: Uint8Array): HdhrPacket | undefined {
  if (packetLength(bytes) !== bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - CRC_BYTES;
  if (view.getUint32(end, true) !== crc32(bytes.subarray(0, end))) return undefined;
  const values: HdhrValue[] = [];
  for (let at = HEAD_BYTES; at < end; ) {
    if (at + 2 > end) return undefined;
    const tag = view.getUint8(at);
    let length = view.getUint8(at + 1);
    at += 2;
    // The low seven bits come first.
    if (length >= 0x80) {
      if (at >= end) return undefined;
      length = (length & 0x7f) | (view.getUint8(at) << 7);
      at += 1;
    }
    if (at + length > end) return undefined;
    values.push({ tag, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return { type: view.getUint16(0), values };
}

export function hdhrPacket({ type, values }: HdhrPacket): Uint8Array {
  const payload = values.flatMap(({ tag, value }) => {
    const { length } = value;
    const size = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
    return [tag, ...size, ...value];
  });
  const packet = new Uint8Array(HEAD_BYTES + payload.length + CRC_BYTES);
  const view = new DataView(packet.buffer);
  view.setUint16(0, type);
  view.setUint16(2, payload.length);
  packet.set(payload, HEAD_BYTES);
  const end = HEAD_BYTES + payload.length;
  view.setUint32(end, crc32(packet.subarray(0, end)), true);
  return packet;
}

export function u32Value(tag: number, value: number): HdhrValue {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return { tag, value: bytes };
}

/** @param isTerminated with a zero at its end, as control packets have it */
export function textValue(tag: number, text: string, isTerminated = false): HdhrValue {
  const bytes = new TextEncoder().encode(isTerminated ? `${text}\0` : text);
  if (bytes.length <= MAX_VALUE_BYTES) return { tag, value: bytes };
  const cut = bytes.slice(0, MAX_VALUE_BYTES);
  cut[MAX_VALUE_BYTES - 1] = 0;
  return { tag, value: cut };
}

/** The number of a value of four octets; undefined: another length. */
export function numberOf(value: Uint8Array): number | undefined {
  if (value.length !== 4) return undefined;
  return new DataView(value.buffer, value.byteOffset, 4).getUint32(0);
}

/** Up to its zero. */
export function packetText(value: Uint8Array): string {
  const end = value.indexOf(0);
  return new TextDecoder().decode(end < 0 ? value : value.subarray(0, end));
}
