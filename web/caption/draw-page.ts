/**
 * Draws a caption page on a canvas. Backgrounds and lines end on whole device pixels, cell by cell, so that they join
 * without seams and stay sharp at any size; glyphs are outlines of the font and are sharp by themselves.
 */
import { isHalfWidth } from '../../lib/arib/caption/width.ts';
import type { CaptionPage, CaptionRun, DrcsImage } from '../../lib/wire/caption.ts';
import { CAPTION_PAGE_VERSION } from '../../lib/wire/vocabulary.ts';
import type { CaptionSettings } from './caption-settings.ts';

// Maps the units of a caption page's plane to positions in a picture, according to the viewer's settings.

/** x of the picture = x of the plane * scaleX + left, in device pixels. */
interface PlaneLayout {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

/** Part of the plane's height that stays free at an edge to which the text is moved. */
const EDGE_SHARE = 0.04;

interface Block {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Bounding box of the runs in the plane; undefined when nothing is drawn. */
function blockOf(runs: readonly CaptionRun[]): Block | undefined {
  const seen = runs.filter(({ text }) => text.trim() !== '');
  if (seen.length === 0) return undefined;
  return {
    left: Math.min(...seen.map(({ x }) => x)),
    right: Math.max(...seen.map(({ x, w, text }) => x + w * [...text].length)),
    top: Math.min(...seen.map(({ y }) => y)),
    bottom: Math.max(...seen.map(({ y, h }) => y + h)),
  };
}

/** Keeps a stretch of `size` inside 0 to `whole`, where it fits. */
function inside(start: number, size: number, whole: number): number {
  return size >= whole ? (whole - size) / 2 : Math.min(Math.max(start, 0), whole - size);
}

/** @param width of the picture in device pixels; the plane is stretched over it. */
export function layOut(
  { plane, runs }: Pick<CaptionPage, 'plane' | 'runs'>,
  width: number,
  height: number,
  settings: CaptionSettings,
): PlaneLayout {
  const [planeWidth, planeHeight] = plane;
  const plain = { scaleX: width / planeWidth, scaleY: height / planeHeight, left: 0, top: 0 };
  const block = blockOf(runs);
  if (block === undefined || (settings.size === 1 && settings.position === 'broadcast')) return plain;
  const { position } = settings;
  // No larger than the plane, unless the broadcast is.
  const [across, down] = [block.right - block.left, block.bottom - block.top];
  const size = Math.min(settings.size, Math.max(1, Math.min(planeWidth / across, planeHeight / down)));
  // The block grows from its middle across; down from the edge of the picture that it is nearer to.
  const wide = across * size;
  const high = down * size;
  const isLow = block.top + block.bottom > planeHeight;
  const free = planeHeight * EDGE_SHARE;
  const tops = {
    broadcast: isLow ? block.bottom - high : block.top,
    bottom: planeHeight - free - high,
    top: free,
  };
  const left = inside((block.left + block.right - wide) / 2, wide, planeWidth);
  const top = inside(tops[position], high, planeHeight);
  return {
    scaleX: plain.scaleX * size,
    scaleY: plain.scaleY * size,
    left: (left - block.left * size) * plain.scaleX,
    top: (top - block.top * size) * plain.scaleY,
  };
}

function shownRuns({ runs }: CaptionPage, settings: CaptionSettings): CaptionRun[] {
  return runs.filter(({ ruby }) => settings.ruby || ruby !== true);
}

/** Where the text stands in the picture; undefined: nothing is shown. Units of `height`, from the top. */
export function textExtent(
  page: CaptionPage,
  width: number,
  height: number,
  settings: CaptionSettings,
): { readonly top: number; readonly bottom: number } | undefined {
  const runs = shownRuns(page, settings);
  const block = settings.visible ? blockOf(runs) : undefined;
  if (block === undefined) return undefined;
  const { scaleY, top } = layOut({ plane: page.plane, runs }, width, height, settings);
  return { top: block.top * scaleY + top, bottom: block.bottom * scaleY + top };
}

// Bitmaps of characters that a broadcaster drew itself, as pictures to be stretched into a glyph's box.

/** The largest that a broadcast can define. */
const MAX_SIDE = 255;

function octetsOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

/** Intensities 0 to 1, row by row; missing data is 0. Undefined: no picture. */
export function drcsIntensities(image: DrcsImage): Float32Array | undefined {
  const { w, h, depth, bits } = image;
  const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= MAX_SIDE;
  if (!isSide(w) || !isSide(h) || ![1, 2, 4, 8].includes(bits) || !(depth >= 2)) return undefined;
  const data = octetsOf(image.data);
  const levels = (1 << bits) - 1;
  return Float32Array.from({ length: w * h }, (_, index) => {
    const bit = index * bits;
    const value = ((data[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & levels;
    return Math.min(1, value / (depth - 1));
  });
}

/** Pictures kept: the few that a programme uses, in a few colours. */
const MAX_PICTURES = 64;

export class DrcsPictures {
  readonly #pictures = new Map<string, HTMLCanvasElement | null>();

  /** The bitmap in a colour `#rrggbbaa`; null when it is none. */
  get(image: DrcsImage, colour: string): HTMLCanvasElement | null {
    const key = `${image.md5}/${image.w}x${image.h}/${colour}`;
    const known = this.#pictures.get(key);
    if (known !== undefined) return known;
    if (this.#pictures.size >= MAX_PICTURES) this.#pictures.clear();
    const picture = paint(image, colour);
    this.#pictures.set(key, picture);
    return picture;
  }
}

function paint(image: DrcsImage, colour: string): HTMLCanvasElement | null {
  const intensities = drcsIntensities(image);
  const canvas = document.createElement('canvas');
  canvas.width = image.w;
  canvas.height = image.h;
  const context = canvas.getContext('2d');
  if (intensities === undefined || context === null) return null;
  const [red = 0, green = 0, blue = 0, alpha = 255] = [1, 3, 5, 7].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  const pixels = context.createImageData(image.w, image.h);
  for (const [index, intensity] of intensities.entries()) {
    pixels.data.set([red, green, blue, Math.round(intensity * alpha)], index * 4);
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

const FAMILIES: Readonly<Record<CaptionSettings['font'], string>> = {
  /** As served under `api/font/svc-font.woff2`; any rounded gothic until it is there. */
  rounded: '"svc-font", "Hiragino Maru Gothic ProN", "Kosugi Maru", sans-serif',
  /** Characters that only the caption font has, such as broadcast symbols, are still drawn with it. */
  system: 'system-ui, sans-serif, "svc-font"',
};
/** Part of the em above the baseline, of Kosugi Maru. */
const ASCENT = 0.88;
/** Units of the plane: outline on either side of a glyph's edge, underline, edges of cells. */
const STROKE = 1.5;
const LINE = 1;
const BOLD = 1.2;
const SLANT = -0.2;
const EDGE = { bottom: 1, right: 2, top: 4, left: 8 } as const;

interface Painting {
  readonly context: CanvasRenderingContext2D;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  readonly settings: CaptionSettings;
  readonly pictures: DrcsPictures;
  /** Whether what flashes is lit now. */
  readonly lit: boolean;
}

/** A cell of a run, its edges on whole device pixels. */
interface RunCell {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Whether anything of the page changes while it is shown. */
export function flashes({ runs }: CaptionPage): boolean {
  return runs.some(({ flash }) => flash === true);
}

/** Clears the canvas and draws the page; a page of another version, or none, leaves it empty. */
export function drawPage(painting: Painting, page: CaptionPage | undefined): void {
  const { context, width, height, settings } = painting;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  if (page === undefined || page.v !== CAPTION_PAGE_VERSION || !settings.visible) return;
  context.globalAlpha = settings.opacity;
  const runs = shownRuns(page, settings);
  const layout = layOut({ plane: page.plane, runs }, width, height, settings);
  for (const run of runs) drawBackground(painting, layout, run);
  for (const run of runs) drawText(painting, layout, run, page);
  context.globalAlpha = 1;
}

function cellBox({ scaleX, scaleY, left, top }: PlaneLayout, run: CaptionRun, index: number): RunCell {
  const x = run.x + index * run.w;
  return {
    left: Math.round(x * scaleX + left),
    top: Math.round(run.y * scaleY + top),
    right: Math.round((x + run.w) * scaleX + left),
    bottom: Math.round((run.y + run.h) * scaleY + top),
  };
}

/** Opacity of `#rrggbbaa`, 0 to 1. */
function alphaOf(colour: string): number {
  return Number.parseInt(colour.slice(7, 9), 16) / 255;
}

function drawBackground(painting: Painting, layout: PlaneLayout, run: CaptionRun): void {
  const own = alphaOf(run.bg);
  if (own === 0) return;
  const { context, settings } = painting;
  context.fillStyle = run.bg.slice(0, 7);
  const before = context.globalAlpha;
  context.globalAlpha = before * (settings.background ?? own);
  const first = cellBox(layout, run, 0);
  const last = cellBox(layout, run, Math.max(0, [...run.text].length - 1));
  context.fillRect(first.left, first.top, last.right - first.left, first.bottom - first.top);
  context.globalAlpha = before;
}

function drawText(painting: Painting, layout: PlaneLayout, run: CaptionRun, page: CaptionPage): void {
  if (run.flash === true && !painting.lit) return;
  for (const [index, character] of [...run.text].entries()) {
    const image = run.drcs === undefined ? undefined : page.drcs?.[run.drcs];
    if (image !== undefined) {
      const picture = painting.pictures.get(image, run.fg);
      if (picture !== null) drawPicture(painting, layout, run, index, picture);
    } else if (character.trim() !== '') drawGlyph(painting, layout, run, index, character);
    drawLines(painting, cellBox(layout, run, index), layout, run);
  }
}

/** Top left of a glyph's box in device pixels. */
function glyphOrigin(layout: PlaneLayout, run: CaptionRun, index: number): readonly [number, number] {
  return [
    (run.x + index * run.w + run.fx) * layout.scaleX + layout.left,
    (run.y + run.fy) * layout.scaleY + layout.top,
  ];
}

function drawPicture(
  { context }: Painting,
  layout: PlaneLayout,
  run: CaptionRun,
  index: number,
  picture: HTMLCanvasElement,
): void {
  const [x, y] = glyphOrigin(layout, run, index);
  const width = run.size * run.scaleX * layout.scaleX;
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, width, run.size * layout.scaleY);
}

function drawGlyph(
  { context, settings }: Painting,
  layout: PlaneLayout,
  run: CaptionRun,
  index: number,
  character: string,
): void {
  const [x, y] = glyphOrigin(layout, run, index);
  const em = run.size * layout.scaleY;
  // Planes whose dots are not square, and the sizes of the broadcast.
  const across = (run.scaleX * layout.scaleX) / layout.scaleY;
  // Half an em wide in the font: the run's scale takes that into account.
  const box = isHalfWidth(character.codePointAt(0) ?? 0) ? em / 2 : em;
  context.font = `${run.bold === true ? 'bold ' : ''}${em}px ${FAMILIES[settings.font]}`;
  // A font that stands in for a missing glyph has its own widths: the glyph stays in the middle of its box.
  const side = (box - context.measureText(character).width) / 2;
  context.setTransform(across, 0, run.italic === true ? SLANT : 0, 1, x, y + em * ASCENT);
  context.lineJoin = 'round';
  if (run.stroke !== undefined) {
    context.strokeStyle = run.stroke;
    context.lineWidth = 2 * STROKE * layout.scaleY;
    context.strokeText(character, side, 0);
  }
  context.fillStyle = run.fg;
  context.fillText(character, side, 0);
  if (run.bold === true) {
    context.strokeStyle = run.fg;
    context.lineWidth = BOLD * layout.scaleY;
    context.strokeText(character, side, 0);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
}

/** Underline and the edges of an enclosed cell, in the glyph's colour. */
function drawLines({ context }: Painting, box: RunCell, layout: PlaneLayout, run: CaptionRun): void {
  const edges = run.box ?? 0;
  if (edges === 0 && run.underline !== true) return;
  const thick = Math.max(1, Math.round(LINE * layout.scaleY));
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  context.fillStyle = run.fg;
  if (run.underline === true || (edges & EDGE.bottom) !== 0) {
    context.fillRect(box.left, box.bottom - thick, width, thick);
  }
  if ((edges & EDGE.top) !== 0) context.fillRect(box.left, box.top, width, thick);
  if ((edges & EDGE.left) !== 0) context.fillRect(box.left, box.top, thick, height);
  if ((edges & EDGE.right) !== 0) context.fillRect(box.right - thick, box.top, thick, height);
}
