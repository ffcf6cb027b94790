/**
 * Keeps a focus when the pressed control is removed: a filter chip, a notice. Users without a pointer then find the
 * focus on the nearest control, of the same group if possible.
 */
import { directionOf, groupOf, reachable } from './focus.ts';

interface Held {
  readonly element: Element;
  readonly group: Element | null;
  readonly x: number;
  readonly y: number;
  readonly screen: string;
}

/** An answer of the service may be what takes it away. */
const SOON_MS = 400;

let held: Held | undefined;

function isLost(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body;
}

function hold(): void {
  const element = document.activeElement;
  if (element === null || element === document.body) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  held = { element, group: groupOf(element), x, y, screen: location.pathname };
}

/** The control nearest to the removed one; undefined: none was removed, or the screen changed. */
function nearHeld(): HTMLElement | undefined {
  const left = held;
  if (left === undefined || left.element.isConnected || left.screen !== location.pathname) return undefined;
  const inView = reachable().filter((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  const mates = inView.filter((element) => left.group !== null && groupOf(element) === left.group);
  const far = (element: HTMLElement): number => {
    const box = element.getBoundingClientRect();
    return Math.hypot(box.left + box.width / 2 - left.x, box.top + box.height / 2 - left.y);
  };
  const among = mates.length > 0 ? mates : inView;
  return among.reduce<HTMLElement | undefined>(
    (best, element) => (best === undefined || far(element) < far(best) ? element : best),
    undefined,
  );
}

function find(): void {
  if (isLost()) nearHeld()?.focus({ preventScroll: true });
}

function onKeyDown(event: KeyboardEvent): void {
  if (!isLost()) hold();
  else if (directionOf(event.key) !== undefined) {
    const near = nearHeld();
    if (near === undefined) return;
    event.preventDefault();
    near.focus({ preventScroll: true });
    return;
  }
  if (event.key !== 'Enter' && event.key !== ' ') return;
  // After the current render, which may set a better focus.
  requestAnimationFrame(() => requestAnimationFrame(find));
  setTimeout(find, SOON_MS);
}

export function startKeepingFocus(): void {
  document.addEventListener('keydown', onKeyDown, { capture: true });
}
