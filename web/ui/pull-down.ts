/** Swipe-to-dismiss for a bottom sheet: it follows the finger, and closes when pulled down far enough. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** As in styles/sheet.css: below this width sheets are bottom sheets. */
const FROM_BELOW = '(max-width: 44.9375em) and (orientation: portrait)';
/** Less is a press that trembles, px. */
const BEGIN_PX = 8;
/** Let go beyond this part of its height, it closes. */
const CLOSE_PART = 0.25;
const CLOSE_MOST_PX = 160;

/** A scrolled element under the finger scrolls up first. */
function isScrolled(target: EventTarget | null, body: HTMLElement): boolean {
  for (
    let element = target as Element | null;
    element !== null && element !== body;
    element = element.parentElement
  )
    if (element.scrollTop > 0) return true;
  return false;
}

/** @param body what moves. @param onClose pulled far enough */
export function usePullDown(body: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    let from: { readonly x: number; readonly y: number } | undefined;
    let pulled = 0;
    const rest = (): void => {
      from = undefined;
      pulled = 0;
      element.style.transform = '';
    };
    const onStart = (event: TouchEvent): void => {
      const [touch, ...others] = event.touches;
      rest();
      if (touch === undefined || others.length > 0 || !matchMedia(FROM_BELOW).matches) return;
      const isField = event.target instanceof Element && event.target.closest('input, textarea') !== null;
      if (isField || isScrolled(event.target, element)) return;
      from = { x: touch.clientX, y: touch.clientY };
    };
    const onMove = (event: TouchEvent): void => {
      const [touch] = event.touches;
      if (from === undefined || touch === undefined) return;
      const [across, down] = [Math.abs(touch.clientX - from.x), touch.clientY - from.y];
      if (pulled === 0 && (down < BEGIN_PX || down < across)) {
        // Upwards or aside it is somebody else's.
        if (down < 0 || across > BEGIN_PX) from = undefined;
        return;
      }
      pulled = Math.max(1, down);
      element.style.transform = `translateY(${pulled}px)`;
      if (event.cancelable) event.preventDefault();
    };
    const onEnd = (): void => {
      const isFar = pulled > Math.min(CLOSE_MOST_PX, element.clientHeight * CLOSE_PART);
      rest();
      if (isFar) onClose();
    };
    element.addEventListener('touchstart', onStart, { passive: true });
    element.addEventListener('touchmove', onMove, { passive: false });
    element.addEventListener('touchend', onEnd);
    element.addEventListener('touchcancel', rest);
    return () => {
      element.removeEventListener('touchstart', onStart);
      element.removeEventListener('touchmove', onMove);
      element.removeEventListener('touchend', onEnd);
      element.removeEventListener('touchcancel', rest);
    };
  }, []);
}
