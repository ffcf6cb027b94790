/**
 * Virtual list or grid of equal cells: only those near the view are drawn. Keys move among all cells; the focused cell
 * stays drawn and keeps the focus while the list around it changes.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusOn } from '../navigation/focus.ts';
import {
  type CellLayout,
  cellFrom,
  firstInView,
  heightOf,
  type Look,
  layoutOf,
  placeOf,
  type Range,
  rangeInView,
} from './layout.ts';

interface CellListHandlers {
  /** Shift and an arrow: selects everything from the start of the range. */
  readonly onExtend: (from: number, to: number) => void;
  readonly onToggle: (index: number) => void;
}

interface CellListProps extends CellListHandlers {
  readonly label: string;
  readonly look: Look;
  readonly count: number;
  /** Identifies an item independent of its position. */
  readonly keyAt: (index: number) => string;
  readonly cell: (index: number) => ComponentChildren;
  /** The rendered range changed; the end is exclusive. */
  readonly onRange: (range: Range) => void;
  /** Heading of a cell, such as its month: announced at the first cell of each, and of the view. Undefined: not known. */
  readonly headingAt?: ((index: number) => string | undefined) | undefined;
}

/** The focusable element of a cell. */
const MAIN = '.cell-main';

/** Gives the focus to the first cell that is wholly in view. */
export function focusCellList(): void {
  const cells = [...document.querySelectorAll<HTMLElement>(`.cell-list ${MAIN}`)];
  const inView = cells.find((cell) => {
    const { top, bottom } = cell.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  (inView ?? cells[0])?.focus({ preventScroll: inView !== undefined });
}

/** Index of the cell that contains an element. */
export function indexOfCell(target: EventTarget | null): number | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('.list-cell') : null;
  const index = Number(cell?.dataset.index ?? Number.NaN);
  return Number.isSafeInteger(index) ? index : undefined;
}

/**
 * Whether the list's first row can leave the view, by scrolling to the end of the page.
 * @param top of the list, from that of the view
 */
function canLeave(top: number): boolean {
  return document.documentElement.scrollHeight - scrollY - top > innerHeight;
}

/** The shelf's width and the part of it in view. */
function useView(look: Look, count: number) {
  const root = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useState<CellLayout>();
  const [range, setRange] = useState<Range>({ first: 0, end: 0 });
  /** The first cell in view; undefined where all are always in view. */
  const [head, setHead] = useState<number>();
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setLayout(layoutOf(look, { width: element.clientWidth, rem }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [look]);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null || layout === undefined) return undefined;
    const look = (): void => {
      const top = -element.getBoundingClientRect().top;
      const next = rangeInView(layout, count, { top, height: innerHeight });
      setHead(canLeave(-top) ? firstInView(layout, count, top) : undefined);
      setRange((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    // What stands above the list came or went: it moves without scrolling.
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [layout, count]);
  return { root, layout, range, head };
}

interface Held {
  readonly index: number;
  readonly key: string;
  readonly element: Element;
}

/** Keeps the focus on its item while cells are redrawn, and moves it to a cell that was not drawn yet. */
function useHeldFocus({ count, keyAt }: Pick<CellListProps, 'count' | 'keyAt'>, drawn: readonly number[]) {
  const held = useRef<Held | undefined>(undefined);
  const wanted = useRef<number | undefined>(undefined);
  const [pinned, setPinned] = useState<number>();
  const root = useRef<HTMLElement | null>(null);
  const mainOf = (index: number): HTMLElement | null =>
    root.current?.querySelector<HTMLElement>(`.list-cell[data-index="${index}"] ${MAIN}`) ?? null;
  useLayoutEffect(() => {
    if (wanted.current !== undefined) {
      const element = mainOf(wanted.current);
      if (element === null) return;
      wanted.current = undefined;
      focusOn(element);
      return;
    }
    const before = held.current;
    if (before === undefined || before.element.isConnected) return;
    held.current = undefined;
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const same = drawn.find((index) => keyAt(index) === before.key) ?? Math.min(before.index, count - 1);
    mainOf(same)?.focus({ preventScroll: true });
  });
  return {
    pinned,
    attach: (element: HTMLElement | null): void => {
      root.current = element;
    },
    /** Target of the focus: a held key repeats faster than cells are drawn. */
    ahead: (): number | undefined => wanted.current,
    go: (index: number): void => {
      wanted.current = index;
      setPinned(index);
    },
    onFocus: (event: FocusEvent): void => {
      const index = indexOfCell(event.target);
      if (index === undefined || !(event.target instanceof Element)) return;
      held.current = { index, key: keyAt(index), element: event.target };
      setPinned(index);
    },
    onBlur: (event: FocusEvent): void => {
      const left = held.current;
      if (event.relatedTarget !== null || left === undefined) {
        held.current = undefined;
        return;
      }
      // Removing a focused cell also fires a blur: check a moment later whether the focus really left.
      setTimeout(() => {
        const isLeft = left.element.isConnected && document.activeElement !== left.element;
        if (isLeft && held.current === left) held.current = undefined;
      }, 0);
    },
  };
}

/** Announces a heading at its first cell. */
function FirstOf({ headingAt, index }: Pick<CellListProps, 'headingAt'> & { index: number }) {
  const own = headingAt?.(index);
  if (own === undefined || index === 0) return null;
  const before = headingAt?.(index - 1);
  return before === undefined || before === own ? null : (
    <span class="list-mark numbers absolute layer-1 no-pointer badge bordered ink shadow-1 surface text-s">
      {own}
    </span>
  );
}

export function CellList(props: CellListProps) {
  const { look, count, keyAt, cell, onRange, onExtend, onToggle } = props;
  const { root, layout, range, head } = useView(look, count);
  const heading = head === undefined ? undefined : props.headingAt?.(head);
  const drawn = Array.from({ length: Math.max(0, range.end - range.first) }, (_, step) => range.first + step);
  const focus = useHeldFocus(props, drawn);
  useEffect(() => onRange(range), [range]);
  const { pinned } = focus;
  if (pinned !== undefined && pinned < count && !drawn.includes(pinned)) drawn.push(pinned);

  const onKey = (event: KeyboardEvent): void => {
    const focused = indexOfCell(event.target);
    if (focused === undefined || layout === undefined) return;
    const index = focus.ahead() ?? focused;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === ' ') {
      event.preventDefault();
      onToggle(index);
      return;
    }
    const pageRows = Math.max(1, Math.floor(innerHeight / (layout.cellHeight + layout.gap)) - 1);
    const to = cellFrom(index, event.key, { columns: layout.columns, count, pageRows });
    if (to === undefined || to === index) return;
    event.preventDefault();
    if (event.shiftKey) onExtend(index, to);
    focus.go(to);
  };
  const keys = new Set<string>();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move among the links in its cells
    <div
      ref={(element) => {
        root.current = element;
        focus.attach(element);
      }}
      class={`cell-list relative cell-list-${look}`}
      data-headed={props.headingAt !== undefined && head !== undefined}
      data-nav-group="recordings"
      style={{ height: layout === undefined ? '60vh' : `${heightOf(layout, count)}px` }}
      onKeyDown={onKey}
      onFocusIn={focus.onFocus}
      onFocusOut={focus.onBlur}
    >
      {heading === undefined ? null : (
        <p class="list-heading numbers no-margin sticky layer-2 no-pointer text-center" aria-hidden="true">
          <span class="badge bordered surface ink shadow-1 text-s">{heading}</span>
        </p>
      )}
      <ul class="inset-0" aria-label={props.label}>
        {layout === undefined
          ? null
          : drawn.map((index) => {
              const place = placeOf(layout, index);
              const own = keyAt(index);
              // While pages are reloaded, one item may occur in two of them.
              const key = keys.has(own) ? `${own} ${index}` : own;
              keys.add(own);
              return (
                <li
                  key={key}
                  class="list-cell absolute at-top at-left"
                  data-index={index}
                  data-key={own}
                  aria-setsize={count}
                  aria-posinset={index + 1}
                  style={{
                    width: `${layout.cellWidth}px`,
                    height: `${layout.cellHeight}px`,
                    transform: `translate(${place.left}px, ${place.top}px)`,
                  }}
                >
                  <FirstOf headingAt={props.headingAt} index={index} />
                  {cell(index)}
                </li>
              );
            })}
      </ul>
    </div>
  );
}
