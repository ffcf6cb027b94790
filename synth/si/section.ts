/** Sections with their headers and CRC, ISO/IEC 13818-1 2.4.4 and ARIB STD-B10 Part 2, 5.1. */
import { ByteWriter, concat } from './bytes.ts';

const CRC_TABLE = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let value = i << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  CRC_TABLE[i] = value >>> 0;
}

/** CRC_32 of ISO/IEC 13818-1 Annex A. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes)
    value = ((value << 8) ^ (CRC_TABLE[((value >>> 24) ^ byte) & 0xff] as number)) >>> 0;
  return value;
}

interface SectionHeader {
  tableId: number;
  /** table_id_extension. */
  extension: number;
  /** 0..31. */
  version: number;
  number: number;
  lastNumber: number;
}

const LONG_HEADER_REST = 5;
const CRC_LENGTH = 4;
/** Largest section_length of tables that are not PSI, ARIB STD-B10 Part 2, 5.1.1. */
const MAX_SECTION_LENGTH = 4093;
/** Bytes of table content that fit in one section. */
export const MAX_BODY = MAX_SECTION_LENGTH - LONG_HEADER_REST - CRC_LENGTH;

/** PAT, CAT and PMT set the bit after section_syntax_indicator to 0, all ARIB tables to 1. */
function syntaxBits(tableId: number): number {
  return tableId <= 0x02 ? 0xb000 : 0xf000;
}

function withCrc(writer: ByteWriter): Uint8Array {
  return writer.u32(crc32(writer.done())).done();
}

/** A section with the long header. @throws RangeError if the body is too long */
export function longSection(header: SectionHeader, body: Uint8Array): Uint8Array {
  if (body.length > MAX_BODY) throw new RangeError(`section body of ${body.length} bytes`);
  const writer = new ByteWriter()
    .u8(header.tableId)
    .u16(syntaxBits(header.tableId) | (LONG_HEADER_REST + body.length + CRC_LENGTH))
    .u16(header.extension)
    .u8(0xc1 | ((header.version & 0x1f) << 1))
    .u8(header.number)
    .u8(header.lastNumber)
    .bytes(body);
  return withCrc(writer);
}

/** A section with the short header and a CRC, like the TOT. */
export function shortSection(tableId: number, body: Uint8Array): Uint8Array {
  const writer = new ByteWriter()
    .u8(tableId)
    .u16(0x7000 | (body.length + CRC_LENGTH))
    .bytes(body);
  return withCrc(writer);
}

/** A section with the short header and without a CRC, like the TDT. */
export function plainSection(tableId: number, body: Uint8Array): Uint8Array {
  return new ByteWriter()
    .u8(tableId)
    .u16(0x7000 | body.length)
    .bytes(body)
    .done();
}

/** Bytes of table content in one section of at most 1021 (section_length of PSI, NIT, SDT and BIT). */
const MAX_SHORT_BODY = 1_021 - 9;

interface LoopTable {
  header: Pick<SectionHeader, 'tableId' | 'extension' | 'version'>;
  /** The beginning of a section; only the first one contains the descriptors of the whole table. */
  head(first: boolean): Uint8Array;
  /** Elements of the table's loop, whole. */
  elements: readonly Uint8Array[];
  /** Whether a length of 12 bits precedes the loop. */
  counted: boolean;
}

/**
 * Distributes a table over as many sections as necessary: ARIB STD-B10 Part 2, 5.1.
 * @throws RangeError for an element that does not fit in a section
 */
export function tableSections({ header, head, elements, counted }: LoopTable): Uint8Array[] {
  const groups: Uint8Array[][] = [[]];
  const room = (first: boolean): number => MAX_SHORT_BODY - head(first).length - (counted ? 2 : 0);
  let left = room(true);
  for (const element of elements) {
    if (element.length > left) {
      groups.push([]);
      left = room(false);
    }
    if (element.length > left) throw new RangeError(`element of ${element.length} bytes`);
    groups.at(-1)?.push(element);
    left -= element.length;
  }
  return groups.map((group, number) => {
    const loop = concat(group);
    const body = new ByteWriter().bytes(head(number === 0));
    if (counted) body.counted12(0xf, loop);
    else body.bytes(loop);
    return longSection({ ...header, number, lastNumber: groups.length - 1 }, body.done());
  });
}
