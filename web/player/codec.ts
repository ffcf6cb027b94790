/** The RFC 6381 type of an MP4 initialisation segment, for a media source buffer. */
import { boxesOf, childBox } from './boxes.ts';

/** Bytes of VisualSampleEntry and AudioSampleEntry before their child boxes, ISO/IEC 14496-12, 12.1.3 and 12.2.3. */
const VISUAL_ENTRY = 78;
const AUDIO_ENTRY = 28;
/** `stsd`: version, flags, entry count. */
const STSD_HEADER = 8;

function hex2(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** `avc1.PPCCLL` from AVCDecoderConfigurationRecord, ISO/IEC 14496-15, 5.3.3.1. */
function avcCodec(format: string, avcC: Uint8Array | undefined): string | undefined {
  if (avcC === undefined || avcC.length < 4) return undefined;
  return `${format}.${hex2(avcC[1] ?? 0)}${hex2(avcC[2] ?? 0)}${hex2(avcC[3] ?? 0)}`;
}

/** `av01.P.LLT.DD` from AV1CodecConfigurationRecord, AV1-ISOBMFF 2.3.3. */
function av1Codec(av1C: Uint8Array | undefined): string | undefined {
  if (av1C === undefined || av1C.length < 4) return undefined;
  const [, levels = 0, flags = 0] = av1C;
  const profile = levels >> 5;
  const level = String(levels & 0x1f).padStart(2, '0');
  const tier = (flags & 0x80) !== 0 ? 'H' : 'M';
  const highDepth = (flags & 0x40) !== 0;
  const twelve = (flags & 0x20) !== 0;
  const depth = !highDepth ? '08' : twelve ? '12' : '10';
  return `av01.${profile}.${level}${tier}.${depth}`;
}

/** Contents of the descriptor of that tag, ISO/IEC 14496-1, 7.2.2 (sizes in groups of seven bits). */
function descriptor(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  let at = 0;
  while (at + 1 < bytes.length) {
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

/** Bytes of ES_Descriptor before its children: ES_ID, flags and what the flags announce. */
function esHeader(es: Uint8Array): number {
  const flags = es[2] ?? 0;
  const url = (flags & 0x40) !== 0 ? 1 + (es[3 + ((flags & 0x80) !== 0 ? 2 : 0)] ?? 0) : 0;
  return 3 + ((flags & 0x80) !== 0 ? 2 : 0) + url + ((flags & 0x20) !== 0 ? 2 : 0);
}

/** `mp4a.40.2` and the like from `esds`, ISO/IEC 14496-14, 5.6. */
function aacCodec(esds: Uint8Array | undefined): string | undefined {
  if (esds === undefined) return undefined;
  const es = descriptor(esds.subarray(4), 0x03);
  const config = es === undefined ? undefined : descriptor(es.subarray(esHeader(es)), 0x04);
  if (config === undefined) return undefined;
  const objectType = hex2(config[0] ?? 0);
  if (objectType !== '40') return `mp4a.${objectType}`;
  const specific = descriptor(config.subarray(13), 0x05);
  if (specific === undefined || specific.length < 1) return undefined;
  const first = specific[0] ?? 0;
  const short = first >> 3;
  const audioObject = short !== 31 ? short : 32 + (((first & 0x07) << 3) | ((specific[1] ?? 0) >> 5));
  return `mp4a.40.${audioObject}`;
}

function entryCodec(format: string, entry: Uint8Array): string | undefined {
  switch (format) {
    case 'avc1':
    case 'avc3':
      return avcCodec(format, childBox(entry.subarray(VISUAL_ENTRY), 'avcC'));
    case 'av01':
      return av1Codec(childBox(entry.subarray(VISUAL_ENTRY), 'av1C'));
    case 'mp4a':
      return aacCodec(childBox(entry.subarray(AUDIO_ENTRY), 'esds'));
    case 'Opus':
      return 'opus';
    default:
      return undefined;
  }
}

function trackEntry(track: Uint8Array): { type: string; body: Uint8Array } | undefined {
  let bytes: Uint8Array | undefined = track;
  for (const type of ['mdia', 'minf', 'stbl', 'stsd']) {
    bytes = bytes === undefined ? undefined : childBox(bytes, type);
  }
  if (bytes === undefined) return undefined;
  for (const entry of boxesOf(bytes.subarray(STSD_HEADER))) return entry;
  return undefined;
}

/** `video/mp4; codecs="…"`; undefined when a track's codec is unknown or there is no track. */
export function mimeOfInit(init: Uint8Array): string | undefined {
  const moov = childBox(init, 'moov');
  if (moov === undefined) return undefined;
  const codecs: string[] = [];
  let video = false;
  for (const box of boxesOf(moov)) {
    if (box.type !== 'trak') continue;
    const entry = trackEntry(box.body);
    const codec = entry === undefined ? undefined : entryCodec(entry.type, entry.body);
    if (codec === undefined) return undefined;
    video ||= codec.startsWith('av');
    codecs.push(codec);
  }
  if (codecs.length === 0) return undefined;
  return `${video ? 'video' : 'audio'}/mp4; codecs="${codecs.join(',')}"`;
}
