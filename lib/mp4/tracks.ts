/**
 * Parses the tracks of an initialisation segment, and its RFC 6381 type. Boxes: ISO/IEC 14496-12 8; codec names:
 * ISO/IEC 14496-15 5.3.3 (avcC), AV1-ISOBMFF 2.3.3 (av1C), ISO/IEC 14496-14 5.6 (esds), the Opus binding (dOps).
 */
import { type Box, boxesIn, findBox, typeAt, u32At } from './boxes.ts';

export interface Track {
  readonly id: number;
  readonly kind: 'video' | 'audio';
  /** Ticks per second of its decode times. */
  readonly timescale: number;
  /** e.g. `avc1.64001f`; undefined for an unknown codec. */
  readonly codec: string | undefined;
  /** Default flags of samples (trex). */
  readonly defaultFlags: number;
}

const FULL_BOX_HEADER = 4;
/** `stsd`: version, flags, entry count. */
const STSD_HEADER = 8;
/** Octets of a visual and an audio sample entry before its boxes, ISO/IEC 14496-12 12.1.3 and 12.2.3. */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

function hex2(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** `avc1.PPCCLL` of an AVCDecoderConfigurationRecord. */
function avcName(entry: string, record: Uint8Array): string | undefined {
  if (record.length < 4) return undefined;
  return `${entry}.${hex2(record[1] ?? 0)}${hex2(record[2] ?? 0)}${hex2(record[3] ?? 0)}`;
}

/** `av01.P.LLT.DD` of an AV1CodecConfigurationRecord. */
function av1Name(record: Uint8Array): string | undefined {
  if (record.length < 4) return undefined;
  const [, levels = 0, flags = 0] = record;
  const level = String(levels & 0x1f).padStart(2, '0');
  const tier = (flags & 0x80) === 0 ? 'M' : 'H';
  const depth = (flags & 0x40) === 0 ? '08' : (flags & 0x20) === 0 ? '10' : '12';
  return `av01.${levels >> 5}.${level}${tier}.${depth}`;
}

/** Content of the descriptor with this tag, ISO/IEC 14496-1 7.2.2; its size is coded in groups of seven bits. */
function descriptor(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  for (let at = 0; at + 1 < bytes.length; ) {
    const found = bytes[at];
    let size = 0;
    at += 1;
    for (let group = 0; group < 4; group += 1) {
      const byte = bytes[at] ?? 0;
      at += 1;
      size = (size << 7) | (byte & 0x7f);
      if ((byte & 0x80) === 0) break;
    }
    if (found === tag) return bytes.subarray(at, at + size);
    at += size;
  }
  return undefined;
}

/** Octets of an ES_Descriptor before its children: ES_ID, flags and optional fields by flags. */
function esHeaderBytes(es: Uint8Array): number {
  const flags = es[2] ?? 0;
  const dependsOn = (flags & 0x80) === 0 ? 0 : 2;
  const url = (flags & 0x40) === 0 ? 0 : 1 + (es[3 + dependsOn] ?? 0);
  return 3 + dependsOn + url + ((flags & 0x20) === 0 ? 0 : 2);
}

/** `mp4a.40.2` and the like of an `esds` box. */
function aacName(esds: Uint8Array): string | undefined {
  const ES = 0x03;
  const DECODER_CONFIG = 0x04;
  const DECODER_SPECIFIC = 0x05;
  const es = descriptor(esds.subarray(FULL_BOX_HEADER), ES);
  const config = es === undefined ? undefined : descriptor(es.subarray(esHeaderBytes(es)), DECODER_CONFIG);
  if (config === undefined) return undefined;
  const objectType = hex2(config[0] ?? 0);
  if (objectType !== '40') return `mp4a.${objectType}`;
  const specific = descriptor(config.subarray(13), DECODER_SPECIFIC);
  if (specific === undefined || specific.length < 1) return undefined;
  // audioObjectType, ISO/IEC 14496-3 1.6.2.1: five bits, 31 means that six more follow.
  const [first = 0, second = 0] = specific;
  const short = first >> 3;
  return `mp4a.40.${short === 31 ? 32 + (((first & 0x07) << 3) | (second >> 5)) : short}`;
}

function codecName(bytes: Uint8Array, entry: Box): string | undefined {
  const visual = entry.type === 'avc1' || entry.type === 'avc3' || entry.type === 'av01';
  const start = entry.body + (visual ? VISUAL_ENTRY_BYTES : AUDIO_ENTRY_BYTES);
  for (const box of boxesIn(bytes, start, entry.end)) {
    const record = bytes.subarray(box.body, box.end);
    if (box.type === 'avcC') return avcName(entry.type, record);
    if (box.type === 'av1C') return av1Name(record);
    if (box.type === 'esds') return aacName(record);
    if (box.type === 'dOps') return 'opus';
  }
  return undefined;
}

const KINDS: Readonly<Record<string, Track['kind']>> = { vide: 'video', soun: 'audio' };

function readTrack(bytes: Uint8Array, trak: Box): Omit<Track, 'defaultFlags'> | undefined {
  const header = findBox(bytes, trak, 'tkhd');
  const mediaHeader = findBox(bytes, trak, 'mdia', 'mdhd');
  const handler = findBox(bytes, trak, 'mdia', 'hdlr');
  const table = findBox(bytes, trak, 'mdia', 'minf', 'stbl', 'stsd');
  if (!header || !mediaHeader || !handler || !table) return undefined;
  const kind = KINDS[typeAt(bytes, handler.body + 8)];
  const [entry] = boxesIn(bytes, table.body + STSD_HEADER, table.end);
  if (kind === undefined || entry === undefined) return undefined;
  // Version 1 has 64-bit times before these fields.
  const idAt = header.body + FULL_BOX_HEADER + (bytes[header.body] === 1 ? 16 : 8);
  const timescaleAt = mediaHeader.body + FULL_BOX_HEADER + (bytes[mediaHeader.body] === 1 ? 16 : 8);
  const timescale = u32At(bytes, timescaleAt);
  if (timescale === 0) return undefined;
  return { id: u32At(bytes, idAt), kind, timescale, codec: codecName(bytes, entry) };
}

/** The video and audio tracks of an initialisation segment; empty if it has none or is truncated. */
export function readTracks(init: Uint8Array): Track[] {
  for (const moov of boxesIn(init)) {
    if (moov.type !== 'moov') continue;
    const defaults = new Map<number, number>();
    const movieExtends = findBox(init, moov, 'mvex');
    if (movieExtends !== undefined) {
      for (const box of boxesIn(init, movieExtends.body, movieExtends.end)) {
        if (box.type === 'trex') defaults.set(u32At(init, box.body + 4), u32At(init, box.body + 20));
      }
    }
    return [...boxesIn(init, moov.body, moov.end)].flatMap((box) => {
      const track = box.type === 'trak' ? readTrack(init, box) : undefined;
      return track === undefined ? [] : [{ ...track, defaultFlags: defaults.get(track.id) ?? 0 }];
    });
  }
  return [];
}

/** e.g. `video/mp4; codecs="avc1.64001f,mp4a.40.2"`; undefined without a track and with one of unknown codec. */
export function mimeOf(tracks: readonly Track[]): string | undefined {
  const codecs = tracks.map((track) => track.codec);
  if (codecs.length === 0 || codecs.includes(undefined)) return undefined;
  const container = tracks.some((track) => track.kind === 'video') ? 'video/mp4' : 'audio/mp4';
  return `${container}; codecs="${codecs.join(',')}"`;
}
