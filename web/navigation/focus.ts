/**
 * Spatial navigation: arrow keys move the focus, Back goes back; the whole UI works by a television's remote control or
 * a keyboard. A screen that handles a key itself calls `preventDefault` before the event reaches the document.
 */
import { back } from './back.ts';
import { type Bounds, beyond, type Direction, nearest } from './spatial.ts';

/** Tab also reaches elements marked `data-nav-skip`, the arrows skip them: a slider would trap them. */
const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex="0"]';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

const BACK_KEYS = new Set(['Escape', 'Backspace', 'GoBack', 'BrowserBack', 'XF86Back']);

export function directionOf(key: string): Direction | undefined {
  return ARROWS[key];
}

export function isBackKey(key: string): boolean {
  return BACK_KEYS.has(key);
}

export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return (
    target instanceof HTMLInputElement && !['range', 'checkbox', 'radio', 'button'].includes(target.type)
  );
}

/**
 * Sliders keep left and right; text fields too, until the caret is at that end of the text, where another press leads
 * on; up and down always move on. A key that is held down does not leave a field.
 */
function keepsArrow({ target, repeat }: KeyboardEvent, direction: Direction): boolean {
  if (direction === 'up' || direction === 'down') return target instanceof HTMLTextAreaElement;
  if (!isTextField(target)) return target instanceof HTMLInputElement && target.type === 'range';
  if (!(target instanceof HTMLInputElement)) return true;
  const { selectionStart: from, selectionEnd: to, value } = target;
  // A date has no caret.
  if (from === null) return repeat;
  return repeat || from !== to || from !== (direction === 'left' ? 0 : value.length);
}

/** The innermost open dialog holds the focus; without one the whole page is in play. */
function scope(): ParentNode {
  const dialogs = document.querySelectorAll('dialog[open]');
  return dialogs[dialogs.length - 1] ?? document;
}

/** Elements that the arrows can reach. */
export function reachable(): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (const element of scope().querySelectorAll<HTMLElement>(FOCUSABLE)) {
    if (element.tabIndex < 0 || element.closest('[inert], [data-nav-skip]') !== null) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 4 || box.height < 4) continue;
    if (getComputedStyle(element).visibility === 'hidden') continue;
    found.push(element);
  }
  return found;
}

export function groupOf(element: Element): Element | null {
  return element.closest('[data-nav-group]');
}

function wholeOf(element: HTMLElement, from: HTMLElement): Element | null {
  const whole = element.closest('[data-nav-whole]');
  return whole?.contains(from) === true ? null : whole;
}

function pick(
  from: HTMLElement,
  elements: readonly HTMLElement[],
  direction: Direction,
  inLine: boolean,
): HTMLElement | undefined {
  // A group with a single entry point is entered there, also when that is scrolled out of view.
  const boxes = elements.map((element) => (wholeOf(element, from) ?? element).getBoundingClientRect());
  return elements[nearest(from.getBoundingClientRect(), boxes, direction, inLine)];
}

/** A side bar is reached sideways only: no part of it is above or below anything else. */
function standsBeside(element: HTMLElement, box: Bounds): boolean {
  const side = element.closest('[data-nav-side]')?.getBoundingClientRect();
  return side !== undefined && (beyond(box, side, 'left') || beyond(box, side, 'right'));
}

/** Beside the box, or along a side of the page. */
function isInRow(element: HTMLElement, box: Bounds): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return (top < box.bottom && bottom > box.top) || element.closest('[data-nav-side]') !== null;
}

/** In the group first, where left and right keep to the row; then among what lies beyond the group. */
function target(from: HTMLElement, direction: Direction): HTMLElement | undefined {
  const all = reachable().filter((element) => element !== from);
  const box = from.getBoundingClientRect();
  const group = groupOf(from);
  const sideways = direction === 'left' || direction === 'right';
  if (group !== null) {
    const inside = pick(
      from,
      all.filter((element) => groupOf(element) === group),
      direction,
      sideways,
    );
    if (inside !== undefined) return inside;
  }
  const groupBox = group?.getBoundingClientRect();
  const outside = all.filter((element) => {
    if (!sideways && standsBeside(element, box)) return false;
    // Out of a field leads what stands in its row, and the screens at the side.
    if (sideways && isTextField(from) && !isInRow(element, box)) return false;
    if (group === null) return true;
    if (groupOf(element) === group) return false;
    // The page scrolls up and down under fixed bars, so only the sides of a group are a reliable border.
    return (
      !sideways || groupBox === undefined || beyond(groupBox, element.getBoundingClientRect(), direction)
    );
  });
  // Over a wide gap left and right stay in their row; the screens at the side are in everybody's.
  const within = outside.filter((element) => element.closest('[data-nav-side]') === null);
  const inRow = sideways ? pick(from, within, direction, true) : undefined;
  // Down a column of blocks, also where the next control is far: another column beside it is reached sideways.
  const column = sideways ? null : from.closest('[data-nav-column]');
  const inColumn = outside.filter((element) => column?.contains(element) === true);
  const found = inRow ?? pick(from, inColumn, direction, false) ?? pick(from, outside, direction, false);
  if (found === undefined) return undefined;
  // A group that marks its current item is entered there, and a row of a form at the value that it has.
  const chosen = wholeOf(found, from)?.querySelector<HTMLElement>('[aria-checked="true"]');
  const entered = groupOf(found);
  const current = entered?.querySelector<HTMLElement>('[aria-current="page"], [aria-selected="true"]');
  return chosen ?? current ?? found;
}

export function focusOn(element: HTMLElement, block: ScrollLogicalPosition = 'nearest'): void {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block, inline: 'nearest' });
}

/** Where the arrows begin when no element has the focus. */
function initialTarget(): HTMLElement | undefined {
  const all = reachable();
  return (
    all.find((element) => element.dataset.navInitial !== undefined) ??
    all.find((element) => element.closest('[data-nav-start]') !== null) ??
    all.find((element) => element.closest('main, dialog') !== null) ??
    all[0]
  );
}

/** Further off than this part of the view there is something to read in between. */
const READ_PART = 0.3;
const SCROLL_PART = 0.55;

/**
 * What lies between two controls, and after the last of a sheet, is to be read: before the focus leaves the view the
 * view moves on by a part. False when the next control is near enough, and at the end.
 */
function readOn(active: HTMLElement, next: HTMLElement | undefined, direction: Direction): boolean {
  if (direction !== 'up' && direction !== 'down') return false;
  const inner = active.closest('.sheet-content');
  const scroller = inner ?? document.documentElement;
  const height = inner?.clientHeight ?? innerHeight;
  if (next !== undefined && scroller.contains(next)) {
    const top = inner?.getBoundingClientRect().top ?? 0;
    const box = next.getBoundingClientRect();
    const off = direction === 'down' ? box.top - (top + height) : top - box.bottom;
    if (off < height * READ_PART) return false;
  }
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: (direction === 'down' ? 1 : -1) * height * SCROLL_PART, behavior: 'instant' });
  return scroller.scrollTop !== before;
}

/** Moves the focus; false when there is no candidate in that direction. */
function moveFocus(direction: Direction): boolean {
  const active = document.activeElement;
  const lost = !(active instanceof HTMLElement) || active === document.body || active.tabIndex < 0;
  const next = lost ? initialTarget() : target(active, direction);
  if (!lost && readOn(active, next, direction)) return true;
  if (next === undefined) return false;
  focusOn(next);
  return true;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const direction = directionOf(event.key);
  if (direction !== undefined) {
    if (event.shiftKey || keepsArrow(event, direction)) return;
    // Without a candidate the browser may still scroll the page. A list of choices must not change unless it is open.
    if (moveFocus(direction) || event.target instanceof HTMLSelectElement) event.preventDefault();
    return;
  }
  if (isBackKey(event.key)) {
    if (event.key === 'Backspace' && isTextField(event.target)) return;
    if (back()) event.preventDefault();
  }
}

export function startFocusKeys(): void {
  document.addEventListener('keydown', onKey);
}
