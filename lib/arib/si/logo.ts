/**
 * Logos of stations: the data module of the CDT, the module of the common data carousel of BS and CS, and the
 * pictures in both. ARIB STD-B21, Annex 1 (logo data); TR-B14 Vol. 4, TR-B15 Vol. 4.
 */
import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import { type NetworkId, pid, type ServiceId, type TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';
import { FIXED_COLOURS } from './fixed-colours.ts';

export interface Logo {
  /** logo_type: 0 small 4:3, 1 small 16:9, 2 small HD, 3 to 5 the large ones. */
  readonly type: number;
  /** 9 bits, unique in the network. */
  readonly logoId: number;
  /** 12 bits. */
  readonly logoVersion: number;
  /** As broadcast: a PNG without its palette, see `completeLogo`. */
  readonly picture: Uint8Array;
}

/** Maximum size of the empty pictures that are sent instead of a logo. */
const LARGEST_DUMMY = 93;

/** The logo of a CDT with data_type 1; undefined if it is truncated. */
export function parseLogo(data: Uint8Array): Logo | undefined {
  const r = new Reader(data);
  const type = r.u8();
  // reserved 7, logo_id 9; reserved 4, logo_version 12
  const logoId = r.u16() & 0x01ff;
  const logoVersion = r.u16() & 0x0fff;
  const picture = r.take(r.u16());
  return r.exhausted ? undefined : { type, logoId, logoVersion, picture };
}

/** A fully transparent picture, sent by stations without a logo of the size. */
export function isDummyLogo(picture: Uint8Array): boolean {
  return picture.length <= LARGEST_DUMMY;
}

/** A module `LOGO-00` to `LOGO-05` or `CS_LOGO-00` to `CS_LOGO-05`: one size of the logos of a network. */
interface LogoModule {
  readonly type: number;
  readonly logos: readonly ModuleLogo[];
}

interface ModuleLogo {
  readonly logoId: number;
  readonly services: readonly LogoService[];
  readonly picture: Uint8Array;
}

interface LogoService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

/** Undefined if the module is truncated. Logos without services or without a picture are left out. */
export function parseLogoModule(module: Uint8Array): LogoModule | undefined {
  const r = new Reader(module);
  const type = r.u8();
  const logos: ModuleLogo[] = [];
  for (let left = r.u16(); left > 0 && !r.exhausted; left--) {
    // reserved 7, logo_id 9
    const logoId = r.u16() & 0x01ff;
    const services = readServices(r);
    const picture = r.take(r.u16());
    if (services.length > 0 && picture.length > 0) logos.push({ logoId, services, picture });
  }
  return r.exhausted ? undefined : { type, logos };
}

function readServices(r: Reader): LogoService[] {
  const services: LogoService[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) {
    services.push({
      originalNetworkId: r.u16() as NetworkId,
      transportStreamId: r.u16() as TransportStreamId,
      serviceId: r.u16() as ServiceId,
    });
  }
  return services;
}

// Converts a broadcast logo to a PNG that any program can display: logos are PNGs of colour type 3 without their
// palette, the fixed colours. ISO/IEC 15948 (PNG) 5, 11.2; ARIB STD-B21, Annex 1.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;
const IHDR = 0x49484452;
const PLTE = 0x504c5445;
const TRNS = 0x74524e53;
const IDAT = 0x49444154;
const IEND = 0x49454e44;
/** Length and type before the data of a chunk, CRC after it. */
const CHUNK_HEAD = 8;
const CHUNK_CRC = 4;
const IHDR_SIZE = 13;
/** Offset of the colour type in the data of IHDR. */
const COLOUR_TYPE = 9;
const PALETTE_COLOUR = 3;

/**
 * The picture with its palette. A picture that has one, or needs none, is returned unchanged; undefined: not a PNG,
 * or an invalid order of chunks.
 */
export function completeLogo(picture: Uint8Array): Uint8Array | undefined {
  const types = chunkTypes(picture);
  if (types === undefined) return undefined;
  const ihdrEnd = SIGNATURE.length + CHUNK_HEAD + IHDR_SIZE + CHUNK_CRC;
  const colourType = picture[SIGNATURE.length + CHUNK_HEAD + COLOUR_TYPE];
  if (colourType !== PALETTE_COLOUR || types.includes(PLTE)) return picture;
  const joined = new Uint8Array(picture.length + PALETTE.length);
  joined.set(picture.subarray(0, ihdrEnd));
  joined.set(PALETTE, ihdrEnd);
  joined.set(picture.subarray(ihdrEnd), ihdrEnd + PALETTE.length);
  return joined;
}

/** Width and height; undefined if it is not a PNG. */
export function logoSize(picture: Uint8Array): readonly [width: number, height: number] | undefined {
  if (chunkTypes(picture) === undefined) return undefined;
  const at = SIGNATURE.length + CHUNK_HEAD;
  return [u32(picture, at), u32(picture, at + 4)];
}

/** The chunks in order; undefined unless they are IHDR, one or more IDAT, and IEND at the very end. */
function chunkTypes(picture: Uint8Array): number[] | undefined {
  if (SIGNATURE.some((octet, at) => picture[at] !== octet)) return undefined;
  const types: number[] = [];
  let at = SIGNATURE.length;
  while (at + CHUNK_HEAD + CHUNK_CRC <= picture.length) {
    const length = u32(picture, at);
    const type = u32(picture, at + 4);
    if (types.length === 0 && (type !== IHDR || length !== IHDR_SIZE)) return undefined;
    types.push(type);
    at += CHUNK_HEAD + length + CHUNK_CRC;
    if (type === IEND) break;
  }
  return at === picture.length && types.at(-1) === IEND && types.includes(IDAT) ? types : undefined;
}

function u32(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** PLTE and tRNS. */
const PALETTE = Uint8Array.from([
  ...chunk(
    PLTE,
    FIXED_COLOURS.flatMap(({ red, green, blue }) => [red, green, blue]),
  ),
  ...chunk(
    TRNS,
    FIXED_COLOURS.map(({ alpha }) => alpha),
  ),
]);

function chunk(type: number, data: readonly number[]): number[] {
  const checked = [...octets(type), ...data];
  return [...octets(data.length), ...checked, ...octets(pngCrc(checked))];
}

function octets(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

/** CRC-32 of PNG chunks, ISO/IEC 15948, Annex D: reflected, inverted at both ends; differs from that of sections. */
function pngCrc(data: readonly number[]): number {
  let register = 0xffffffff;
  for (const octet of data) {
    register ^= octet;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ ((register & 1) === 0 ? 0 : 0xedb88320);
  }
  return ~register >>> 0;
}

/** A section of the common data table: a logo. ARIB STD-B21, 12.2.2.2; TR-B14 Vol. 4. */
export interface Cdt {
  /** Referenced by a service's logo transmission descriptor. */
  readonly downloadDataId: number;
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  /** data_type: 1 a logo, see `parseLogo`; others are not defined. */
  readonly dataType: number;
  readonly descriptors: readonly Descriptor[];
  readonly data: Uint8Array;
}

export const CDT_PID = pid(0x0029);
const CDT_TABLE_ID = 0xc8;
export const CDT_LOGO = 0x01;

/** Undefined if the section is not a CDT, is not current yet, or has a wrong length. */
export function parseCdt(section: Section): Cdt | undefined {
  if (section.tableId !== CDT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const originalNetworkId = r.u16() as NetworkId;
  const dataType = r.u8();
  // reserved 4, descriptors_loop_length 12
  const descriptors = readDescriptors(r.slice(r.length12()));
  if (r.exhausted) return undefined;
  return {
    downloadDataId: section.extension,
    originalNetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    dataType,
    descriptors,
    data: r.rest(),
  };
}
