/**
 * Chapters of an encoded file, written in place: space is reserved in its head when the file is made, and unused space
 * is a Void element, so that no other byte of the file moves. RFC 8794 (EBML), RFC 9559 (Matroska).
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { ChapterRoom } from '../model/encoding.ts';
import type { EncodedChapter } from './kept-spans.ts';

const IDS = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  chapters: 0x1043a770,
  edition: 0x45b9,
  atom: 0xb6,
  uid: 0x73c4,
  start: 0x91,
  end: 0x92,
  display: 0x80,
  text: 0x85,
  language: 0x437c,
  void: 0xec,
} as const;
/** Largest size of an element's ID and size fields. */
const HEAD_BYTES = 16;
/** The head of a file has about six elements. */
const MAX_ELEMENTS = 64;
const NS_PER_MS = 1_000_000;

/** Octets of a number without leading zeros. */
function octets(value: number): number[] {
  const found: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) found.unshift(rest % 256);
  return found.length === 0 ? [0] : found;
}

/** A size encoded in the given number of bytes. RFC 8794, 5. */
function sizeOctets(size: number, length: number): number[] {
  const digits = octets(size);
  const padded = [...new Array<number>(Math.max(0, length - digits.length)).fill(0), ...digits];
  padded[0] = (padded[0] ?? 0) | (0x80 >> (length - 1));
  return padded;
}

function element(id: number, body: readonly number[], sizeLength = 4): number[] {
  return [...octets(id), ...sizeOctets(body.length, sizeLength), ...body];
}

function atom({ start, end, title }: EncodedChapter, index: number): number[] {
  const display = [
    ...element(IDS.text, [...new TextEncoder().encode(title)]),
    ...element(IDS.language, [...new TextEncoder().encode('jpn')], 1),
  ];
  return element(IDS.atom, [
    ...element(IDS.uid, octets(index + 1), 1),
    ...element(IDS.start, octets(Math.round(start) * NS_PER_MS), 1),
    ...element(IDS.end, octets(Math.round(end) * NS_PER_MS), 1),
    ...element(IDS.display, display),
  ]);
}

function voidOf(length: number): number[] {
  if (length === 0) return [];
  const sizeLength = length < 100 ? 1 : 4;
  return element(IDS.void, new Array<number>(length - 1 - sizeLength).fill(0), sizeLength);
}

/** Exactly this many bytes: the chapters, padded. Chapters that need more are dropped. */
export function chapterOctets(chapters: readonly EncodedChapter[], length: number): Uint8Array {
  const atoms = chapters.flatMap(atom);
  const edition = atoms.length === 0 ? [] : element(IDS.edition, atoms);
  // An element has at least two bytes: a single remaining byte goes to the size field.
  const made = [7, 8].map((sizeLength) =>
    edition.length === 0 ? [] : element(IDS.chapters, edition, sizeLength),
  );
  const fitting = made.find((one) => one.length === length || one.length + 2 <= length) ?? [];
  return Uint8Array.from([...fitting, ...voidOf(length - fitting.length)]);
}

interface Head {
  readonly id: number;
  /** Size of its content; undefined: unknown. */
  readonly size: number | undefined;
  readonly length: number;
}

async function headAt(file: FileHandle, at: number): Promise<Head | undefined> {
  const bytes = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, at);
  const idLength = Math.clz32(bytes[0] ?? 0) - 23;
  const sizeLength = Math.clz32(bytes[idLength] ?? 0) - 23;
  if (idLength > 4 || sizeLength > 8 || idLength + sizeLength > bytesRead) return undefined;
  const number = (from: number, to: number, first: number): number =>
    bytes.subarray(from + 1, to).reduce((sum, octet) => sum * 256 + octet, first);
  const id = number(0, idLength, bytes[0] ?? 0);
  const mask = 0xff >> sizeLength;
  const size = number(idLength, idLength + sizeLength, (bytes[idLength] ?? 0) & mask);
  const isUnknown = size === 2 ** (7 * sizeLength) - 1;
  return { id, size: isUnknown ? undefined : size, length: idLength + sizeLength };
}

/** Position of a file's chapters; null: none before its pictures. @throws read errors */
export async function findChapterRoom(path: string): Promise<ChapterRoom | null> {
  const file = await open(path, 'r');
  try {
    let at = 0;
    for (let count = 0; count < MAX_ELEMENTS; count += 1) {
      const head = await headAt(file, at);
      if (head === undefined || head.id === IDS.cluster) return null;
      if (head.id === IDS.segment) at += head.length;
      else if (head.size === undefined) return null;
      else if (head.id === IDS.chapters) return { at, length: head.length + head.size };
      else at += head.length + head.size;
    }
    return null;
  } finally {
    await file.close();
  }
}

/** Resolves when they are on disk. @throws write errors */
export async function writeChapters(
  path: string,
  { at, length }: ChapterRoom,
  chapters: readonly EncodedChapter[],
): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(chapterOctets(chapters, length), 0, length, at);
    await file.sync();
  } finally {
    await file.close();
  }
}
