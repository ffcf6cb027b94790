/**
 * Work that is no part of the answer to a key waits until the next picture is on the screen. A viewer who presses the
 * next key earlier, on a slow machine, means what the work makes: it is done before that key is looked at, and the key
 * goes to where the focus is then.
 */
import { options } from 'preact';

/** Frames do not come in a hidden page, and late where the machine is busy. */
const LATEST_MS = 100;
/** Work may render, what was rendered has effects, and these may render again. */
const ROUNDS = 3;

const pending = new Set<() => void>();

function schedule(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => {
    pending.delete(end);
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const end = (): void => {
    cancel();
    act();
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(end);
  });
  timer = setTimeout(end, LATEST_MS);
  pending.add(end);
  return cancel;
}

/** Runs `act` after the next picture, or before the next key. At once in a hidden page. @returns calls it off */
export function afterPaint(act: () => void): () => void {
  if (document.visibilityState !== 'hidden') return schedule(act);
  act();
  return () => {};
}

function runPending(): void {
  for (const end of [...pending]) end();
}

/** The same key once more, for the element that has the focus now; the browser's own action follows the focus itself. */
function handOn(event: KeyboardEvent, to: Element): void {
  event.stopImmediatePropagation();
  const { key, code, location, repeat, isComposing, ctrlKey, shiftKey, altKey, metaKey } = event;
  const copy = new KeyboardEvent('keydown', {
    ...{ key, code, location, repeat, isComposing, ctrlKey, shiftKey, altKey, metaKey },
    ...{ bubbles: true, cancelable: true, composed: true },
  });
  if (!to.dispatchEvent(copy)) event.preventDefault();
}

/** Must be called before anything else listens for keys, and before the first element is rendered. */
export function settleBeforeKeys(): void {
  // Effects wait likewise: one may open a dialog, or listen for keys.
  options.requestAnimationFrame = schedule;
  let before: Element | null = null;
  // What is rendered by a microtask is there in the next listener.
  for (let round = 0; round < ROUNDS; round += 1) {
    document.addEventListener(
      'keydown',
      (event) => {
        if (round === 0) before = document.activeElement;
        // Held down, it presses the same again.
        if (event.repeat) return;
        runPending();
        if (round < ROUNDS - 1) return;
        const active = document.activeElement;
        if (active !== null && active !== before) handOn(event, active);
      },
      { capture: true },
    );
  }
}
