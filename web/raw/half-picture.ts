/**
 * Scales a picture to half its width and height, for several stations at a time: each sample is the mean of four. Two
 * lines of a frame belong to both fields, so interlaced pictures need no deinterlacer at this size.
 */
import type { DecodedPicture } from './mpeg2-decoder.ts';

type Shape = DecodedPicture['shape'];

/** A plane: offset, stride, and number of samples. */
interface Plane {
  readonly at: number;
  readonly stride: number;
}

function halve(
  source: Uint8Array,
  from: Plane,
  target: Uint8Array,
  to: Plane,
  width: number,
  height: number,
): void {
  for (let y = 0; y < height; y += 1) {
    let upper = from.at + 2 * y * from.stride;
    let lower = upper + from.stride;
    let at = to.at + y * to.stride;
    for (const end = at + width; at < end; at += 1, upper += 2, lower += 2) {
      const sum =
        (source[upper] ?? 0) + (source[upper + 1] ?? 0) + (source[lower] ?? 0) + (source[lower + 1] ?? 0);
      target[at] = (sum + 2) >> 2;
    }
  }
}

export class HalfPictures {
  #whole: Shape | undefined;
  #half: Shape | undefined;

  /** The same object as long as nothing changes. */
  shapeOf(whole: Shape): Shape {
    if (this.#whole === whole && this.#half !== undefined) return this.#half;
    // Both halves of a chroma line have to be whole.
    const [width, height] = [(whole.width >> 2) * 2, (whole.height >> 2) * 2];
    this.#whole = whole;
    this.#half = { ...whole, width, height, stride: width, cb: width * height, cr: (width * height * 5) / 4 };
    return this.#half;
  }

  /** Octets that the half of a picture takes. */
  lengthOf({ cb }: Shape): number {
    return (cb * 3) / 2;
  }

  /** @param target of `lengthOf` bytes */
  write({ planes, shape: whole }: DecodedPicture, target: Uint8Array): void {
    const half = this.shapeOf(whole);
    const { width, height } = half;
    halve(planes, { at: 0, stride: whole.stride }, target, { at: 0, stride: width }, width, height);
    for (const name of ['cb', 'cr'] as const) {
      const from = { at: whole[name], stride: whole.stride / 2 };
      halve(planes, from, target, { at: half[name], stride: width / 2 }, width / 2, height / 2);
    }
  }
}
