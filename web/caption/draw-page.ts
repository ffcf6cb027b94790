/**
 * Draws a caption page on a canvas. Backgrounds and lines end on whole device pixels, cell by cell, so that they join
 * without seams and stay sharp at any size; glyphs are outlines of the font and are sharp by themselves.
 */
import { isHalfWidth } from '../../arib/caption/width.ts';
import type { CaptionPage, CaptionRun } from '../../wire/caption.ts';
import { CAPTION_PAGE_VERSION } from '../../wire/caption-version.ts';
import type { CaptionSettings } from './caption-settings.ts';
import type { DrcsPictures } from './drcs-image.ts';
import { layOut, type PlaneLayout } from './page-layout.ts';

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
interface CellBox {
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
  const layout = layOut(page, width, height, settings);
  const runs = page.runs.filter(({ ruby }) => settings.ruby || ruby !== true);
  for (const run of runs) drawBackground(painting, layout, run);
  for (const run of runs) drawText(painting, layout, run, page);
  context.globalAlpha = 1;
}

function cellBox({ scaleX, scaleY, left, top }: PlaneLayout, run: CaptionRun, index: number): CellBox {
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
function drawLines({ context }: Painting, box: CellBox, layout: PlaneLayout, run: CaptionRun): void {
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
