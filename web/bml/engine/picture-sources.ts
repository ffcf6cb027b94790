/** Pictures, colour tables and glyphs of a document for its view: loaded from modules, decoded once, within bounds. */
import type { BmlDocument, BmlElement } from '../document/document.ts';
import { type DrcsGlyph, readDrcs } from '../picture/drcs.ts';
import { DEFAULT_PALETTE, type Palette, readPalette } from '../picture/palette.ts';
import { type EncodedPicture, readPicture } from '../picture/picture.ts';
import type { Picture, PictureUse, ViewSources } from '../view/sources.ts';

interface SourceHost {
  /** Ms, monotonic. */
  now(): number;
  /** The file of an address in the document, at once or when it has been received; undefined: there is none. */
  fetch(address: string): Promise<Uint8Array | undefined>;
  decode(picture: EncodedPicture): Promise<ImageBitmap | undefined>;
  /** Something has arrived: the document is drawn again. */
  changed(): void;
}

/** Decoded pictures of a document: 64 MB. */
const MAX_PIXELS = 16 << 20;
/** The view asks for every picture with each frame. */
const UNUSED_MS = 200;
const MAX_PALETTES = 64;
const MAX_GLYPHS = 4096;

interface Loading {
  /** Null: not there, yet or at all. */
  value: Picture | null;
  isOver: boolean;
  /** When the view asked for it last. */
  usedAt: number;
}

/** What an animated object shows; undefined: the object is no animation. */
type AnimationFrameOf = (element: BmlElement) => Picture | null | undefined;

export class PictureSources implements ViewSources {
  readonly #host: SourceHost;
  readonly #animation: AnimationFrameOf;
  /** By address and colour table. */
  readonly #pictures = new Map<string, Loading>();
  /** What elements showed last. */
  readonly #objects = new WeakMap<BmlElement, Picture | null>();
  readonly #backgrounds = new WeakMap<BmlElement, Picture | null>();
  readonly #palettes = new Map<string, { palette: Palette; loaded: Promise<Palette> }>();
  readonly #glyphs = new Map<string, DrcsGlyph>();
  #pixels = 0;
  #isClosed = false;
  /** One after another, so that a document of many pictures takes no more memory than they do in the end. */
  #queue: Promise<void> = Promise.resolve();

  constructor(host: SourceHost, animation: AnimationFrameOf) {
    this.#host = host;
    this.#animation = animation;
  }

  picture({ element, address, clut, isBackground }: PictureUse): Picture | null {
    if (!isBackground) {
      const frame = this.#animation(element);
      if (frame !== undefined) return frame;
    }
    const key = `${clut}\n${address}`;
    let loading = this.#pictures.get(key);
    if (loading === undefined) {
      loading = { value: null, isOver: false, usedAt: 0 };
      this.#pictures.set(key, loading);
      void this.#start(address, clut, loading);
    }
    loading.usedAt = this.#host.now();
    const shown = isBackground ? this.#backgrounds : this.#objects;
    // The picture before stays until the next one is there.
    if (!loading.isOver) return shown.get(element) ?? null;
    shown.set(element, loading.value);
    return loading.value;
  }

  async #start(address: string, clut: string, loading: Loading): Promise<void> {
    await this.#load(address, clut, loading);
    loading.isOver = true;
    if (!this.#isClosed) this.#host.changed();
  }

  async #load(address: string, clut: string, loading: Loading): Promise<void> {
    const [file, palette] = await Promise.all([this.#host.fetch(address), this.loadPalette(clut)]);
    const encoded = file === undefined ? undefined : readPicture(file, palette);
    if (encoded === undefined) return;
    const step = this.#queue.then(() => this.#decode(encoded, loading));
    this.#queue = step.catch(() => undefined);
    await step;
  }

  async #decode(encoded: EncodedPicture, loading: Loading): Promise<void> {
    const { width, height, type } = encoded;
    if (this.#isClosed || !this.#makeRoom(width * height)) return;
    this.#pixels += width * height;
    const image = await this.#host.decode(encoded);
    if (image === undefined) {
      this.#pixels -= width * height;
      return;
    }
    if (this.#isClosed) {
      image.close();
      return;
    }
    loading.value = { image, width, height, isStill: type === 'image/jpeg' };
  }

  /** Gives up pictures that are not shown any more, the oldest first. @returns whether there is room now */
  #makeRoom(pixels: number): boolean {
    const unused = [...this.#pictures]
      .filter(([, { isOver, usedAt }]) => isOver && usedAt < this.#host.now() - UNUSED_MS)
      .sort(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [key, { value }] of unused) {
      if (this.#pixels + pixels <= MAX_PIXELS) break;
      this.#pictures.delete(key);
      if (value === null) continue;
      this.#pixels -= value.width * value.height;
      closeImage(value);
    }
    return this.#pixels + pixels <= MAX_PIXELS;
  }

  /** An object's `data` was written: if its picture was never found, it is looked for again. */
  retry(address: string): void {
    for (const [key, { value, isOver }] of this.#pictures)
      if (isOver && value === null && key.endsWith(`\n${address}`)) this.#pictures.delete(key);
  }

  palette(clut: string): Palette {
    if (clut === '') return DEFAULT_PALETTE;
    void this.loadPalette(clut);
    return this.#palettes.get(clut)?.palette ?? DEFAULT_PALETTE;
  }

  loadPalette(clut: string): Promise<Palette> {
    if (clut === '') return Promise.resolve(DEFAULT_PALETTE);
    const known = this.#palettes.get(clut);
    if (known !== undefined) return known.loaded;
    if (this.#palettes.size >= MAX_PALETTES) return Promise.resolve(DEFAULT_PALETTE);
    const entry: { palette: Palette; loaded: Promise<Palette> } = {
      palette: DEFAULT_PALETTE,
      loaded: this.#host.fetch(clut).then((file) => {
        entry.palette = file === undefined ? DEFAULT_PALETTE : readPalette(file);
        if (!this.#isClosed) this.#host.changed();
        return entry.palette;
      }),
    };
    this.#palettes.set(clut, entry);
    return entry.loaded;
  }

  glyph(code: number, size: number): DrcsGlyph | null {
    return this.#glyphs.get(`${code} ${size}`) ?? null;
  }

  get hasGlyphs(): boolean {
    return this.#glyphs.size > 0;
  }

  /** @returns whether the file has glyphs */
  loadGlyphs(file: Uint8Array): boolean {
    const glyphs = readDrcs(file);
    for (const glyph of glyphs)
      if (this.#glyphs.size < MAX_GLYPHS) this.#glyphs.set(`${glyph.code} ${glyph.height}`, glyph);
    return glyphs.length > 0;
  }

  unloadGlyphs(): void {
    this.#glyphs.clear();
  }

  close(): void {
    this.#isClosed = true;
    for (const { value } of this.#pictures.values())
      if (value !== null && 'close' in value.image) value.image.close();
    this.#pictures.clear();
    this.#palettes.clear();
    this.#glyphs.clear();
  }
}

function closeImage({ image }: Picture): void {
  if ('close' in image) image.close();
}

/** Address of the colour table that an object inherits. */
export function clutOf(document: BmlDocument, element: BmlElement): string {
  const [, address = ''] =
    /^url\(\s*["']?(.*?)["']?\s*\)$/is.exec(document.shownStyle(element).get('clut')) ?? [];
  return address;
}
