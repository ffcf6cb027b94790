/** A guide that a scenario lists itself: programmes at their times, or one list repeated for ever. */
import { eventId } from '../../arib/ids.ts';
import { type EpochMs, epochMs } from '../../arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import type { AudioPlan, ListedProgramme } from '../scenario/model.ts';
import { fitText } from '../text/encode.ts';
import {
  type Guide,
  MAX_DESCRIPTION_BYTES,
  MAX_HEADING_BYTES,
  MAX_TITLE_BYTES,
  type Programme,
  SCHEDULE_DAYS,
} from './programme.ts';
import { traitsOf } from './traits.ts';

const EVENT_IDS = 0x10000;

function toProgramme(
  listed: ListedProgramme,
  startAt: EpochMs,
  serial: number,
  audios: readonly AudioPlan[],
): Programme {
  return {
    eventId: eventId(((serial % EVENT_IDS) + EVENT_IDS) % EVENT_IDS),
    startAt,
    durationMs: listed.durationSec * 1000,
    title: fitText(listed.title, MAX_TITLE_BYTES),
    description: fitText(listed.description, MAX_DESCRIPTION_BYTES),
    items: listed.items.map(({ heading, text }) => ({ heading: fitText(heading, MAX_HEADING_BYTES), text })),
    genres: listed.genres,
    serial,
    ...traitsOf(listed.title, listed.genres, audios),
  };
}

class TimedList implements Guide {
  readonly days = SCHEDULE_DAYS;
  readonly #programmes: Programme[];

  constructor(list: readonly (ListedProgramme & { startAt: number })[], audios: readonly AudioPlan[]) {
    this.#programmes = [...list]
      .sort((a, b) => a.startAt - b.startAt)
      .map((listed, index) => toProgramme(listed, epochMs(listed.startAt), index + 1, audios));
  }

  starting(from: EpochMs, to: EpochMs): Programme[] {
    return this.#programmes.filter(({ startAt }) => startAt >= from && startAt < to);
  }

  airing(from: EpochMs, to: EpochMs): Programme[] {
    return this.#programmes.filter(({ startAt, durationMs }) => startAt < to && startAt + durationMs > from);
  }

  present(at: EpochMs): Programme | undefined {
    return this.#programmes.findLast(({ startAt, durationMs }) => startAt <= at && at < startAt + durationMs);
  }

  following(at: EpochMs): Programme | undefined {
    return this.#programmes.find(({ startAt }) => startAt > at);
  }
}

/** Shorter programmes would need their event ids again within the eight days: only today's are announced. */
const SHORT_MS = 60_000;

/** The n-th round of the list begins n lengths after the clock's zero. */
class RepeatedList implements Guide {
  readonly days: number;
  readonly #list: readonly ListedProgramme[];
  readonly #starts: number[] = [];
  readonly #length: number;

  constructor(
    list: readonly ListedProgramme[],
    private readonly audios: readonly AudioPlan[],
  ) {
    this.#list = list;
    let length = 0;
    for (const { durationSec } of list) {
      this.#starts.push(length);
      length += durationSec * 1000;
    }
    this.#length = length;
    this.days = length / list.length < SHORT_MS ? 1 : SCHEDULE_DAYS;
  }

  #make(serial: number): Programme {
    const round = Math.floor(serial / this.#list.length);
    const index = serial - round * this.#list.length;
    const startAt = epochMs(STC_ZERO + round * this.#length + (this.#starts[index] as number));
    return toProgramme(this.#list[index] as ListedProgramme, startAt, serial, this.audios);
  }

  #serialAt(at: EpochMs): number {
    const round = Math.floor((at - STC_ZERO) / this.#length);
    const into = at - STC_ZERO - round * this.#length;
    return round * this.#list.length + this.#starts.findLastIndex((start) => start <= into);
  }

  starting(from: EpochMs, to: EpochMs): Programme[] {
    const programmes: Programme[] = [];
    for (let serial = this.#serialAt(from); ; serial++) {
      const programme = this.#make(serial);
      if (programme.startAt >= to) return programmes;
      if (programme.startAt >= from) programmes.push(programme);
    }
  }

  airing(from: EpochMs, to: EpochMs): Programme[] {
    return this.starting(this.present(from).startAt, to);
  }

  present(at: EpochMs): Programme {
    return this.#make(this.#serialAt(at));
  }

  following(at: EpochMs): Programme {
    return this.#make(this.#serialAt(at) + 1);
  }
}

function isTimed(listed: ListedProgramme): listed is ListedProgramme & { startAt: number } {
  return listed.startAt !== undefined;
}

/** Every programme of the list has a start, or none has. */
export function listedGuide(list: readonly ListedProgramme[], audios: readonly AudioPlan[]): Guide {
  return list.length === 0 || list.every(isTimed)
    ? new TimedList(list.filter(isTimed), audios)
    : new RepeatedList(list, audios);
}
