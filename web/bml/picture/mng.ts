/**
 * Animations of a carousel: the part of MNG 1.0 that ARIB STD-B24 Vol. 2 operates. Images are embedded PNGs, placed
 * by DEFI and grouped and timed by FRAM; TERM says what happens at the end. Colours come from the document's CLUT.
 */
import type { Palette } from './palette.ts';
import {
  type EncodedPicture,
  encodePng,
  isDrawableSize,
  MNG_SIGNATURE,
  readChunks,
  startsWith,
} from './picture.ts';

/** An image and its place on the canvas of the animation. */
interface AnimationLayer {
  readonly picture: EncodedPicture;
  readonly x: number;
  readonly y: number;
}

interface AnimationFrame {
  readonly layers: readonly AnimationLayer[];
  /** Whether the canvas is cleared before the layers are drawn. */
  readonly isCleared: boolean;
  readonly durationMs: number;
}

export interface Animation {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly AnimationFrame[];
  /** How often the frames are shown; Infinity: until it is stopped. */
  readonly repeats: number;
}

const MAX_FRAMES = 512;
/** Of all images together: 32 MB decoded. */
const MAX_PIXELS = 8 << 20;
/** A shorter frame would not be seen, and a loop of such frames would only keep the machine busy. */
const MIN_FRAME_MS = 20;
const MAX_FRAME_MS = 3_600_000;
const REPEAT = 3;
const ENDLESS = 0x7fffffff;

/** Framing modes 3 and 4 restore the background; 2 and 4 make one frame of all images up to the next FRAM. */
const isRestoring = (mode: number): boolean => mode === 3 || mode === 4;
const isGrouping = (mode: number): boolean => mode === 2 || mode === 4;

/** Change of the interframe delay in a FRAM chunk: 0 no, 1 for the next subframe, 2 from now on. */
interface Framing {
  readonly mode: number | undefined;
  readonly change: number;
  readonly ticks: number;
}

function readFraming(data: Uint8Array): Framing {
  const mode = data[0] === 0 ? undefined : data[0];
  const nameEnd = data.indexOf(0, 1);
  // Without a separator there is only a name.
  if (data.length < 2 || nameEnd < 0 || nameEnd + 4 >= data.length) return { mode, change: 0, ticks: 0 };
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const change = data[nameEnd + 1] ?? 0;
  const hasDelay = change !== 0 && nameEnd + 9 <= data.length;
  return { mode, change: hasDelay ? change : 0, ticks: hasDelay ? view.getUint32(nameEnd + 5) : 0 };
}

interface OpenImage {
  readonly header: Uint8Array;
  readonly content: { type: string; whole: Uint8Array }[];
}

class AnimationReader {
  readonly frames: AnimationFrame[] = [];
  repeats = 1;
  #mode = 1;
  #delay = 1;
  #nextDelay: number | undefined;
  #place = { x: 0, y: 0, isHidden: false };
  #layers: AnimationLayer[] = [];
  #pixels = 0;
  #image: OpenImage | undefined;
  readonly #ticksPerSecond: number;
  readonly #palette: Palette;

  constructor(ticksPerSecond: number, palette: Palette) {
    this.#ticksPerSecond = ticksPerSecond;
    this.#palette = palette;
  }

  /** @returns whether the rest of the file is read */
  take(chunk: { type: string; data: Uint8Array; whole: Uint8Array }): boolean {
    const { type, data } = chunk;
    if (this.#image !== undefined && type !== 'IEND') {
      this.#image.content.push(chunk);
      return true;
    }
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    if (type === 'FRAM') this.#frame(readFraming(data));
    else if (type === 'DEFI') {
      const hasPlace = data.length >= 12;
      this.#place = {
        isHidden: data[2] === 1,
        x: hasPlace ? view.getInt32(4) : 0,
        y: hasPlace ? view.getInt32(8) : 0,
      };
    } else if (type === 'TERM' && data[0] === REPEAT && data.length >= 10) {
      const count = view.getUint32(6);
      this.repeats = count >= ENDLESS ? Number.POSITIVE_INFINITY : Math.max(1, count);
    } else if (type === 'IHDR') this.#image = { header: data, content: [] };
    else if (type === 'IEND') return this.#endImage();
    return type !== 'MEND';
  }

  end(): void {
    this.#flush();
  }

  #frame({ mode, change, ticks }: Framing): void {
    this.#flush();
    this.#nextDelay = undefined;
    if (mode !== undefined) this.#mode = mode;
    if (change === 1) this.#nextDelay = ticks;
    if (change === 2) this.#delay = ticks;
  }

  #endImage(): boolean {
    const image = this.#image;
    this.#image = undefined;
    if (image === undefined) return true;
    const picture = encodePng(image.header, image.content, this.#palette);
    if (picture === undefined) return true;
    this.#pixels += picture.width * picture.height;
    if (this.#pixels > MAX_PIXELS) return false;
    const { x, y, isHidden } = this.#place;
    if (!isHidden) this.#layers.push({ picture, x, y });
    if (!isGrouping(this.#mode)) this.#flush();
    return this.frames.length < MAX_FRAMES;
  }

  #flush(): void {
    if (this.#layers.length === 0) return;
    const ticks = this.#nextDelay ?? this.#delay;
    const ms = this.#ticksPerSecond === 0 ? MAX_FRAME_MS : (ticks * 1000) / this.#ticksPerSecond;
    this.frames.push({
      layers: this.#layers,
      isCleared: this.frames.length === 0 || isRestoring(this.#mode),
      durationMs: Math.min(MAX_FRAME_MS, Math.max(MIN_FRAME_MS, ms)),
    });
    this.#layers = [];
  }
}

/** Undefined: no animation, one too large, or one without an image. What follows a limit is not shown. */
export function readMng(file: Uint8Array, palette: Palette): Animation | undefined {
  if (!startsWith(file, MNG_SIGNATURE)) return undefined;
  let reader: AnimationReader | undefined;
  let size = { width: 0, height: 0 };
  for (const chunk of readChunks(file)) {
    if (reader !== undefined) {
      if (!reader.take(chunk)) break;
      continue;
    }
    if (chunk.type !== 'MHDR' || chunk.data.length < 12) return undefined;
    const view = new DataView(chunk.data.buffer, chunk.data.byteOffset, chunk.data.length);
    size = { width: view.getUint32(0), height: view.getUint32(4) };
    if (!isDrawableSize(size.width, size.height)) return undefined;
    reader = new AnimationReader(view.getUint32(8), palette);
  }
  reader?.end();
  if (reader === undefined || reader.frames.length === 0) return undefined;
  return { ...size, frames: reader.frames, repeats: reader.repeats };
}
