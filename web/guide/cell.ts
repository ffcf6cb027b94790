/**
 * One programme on the sheet: a plain DOM element, because a whole screen of them is replaced while scrolling.
 * Its content depends on its size: one line for five minutes, title and summary where there is room.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { GuideProgram } from '../../lib/wire/api.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
import { narrow } from '../words/channel.ts';
import { majorGenre } from '../words/genre.ts';
import { clockText, spanText } from '../words/time.ts';
import { splitTitle, wholeEpisodes } from '../words/title.ts';
import { TEXTS } from './texts.ts';

export interface CellBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** In units of the sheet's letters. Those of `styles/guide-programs.css`. */
const TITLE_SIZE = 0.8125;
const TITLE_LINE = 1.09;
const TEXT_LINE = 1.02;
const PAD_ACROSS = 0.95;
const PAD_ALONG = 0.42;
/** Below these heights: no padding, smaller letters, and no words at all. */
const TIGHT = 1.55;
const LINE = 1.09;
const BLANK = 0.62;
/** A letter or digit is about this much of a kanji. */
const HALF = 0.56;

function sizeClass(high: number): string {
  if (high < BLANK) return ' prog-tight prog-blank';
  if (high < LINE) return ' prog-tight prog-line';
  return high < TIGHT ? ' prog-tight' : '';
}

function lengthInEms(text: string): number {
  let length = 0;
  for (const letter of text) length += (letter.codePointAt(0) ?? 0) < 0x2000 ? HALF : 1;
  return length;
}

const MARK_EMS = 1.6;
/** Of the summary of a programme that has no room for it. */
const MORE_LINES = 4;

interface CellState {
  readonly past: boolean;
  readonly live: boolean;
  readonly dim: boolean;
  /** The present, CSS pixels below the top of the cell; of a programme that is on. */
  readonly nowAt: number;
}

/** Text for screen readers and the tooltip. */
function nameOf(program: GuideProgram, stationName: string, marks: readonly { label: string }[]): string {
  const words = [
    narrow(program.title),
    ...marks.map((mark) => mark.label),
    stationName,
    spanText(program.startAt, program.endAt),
  ];
  const face = faceOf(program);
  if (face !== undefined) words.push(face[0] === TEXTS.booked ? TEXTS.bookedSpoken : face[0]);
  return words.join('、');
}

function span(className: string, text: string): HTMLSpanElement {
  const element = document.createElement('span');
  element.className = className;
  element.textContent = text;
  return element;
}

const RESERVATION_FACE: Readonly<Partial<Record<ReservationState, readonly [face: string, tone: string]>>> = {
  scheduled: [TEXTS.booked, 'scheduled'],
  recording: [TEXTS.recording, 'recording'],
  conflict: [TEXTS.conflict, 'conflict'],
};

function faceOf({ reservation }: Pick<GuideProgram, 'reservation'>) {
  return reservation === null ? undefined : RESERVATION_FACE[reservation.state];
}

/** A drawn programme. Made once, moved and renewed as often as needed. */
export class Cell {
  readonly element = document.createElement('button');
  readonly #inner = document.createElement('span');
  readonly #name = span('hidden-text', '');
  #program: GuideProgram | undefined;
  #layout = '';
  #place = '';
  #state = '';
  #size = '';
  #shift = 0;
  #nowAt = 0;
  box: CellBox = { left: 0, top: 0, width: 0, height: 0 };

  constructor(readonly stationId: StationId) {
    this.element.type = 'button';
    this.element.tabIndex = -1;
    this.#inner.className = 'prog-in';
    this.#inner.ariaHidden = 'true';
    this.element.append(this.#name, this.#inner);
  }

  get program(): GuideProgram | undefined {
    return this.#program;
  }

  put(box: CellBox): void {
    const place = `${box.left} ${box.top} ${box.width} ${box.height}`;
    if (place === this.#place) return;
    this.#place = place;
    this.box = box;
    const { style } = this.element;
    style.transform = `translate(${box.left}px, ${box.top}px)`;
    style.width = `${box.width}px`;
    style.setProperty('--h', `${box.height}px`);
    this.shift(0);
  }

  /** False when the programme or its size changed since the text was written. */
  isFilled(program: GuideProgram, unit: number): boolean {
    return program === this.#program && this.#layoutFor(unit) === this.#layout;
  }

  #layoutFor(unit: number): string {
    return `${this.box.width} ${this.box.height} ${unit}`;
  }

  /** Writes as much text as fits. @param unit CSS pixels */
  fill(program: GuideProgram, stationName: string, unit: number): void {
    const { width, height } = this.box;
    this.#program = program;
    this.#layout = this.#layoutFor(unit);
    const parts = splitTitle(program.name === '' ? program.title : program.name);
    this.element.dataset.id = String(program.id);
    this.element.dataset.genre = String(majorGenre(program.genres));
    this.element.dataset.reservation = program.reservation?.state ?? '';
    this.#name.textContent = nameOf(program, stationName, parts.marks);
    const high = height / unit;
    this.#size = sizeClass(high);
    this.#dress();
    const pad = high < TIGHT ? 0 : PAD_ALONG;
    const across = Math.max(3, width / unit - PAD_ACROSS) / TITLE_SIZE;
    const used = lengthInEms(parts.title) + parts.marks.length * MARK_EMS + MARK_EMS;
    const most = Math.max(1, Math.floor((high - pad) / TITLE_LINE));
    const lines = Math.min(most, Math.ceil(used / across));
    const title = document.createElement('span');
    title.className = 'prog-title';
    title.style.setProperty('--lines', String(most));
    title.append(span('prog-time numbers', clockText(program.startAt).split(':')[1] ?? ''));
    const face = faceOf(program);
    if (face !== undefined) title.append(span(`prog-kept prog-kept-${face[1]}`, face[0]));
    // The title comes first; marks follow where all of them fit.
    title.append(
      ...wholeEpisodes(parts.title).map(({ text, isEpisode }) => (isEpisode ? span('nowrap', text) : text)),
    );
    if (used <= most * across) {
      for (const mark of parts.marks) title.append(span(`mark mark-${mark.tone}`, mark.face));
    }
    this.#inner.replaceChildren(title);
    const left = Math.floor((high - pad - lines * TITLE_LINE) / TEXT_LINE);
    const description = program.description ?? '';
    if (description === '') return;
    // Without room it is shown on hover and focus.
    const text = span(left >= 1 ? 'prog-text' : 'prog-text prog-more', narrow(description));
    text.style.setProperty('--lines', String(left >= 1 ? left : MORE_LINES));
    this.#inner.append(text);
  }

  mark({ past, live, dim, nowAt }: CellState): void {
    if (live && nowAt !== this.#nowAt) {
      this.#nowAt = nowAt;
      this.element.style.setProperty('--now', `${nowAt}px`);
    }
    const state = `${past ? ' prog-past' : ''}${live ? ' prog-live' : ''}${dim ? ' prog-dim' : ''}`;
    if (state === this.#state) return;
    this.#state = state;
    this.#dress();
  }

  #dress(): void {
    this.element.className = `prog${this.#size}${this.#state}`;
  }

  /** Moves the text down by as much as the top of the cell is out of view. */
  shift(by: number): void {
    const room = Math.max(0, Math.min(by, this.box.height - this.box.width * 0.25));
    if (room === this.#shift) return;
    this.#shift = room;
    this.#inner.style.transform = room === 0 ? '' : `translateY(${room}px)`;
  }
}
