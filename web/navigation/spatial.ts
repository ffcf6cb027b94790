/**
 * Chooses the box that an arrow key moves to. Pure geometry in CSS pixels; `focus.ts` finds the boxes and moves the
 * focus.
 */

export type Direction = 'up' | 'down' | 'left' | 'right';

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A box seen along the direction of travel: `near`/`far` grow that way, `low`/`high` lie across. */
interface Seen {
  readonly near: number;
  readonly far: number;
  readonly low: number;
  readonly high: number;
}

/** Boxes may overlap by this much (borders, enlarged focus) and still count as beside each other. */
const SLACK = 2;
/** A pixel beside the way costs as much as this many along it. */
const ACROSS_WEIGHT = 3;
/** Among boxes equally well reached the one whose middle is closest wins. */
const CENTRE_WEIGHT = 0.15;

function see(box: Bounds, direction: Direction): Seen {
  switch (direction) {
    case 'right':
      return { near: box.left, far: box.right, low: box.top, high: box.bottom };
    case 'left':
      return { near: -box.right, far: -box.left, low: box.top, high: box.bottom };
    case 'down':
      return { near: box.top, far: box.bottom, low: box.left, high: box.right };
    case 'up':
      return { near: -box.bottom, far: -box.top, low: box.left, high: box.right };
  }
}

function across(from: Seen, to: Seen): number {
  if (to.low > from.high) return to.low - from.high;
  if (to.high < from.low) return from.low - to.high;
  return 0;
}

function cost(from: Seen, to: Seen): number {
  const along = Math.max(0, to.near - from.far);
  const centre = Math.abs((to.low + to.high) / 2 - (from.low + from.high) / 2);
  return along + ACROSS_WEIGHT * across(from, to) + CENTRE_WEIGHT * centre;
}

/** True when `to` lies ahead of `from`: it begins behind the start and ends behind the end of `from`. */
function isAhead(from: Seen, to: Seen): boolean {
  return to.near >= from.near + SLACK && to.far > from.far + SLACK && to.near + to.far > from.near + from.far;
}

/**
 * Index of the best candidate, or -1 when there is none in that direction.
 *
 * @param inLine only candidates that share part of the row (for left and right inside a grid, so that the end of
 *   a short last row does not jump to the row above).
 */
export function nearest(
  from: Bounds,
  candidates: readonly Bounds[],
  direction: Direction,
  inLine: boolean = false,
): number {
  const origin = see(from, direction);
  let best = -1;
  let bestCost = Number.POSITIVE_INFINITY;
  candidates.forEach((candidate, index) => {
    const seen = see(candidate, direction);
    if (!isAhead(origin, seen)) return;
    if (inLine && across(origin, seen) > 0) return;
    const price = cost(origin, seen);
    if (price < bestCost) {
      best = index;
      bestCost = price;
    }
  });
  return best;
}

/** Candidates that lie wholly beyond the edge of `group` in that direction. */
export function beyond(group: Bounds, candidate: Bounds, direction: Direction): boolean {
  return see(candidate, direction).near >= see(group, direction).far - SLACK;
}
