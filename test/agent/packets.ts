/** Numbered packets, so that a reader can detect losses. */
import { PACKET_SIZE, SYNC_BYTE } from '../../lib/arib/ts/packet.ts';

const PID = 0x0100;

/** Packets `first` to `first + count - 1` on one PID with correct continuity counters. */
export function numberedPackets(first: number, count: number, name: string): Uint8Array {
  const bytes = new Uint8Array(count * PACKET_SIZE).fill(0xff);
  const view = new DataView(bytes.buffer);
  const label = new TextEncoder().encode(name.padEnd(8).slice(0, 8));
  for (let index = 0; index < count; index += 1) {
    const at = index * PACKET_SIZE;
    view.setUint8(at, SYNC_BYTE);
    view.setUint16(at + 1, PID);
    view.setUint8(at + 3, 0x10 | ((first + index) & 0x0f));
    view.setUint32(at + 4, first + index);
    bytes.set(label, at + 8);
  }
  return bytes;
}

export interface ReadPackets {
  /** The packet numbers in order of arrival. */
  readonly numbers: number[];
  readonly names: Set<string>;
}

/** Reads whole packets; bytes before the first one are skipped. */
export function readNumbered(bytes: Uint8Array): ReadPackets {
  const numbers: number[] = [];
  const names = new Set<string>();
  let at = 0;
  while (
    at < bytes.length &&
    !(bytes[at] === SYNC_BYTE && (bytes[at + PACKET_SIZE] ?? SYNC_BYTE) === SYNC_BYTE)
  ) {
    at += 1;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    numbers.push(view.getUint32(at + 4));
    names.add(new TextDecoder().decode(bytes.subarray(at + 8, at + 16)).trim());
  }
  return { numbers, names };
}
