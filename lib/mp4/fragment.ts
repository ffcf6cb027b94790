/**
 * Reads a movie fragment's start and whether decoding can begin there, and shifts its decode times. ISO/IEC 14496-12
 * 8.8.
 */
import { TICKS_PER_SECOND } from '../arib/time.ts';
import { boxesIn, findBox, u32At } from './boxes.ts';
import { readTracks, type Track } from './tracks.ts';

/** sample_is_non_sync_sample, ISO/IEC 14496-12 8.8.3.1. */
const NON_SYNC = 0x0001_0000;
/** tfhd flags. */
const BASE_DATA_OFFSET = 0x01;
const DESCRIPTION_INDEX = 0x02;
const DEFAULT_DURATION = 0x08;
const DEFAULT_SIZE = 0x10;
const DEFAULT_FLAGS = 0x20;
/** trun flags. */
const DATA_OFFSET = 0x0001;
const FIRST_FLAGS = 0x0004;
const SAMPLE_DURATION = 0x0100;
const SAMPLE_SIZE = 0x0200;
const SAMPLE_FLAGS = 0x0400;

export interface FragmentTrack {
  track: Track;
  /** baseMediaDecodeTime in the track's timescale; negative just after a wrap of the clock. */
  time: number;
  /** The first sample can be decoded independently. */
  sync: boolean;
  /** Offset of the 64-bit time in the fragment, -1 for a 32-bit one. */
  timeAt: number;
  /** Offset of the type of the track's box. */
  typeAt: number;
}

/** The known tracks of the `moof` box at the beginning of the bytes. */
export function readFragment(moof: Uint8Array, tracks: readonly Track[]): FragmentTrack[] {
  const view = new DataView(moof.buffer, moof.byteOffset, moof.byteLength);
  const [root] = boxesIn(moof);
  if (root?.type !== 'moof') return [];
  const found: FragmentTrack[] = [];
  for (const traf of boxesIn(moof, root.body, root.end)) {
    if (traf.type !== 'traf') continue;
    const header = findBox(moof, traf, 'tfhd');
    const time = findBox(moof, traf, 'tfdt');
    const run = findBox(moof, traf, 'trun');
    if (!header || !time || !run) continue;
    const track = tracks.find((candidate) => candidate.id === u32At(moof, header.body + 4));
    if (track === undefined) continue;
    const long = moof[time.body] === 1 && time.end - time.body >= 12;
    found.push({
      track,
      time: long ? Number(view.getBigInt64(time.body + 4)) : u32At(moof, time.body + 4),
      sync: (firstSampleFlags(moof, header.body, run.body, track.defaultFlags) & NON_SYNC) === 0,
      timeAt: long ? time.body + 4 : -1,
      typeAt: traf.start + 4,
    });
  }
  return found;
}

function firstSampleFlags(moof: Uint8Array, header: number, run: number, trackDefault: number): number {
  const runFlags = u32At(moof, run) & 0xffffff;
  let at = run + 8;
  if (runFlags & DATA_OFFSET) at += 4;
  if (runFlags & FIRST_FLAGS) return u32At(moof, at);
  if (runFlags & SAMPLE_FLAGS) {
    if (runFlags & SAMPLE_DURATION) at += 4;
    if (runFlags & SAMPLE_SIZE) at += 4;
    return u32At(moof, at);
  }
  const flags = u32At(moof, header) & 0xffffff;
  if ((flags & DEFAULT_FLAGS) === 0) return trackDefault;
  at = header + 8;
  if (flags & BASE_DATA_OFFSET) at += 8;
  if (flags & DESCRIPTION_INDEX) at += 4;
  if (flags & DEFAULT_DURATION) at += 4;
  if (flags & DEFAULT_SIZE) at += 4;
  return u32At(moof, at);
}

/** The type of a box that readers skip, ISO/IEC 14496-12 8.1.2. */
const FREE = Uint8Array.of(0x66, 0x72, 0x65, 0x65);
/** A multiple of 15 ticks of 90 kHz is an integral number of samples at 48 kHz (8 of them). */
const ORIGIN_STEP = 15;

/** The common origin of all tracks, in 90 kHz ticks: the earliest start in the first fragment, rounded down. */
export function originOf(first: readonly FragmentTrack[]): number {
  const starts = first.map((entry) => (entry.time * TICKS_PER_SECOND) / entry.track.timescale);
  return Math.floor(Math.min(...starts) / ORIGIN_STEP) * ORIGIN_STEP;
}

/**
 * Subtracts an origin (90 kHz ticks) from every decode time, in place, and returns the remaining tracks. A track that
 * would start before the origin (audio that reached the muxer later than the first picture), or whose time cannot be
 * rewritten, is hidden from the reader.
 */
export function rebase(moof: Uint8Array, parts: readonly FragmentTrack[], origin: number): FragmentTrack[] {
  const view = new DataView(moof.buffer, moof.byteOffset, moof.byteLength);
  return parts.filter((part) => {
    const moved = part.time - Math.round((origin * part.track.timescale) / TICKS_PER_SECOND);
    const fits = moved >= 0 && part.timeAt >= 0;
    if (fits) view.setBigInt64(part.timeAt, BigInt(moved));
    else moof.set(FREE, part.typeAt);
    return fits;
  });
}

/**
 * Shifts one viewer's fragments so that the first starts at time 0, whenever the viewer joined. The bytes are shared
 * with other viewers: only the header (`moof`, about 1 KB) is copied, and nothing for a viewer from the start.
 */
export class FragmentRebaser {
  readonly #tracks: readonly Track[];
  /** 90 kHz ticks that are subtracted; set by the first fragment. */
  #origin: number | undefined;

  /** @param init the initialisation segment of the fragments */
  constructor(init: Uint8Array) {
    this.#tracks = readTracks(init);
  }

  /** A fragment (`moof` and `mdat`) as consecutive pieces. Bytes that are not a fragment are unchanged. */
  fragment(bytes: Uint8Array): Uint8Array[] {
    if (this.#origin === 0) return [bytes];
    const [moof] = boxesIn(bytes);
    const parts = readFragment(bytes, this.#tracks);
    if (moof === undefined || parts.length === 0) return [bytes];
    this.#origin ??= originOf(parts);
    if (this.#origin === 0) return [bytes];
    const header = bytes.slice(moof.start, moof.end);
    rebase(header, parts, this.#origin);
    return [header, bytes.subarray(moof.end)];
  }
}
