/** Decompresses a module of a data carousel. ARIB STD-B24 Vol. 3, 6.2.3.12. */
import { inflateSync } from 'node:zlib';
import type { ModuleInfo } from '../../lib/arib/carousel/download-message.ts';

const ZLIB = 0;

/** @param maxBytes of the result @returns undefined if it is damaged or larger than announced */
export function inflateModule(
  { compression }: ModuleInfo,
  data: Uint8Array,
  maxBytes: number,
): Uint8Array | undefined {
  if (compression === undefined) return data.length <= maxBytes ? data : undefined;
  if (compression.type !== ZLIB || compression.originalSize > maxBytes) return undefined;
  try {
    return inflateSync(data, { maxOutputLength: Math.max(1, compression.originalSize) });
  } catch {
    return undefined;
  }
}
