/**
 * The video decoder and deinterlacer of `lib/wasm/mpeg2` for one stream: access units in, display pictures out, 59.94 a
 * second for interlaced video, and the film's own rate where the stream signals film or its fields show it.
 */
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { FilmCadence } from './film-cadence.ts';

interface Mpeg2Exports {
  readonly memory: WebAssembly.Memory;
  readonly UNIT_BYTES: WebAssembly.Global;
  unit(): number;
  decode(length: number, time: number): number;
  flush(): number;
  restart(): void;
  forget(): void;
  take(): number;
  preview(): number;
  frameAt(age: number): number;
  frameTime(age: number): number;
  frameFlags(age: number): number;
  field(age: number, isSecond: number): number;
  combed(isSecond: number): number;
  film(isSecond: number): number;
  stride(): number;
  cbOffset(): number;
  crOffset(): number;
  width(): number;
  height(): number;
  aspect(): number;
  frameRate(): number;
  displayWidth(): number;
  displayHeight(): number;
  matrix(): number;
  takeConcealed(): number;
}

/** Bits of a frame's flags. */
const PROGRESSIVE = 1;
const TOP_FIRST = 2;
const REPEATED = 4;
const PROGRESSIVE_SEQUENCE = 32;

interface PictureShape {
  readonly width: number;
  readonly height: number;
  /** Octets of a line of Y; Cb and Cr have half. */
  readonly stride: number;
  /** Offsets of Cb and Cr behind Y. */
  readonly cb: number;
  readonly cr: number;
  /** Width to height as it is to be shown. */
  readonly aspect: number;
  /** matrix_coefficients, ISO/IEC 13818-2 table 6-9: 1 BT.709, 5 and 6 BT.601. */
  readonly matrix: number;
}

export interface DecodedPicture {
  /** Broadcast time, 90 kHz, unwrapped; NaN before the first known time. */
  readonly time: number;
  /** How long it is shown, 90 kHz. */
  readonly duration: number;
  readonly shape: PictureShape;
  /** Y, Cb, Cr in the decoder's memory: valid until the next picture is asked for. */
  readonly planes: Uint8Array;
}

/** Frames a second by frame_rate_code, ISO/IEC 13818-2 table 6-4. */
const FRAME_RATES = [30000 / 1001, 24000 / 1001, 24, 25, 30000 / 1001, 30, 50, 60000 / 1001, 60];
/** Width to height by aspect_ratio_information, table 6-3; 1 means square samples. */
const ASPECTS: readonly (number | undefined)[] = [undefined, undefined, 4 / 3, 16 / 9, 2.21];
/** Of a field without neighbours. */
const UNMEASURED = -1;

export class Mpeg2Decoder {
  readonly #wasm: Mpeg2Exports;
  readonly #cadence = new FilmCadence();
  #isTopFirst = true;
  #shape: PictureShape | undefined;
  /** The picture that is next when it carries no time. */
  #nextTime = Number.NaN;

  private constructor(wasm: Mpeg2Exports) {
    this.#wasm = wasm;
  }

  /** @throws Error when the module cannot be instantiated, as in browsers without SIMD */
  static async create(module: WebAssembly.Module): Promise<Mpeg2Decoder> {
    const abort = (): never => {
      throw new Error('the decoder aborted');
    };
    const instance = await WebAssembly.instantiate(module, { env: { abort } });
    return new Mpeg2Decoder(instance.exports as unknown as Mpeg2Exports);
  }

  /** Octets of memory in use: grows with the largest picture only. */
  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  /**
   * Decodes the headers and the picture of an access unit; data beyond the largest valid picture are cut off.
   * @param time presentation time, 90 kHz, not wrapped; undefined: it carries none
   */
  decode(unit: Uint8Array, time: number | undefined): void {
    const most = this.#wasm.UNIT_BYTES.value as number;
    const used = unit.length > most ? unit.subarray(0, most) : unit;
    new Uint8Array(this.#wasm.memory.buffer, this.#wasm.unit(), used.length).set(used);
    this.#wasm.decode(used.length, time ?? Number.NaN);
  }

  /** The pictures that can be shown after a unit, in order. */
  *pictures(): Generator<DecodedPicture> {
    while (this.#wasm.take() !== 0) yield* this.#frame(1);
  }

  /** Like `pictures`, but frames as coded, both fields woven, without delay. */
  *frames(): Generator<DecodedPicture> {
    while (this.#wasm.take() !== 0) {
      yield this.#picture(this.#wasm.frameAt(0), this.#wasm.frameTime(0), this.frameDuration);
    }
  }

  /** The last reference has no successor: it can be shown. */
  flush(): void {
    this.#wasm.flush();
  }

  /** The pictures left at the end of a stream, in display order. */
  *rest(): Generator<DecodedPicture> {
    this.flush();
    yield* this.pictures();
    yield* this.#frame(0);
    this.#wasm.forget();
  }

  /** The last decoded reference, ahead of display order: for the first picture after joining. Its time is NaN. */
  preview(): DecodedPicture | undefined {
    const address = this.#wasm.preview();
    return address === 0 ? undefined : this.#picture(address, Number.NaN, 0);
  }

  /** Begins again with the next intra picture, as after a loss. */
  restart(): void {
    this.#wasm.restart();
    this.#cadence.reset();
    this.#nextTime = Number.NaN;
  }

  /** Macroblocks that were lost and concealed since the last call. */
  takeConcealed(): number {
    return this.#wasm.takeConcealed();
  }

  /** Of a frame as coded, 90 kHz. */
  get frameDuration(): number {
    return TICKS_PER_SECOND / (FRAME_RATES[this.#wasm.frameRate()] ?? 30000 / 1001);
  }

  *#frame(age: number): Generator<DecodedPicture> {
    const address = this.#wasm.frameAt(age);
    if (address === 0) return;
    const flags = this.#wasm.frameFlags(age);
    const told = this.#wasm.frameTime(age);
    const time = Number.isNaN(told) ? this.#nextTime : told;
    const field = this.frameDuration / 2;
    if ((flags & PROGRESSIVE) !== 0) {
      const duration = field * fieldsOf(flags);
      this.#nextTime = time + duration;
      this.#cadence.reset();
      yield this.#picture(address, time, duration);
      return;
    }
    this.#nextTime = time + field * 2;
    const isTopFirst = (flags & TOP_FIRST) !== 0;
    if (isTopFirst !== this.#isTopFirst) this.#cadence.reset();
    this.#isTopFirst = isTopFirst;
    for (const isSecond of [0, 1]) {
      const combed = age === 1 ? this.#wasm.combed(isSecond) : UNMEASURED;
      const use = this.#cadence.next(combed === UNMEASURED ? undefined : combed);
      const at = time + field * isSecond;
      if (use.kind === 'field') yield this.#picture(this.#wasm.field(age, isSecond), at, field);
      if (use.kind === 'film') yield this.#picture(this.#wasm.film(isSecond), at, field * use.fields);
    }
  }

  #picture(address: number, time: number, duration: number): DecodedPicture {
    const shape = this.#currentShape();
    const length = shape.cr + (shape.cr - shape.cb);
    return { time, duration, shape, planes: new Uint8Array(this.#wasm.memory.buffer, address, length) };
  }

  /** The same object as long as nothing changes. */
  #currentShape(): PictureShape {
    const wasm = this.#wasm;
    const [width, height] = [wasm.width(), wasm.height()];
    const told = ASPECTS[wasm.aspect()];
    const shape: PictureShape = {
      width,
      height,
      stride: wasm.stride(),
      cb: wasm.cbOffset(),
      cr: wasm.crOffset(),
      aspect: told ?? width / height,
      matrix: wasm.matrix(),
    };
    const before = this.#shape;
    const isSame =
      before !== undefined &&
      before.width === width &&
      before.height === height &&
      before.aspect === shape.aspect &&
      before.matrix === shape.matrix &&
      before.cb === shape.cb;
    if (!isSame) this.#shape = shape;
    return this.#shape ?? shape;
  }
}

/** How many fields a progressive frame is shown for, ISO/IEC 13818-2, 6.3.10. */
function fieldsOf(flags: number): number {
  if ((flags & REPEATED) === 0) return 2;
  if ((flags & PROGRESSIVE_SEQUENCE) === 0) return 3;
  return (flags & TOP_FIRST) === 0 ? 4 : 6;
}
