/**
 * Scores how informative a small picture is: a black picture, a title card, stripes or colour bars show little, a scene
 * much. Pure; the score only compares pictures of one recording.
 */

export interface SmallPicture {
  readonly width: number;
  readonly height: number;
  /** RGB, eight bits each, row by row. */
  readonly pixels: Uint8Array;
}

/** Rec. ITU-R BT.709 luma. */
function lumaOf(pixels: Uint8Array, at: number): number {
  return (
    0.2126 * (pixels[at] as number) +
    0.7152 * (pixels[at + 1] as number) +
    0.0722 * (pixels[at + 2] as number)
  );
}

/** Brightness steps that are visible in a small picture. */
const DARK = 24;
const BRIGHT = 232;
const EDGE = 16;
/** Bits per component that distinguish colours. */
const COLOUR_BITS = 3;

interface Facts {
  mean: number;
  deviation: number;
  /** Share of pixels that are nearly black or nearly white. */
  extreme: number;
  /** Entropy of the colours, bits. */
  entropy: number;
  /** Share of the most frequent colour. */
  dominant: number;
  /** Share of neighbouring pixels that differ, in a row and in a column. */
  across: number;
  down: number;
}

function factsOf({ width, height, pixels }: SmallPicture): Facts {
  const count = width * height;
  const colours = new Map<number, number>();
  let sum = 0;
  let squares = 0;
  let extreme = 0;
  let across = 0;
  let down = 0;
  for (let index = 0; index < count; index += 1) {
    const at = index * 3;
    const luma = lumaOf(pixels, at);
    sum += luma;
    squares += luma * luma;
    if (luma < DARK || luma > BRIGHT) extreme += 1;
    if (index % width > 0 && Math.abs(luma - lumaOf(pixels, at - 3)) > EDGE) across += 1;
    if (index >= width && Math.abs(luma - lumaOf(pixels, at - 3 * width)) > EDGE) down += 1;
    const shift = 8 - COLOUR_BITS;
    const [r = 0, g = 0, b = 0] = pixels.subarray(at, at + 3);
    const colour = ((r >> shift) << (2 * COLOUR_BITS)) | ((g >> shift) << COLOUR_BITS) | (b >> shift);
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  const shares = [...colours.values()].map((number) => number / count);
  const mean = sum / count;
  return {
    mean,
    deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)),
    extreme: extreme / count,
    entropy: -shares.reduce((total, share) => total + share * Math.log2(share), 0),
    dominant: Math.max(0, ...shares),
    across: across / count,
    down: down / count,
  };
}

/** Below this a picture is practically black, white or one colour. */
const FLAT_DEVIATION = 6;

/** Scenes have edges in both directions, stripes and colour bars in one: with a smaller part of the other it is stripes. */
const STRIPED_BELOW = 0.25;
/** What stripes are worth beside a scene. */
const STRIPED = 0.3;
/** A soft picture has fewer edges than this: their direction tells nothing. */
const FEW_EDGES = 0.005;

function shapeOf({ across, down }: Facts): number {
  const balance = (Math.min(across, down) + FEW_EDGES) / (Math.max(across, down) + FEW_EDGES);
  return STRIPED + (1 - STRIPED) * Math.min(1, balance / STRIPED_BELOW);
}

/** 0: nothing visible. Larger is better. */
export function pictureScore(picture: SmallPicture): number {
  if (picture.pixels.length < picture.width * picture.height * 3 || picture.pixels.length === 0) return 0;
  const facts = factsOf(picture);
  const { mean, deviation, extreme, entropy, dominant } = facts;
  if (deviation < FLAT_DEVIATION || extreme > 0.95) return 0;
  const exposure = 1 - Math.min(1, Math.abs(mean - 112) / 112);
  // A card, or a credits roll, has letters on one colour.
  const plain = dominant > 0.5 ? (1 - dominant) * 2 : 1;
  const detail = Math.min(1, (facts.across + facts.down) / 0.3);
  const form = (0.5 + 0.5 * detail) * shapeOf(facts);
  return entropy * (0.4 + 0.6 * exposure) * plain * form * (1 - 0.5 * extreme);
}

/** Looked at by every so many pixels: enough to tell a picture from none, in a thousandth of a second. */
const STRIDE = 7;

/** Practically black, as between scenes and around commercials. */
function isBlack({ pixels }: SmallPicture): boolean {
  let [count, sum, squares] = [0, 0, 0];
  for (let at = 0; at + 3 <= pixels.length; at += 3 * STRIDE) {
    const luma = lumaOf(pixels, at);
    count += 1;
    sum += luma;
    squares += luma * luma;
  }
  const mean = sum / Math.max(1, count);
  return mean < DARK && squares / Math.max(1, count) - mean ** 2 < FLAT_DEVIATION ** 2;
}

/**
 * Puts the nearest picture that shows something in the place of each black one, the later of two.
 *
 * @param reach how many pictures away: the middle of a longer black stretch stays black
 */
export function replaceBlack(pictures: readonly SmallPicture[], reach: number): void {
  const black = pictures.map(isBlack);
  for (const [index, { pixels }] of pictures.entries()) {
    if (black[index] === false) continue;
    const near = Array.from({ length: reach }, (_, far) => [index + far + 1, index - far - 1]).flat();
    const found = pictures[near.find((one) => black[one] === false) ?? -1];
    if (found !== undefined) pixels.set(found.pixels);
  }
}

/** Index of the best picture, the earlier of equals; -1 if none shows anything. */
export function mostTelling(pictures: readonly SmallPicture[]): number {
  let best = -1;
  let bestScore = 0;
  for (const [index, picture] of pictures.entries()) {
    const score = pictureScore(picture);
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}
