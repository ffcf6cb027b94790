/** Zooming the guide by two fingers, by the wheel with Ctrl (which is also a touchpad's pinch), and by + and -. */
import { isTextField } from '../navigation/focus.ts';
import { ZOOM } from './geometry.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Zoomable {
  readonly zoom: number;
  setZoom(zoom: number, at?: Point): void;
}

/** Wheel distance that doubles the zoom. */
const WHEEL_DOUBLE_PX = 260;

function spread(touches: TouchList): number {
  const [a, b] = [touches[0], touches[1]];
  return a === undefined || b === undefined ? 0 : Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

/** @param onZoom after each change. Listens until the returned function is called. */
export function listenToZoom(scroller: HTMLElement, grid: Zoomable, onZoom: () => void): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const within = (x: number, y: number): Point => {
    const box = scroller.getBoundingClientRect();
    return { x: x - box.left, y: y - box.top };
  };
  let pending: { zoom: number; at: Point | undefined } | undefined;
  const apply = (zoom: number, at?: Point): void => {
    // Touch events are more frequent than frames.
    if (pending === undefined) {
      requestAnimationFrame(() => {
        const next = pending;
        pending = undefined;
        if (next === undefined || signal.aborted) return;
        grid.setZoom(next.zoom, next.at);
        onZoom();
      });
    }
    pending = { zoom, at };
  };

  scroller.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const base = pending?.zoom ?? grid.zoom;
      apply(base * 2 ** (-event.deltaY / WHEEL_DOUBLE_PX), within(event.clientX, event.clientY));
    },
    { passive: false, signal },
  );

  let pinch: { readonly spread: number; readonly zoom: number } | undefined;
  const begin = (event: TouchEvent): void => {
    pinch = event.touches.length === 2 ? { spread: spread(event.touches), zoom: grid.zoom } : undefined;
  };
  for (const name of ['touchstart', 'touchend', 'touchcancel'] as const) {
    scroller.addEventListener(name, begin, { passive: true, signal });
  }
  scroller.addEventListener(
    'touchmove',
    (event) => {
      const [a, b] = [event.touches[0], event.touches[1]];
      if (pinch === undefined || pinch.spread === 0 || a === undefined || b === undefined) return;
      if (event.cancelable) event.preventDefault();
      const middle = within((a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
      apply((pinch.zoom * spread(event.touches)) / pinch.spread, middle);
    },
    { passive: false, signal },
  );

  document.addEventListener(
    'keydown',
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
      const by = event.key === '+' || event.key === ';' ? ZOOM.step : event.key === '-' ? 1 / ZOOM.step : 0;
      if (by === 0) return;
      event.preventDefault();
      apply((pending?.zoom ?? grid.zoom) * by);
    },
    { signal },
  );
  return () => abort.abort();
}
