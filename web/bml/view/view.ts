/**
 * A document on a canvas: lays it out and draws what changed since the last frame. The television picture is not drawn:
 * it is seen through a hole, whose place is reported.
 */
import type { BmlDocument } from '../document/document.ts';
import type { ComputedStyle } from '../style/cascade.ts';
import {
  DocumentLayout,
  type DrawingPlane,
  EMPTY,
  intersection,
  isEmptyRect,
  isMarquee,
  isSameRect,
  type LayoutBox,
  planeOf,
  type Rect,
  union,
} from './layout.ts';
import { type PaintedBox, Painter, type PlacedPicture, urlAddress } from './painter.ts';
import type { DrawingContext, Picture, TextFonts, ViewSources } from './sources.ts';

// Where running text stands. ARIB STD-B24 Vol. 2, extended property `-wap-marquee-*` (WAP CSS).

/** Pixels a second. */
const SPEEDS: Readonly<Record<string, number>> = { slow: 60, normal: 120, fast: 240 };

interface MarqueePosition {
  /** Left edge of the text from that of its box. */
  readonly left: number;
  readonly isMoving: boolean;
}

/** @param box,text widths @param elapsed ms since the document was shown */
function marqueePosition(style: ComputedStyle, box: number, text: number, elapsed: number): MarqueePosition {
  const loop = style.get('wap-marquee-loop');
  const loops = loop === 'infinite' ? Number.POSITIVE_INFINITY : style.number('wap-marquee-loop');
  const kind = style.get('wap-marquee-style');
  // From the right edge until it has left, or has reached the left edge; or to and fro within the box.
  const distance = kind === 'scroll' ? box + text : kind === 'slide' ? box : Math.abs(box - text);
  const moved = ((SPEEDS[style.get('wap-marquee-speed')] ?? 0) * elapsed) / 1000;
  if (distance === 0 || moved >= distance * loops) return { left: 0, isMoving: false };
  const pass = Math.floor(moved / distance);
  const within = moved - pass * distance;
  if (kind !== 'alternate') return { left: Math.floor(box - within), isMoving: true };
  const fromLowest = pass % 2 === 0 ? distance - within : within;
  return { left: Math.floor(Math.min(0, box - text) + fromLowest), isMoving: true };
}

// The size in which a picture is shown: no box stretches it. A still picture has two pixels for each one of the
// 960x540 plane, except one that fills it. ARIB STD-B24 Vol. 2 Appendix 2, table 5-3; TR-B14 Vol. 3.

interface Size {
  readonly width: number;
  readonly height: number;
}

const FULL: Size = { width: 960, height: 540 };
const isFullSize = ({ width, height }: Size): boolean => width === FULL.width && height === FULL.height;

/** @param box of the object; undefined for a background, which is not measured by its box */
export function shownSize(picture: Picture, plane: DrawingPlane, box: Size | undefined): Size {
  const { width, height } = picture;
  if (!picture.isStill) return { width, height };
  if (!isFullSize(plane)) return { width: width > 1 ? width - (width % 2) : width, height };
  if (isFullSize(picture) && (box === undefined || isFullSize(box))) return FULL;
  return { width: Math.floor(width / 2), height: Math.floor(height / 2) };
}

interface Frame {
  readonly plane: DrawingPlane;
  /** Where the television picture is, scaled to this rectangle of the plane; undefined: it is not shown. */
  readonly video: Rect | undefined;
  /** What was drawn again; empty if nothing changed. */
  readonly drawn: Rect;
  /** Something moves by itself: another frame is due. */
  readonly isAnimated: boolean;
}

const VIDEO = /^video\//i;
const PICTURE = /^image\//i;

export class DocumentView {
  readonly #layout: DocumentLayout;
  readonly #painter: Painter;
  #shown: readonly PaintedBox[] = [];
  #isDrawn = false;
  #startedAt: number | undefined;

  /** @param context of a canvas of the size of `plane`, which the view alone draws on */
  constructor(
    private readonly document: BmlDocument,
    context: DrawingContext,
    private readonly sources: ViewSources,
    fonts: TextFonts,
  ) {
    this.#layout = new DocumentLayout(fonts.ascent);
    this.#painter = new Painter(context, sources, fonts);
  }

  get plane(): DrawingPlane {
    return planeOf(this.document);
  }

  /** The next frame draws all: characters of a DRCS file have changed, or the canvas was used for something else. */
  invalidate(): void {
    this.#isDrawn = false;
  }

  /** Draws the document as it is now. @param now ms; running text moves with it */
  frame(now: number): Frame {
    this.#startedAt ??= now;
    const { plane } = this;
    const whole = { left: 0, top: 0, width: plane.width, height: plane.height };
    const { isInvisible } = this.document;
    let isAnimated = false;
    const boxes = isInvisible ? [] : this.#layout.boxes(this.document, plane);
    const videoBox = boxes.findLast((box) => isVideo(box) && isShown(box) && !isEmptyRect(box.padding));
    const painted = boxes.map((box): PaintedBox => {
      const { style } = box;
      const clut = urlAddress(style.get('clut'));
      let shift = 0;
      if (box.text !== undefined && isMarquee(style)) {
        const elapsed = now - (this.#startedAt ?? now);
        const position = marqueePosition(style, box.content.width, box.text.width, elapsed);
        shift = position.left;
        isAnimated ||= position.isMoving;
      }
      return {
        box,
        isVisible: isShown(box),
        palette: this.sources.palette(clut),
        background: this.#background(box, clut, plane),
        picture: this.#picture(box, clut, plane),
        shift,
        isVideo: box === videoBox,
      };
    });
    const drawn = this.#isDrawn ? intersection(whole, damage(this.#shown, painted)) : whole;
    if (!isEmptyRect(drawn)) this.#painter.paint(painted, drawn);
    this.#shown = painted;
    this.#isDrawn = true;
    return { plane, video: isInvisible ? whole : videoBox?.padding, drawn, isAnimated };
  }

  #background(box: LayoutBox, clut: string, plane: DrawingPlane): PlacedPicture | undefined {
    const address = urlAddress(box.style.get('background-image'));
    if (address === '') return undefined;
    const picture = this.sources.picture({ element: box.element, address, clut, isBackground: true });
    return picture === null ? undefined : { picture, ...shownSize(picture, plane, undefined) };
  }

  #picture(box: LayoutBox, clut: string, plane: DrawingPlane): PlacedPicture | undefined {
    const { element } = box;
    const address = element.tagName === 'object' ? `${element.read('data')}` : '';
    if (address === '' || !PICTURE.test(element.attribute('type'))) return undefined;
    const picture = this.sources.picture({ element, address, clut, isBackground: false });
    return picture === null ? undefined : { picture, ...shownSize(picture, plane, box.content) };
  }
}

function isVideo({ element }: LayoutBox): boolean {
  return element.tagName === 'object' && VIDEO.test(element.attribute('type'));
}

function isShown({ style }: LayoutBox): boolean {
  return style.get('visibility') === 'visible';
}

/** What a box covers at most. */
function extentOf({ box, picture }: PaintedBox): Rect {
  if (picture === undefined) return intersection(box.border, box.clip);
  const { left, top } = box.content;
  const { width, height } = picture;
  return intersection(union(box.border, { left, top, width, height }), box.clip);
}

/** The region that two frames show differently. Boxes keep their order, except when their ancestors are cut off. */
function damage(before: readonly PaintedBox[], after: readonly PaintedBox[]): Rect {
  let region = EMPTY;
  const add = (painted: PaintedBox | undefined): void => {
    if (painted?.isVisible === true) region = union(region, extentOf(painted));
  };
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [one, other] = [before[index], after[index]];
    if (one !== undefined && other !== undefined && isSameLook(one, other)) continue;
    add(one);
    add(other);
  }
  return region;
}

function isSameLook(one: PaintedBox, other: PaintedBox): boolean {
  const isSamePicture = (before?: PlacedPicture, after?: PlacedPicture): boolean =>
    before?.picture === after?.picture && before?.width === after?.width && before?.height === after?.height;
  return (
    one.box.element === other.box.element &&
    one.box.style.look === other.box.style.look &&
    one.box.text === other.box.text &&
    isSameRect(one.box.border, other.box.border) &&
    isSameRect(one.box.clip, other.box.clip) &&
    one.palette === other.palette &&
    one.shift === other.shift &&
    one.isVideo === other.isVideo &&
    isSamePicture(one.picture, other.picture) &&
    isSamePicture(one.background, other.background)
  );
}
