/**
 * The boxes of a document on its plane. Every box stands where `left` and `top` put it in its parent, with the size of
 * its style: only text flows, within its box. ARIB STD-B24 Vol. 2 Appendix 2, 5.2 and Annex A.
 */
import { type BmlDocument, BmlElement, BmlText } from '../document/document.ts';
import type { ComputedStyle } from '../style/cascade.ts';
import { type InlineElement, layOutText, type TextBlock, type TextRun } from './text-layout.ts';

// Rectangles of a plane, in its pixels.

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const EMPTY: Rect = { left: 0, top: 0, width: 0, height: 0 };

export function isEmptyRect({ width, height }: Rect): boolean {
  return width <= 0 || height <= 0;
}

export function intersection(one: Rect, other: Rect): Rect {
  const left = Math.max(one.left, other.left);
  const top = Math.max(one.top, other.top);
  const width = Math.min(one.left + one.width, other.left + other.width) - left;
  const height = Math.min(one.top + one.height, other.top + other.height) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : EMPTY;
}

/** The smallest rectangle around both; an empty one adds nothing. */
export function union(one: Rect, other: Rect): Rect {
  if (isEmptyRect(one)) return other;
  if (isEmptyRect(other)) return one;
  const left = Math.min(one.left, other.left);
  const top = Math.min(one.top, other.top);
  const width = Math.max(one.left + one.width, other.left + other.width) - left;
  const height = Math.max(one.top + one.height, other.top + other.height) - top;
  return { left, top, width, height };
}

export function contains(outer: Rect, inner: Rect): boolean {
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.left + inner.width <= outer.left + outer.width &&
    inner.top + inner.height <= outer.top + outer.height
  );
}

export function isSameRect(one: Rect, other: Rect): boolean {
  return (
    one.left === other.left &&
    one.top === other.top &&
    one.width === other.width &&
    one.height === other.height
  );
}

export interface DrawingPlane {
  readonly width: number;
  readonly height: number;
  /** Of the picture on the screen: width divided by height. */
  readonly aspectRatio: number;
}

export interface LayoutBox {
  readonly element: BmlElement;
  readonly style: ComputedStyle;
  /** With padding and border. */
  readonly border: Rect;
  /** Within the border: where its children stand and what is seen of them. */
  readonly padding: Rect;
  readonly content: Rect;
  readonly borderWidth: number;
  /** What is seen of it at most: the parts within the ancestors' boxes. */
  readonly clip: Rect;
  readonly text: TextBlock | undefined;
}

const BOXES = new Set(['div', 'p', 'input', 'object']);
/** A plane of 960x540 shows 2,300 of the smallest characters. */
const MAX_CHARACTERS = 65_536;
const PASSWORD = '＊';

const PLANES: readonly DrawingPlane[] = [
  { width: 960, height: 540, aspectRatio: 16 / 9 },
  { width: 720, height: 480, aspectRatio: 16 / 9 },
];

/** By the style of the body. ARIB TR-B14 Vol. 3: 960x540 16:9, 720x480 16:9 or 4:3. */
export function planeOf(document: BmlDocument): DrawingPlane {
  const style = document.shownStyle(document.body);
  const resolution = style.get('resolution').toLowerCase();
  const plane = PLANES.find(({ width, height }) => resolution === `${width}x${height}`) ?? PLANES[0];
  if (plane === undefined) throw new RangeError('no plane');
  const isNarrow = plane.width === 720 && style.get('display-aspect-ratio') === '4v3';
  return isNarrow ? { ...plane, aspectRatio: 4 / 3 } : plane;
}

/** Texts keep their lines from frame to frame, until their runs or their width change. */
interface KnownText {
  readonly runs: readonly TextRun[];
  readonly style: ComputedStyle;
  readonly width: number;
  readonly height: number;
  readonly text: TextBlock;
  /** Of characters. */
  readonly count: number;
}

export function isMarquee(style: ComputedStyle): boolean {
  return style.get('wap-marquee-style') !== 'none';
}

export class DocumentLayout {
  readonly #texts = new WeakMap<BmlElement, KnownText>();
  #charactersLeft = 0;

  /** @param ascent part of the em above the baseline */
  constructor(private readonly ascent: number) {}

  /** Boxes in the order in which they are drawn: that of the document. */
  boxes(document: BmlDocument, plane: DrawingPlane): LayoutBox[] {
    this.#charactersLeft = MAX_CHARACTERS;
    const { body } = document;
    const whole = { left: 0, top: 0, width: plane.width, height: plane.height };
    const boxes: LayoutBox[] = [];
    const style = document.shownStyle(body);
    const text = this.#text(document, body, style, whole);
    boxes.push({
      element: body,
      style,
      border: whole,
      padding: whole,
      content: whole,
      borderWidth: 0,
      clip: whole,
      text,
    });
    this.#children(document, body, whole, whole, boxes);
    return boxes;
  }

  #children(document: BmlDocument, parent: BmlElement, origin: Rect, clip: Rect, boxes: LayoutBox[]): void {
    for (const child of parent.children) {
      if (!(child instanceof BmlElement)) continue;
      if (BOXES.has(child.tagName)) this.#box(document, child, origin, clip, boxes);
      else if (isInline(child)) this.#children(document, child, origin, clip, boxes);
    }
  }

  #box(document: BmlDocument, element: BmlElement, origin: Rect, clip: Rect, boxes: LayoutBox[]): void {
    const style = document.shownStyle(element);
    const px = style.number.bind(style);
    const borderWidth = style.get('border-style') === 'none' ? 0 : px('border-width');
    const across = px('padding-left') + px('padding-right');
    const down = px('padding-top') + px('padding-bottom');
    const border = {
      left: origin.left + px('left'),
      top: origin.top + px('top'),
      width: px('width') + across + 2 * borderWidth,
      height: px('height') + down + 2 * borderWidth,
    };
    const padding = {
      left: border.left + borderWidth,
      top: border.top + borderWidth,
      width: px('width') + across,
      height: px('height') + down,
    };
    const content = {
      left: padding.left + px('padding-left'),
      top: padding.top + px('padding-top'),
      width: px('width'),
      height: px('height'),
    };
    const inner = intersection(clip, padding);
    const text = isEmptyRect(inner) ? undefined : this.#text(document, element, style, content);
    boxes.push({ element, style, border, padding, content, borderWidth, clip, text });
    if (!isEmptyRect(inner)) this.#children(document, element, padding, inner, boxes);
  }

  #text(
    document: BmlDocument,
    element: BmlElement,
    style: ComputedStyle,
    content: Rect,
  ): TextBlock | undefined {
    const runs: TextRun[] = [];
    if (element.tagName === 'input') {
      const isHidden = `${element.read('type')}`.toLowerCase() === 'password';
      const text = isHidden ? PASSWORD.repeat(element.value.length) : element.value;
      if (text !== '') runs.push({ text, style, inlines: [] });
    } else if (element.tagName !== 'object') collectRuns(document, element, style, [], runs);
    if (runs.length === 0) return undefined;
    const width = isMarquee(style) ? Number.POSITIVE_INFINITY : content.width;
    const height = content.height + style.number('padding-bottom');
    const known = this.#texts.get(element);
    if (
      known !== undefined &&
      known.style.look === style.look &&
      known.width === width &&
      known.height === height &&
      isSameText(known.runs, runs)
    ) {
      this.#charactersLeft -= known.count;
      return known.text;
    }
    const limit = this.#charactersLeft;
    const text = layOutText(runs, style, { width, height, ascent: this.ascent, limit });
    const count = text.lines
      .flatMap(({ pieces }) => pieces)
      .reduce((sum, { units }) => sum + units.length, 0);
    this.#charactersLeft -= count;
    this.#texts.set(element, { runs, style, width, height, text, count });
    return text;
  }
}

function isInline({ tagName }: BmlElement): boolean {
  return tagName === 'span' || tagName === 'a';
}

function collectRuns(
  document: BmlDocument,
  from: BmlElement,
  style: ComputedStyle,
  inlines: readonly InlineElement[],
  runs: TextRun[],
): void {
  for (const child of from.children) {
    if (child instanceof BmlText) {
      if (child.data !== '') runs.push({ text: child.data, style, inlines });
    } else if (child instanceof BmlElement) {
      if (child.tagName === 'br') runs.push({ text: '\n', style, inlines });
      else if (isInline(child)) {
        const own = document.shownStyle(child);
        collectRuns(document, child, own, [...inlines, { element: child, style: own }], runs);
      }
    }
  }
}

function isSameText(one: readonly TextRun[], other: readonly TextRun[]): boolean {
  return (
    one.length === other.length &&
    one.every((run, index) => {
      const same = other[index];
      return (
        run.text === same?.text &&
        run.style.look === same.style.look &&
        run.inlines.every(({ style }, depth) => style.look === same.inlines[depth]?.style.look)
      );
    })
  );
}
