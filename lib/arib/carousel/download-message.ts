/**
 * The two messages of a data carousel: DownloadInfoIndication, which lists the modules, and DownloadDataBlock, which
 * contains a part of one. ISO/IEC 13818-6 7.2, 7.3.2, 7.3.7; ARIB STD-B24 Vol. 3, 6.2 (DII), 6.3 (DDB); operation:
 * TR-B14 Vol. 3, TR-B15 Vol. 4.
 */
import { latin1, Reader } from '../reader.ts';
import { readText } from '../text/text.ts';
import type { Section } from '../ts/section.ts';

// Module attributes of a DII besides id and size: the moduleInfo descriptors that this project uses. ARIB STD-B24
// Vol. 3, 6.2.3. Others are skipped.

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
  [0x01, (body) => ({ type: latin1(body.rest()) })],
  [0x02, (body) => ({ name: nameOf(body) })],
  [0x05, (body) => ({ crc32: body.u32() })],
  [0xc2, (body) => ({ compression: { type: body.u8(), originalSize: body.u32() } })],
]);

/** A truncated descriptor is left out; one that is longer than the loop ends the parsing. */
function readModuleInfo(r: Reader): ModuleInfo {
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

/**
 * Names used by programs are plain ASCII (`LOGO-05`), although the field has the 8-unit code, in which the same
 * octets would be kanji. ARIB TR-B15 Vol. 4.
 */
function nameOf(body: Reader): string {
  const bytes = body.whole();
  const plain = bytes.every((octet) => octet >= 0x20 && octet < 0x7f);
  return plain ? latin1(body.rest()) : readText(body, body.remaining);
}

const DII_TABLE_ID = 0x3b;
const DDB_TABLE_ID = 0x3c;

export interface Dii {
  /** 32 bits; changes with the list. */
  readonly transactionId: number;
  /** 32 bits; in a data broadcast, its first 4 bits are the data_event_id. */
  readonly downloadId: number;
  /** Octets of every block except a module's last one. */
  readonly blockSize: number;
  readonly modules: readonly CarouselModule[];
  /** privateData: descriptors of the carousel itself. */
  readonly privateData: Uint8Array;
}

export interface CarouselModule {
  readonly id: number;
  /** Octets. */
  readonly size: number;
  /** 8 bits. */
  readonly version: number;
  readonly info: ModuleInfo;
}

export interface Ddb {
  readonly downloadId: number;
  readonly moduleId: number;
  readonly moduleVersion: number;
  readonly blockNumber: number;
  readonly data: Uint8Array;
}

const PROTOCOL = 0x11;
const UNM_DOWNLOAD = 0x03;
const DII_MESSAGE = 0x1002;
const DDB_MESSAGE = 0x1003;
/** Maximum in a section. ARIB TR-B14 Vol. 3, TR-B15 Vol. 4. */
const LARGEST_BLOCK = 4066;

interface Message {
  /** transactionId of a DII, downloadId of a DDB. */
  readonly id: number;
  readonly body: Reader;
}

/** dsmccMessageHeader and dsmccDownloadDataHeader, which have the same layout; undefined if it is another message. */
function readMessage(section: Section, tableId: number, messageId: number): Message | undefined {
  if (section.tableId !== tableId || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  if (r.u8() !== PROTOCOL || r.u8() !== UNM_DOWNLOAD || r.u16() !== messageId) return undefined;
  const id = r.u32();
  r.skip(1); // reserved 8
  const adaptationLength = r.u8();
  const body = r.slice(r.u16()); // messageLength counts the adaptation
  body.skip(adaptationLength);
  return r.exhausted || body.exhausted ? undefined : { id, body };
}

/** Undefined if the section is not a DII, a length in it is wrong, or its blocks could not be sent. */
export function parseDii(section: Section): Dii | undefined {
  const message = readMessage(section, DII_TABLE_ID, DII_MESSAGE);
  if (message === undefined) return undefined;
  const r = message.body;
  const downloadId = r.u32();
  const blockSize = r.u16();
  r.skip(10); // windowSize 8, ackPeriod 8, tCDownloadWindow 32, tCDownloadScenario 32
  r.skip(r.u16()); // compatibilityDescriptor
  const modules: CarouselModule[] = [];
  for (let left = r.u16(); left > 0 && !r.exhausted; left--) {
    modules.push({ id: r.u16(), size: r.u32(), version: r.u8(), info: readModuleInfo(r.slice(r.u8())) });
  }
  const privateData = r.take(r.u16());
  if (r.exhausted || blockSize === 0 || blockSize > LARGEST_BLOCK) return undefined;
  return { transactionId: message.id, downloadId, blockSize, modules, privateData };
}

/** Undefined if the section is not a DDB or is truncated. `data` is a view of the section. */
export function parseDdb(section: Section): Ddb | undefined {
  const message = readMessage(section, DDB_TABLE_ID, DDB_MESSAGE);
  if (message === undefined) return undefined;
  const r = message.body;
  const moduleId = r.u16();
  const moduleVersion = r.u8();
  r.skip(1); // reserved 8
  const blockNumber = r.u16();
  if (r.exhausted) return undefined;
  return { downloadId: message.id, moduleId, moduleVersion, blockNumber, data: r.rest() };
}

const BXML_PRIVATE_DATA = 0xf0;

/**
 * return_to_entry_flag of the arib_bxml_privatedata_descriptor: when the entry component's data event changes, the data
 * broadcast starts again there. ARIB STD-B24 Vol. 2 Part 1, 9.3.4.
 */
export function returnsToEntry({ privateData }: Dii): boolean {
  const r = new Reader(privateData);
  while (r.remaining > 0) {
    const tag = r.u8();
    const body = r.slice(r.u8());
    // return_to_entry_flag 1, reserved 7
    if (tag === BXML_PRIVATE_DATA && !r.exhausted) return (body.u8() & 0x80) !== 0;
  }
  return false;
}
