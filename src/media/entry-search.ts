/** Finds the entry point of a recording for a time: an intra picture, and the PAT and PMT valid there. */
import { type Media90k, media90k } from '../../lib/arib/time.ts';
import { scramblingControl } from '../../lib/arib/ts/packet.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import { ProgramTables } from './program-tables.ts';
import type { ByteSource } from './recording-bytes.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';
import { entryAt, packetsIn } from './stream-stamps.ts';

export interface RecordingEntry {
  /** Octets of the recording before its first packet. */
  readonly at: number;
  readonly media: Media90k;
  readonly piece: IndexPiece;
  readonly layout: StationLayout;
  /** PAT and PMT as packets. */
  readonly tables: Uint8Array<ArrayBuffer>;
  /** Picture size and aspect ratio, if they are in the header. */
  readonly format: string | null;
}

/**
 * Distances before the place of the wanted time at which reading begins. Tables come every 0.1 s and intra pictures
 * every 0.5 to 1 s, at 8 to 24 Mbit/s. If they are rarer, the search starts again further back.
 */
const STEPS_BACK = [1, 4, 16].map((mebibytes) => mebibytes * 1024 * 1024);
const AHEAD_BYTES = 8 * 1024 * 1024;
/** Tables come at least every 0.2 s. */
const TABLE_BYTES = 1024 * 1024;
const BLOCK_BYTES = 512 * 1024;
/** A place may lie anywhere within a packet, which is read completely, with the sync bytes after it. */
const PLACE_BYTES = 4 * 188;

/** The last entry at or before a time in its piece, else the first one after it; undefined if nothing is readable. */
export async function findEntry(
  source: ByteSource,
  index: RecordingIndex,
  media: Media90k,
): Promise<RecordingEntry | undefined> {
  const place = await index.around(media);
  if (place === undefined) return undefined;
  const { piece } = place;
  for (const back of STEPS_BACK) {
    const from = Math.max(piece.from, place.before.at - back);
    const found = await lastEntry(source, index, {
      from,
      to: Math.min(piece.to, place.after.at + PLACE_BYTES),
      media,
      piece,
    });
    if (found !== undefined) return found;
    if (from === piece.from) break;
  }
  const range = { from: place.before.at, to: Math.min(piece.to, place.after.at + AHEAD_BYTES), piece };
  for await (const entry of entriesIn(source, index, range)) return entry;
  return undefined;
}

/** The first entry after a layout change; undefined if none is written yet. */
export async function entryBehind(
  source: ByteSource,
  index: RecordingIndex,
  change: { readonly at: number; readonly media: Media90k },
): Promise<RecordingEntry | undefined> {
  const piece = index.pieceAt(change.at);
  if (piece === undefined) return undefined;
  // Starts before the change, so that the tables are known there.
  const from = Math.max(piece.from, change.at - TABLE_BYTES);
  const range = { from, to: Math.min(piece.to, change.at + AHEAD_BYTES), piece };
  for await (const entry of entriesIn(source, index, range)) {
    if (entry.media > change.media && entry.tables !== index.tables) return entry;
  }
  return undefined;
}

/** Whether packets near a time are scrambled. */
export async function isScrambledAt(
  source: ByteSource,
  index: RecordingIndex,
  media: Media90k,
): Promise<boolean> {
  const place = await index.around(media);
  if (place === undefined) return false;
  const bytes = await source.read(place.before.at, BLOCK_BYTES);
  for (const offset of packetsIn(bytes)) if (scramblingControl(bytes, offset) !== 0) return true;
  return false;
}

async function lastEntry(
  source: ByteSource,
  index: RecordingIndex,
  { media, ...range }: { from: number; to: number; piece: IndexPiece; media: Media90k },
): Promise<RecordingEntry | undefined> {
  let last: RecordingEntry | undefined;
  for await (const entry of entriesIn(source, index, range)) {
    if (entry.media > media) break;
    last = entry;
  }
  return last;
}

async function* entriesIn(
  source: ByteSource,
  index: RecordingIndex,
  { from, to, piece }: { from: number; to: number; piece: IndexPiece },
): AsyncGenerator<RecordingEntry> {
  const tables = new ProgramTables(index.serviceId);
  for (let at = from; at < to; ) {
    const bytes = await source.read(at, Math.min(BLOCK_BYTES, to - at));
    let end = 0;
    for (const offset of packetsIn(bytes)) {
      end = offset + 188;
      tables.feed(bytes, offset);
      const layout = index.sentOf(tables.layout ?? index.layout);
      const entry = entryAt(bytes, offset, layout);
      const media = entry === undefined ? undefined : index.timeOf(entry.pts, at + offset);
      if (entry === undefined || media === undefined) continue;
      // A damaged time stamp may be outside of this piece.
      if (media < piece.start || media > piece.start + piece.length) continue;
      const packets = tables.layout === undefined ? index.tables : tables.packets;
      yield { at: at + offset, media: media90k(media), piece, layout, tables: packets, format: entry.format };
    }
    // A packet cut by the end of the window is read again with the next window.
    at += end > 0 ? end : bytes.length;
    if (bytes.length === 0) return;
  }
}
