/**
 * The frame of the sheet: stations along the top, hours along the side, the line of the present time.
 * Draws only the visible part.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, HOUR_MS, JST_OFFSET_MS, plusMs } from '../../lib/arib/time.ts';
import type { Station } from '../../lib/wire/api.ts';
import { monogram } from '../ui/monogram.ts';
import { channelLabel, narrow } from '../words/channel.ts';
import { clockText, dateText } from '../words/time.ts';
import { type Scale, type Span, topOf } from './geometry.ts';
import { TEXTS } from './texts.ts';

/** In units of the sheet's letters. */
const HEAD = { narrow: 3.5, wide: 4 } as const;
const RULER = { narrow: 2.3, wide: 3.1 } as const;
const NARROW_PX = 720;

export interface FrameSize {
  readonly head: number;
  readonly ruler: number;
}

export function frameSize(unit: number, width: number): FrameSize {
  const kind = width < NARROW_PX ? 'narrow' : 'wide';
  return { head: Math.round(HEAD[kind] * unit), ruler: Math.round(RULER[kind] * unit) };
}

/** Half the height of the badge of the present, and the upper and lower edge of an hour's number; in the same units. */
const BADGE = 0.6;
const NUMBER = { from: 0.2, to: 1.6 } as const;

const PARTS = ['night', 'morning', 'day', 'evening'] as const;

/** Of the broadcast day: 23–5, 5–11, 11–17, 17–23. */
function dayPart(hour: number): (typeof PARTS)[number] {
  if (hour >= 23 || hour < 5) return 'night';
  if (hour < 11) return 'morning';
  return hour < 17 ? 'day' : 'evening';
}

function element(tag: 'div' | 'span' | 'b', className: string, text?: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function logoOf(station: Station): HTMLElement {
  const logo = element('span', 'logo');
  logo.setAttribute('aria-hidden', 'true');
  const putMonogram = (): void => {
    const { text, hue } = monogram(station.name, station.id);
    logo.classList.add('logo-mono');
    logo.style.setProperty('--hue', String(hue));
    if (text.length > 2) logo.dataset.long = '';
    logo.textContent = text;
  };
  if (station.logo === null) putMonogram();
  else {
    const image = document.createElement('img');
    image.alt = '';
    image.src = station.logo;
    image.addEventListener('error', putMonogram);
    logo.append(image);
  }
  return logo;
}

function headOf(station: Station, list: readonly Station[]): HTMLAnchorElement {
  const head = document.createElement('a');
  head.className = 'guide-head';
  head.href = `live/${station.id}`;
  head.tabIndex = -1;
  const name = narrow(station.name);
  head.title = TEXTS.watchStation(name);
  const words = element('span', 'guide-head-words');
  // Where the column is narrow the band, which is that of the whole guide, gives way to the name.
  const label = channelLabel(station, list);
  const band = label.startsWith(`${station.type} `) ? `${station.type} ` : '';
  const key = element('span', 'guide-head-key numbers');
  key.append(element('span', 'guide-head-band', band), label.slice(band.length));
  words.append(key, element('b', '', name));
  head.append(logoOf(station), words);
  return head;
}

export class GuideFrame {
  readonly heads = element('div', 'guide-heads');
  readonly hours = element('div', 'guide-hours');
  readonly line = element('div', 'guide-now');
  readonly #corner = element('div', 'guide-corner');
  readonly #knob = element('div', 'guide-knob numbers');
  readonly #headOf = new Map<StationId, HTMLAnchorElement>();
  readonly #hourOf = new Map<number, HTMLElement>();
  #stations: readonly Station[] = [];
  #all: readonly Station[] = [];

  constructor() {
    this.heads.append(this.#corner);
    this.hours.append(this.#knob);
    this.line.setAttribute('aria-hidden', 'true');
    this.hours.setAttribute('aria-hidden', 'true');
  }

  /** @param all of every type, for the numbers of branches */
  setStations(stations: readonly Station[], all: readonly Station[]): void {
    this.#stations = stations;
    this.#all = all;
    for (const head of this.#headOf.values()) head.remove();
    this.#headOf.clear();
  }

  clear(): void {
    for (const hour of this.#hourOf.values()) hour.remove();
    this.#hourOf.clear();
  }

  /** @param empty whether a station has no programme in view */
  drawHeads(
    first: number,
    last: number,
    scale: Scale,
    size: FrameSize,
    empty: (id: StationId) => boolean,
  ): void {
    const wanted = new Set<StationId>();
    for (let index = first; index <= last; index += 1) {
      const station = this.#stations[index];
      if (station === undefined) continue;
      wanted.add(station.id);
      let head = this.#headOf.get(station.id);
      if (head === undefined) {
        head = headOf(station, this.#all);
        this.#headOf.set(station.id, head);
        this.heads.append(head);
      }
      head.style.left = `${size.ruler + index * scale.column}px`;
      head.style.width = `${scale.column}px`;
      head.classList.toggle('guide-head-empty', empty(station.id));
    }
    for (const [id, head] of this.#headOf) {
      if (wanted.has(id)) continue;
      head.remove();
      this.#headOf.delete(id);
    }
  }

  drawHours(seen: Span, span: Span, scale: Scale): void {
    const first = Math.max(0, Math.floor((seen.from - span.from) / HOUR_MS));
    const last = Math.min((span.to - span.from) / HOUR_MS - 1, Math.ceil((seen.to - span.from) / HOUR_MS));
    for (const [index, hour] of this.#hourOf) {
      if (index >= first && index <= last) continue;
      hour.remove();
      this.#hourOf.delete(index);
    }
    for (let index = first; index <= last; index += 1) {
      const at = plusMs(span.from, index * HOUR_MS);
      let hour = this.#hourOf.get(index);
      if (hour === undefined) {
        const number = new Date(at + JST_OFFSET_MS).getUTCHours();
        hour = element('div', 'guide-hour');
        hour.dataset.part = dayPart(number);
        hour.append(element('b', 'numbers', String(number)));
        // The date is shown where the broadcast day begins, and at midnight.
        if (number === 5 || number === 0) hour.append(element('span', 'guide-date', dateText(at)));
        this.#hourOf.set(index, hour);
        this.hours.append(hour);
      }
      hour.style.transform = `translateY(${index * scale.hour}px)`;
      hour.style.height = `${scale.hour}px`;
    }
  }

  /** Neither the badge of the present nor the number of an hour hides the other: the number moves, else the badge. */
  drawNow(now: BroadcastMs, span: Span, scale: Scale, unit: number): void {
    const top = Math.round(topOf(now, span, scale));
    let badge = top;
    for (const [index, hour] of this.#hourOf) {
      const below = top - index * scale.hour;
      const isCovered = below > (NUMBER.from - BADGE) * unit && below < (NUMBER.to + BADGE) * unit;
      const moved = below + BADGE * unit;
      const fits = moved + NUMBER.to * unit <= scale.hour;
      hour.style.paddingTop = isCovered && fits ? `${moved}px` : '';
      if (isCovered && !fits) badge = index * scale.hour + (NUMBER.to + BADGE) * unit;
    }
    this.line.style.transform = `translateY(${top}px)`;
    this.#knob.style.transform = `translateY(${badge}px)`;
    this.#knob.textContent = clockText(now);
  }
}
