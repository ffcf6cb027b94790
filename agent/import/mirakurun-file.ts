/**
 * Configuration files of Mirakurun as lists of entries. They are YAML of unknown origin: size-limited, and nothing in
 * them is ever executed.
 */
import { open } from 'node:fs/promises';

/** Real files have a few kilobytes. */
const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 2_000;
const MAX_TEXT = 2_048;

/** A file that cannot be imported at all; the message is for display and contains the next step. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure';
}

/** An entry that was not or only partly imported; for display. */
export interface ImportNote {
  /** The entry's name, or else its position in the file. */
  readonly entry: string;
  readonly text: string;
}

export type Entry = Readonly<Record<string, unknown>>;

/** Undefined if the file does not exist. @throws ImportFailure */
export async function readBounded(path: string): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ImportFailure(`${path} を開けません (${String(code)})`);
  }
  try {
    if (!(await file.stat()).isFile()) throw new ImportFailure(`${path} はファイルではありません`);
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > MAX_BYTES) throw new ImportFailure(`${path} は大きすぎます（1 MB まで）`);
    return buffer.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}

/** @throws ImportFailure */
export function readEntries(text: string, file: string): Entry[] {
  let value: unknown;
  try {
    value = Bun.YAML.parse(text);
  } catch (error) {
    const reason = error instanceof RangeError ? '入れ子が深すぎます' : messageOf(error);
    throw new ImportFailure(`${file} を YAML として読めません: ${reason}`);
  }
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new ImportFailure(`${file} の中身が一覧（- で始まる行）になっていません`);
  if (value.length > MAX_ENTRIES)
    throw new ImportFailure(`${file} の項目が多すぎます（${MAX_ENTRIES} 件まで）`);
  return value.map((entry: unknown) => (isRecord(entry) ? entry : {}));
}

function messageOf(error: unknown): string {
  return printable(error instanceof Error ? error.message.replace(/^YAML Parse error: /, '') : String(error));
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text and numbers as text that is safe for terminals and headers; undefined for everything else. */
export function textOf(entry: Entry, field: string): string | undefined {
  const value = Object.hasOwn(entry, field) ? entry[field] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string' || value.length > MAX_TEXT) return undefined;
  const text = printable(value).trim();
  return text === '' ? undefined : text;
}

export function isDisabled(entry: Entry): boolean {
  return Object.hasOwn(entry, 'isDisabled') && entry.isDisabled === true;
}

/** Name of an entry in notes. @param index from 0 */
export function entryName(entry: Entry, index: number): string {
  const name = textOf(entry, 'name')?.slice(0, 64);
  return name === undefined ? `${index + 1} 番目の項目` : `${index + 1} 番目の「${name}」`;
}

function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
