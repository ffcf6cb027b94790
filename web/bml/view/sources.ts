/** What the view draws on and with: given by the engine. */
import type { BmlElement } from '../document/document.ts';
import type { DrcsGlyph } from '../picture/drcs.ts';
import type { Palette } from '../picture/palette.ts';

/** The part of a 2D context that the view uses; an `OffscreenCanvasRenderingContext2D` in a worker. */
export type DrawingContext = Pick<
  OffscreenCanvasRenderingContext2D,
  | 'fillStyle'
  | 'font'
  | 'save'
  | 'restore'
  | 'beginPath'
  | 'rect'
  | 'clip'
  | 'clearRect'
  | 'fillRect'
  | 'fillText'
  | 'drawImage'
>;

/** A decoded picture. The same object as long as it looks the same. */
export interface Picture {
  readonly image: ImageBitmap | OffscreenCanvas;
  readonly width: number;
  readonly height: number;
  /** JPEG: of the still picture plane, which has twice the resolution of the 960x540 plane. */
  readonly isStill: boolean;
}

export interface PictureUse {
  readonly element: BmlElement;
  /** As in the document: the `data` of an object, or the address in `background-image`. */
  readonly address: string;
  /** Address of the colour table for its indices; empty for the default one. */
  readonly clut: string;
  readonly isBackground: boolean;
}

export interface ViewSources {
  /** Asked with every layout, so that it can start to load. Null: not there (yet), damaged, or hidden now. */
  picture(use: PictureUse): Picture | null;
  /** @param clut as in the document; empty for the default colours. The same object until the table changes. */
  palette(clut: string): Palette;
  /** A character of a loaded DRCS file; the same object until another one is loaded. */
  glyph(code: number, size: number): DrcsGlyph | null;
}

export interface TextFonts {
  /** Font families as in CSS, for round (丸ゴシック) and square (角ゴシック) letters. */
  readonly round: string;
  readonly square: string;
  /** Part of the em above the baseline. */
  readonly ascent: number;
}
