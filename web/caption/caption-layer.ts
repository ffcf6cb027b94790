/**
 * The canvas over a picture that shows one caption page at a time: sharp at any size and device pixel ratio, with
 * flashing parts. Used for live television and recordings; the caller decides when a page is shown.
 */
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { type CaptionSettings, DEFAULT_CAPTION_SETTINGS } from './caption-settings.ts';
import { DrcsPictures, drawPage, flashes } from './draw-page.ts';

/** FLC: half a second lit, half a second dark. */
const FLASH_MS = 500;
const FONT_FAMILY = 'svc-font';
const FONT_ADDRESS = 'api/font/svc-font.woff2';
/** Device pixels across: more than any screen shows, and what browsers still give a canvas. */
const MAX_SIDE = 7_680;

/** Loads the caption font once for the page. Rejects when it cannot be had: text is drawn with what there is. */
export async function loadCaptionFont(): Promise<void> {
  if ([...document.fonts].some(({ family }) => family.replaceAll('"', '') === FONT_FAMILY)) return;
  const font = new FontFace(FONT_FAMILY, `url("${new URL(FONT_ADDRESS, document.baseURI).href}")`);
  document.fonts.add(font);
  try {
    await font.load();
  } catch (error) {
    document.fonts.delete(font);
    throw error;
  }
}

/** The exact size, where it is one: browsers that only emulate a pixel ratio leave the ratio out of it. */
function wholePixels(exact: number | undefined, about: number): number {
  return exact !== undefined && Math.abs(exact - about) < 2 ? exact : Math.round(about);
}

export class CaptionLayer {
  readonly #canvas = document.createElement('canvas');
  readonly #pictures = new DrcsPictures();
  readonly #observer: ResizeObserver;
  #settings: CaptionSettings = DEFAULT_CAPTION_SETTINGS;
  #page: CaptionPage | undefined;
  #lit = true;
  #flashing: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** `frame` holds the picture: the canvas covers it. */
  constructor(frame: HTMLElement) {
    const { style } = this.#canvas;
    style.position = 'absolute';
    style.inset = '0';
    style.width = '100%';
    style.height = '100%';
    style.pointerEvents = 'none';
    this.#canvas.ariaHidden = 'true';
    frame.append(this.#canvas);
    this.#observer = new ResizeObserver(([entry]) => this.#resize(entry));
    this.#observer.observe(this.#canvas, { box: 'device-pixel-content-box' });
    // A page that is up already is drawn again with the font when it arrives.
    document.fonts.addEventListener('loadingdone', this.#redraw);
  }

  /** The caption on screen, for a screenshot of the picture with it. */
  get canvas(): HTMLCanvasElement {
    return this.#canvas;
  }

  set settings(settings: CaptionSettings) {
    this.#settings = settings;
    this.#redraw();
  }

  /** Undefined: nothing is shown. Showing the same page again costs nothing. */
  show(page: CaptionPage | undefined): void {
    if (page === this.#page || this.#closed) return;
    this.#page = page;
    this.#lit = true;
    clearInterval(this.#flashing);
    if (page !== undefined && flashes(page)) this.#flashing = setInterval(this.#flash, FLASH_MS);
    this.#redraw();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#flashing);
    this.#observer.disconnect();
    document.fonts.removeEventListener('loadingdone', this.#redraw);
    this.#canvas.remove();
  }

  readonly #flash = (): void => {
    this.#lit = !this.#lit;
    this.#redraw();
  };

  #resize(entry: ResizeObserverEntry | undefined): void {
    const [exact] = entry?.devicePixelContentBoxSize ?? [];
    const rect = this.#canvas.getBoundingClientRect();
    const width = wholePixels(exact?.inlineSize, rect.width * devicePixelRatio);
    const height = wholePixels(exact?.blockSize, rect.height * devicePixelRatio);
    const fit = Math.min(1, MAX_SIDE / Math.max(width, height, 1));
    this.#canvas.width = Math.round(width * fit);
    this.#canvas.height = Math.round(height * fit);
    this.#redraw();
  }

  readonly #redraw = (): void => {
    const context = this.#canvas.getContext('2d');
    const { width, height } = this.#canvas;
    if (context === null || this.#closed || width === 0 || height === 0) return;
    const [settings, pictures, lit] = [this.#settings, this.#pictures, this.#lit];
    drawPage({ context, width, height, settings, pictures, lit }, this.#page);
  };
}
