/**
 * Reads a movie fragment's start and whether a decoder can begin there, and moves its decode times.
 * ISO/IEC 14496-12 8.8.
 */
import { boxesIn, findBox } from './boxes.ts';
import type { Track } from './track.ts';

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
  /** baseMediaDecodeTime in the track's timescale; negative just after a clock's wrap. */
  time: number;
  /** The first sample needs no other. */
  sync: boolean;
  /** Where the 64-bit time stands in the fragment, -1 for a 32-bit one. */
  timeAt: number;
  /** Where the type of its box stands. */
  typeAt: number;
}

/** What a `moof` box says of each known track. */
export function readFragment(moof: Uint8Array, tracks: readonly Track[]): FragmentTrack[] {
  const view = new DataView(moof.buffer, moof.byteOffset, moof.byteLength);
  const [root] = boxesIn(moof);
  if (root === undefined) return [];
  const found: FragmentTrack[] = [];
  for (const traf of boxesIn(moof, root.body, root.end)) {
    if (traf.type !== 'traf') continue;
    const header = findBox(moof, traf, 'tfhd');
    const time = findBox(moof, traf, 'tfdt');
    const run = findBox(moof, traf, 'trun');
    if (!header || !time || !run) continue;
    const track = tracks.find((candidate) => candidate.id === view.getUint32(header.body + 4));
    if (track === undefined) continue;
    const long = moof[time.body] === 1;
    found.push({
      track,
      time: long ? Number(view.getBigInt64(time.body + 4)) : view.getUint32(time.body + 4),
      sync: (firstSampleFlags(view, header.body, run.body, track.defaultFlags) & NON_SYNC) === 0,
      timeAt: long ? time.body + 4 : -1,
      typeAt: traf.start + 4,
    });
  }
  return found;
}

function firstSampleFlags(view: DataView, header: number, run: number, trackDefault: number): number {
  const runFlags = view.getUint32(run) & 0xffffff;
  let at = run + 8;
  if (runFlags & DATA_OFFSET) at += 4;
  if (runFlags & FIRST_FLAGS) return view.getUint32(at);
  if (runFlags & SAMPLE_FLAGS) {
    if (runFlags & SAMPLE_DURATION) at += 4;
    if (runFlags & SAMPLE_SIZE) at += 4;
    return view.getUint32(at);
  }
  const flags = view.getUint32(header) & 0xffffff;
  if ((flags & DEFAULT_FLAGS) === 0) return trackDefault;
  at = header + 8;
  if (flags & BASE_DATA_OFFSET) at += 8;
  if (flags & DESCRIPTION_INDEX) at += 4;
  if (flags & DEFAULT_DURATION) at += 4;
  if (flags & DEFAULT_SIZE) at += 4;
  return view.getUint32(at);
}

const CLOCK = 90_000;
/** The type of a box that readers skip, ISO/IEC 14496-12 8.1.2. */
const FREE = new TextEncoder().encode('free');
/** A multiple of 15 ticks of 90 kHz is a whole number of samples at 48 kHz (8 of them). */
const ORIGIN_STEP = 15;

/** The common origin of a session, in 90 kHz ticks: the earliest start in its first fragment, rounded down. */
export function originOf(first: readonly FragmentTrack[]): number {
  const starts = first.map((entry) => (entry.time * CLOCK) / entry.track.timescale);
  return Math.floor(Math.min(...starts) / ORIGIN_STEP) * ORIGIN_STEP;
}

/**
 * Subtracts an origin (90 kHz ticks) from every decode time, in place, and gives the parts that are left. What
 * would begin before the origin, such as sound that reaches the muxer later than the first picture, or has a
 * time that cannot be rewritten, is hidden from the reader.
 */
export function rebase(moof: Uint8Array, parts: readonly FragmentTrack[], origin: number): FragmentTrack[] {
  const view = new DataView(moof.buffer, moof.byteOffset, moof.byteLength);
  return parts.filter((part) => {
    const moved = part.time - Math.round((origin * part.track.timescale) / CLOCK);
    const fits = moved >= 0 && part.timeAt >= 0;
    if (fits) view.setBigInt64(part.timeAt, BigInt(moved));
    else moof.set(FREE, part.typeAt);
    return fits;
  });
}
