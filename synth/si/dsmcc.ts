/**
 * Data carousels: DII and DDB of ISO/IEC 13818-6 in sections, ARIB STD-B24 vol. 3, 6; operated according to
 * ARIB TR-B14 vol. 3 and TR-B15 vol. 1.
 */
import { ByteWriter, concat, encodeLatin } from './bytes.ts';
import { crc32, longSection } from './section.ts';

/** Largest block that fits in a section. */
const BLOCK_SIZE = 4066;
const PROTOCOL = 0x11;
const DOWNLOAD = 0x03;
const DII_MESSAGE = 0x1002;
const DDB_MESSAGE = 0x1003;
/** The upper two bits of transactionId are 10: assigned by the network. */
const FROM_NETWORK = 0x8000_0000;

export interface Module {
  id: number;
  version: number;
  /** As sent. */
  bytes: Uint8Array;
  /** Descriptors of the module, one after another. */
  info: Uint8Array;
}

export interface CarouselPlan {
  downloadId: number;
  /** Identifies the version of the list: changes whenever it changes, 30 bits. */
  transaction: number;
  modules: readonly Module[];
  /** Descriptors of the carousel itself. Absent: none. */
  privateData?: Uint8Array;
}

function moduleDescriptor(tag: number, body: Uint8Array): Uint8Array {
  return new ByteWriter().u8(tag).counted8(body).done();
}

/** Type descriptor 0x01: the media type. */
export function moduleType(type: string): Uint8Array {
  return moduleDescriptor(0x01, encodeLatin(type));
}

/** Name descriptor 0x02. */
export function moduleName(name: string): Uint8Array {
  return moduleDescriptor(0x02, encodeLatin(name));
}

/** CRC32 descriptor 0x05: that of sections, over the module as sent. */
export function moduleCrc(bytes: Uint8Array): Uint8Array {
  return moduleDescriptor(0x05, new ByteWriter().u32(crc32(bytes)).done());
}

/** Compression type descriptor 0xC2: 0 is zlib (RFC 1950). */
export function moduleCompression(originalSize: number): Uint8Array {
  return moduleDescriptor(0xc2, new ByteWriter().u8(0).u32(originalSize).done());
}

/** arib_bxml_privatedata_descriptor 0xF0 with return_to_entry_flag: data of another event begin at the entry again. */
export function returnToEntry(): Uint8Array {
  return moduleDescriptor(0xf0, Uint8Array.of(0xff));
}

/** Header of both messages; `id` is transactionId of a DII and downloadId of a DDB. No adaptation header. */
function message(messageId: number, id: number, body: Uint8Array): Uint8Array {
  return new ByteWriter()
    .u8(PROTOCOL)
    .u8(DOWNLOAD)
    .u16(messageId)
    .u32(id)
    .u8(0xff)
    .u8(0)
    .u16(body.length)
    .bytes(body)
    .done();
}

/** The list of a carousel's modules, one section. @throws RangeError if the modules do not fit */
export function diiSection({
  downloadId,
  transaction,
  modules,
  privateData = new Uint8Array(0),
}: CarouselPlan): Uint8Array {
  const body = new ByteWriter()
    .u32(downloadId)
    .u16(BLOCK_SIZE)
    // windowSize, ackPeriod, tCDownloadWindow, tCDownloadScenario: none; no compatibilityDescriptor.
    .u8(0)
    .u8(0)
    .u32(0)
    .u32(0)
    .u16(0)
    .u16(modules.length);
  for (const { id, version, bytes, info } of modules) {
    body.u16(id).u32(bytes.length).u8(version).counted8(info);
  }
  body.u16(privateData.length).bytes(privateData);
  const transactionId = (FROM_NETWORK | transaction) >>> 0;
  const header = { tableId: 0x3b, extension: transactionId & 0xffff, version: 0, number: 0, lastNumber: 0 };
  return longSection(header, message(DII_MESSAGE, transactionId, body.done()));
}

/** The blocks of one module, one section each. */
export function ddbSections(downloadId: number, module: Module): Uint8Array[] {
  const count = Math.ceil(module.bytes.length / BLOCK_SIZE);
  return Array.from({ length: count }, (_, block) => {
    const data = module.bytes.subarray(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE);
    const head = new ByteWriter().u16(module.id).u8(module.version).u8(0xff).u16(block).done();
    const header = {
      tableId: 0x3c,
      extension: module.id,
      version: module.version & 0x1f,
      number: block & 0xff,
      lastNumber: (count - 1) & 0xff,
    };
    return longSection(header, message(DDB_MESSAGE, downloadId, concat([head, data])));
  });
}
