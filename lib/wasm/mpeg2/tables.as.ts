/**
 * Variable length codes, scans and matrices of MPEG-2 video (ISO/IEC 13818-2, Annex B and clause 7), and the lookup tables
 * that the decoder reads them from. Codes are rows of numbers: length, code, value; coefficients: length, code, run, level.
 */

/** Table B.1: macroblock_address_increment. */
// biome-ignore format: rows of a table
const MBA_CODES: i32 = memory.data<u16>([
  1, 0x1, 1, 3, 0x3, 2, 3, 0x2, 3, 4, 0x3, 4, 4, 0x2, 5, 5, 0x3, 6,
  5, 0x2, 7, 7, 0x7, 8, 7, 0x6, 9, 8, 0xb, 10, 8, 0xa, 11, 8, 0x9, 12,
  8, 0x8, 13, 8, 0x7, 14, 8, 0x6, 15, 10, 0x17, 16, 10, 0x16, 17, 10, 0x15, 18,
  10, 0x14, 19, 10, 0x13, 20, 10, 0x12, 21, 11, 0x23, 22, 11, 0x22, 23, 11, 0x21, 24,
  11, 0x20, 25, 11, 0x1f, 26, 11, 0x1e, 27, 11, 0x1d, 28, 11, 0x1c, 29, 11, 0x1b, 30,
  11, 0x1a, 31, 11, 0x19, 32, 11, 0x18, 33,
]) as i32;
const MBA_CODES_COUNT: i32 = 33;

/** Table B.9: coded_block_pattern. */
// biome-ignore format: rows of a table
const CBP_CODES: i32 = memory.data<u16>([
  9, 0x1, 0, 5, 0xb, 1, 5, 0x9, 2, 6, 0xd, 3, 4, 0xd, 4, 7, 0x17, 5,
  7, 0x13, 6, 8, 0x1f, 7, 4, 0xc, 8, 7, 0x16, 9, 7, 0x12, 10, 8, 0x1e, 11,
  5, 0x13, 12, 8, 0x1b, 13, 8, 0x17, 14, 8, 0x13, 15, 4, 0xb, 16, 7, 0x15, 17,
  7, 0x11, 18, 8, 0x1d, 19, 5, 0x11, 20, 8, 0x19, 21, 8, 0x15, 22, 8, 0x11, 23,
  6, 0xf, 24, 8, 0xf, 25, 8, 0xd, 26, 9, 0x3, 27, 5, 0xf, 28, 8, 0xb, 29,
  8, 0x7, 30, 9, 0x7, 31, 4, 0xa, 32, 7, 0x14, 33, 7, 0x10, 34, 8, 0x1c, 35,
  6, 0xe, 36, 8, 0xe, 37, 8, 0xc, 38, 9, 0x2, 39, 5, 0x10, 40, 8, 0x18, 41,
  8, 0x14, 42, 8, 0x10, 43, 5, 0xe, 44, 8, 0xa, 45, 8, 0x6, 46, 9, 0x6, 47,
  5, 0x12, 48, 8, 0x1a, 49, 8, 0x16, 50, 8, 0x12, 51, 5, 0xd, 52, 8, 0x9, 53,
  8, 0x5, 54, 9, 0x5, 55, 5, 0xc, 56, 8, 0x8, 57, 8, 0x4, 58, 9, 0x4, 59,
  3, 0x7, 60, 5, 0xa, 61, 5, 0x8, 62, 6, 0xc, 63,
]) as i32;
const CBP_CODES_COUNT: i32 = 64;

/** Table B.10: motion_code, without its sign. */
// biome-ignore format: rows of a table
const MOTION_CODES: i32 = memory.data<u16>([
  1, 0x1, 0, 2, 0x1, 1, 3, 0x1, 2, 4, 0x1, 3, 6, 0x3, 4, 7, 0x5, 5,
  7, 0x4, 6, 7, 0x3, 7, 9, 0xb, 8, 9, 0xa, 9, 9, 0x9, 10, 10, 0x11, 11,
  10, 0x10, 12, 10, 0xf, 13, 10, 0xe, 14, 10, 0xd, 15, 10, 0xc, 16,
]) as i32;
const MOTION_CODES_COUNT: i32 = 17;

/** Table B.12: dct_dc_size_luminance. */
// biome-ignore format: rows of a table
const DC_LUMA_CODES: i32 = memory.data<u16>([
  3, 0x4, 0, 2, 0x0, 1, 2, 0x1, 2, 3, 0x5, 3, 3, 0x6, 4, 4, 0xe, 5,
  5, 0x1e, 6, 6, 0x3e, 7, 7, 0x7e, 8, 8, 0xfe, 9, 9, 0x1fe, 10, 9, 0x1ff, 11,
]) as i32;
const DC_LUMA_CODES_COUNT: i32 = 12;

/** Table B.13: dct_dc_size_chrominance. */
// biome-ignore format: rows of a table
const DC_CHROMA_CODES: i32 = memory.data<u16>([
  2, 0x0, 0, 2, 0x1, 1, 2, 0x2, 2, 3, 0x6, 3, 4, 0xe, 4, 5, 0x1e, 5,
  6, 0x3e, 6, 7, 0x7e, 7, 8, 0xfe, 8, 9, 0x1fe, 9, 10, 0x3fe, 10, 10, 0x3ff, 11,
]) as i32;
const DC_CHROMA_CODES_COUNT: i32 = 12;

/** Table B.2: macroblock_type of I pictures, as the bits of `MB_…`. */
// biome-ignore format: rows of a table
const TYPE_I_CODES: i32 = memory.data<u16>([
  1, 0x1, 16, 2, 0x1, 17,
]) as i32;
const TYPE_I_CODES_COUNT: i32 = 2;

/** Table B.3: of P pictures. */
// biome-ignore format: rows of a table
const TYPE_P_CODES: i32 = memory.data<u16>([
  3, 0x1, 2, 2, 0x1, 8, 5, 0x1, 9, 1, 0x1, 10, 5, 0x2, 11, 5, 0x3, 16,
  6, 0x1, 17,
]) as i32;
const TYPE_P_CODES_COUNT: i32 = 7;

/** Table B.4: of B pictures. */
// biome-ignore format: rows of a table
const TYPE_B_CODES: i32 = memory.data<u16>([
  4, 0x2, 2, 3, 0x2, 4, 2, 0x2, 6, 4, 0x3, 10, 6, 0x3, 11, 3, 0x3, 12,
  6, 0x2, 13, 2, 0x3, 14, 5, 0x2, 15, 5, 0x3, 16, 6, 0x1, 17,
]) as i32;
const TYPE_B_CODES_COUNT: i32 = 11;

/** Table B.14: what Table B.15 has otherwise. First coefficient and end of block are handled where they are read. */
// biome-ignore format: rows of a table
const B14_CODES: i32 = memory.data<u16>([
  2, 0x3, 0, 1, 3, 0x3, 1, 1, 4, 0x4, 0, 2, 4, 0x5, 2, 1, 5, 0x5, 0, 3,
  5, 0x7, 3, 1, 5, 0x6, 4, 1, 6, 0x6, 1, 2, 6, 0x7, 5, 1, 6, 0x5, 6, 1,
  6, 0x4, 7, 1, 7, 0x6, 0, 4, 7, 0x4, 2, 2, 7, 0x7, 8, 1, 7, 0x5, 9, 1,
  8, 0x26, 0, 5, 8, 0x21, 0, 6, 8, 0x25, 1, 3, 8, 0x24, 3, 2, 8, 0x27, 10, 1,
  8, 0x23, 11, 1, 8, 0x22, 12, 1, 8, 0x20, 13, 1, 10, 0xa, 0, 7, 10, 0xc, 1, 4,
  10, 0xb, 2, 3, 10, 0xf, 4, 2, 10, 0x9, 5, 2, 10, 0xe, 14, 1, 10, 0xd, 15, 1,
  10, 0x8, 16, 1, 12, 0x1d, 0, 8, 12, 0x18, 0, 9, 12, 0x13, 0, 10, 12, 0x10, 0, 11,
  12, 0x1b, 1, 5, 12, 0x14, 2, 4, 13, 0x1a, 0, 12, 13, 0x19, 0, 13, 13, 0x18, 0, 14,
  13, 0x17, 0, 15,
]) as i32;
const B14_COUNT: i32 = 41;

/** Table B.15: what Table B.14 has otherwise. */
// biome-ignore format: rows of a table
const B15_CODES: i32 = memory.data<u16>([
  2, 0x2, 0, 1, 3, 0x2, 1, 1, 3, 0x6, 0, 2, 5, 0x5, 2, 1, 4, 0x7, 0, 3,
  5, 0x7, 3, 1, 6, 0x6, 4, 1, 5, 0x6, 1, 2, 6, 0x7, 5, 1, 7, 0x6, 6, 1,
  7, 0x4, 7, 1, 5, 0x1c, 0, 4, 7, 0x7, 2, 2, 7, 0x5, 8, 1, 7, 0x78, 9, 1,
  5, 0x1d, 0, 5, 6, 0x5, 0, 6, 7, 0x79, 1, 3, 8, 0x26, 3, 2, 7, 0x7a, 10, 1,
  8, 0x21, 11, 1, 8, 0x25, 12, 1, 8, 0x24, 13, 1, 6, 0x4, 0, 7, 8, 0x27, 1, 4,
  8, 0xfc, 2, 3, 8, 0xfd, 4, 2, 9, 0x4, 5, 2, 9, 0x5, 14, 1, 9, 0x7, 15, 1,
  10, 0xd, 16, 1, 7, 0x7b, 0, 8, 7, 0x7c, 0, 9, 8, 0x23, 0, 10, 8, 0x22, 0, 11,
  8, 0x20, 1, 5, 10, 0xc, 2, 4, 8, 0xfa, 0, 12, 8, 0xfb, 0, 13, 8, 0xfe, 0, 14,
  8, 0xff, 0, 15,
]) as i32;
const B15_COUNT: i32 = 41;

/** What both tables have: 12 bits and more. */
// biome-ignore format: rows of a table
const LONG_CODES_ROWS: i32 = memory.data<u16>([
  12, 0x1c, 3, 3, 12, 0x12, 4, 3, 12, 0x1e, 6, 2, 12, 0x15, 7, 2, 12, 0x11, 8, 2,
  12, 0x1f, 17, 1, 12, 0x1a, 18, 1, 12, 0x19, 19, 1, 12, 0x17, 20, 1, 12, 0x16, 21, 1,
  13, 0x16, 1, 6, 13, 0x15, 1, 7, 13, 0x14, 2, 5, 13, 0x13, 3, 4, 13, 0x12, 5, 3,
  13, 0x11, 9, 2, 13, 0x10, 10, 2, 13, 0x1f, 22, 1, 13, 0x1e, 23, 1, 13, 0x1d, 24, 1,
  13, 0x1c, 25, 1, 13, 0x1b, 26, 1, 14, 0x1f, 0, 16, 14, 0x1e, 0, 17, 14, 0x1d, 0, 18,
  14, 0x1c, 0, 19, 14, 0x1b, 0, 20, 14, 0x1a, 0, 21, 14, 0x19, 0, 22, 14, 0x18, 0, 23,
  14, 0x17, 0, 24, 14, 0x16, 0, 25, 14, 0x15, 0, 26, 14, 0x14, 0, 27, 14, 0x13, 0, 28,
  14, 0x12, 0, 29, 14, 0x11, 0, 30, 14, 0x10, 0, 31, 15, 0x18, 0, 32, 15, 0x17, 0, 33,
  15, 0x16, 0, 34, 15, 0x15, 0, 35, 15, 0x14, 0, 36, 15, 0x13, 0, 37, 15, 0x12, 0, 38,
  15, 0x11, 0, 39, 15, 0x10, 0, 40, 15, 0x1f, 1, 8, 15, 0x1e, 1, 9, 15, 0x1d, 1, 10,
  15, 0x1c, 1, 11, 15, 0x1b, 1, 12, 15, 0x1a, 1, 13, 15, 0x19, 1, 14, 16, 0x13, 1, 15,
  16, 0x12, 1, 16, 16, 0x11, 1, 17, 16, 0x10, 1, 18, 16, 0x14, 6, 3, 16, 0x1a, 11, 2,
  16, 0x19, 12, 2, 16, 0x18, 13, 2, 16, 0x17, 14, 2, 16, 0x16, 15, 2, 16, 0x15, 16, 2,
  16, 0x1f, 27, 1, 16, 0x1e, 28, 1, 16, 0x1d, 29, 1, 16, 0x1c, 30, 1, 16, 0x1b, 31, 1,
]) as i32;
const LONG_COUNT: i32 = 70;

/** Figure 7-2. */
// biome-ignore format: rows of a table
export const ZIGZAG: i32 = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55,
  62, 63,
]) as i32;

/** Figure 7-3. */
// biome-ignore format: rows of a table
export const ALTERNATE: i32 = memory.data<u8>([
  0, 8, 16, 24, 1, 9, 2, 10, 17, 25, 32, 40, 48, 56, 57, 49, 41, 33, 26, 18, 3, 11, 4, 12, 19, 27, 34, 42, 50, 58, 35, 43,
  51, 59, 20, 28, 5, 13, 6, 14, 21, 29, 36, 44, 52, 60, 37, 45, 53, 61, 22, 30, 7, 15, 23, 31, 38, 46, 54, 62, 39, 47, 55,
  63,
]) as i32;

/** The default matrix of intra blocks, 6.3.11; that of other blocks is 16 everywhere. */
// biome-ignore format: rows of a table
export const INTRA_MATRIX: i32 = memory.data<u8>([
  8, 16, 19, 22, 26, 27, 29, 34, 16, 16, 22, 24, 27, 29, 34, 37, 19, 22, 26, 27, 29, 34, 34, 38, 22, 22, 26, 27, 29, 34,
  37, 40, 22, 26, 27, 29, 32, 35, 40, 48, 26, 27, 29, 32, 35, 40, 48, 58, 26, 27, 29, 34, 38, 46, 56, 69, 27, 29, 35, 38,
  46, 56, 69, 83,
]) as i32;

/** Table 7-6: quantiser_scale of quantiser_scale_code where q_scale_type is 1. */
// biome-ignore format: rows of a table
export const NON_LINEAR_SCALE: i32 = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 104, 112,
]) as i32;

export const MBA_BITS: i32 = 11;
export const CBP_BITS: i32 = 9;
export const MOTION_BITS: i32 = 10;
export const DC_LUMA_BITS: i32 = 9;
export const DC_CHROMA_BITS: i32 = 10;
export const TYPE_BITS: i32 = 6;

/** Lookup tables by the next bits: value << 8 | length; 0 where no code begins so. */
export const MBA: i32 = memory.data(2 << 11, 16) as i32;
export const CBP: i32 = memory.data(2 << 9, 16) as i32;
export const MOTION: i32 = memory.data(2 << 10, 16) as i32;
export const DC_LUMA: i32 = memory.data(2 << 9, 16) as i32;
export const DC_CHROMA: i32 = memory.data(2 << 10, 16) as i32;
export const TYPE_I: i32 = memory.data(2 << 6, 16) as i32;
export const TYPE_P: i32 = memory.data(2 << 6, 16) as i32;
export const TYPE_B: i32 = memory.data(2 << 6, 16) as i32;

function spread(rows: i32, count: i32, bits: i32, target: i32): void {
  for (let row = rows; row < rows + count * 6; row += 6) {
    const length = <i32>load<u16>(row);
    const first = (<i32>load<u16>(row, 2)) << (bits - length);
    const entry = ((<i32>load<u16>(row, 4)) << 8) | length;
    for (let at = first; at < first + (1 << (bits - length)); at += 1) {
      store<u16>(target + at * 2, <u16>entry);
    }
  }
}

/**
 * Lookup tables of coefficients, sign included: first by 11 bits, then, where the first 7 of them are 0 and the entry
 * is 0, by 17 bits. An entry: level << 16 | step << 8 | length. The step is the run plus one, so that an end of block
 * and an escape end the loop like a run that is too long.
 */
export const STEP_END: i32 = 128;
export const STEP_ESCAPE: i32 = 192;
export const LONG_CODES: i32 = 4 << 11;
const COEFFICIENT_BYTES: i32 = (4 << 11) + (4 << 10);
/** Levels of intra blocks with Table B.14 and with Table B.15, unchanged. */
export const INTRA_B14: i32 = memory.data(12288, 16) as i32;
export const INTRA_B15: i32 = memory.data(12288, 16) as i32;
/** Table B.14 with levels for other blocks as used in 7.4.2.3: twice the level, one further from 0. */
export const INTER_B14: i32 = memory.data(12288, 16) as i32;

function putCoefficient(table: i32, code: i32, length: i32, entry: i32): void {
  const isLong = length > 11;
  const bits = isLong ? 17 : 11;
  const base = isLong ? table + LONG_CODES : table;
  const first = code << (bits - length);
  for (let at = first; at < first + (1 << (bits - length)); at += 1) store<i32>(base + at * 4, entry);
}

function spreadCoefficients(rows: i32, count: i32, table: i32, isIntra: bool): void {
  for (let row = rows; row < rows + count * 8; row += 8) {
    const length = <i32>load<u16>(row) + 1;
    const code = (<i32>load<u16>(row, 2)) << 1;
    const step = <i32>load<u16>(row, 4) + 1;
    const level = <i32>load<u16>(row, 6);
    const used = isIntra ? level : level * 2 + 1;
    putCoefficient(table, code, length, (used << 16) | (step << 8) | length);
    putCoefficient(table, code | 1, length, (-used << 16) | (step << 8) | length);
  }
}

function buildCoefficients(table: i32, isB15: bool, isIntra: bool): void {
  memory.fill(table, 0, COEFFICIENT_BYTES);
  spreadCoefficients(LONG_CODES_ROWS, LONG_COUNT, table, isIntra);
  if (isB15) spreadCoefficients(B15_CODES, B15_COUNT, table, isIntra);
  else spreadCoefficients(B14_CODES, B14_COUNT, table, isIntra);
  if (isB15) putCoefficient(table, 0b0110, 4, (STEP_END << 8) | 4);
  else putCoefficient(table, 0b10, 2, (STEP_END << 8) | 2);
  putCoefficient(table, 0b000001, 6, (STEP_ESCAPE << 8) | 24);
}

export function buildTables(): void {
  spread(MBA_CODES, MBA_CODES_COUNT, MBA_BITS, MBA);
  spread(CBP_CODES, CBP_CODES_COUNT, CBP_BITS, CBP);
  spread(MOTION_CODES, MOTION_CODES_COUNT, MOTION_BITS, MOTION);
  spread(DC_LUMA_CODES, DC_LUMA_CODES_COUNT, DC_LUMA_BITS, DC_LUMA);
  spread(DC_CHROMA_CODES, DC_CHROMA_CODES_COUNT, DC_CHROMA_BITS, DC_CHROMA);
  spread(TYPE_I_CODES, TYPE_I_CODES_COUNT, TYPE_BITS, TYPE_I);
  spread(TYPE_P_CODES, TYPE_P_CODES_COUNT, TYPE_BITS, TYPE_P);
  spread(TYPE_B_CODES, TYPE_B_CODES_COUNT, TYPE_BITS, TYPE_B);
  buildCoefficients(INTRA_B14, false, true);
  buildCoefficients(INTRA_B15, true, true);
  buildCoefficients(INTER_B14, false, false);
}
