/**
 * The sheet of the guide: stations across, time down, of which only the part in view exists as elements. Drawing
 * has a time budget per frame, so that scrolling stays smooth; the rest follows in the next frame.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, earliest, HOUR_MS, latest, plusMs } from '../../lib/arib/time.ts';
import type { GuideProgram, Station } from '../../lib/wire/api.ts';
import { directionOf } from '../navigation/focus.ts';
import { isRecordKey } from '../navigation/keys.ts';
import type { Direction } from '../navigation/spatial.ts';
import type { Cell } from './cell.ts';
import { Budget, CellLayer, type GridSheet } from './cells.ts';
import { type ColumnPlace, type Columns, enterAt, placeFrom } from './column.ts';
import { type FrameSize, frameSize, GuideFrame } from './frame.ts';
import { clampWidth, clampZoom, type Scale, type Span, scaleOf, timeAt, topOf, unitOf } from './geometry.ts';
import type { GridLook, GridParts, GridPosition, Scroll } from './grid-view.ts';

/** Views drawn ahead above and below, and columns at the sides. */
const AHEAD_VIEWS = 0.4;
const AHEAD_COLUMNS = 1;
/** Views that stay drawn behind. */
const BEHIND_VIEWS = 0.9;
const READ_AHEAD_MS = 6 * HOUR_MS;
/** A wider gap may be a chunk that is not loaded, not a gap in the guide. */
const GAP_MS = HOUR_MS;
/** Below this width of a column, in units of letters, a station's name has no room beside its logo. */
const COMPACT = 8.8;
/** Distance, in views, up to which scrolling is animated. */
const NEAR_VIEWS = 1.6;

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}

export class GuideGrid {
  readonly #frame = new GuideFrame();
  readonly #space = document.createElement('div');
  readonly #layer: CellLayer;
  readonly #abort = new AbortController();
  readonly #resize: ResizeObserver;
  #type: Station['type'] = 'GR';
  #stations: readonly Station[] = [];
  #span: Span;
  #zoom = 1;
  #unit = 16;
  #scale: Scale = { hour: 1, column: 1 };
  #size: FrameSize = { head: 0, ruler: 0 };
  #width = 0;
  #height = 0;
  #now: BroadcastMs;
  #genre: number | undefined;
  #look: GridLook = { width: 1, television: false, dimShopping: false };
  #focused: ColumnPlace | undefined;
  /** Where a zoom leads: scrolled to in the next frame, since doing it before would cost a layout of its own. */
  #target: Scroll | undefined;
  #request = 0;
  #closed = false;

  constructor(
    readonly parts: GridParts,
    span: Span,
    now: BroadcastMs,
  ) {
    this.#span = span;
    this.#now = now;
    this.#space.className = 'guide-space';
    this.#layer = new CellLayer(parts.store);
    this.#layer.element.append(this.#frame.line);
    this.#space.append(this.#frame.heads, this.#frame.hours, this.#layer.element);
    parts.scroller.append(this.#space);
    const { signal } = this.#abort;
    parts.scroller.addEventListener('scroll', () => this.refresh(), { passive: true, signal });
    parts.scroller.addEventListener('keydown', (event) => this.#onKey(event), { signal });
    parts.scroller.addEventListener('focusin', (event) => this.#onFocus(event), { signal });
    parts.scroller.addEventListener('focusout', (event) => this.#onBlur(event), { signal });
    this.#layer.element.addEventListener('click', (event) => this.#onClick(event), { signal });
    this.#resize = new ResizeObserver(() => this.#measure());
    this.#resize.observe(parts.scroller);
    this.#measure();
  }

  get zoom(): number {
    return this.#zoom;
  }

  position({ top, left } = this.#scroll()): GridPosition {
    return { at: timeAt(top, this.#span, this.#scale), column: left / this.#scale.column };
  }

  #scroll(): Scroll {
    const { scrollLeft, scrollTop } = this.parts.scroller;
    return this.#target ?? { top: scrollTop, left: scrollLeft };
  }

  #scrollTo(options: ScrollToOptions): void {
    this.#target = undefined;
    this.parts.scroller.scrollTo({ behavior: 'instant', ...options });
  }

  setStations(type: Station['type'], stations: readonly Station[], all: readonly Station[]): void {
    if (type !== this.#type) {
      this.#layer.clear();
      this.#focused = undefined;
    }
    const place = this.#focused;
    if (place !== undefined) {
      const id = this.#stations[place.column]?.id;
      const column = stations.findIndex((station) => station.id === id);
      // When the column of the focus is removed, the focus moves to the column in its place.
      if (column >= 0) this.#focused = { ...place, column };
    }
    this.#type = type;
    this.#stations = stations;
    this.#frame.setStations(stations, all);
    this.#layout();
  }

  setSpan(span: Span): void {
    if (span.from === this.#span.from) return;
    const { at, column } = this.position();
    this.#span = span;
    this.#frame.clear();
    this.#layout();
    this.moveTo({ at, column });
  }

  setNow(now: BroadcastMs): void {
    this.#now = now;
    this.refresh();
  }

  /** Others than this genre are dimmed. */
  setGenre(genre: number | undefined): void {
    this.#genre = genre;
    this.refresh();
  }

  setLook(look: GridLook): void {
    this.#look = { ...look, width: clampWidth(look.width) };
    this.#measure();
  }

  /** @param at fixed point of the zoom, CSS pixels from the corner of the view */
  setZoom(zoom: number, at?: { readonly x: number; readonly y: number }): void {
    const x = (at?.x ?? this.#width / 2) - this.#size.ruler;
    const y = (at?.y ?? this.#height / 2) - this.#size.head;
    const { top, left } = this.#scroll();
    const time = timeAt(top + y, this.#span, this.#scale);
    const column = (left + x) / this.#scale.column;
    this.#zoom = clampZoom(zoom);
    this.#layout();
    const most = this.#extent();
    this.#target = {
      top: clamp(topOf(time, this.#span, this.#scale) - y, most.height - this.#height),
      left: clamp(column * this.#scale.column - x, most.width - this.#width),
    };
  }

  /** @param lead part of the view above the time */
  showTime(at: BroadcastMs, lead = 0, atOnce = false): void {
    const seen = this.#height - this.#size.head;
    const top = Math.max(0, topOf(at, this.#span, this.#scale) - seen * lead);
    const near = Math.abs(top - this.#scroll().top) < seen * NEAR_VIEWS;
    const calm = atOnce || matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#scrollTo({ top, behavior: near && !calm ? 'smooth' : 'instant' });
  }

  moveTo({ at, column }: GridPosition): void {
    const top = topOf(at, this.#span, this.#scale);
    this.#scrollTo({ top, left: column * this.#scale.column });
  }

  /** Puts the focus on the programme that runs at `at`, in the first column seen unless the focus has been elsewhere. */
  enter(at: BroadcastMs): void {
    const column = this.#focused?.column ?? Math.ceil(this.position().column);
    const place = enterAt(this.#columns(), column, at);
    if (place !== undefined) this.#focus(place);
  }

  refresh(): void {
    if (this.#request !== 0 || this.#closed) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#draw();
    });
  }

  close(): void {
    this.#closed = true;
    cancelAnimationFrame(this.#request);
    this.#resize.disconnect();
    this.#abort.abort();
    this.#space.remove();
  }

  #measure(): void {
    const { scroller } = this.parts;
    const before = this.#height === 0 ? undefined : this.position();
    this.#width = scroller.clientWidth;
    this.#height = scroller.clientHeight;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.#unit = unitOf(rem, this.#look.television, innerWidth);
    this.#layout();
    if (before !== undefined) this.moveTo(before);
  }

  #layout(): void {
    this.#size = frameSize(this.#unit, this.#width);
    this.#scale = scaleOf({
      zoom: this.#zoom,
      width: this.#look.width,
      unit: this.#unit,
      room: this.#width - this.#size.ruler,
      columns: this.#stations.length,
    });
    const { style } = this.#space;
    style.setProperty('--guide-unit', `${this.#unit}px`);
    this.#space.classList.toggle('guide-television', this.#look.television);
    const { width, height } = this.#extent();
    style.width = `${width}px`;
    style.height = `${height}px`;
    this.#space.classList.toggle('guide-compact', this.#scale.column < COMPACT * this.#unit);
    const lines = this.#layer.element.style;
    lines.setProperty('--guide-hour', `${this.#scale.hour}px`);
    lines.setProperty('--guide-column', `${this.#scale.column}px`);
    style.setProperty('--guide-head', `${this.#size.head}px`);
    style.setProperty('--guide-ruler', `${this.#size.ruler}px`);
    this.refresh();
  }

  #extent(): { readonly width: number; readonly height: number } {
    const hours = (this.#span.to - this.#span.from) / HOUR_MS;
    return {
      width: this.#size.ruler + this.#stations.length * this.#scale.column,
      height: this.#size.head + hours * this.#scale.hour,
    };
  }

  #columns(): Columns<GuideProgram> {
    const { store } = this.parts;
    return {
      count: this.#stations.length,
      at: (index) => {
        const station = this.#stations[index];
        return station === undefined ? [] : store.column(this.#type, station.id);
      },
    };
  }

  #seen({ top } = this.#scroll()): Span {
    return {
      from: timeAt(top, this.#span, this.#scale),
      to: earliest(this.#span.to, timeAt(top + this.#height - this.#size.head, this.#span, this.#scale)),
    };
  }

  /** Columns in view, first and last. */
  #across({ left }: Scroll): readonly [number, number] {
    const first = Math.floor(left / this.#scale.column);
    const last = Math.floor((left + this.#width - this.#size.ruler) / this.#scale.column);
    return [first, Math.min(this.#stations.length - 1, last)];
  }

  #draw(): void {
    if (this.#width === 0 || this.#closed) return;
    // Read once, before anything is written: afterwards it would cost a layout.
    const scroll = this.#scroll();
    const seen = this.#seen(scroll);
    const [first, last] = this.#across(scroll);
    const view = seen.to - seen.from;
    this.parts.store.need(this.#type, seen, [
      { from: seen.to, to: earliest(this.#span.to, plusMs(seen.to, READ_AHEAD_MS)) },
      { from: latest(this.#span.from, plusMs(seen.from, -READ_AHEAD_MS / 2)), to: seen.from },
    ]);
    const empty = new Set<StationId>();
    const budget = new Budget();
    const sheet = this.#sheet();
    const wide = { from: plusMs(seen.from, -view * AHEAD_VIEWS), to: plusMs(seen.to, view * AHEAD_VIEWS) };
    const around = { first: first - AHEAD_COLUMNS, last: last + AHEAD_COLUMNS, span: wide };
    const complete =
      this.#layer.draw(sheet, { first, last, span: seen }, budget, empty) &&
      this.#layer.draw(sheet, around, budget);
    const edges = {
      top: topOf(plusMs(seen.from, -view * BEHIND_VIEWS), this.#span, this.#scale),
      bottom: topOf(plusMs(seen.to, view * BEHIND_VIEWS), this.#span, this.#scale),
      left: (first - AHEAD_COLUMNS - 1) * this.#scale.column,
      right: (last + AHEAD_COLUMNS + 2) * this.#scale.column,
    };
    if (this.#layer.sweep(sheet, edges, this.#focused?.programId)) this.#refocus();
    this.#layer.hold(scroll.top);
    const state = this.parts.store.state(this.#type, seen);
    const known = state.kind === 'ready';
    this.#frame.drawHeads(
      Math.max(0, first - 1),
      last + 1,
      this.#scale,
      this.#size,
      (id) => known && empty.has(id),
    );
    this.#frame.drawHours(wide, this.#span, this.#scale);
    this.#frame.drawNow(this.#now, this.#span, this.#scale, this.#unit);
    if (this.#target !== undefined) this.#scrollTo(this.#target);
    // Before the stations are set it has not been placed anywhere.
    if (this.#stations.length === 0) return;
    this.parts.onView({
      position: this.position(scroll),
      seen,
      state,
      bare: empty.size < last - first + 1 ? [] : [...empty],
    });
    if (!complete) this.refresh();
  }

  #sheet(): GridSheet {
    return {
      type: this.#type,
      stations: this.#stations,
      span: this.#span,
      scale: this.#scale,
      unit: this.#unit,
      now: this.#now,
      genre: this.#genre,
      dimShopping: this.#look.dimShopping,
    };
  }

  /** The focused programme was removed from the guide: the focus moves to the one in its place. */
  #refocus(): void {
    const place = this.#focused;
    this.#focused = undefined;
    if (place === undefined) return;
    const next = enterAt(this.#columns(), place.column, place.anchor);
    if (next !== undefined) this.#focus(next);
  }

  #focus(place: ColumnPlace): void {
    const station = this.#stations[place.column];
    if (station === undefined) return;
    const column = this.parts.store.column(this.#type, station.id);
    const placed = column.find(({ program }) => program.id === place.programId);
    if (placed === undefined) return;
    this.#focused = place;
    const cell = this.#layer.drawNow(this.#sheet(), placed, place.column, station);
    if (cell === undefined) return;
    this.#reveal(cell);
    cell.element.tabIndex = 0;
    cell.element.focus({ preventScroll: true });
  }

  /** Scrolls no further than needed; of a long programme only the near part is scrolled into view. */
  #reveal({ box }: Cell): void {
    const { scroller } = this.parts;
    const height = this.#height - this.#size.head;
    const width = this.#width - this.#size.ruler;
    const margin = this.#unit * 1.5;
    const bottom = box.top + Math.min(box.height, height * 0.6);
    let { top: scrollTop, left: scrollLeft } = this.#scroll();
    if (bottom + margin > scrollTop + height) scrollTop = bottom + margin - height;
    const visible = Math.min(box.top + box.height, scrollTop + height) - Math.max(box.top, scrollTop);
    if (box.top < scrollTop && visible < this.#unit * 4) scrollTop = box.top - margin;
    if (box.left + box.width > scrollLeft + width) scrollLeft = box.left + box.width - width;
    if (box.left < scrollLeft) scrollLeft = box.left;
    this.#scrollTo({ top: scrollTop, left: scrollLeft });
    // On a low screen the sheet itself may be partly out of sight.
    scroller.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }

  #onFocus(event: FocusEvent): void {
    const { scroller } = this.parts;
    if (event.target === scroller) {
      // The grid itself is only a tab stop: keys move the focus on to a programme.
      if (scroller.matches(':focus-visible')) {
        const { from, to } = this.#seen();
        const middle = this.#now >= from && this.#now < to ? this.#now : plusMs(from, (to - from) / 3);
        this.enter(middle);
        if (document.activeElement === scroller) this.parts.onNothing();
      }
      return;
    }
    scroller.tabIndex = -1;
    if (!(event.target instanceof HTMLElement) || !event.target.classList.contains('prog')) return;
    event.target.tabIndex = 0;
    const id = Number(event.target.dataset.id) as ProgramId;
    if (this.#focused?.programId === id) return;
    const cell = this.#layer.get(id);
    const column = this.#stations.findIndex((station) => station.id === cell?.stationId);
    if (cell?.program !== undefined && column >= 0) {
      this.#focused = { column, programId: id, anchor: latest(cell.program.startAt, this.#seen().from) };
    }
  }

  #onBlur(event: FocusEvent): void {
    this.parts.scroller.tabIndex = 0;
    if (event.target instanceof HTMLElement && event.target.classList.contains('prog')) {
      event.target.tabIndex = -1;
    }
  }

  #onClick(event: MouseEvent): void {
    const button = event.target instanceof Element ? event.target.closest('.prog') : null;
    if (button instanceof HTMLElement) this.parts.onOpen(Number(button.dataset.id) as ProgramId);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = directionOf(event.key);
    if (direction !== undefined && !event.shiftKey) {
      if (this.#step(direction)) event.preventDefault();
      return;
    }
    if (isRecordKey(event)) {
      const focused = this.#focused;
      const program = focused === undefined ? undefined : this.#layer.get(focused.programId)?.program;
      if (program === undefined || event.repeat || document.activeElement === this.parts.scroller) return;
      event.preventDefault();
      this.parts.onRecord(program);
      return;
    }
    if (event.key === 'PageUp' || event.key === 'PageDown') {
      event.preventDefault();
      this.#page(event.key === 'PageDown' ? 1 : -1);
    }
  }

  #step(direction: Direction): boolean {
    const from = this.#focused;
    if (from === undefined || document.activeElement === this.parts.scroller) return false;
    const cell = this.#layer.get(from.programId);
    const next = placeFrom(this.#columns(), from, direction);
    const beside = direction === 'left' || direction === 'right';
    if (beside || cell?.program === undefined) {
      if (next !== undefined) this.#focus(next);
      return next !== undefined;
    }
    const gap = this.#gapTo(next, cell.program, direction);
    // Beyond the loaded part: the view scrolls, and the next press finds the programmes loaded meanwhile.
    if (gap.to - gap.from > GAP_MS && this.parts.store.state(this.#type, gap).kind === 'loading') {
      this.parts.scroller.scrollBy({
        top: (direction === 'down' ? 1 : -1) * this.#scale.hour,
        behavior: 'instant',
      });
      return true;
    }
    if (next !== undefined) this.#focus(next);
    return next !== undefined;
  }

  #gapTo(next: ColumnPlace | undefined, from: GuideProgram, direction: Direction): Span {
    const target = next === undefined ? undefined : this.#columns().at(next.column);
    const program = target?.find((placed) => placed.program.id === next?.programId)?.program;
    if (direction === 'down') {
      return { from: from.endAt, to: earliest(this.#span.to, program?.startAt ?? this.#span.to) };
    }
    return { from: latest(this.#span.from, program?.endAt ?? this.#span.from), to: from.startAt };
  }

  #page(by: 1 | -1): void {
    const { from, to } = this.#seen();
    const move = (to - from) * 0.85 * by;
    const place = this.#focused;
    const focused = document.activeElement?.classList.contains('prog') === true;
    this.#scrollTo({ top: topOf(plusMs(from, move), this.#span, this.#scale) });
    if (!focused || place === undefined) return;
    const anchor = plusMs(place.anchor, move);
    const columns = { ...this.#columns(), count: this.#stations.length };
    const next = enterAt(columns, place.column, anchor);
    if (next !== undefined) this.#focus({ ...next, anchor });
  }
}
