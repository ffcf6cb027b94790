/**
 * What a press on a cell means: a click opens or selects, a click on the mark selects, Shift selects a range, a
 * long touch selects. A press with Ctrl is left to the browser, which opens the link elsewhere.
 */
import { useRef } from 'preact/hooks';

interface Presses {
  readonly choosing: () => boolean;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (index: number) => void;
  readonly onStretch: (index: number) => void;
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

export function usePresses({ choosing, onOpen, onToggle, onStretch }: Presses) {
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
      else if (event.shiftKey) onStretch(cell.index);
      else if (cell.check || choosing()) onToggle(cell.index);
      else onOpen(cell.index);
    },
  };
}
