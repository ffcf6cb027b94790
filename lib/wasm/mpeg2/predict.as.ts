/**
 * Motion-compensated prediction (ISO/IEC 13818-2, 7.6.4 to 7.6.7): half-sample interpolation and averages, 16 samples
 * at a time. Vectors that point outside of the reference, which only occur in damaged streams, are clamped to it.
 */

/** Memory layout of a frame: planes Y, Cb, Cr one after another, with lines of complete macroblocks. */
export namespace plane {
  /** Octets of a luminance line; a chrominance line has half. */
  export let stride: i32 = 0;
  export let lines: i32 = 0;
  /** Offsets of Cb and Cr in a frame. */
  export let cb: i32 = 0;
  export let cr: i32 = 0;
}

/** The mean of four samples each, rounded up at half. */
function mean4(a: v128, b: v128, c: v128, d: v128): v128 {
  const two = i16x8.splat(2);
  const lower = i16x8.add(
    i16x8.add(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b)),
    i16x8.add(i16x8.extend_low_i8x16_u(c), i16x8.extend_low_i8x16_u(d)),
  );
  const upper = i16x8.add(
    i16x8.add(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b)),
    i16x8.add(i16x8.extend_high_i8x16_u(c), i16x8.extend_high_i8x16_u(d)),
  );
  return i8x16.narrow_i16x8_u(i16x8.shr_u(i16x8.add(lower, two), 2), i16x8.shr_u(i16x8.add(upper, two), 2));
}

function put16(target: i32, source: i32, stride: i32, rows: i32, step: i32): void {
  for (const end = target + rows * stride; target < end; target += stride) {
    v128.store(target, i8x16.avgr_u(v128.load(source), v128.load(source + step)));
    source += stride;
  }
}

function copy16(target: i32, source: i32, stride: i32, rows: i32): void {
  for (const end = target + rows * stride; target < end; target += stride) {
    v128.store(target, v128.load(source));
    source += stride;
  }
}

function average16(target: i32, source: i32, stride: i32, rows: i32, step: i32): void {
  for (const end = target + rows * stride; target < end; target += stride) {
    const value = i8x16.avgr_u(v128.load(source), v128.load(source + step));
    v128.store(target, i8x16.avgr_u(value, v128.load(target)));
    source += stride;
  }
}

function centre16(target: i32, source: i32, stride: i32, rows: i32, isAverage: bool): void {
  let a = v128.load(source);
  let b = v128.load(source, 1);
  for (const end = target + rows * stride; target < end; target += stride) {
    source += stride;
    const c = v128.load(source);
    const d = v128.load(source, 1);
    let value = mean4(a, b, c, d);
    if (isAverage) value = i8x16.avgr_u(value, v128.load(target));
    v128.store(target, value);
    a = c;
    b = d;
  }
}

function put8(target: i32, source: i32, stride: i32, rows: i32, step: i32): void {
  for (const end = target + rows * stride; target < end; target += stride) {
    v128.store64_lane(target, i8x16.avgr_u(v128.load64_zero(source), v128.load64_zero(source + step)), 0);
    source += stride;
  }
}

function average8(target: i32, source: i32, stride: i32, rows: i32, step: i32): void {
  for (const end = target + rows * stride; target < end; target += stride) {
    const value = i8x16.avgr_u(v128.load64_zero(source), v128.load64_zero(source + step));
    v128.store64_lane(target, i8x16.avgr_u(value, v128.load64_zero(target)), 0);
    source += stride;
  }
}

function centre8(target: i32, source: i32, stride: i32, rows: i32, isAverage: bool): void {
  const two = i16x8.splat(2);
  let above = i16x8.add(v128.load8x8_u(source), v128.load8x8_u(source, 1));
  for (const end = target + rows * stride; target < end; target += stride) {
    source += stride;
    const below = i16x8.add(v128.load8x8_u(source), v128.load8x8_u(source, 1));
    const sum = i16x8.shr_u(i16x8.add(i16x8.add(above, below), two), 2);
    let value = i8x16.narrow_i16x8_u(sum, sum);
    if (isAverage) value = i8x16.avgr_u(value, v128.load64_zero(target));
    v128.store64_lane(target, value, 0);
    above = below;
  }
}

function luma(target: i32, source: i32, stride: i32, rows: i32, half: i32, isAverage: bool): void {
  if (half === 3) centre16(target, source, stride, rows, isAverage);
  else {
    const step = half === 1 ? 1 : half === 2 ? stride : 0;
    if (isAverage) average16(target, source, stride, rows, step);
    else if (half === 0) copy16(target, source, stride, rows);
    else put16(target, source, stride, rows, step);
  }
}

function chroma(target: i32, source: i32, stride: i32, rows: i32, half: i32, isAverage: bool): void {
  if (half === 3) centre8(target, source, stride, rows, isAverage);
  else {
    const step = half === 1 ? 1 : half === 2 ? stride : 0;
    if (isAverage) average8(target, source, stride, rows, step);
    else put8(target, source, stride, rows, step);
  }
}

function within(value: i32, most: i32): i32 {
  return max(0, min(value, most));
}

/**
 * Predicts 16 columns of a macroblock in all planes.
 * @param target the frame written, and `reference` the frame read, as addresses
 * @param isField lines of one field, given by `targetLine` and `sourceLine` (0 top, 1 bottom)
 * @param x first column; `y` first line, in lines of the field or frame
 * @param rows luminance lines, 8 or 16
 * @param dx vector in half samples
 * @param isAverage average with the existing samples, for the second of two predictions
 */
export function predict(
  target: i32,
  reference: i32,
  isField: i32,
  targetLine: i32,
  sourceLine: i32,
  x: i32,
  y: i32,
  rows: i32,
  dx: i32,
  dy: i32,
  isAverage: bool,
): void {
  let stride = plane.stride << isField;
  let lines = plane.lines >> isField;
  let left = within(x + (dx >> 1), plane.stride - 16);
  let top = within(y + (dy >> 1), lines - rows);
  luma(
    target + targetLine * plane.stride + y * stride + x,
    reference + sourceLine * plane.stride + top * stride + left,
    stride,
    rows,
    (dx & 1) | ((dy & 1) << 1),
    isAverage,
  );
  // Chrominance vectors are halved towards zero, 7.6.3.7.
  const cx = dx / 2;
  const cy = dy / 2;
  const width = plane.stride >> 1;
  stride >>= 1;
  lines >>= 1;
  rows >>= 1;
  left = within((x >> 1) + (cx >> 1), width - 8);
  top = within((y >> 1) + (cy >> 1), lines - rows);
  const half = (cx & 1) | ((cy & 1) << 1);
  const to = target + targetLine * width + (y >> 1) * stride + (x >> 1);
  const from = reference + sourceLine * width + top * stride + left;
  chroma(to + plane.cb, from + plane.cb, stride, rows, half, isAverage);
  chroma(to + plane.cr, from + plane.cr, stride, rows, half, isAverage);
}
