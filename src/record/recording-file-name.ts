/** Names of recording files: readable, valid on any file system, and unique. */
import { type BroadcastMs, JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';

/** A name has at most 255 octets; suffixes such as `.part12.ts` and numbers are appended. */
const MAX_STEM_BYTES = 200;
const MAX_STATION_BYTES = 48;
/** Characters that some file systems or shares refuse, and similar replacements. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ['/', '／'],
  ['\\', '＼'],
  [':', '：'],
  ['*', '＊'],
  ['?', '？'],
  ['"', '”'],
  ['<', '＜'],
  ['>', '＞'],
  ['|', '｜'],
]);
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const UNSAFE = /[/\\:*?"<>|]/g;

interface Named {
  id: RecordingId;
  startAt: BroadcastMs;
  title: string;
  stationName: string;
}

/** `20261121-2100 番組の名前 (局名) r12`. The number makes it unique. */
export function stemOf({ id, startAt, title, stationName }: Named): string {
  const time = new Date(startAt + JST_OFFSET_MS).toISOString();
  const date = `${time.slice(0, 10).replaceAll('-', '')}-${time.slice(11, 16).replace(':', '')}`;
  const tail = ` (${cut(safe(stationName), MAX_STATION_BYTES) || '局'}) r${id}`;
  const room = MAX_STEM_BYTES - Buffer.byteLength(date) - 1 - Buffer.byteLength(tail);
  return `${date} ${cut(safe(title), room) || '無題'}${tail}`;
}

/** Encrypted folders take 143 octets, endings included. */
const MAX_SHORT_BYTES = 100;

/** For file systems without long names. */
export function shortStem(stem: string, id: RecordingId): string {
  return `${cut(stem, MAX_SHORT_BYTES)} r${id}`;
}

/** The name of a part in a folder; the first is the usual one. */
export function partName(stem: string, number: number): string {
  return number === 1 ? `${stem}.ts` : `${stem}.part${number}.ts`;
}

export function joinedName(stem: string): string {
  return `${stem}.joined.ts`;
}

function safe(text: string): string {
  return (
    text
      .normalize('NFC')
      .replace(UNSAFE, (letter) => REPLACED.get(letter) ?? '')
      // Control characters, bidirectional control characters, and halves of surrogate pairs.
      .replace(UNSEEN, '')
      .replace(/\s+/g, ' ')
      .trim()
      // Hidden files, and endings that some systems drop.
      .replace(/^\.+|\.+$/g, '')
      .trim()
  );
}

/** As many complete graphemes as fit into this number of UTF-8 octets. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let out = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter('ja').segment(text)) {
    used += Buffer.byteLength(segment);
    if (used > bytes) break;
    out += segment;
  }
  return out.trim();
}
