/**
 * Module attributes of a DII besides id and size: the moduleInfo descriptors that this project uses. ARIB STD-B24
 * Vol. 3, 6.2.3. Others are skipped.
 */
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

export interface ModuleInfo {
  /** Type descriptor, tag 0x01: a media type, as sent. */
  readonly type?: string;
  /** Name descriptor, tag 0x02. */
  readonly name?: string;
  /** CRC32 descriptor, tag 0x05: CRC_32 (as of sections) of the module. */
  readonly crc32?: number;
  /** Compression type descriptor, tag 0xC2. */
  readonly compression?: ModuleCompression;
}

interface ModuleCompression {
  /** compression_type: 0 = zlib (RFC 1950). */
  readonly type: number;
  /** original_size in octets. */
  readonly originalSize: number;
}

type Part = Partial<ModuleInfo> | undefined;

const PARSERS: ReadonlyMap<number, (body: Reader) => Part> = new Map<number, (body: Reader) => Part>([
  [0x01, (body) => ({ type: ascii(body.rest()) })],
  [0x02, (body) => ({ name: nameOf(body) })],
  [0x05, (body) => ({ crc32: body.u32() })],
  [0xc2, (body) => ({ compression: { type: body.u8(), originalSize: body.u32() } })],
]);

/** A truncated descriptor is left out; one that is longer than the loop ends the parsing. */
export function readModuleInfo(r: Reader): ModuleInfo {
  let info: ModuleInfo = {};
  while (r.remaining > 0) {
    const parse = PARSERS.get(r.u8());
    const body = r.slice(r.u8());
    if (r.exhausted) break;
    const part = parse?.(body);
    if (part !== undefined && !body.exhausted) info = { ...info, ...part };
  }
  return info;
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/**
 * Names used by programs are plain ASCII (`LOGO-05`), although the field has the 8-unit code, in which the same
 * octets would be kanji. ARIB TR-B15 Vol. 4.
 */
function nameOf(body: Reader): string {
  const bytes = body.whole();
  const plain = bytes.every((octet) => octet >= 0x20 && octet < 0x7f);
  return plain ? ascii(body.rest()) : readText(body, body.remaining);
}
