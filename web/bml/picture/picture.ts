/** Pictures of a carousel to bitmaps; any file, of any size, gives a bitmap or nothing. */
import { joinBytes } from '../../../lib/arib/join-bytes.ts';
import type { Palette } from './palette.ts';

/** What a reader of a picture format returns: a file that a browser may decode. */
export interface EncodedPicture {
  /** Set by the reader of the content; what the carousel declares is never used. */
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  /** The samples are YCbCr of BT.709, which browsers take for BT.601. */
  readonly isBt709: boolean;
}

/** The still picture plane is 1920x1080; 4 Mpx are 16 MB decoded. */
const MAX_SIDE = 4096;
const MAX_PIXELS = 4 << 20;

/** Checked before anything is decoded. */
export function isDrawableSize(width: number, height: number): boolean {
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS;
}

// The chunks of PNG and MNG files (ISO/IEC 15948, 5.3): length, type, data, CRC.

const SIGNATURE_LENGTH = 8;
const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
export const MNG_SIGNATURE = Uint8Array.of(0x8a, 0x4d, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** More are in no picture of a carousel; the loop over them is bounded. */
const MAX_CHUNKS = 16_384;

export function startsWith(file: Uint8Array, signature: Uint8Array): boolean {
  return signature.every((octet, index) => file[index] === octet);
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The whole chunk as it is in the file. */
  readonly whole: Uint8Array;
}

/** The chunks after the signature, up to the first that is not in the file as a whole. CRCs are not checked. */
export function* readChunks(file: Uint8Array): Generator<Chunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  let at = SIGNATURE_LENGTH;
  for (let count = 0; count < MAX_CHUNKS && at + 12 <= file.length; count++) {
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > file.length) return;
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    yield { type, data: file.subarray(at + 8, end - 4), whole: file.subarray(at, end) };
    at = end;
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) !== 0 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function createChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(12 + data.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let index = 0; index < 4; index++) chunk[4 + index] = type.charCodeAt(index);
  chunk.set(data, 8);
  let crc = 0xffffffff;
  for (const octet of chunk.subarray(4, 8 + data.length))
    crc = (CRC_TABLE[(crc ^ octet) & 255] ?? 0) ^ (crc >>> 8);
  view.setUint32(8 + data.length, ~crc);
  return chunk;
}

// PNG pictures of a carousel (ARIB STD-B24 Vol. 2): those of colour type 3 take their colours from the document's
// CLUT; a palette of their own is ignored and often absent, which browsers refuse.

const INDEXED = 3;

/** PLTE and tRNS of the first `count` colours. */
function paletteChunks(palette: Palette, count: number): Uint8Array[] {
  const colours = new Uint8Array(count * 3);
  const alphas = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const colour = palette[index] ?? 0;
    colours.set([colour & 255, (colour >> 8) & 255, (colour >> 16) & 255], index * 3);
    alphas[index] = colour >>> 24;
  }
  return [createChunk('PLTE', colours), createChunk('tRNS', alphas)];
}

/**
 * The picture `IHDR` … `IEND` as a PNG file with the CLUT's colours. Only chunks that pictures need are kept: no
 * colour profile, no text, no animation. Undefined: no picture, or one too large.
 */
export function encodePng(
  header: Uint8Array,
  content: readonly { readonly type: string; readonly whole: Uint8Array }[],
  palette: Palette,
): EncodedPicture | undefined {
  if (header.length !== 13) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const [width, height, bits, colourType] = [
    view.getUint32(0),
    view.getUint32(4),
    view.getUint8(8),
    view.getUint8(9),
  ];
  const data = content.filter(({ type }) => type === 'IDAT');
  if (!isDrawableSize(width, height) || data.length === 0) return undefined;
  const colours =
    colourType === INDEXED
      ? paletteChunks(palette, Math.min(256, 1 << bits))
      : content.filter(({ type }) => type === 'tRNS').map(({ whole }) => whole);
  const bytes = joinBytes([
    PNG_SIGNATURE,
    createChunk('IHDR', header),
    ...colours,
    ...data.map(({ whole }) => whole),
    createChunk('IEND', new Uint8Array(0)),
  ]);
  return { type: 'image/png', bytes, width, height, isBt709: false };
}

function readPng(file: Uint8Array, palette: Palette): EncodedPicture | undefined {
  if (!startsWith(file, PNG_SIGNATURE)) return undefined;
  const [header, ...content] = readChunks(file);
  return header?.type === 'IHDR' ? encodePng(header.data, content, palette) : undefined;
}

// GIF pictures of a carousel; the first image is shown.

/** `GIF8`. */
const SIGNATURE = [0x47, 0x49, 0x46, 0x38];
const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];
const MAX_BLOCKS = 65_536;

const tableLength = (flags: number): number => ((flags & 0x80) !== 0 ? 3 << ((flags & 7) + 1) : 0);

/** The index after the data sub-blocks that begin at `at`; undefined if the file ends before. */
function afterSubBlocks(file: Uint8Array, at: number): number | undefined {
  let index = at;
  for (let count = 0; count < MAX_BLOCKS; count++) {
    const length = file[index];
    if (length === undefined) return undefined;
    index += 1 + length;
    if (length === 0) return index;
  }
  return undefined;
}

/** The file is cut after the first image: no animation runs. */
function readGif(file: Uint8Array): EncodedPicture | undefined {
  if (file.length < 13 || SIGNATURE.some((octet, index) => file[index] !== octet)) return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  if (!isDrawableSize(width, height)) return undefined;
  let at = 13 + tableLength(view.getUint8(10));
  for (let count = 0; count < 16; count++) {
    if (file[at] === EXTENSION) {
      const next = afterSubBlocks(file, at + 2);
      if (next === undefined) return undefined;
      at = next;
      continue;
    }
    if (file[at] !== IMAGE || at + 10 > file.length) return undefined;
    if (
      view.getUint16(at + 1, true) + view.getUint16(at + 5, true) > width ||
      view.getUint16(at + 3, true) + view.getUint16(at + 7, true) > height
    )
      return undefined;
    const end = afterSubBlocks(file, at + 11 + tableLength(view.getUint8(at + 9)));
    if (end === undefined) return undefined;
    const bytes = new Uint8Array(end + 1);
    bytes.set(file.subarray(0, end));
    bytes[end] = TRAILER;
    return { type: 'image/gif', bytes, width, height, isBt709: false };
  }
  return undefined;
}

// JPEG pictures of a carousel, checked and reduced to what decoding needs (ISO/IEC 10918-1, B.1).

const SOI = Uint8Array.of(0xff, 0xd8);
const [EOI, SOS, DNL, APP0, APP14, APP15, COM] = [0xd9, 0xda, 0xdc, 0xe0, 0xee, 0xef, 0xfe];
/** A progressive file needs about 10; each costs a pass over all coefficients. */
const MAX_SCANS = 64;

const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
/** SOF0–SOF15 without DHT, JPG and DAC. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The index of the marker after entropy-coded data that begins at `at`. */
function afterScan(file: Uint8Array, at: number): number {
  for (let index = file.indexOf(0xff, at); index >= 0; index = file.indexOf(0xff, index + 1)) {
    const next = file[index + 1] ?? EOI;
    if (next !== 0 && next !== 0xff && !isStandalone(next)) return index;
  }
  return file.length;
}

/**
 * Application data and comments are dropped (colour profiles, and the orientation of Exif, which receivers ignore);
 * Adobe's, which says how colours are coded, is kept.
 */
function readJpeg(file: Uint8Array): EncodedPicture | undefined {
  if (file[0] !== 0xff || file[1] !== 0xd8) return undefined;
  const parts: Uint8Array[] = [SOI];
  let size: { width: number; height: number; components: number } | undefined;
  let isRgb = false;
  let scans = 0;
  let at = 2;
  while (at + 4 <= file.length) {
    const marker = file[at + 1] ?? 0;
    if (file[at] !== 0xff) return undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isStandalone(marker)) {
      at += 2;
      continue;
    }
    if (marker === EOI) break;
    const length = ((file[at + 2] ?? 0) << 8) | (file[at + 3] ?? 0);
    let end = at + 2 + length;
    if (length < 2 || end > file.length || marker === DNL) break;
    const body = file.subarray(at + 4, end);
    if (isFrameHeader(marker)) {
      if (size !== undefined) return undefined;
      const [, high = 0, low = 0, wide = 0, narrow = 0, components = 0] = body;
      size = { height: (high << 8) | low, width: (wide << 8) | narrow, components };
      if (!isDrawableSize(size.width, size.height)) return undefined;
    }
    if (marker === APP14 && body.length >= 12) isRgb = body[11] === 0;
    if (marker === SOS) {
      if (size === undefined || ++scans > MAX_SCANS) return undefined;
      end = afterScan(file, end);
    }
    const isDropped = (marker >= APP0 && marker <= APP15 && marker !== APP14) || marker === COM;
    if (!isDropped) parts.push(file.subarray(at, end));
    at = end;
  }
  if (size === undefined || scans === 0) return undefined;
  const bytes = joinBytes([...parts, Uint8Array.of(0xff, EOI)]);
  const { width, height, components } = size;
  return { type: 'image/jpeg', bytes, width, height, isBt709: components === 3 && !isRgb };
}

/**
 * Corrects pixels that were decoded with the matrix of BT.601: back to luma and chroma, then by BT.709.
 * @param pixels R, G, B, A; changed in place
 */
export function toBt709(pixels: Uint8ClampedArray): void {
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const red = pixels[at] ?? 0;
    const green = pixels[at + 1] ?? 0;
    const blue = pixels[at + 2] ?? 0;
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    const cr = (red - luma) / 1.402;
    const cb = (blue - luma) / 1.772;
    pixels[at] = luma + 1.5748 * cr;
    pixels[at + 1] = luma - 0.187324 * cb - 0.468124 * cr;
    pixels[at + 2] = luma + 1.8556 * cb;
  }
}

/** The format is that of the content. Undefined: not a picture, damaged before its first image, or too large. */
export function readPicture(file: Uint8Array, palette: Palette): EncodedPicture | undefined {
  return readPng(file, palette) ?? readJpeg(file) ?? readGif(file);
}

/** Decodes in the browser's own process for it, outside of this thread. Undefined: the data is damaged. */
export async function decodePicture(picture: EncodedPicture): Promise<ImageBitmap | undefined> {
  try {
    const bitmap = await createImageBitmap(new Blob([picture.bytes], { type: picture.type }), {
      colorSpaceConversion: 'none',
    });
    if (bitmap.width !== picture.width || bitmap.height !== picture.height) {
      bitmap.close();
      return undefined;
    }
    return picture.isBt709 ? await withBt709(bitmap) : bitmap;
  } catch {
    return undefined;
  }
}

async function withBt709(bitmap: ImageBitmap): Promise<ImageBitmap | undefined> {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context?.drawImage(bitmap, 0, 0);
  bitmap.close();
  if (context === null) return undefined;
  const pixels = context.getImageData(0, 0, width, height);
  toBt709(pixels.data);
  return createImageBitmap(pixels);
}
