/** Motion vectors of a macroblock (ISO/IEC 13818-2, 7.6.3) and the resulting predictions (7.6.2). */
import { take, takeCode } from './bits.as';
import { blocks } from './blocks.as';
import { picture } from './picture.as';
import { predict } from './predict.as';
import { MOTION, MOTION_BITS } from './tables.as';

/** Tables 6-17 and 6-18. The same number means frame prediction in frames, two 16x8 predictions in fields. */
export const MOTION_FIELD: i32 = 1;
export const MOTION_FRAME: i32 = 2;
export const MOTION_16X8: i32 = 2;
export const MOTION_DUAL_PRIME: i32 = 3;

/** PMV[r][s][t] at (r * 4 + s * 2 + t) * 4. */
const vectors: i32 = memory.data(32, 16) as i32;
/** motion_vertical_field_select[r][s] at (r * 2 + s) * 4. */
const selected: i32 = memory.data(16, 16) as i32;
let differenceX: i32 = 0;
let differenceY: i32 = 0;

export function resetVectors(): void {
  v128.store(vectors, i64x2.splat(0));
  v128.store(vectors, i64x2.splat(0), 16);
}

/** The first forward vector, x in the lower half. */
export function forwardVector(): i32 {
  return (load<i32>(vectors) & 0xffff) | (load<i32>(vectors, 4) << 16);
}

/** One component, 7.6.3.1. @param range f_code */
function takeComponent(prediction: i32, range: i32): i32 {
  const code = takeCode(MOTION, MOTION_BITS);
  if (code === 0) return prediction;
  if (code < 0) {
    blocks.failed = true;
    return prediction;
  }
  const isNegative = take(1);
  const size = range - 1;
  let difference = ((code - 1) << size) + 1;
  if (size > 0) difference += take(size);
  const value = isNegative ? prediction - difference : prediction + difference;
  const limit = 16 << size;
  if (value < -limit) return value + limit * 2;
  return value >= limit ? value - limit * 2 : value;
}

/** dmvector, Table B.11. */
function takeDifference(): i32 {
  if (take(1) === 0) return 0;
  return take(1) === 0 ? 1 : -1;
}

/** Vectors of fields in frame pictures count lines of a field, but predictors count lines of the frame. */
function takeVector(at: i32, direction: i32, isHalved: i32): void {
  const rangeX = direction === 0 ? picture.rangeForwardX : picture.rangeBackwardX;
  const rangeY = direction === 0 ? picture.rangeForwardY : picture.rangeBackwardY;
  store<i32>(at, takeComponent(load<i32>(at), rangeX));
  store<i32>(at, takeComponent(load<i32>(at, 4) >> isHalved, rangeY) << isHalved, 4);
}

/** @param direction 0 forward, 1 backward */
export function takeVectors(motion: i32, direction: i32): void {
  const first = vectors + direction * 8;
  const second = first + 16;
  const isFrame = picture.structure === 3;
  if (motion === MOTION_DUAL_PRIME) {
    const isHalved = isFrame ? 1 : 0;
    store<i32>(first, takeComponent(load<i32>(first), picture.rangeForwardX));
    differenceX = takeDifference();
    store<i32>(first, takeComponent(load<i32>(first, 4) >> isHalved, picture.rangeForwardY) << isHalved, 4);
    differenceY = takeDifference();
    store<u64>(second, load<u64>(first));
    return;
  }
  if (isFrame && motion === MOTION_FRAME) {
    takeVector(first, direction, 0);
    store<u64>(second, load<u64>(first));
    return;
  }
  const isHalved = isFrame ? 1 : 0;
  store<i32>(selected + direction * 4, take(1));
  takeVector(first, direction, isHalved);
  if (!isFrame && motion === MOTION_FIELD) {
    store<u64>(second, load<u64>(first));
    return;
  }
  store<i32>(selected + direction * 4, take(1), 8);
  takeVector(second, direction, isHalved);
}

/** The frame that contains a reference field: the second field of a P frame may refer to the first one. */
function fieldReference(direction: i32, line: i32): i32 {
  if (direction !== 0) return picture.backward;
  const isOwn = picture.isSecondField && picture.type === 2 && line !== picture.line;
  return isOwn ? picture.target : picture.forward;
}

/** 7.6.3.6, rounded to the nearest, halves away from zero. */
function halfOf(value: i32): i32 {
  return (value + (value > 0 ? 1 : 0)) >> 1;
}

function predictDualPrime(column: i32, row: i32): void {
  const x = column << 4;
  const target = picture.target;
  const dx = load<i32>(vectors);
  if (picture.structure !== 3) {
    const dy = load<i32>(vectors, 4);
    const line = picture.line;
    const y = row << 4;
    predict(target, fieldReference(0, line), 1, line, line, x, y, 16, dx, dy, false);
    const ox = halfOf(dx) + differenceX;
    const oy = halfOf(dy) + differenceY + (line === 0 ? -1 : 1);
    predict(target, fieldReference(0, 1 - line), 1, line, 1 - line, x, y, 16, ox, oy, true);
    return;
  }
  const dy = load<i32>(vectors, 4) >> 1;
  const y = row << 3;
  for (let line: i32 = 0; line < 2; line += 1) {
    predict(target, picture.forward, 1, line, line, x, y, 8, dx, dy, false);
    // The distance to the other field is one field or three, by the order of the fields.
    const fields = (line === 0) === picture.isTopFirst ? 1 : 3;
    const ox = halfOf(dx * fields) + differenceX;
    const oy = halfOf(dy * fields) + differenceY + (line === 0 ? -1 : 1);
    predict(target, picture.forward, 1, line, 1 - line, x, y, 8, ox, oy, true);
  }
}

/** The prediction in one direction with the vectors read last. */
export function predictBy(motion: i32, direction: i32, column: i32, row: i32, isAverage: bool): void {
  if (motion === MOTION_DUAL_PRIME) {
    predictDualPrime(column, row);
    return;
  }
  const x = column << 4;
  const first = vectors + direction * 8;
  const target = picture.target;
  if (picture.structure === 3) {
    const reference = direction === 0 ? picture.forward : picture.backward;
    if (motion === MOTION_FRAME) {
      const y = row << 4;
      predict(target, reference, 0, 0, 0, x, y, 16, load<i32>(first), load<i32>(first, 4), isAverage);
      return;
    }
    for (let line: i32 = 0; line < 2; line += 1) {
      const at = first + line * 16;
      const source = load<i32>(selected + direction * 4 + line * 8);
      predict(
        target,
        reference,
        1,
        line,
        source,
        x,
        row << 3,
        8,
        load<i32>(at),
        load<i32>(at, 4) >> 1,
        isAverage,
      );
    }
    return;
  }
  const line = picture.line;
  const rows = motion === MOTION_16X8 ? 8 : 16;
  for (let part: i32 = 0; part < 16; part += rows) {
    const at = first + part * 2;
    const source = load<i32>(selected + direction * 4 + part);
    const reference = fieldReference(direction, source);
    const y = (row << 4) + part;
    predict(target, reference, 1, line, source, x, y, rows, load<i32>(at), load<i32>(at, 4), isAverage);
  }
}

/**
 * Like `predictBy`, for a macroblock without its own vectors: from the frame, or the field of the same parity, 7.6.6.
 */
export function predictSame(direction: i32, column: i32, row: i32, isAverage: bool): void {
  if (picture.structure === 3) {
    predictBy(MOTION_FRAME, direction, column, row, isAverage);
    return;
  }
  store<i32>(selected + direction * 4, picture.line);
  predictBy(MOTION_FIELD, direction, column, row, isAverage);
}
