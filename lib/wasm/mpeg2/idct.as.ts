/**
 * The inverse discrete cosine transform (ISO/IEC 13818-2, Annex A), eight rows or columns at once. Weights are
 * cos(kπ/16)·√2·2^14, the two passes keep 3 bits between them, and the DC weight is one less than the exact value:
 * this is the arithmetic of FFmpeg's `simple` transform, so that the pictures of both stay equal over long prediction
 * chains.
 */

const W1: i32 = 22725;
const W2: i32 = 21407;
const W3: i32 = 19266;
const W4: i32 = 16383;
const W5: i32 = 12873;
const W6: i32 = 8867;
const W7: i32 = 4520;

/** Two 16-bit weights in each 32-bit lane. */
function pair(first: i32, second: i32): v128 {
  return i32x4.splat((first & 0xffff) | (second << 16));
}

/** Lanes 0 to 3 of both, alternating. */
function low(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

/** Lanes 4 to 7 of both, alternating. */
function high(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

function shifted<Pass>(a: v128, b: v128): v128 {
  const shift: i32 = sizeof<Pass>() === 1 ? 11 : 20;
  return i16x8.narrow_i32x4_s(i32x4.shr_s(a, shift), i32x4.shr_s(b, shift));
}

/**
 * One pass over eight vectors of eight 16-bit lanes at `block`, in place: vector k holds coefficient k of every lane.
 * `Pass`: u8 for the first one, u16 for the second one.
 */
function transform<Pass>(block: i32): void {
  const rounding = i32x4.splat(sizeof<Pass>() === 1 ? 1 << 10 : W4 * 32);
  const x0 = v128.load(block, 0);
  const x1 = v128.load(block, 16);
  const x2 = v128.load(block, 32);
  const x3 = v128.load(block, 48);
  const x4 = v128.load(block, 64);
  const x5 = v128.load(block, 80);
  const x6 = v128.load(block, 96);
  const x7 = v128.load(block, 112);

  const l04 = low(x0, x4);
  const l26 = low(x2, x6);
  const sumL = i32x4.add(i32x4.dot_i16x8_s(l04, pair(W4, W4)), rounding);
  const differenceL = i32x4.add(i32x4.dot_i16x8_s(l04, pair(W4, -W4)), rounding);
  const outerL = i32x4.dot_i16x8_s(l26, pair(W2, W6));
  const innerL = i32x4.dot_i16x8_s(l26, pair(W6, -W2));
  const h04 = high(x0, x4);
  const h26 = high(x2, x6);
  const sumH = i32x4.add(i32x4.dot_i16x8_s(h04, pair(W4, W4)), rounding);
  const differenceH = i32x4.add(i32x4.dot_i16x8_s(h04, pair(W4, -W4)), rounding);
  const outerH = i32x4.dot_i16x8_s(h26, pair(W2, W6));
  const innerH = i32x4.dot_i16x8_s(h26, pair(W6, -W2));

  const l13 = low(x1, x3);
  const l57 = low(x5, x7);
  const h13 = high(x1, x3);
  const h57 = high(x5, x7);

  let evenL = i32x4.add(sumL, outerL);
  let evenH = i32x4.add(sumH, outerH);
  let oddL = i32x4.add(i32x4.dot_i16x8_s(l13, pair(W1, W3)), i32x4.dot_i16x8_s(l57, pair(W5, W7)));
  let oddH = i32x4.add(i32x4.dot_i16x8_s(h13, pair(W1, W3)), i32x4.dot_i16x8_s(h57, pair(W5, W7)));
  v128.store(block, shifted<Pass>(i32x4.add(evenL, oddL), i32x4.add(evenH, oddH)), 0);
  v128.store(block, shifted<Pass>(i32x4.sub(evenL, oddL), i32x4.sub(evenH, oddH)), 112);

  evenL = i32x4.add(differenceL, innerL);
  evenH = i32x4.add(differenceH, innerH);
  oddL = i32x4.add(i32x4.dot_i16x8_s(l13, pair(W3, -W7)), i32x4.dot_i16x8_s(l57, pair(-W1, -W5)));
  oddH = i32x4.add(i32x4.dot_i16x8_s(h13, pair(W3, -W7)), i32x4.dot_i16x8_s(h57, pair(-W1, -W5)));
  v128.store(block, shifted<Pass>(i32x4.add(evenL, oddL), i32x4.add(evenH, oddH)), 16);
  v128.store(block, shifted<Pass>(i32x4.sub(evenL, oddL), i32x4.sub(evenH, oddH)), 96);

  evenL = i32x4.sub(differenceL, innerL);
  evenH = i32x4.sub(differenceH, innerH);
  oddL = i32x4.add(i32x4.dot_i16x8_s(l13, pair(W5, -W1)), i32x4.dot_i16x8_s(l57, pair(W7, W3)));
  oddH = i32x4.add(i32x4.dot_i16x8_s(h13, pair(W5, -W1)), i32x4.dot_i16x8_s(h57, pair(W7, W3)));
  v128.store(block, shifted<Pass>(i32x4.add(evenL, oddL), i32x4.add(evenH, oddH)), 32);
  v128.store(block, shifted<Pass>(i32x4.sub(evenL, oddL), i32x4.sub(evenH, oddH)), 80);

  evenL = i32x4.sub(sumL, outerL);
  evenH = i32x4.sub(sumH, outerH);
  oddL = i32x4.add(i32x4.dot_i16x8_s(l13, pair(W7, -W5)), i32x4.dot_i16x8_s(l57, pair(W3, -W1)));
  oddH = i32x4.add(i32x4.dot_i16x8_s(h13, pair(W7, -W5)), i32x4.dot_i16x8_s(h57, pair(W3, -W1)));
  v128.store(block, shifted<Pass>(i32x4.add(evenL, oddL), i32x4.add(evenH, oddH)), 48);
  v128.store(block, shifted<Pass>(i32x4.sub(evenL, oddL), i32x4.sub(evenH, oddH)), 64);
}

function transpose(block: i32): void {
  const r0 = v128.load(block, 0);
  const r1 = v128.load(block, 16);
  const r2 = v128.load(block, 32);
  const r3 = v128.load(block, 48);
  const r4 = v128.load(block, 64);
  const r5 = v128.load(block, 80);
  const r6 = v128.load(block, 96);
  const r7 = v128.load(block, 112);
  const s0 = low(r0, r4);
  const s1 = high(r0, r4);
  const s2 = low(r1, r5);
  const s3 = high(r1, r5);
  const s4 = low(r2, r6);
  const s5 = high(r2, r6);
  const s6 = low(r3, r7);
  const s7 = high(r3, r7);
  const t0 = low(s0, s4);
  const t1 = high(s0, s4);
  const t2 = low(s1, s5);
  const t3 = high(s1, s5);
  const t4 = low(s2, s6);
  const t5 = high(s2, s6);
  const t6 = low(s3, s7);
  const t7 = high(s3, s7);
  v128.store(block, low(t0, t4), 0);
  v128.store(block, high(t0, t4), 16);
  v128.store(block, low(t1, t5), 32);
  v128.store(block, high(t1, t5), 48);
  v128.store(block, low(t2, t6), 64);
  v128.store(block, high(t2, t6), 80);
  v128.store(block, low(t3, t7), 96);
  v128.store(block, high(t3, t7), 112);
}

/** Eight 16-bit values as eight octets at `target`, saturated. */
function put(value: v128, target: i32): void {
  v128.store64_lane(target, i8x16.narrow_i16x8_u(value, value), 0);
}

function add(value: v128, target: i32): void {
  put(i16x8.add_sat_s(value, v128.load8x8_u(target)), target);
}

/**
 * Replaces the 8x8 samples at `target` by the block, whose coefficients are stored column by column, and clears the
 * block.
 */
export function putBlock(block: i32, target: i32, stride: i32): void {
  transform<u8>(block);
  transpose(block);
  transform<u16>(block);
  for (let at = block; at < block + 128; at += 32) {
    put(v128.load(at), target);
    put(v128.load(at, 16), target + stride);
    target += stride << 1;
    v128.store(at, i64x2.splat(0));
    v128.store(at, i64x2.splat(0), 16);
  }
}

/** Adds the block to the 8x8 samples at `target`, and clears it. */
export function addBlock(block: i32, target: i32, stride: i32): void {
  transform<u8>(block);
  transpose(block);
  transform<u16>(block);
  for (let at = block; at < block + 128; at += 32) {
    add(v128.load(at), target);
    add(v128.load(at, 16), target + stride);
    target += stride << 1;
    v128.store(at, i64x2.splat(0));
    v128.store(at, i64x2.splat(0), 16);
  }
}
