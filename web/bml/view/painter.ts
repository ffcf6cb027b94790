/** Draws boxes on a plane: background, border, picture, text. Nothing outside of a box's clip is touched. */
import type { BmlElement } from '../document/document.ts';
import { codeOfCharacter, drawnText } from '../markup/characters.ts';
import type { DrcsGlyph } from '../picture/drcs.ts';
import type { Palette } from '../picture/palette.ts';
import type { ComputedStyle } from '../style/cascade.ts';
import { isBoldFont, isSquareFont } from '../style/properties.ts';
import { contains, intersection, isEmptyRect, type LayoutBox, type Rect } from './layout.ts';
import type { DrawingContext, Picture, TextFonts, ViewSources } from './sources.ts';
import type { TextLine, TextPiece } from './text-layout.ts';

export interface PlacedPicture {
  readonly picture: Picture;
  readonly width: number;
  readonly height: number;
}

/** All that the look of a box depends on. */
export interface PaintedBox {
  readonly box: LayoutBox;
  readonly isVisible: boolean;
  readonly palette: Palette;
  readonly background: PlacedPicture | undefined;
  readonly picture: PlacedPicture | undefined;
  /** Left edge of running text. */
  readonly shift: number;
  /** The television picture is seen through it. */
  readonly isVideo: boolean;
}

/** A background of small tiles is drawn once only. */
const MAX_TILES = 2048;
const BOLD = 600;

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function cssColour(palette: Palette, index: number): string {
  const value = palette[index] ?? 0;
  return `#${hex(value & 0xff)}${hex((value >> 8) & 0xff)}${hex((value >> 16) & 0xff)}${hex(value >>> 24)}`;
}

const alphaOf = (palette: Palette, index: number): number => (palette[index] ?? 0) >>> 24;

/** The address in `url(...)`. */
export function urlAddress(value: string): string {
  const address = /^url\(\s*(.*?)\s*\)$/is.exec(value)?.[1] ?? '';
  return address.replace(/^(["'])(.*)\1$/s, '$2');
}

export class Painter {
  #font = '';

  constructor(
    private readonly context: DrawingContext,
    private readonly sources: ViewSources,
    private readonly fonts: TextFonts,
  ) {}

  /** Draws again what the region shows. */
  paint(painted: readonly PaintedBox[], region: Rect): void {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(region.left, region.top, region.width, region.height);
    context.clip();
    this.#font = '';
    context.clearRect(region.left, region.top, region.width, region.height);
    try {
      for (const each of painted) this.#box(each, region);
    } finally {
      // A picture that was closed meanwhile cannot be drawn.
      context.restore();
    }
  }

  #box(painted: PaintedBox, region: Rect): void {
    const { box, palette } = painted;
    const seen = intersection(box.clip, region);
    if (!painted.isVisible || isEmptyRect(seen)) return;
    this.#fill(box.border, seen, palette, box.style.number('background-color-index'));
    if (painted.background !== undefined) this.#tiles(painted.background, box.padding, seen);
    this.#borders(box.style, box.border, box.borderWidth, seen, palette);
    const inner = intersection(seen, box.padding);
    if (painted.isVideo) {
      const hole = intersection(box.padding, seen);
      if (!isEmptyRect(hole)) this.context.clearRect(hole.left, hole.top, hole.width, hole.height);
    }
    const { picture } = painted;
    if (picture !== undefined) {
      const { left, top, width, height } = box.content;
      // An object without a size has that of its picture.
      const clip = width > 0 && height > 0 ? inner : seen;
      this.#picture(picture, left, top, clip);
    }
    if (box.text !== undefined) {
      const visible = intersection(inner, box.padding);
      if (!isEmptyRect(visible)) this.#text(painted, visible);
    }
  }

  #fill(rect: Rect, clip: Rect, palette: Palette, index: number): void {
    if (alphaOf(palette, index) === 0) return;
    const { left, top, width, height } = intersection(rect, clip);
    if (width === 0) return;
    this.context.fillStyle = cssColour(palette, index);
    this.context.fillRect(left, top, width, height);
  }

  #borders(style: ComputedStyle, rect: Rect, width: number, clip: Rect, palette: Palette): void {
    if (width === 0) return;
    const { left, top, width: across, height: down } = rect;
    const sides = [
      ['border-top-color-index', { left, top, width: across, height: width }],
      ['border-bottom-color-index', { left, top: top + down - width, width: across, height: width }],
      ['border-left-color-index', { left, top: top + width, width, height: down - 2 * width }],
      [
        'border-right-color-index',
        { left: left + across - width, top: top + width, width, height: down - 2 * width },
      ],
    ] as const;
    for (const [name, side] of sides) this.#fill(side, clip, palette, style.number(name));
  }

  #tiles(placed: PlacedPicture, area: Rect, clip: Rect): void {
    const { width, height } = placed;
    if (width < 1 || height < 1) return;
    const columns = Math.ceil(area.width / width);
    const rows = Math.ceil(area.height / height);
    const isRepeated = columns * rows <= MAX_TILES;
    const seen = intersection(area, clip);
    for (let row = 0; row < (isRepeated ? rows : 1); row++) {
      for (let column = 0; column < (isRepeated ? columns : 1); column++) {
        this.#picture(placed, area.left + column * width, area.top + row * height, seen);
      }
    }
  }

  /** Parts outside of the clip are cut off the source, so that the context needs no clip. */
  #picture({ picture, width, height }: PlacedPicture, left: number, top: number, clip: Rect): void {
    const seen = intersection({ left, top, width, height }, clip);
    if (isEmptyRect(seen)) return;
    const scaleX = picture.width / width;
    const scaleY = picture.height / height;
    this.context.drawImage(
      picture.image,
      (seen.left - left) * scaleX,
      (seen.top - top) * scaleY,
      seen.width * scaleX,
      seen.height * scaleY,
      seen.left,
      seen.top,
      seen.width,
      seen.height,
    );
  }

  #text({ box, palette, shift }: PaintedBox, clip: Rect): void {
    const { text, content } = box;
    if (text === undefined) return;
    const origin = { left: content.left + shift, top: content.top };
    const { overhang } = text;
    const extent = {
      left: origin.left,
      top: origin.top - overhang,
      width: Math.max(text.width, content.width),
      height: text.height + 2 * overhang,
    };
    const needsClip = !contains(clip, extent);
    const { context } = this;
    if (needsClip) {
      context.save();
      context.beginPath();
      context.rect(clip.left, clip.top, clip.width, clip.height);
      context.clip();
    }
    for (const line of text.lines) {
      if (origin.top + line.top - overhang >= clip.top + clip.height) break;
      if (origin.top + line.top + line.height + overhang <= clip.top) continue;
      this.#inlines(line, origin, clip, palette);
      // Letters are sharp on whole pixels only.
      const baseline = Math.round(origin.top + line.baseline);
      for (const piece of line.pieces) this.#piece(piece, origin.left, baseline, palette, clip);
    }
    if (needsClip) {
      context.restore();
      this.#font = '';
    }
  }

  /** Backgrounds and borders of the inline elements of a line, the outer ones first. */
  #inlines(
    { pieces, baseline }: TextLine,
    origin: { left: number; top: number },
    clip: Rect,
    palette: Palette,
  ): void {
    const extents = new Map<
      BmlElement,
      { left: number; right: number; size: number; style: ComputedStyle }
    >();
    for (const { run, left, right } of pieces) {
      const own = run.style.number('font-size');
      for (const { element, style } of run.inlines) {
        const known = extents.get(element);
        const size = Math.max(known?.size ?? 0, own);
        extents.set(element, { left: known?.left ?? left, right, size, style });
      }
    }
    for (const { left, right, size, style } of extents.values()) {
      const top = origin.top + baseline - size * this.fonts.ascent;
      const rect = { left: origin.left + left, top: Math.round(top), width: right - left, height: size };
      if (style.get('visibility') === 'hidden') continue;
      this.#fill(rect, clip, palette, style.number('background-color-index'));
      const borderWidth = style.get('border-style') === 'none' ? 0 : style.number('border-width');
      this.#borders(style, rect, borderWidth, clip, palette);
    }
  }

  #piece(
    { run, units, lefts }: TextPiece,
    left: number,
    baseline: number,
    palette: Palette,
    clip: Rect,
  ): void {
    const { style } = run;
    const index = style.number('color-index');
    const size = style.number('font-size');
    if (alphaOf(palette, index) === 0 || size === 0 || style.get('visibility') === 'hidden') return;
    const { context } = this;
    this.#setFont(style, size);
    context.fillStyle = cssColour(palette, index);
    for (const [at, unit] of units.entries()) {
      const x = left + (lefts[at] ?? 0);
      if (x >= clip.left + clip.width || x + size <= clip.left) continue;
      const glyph = unit < 0x80 ? null : this.#glyph(unit, size);
      if (glyph !== null) {
        this.#drcs(glyph, x, baseline - size * this.fonts.ascent, size, style, palette);
        context.fillStyle = cssColour(palette, index);
        continue;
      }
      const text = drawnText(unit);
      if (text.trim() === '') continue;
      // A symbol of several letters is one character wide.
      if (text.length > 1) context.fillText(text, x, baseline, size);
      else context.fillText(text, x, baseline);
    }
  }

  #glyph(unit: number, size: number): DrcsGlyph | null {
    const code = codeOfCharacter(unit);
    return code === undefined ? null : this.sources.glyph(code, size);
  }

  #setFont(style: ComputedStyle, size: number): void {
    const name = style.get('font-family');
    const weight = style.get('font-weight');
    const isBold = weight === 'bold' || Number(weight) >= BOLD || isBoldFont(name);
    const family = isSquareFont(name) ? this.fonts.square : this.fonts.round;
    const font = `${isBold ? 'bold ' : ''}${size}px ${family}`;
    if (font === this.#font) return;
    this.#font = font;
    this.context.font = font;
  }

  /** Levels between background and text have the two colours of `grayscale-color-index`, the first nearer to the text. */
  #drcs(
    glyph: DrcsGlyph,
    left: number,
    top: number,
    size: number,
    style: ComputedStyle,
    palette: Palette,
  ): void {
    const { context } = this;
    const [fore = 0, back = 0] = style.get('grayscale-color-index').split(' ').map(Number);
    const { width, height, maximum, pixels } = glyph;
    const levels = [-1, back, fore, style.number('color-index')];
    const x = Math.round(left + (size - width) / 2);
    const y = Math.round(top + (size - height) / 2);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; ) {
        const value = pixels[row * width + column] ?? 0;
        let end = column + 1;
        while (end < width && pixels[row * width + end] === value) end++;
        const index = levels[Math.round((value * 3) / maximum)] ?? -1;
        if (index >= 0 && alphaOf(palette, index) > 0) {
          context.fillStyle = cssColour(palette, index);
          context.fillRect(x + column, y + row, end - column, 1);
        }
        column = end;
      }
    }
  }
}
