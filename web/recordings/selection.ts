/** The recordings selected for an action on several at once. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';

export class Selection {
  /** In selection mode a press on a recording selects it instead of opening it. */
  readonly #choosing = signal(false);
  readonly #items = signal<ReadonlyMap<RecordingId, Recording>>(new Map());
  /** Where a range selected with Shift begins. */
  #anchor = 0;

  get choosing(): ReadonlySignal<boolean> {
    return this.#choosing;
  }

  get items(): ReadonlySignal<ReadonlyMap<RecordingId, Recording>> {
    return this.#items;
  }

  begin(): void {
    this.#choosing.value = true;
  }

  clear(): void {
    this.#choosing.value = false;
    this.#items.value = new Map();
  }

  toggle(recording: Recording, index: number): void {
    const next = new Map(this.#items.peek());
    if (!next.delete(recording.id)) next.set(recording.id, recording);
    this.#anchor = index;
    this.#choosing.value = true;
    this.#items.value = next;
  }

  /** Selects the range from the last selected item to `index`, both included. */
  extendTo(index: number): readonly [first: number, last: number] {
    return this.#anchor <= index ? [this.#anchor, index] : [index, this.#anchor];
  }

  /** Sets the start of a Shift range while nothing is selected. */
  anchorAt(index: number): void {
    if (this.#items.peek().size === 0) this.#anchor = index;
  }

  add(recordings: readonly Recording[]): void {
    const next = new Map(this.#items.peek());
    for (const recording of recordings) next.set(recording.id, recording);
    this.#choosing.value = true;
    this.#items.value = next;
  }

  /** Replaces the selected recordings by their latest answers. */
  renew(find: (id: RecordingId) => Recording | undefined): void {
    const held = this.#items.peek();
    if (held.size === 0) return;
    this.#items.value = new Map([...held].map(([id, recording]) => [id, find(id) ?? recording]));
  }
}

interface Presses {
  readonly choosing: () => boolean;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (index: number) => void;
  readonly onExtend: (index: number) => void;
}

const LONG_MS = 450;
/** Movement tolerated in a long touch, CSS pixels. */
const SLACK = 10;

/** Nested links and buttons handle their own presses. */
function isLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.rec-play') !== null;
}

function cellOf(target: EventTarget | null): { index: number; check: boolean } | undefined {
  const element = target instanceof Element ? target : null;
  const cell = element?.closest<HTMLElement>('.list-cell');
  const index = Number(cell?.dataset.index ?? Number.NaN);
  if (!Number.isSafeInteger(index)) return undefined;
  return { index, check: element?.closest('.rec-check') != null };
}

/**
 * What a press on a cell means: a click opens or selects, a click on the mark selects, Shift selects a range, a
 * long touch selects. A press with Ctrl is left to the browser, which opens the link elsewhere.
 */
export function usePresses({ choosing, onOpen, onToggle, onExtend }: Presses) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const spent = useRef(false);
  const cancel = (): void => clearTimeout(timer.current);
  return {
    onPointerDown: (event: PointerEvent): void => {
      cancel();
      spent.current = false;
      const cell = cellOf(event.target);
      if (event.pointerType !== 'touch' || cell === undefined) return;
      from.current = { x: event.clientX, y: event.clientY };
      timer.current = setTimeout(() => {
        spent.current = true;
        onToggle(cell.index);
        navigator.vibrate?.(12);
      }, LONG_MS);
    },
    onPointerMove: (event: PointerEvent): void => {
      const { x, y } = from.current;
      if (Math.hypot(event.clientX - x, event.clientY - y) > SLACK) cancel();
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    onContextMenu: (event: MouseEvent): void => {
      // The browser opens the link's context menu at the same moment.
      const touched = event instanceof PointerEvent && event.pointerType === 'touch';
      if ((touched || spent.current) && cellOf(event.target) !== undefined) event.preventDefault();
    },
    onClick: (event: MouseEvent): void => {
      const cell = cellOf(event.target);
      if (isLink(event.target) && !spent.current) return;
      if (cell === undefined || event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (spent.current) spent.current = false;
      else if (event.shiftKey) onExtend(cell.index);
      else if (cell.check || choosing()) onToggle(cell.index);
      else onOpen(cell.index);
    },
  };
}
