/** The drawn programmes: adds those in an area and removes those far from it, within a time budget per frame. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import type { GuideProgram, Station } from '../../lib/wire/api.ts';
import { monotonicNow } from '../device/clock.ts';
import type { Placed } from '../ui/lanes.ts';
import { majorGenre } from '../words/genre.ts';
import { Cell, type CellBox } from './cell.ts';
import { within } from './column.ts';
import { type Scale, type Span, topOf } from './geometry.ts';
import { isDimmable } from './look.ts';
import type { GuideStore } from './store.ts';

/** Contents and scale of the sheet. */
export interface GridSheet {
  readonly type: Station['type'];
  readonly stations: readonly Station[];
  readonly span: Span;
  readonly scale: Scale;
  /** CSS pixels of the unit of the sheet. */
  readonly unit: number;
  readonly now: BroadcastMs;
  /** Other genres than this are dimmed. */
  readonly genre: number | undefined;
  readonly dimShopping: boolean;
}

interface Area {
  /** Columns, both inclusive. */
  readonly first: number;
  readonly last: number;
  readonly span: Span;
}

/** CSS pixels. */
interface Edges {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Time per frame for new text: the browser needs the rest of the 16 ms for layout and paint. */
const BUDGET_MS = 4;
const BUDGET_CELLS = 28;

export class Budget {
  #cells = BUDGET_CELLS;
  readonly #until = plusMs(monotonicNow(), BUDGET_MS);

  get spent(): boolean {
    return this.#cells <= 0 || monotonicNow() > this.#until;
  }

  take(): void {
    this.#cells -= 1;
  }
}

export class CellLayer {
  readonly element = document.createElement('div');
  readonly #drawn = new Map<ProgramId, Cell>();

  constructor(readonly store: GuideStore) {
    this.element.className = 'guide-cells';
  }

  get(id: ProgramId): Cell | undefined {
    return this.#drawn.get(id);
  }

  /** False when the budget ran out. Stations without programmes in the area are added to `empty`. */
  draw(sheet: GridSheet, { first, last, span }: Area, budget: Budget, empty?: Set<StationId>): boolean {
    let complete = true;
    for (let column = Math.max(0, first); column <= last; column += 1) {
      const station = sheet.stations[column];
      if (station === undefined) continue;
      const list = within(this.store.column(sheet.type, station.id), span);
      if (list.length === 0) empty?.add(station.id);
      for (const placed of list) {
        if (!this.#drawn.has(placed.program.id) && budget.spent) return false;
        complete = this.#drawOne(sheet, placed, column, station, budget) && complete;
      }
    }
    return complete;
  }

  /** Draws one regardless of the budget: it is about to get the focus. */
  drawNow(
    sheet: GridSheet,
    placed: Placed<GuideProgram>,
    column: number,
    station: Station,
  ): Cell | undefined {
    this.#drawOne(sheet, placed, column, station, undefined);
    return this.#drawn.get(placed.program.id);
  }

  /**
   * Updates position and look of every cell, also outside the drawn area: after a zoom or a change of the guide
   * stale cells would overlap others. Then removes cells beyond the edges or no longer
   * in the guide; `held` is always kept. True when the focused cell was removed.
   */
  sweep(sheet: GridSheet, edges: Edges, held: ProgramId | undefined): boolean {
    const columns = new Map(sheet.stations.map((station, index) => [station.id, index]));
    let lost = false;
    for (const [id, cell] of this.#drawn) {
      const column = columns.get(cell.stationId);
      const placed = column === undefined ? undefined : this.#placeOf(sheet, id, cell);
      if (column !== undefined && placed !== undefined) {
        cell.put(boxOf(sheet, placed, column));
        markCell(cell, sheet, placed.program);
        const { box } = cell;
        const near =
          box.top < edges.bottom &&
          box.top + box.height > edges.top &&
          box.left < edges.right &&
          box.left + box.width > edges.left;
        if (near || id === held) continue;
      }
      lost = lost || cell.element === document.activeElement;
      cell.element.remove();
      this.#drawn.delete(id);
    }
    return lost;
  }

  /** Keeps the text of programmes that began above the view visible. */
  hold(top: number): void {
    for (const cell of this.#drawn.values()) cell.shift(Math.max(0, top - cell.box.top));
  }

  clear(): void {
    for (const cell of this.#drawn.values()) cell.element.remove();
    this.#drawn.clear();
  }

  /** Moves it at once; false when there was no time for its text. */
  #drawOne(
    sheet: GridSheet,
    placed: Placed<GuideProgram>,
    column: number,
    station: Station,
    budget: Budget | undefined,
  ): boolean {
    const { program } = placed;
    const { unit } = sheet;
    const cell = this.#drawn.get(program.id) ?? new Cell(station.id);
    cell.put(boxOf(sheet, placed, column));
    const filled = cell.isFilled(program, unit);
    const worded = filled || budget?.spent !== true;
    if (!filled && worded) {
      budget?.take();
      cell.fill(program, station.name, unit);
    }
    markCell(cell, sheet, program);
    if (this.#drawn.get(program.id) !== cell) {
      this.#drawn.set(program.id, cell);
      this.element.append(cell.element);
    }
    return worded;
  }

  /** Position of a drawn programme in its column; undefined when it is no longer in the guide. */
  #placeOf(sheet: GridSheet, id: ProgramId, { program, stationId }: Cell): Placed<GuideProgram> | undefined {
    if (program === undefined) return undefined;
    const column = this.store.column(sheet.type, stationId);
    const here = within(column, { from: program.startAt, to: program.endAt });
    const isIt = (placed: Placed<GuideProgram>): boolean => placed.program.id === id;
    // Its time may have changed before its text was rewritten.
    return here.find(isIt) ?? column.find(isIt);
  }
}

function markCell(cell: Cell, sheet: GridSheet, program: GuideProgram): void {
  const { now, genre, dimShopping, span, scale } = sheet;
  cell.mark({
    past: program.endAt <= now,
    live: program.startAt <= now && program.endAt > now,
    nowAt: Math.round(topOf(now, span, scale)) - cell.box.top,
    dim: genre === undefined ? dimShopping && isDimmable(program) : majorGenre(program.genres) !== genre,
  });
}

/** Rounds edges, not lengths, so that neighbours touch without overlap. */
function boxOf(
  { span, scale }: GridSheet,
  { program, lane, lanes }: Placed<GuideProgram>,
  column: number,
): CellBox {
  const top = Math.round(topOf(latest(program.startAt, span.from), span, scale));
  const bottom = Math.round(topOf(earliest(program.endAt, span.to), span, scale));
  const width = scale.column / lanes;
  const left = Math.round(column * scale.column + lane * width);
  const right = Math.round(column * scale.column + (lane + 1) * width);
  return { left, top, width: right - left, height: Math.max(2, bottom - top) };
}
