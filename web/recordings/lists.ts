/**
 * Cache of the most recently shown lists with their loaded pages: Back restores each one with its scroll position
 * and focus.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { monotonicMs } from '../../lib/wire/times.ts';
import { monotonicNow } from '../device/clock.ts';
import { listenFor } from '../query/events.ts';
import { type AskPage, Pages } from '../query/pages.ts';
import { changed } from './actions.ts';

/** Some megabytes at most. */
const MOST_KEPT = 6;

interface Kept<T> {
  readonly pages: Pages<T>;
  /** Scroll position of the page, CSS pixels, and the key of the focused cell. */
  place: { readonly top: number; readonly focus: string | undefined } | undefined;
}

/** Lists of one kind, by their query. */
export class Lists<T> {
  readonly #kept = new Map<string, Kept<T>>();

  of(key: string, ask: AskPage<T>, isApart?: (row: T) => boolean): Kept<T> {
    const kept = this.#kept.get(key) ?? { pages: new Pages(ask, isApart), place: undefined };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return kept;
  }
}

/** When the viewer last went back or forward. */
let wentBackAt = monotonicMs(Number.NEGATIVE_INFINITY);
if (typeof addEventListener === 'function') {
  addEventListener('popstate', () => {
    wentBackAt = monotonicNow();
  });
}
/** A list opened this soon after a navigation was reached by Back. */
const BACK_MS = 1_500;
/** Maximum wait for the focused cell to be drawn again: five seconds, as a busy service answers late. */
const MOST_FRAMES = 300;

function focusedKey(): string | undefined {
  const cell = document.activeElement?.closest<HTMLElement>('.list-cell');
  return cell?.dataset.key;
}

/** Loads a list while it is shown, and restores its scroll position and focus after Back. */
function useShown<T>(kept: Kept<T>): void {
  const first = useRef(true);
  useEffect(() => {
    const { pages } = kept;
    if (pages.state.peek().total === undefined) pages.want(0, 1);
    else pages.renew();
    const renew = (): void => pages.renew();
    const stopListening = listenFor(['recordings'], renew);
    let known = changed.peek();
    const stopWatching = changed.subscribe((count) => {
      if (count !== known) renew();
      known = count;
    });
    return () => {
      stopListening();
      stopWatching();
      pages.rest();
    };
  }, [kept]);
  useEffect(() => {
    const { place } = kept;
    const returned = first.current || monotonicNow() - wentBackAt < BACK_MS;
    const opened = !first.current;
    first.current = false;
    let frame = 0;
    if (returned && place !== undefined) {
      let frames = 0;
      const giveFocus = (): void => {
        const active = document.activeElement;
        if (active !== null && active !== document.body && active.id !== 'main') return;
        const cell = document.querySelector(`.list-cell[data-key="${CSS.escape(place.focus ?? '')}"]`);
        frames += 1;
        if (cell !== null) cell.querySelector<HTMLElement>('.cell-main')?.focus({ preventScroll: true });
        else if (frames < MOST_FRAMES) frame = requestAnimationFrame(giveFocus);
      };
      // Once the list has its height; what lies there is drawn some frames later.
      frame = requestAnimationFrame(() => {
        scrollTo({ top: place.top, behavior: 'instant' });
        frame = requestAnimationFrame(giveFocus);
      });
    } else if (opened) scrollTo({ top: 0, behavior: 'instant' });
    return () => cancelAnimationFrame(frame);
  }, [kept]);
  useEffect(() => {
    let place = kept.place;
    const remember = (): void => {
      // The next screen may already be shown.
      if (document.querySelector('.cell-list') === null) return;
      place = { top: scrollY, focus: focusedKey() ?? place?.focus };
    };
    addEventListener('scroll', remember, { passive: true });
    document.addEventListener('focusin', remember);
    return () => {
      removeEventListener('scroll', remember);
      document.removeEventListener('focusin', remember);
      kept.place = place;
    };
  }, [kept]);
}

/** The requested list; the previous one until the first page has arrived. */
export function useList<T>(kept: Kept<T>): { pages: Pages<T>; busy: boolean } {
  useShown(kept);
  const [before, setBefore] = useState(kept.pages);
  const { total, failure } = kept.pages.state.value;
  const ready = total !== undefined || failure !== undefined;
  useEffect(() => {
    if (ready) setBefore(kept.pages);
  }, [kept, ready]);
  const shown = ready ? kept.pages : before;
  void shown.state.value;
  return { pages: shown, busy: !ready };
}
