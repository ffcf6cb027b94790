/** Maps the units of a caption page's plane to positions in a picture, according to the viewer's settings. */
import type { CaptionPage, CaptionRun } from '../../wire/caption.ts';
import type { CaptionSettings } from './caption-settings.ts';

/** x of the picture = x of the plane * scaleX + left, in device pixels. */
export interface PlaneLayout {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

/** Part of the plane's height that stays free at an edge to which the text is moved. */
const EDGE = 0.04;

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
  { plane, runs }: CaptionPage,
  width: number,
  height: number,
  settings: CaptionSettings,
): PlaneLayout {
  const [planeWidth, planeHeight] = plane;
  const plain = { scaleX: width / planeWidth, scaleY: height / planeHeight, left: 0, top: 0 };
  const block = blockOf(runs);
  if (block === undefined || (settings.size === 1 && settings.position === 'broadcast')) return plain;
  const { size, position } = settings;
  // The block grows from its middle across; down from the edge of the picture that it is nearer to.
  const wide = (block.right - block.left) * size;
  const high = (block.bottom - block.top) * size;
  const isLow = block.top + block.bottom > planeHeight;
  const free = planeHeight * EDGE;
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
