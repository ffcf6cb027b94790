/**
 * Access units in, the picture of every moment out: decodes slightly ahead of the sound, shows each picture at its
 * time, drops late ones. It never waits: its owner calls `step` as often as pictures may change.
 */
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/wire/times.ts';
import type { AccessUnit } from './access-units.ts';
import type { DecodedPicture, Mpeg2Decoder } from './mpeg2-decoder.ts';

type Shape = DecodedPicture['shape'];

/** A plane: offset, stride, and number of samples. */
interface SamplePlane {
  readonly at: number;
  readonly stride: number;
}

function halve(
  source: Uint8Array,
  from: SamplePlane,
  target: Uint8Array,
  to: SamplePlane,
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

/**
 * Scales a picture to half its width and height, for several stations at a time: each sample is the mean of four. Two
 * lines of a frame belong to both fields, so interlaced pictures need no deinterlacer at this size.
 */
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

/** A picture of its own, out of the decoder's memory. */
export interface HeldPicture {
  readonly time: number;
  readonly duration: number;
  readonly shape: Shape;
  readonly planes: Uint8Array<ArrayBuffer>;
}

interface PlayerNeeds {
  readonly decoder: Mpeg2Decoder;
  /** At half the width and height, frames instead of fields: one of several stations. */
  readonly isHalf?: boolean | undefined;
  /** Puts a picture on the screen. */
  readonly show: (picture: HeldPicture) => void;
  /** The clock of `RawRequest` `clock`: ms since 1970, on the scale that page and worker share. */
  readonly now: () => WallMs;
}

/** Decoded pictures that wait for their time: 0.13 s, which covers an intra picture on a slow device. */
const MAX_HELD = 8;
/** Compressed pictures that wait, by time and, where times are wrong, by number. */
const MAX_BACKLOG = 8 * TICKS_PER_SECOND;
const MAX_UNITS = 600;
/** Later than this a picture is not worth decoding: on with the next intra picture. */
const SKIP_LATE = TICKS_PER_SECOND / 2;
/** Units further apart than this are not continued without an intra picture. */
const HOLE = TICKS_PER_SECOND;
/** Decoding in one step: the next picture must not be late for it. */
const STEP_MS = 12;
const SAMPLES = 60;

export class PicturePlayer {
  readonly #needs: PlayerNeeds;
  #units: AccessUnit[] = [];
  #held: HeldPicture[] = [];
  /** Arrays of pictures that were shown, to be used again. */
  #spare: Uint8Array<ArrayBuffer>[] = [];
  #waitsForIntra = true;
  /** Time of the newest unit that came. */
  #newest = Number.NaN;
  /** Units before it need others that did not come. */
  #floor = Number.NEGATIVE_INFINITY;
  #hasShown = false;
  readonly #halves: HalfPictures | undefined;
  #lastTime = Number.NaN;
  #loads: number[] = [];
  shown = 0;
  dropped = 0;
  /** s between the time asked for last and the picture that was there for it. */
  behind = 0;

  constructor(needs: PlayerNeeds) {
    this.#needs = needs;
    if (needs.isHalf === true) this.#halves = new HalfPictures();
  }

  /** The unit is queued; its bytes must not change. */
  push(unit: AccessUnit): void {
    const { time } = unit;
    if (time !== undefined) {
      if (time - this.#newest > HOLE) this.#waitsForIntra = true;
      this.#newest = Math.abs(time - this.#newest) < MAX_BACKLOG ? Math.max(time, this.#newest) : time;
    }
    if (this.#waitsForIntra && !unit.isIntra) return;
    // Pictures behind it in the stream and before it in time need the one before the hole.
    if (this.#waitsForIntra) this.#floor = time ?? this.#floor;
    this.#waitsForIntra = false;
    if (time !== undefined && time < this.#floor && this.#floor - time < HOLE) return;
    this.#units.push(unit);
    const [first, last] = [this.#timeOfUnits(0, 1), this.#timeOfUnits(this.#units.length - 1, -1)];
    const isLong = first !== undefined && last !== undefined && last - first > MAX_BACKLOG;
    if (isLong || this.#units.length > MAX_UNITS)
      this.#cutTo(this.#units.findLastIndex((one) => one.isIntra));
  }

  /** 95th percentile of the time that a unit takes, as a part of a frame's duration. */
  get load(): number {
    const sorted = [...this.#loads].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  }

  /** @param time of the sound, 90 kHz; undefined: it has not begun, so that only a first picture is shown */
  step(time: number | undefined): void {
    if (time !== undefined) {
      this.#present(time);
      this.#skipLate(time);
    }
    this.#decode(time);
    if (time !== undefined) this.#present(time);
  }

  #timeOfUnits(from: number, step: 1 | -1): number | undefined {
    for (let at = from; at >= 0 && at < this.#units.length; at += step) {
      const time = this.#units[at]?.time;
      if (time !== undefined) return time;
    }
    return undefined;
  }

  /** Drops the units before an intra one; all of them without one. */
  #cutTo(index: number): void {
    this.dropped += index < 0 ? this.#units.length : index;
    this.#units = index < 0 ? [] : this.#units.slice(index);
    this.#waitsForIntra = index < 0;
    this.#needs.decoder.restart();
  }

  #skipLate(time: number): void {
    const next = this.#timeOfUnits(0, 1);
    if (next === undefined || time - next <= SKIP_LATE) return;
    // The last one before the time, from which it is caught up at once; else the next one.
    const before = this.#units.findLastIndex((one) => one.isIntra && (one.time ?? 0) <= time);
    const after = this.#units.findIndex((one) => one.isIntra && (one.time ?? 0) > time);
    if (before > 0) this.#cutTo(before);
    else if (before < 0) this.#cutTo(after);
  }

  #decode(time: number | undefined): void {
    const { decoder, now } = this.#needs;
    const began = now();
    while (this.#units.length > 0 && this.#held.length < MAX_HELD) {
      const unit = this.#units.shift();
      if (unit === undefined) return;
      const before = now();
      decoder.decode(unit.bytes, unit.time);
      const pictures = this.#halves === undefined ? decoder.pictures() : decoder.frames();
      for (const picture of pictures) this.#hold(picture);
      const took = now() - before;
      this.#loads.push(took / ((decoder.frameDuration / TICKS_PER_SECOND) * 1000));
      if (this.#loads.length > SAMPLES) this.#loads.shift();
      if (!this.#hasShown) this.#showFirst();
      if (now() - began > STEP_MS) return;
      if (time !== undefined && (this.#held[0]?.time ?? 0) < time) this.#present(time);
    }
  }

  /** The first picture after joining is shown at once, and stands until its time has come. */
  #showFirst(): void {
    const preview = this.#needs.decoder.preview();
    if (preview === undefined) return;
    this.#hasShown = true;
    this.#needs.show(this.#copy(preview));
    this.shown += 1;
  }

  #hold(picture: DecodedPicture): void {
    if (Number.isNaN(picture.time)) return;
    this.#held.push(this.#copy(picture));
  }

  #copy(picture: DecodedPicture): HeldPicture {
    const { time, duration, planes } = picture;
    const halves = this.#halves;
    const shape = halves?.shapeOf(picture.shape) ?? picture.shape;
    const length = halves?.lengthOf(shape) ?? planes.length;
    let copy = this.#spare.pop();
    if (copy?.length !== length) copy = new Uint8Array(length);
    if (halves === undefined) copy.set(planes);
    else halves.write(picture, copy);
    return { time, duration, shape, planes: copy };
  }

  #present(time: number): void {
    let due: HeldPicture | undefined;
    let first = this.#held[0];
    while (first !== undefined && first.time <= time) {
      this.#held.shift();
      if (due !== undefined) {
        this.dropped += 1;
        this.#release(due);
      }
      due = first;
      first = this.#held[0];
    }
    if (due !== undefined) {
      this.#needs.show(due);
      this.shown += 1;
      this.#hasShown = true;
      this.#lastTime = due.time + due.duration;
      this.#release(due);
    }
    // Pictures that do not come are not late.
    const isMissing = time - this.#newest > HOLE / 2;
    const isBehind = this.#held.length === 0 && !Number.isNaN(this.#lastTime) && !isMissing;
    this.behind = isBehind
      ? Math.max(0, (Math.min(time, this.#newest) - this.#lastTime) / TICKS_PER_SECOND)
      : 0;
  }

  #release({ planes }: HeldPicture): void {
    if (this.#spare.length < MAX_HELD) this.#spare.push(planes);
  }
}
