/**
 * Memory of the decoder: one access unit, a pool of frames, one output frame. It grows with the largest picture and
 * is limited by the largest picture of the profile (ISO/IEC 13818-2, 8.2: 1920 by 1152), 33 MB.
 */
import { picture } from './picture.as';
import { plane } from './predict.as';

/** An access unit as received. The largest that a decoder's buffer of this level holds is 1.2 MB. */
export const UNIT_BYTES: i32 = 1536 << 10;
/** Zeros after the unit: more than a macroblock can need (6 blocks of 64 coefficients of 24 bits). */
const UNIT_PADDING: i32 = 4096;
const MAX_WIDTH: i32 = 1920;
const MAX_HEIGHT: i32 = 1152;

/**
 * Two references and the picture being decoded, and three for the deinterlacer, at least one of which is a reference
 * when a picture begins.
 */
const FRAMES: i32 = 6;
/** Loads for half samples and vectors extend beyond the last sample. */
const FRAME_PADDING: i32 = 4096;

export const FLAG_PROGRESSIVE: i32 = 1;
export const FLAG_TOP_FIRST: i32 = 2;
export const FLAG_REPEATED: i32 = 4;
export const FLAG_INTRA: i32 = 8;
export const FLAG_CONCEALED: i32 = 16;
export const FLAG_PROGRESSIVE_SEQUENCE: i32 = 32;

const heapStart: i32 = ((<i32>__heap_base + 4095) >> 12) << 12;
export const unitAt: i32 = heapStart;
export const wordsAt: i32 = unitAt + UNIT_BYTES + UNIT_PADDING;
const framesAt: i32 = wordsAt + UNIT_BYTES + UNIT_PADDING;
/** By frame: presentation time, flags. */
const times: i32 = memory.data(48, 16) as i32;
const frameFlags: i32 = memory.data(24, 16) as i32;

export namespace frames {
  /** Octets of a frame. */
  export let size: i32 = 0;
  /** Index of the older and the newer reference; -1: none. */
  export let older: i32 = -1;
  export let newer: i32 = -1;
  /** The frame being written; -1: none. */
  export let current: i32 = -1;
  /** Whether the newer reference has not been shown yet. */
  export let isNewerWaiting: bool = false;
  /** The last three frames shown, for the deinterlacer; -1: none. */
  export let previous: i32 = -1;
  export let middle: i32 = -1;
  export let next: i32 = -1;
  export let waiting0: i32 = -1;
  export let waiting1: i32 = -1;
}

export function addressOf(frame: i32): i32 {
  return framesAt + frame * frames.size;
}

/** One frame after the pool, for deinterlaced fields. */
export function outputAddress(): i32 {
  return framesAt + FRAMES * frames.size;
}

export function ensureMemory(end: i32): bool {
  const pages = (end + 65535) >> 16;
  const missing = pages - memory.size();
  return missing <= 0 || memory.grow(missing) >= 0;
}

export function ensureUnit(): void {
  ensureMemory(framesAt);
}

export function forgetFrames(): void {
  frames.older = -1;
  frames.newer = -1;
  frames.current = -1;
  frames.isNewerWaiting = false;
  frames.previous = -1;
  frames.middle = -1;
  frames.next = -1;
  frames.waiting0 = -1;
  frames.waiting1 = -1;
}

/** Lays out the frames for a picture size. False if it is larger than the profile allows. */
export function layFrames(width: i32, height: i32, isProgressive: bool): bool {
  if (width < 16 || height < 16 || width > MAX_WIDTH || height > MAX_HEIGHT) return false;
  forgetFrames();
  plane.stride = ((width + 15) >> 4) << 4;
  // Field pictures also consist of complete macroblocks, 6.3.3.
  plane.lines = isProgressive ? ((height + 15) >> 4) << 4 : ((height + 31) >> 5) << 5;
  plane.cb = plane.stride * plane.lines;
  plane.cr = plane.cb + (plane.cb >> 2);
  frames.size = ((plane.cb + (plane.cb >> 1) + FRAME_PADDING + 15) >> 4) << 4;
  return ensureMemory(framesAt + (FRAMES + 1) * frames.size);
}

/** A frame that is neither a reference nor in use. */
export function freeFrame(): i32 {
  for (let frame: i32 = 0; frame < FRAMES; frame += 1) {
    const isUsed =
      frame === frames.older ||
      frame === frames.newer ||
      frame === frames.middle ||
      frame === frames.next ||
      frame === frames.waiting0 ||
      frame === frames.waiting1;
    if (!isUsed) return frame;
  }
  return 0;
}

/** Fills a frame with grey, if there is nothing to predict from. */
export function clearFrame(frame: i32): void {
  memory.fill(addressOf(frame), 128, frames.size);
}

export function setTime(frame: i32, time: f64): void {
  store<f64>(times + frame * 8, time);
}

export function timeOf(frame: i32): f64 {
  return load<f64>(times + frame * 8);
}

export function setFlags(frame: i32, flags: i32): void {
  store<i32>(frameFlags + frame * 4, flags);
}

export function addFlags(frame: i32, flags: i32): void {
  store<i32>(frameFlags + frame * 4, load<i32>(frameFlags + frame * 4) | flags);
}

export function flagsOf(frame: i32): i32 {
  return load<i32>(frameFlags + frame * 4);
}

/** Queues a frame to be shown. At most two wait: if the caller does not take them, the older one is dropped. */
export function show(frame: i32): void {
  if (frames.waiting0 >= 0 && frames.waiting1 >= 0) {
    frames.waiting0 = frames.waiting1;
    frames.waiting1 = frame;
  } else if (frames.waiting0 >= 0) frames.waiting1 = frame;
  else frames.waiting0 = frame;
}

/** Selects a frame for a reference picture: the newer reference becomes the older one, and is shown. */
export function rotateReferences(): i32 {
  showNewer();
  frames.older = -1;
  const frame = freeFrame();
  frames.older = frames.newer;
  frames.newer = frame;
  frames.isNewerWaiting = true;
  // Without a reference, a damaged or badly cut stream refers to the frame being written, which is grey.
  picture.forward = addressOf(frames.older < 0 ? frame : frames.older);
  return frame;
}

export function showNewer(): void {
  if (!frames.isNewerWaiting) return;
  frames.isNewerWaiting = false;
  show(frames.newer);
}
