/**
 * A panel over the page: from the side on wide screens, from below on phones. Built on `<dialog>`, so the browser
 * keeps the focus inside, closes it on Escape and puts it above a full-screen picture.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { onBack } from '../navigation/back.ts';
import { focusOn } from '../navigation/focus.ts';
import { Icon } from './icon.tsx';
import { TEXTS } from './texts.ts';
import { Toasts } from './toast.tsx';

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For much to read. */
  readonly wide?: boolean;
}

/** Not the close button, which Back is already, and no field, which would open the keyboard. */
const MAIN_ACTION = ':is(a, button)[data-nav-initial]';

/**
 * Focuses the most likely action of a sheet, also when its content arrives later, unless the user has pressed something
 * meanwhile.
 * @returns stops waiting for the content
 */
function focusMainAction(dialog: HTMLDialogElement): () => void {
  const focus = (): boolean => {
    const action = dialog.querySelector<HTMLElement>(MAIN_ACTION);
    action?.focus({ preventScroll: true });
    return action !== null;
  };
  const presses = ['keydown', 'pointerdown'] as const;
  const observer = new MutationObserver(() => {
    if (focus()) stop();
  });
  const stop = (): void => {
    observer.disconnect();
    for (const press of presses) dialog.removeEventListener(press, stop);
  };
  if (focus()) return stop;
  observer.observe(dialog, { childList: true, subtree: true });
  for (const press of presses) dialog.addEventListener(press, stop);
  return stop;
}

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
function usePullDown(body: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    let from: { readonly x: number; readonly y: number } | undefined;
    let pulled = 0;
    const rest = (): void => {
      from = undefined;
      pulled = 0;
      element.style.cssText = '';
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
      // Without the transition that takes it back.
      element.style.cssText = `translate: 0 ${pulled}px; transition: none`;
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

export function Sheet({ title, onClose, children, wide = false }: SheetProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const leaving = useRef(false);
  const opener = useRef<Element | null>(null);
  usePullDown(body, onClose);

  // While the dialog is still in the page: in the next frame a lost focus is put on another control.
  useLayoutEffect(() => {
    const dialog = ref.current;
    return () => {
      leaving.current = true;
      dialog?.close();
      const { current } = opener;
      if (current instanceof HTMLElement && current.isConnected) current.focus({ preventScroll: true });
    };
  }, []);

  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    opener.current = document.activeElement;
    dialog.showModal();
    const first = dialog.querySelector<HTMLElement>('[data-nav-first]');
    const chosen = dialog.querySelector<HTMLElement>('[aria-checked="true"], [aria-current="page"]');
    if (first !== null) first.focus({ preventScroll: true });
    else if (chosen !== null) focusOn(chosen, 'center');
    const stopWaiting = first === null && chosen === null ? focusMainAction(dialog) : () => {};
    const forget = onBack(() => {
      onClose();
      return true;
    });
    return () => {
      stopWaiting();
      forget();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click on the scrim has the close button and Escape beside it
    <dialog
      ref={ref}
      class={
        wide
          ? 'sheet sheet-wide full-width full-height no-margin no-padding ink borderless'
          : 'sheet full-width full-height no-margin no-padding ink borderless'
      }
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser that is asked again closes it without asking: it must not stay open here, unseen.
      onClose={() => {
        if (!leaving.current) onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div ref={body} class="sheet-body vstack absolute surface shadow-2">
        <header class="sheet-head hstack justify-between gap-100">
          <h2 class="text-xl" id={titleId}>
            {title}
          </h2>
          <button type="button" class="round" aria-label={TEXTS.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="sheet-content grow scroll-y">{children}</div>
      </div>
      <Toasts />
    </dialog>
  );
}

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly note?: string | undefined;
  readonly disabled?: boolean;
}

interface ChoicesProps<T> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** One of several, as large rows for fingers and remote controls. */
export function Choices<T extends string>({ label, choices, chosen, onChoose }: ChoicesProps<T>) {
  return (
    <div class="choices stack gap-50" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
        <button
          key={choice.value}
          type="button"
          role="radio"
          class="choice hstack justify-between gap-100 bold text-left round-m bordered"
          aria-checked={choice.value === chosen}
          disabled={choice.disabled === true}
          onClick={() => onChoose(choice.value)}
        >
          <span class="stack">
            {choice.label}
            {choice.note === undefined ? null : <small>{choice.note}</small>}
          </span>
          <Icon name="check" class="choice-sign invisible text-accent" />
        </button>
      ))}
    </div>
  );
}
