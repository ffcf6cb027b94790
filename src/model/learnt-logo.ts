/** A station's logo as seen in its pictures: learnt from recordings, stored per station and picture format. */

/** A box in the compared corners (`commercial/stream-features.ts`) and the gradients of its edges. */
export interface LogoModel {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of each pixel, row by row; 0 if the pixel is ignored. */
  readonly gradientX: Float32Array;
  readonly gradientY: Float32Array;
}

/** Limit of the weight of earlier recordings: the logo of a station may change. */
const MAX_WEIGHT = 8;

/** Merges the logo learnt from another recording. @param recordings number that `known` was learnt from */
export function mergedLogo(known: LogoModel, learnt: LogoModel, recordings: number): LogoModel {
  const isSame = (['x', 'y', 'width', 'height'] as const).every((field) => known[field] === learnt[field]);
  if (!isSame) return learnt;
  const weight = Math.min(MAX_WEIGHT, recordings);
  const mean = (a: Float32Array, b: Float32Array): Float32Array =>
    a.map((value, at) => (value * weight + (b[at] as number)) / (weight + 1));
  return {
    ...known,
    gradientX: mean(known.gradientX, learnt.gradientX),
    gradientY: mean(known.gradientY, learnt.gradientY),
  };
}
