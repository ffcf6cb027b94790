/** Elementary streams of random pictures: sequence and group headers around `random-picture.ts`. */
import { BitWriter } from './bit-writer.ts';
import { type PictureType, type Random, RandomPicture, seeded } from './random-picture.ts';

interface VideoOptions {
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  /** In coding order. */
  readonly types: readonly PictureType[];
  /** Frame pictures only: each unit is a frame. */
  readonly isFrames?: boolean;
}

/** Sequence header and its extension: interlaced, 4:2:0, main profile. */
function sequence(w: BitWriter, width: number, height: number, random: Random): void {
  w.start(0xb3).bits(width, 12).bits(height, 12).bits(3, 4).bits(4, 4).bits(0x3ffff, 18).bits(1, 1);
  w.bits(112, 10).bits(0, 1);
  const hasMatrix = random() < 0.5;
  w.bits(hasMatrix ? 1 : 0, 1);
  if (hasMatrix) for (let at = 0; at < 64; at += 1) w.bits(at === 0 ? 8 : 8 + Math.floor(random() * 24), 8);
  w.bits(0, 1);
  w.start(0xb5).bits(1, 4).bits(0x44, 8).bits(0, 1).bits(1, 2).bits(0, 4).bits(0, 12).bits(1, 1).bits(0, 8);
  w.bits(0, 1).bits(0, 7);
  w.start(0xb8).bits(0, 25).bits(1, 1).bits(0, 1);
}

/** The access units of a random stream, one per picture (a frame or a field). */
export function randomVideo(options: VideoOptions): Uint8Array[] {
  const { width, height, types } = options;
  const random = seeded(options.seed);
  const columns = Math.ceil(width / 16);
  const rows = Math.ceil(height / 32) * 2;
  const units: Uint8Array[] = [];
  const topFirst = random() < 0.5;
  for (const [index, type] of types.entries()) {
    let w = new BitWriter();
    if (index === 0) sequence(w, width, height, random);
    const common = { temporalReference: index, columns, rows, topFirst, random };
    if (options.isFrames === true || random() < 0.4) {
      new RandomPicture(w, { ...common, type, structure: 'frame', isSecondField: false }).write();
      units.push(w.bytes);
      continue;
    }
    const [first, second] = topFirst ? (['top', 'bottom'] as const) : (['bottom', 'top'] as const);
    new RandomPicture(w, { ...common, type, structure: first, isSecondField: false }).write();
    units.push(w.bytes);
    w = new BitWriter();
    // The first frame contains no field of the same parity to which a P field could refer.
    const next = type === 'I' && index > 0 && random() < 0.6 ? 'P' : type;
    new RandomPicture(w, { ...common, type: next, structure: second, isSecondField: true }).write();
    units.push(w.bytes);
  }
  return units;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
