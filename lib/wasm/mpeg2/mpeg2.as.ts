/**
 * MPEG-2 video, main profile (ISO/IEC 13818-2), and a deinterlacer, in AssemblyScript with SIMD. The caller writes an
 * access unit (headers and one picture: a frame or a field) to `unit()`, calls `decode`, then takes the frames to be
 * shown with `take` until it returns false. No stream causes a trap, a write outside of the frames or a long runtime.
 */
import { bits } from './bits.as';
import { prepareScan } from './blocks.as';
import { combedBlocks, weave } from './combing.as';
import { deinterlace } from './deinterlace.as';
import {
  addFlags,
  addressOf,
  clearFrame,
  ensureUnit,
  FLAG_CONCEALED,
  FLAG_INTRA,
  FLAG_PROGRESSIVE,
  FLAG_PROGRESSIVE_SEQUENCE,
  FLAG_REPEATED,
  FLAG_TOP_FIRST,
  flagsOf,
  forgetFrames,
  frames,
  freeFrame,
  layFrames,
  outputAddress,
  rotateReferences,
  setFlags,
  setTime,
  show,
  showNewer,
  timeOf,
  UNIT_BYTES,
  unitAt,
  wordsAt,
} from './frames.as';
import {
  EXTENSION_NONE,
  EXTENSION_PICTURE_ALTERNATE,
  EXTENSION_SIZE,
  extension,
  groupHeader,
  pictureHeader,
  sequence,
  sequenceHeader,
} from './headers.as';
import { picture, TYPE_B_PICTURE, TYPE_I_PICTURE, TYPE_P_PICTURE } from './picture.as';
import { plane } from './predict.as';
import { beginSlices, conceal, decodeSlice } from './slices.as';
import { buildTables } from './tables.as';

const START_PICTURE: i32 = 0x00;
const START_LAST_SLICE: i32 = 0xaf;
const START_SEQUENCE: i32 = 0xb3;
const START_EXTENSION: i32 = 0xb5;
const START_GROUP: i32 = 0xb8;

/** The first field of a frame was decoded, but not its second one. */
let isHalf: bool = false;
let firstStructure: i32 = 0;
let firstType: i32 = 0;
let firstReference: i32 = 0;
/** The picture of this unit has a target frame: slices are decoded. */
let isOpen: bool = false;
/** A header and its extension were read, and no slice yet. */
let isPictureKnown: bool = false;
let concealed: i32 = 0;

buildTables();
ensureUnit();

export { UNIT_BYTES };

/** Buffer for an access unit of up to UNIT_BYTES. */
export function unit(): i32 {
  return unitAt;
}

/** Restarts as after a loss: decoding begins with the next I picture. Waiting frames can still be shown. */
export function restart(): void {
  closeHalf();
  showNewer();
  frames.older = -1;
  frames.newer = -1;
}

/** A frame without its second field is shown with the first one only. */
function closeHalf(): void {
  if (!isHalf) return;
  isHalf = false;
  addFlags(frames.current, FLAG_CONCEALED);
  if (frames.current !== frames.newer) show(frames.current);
  frames.current = -1;
}

function isSecondField(): bool {
  if (!isHalf || picture.structure === 3 || picture.structure === firstStructure) return false;
  if (picture.temporalReference !== firstReference) return false;
  // A P field may follow an I field; otherwise both have the same type, 6.1.1.4.
  return picture.type === firstType || (firstType === TYPE_I_PICTURE && picture.type === TYPE_P_PICTURE);
}

/** Whether the references of the picture exist. */
function canDecode(): bool {
  switch (picture.type) {
    case TYPE_I_PICTURE:
      return true;
    case TYPE_P_PICTURE:
      return picture.isSecondField || frames.newer >= 0;
    case TYPE_B_PICTURE:
      return frames.newer >= 0 && (frames.older >= 0 || sequence.isClosed);
    default:
      return false;
  }
}

/** Called before the first slice: selects the frame to write and the references. */
function openPicture(time: f64): void {
  isPictureKnown = false;
  isOpen = false;
  if (picture.structure === 0) return;
  picture.isSecondField = isSecondField();
  if (!picture.isSecondField) closeHalf();
  if (!canDecode()) return;
  picture.line = picture.structure === 2 ? 1 : 0;
  picture.columns = plane.stride >> 4;
  picture.rows = picture.structure === 3 ? plane.lines >> 4 : plane.lines >> 5;
  if (!picture.isSecondField) {
    if (picture.type === TYPE_B_PICTURE) {
      // A low-delay stream has no B pictures; if it does have some, it is decoded like any other.
      sequence.isLowDelay = false;
      frames.current = freeFrame();
      picture.forward = addressOf(frames.older >= 0 ? frames.older : frames.newer);
      picture.backward = addressOf(frames.newer);
    } else {
      frames.current = rotateReferences();
      if (frames.older < 0) clearFrame(frames.current);
    }
    setTime(frames.current, time);
    let flags: i32 = picture.isTopFirst ? FLAG_TOP_FIRST : 0;
    // For field pictures, the first one determines the field order.
    if (picture.structure !== 3) flags = picture.structure === 1 ? FLAG_TOP_FIRST : 0;
    if (picture.isProgressive && picture.structure === 3) flags |= FLAG_PROGRESSIVE;
    if (picture.isRepeated) flags |= FLAG_REPEATED;
    if (picture.type === TYPE_I_PICTURE) flags |= FLAG_INTRA;
    if (sequence.isProgressive) flags |= FLAG_PROGRESSIVE | FLAG_PROGRESSIVE_SEQUENCE;
    setFlags(frames.current, flags);
  }
  picture.target = addressOf(frames.current);
  // Matrices may follow the picture coding extension.
  prepareScan(isAlternate);
  isOpen = true;
  beginSlices();
}

/** Called after the last slice of the unit. */
function closePicture(): void {
  if (!isOpen) return;
  isOpen = false;
  const lost = conceal();
  concealed += lost;
  if (lost > 0) addFlags(frames.current, FLAG_CONCEALED);
  if (picture.structure !== 3 && !picture.isSecondField) {
    isHalf = true;
    firstStructure = picture.structure;
    firstType = picture.type;
    firstReference = picture.temporalReference;
    return;
  }
  isHalf = false;
  if (picture.type === TYPE_B_PICTURE) show(frames.current);
  else if (sequence.isLowDelay) showNewer();
  frames.current = -1;
}

/** Converts the unit to 32-bit big-endian words, as `bits` reads them, followed by zeros. */
function makeWords(length: i32): void {
  memory.fill(unitAt + length, 0, 4096);
  const order = i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  for (let at: i32 = 0; at < length + 4080; at += 16) {
    v128.store(wordsAt + at, i8x16.swizzle(v128.load(unitAt + at), order));
  }
}

function readExtension(time: f64): void {
  const changed = extension();
  if (changed === EXTENSION_SIZE) {
    isHalf = false;
    isOpen = false;
    if (!layFrames(sequence.width, sequence.height, sequence.isProgressive)) sequence.isKnown = false;
  } else if (changed !== EXTENSION_NONE && isPictureKnown) {
    isAlternate = changed === EXTENSION_PICTURE_ALTERNATE;
    isReady = true;
    pendingTime = time;
  }
}

/** A picture header and its coding extension were read: the next slice opens the picture. */
let isReady: bool = false;
let isAlternate: bool = false;
let pendingTime: f64 = NaN;

function readHeader(code: i32, time: f64): void {
  if (code === START_SEQUENCE) sequenceHeader();
  else if (code === START_EXTENSION) readExtension(time);
  else if (code === START_GROUP) groupHeader();
  else if (code === START_PICTURE) {
    closePicture();
    pictureHeader();
    isPictureKnown = true;
    isReady = false;
  }
}

/**
 * Decodes a unit of `length` octets at `unit()`.
 * @param time presentation time of its first picture, any scale; NaN: unknown
 * @returns number of frames to be taken
 */
export function decode(length: i32, time: f64): i32 {
  length = max(0, min(length, UNIT_BYTES));
  makeWords(length);
  bits.words = wordsAt;
  bits.end = length << 3;
  isPictureKnown = false;
  isReady = false;
  let at: i32 = 0;
  while (at + 4 <= length) {
    if (load<u8>(unitAt + at, 2) > 1) {
      at += 3;
      continue;
    }
    if (load<u16>(unitAt + at) !== 0 || load<u8>(unitAt + at, 2) !== 1) {
      at += 1;
      continue;
    }
    const code = <i32>load<u8>(unitAt + at, 3);
    bits.position = (at + 4) << 3;
    at += 4;
    if (code === START_PICTURE || code > START_LAST_SLICE) {
      readHeader(code, time);
      continue;
    }
    if (!sequence.isKnown) continue;
    if (isReady) {
      isReady = false;
      openPicture(pendingTime);
    }
    if (!isOpen) continue;
    decodeSlice(code - 1);
    // Finds a start code within a damaged slice, which the reader may have passed.
    at = max(at, min(bits.position >> 3, length) - 3);
  }
  closePicture();
  return (frames.waiting0 >= 0 ? 1 : 0) + (frames.waiting1 >= 0 ? 1 : 0);
}

/** Outputs the last reference, at the end of a stream. */
export function flush(): i32 {
  closeHalf();
  showNewer();
  return (frames.waiting0 >= 0 ? 1 : 0) + (frames.waiting1 >= 0 ? 1 : 0);
}

/** Takes the next frame in display order. It stays valid until the third call after this one. */
export function take(): bool {
  if (frames.waiting0 < 0) return false;
  frames.previous = frames.middle;
  frames.middle = frames.next;
  frames.next = frames.waiting0;
  frames.waiting0 = frames.waiting1;
  frames.waiting1 = -1;
  return true;
}

/** Resets everything except the size: no waiting frames, no references. */
export function forget(): void {
  isHalf = false;
  forgetFrames();
}

/** Address of the newest reference if it was not shown yet, for the first picture after joining; else 0. */
export function preview(): i32 {
  return frames.isNewerWaiting && !isHalf ? addressOf(frames.newer) : 0;
}

/** @param age 0 the frame taken last, 1 the one before it, 2 the one before that; -1 if there is none */
function taken(age: i32): i32 {
  return age === 0 ? frames.next : age === 1 ? frames.middle : frames.previous;
}

/** Address of Y of a taken frame; 0 if there is none. Cb and Cr follow at `cbOffset` and `crOffset`. */
export function frameAt(age: i32): i32 {
  const frame = taken(age);
  return frame < 0 ? 0 : addressOf(frame);
}

export function frameTime(age: i32): f64 {
  const frame = taken(age);
  return frame < 0 ? NaN : timeOf(frame);
}

/** Bits: 1 progressive, 2 top field first, 4 repeated, 8 intra, 16 concealed, 32 progressive sequence. */
export function frameFlags(age: i32): i32 {
  const frame = taken(age);
  return frame < 0 ? 0 : flagsOf(frame);
}

/**
 * Writes a field of the taken frame of `age` 1, or 0 at the end of a stream, as a complete frame; 0 if there is none.
 * @param isSecond which of its two fields, in order of time
 * @returns address of Y
 */
export function field(age: i32, isSecond: i32): i32 {
  const frame = taken(age);
  if (frame < 0) return 0;
  const before = age === 1 && frames.previous >= 0 ? frames.previous : frame;
  const after = age === 1 && frames.next >= 0 ? frames.next : frame;
  const isTopFirst = (flagsOf(frame) & FLAG_TOP_FIRST) !== 0;
  const line = (isSecond !== 0) === isTopFirst ? 1 : 0;
  const target = outputAddress();
  deinterlace(addressOf(before), addressOf(frame), addressOf(after), target, line, isSecond !== 0);
  return target;
}

/** For the second to last frame taken, which has two neighbours: the lines of a field, 0 top, 1 bottom. */
function lineOf(isSecond: bool): i32 {
  return isSecond === ((flagsOf(frames.middle) & FLAG_TOP_FIRST) !== 0) ? 1 : 0;
}

/**
 * Number of blocks with combing when a field of the taken frame of `age` 1 and the next field are woven to one frame;
 * -1 if a neighbour is missing.
 */
export function combed(isSecond: i32): i32 {
  const previous = frames.previous;
  const middle = frames.middle;
  const next = frames.next;
  if (previous < 0 || middle < 0 || next < 0) return -1;
  const rest = 1 - lineOf(isSecond !== 0);
  if (isSecond === 0) return combedBlocks(addressOf(previous), addressOf(middle), addressOf(middle), rest);
  return combedBlocks(addressOf(middle), addressOf(middle), addressOf(next), rest);
}

/**
 * Weaves a field of the taken frame of `age` 1 and the next field to one frame, for two fields of the same film
 * picture.
 * @returns address of Y; 0 if there is none
 */
export function film(isSecond: i32): i32 {
  if (frames.middle < 0) return 0;
  if (isSecond === 0) return addressOf(frames.middle);
  if (frames.next < 0) return 0;
  const target = outputAddress();
  weave(addressOf(frames.middle), lineOf(true), addressOf(frames.next), target);
  return target;
}

export function stride(): i32 {
  return plane.stride;
}

export function cbOffset(): i32 {
  return plane.cb;
}

export function crOffset(): i32 {
  return plane.cr;
}

export function width(): i32 {
  return sequence.width;
}

export function height(): i32 {
  return sequence.height;
}

export function aspect(): i32 {
  return sequence.aspect;
}

export function frameRate(): i32 {
  return sequence.frameRate;
}

export function displayWidth(): i32 {
  return sequence.displayWidth;
}

export function displayHeight(): i32 {
  return sequence.displayHeight;
}

export function matrix(): i32 {
  return sequence.matrix;
}

export function centreX(): i32 {
  return sequence.centreX;
}

export function centreY(): i32 {
  return sequence.centreY;
}

/** Number of macroblocks concealed since the last call. */
export function takeConcealed(): i32 {
  const count = concealed;
  concealed = 0;
  return count;
}
