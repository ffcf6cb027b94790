/**
 * Format of the file with the data broadcast of a recording, `<stem>.databroadcast`. After MAGIC come frames: type (1
 * octet), length of the payload (4, little endian), payload, CRC-32 of all of it (4, little endian). A reader stops at the
 * first frame that is incomplete or damaged: there the writer was killed. Unknown types are skipped.
 *
 * `blob`: a distinct message, once in the file; they are numbered from 0 in their order. Hash (16 octets), form (1), then
 * the message, deflated (RFC 1951): as JSON, or a module's JSON with lengths instead of base64, and its files behind it.
 *
 * `log`: deflated JSON, `LogFrame`: what happened between two positions of the original, as references to blobs. The
 * state at a time is made from the entries up to it; they have some 20 octets each, so that all of them are read.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { IndexPiece } from './recording-index.ts';

export const MAGIC = new TextEncoder().encode('svcdata1');
export const FRAME = { blob: 1, log: 2 } as const;
const HEAD_BYTES = 5;
const CRC_BYTES = 4;
export const HASH_BYTES = 16;
const FORM = { json: 0, module: 1 } as const;

/** Of a file: a writer ends there, a reader ignores more. One event a second has 86,400 in a day. */
export const MAX_ENTRIES = 500_000;
/** Three times the largest message of a reader (`DATA_LIMITS`); a longer frame is damage. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** Inflated. The message of the largest module has 2 MB of base64 and the addresses of its files. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** Of a module. Operated: a hundred. */
const MAX_FILES = 65_536;

/**
 * What happened, at an octet of the original and a time of its clock (PCR, 90 kHz; null: unknown).
 * - `s`: message `blob` is the state of `key`; `rank` orders those for a viewer who joins (`SideItem`)
 * - `e`: message `blob`, for those who watch only
 * - `c`: states whose key begins with this are obsolete
 * - `t`: the broadcast's clock, epoch ms; it runs on from there
 * - `g`: the clock stops: a gap
 */
export type LogEntry =
  | readonly [octet: number, stamp: number | null, op: 's', key: string, rank: number, blob: number]
  | readonly [octet: number, stamp: number | null, op: 'e', blob: number]
  | readonly [octet: number, stamp: number | null, op: 'c', prefix: string]
  | readonly [octet: number, stamp: number | null, op: 't', at: number]
  | readonly [octet: number, stamp: number | null, op: 'g'];

interface LogFrame {
  /** Octets of the original that were read up to here. */
  readonly read: number;
  readonly entries: readonly LogEntry[];
  /** The time scale of the original, where it changed; the last one holds for the whole file. */
  readonly pieces?: readonly IndexPiece[];
  /** The original was read to its end. */
  readonly isFinal?: boolean;
}

export function frameOf(type: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length + CRC_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, type);
  view.setUint32(1, payload.length, true);
  bytes.set(payload, HEAD_BYTES);
  view.setUint32(HEAD_BYTES + payload.length, crcOf(bytes.subarray(0, -CRC_BYTES)), true);
  return bytes;
}

interface FoundFrame {
  readonly type: number;
  /** Position and length of its payload. */
  readonly at: number;
  readonly length: number;
  /** Position after it. */
  readonly end: number;
}

/** Octets that `frameAt` needs. */
export const FRAME_HEAD_BYTES = HEAD_BYTES;

/** The frame whose head is at this position. Undefined if it cannot be one: a disk leaves zeros where power was lost. */
export function frameAt(head: Uint8Array, position: number): FoundFrame | undefined {
  if (head.length < HEAD_BYTES) return undefined;
  const length = new DataView(head.buffer, head.byteOffset).getUint32(1, true);
  if (length > MAX_FRAME_BYTES || head[0] === 0) return undefined;
  const at = position + HEAD_BYTES;
  return { type: head[0] as number, at, length, end: at + length + CRC_BYTES };
}

/** The payload of a complete frame; undefined if it is damaged. */
export function payloadOf(frame: Uint8Array): Uint8Array | undefined {
  if (frame.length < HEAD_BYTES + CRC_BYTES) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const end = frame.length - CRC_BYTES;
  return view.getUint32(end, true) === crcOf(frame.subarray(0, end))
    ? frame.subarray(HEAD_BYTES, end)
    : undefined;
}

function crcOf(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes);
}

/** Identifies a message. */
export function messageHash(message: Uint8Array): Buffer {
  return createHash('sha256').update(message).digest().subarray(0, HASH_BYTES);
}

interface PackedFile {
  readonly [field: string]: unknown;
  readonly dataBase64: string;
}

/** @param message JSON in UTF-8, as of the live socket */
export function packMessage(hash: Uint8Array, message: Uint8Array, isModule: boolean): Uint8Array {
  const module = isModule ? packedModule(message) : undefined;
  const deflated = deflateRawSync(module ?? message);
  return Buffer.concat([hash, Uint8Array.of(module === undefined ? FORM.json : FORM.module), deflated]);
}

function packedModule(message: Uint8Array): Uint8Array | undefined {
  const { files, ...head } = JSON.parse(Buffer.from(message).toString()) as { files: PackedFile[] };
  if (!Array.isArray(files)) return undefined;
  const contents = files.map(({ dataBase64 }) => Buffer.from(dataBase64, 'base64'));
  const heads = files.map(({ dataBase64: _, ...file }, index) => [file, contents[index]?.length ?? 0]);
  const json = Buffer.from(JSON.stringify([head, heads]));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, ...contents]);
}

/** The message as it was, JSON of an object with a `type`; undefined if it cannot be read. */
export function unpackMessage(blob: Uint8Array): string | undefined {
  try {
    const bytes = inflateRawSync(blob.subarray(HASH_BYTES + 1), { maxOutputLength: MAX_MESSAGE_BYTES });
    if (blob[HASH_BYTES] === FORM.module) return unpackedModule(bytes);
    const text = bytes.toString();
    return isMessage(JSON.parse(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function unpackedModule(bytes: Buffer): string | undefined {
  const length = bytes.readUInt32LE(0);
  const [head, heads] = JSON.parse(bytes.subarray(4, 4 + length).toString()) as [object, [object, number][]];
  if (heads.length > MAX_FILES || !isMessage(head)) return undefined;
  let at = 4 + length;
  const files = heads.map(([file, size]) => {
    const dataBase64 = bytes.subarray(at, at + size).toString('base64');
    at += size;
    return { ...file, dataBase64 };
  });
  return at === bytes.length ? JSON.stringify({ ...head, files }) : undefined;
}

export function packLog(frame: LogFrame): Uint8Array<ArrayBuffer> {
  return frameOf(FRAME.log, deflateRawSync(JSON.stringify(frame)));
}

/** Without entries that cannot be read; undefined if nothing can. */
export function unpackLog(payload: Uint8Array): LogFrame | undefined {
  let frame: Partial<LogFrame>;
  try {
    frame = objectOf<LogFrame>(inflateRawSync(payload, { maxOutputLength: MAX_LOG_BYTES }).toString());
  } catch {
    return undefined;
  }
  const { read, entries, pieces, isFinal } = frame;
  if (!isCount(read) || !Array.isArray(entries)) return undefined;
  return {
    read,
    entries: entries.filter(isEntry),
    ...(Array.isArray(pieces) && pieces.every(isPiece) ? { pieces } : {}),
    ...(isFinal === true ? { isFinal } : {}),
  };
}

/** @throws SyntaxError */
function objectOf<T extends object>(text: string): Partial<T> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Partial<T>) : {};
}

/** Latest time of a JavaScript date, ms. */
const MAX_TIME = 8.64e15;

function isEntry(entry: unknown): entry is LogEntry {
  if (!Array.isArray(entry)) return false;
  const [octet, stamp, op, ...rest] = entry as unknown[];
  if (!isCount(octet) || !(stamp === null || isCount(stamp))) return false;
  const [one, rank, blob] = rest;
  if (op === 's') return typeof one === 'string' && Number.isSafeInteger(rank) && isCount(blob);
  if (op === 'e') return isCount(one);
  if (op === 'c') return typeof one === 'string';
  if (op === 't') return typeof one === 'number' && Math.abs(one) <= MAX_TIME;
  return op === 'g';
}

function isPiece(piece: unknown): piece is IndexPiece {
  if (typeof piece !== 'object' || piece === null) return false;
  const { from, to, pts, start, length } = piece as Record<string, unknown>;
  return [from, to, pts, start, length].every(isCount);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
