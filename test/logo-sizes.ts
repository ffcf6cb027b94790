/** Width and height by logo_type: small 4:3, 16:9 and HD, large 4:3, 16:9 and HD. */
export const LOGO_SIZES: readonly (readonly [width: number, height: number])[] = [
  [48, 24],
  [36, 24],
  [48, 27],
  [72, 36],
  [54, 36],
  [64, 36],
];
