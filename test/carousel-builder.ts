/**
 * Writes the sections of a data carousel for tests, independently of `lib/arib/`. ISO/IEC 13818-6; ARIB STD-B24
 * Vol. 3.
 */
import { longSection, u16 } from './stream-builder.ts';

export interface BuiltModule {
  id: number;
  version: number;
  data: Uint8Array;
  /** Descriptors of moduleInfo. */
  info?: readonly number[];
  /** The size that the list announces, if it differs from the length of the data. */
  size?: number;
}

const LOGO_BLOCK = 4066;

const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];

/** Name descriptor. */
export function nameInfo(name: string): number[] {
  return [0x02, name.length, ...new TextEncoder().encode(name)];
}

function message(id: number, messageId: number, body: readonly number[]): number[] {
  return [0x11, 0x03, ...u16(messageId), ...u32(id), 0xff, 0, ...u16(body.length), ...body];
}

interface CarouselFields {
  downloadId: number;
  transactionId: number;
  blockSize?: number;
  modules: readonly BuiltModule[];
}

export function diiSection({
  downloadId,
  transactionId,
  blockSize = LOGO_BLOCK,
  modules,
}: CarouselFields): Uint8Array {
  const list = modules.flatMap(({ id, version, data, info = [], size }) => [
    ...u16(id),
    ...u32(size ?? data.length),
    version,
    info.length,
    ...info,
  ]);
  const body = [
    ...u32(downloadId),
    ...u16(blockSize),
    ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...u16(0),
    ...u16(modules.length),
    ...list,
    ...u16(0),
  ];
  return longSection({
    tableId: 0x3b,
    extension: transactionId & 0xffff,
    body: message(transactionId, 0x1002, body),
  });
}

/** The blocks of a module, in order. */
export function ddbSections(downloadId: number, module: BuiltModule, blockSize = LOGO_BLOCK): Uint8Array[] {
  const { id, version, data } = module;
  const sections: Uint8Array[] = [];
  for (let at = 0, block = 0; at < data.length; at += blockSize, block++) {
    const body = [...u16(id), version, 0xff, ...u16(block), ...data.subarray(at, at + blockSize)];
    sections.push(
      longSection({
        tableId: 0x3c,
        extension: id,
        version: version & 0x1f,
        number: block & 0xff,
        lastNumber: Math.min(255, Math.ceil(data.length / blockSize) - 1),
        body: message(downloadId, 0x1003, body),
      }),
    );
  }
  return sections;
}
