/**
 * Slices and their macroblocks (ISO/IEC 13818-2, 6.2.4, 6.2.5, 7.6). Decoding a slice ends at its first error; the
 * decoded macroblocks are recorded, and the others are concealed.
 */
import { bits, peek, take, takeCode } from './bits.as';
import { blocks, interBlock, intraBlock, resetMeans, takeScale } from './blocks.as';
import { picture, TYPE_B_PICTURE, TYPE_I_PICTURE, TYPE_P_PICTURE } from './picture.as';
import { plane, predict } from './predict.as';
import { CBP, CBP_BITS, MBA, MBA_BITS, TYPE_B, TYPE_BITS, TYPE_I, TYPE_P } from './tables.as';
import {
  forwardVector,
  MOTION_FIELD,
  MOTION_FRAME,
  predictBy,
  predictSame,
  resetVectors,
  takeVectors,
} from './vectors.as';

/** Bits of a macroblock type in the tables. */
const QUANT: i32 = 1;
const FORWARD: i32 = 2;
const BACKWARD: i32 = 4;
const PATTERN: i32 = 8;
const INTRA: i32 = 16;

/** 1920 / 16 by 1152 / 16 macroblocks. */
const MAX_MACROBLOCKS: i32 = 8640;
/** One octet per macroblock of the picture: decoded. */
const decoded: i32 = memory.data(8640, 16) as i32;
/** Forward vector of each decoded macroblock, for concealing lost ones below. */
const motions: i32 = memory.data(34560, 16) as i32;

/** Prediction directions of the last macroblock, which skipped ones of B pictures repeat. */
let directions: i32 = 0;

export function beginSlices(): void {
  memory.fill(decoded, 0, MAX_MACROBLOCKS);
}

function note(column: i32, row: i32, motion: i32): void {
  const at = row * picture.columns + column;
  store<u8>(decoded + at, 1);
  store<i32>(motions + at * 4, motion);
}

function skip(column: i32, row: i32): void {
  resetMeans();
  if (picture.type === TYPE_P_PICTURE) {
    resetVectors();
    predictSame(0, column, row, false);
  } else {
    if ((directions & FORWARD) !== 0) predictSame(0, column, row, false);
    if ((directions & BACKWARD) !== 0) predictSame(1, column, row, (directions & FORWARD) !== 0);
  }
  note(column, row, 0);
}

function intraBlocks(column: i32, row: i32, isFieldDct: i32): void {
  const fields = picture.structure === 3 ? 0 : 1;
  const lineStride = plane.stride << fields;
  const chromaStride = lineStride >> 1;
  const luma =
    picture.target + fields * picture.line * plane.stride + (row << 4) * lineStride + (column << 4);
  const cb =
    picture.target +
    plane.cb +
    ((fields * picture.line * plane.stride) >> 1) +
    (row << 3) * chromaStride +
    (column << 3);
  const stride = lineStride << isFieldDct;
  const lower = luma + (isFieldDct ? lineStride : lineStride << 3);
  intraBlock(0, luma, stride);
  intraBlock(0, luma + 8, stride);
  intraBlock(0, lower, stride);
  intraBlock(0, lower + 8, stride);
  intraBlock(1, cb, chromaStride);
  intraBlock(2, cb + plane.cr - plane.cb, chromaStride);
}

function interBlocks(column: i32, row: i32, isFieldDct: i32, pattern: i32): void {
  const fields = picture.structure === 3 ? 0 : 1;
  const lineStride = plane.stride << fields;
  const chromaStride = lineStride >> 1;
  const luma =
    picture.target + fields * picture.line * plane.stride + (row << 4) * lineStride + (column << 4);
  const cb =
    picture.target +
    plane.cb +
    ((fields * picture.line * plane.stride) >> 1) +
    (row << 3) * chromaStride +
    (column << 3);
  const stride = lineStride << isFieldDct;
  const lower = luma + (isFieldDct ? lineStride : lineStride << 3);
  if ((pattern & 32) !== 0) interBlock(luma, stride);
  if ((pattern & 16) !== 0) interBlock(luma + 8, stride);
  if ((pattern & 8) !== 0) interBlock(lower, stride);
  if ((pattern & 4) !== 0) interBlock(lower + 8, stride);
  if ((pattern & 2) !== 0) interBlock(cb, chromaStride);
  if ((pattern & 1) !== 0) interBlock(cb + plane.cr - plane.cb, chromaStride);
}

/** A macroblock after its address, 6.2.5. False if it cannot be read. */
function macroblock(column: i32, row: i32): bool {
  const isFrame = picture.structure === 3;
  const table = picture.type === TYPE_I_PICTURE ? TYPE_I : picture.type === TYPE_P_PICTURE ? TYPE_P : TYPE_B;
  const type = takeCode(table, TYPE_BITS);
  if (type < 0) return false;
  let motion = isFrame ? MOTION_FRAME : MOTION_FIELD;
  if ((type & (FORWARD | BACKWARD)) !== 0 && !(isFrame && picture.isFramePredicted)) {
    motion = take(2);
    if (motion === 0) return false;
  }
  const hasDctType = isFrame && !picture.isFramePredicted && (type & (INTRA | PATTERN)) !== 0;
  const isFieldDct = hasDctType ? take(1) : 0;
  if ((type & QUANT) !== 0) takeScale();
  if ((type & INTRA) !== 0) {
    if (picture.hasConcealmentVectors) {
      takeVectors(isFrame ? MOTION_FRAME : MOTION_FIELD, 0);
      take(1);
    } else resetVectors();
    directions = 0;
    intraBlocks(column, row, isFieldDct);
    note(column, row, picture.hasConcealmentVectors ? forwardVector() : 0);
    return !blocks.failed;
  }
  resetMeans();
  directions = type & (FORWARD | BACKWARD);
  if ((type & FORWARD) !== 0) takeVectors(motion, 0);
  if ((type & BACKWARD) !== 0) takeVectors(motion, 1);
  if (blocks.failed) return false;
  if (directions === 0) {
    // A P picture's macroblock without a vector, 7.6.3.5.
    resetVectors();
    predictSame(0, column, row, false);
  } else {
    if ((type & FORWARD) !== 0) predictBy(motion, 0, column, row, false);
    if ((type & BACKWARD) !== 0) predictBy(motion, 1, column, row, (type & FORWARD) !== 0);
  }
  if ((type & PATTERN) !== 0) {
    const pattern = takeCode(CBP, CBP_BITS);
    if (pattern < 0) return false;
    interBlocks(column, row, isFieldDct, pattern);
  }
  note(column, row, (type & FORWARD) !== 0 ? forwardVector() : 0);
  return !blocks.failed;
}

/** macroblock_address_increment with its escapes; 0 if it cannot be read. */
function takeIncrement(): i32 {
  let increment: i32 = 0;
  while (peek(MBA_BITS) === 8) {
    bits.position += MBA_BITS;
    increment += 33;
    if (increment > picture.columns) return 0;
  }
  const code = takeCode(MBA, MBA_BITS);
  return code < 0 ? 0 : increment + code;
}

/** A slice after its start code, in one row of macroblocks. */
export function decodeSlice(row: i32): void {
  if (row >= picture.rows) return;
  blocks.failed = false;
  takeScale();
  while (take(1) !== 0) {
    bits.position += 8;
    if (bits.position >= bits.end) return;
  }
  resetMeans();
  resetVectors();
  directions = 0;
  let column: i32 = -1;
  let isFirst = true;
  do {
    const increment = takeIncrement();
    if (increment === 0 || column + increment >= picture.columns) return;
    if (isFirst) column += increment - 1;
    else {
      if (increment > 1 && picture.type !== TYPE_P_PICTURE && directions === 0) return;
      for (let count: i32 = 1; count < increment; count += 1) {
        column += 1;
        skip(column, row);
      }
    }
    isFirst = false;
    column += 1;
    if (!macroblock(column, row)) {
      // A macroblock that failed halfway is concealed, too.
      store<u8>(decoded + row * picture.columns + column, 0);
      return;
    }
    if (bits.position > bits.end) return;
  } while (peek(23) !== 0);
}

/** The vector of the nearest decoded macroblock above or below. */
function nearMotion(column: i32, row: i32): i32 {
  const at = row * picture.columns + column;
  if (row > 0 && load<u8>(decoded + at - picture.columns) !== 0) {
    return load<i32>(motions + (at - picture.columns) * 4);
  }
  if (row + 1 < picture.rows && load<u8>(decoded + at + picture.columns) !== 0) {
    return load<i32>(motions + (at + picture.columns) * 4);
  }
  return 0;
}

/**
 * Fills macroblocks that were not decoded from the previous frame, with the motion of their neighbours.
 * @returns their number
 */
export function conceal(): i32 {
  let count: i32 = 0;
  const isField: i32 = picture.structure === 3 ? 0 : 1;
  for (let row: i32 = 0; row < picture.rows; row += 1) {
    for (let column: i32 = 0; column < picture.columns; column += 1) {
      if (load<u8>(decoded + row * picture.columns + column) !== 0) continue;
      count += 1;
      const motion = picture.type === TYPE_B_PICTURE ? 0 : nearMotion(column, row);
      const dx = (motion << 16) >> 16;
      const dy = motion >> 16;
      const line = picture.line & isField;
      const x = column << 4;
      const y = row << 4;
      predict(picture.target, picture.forward, isField, line, line, x, y, 16, dx, dy, false);
    }
  }
  return count;
}
