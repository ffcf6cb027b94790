/**
 * Blocks of a macroblock (ISO/IEC 13818-2, 7.2 to 7.5): reads coefficients, scales and transforms them. A block that
 * cannot be read sets `blocks.failed`; its partial content may be written, because the macroblock will be concealed.
 */
import { bits, take, takeCode, windowAt } from './bits.as';
import { addBlock, putBlock } from './idct.as';
import {
  ALTERNATE,
  DC_CHROMA,
  DC_CHROMA_BITS,
  DC_LUMA,
  DC_LUMA_BITS,
  INTER_B14,
  INTRA_B14,
  INTRA_B15,
  INTRA_MATRIX,
  LONG_CODES,
  NON_LINEAR_SCALE,
  STEP_END,
  STEP_ESCAPE,
  ZIGZAG,
} from './tables.as';

export namespace blocks {
  export let failed: bool = false;
  /** intra_dc_precision, intra_vlc_format, q_scale_type of the picture. */
  export let dcPrecision: i32 = 0;
  export let isB15: bool = false;
  export let isNonLinear: bool = false;
}

/** 64 coefficients, column by column. */
const block: i32 = memory.data(128, 16) as i32;
/** Matrices by raster position, 16 bits each. */
const intraMatrix: i32 = memory.data(128, 16) as i32;
const interMatrix: i32 = memory.data(128, 16) as i32;
/** Matrices in scan order, and the same multiplied by the current quantiser scale. */
const intraScanned: i32 = memory.data(128, 16) as i32;
const interScanned: i32 = memory.data(128, 16) as i32;
const intraScaled: i32 = memory.data(128, 16) as i32;
const interScaled: i32 = memory.data(128, 16) as i32;
/** Offset in `block` of each scan position. */
const places: i32 = memory.data(64, 16) as i32;
/** DC predictors by component. */
const means: i32 = memory.data(16, 16) as i32;
let scaleCode: i32 = -1;

export function setDefaultIntraMatrix(): void {
  for (let at: i32 = 0; at < 64; at += 1) {
    store<u16>(intraMatrix + at * 2, <u16>load<u8>(INTRA_MATRIX + at));
  }
}

export function setDefaultInterMatrix(): void {
  for (let at: i32 = 0; at < 64; at += 1) store<u16>(interMatrix + at * 2, 16);
}

/** Matrices are always sent in zigzag order, 6.3.11. A zero is forbidden there and treated as 1. */
export function takeMatrix(isIntra: bool): void {
  const matrix = isIntra ? intraMatrix : interMatrix;
  for (let at: i32 = 0; at < 64; at += 1) {
    store<u16>(matrix + <i32>load<u8>(ZIGZAG + at) * 2, <u16>max(1, take(8)));
  }
}

/** Called before the slices of a picture. */
export function prepareScan(isAlternate: bool): void {
  const scan = isAlternate ? ALTERNATE : ZIGZAG;
  for (let at: i32 = 0; at < 64; at += 1) {
    const place = <i32>load<u8>(scan + at);
    store<u8>(places + at, <u8>((((place & 7) << 3) | (place >> 3)) << 1));
    store<u16>(intraScanned + at * 2, load<u16>(intraMatrix + place * 2));
    store<u16>(interScanned + at * 2, load<u16>(interMatrix + place * 2));
  }
  scaleCode = -1;
}

/** Reads quantiser_scale_code. */
export function takeScale(): void {
  const code = take(5);
  if (code === scaleCode) return;
  scaleCode = code;
  const scale = blocks.isNonLinear ? <i32>load<u8>(NON_LINEAR_SCALE + code) : code << 1;
  const factor = i16x8.splat(<i16>scale);
  for (let at: i32 = 0; at < 128; at += 16) {
    v128.store(intraScaled + at, i16x8.mul(v128.load(intraScanned + at), factor));
    v128.store(interScaled + at, i16x8.mul(v128.load(interScanned + at), factor));
  }
}

export function resetMeans(): void {
  const mean: i32 = 128 << blocks.dcPrecision;
  store<i32>(means, mean);
  store<i32>(means, mean, 4);
  store<i32>(means, mean, 8);
}

/** 7.2.1. @param component 0 Y, 1 Cb, 2 Cr */
function takeMean(component: i32): i32 {
  const size = component === 0 ? takeCode(DC_LUMA, DC_LUMA_BITS) : takeCode(DC_CHROMA, DC_CHROMA_BITS);
  const at = means + (component << 2);
  let mean = load<i32>(at);
  if (size > 0) {
    const difference = take(size);
    mean += difference >> (size - 1) !== 0 ? difference : difference - (1 << size) + 1;
    store<i32>(at, mean);
  } else if (size < 0) blocks.failed = true;
  return <i32>(<i16>(mean << (3 - blocks.dcPrecision)));
}

/** Rounds towards zero, 7.4.2.3. */
function over16(value: i32): i32 {
  return (value + ((value >> 31) & 15)) >> 4;
}

function over32(value: i32): i32 {
  return (value + ((value >> 31) & 31)) >> 5;
}

/** 7.4.3. */
function saturated(value: i32): i32 {
  if (value > 2047) return 2047;
  return value < -2048 ? -2048 : value;
}

/** Decodes an intra block to the samples at `target`. */
export function intraBlock(component: i32, target: i32, stride: i32): void {
  let value = takeMean(component);
  store<i16>(block, <i16>value);
  let parity = value;
  let index: i32 = 0;
  let at = bits.position;
  const table = blocks.isB15 ? INTRA_B15 : INTRA_B14;
  for (;;) {
    const window = windowAt(at);
    let entry = load<i32>(table + ((<i32>(window >> 53)) << 2));
    if (entry === 0) {
      entry = load<i32>(table + LONG_CODES + ((<i32>(window >> 47) & 1023) << 2));
      if (entry === 0) {
        blocks.failed = true;
        break;
      }
    }
    const step = (entry >> 8) & 255;
    at += entry & 255;
    index += step;
    if (index < 64) {
      value = over16((entry >> 16) * <i32>load<u16>(intraScaled + (index << 1)));
    } else if (step === STEP_ESCAPE) {
      index += (<i32>(window >> 52) & 63) + 1 - STEP_ESCAPE;
      if (index > 63) {
        blocks.failed = true;
        break;
      }
      const level = <i32>(<i64>(window << 12) >> 52);
      value = over16(level * <i32>load<u16>(intraScaled + (index << 1)));
    } else {
      if (step !== STEP_END) blocks.failed = true;
      break;
    }
    value = saturated(value);
    parity ^= value;
    store<i16>(block + <i32>load<u8>(places + index), <i16>value);
  }
  bits.position = at;
  // Mismatch control, 7.4.4.
  if ((parity & 1) === 0) store<i16>(block, load<i16>(block, 126) ^ 1, 126);
  putBlock(block, target, stride);
}

/** Decodes a block of differences and adds it to the samples at `target`. */
export function interBlock(target: i32, stride: i32): void {
  let parity: i32 = 0;
  let value: i32 = 0;
  let index: i32 = -1;
  let at = bits.position;
  const first = windowAt(at);
  // A single 1 as the first coefficient means level 1 without run, 7.2.2.2: no block is empty.
  if (<i64>first < 0) {
    const level: i32 = <i64>(first << 1) < 0 ? -3 : 3;
    value = saturated(over32(level * <i32>load<u16>(interScaled)));
    parity = value;
    store<i16>(block, <i16>value);
    index = 0;
    at += 2;
  }
  for (;;) {
    const window = windowAt(at);
    let entry = load<i32>(INTER_B14 + ((<i32>(window >> 53)) << 2));
    if (entry === 0) {
      entry = load<i32>(INTER_B14 + LONG_CODES + ((<i32>(window >> 47) & 1023) << 2));
      if (entry === 0) {
        blocks.failed = true;
        break;
      }
    }
    const step = (entry >> 8) & 255;
    at += entry & 255;
    index += step;
    if (index < 64) {
      value = over32((entry >> 16) * <i32>load<u16>(interScaled + (index << 1)));
    } else if (step === STEP_ESCAPE) {
      index += (<i32>(window >> 52) & 63) + 1 - STEP_ESCAPE;
      if (index > 63) {
        blocks.failed = true;
        break;
      }
      const level = <i32>(<i64>(window << 12) >> 52);
      value = over32(
        ((level << 1) + (level >> 31) + (level > 0 ? 1 : 0)) * <i32>load<u16>(interScaled + (index << 1)),
      );
    } else {
      if (step !== STEP_END) blocks.failed = true;
      break;
    }
    value = saturated(value);
    parity ^= value;
    store<i16>(block + <i32>load<u8>(places + index), <i16>value);
  }
  bits.position = at;
  if ((parity & 1) === 0) store<i16>(block, load<i16>(block, 126) ^ 1, 126);
  addBlock(block, target, stride);
}
