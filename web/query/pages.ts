/**
 * A long list as pages that are read when they come near the view and dropped when they are far from it. Content stays
 * on the screen while it is read again, so that an update does not shift the layout.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type ApiFailure, asFailure } from './api.ts';

export const PAGE_ROWS = 100;
/** Pages kept on either side of the view: some 2 kB a row. */
const KEPT_AROUND = 4;
/** Several changes within this time are one. */
const COALESCE_MS = 40;

export interface Page<T> {
  readonly rows: readonly T[];
  /** Of the whole list. */
  readonly total: number;
  /** Cursor of the next page, of lists that have them. */
  readonly next?: string | undefined;
}

/** Reads `limit` rows from `offset` on; `cursor`, if there is one, is the same place. */
export type AskPage<T> = (
  offset: number,
  limit: number,
  signal: AbortSignal,
  cursor?: string,
) => Promise<Page<T>>;

interface PagesState {
  /** Undefined until the first page is there. */
  readonly total: number | undefined;
  readonly failure: ApiFailure | undefined;
  readonly reading: boolean;
}

export class Pages<T> {
  readonly #state = signal<PagesState>({ total: undefined, failure: undefined, reading: false });
  readonly #pages = new Map<number, readonly T[]>();
  /** Pages read since the last change, and the cursors behind them. */
  readonly #fresh = new Map<number, string | undefined>();
  readonly #reading = new Map<number, AbortController>();
  #wanted = { first: 0, last: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Running items are shown above the list and removed from its first page. */
  #apart = 0;

  constructor(
    readonly ask: AskPage<T>,
    readonly isApart: (row: T) => boolean = () => false,
  ) {}

  get state(): ReadonlySignal<PagesState> {
    return this.#state;
  }

  /** How many there are without those that are shown apart. */
  get count(): number {
    return Math.max(0, (this.#state.value.total ?? 0) - this.#apart);
  }

  /** Undefined while it is not here. */
  at(index: number): T | undefined {
    const place = index + this.#apart;
    if (this.#apart > 0 && place < PAGE_ROWS) return this.#firstRows()[index];
    return this.#pages.get(Math.floor(place / PAGE_ROWS))?.[place % PAGE_ROWS];
  }

  /** Everything that is here. */
  known(): T[] {
    return [...this.#pages.values()].flat();
  }

  /** These are in view or soon will be; the last excluded. */
  want(first: number, end: number): void {
    const pageOf = (index: number): number => Math.floor((index + this.#apart) / PAGE_ROWS);
    this.#wanted = { first: pageOf(Math.max(0, first)), last: pageOf(Math.max(first, end - 1)) };
    this.#fill();
  }

  /** Reads everything again, visible pages first. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const abort of this.#reading.values()) abort.abort();
      this.#reading.clear();
      this.#fresh.clear();
      this.#fill();
    }, COALESCE_MS);
  }

  /** Aborts the reads under way. What was read stays; `want` and `renew` start reading again. */
  rest(): void {
    clearTimeout(this.#timer);
    for (const abort of this.#reading.values()) abort.abort();
    this.#reading.clear();
    this.#fresh.clear();
    this.#tell({ reading: false });
  }

  /** Where a row stands in the service's list. */
  offsetOf(index: number): number {
    return index + this.#apart;
  }

  #firstRows(): readonly T[] {
    return (this.#pages.get(0) ?? []).filter((row) => !this.isApart(row));
  }

  #fill(): void {
    const { first, last } = this.#wanted;
    const { total } = this.#state.peek();
    const end = total === undefined ? 0 : Math.max(0, Math.ceil(total / PAGE_ROWS) - 1);
    // The first page contains the total and is needed to count the items that are shown separately.
    for (const page of new Set([0, ...pagesOf(first, Math.min(last, end))])) {
      if (!this.#fresh.has(page) && !this.#reading.has(page)) void this.#read(page);
    }
  }

  async #read(page: number): Promise<void> {
    const abort = new AbortController();
    this.#reading.set(page, abort);
    this.#tell({ reading: true });
    try {
      const cursor = this.#fresh.get(page - 1);
      const { rows, total, next } = await this.ask(page * PAGE_ROWS, PAGE_ROWS, abort.signal, cursor);
      if (abort.signal.aborted) return;
      this.#reading.delete(page);
      this.#fresh.set(page, next);
      this.#pages.set(page, rows);
      if (page === 0) this.#apart = rows.filter(this.isApart).length;
      this.#forget(total);
      this.#tell({ total, failure: undefined, reading: this.#reading.size > 0 });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#reading.delete(page);
      const failure = asFailure(error);
      this.#tell({ failure, reading: this.#reading.size > 0 });
      return;
    }
    this.#fill();
  }

  /** Evicts pages far from the view, and those beyond the end of the list. */
  #forget(total: number): void {
    const { first, last } = this.#wanted;
    for (const page of this.#pages.keys()) {
      const far = page !== 0 && (page < first - KEPT_AROUND || page > last + KEPT_AROUND);
      if (!far && page * PAGE_ROWS < Math.max(1, total)) continue;
      this.#pages.delete(page);
      this.#fresh.delete(page);
    }
  }

  #tell(change: Partial<PagesState>): void {
    this.#state.value = { ...this.#state.peek(), ...change };
  }
}

function pagesOf(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
