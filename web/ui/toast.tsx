/**
 * Toasts: short notices that disappear after a while, some with an undo action. At most three at a time: a fourth
 * replaces the oldest. One under the pointer or with the focus stays.
 */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTextField } from '../navigation/focus.ts';
import { placeToasts } from './toast-place.ts';

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
  /** The action was done by keys or remote control, and its control is gone: the undo button gets the focus. */
  readonly focus?: boolean;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
  readonly about: string | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
/** Time to read it, to think better of it and to get there by remote control. */
const SHOWN_WITH_ACTION_MS = 10_000;
const MOST = 3;
let nextId = 1;
/** Those that had their chance of the focus: one that moves to another place does not take it again. */
const focused = new Set<number>();

/**
 * Notices carry no final 。: it is taken from what the service or a longer text ends with.
 *
 * @param about subject of the notice: replaces earlier notices about the same, with their undo actions
 */
export function showToast(sentence: string, action?: ToastAction, about?: string): void {
  const text = sentence.replace(/。$/u, '');
  if (action === undefined && about === undefined && toasts.value.some((toast) => toast.text === text))
    return;
  const others = toasts.value.filter((toast) => about === undefined || toast.about !== about);
  toasts.value = [...others, { id: nextId++, text, action, about }].slice(-MOST);
}

function dismiss(id: number): void {
  focused.delete(id);
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

function take({ id, action }: Toast): void {
  dismiss(id);
  action?.run();
}

function ToastLine({ toast }: { toast: Toast }) {
  const line = useRef<HTMLDivElement>(null);
  const { action, id, text } = toast;
  useEffect(() => {
    if (action?.focus === true && !focused.has(id))
      line.current?.querySelector('button')?.focus({ preventScroll: true });
    focused.add(id);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          const used =
            line.current?.matches(':hover') === true || line.current?.matches(':focus-within') === true;
          if (used) wait();
          else dismiss(id);
        },
        action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS,
      );
    };
    wait();
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div
      ref={line}
      class={
        action === undefined
          ? 'toast text-s semibold text-white shadow-2'
          : 'toast toast-with-action hstack gap-75 text-s semibold text-white shadow-2'
      }
    >
      {text}
      {action === undefined ? null : (
        <button type="button" class="toast-action rigid bold pill glass" onClick={() => take(toast)}>
          {action.label}
        </button>
      )}
    </div>
  );
}

/** Ctrl+Z undoes the last action, as usual. */
function useUndoKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      const last = toasts.value.findLast((toast) => toast.action !== undefined);
      if (last === undefined || event.defaultPrevented || isTextField(event.target)) return;
      event.preventDefault();
      take(last);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/**
 * Container of the notices. While a sheet is open, elements outside it are inert, so the innermost one contains them.
 */
const places = signal<readonly symbol[]>([]);

/** @param under of the page itself: a sheet that its address opens is there before it */
export function Toasts({ under = false }: { under?: boolean }) {
  useUndoKey();
  const [own] = useState(() => Symbol('place of notices'));
  useEffect(() => {
    places.value = under ? [own, ...places.value] : [...places.value, own];
    return () => {
      places.value = places.value.filter((place) => place !== own);
    };
  }, []);
  const shown = places.value.at(-1) === own;
  const place = useRef<HTMLDivElement>(null);
  // Players and sheets have places of their own for them.
  useLayoutEffect(() => {
    if (under && place.current !== null) placeToasts(place.current);
  }, [shown, toasts.value]);
  return (
    <div ref={place} class="toasts stack items-middle gap-50 at-middle no-pointer" role="status">
      {shown ? toasts.value.map((toast) => <ToastLine key={toast.id} toast={toast} />) : null}
    </div>
  );
}
