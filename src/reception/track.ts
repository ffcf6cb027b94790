/**
 * The tracks that an initialisation segment declares, and their RFC 6381 names.
 * ISO/IEC 14496-12 8 (boxes), 14496-15 5.3 (avcC), the AV1 binding's av1C, 14496-14 (esds), the Opus binding.
 */
import { type Box, boxesIn, findBox } from './boxes.ts';

export interface Track {
  id: number;
  kind: 'video' | 'audio';
  /** Ticks a second of its decode times. */
  timescale: number;
  /** e.g. `avc1.64001f`. */
  codec: string;
  /** Flags of samples that say nothing themselves (trex). */
  defaultFlags: number;
}

const FULL_BOX_HEADER = 4;
/** Octets of a visual and an audio sample entry before its boxes, ISO/IEC 14496-12 12.1.3 and 12.2.3. */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function avcName(bytes: Uint8Array, box: Box): string {
  const octets = [1, 2, 3].map((index) => hex(bytes[box.body + index] ?? 0, 2));
  return `avc1.${octets.join('')}`;
}

function av1Name(bytes: Uint8Array, box: Box): string {
  const first = bytes[box.body + 1] ?? 0;
  const second = bytes[box.body + 2] ?? 0;
  const depth = (second & 0x40) === 0 ? 8 : (second & 0x20) === 0 ? 10 : 12;
  const tier = (second & 0x80) === 0 ? 'M' : 'H';
  const decimal = (value: number): string => String(value).padStart(2, '0');
  return `av01.${first >> 5}.${decimal(first & 0x1f)}${tier}.${decimal(depth)}`;
}

/** The AAC object type is the first five bits of the decoder's own configuration, ISO/IEC 14496-3 1.6.2.1. */
function aacName(bytes: Uint8Array, box: Box): string {
  const DECODER_CONFIG = 0x04;
  const DECODER_SPECIFIC = 0x05;
  let at = box.body + FULL_BOX_HEADER;
  const descriptor = (): number => {
    const tag = bytes[at] ?? 0;
    at += 1;
    while (at < box.end && ((bytes[at] ?? 0) & 0x80) !== 0) at += 1;
    at += 1;
    return tag;
  };
  descriptor();
  at += 3; // ES_ID and flags; the muxer sets none of the optional fields
  if (descriptor() !== DECODER_CONFIG) return 'mp4a';
  const objectType = bytes[at] ?? 0;
  at += 13;
  if (descriptor() !== DECODER_SPECIFIC || at >= box.end) return `mp4a.${hex(objectType, 2)}`;
  return `mp4a.${hex(objectType, 2)}.${(bytes[at] ?? 0) >> 3}`;
}

function codecName(bytes: Uint8Array, entry: Box): string {
  const visual = entry.type === 'avc1' || entry.type === 'av01';
  const start = entry.body + (visual ? VISUAL_ENTRY_BYTES : AUDIO_ENTRY_BYTES);
  for (const box of boxesIn(bytes, start, entry.end)) {
    if (box.type === 'avcC') return avcName(bytes, box);
    if (box.type === 'av1C') return av1Name(bytes, box);
    if (box.type === 'esds') return aacName(bytes, box);
    if (box.type === 'dOps') return 'opus';
  }
  return entry.type;
}

function readTrack(bytes: Uint8Array, view: DataView, trak: Box): Omit<Track, 'defaultFlags'> | undefined {
  const header = findBox(bytes, trak, 'tkhd');
  const mediaHeader = findBox(bytes, trak, 'mdia', 'mdhd');
  const handler = findBox(bytes, trak, 'mdia', 'hdlr');
  const table = findBox(bytes, trak, 'mdia', 'minf', 'stbl', 'stsd');
  if (!header || !mediaHeader || !handler || !table) return undefined;
  const long = bytes[header.body] === 1;
  const longMedia = bytes[mediaHeader.body] === 1;
  const kind = String.fromCharCode(...bytes.subarray(handler.body + 8, handler.body + 12));
  if (kind !== 'vide' && kind !== 'soun') return undefined;
  const [entry] = boxesIn(bytes, table.body + 8, table.end);
  if (entry === undefined) return undefined;
  return {
    id: view.getUint32(header.body + FULL_BOX_HEADER + (long ? 16 : 8)),
    kind: kind === 'vide' ? 'video' : 'audio',
    timescale: view.getUint32(mediaHeader.body + FULL_BOX_HEADER + (longMedia ? 16 : 8)),
    codec: codecName(bytes, entry),
  };
}

/** The video and audio tracks of a `moov` box. */
export function readTracks(moov: Uint8Array): Track[] {
  const view = new DataView(moov.buffer, moov.byteOffset, moov.byteLength);
  const [root] = boxesIn(moov);
  if (root === undefined) return [];
  const defaults = new Map<number, number>();
  const extends_ = findBox(moov, root, 'mvex');
  if (extends_ !== undefined) {
    for (const box of boxesIn(moov, extends_.body, extends_.end)) {
      if (box.type === 'trex') defaults.set(view.getUint32(box.body + 4), view.getUint32(box.body + 20));
    }
  }
  const tracks: Track[] = [];
  for (const box of boxesIn(moov, root.body, root.end)) {
    if (box.type !== 'trak') continue;
    const track = readTrack(moov, view, box);
    if (track !== undefined) tracks.push({ ...track, defaultFlags: defaults.get(track.id) ?? 0 });
  }
  return tracks;
}

/** RFC 6381 type of a file with these tracks, e.g. `video/mp4; codecs="avc1.64001f,mp4a.40.2"`. */
export function mimeOf(tracks: readonly Track[]): string {
  const container = tracks.some((track) => track.kind === 'video') ? 'video/mp4' : 'audio/mp4';
  return `${container}; codecs="${tracks.map((track) => track.codec).join(',')}"`;
}
