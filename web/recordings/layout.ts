/** Layout of a list or grid of recordings: positions of the cells, the range near the view, and key navigation. Pure; CSS pixels. */

export type Look = 'grid' | 'list';

interface Measures {
  /** Of the list. */
  readonly width: number;
  /** One rem. */
  readonly rem: number;
}

export interface CellLayout {
  readonly columns: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly gap: number;
}

const GRID_LEAST_REM = 13.5;
const GRID_LEAST_NARROW_REM = 9;
const NARROW_REM = 34;
const GRID_GAP_REM = 1;
const GRID_GAP_NARROW_REM = 0.65;
/** Under the picture: two lines of title, a line of time and station, the mark. */
const GRID_WORDS_REM = 7.4;
const LIST_GAP_REM = 0.35;
const LIST_HEIGHT_REM = 4.5;
const LIST_HEIGHT_NARROW_REM = 5.9;
const PICTURE = 9 / 16;

export function layoutOf(look: Look, { width, rem }: Measures): CellLayout {
  const narrow = width < NARROW_REM * rem;
  if (look === 'list') {
    const cellHeight = (narrow ? LIST_HEIGHT_NARROW_REM : LIST_HEIGHT_REM) * rem;
    return { columns: 1, cellWidth: width, cellHeight, gap: LIST_GAP_REM * rem };
  }
  const gap = (narrow ? GRID_GAP_NARROW_REM : GRID_GAP_REM) * rem;
  const least = (narrow ? GRID_LEAST_NARROW_REM : GRID_LEAST_REM) * rem;
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  const cellWidth = (width - gap * (columns - 1)) / columns;
  return { columns, cellWidth, cellHeight: Math.round(cellWidth * PICTURE + GRID_WORDS_REM * rem), gap };
}

function rowsOf({ columns }: CellLayout, count: number): number {
  return Math.ceil(count / columns);
}

/** Height of the whole list. */
export function heightOf(layout: CellLayout, count: number): number {
  const rows = rowsOf(layout, count);
  return rows === 0 ? 0 : rows * (layout.cellHeight + layout.gap) - layout.gap;
}

interface Place {
  readonly left: number;
  readonly top: number;
}

export function placeOf({ columns, cellWidth, cellHeight, gap }: CellLayout, index: number): Place {
  return {
    left: (index % columns) * (cellWidth + gap),
    top: Math.floor(index / columns) * (cellHeight + gap),
  };
}

/** Cells, the last excluded. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

/** Rows drawn beyond each edge of the view. */
const AHEAD_ROWS = 2;

/** @param top of the view, from the top of the list; may be negative */
export function rangeInView(layout: CellLayout, count: number, view: { top: number; height: number }): Range {
  const step = layout.cellHeight + layout.gap;
  const firstRow = Math.max(0, Math.floor(view.top / step) - AHEAD_ROWS);
  const endRow = Math.ceil((view.top + view.height) / step) + AHEAD_ROWS;
  const end = Math.min(count, Math.max(0, endRow) * layout.columns);
  return { first: Math.min(firstRow * layout.columns, end), end };
}

/** The first cell whose row is not above the view. @param top as above */
export function firstInView(layout: CellLayout, count: number, top: number): number {
  const row = Math.max(0, Math.ceil(top / (layout.cellHeight + layout.gap)));
  return Math.min(Math.max(0, count - 1), row * layout.columns);
}

/** The cell that a key leads to; undefined beyond the edge of the list. */
export function cellFrom(
  index: number,
  key: string,
  { columns, count, pageRows }: { columns: number; count: number; pageRows: number },
): number | undefined {
  const within = (to: number): number | undefined => (to >= 0 && to < count ? to : undefined);
  const column = index % columns;
  const lastRow = Math.floor((count - 1) / columns);
  const row = Math.floor(index / columns);
  switch (key) {
    case 'ArrowLeft':
      return column === 0 ? undefined : within(index - 1);
    case 'ArrowRight':
      return column === columns - 1 ? undefined : within(index + 1);
    case 'ArrowUp':
      return within(index - columns);
    case 'ArrowDown':
      // Moving down into a short last row selects its last cell.
      return row === lastRow ? undefined : Math.min(count - 1, index + columns);
    case 'PageUp':
      return row === 0 ? undefined : Math.max(column, index - pageRows * columns);
    case 'PageDown':
      return row === lastRow
        ? undefined
        : Math.min(count - 1, index + Math.min(pageRows, lastRow - row) * columns);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
  }
  return undefined;
}
