/** Where notices of a page cover none of its controls, nor the row that has the focus. */

/** Up and down, px from the top of the window. */
interface Span {
  readonly top: number;
  readonly bottom: number;
}

const GAP_PX = 8;
/** They go no farther up than this part of the window. */
const MOST_PART = 0.45;
/** Rows and cards are controls, too: they have room beside their words, and no place would be left between them. */
const MOST_CONTROL_PX = 60;

/** How far up a box has to go until it covers none of these, px. */
export function liftOver(box: Span, obstacles: readonly Span[]): number {
  let lift = 0;
  for (const { top, bottom } of obstacles.toSorted((a, b) => b.bottom - a.bottom))
    if (bottom > box.top - lift && top < box.bottom - lift) lift = box.bottom - top + GAP_PX;
  return lift;
}

/** Moves the notices up from their usual place; where the page is full of controls they stay there. */
export function placeToasts(place: HTMLElement): void {
  place.style.marginBottom = '';
  const box = place.getBoundingClientRect();
  const most = innerHeight * MOST_PART;
  // Above a picture that fills the window its style sheet places them.
  if (box.height === 0 || box.bottom < most) return;
  const row = document.activeElement?.closest('main :is(li, article, .row)');
  const obstacles = [...document.querySelectorAll('main :is(a, button, input, select, summary)')]
    .map((control) => control.getBoundingClientRect())
    .filter(({ height }) => height <= MOST_CONTROL_PX)
    .concat(row?.getBoundingClientRect() ?? [])
    .filter(({ left, right, height }) => left < box.right && right > box.left && height > 0 && height < most);
  const lift = liftOver(box, obstacles);
  if (lift > 0 && lift < most) place.style.marginBottom = `${lift}px`;
}
