/** Programmes listed in a scenario: at given times, or as a list that repeats endlessly. */
import { type EventId, eventId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import type { ListedProgramme } from '../scenario/model.ts';
import { fitText } from '../text/encode.ts';
import type { Stretches } from './chronicle.ts';
import type { Links, StationOfChannel } from './links.ts';
import {
  type Content,
  DAY_MS,
  MAX_DESCRIPTION_BYTES,
  MAX_HEADING_BYTES,
  MAX_TITLE_BYTES,
  SCHEDULE_DAYS,
} from './programme.ts';
import { type Incident, type Planned, Stretch } from './stretch.ts';
import { traitsOf } from './traits.ts';

const EVENT_IDS = 0x10000;
/** Programmes of a list without ids use the lower half of the ids; replacements use the upper half. */
const INSTEAD_IDS = EVENT_IDS / 2;

/** Fields that the list gives for a programme, which replace the derived ones. */
function given(listed: ListedProgramme): Partial<Content> {
  const { sound, audioCount, captions, copyControl, isFree, kind, pause, minimumAge, notes, series } = listed;
  const own = {
    sound,
    audioCount,
    captions,
    copyControl,
    isFree,
    kind,
    pause: pause === undefined ? undefined : pause !== false,
    minimumAge,
    notes,
    series: series === undefined ? undefined : { ...series, expireAt: null },
  };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}

class ListReader {
  constructor(
    private readonly place: StationOfChannel,
    private readonly links: Links,
    /**
     * Earliest announcement: the first table of the schedule contains it; a repeating list looks one round
     * ahead.
     */
    private readonly mostNoticeMs: number,
  ) {}

  #content(listed: ListedProgramme, title: string, startAt: BroadcastMs, id: EventId): Content {
    const { audios } = this.place.station;
    const { relayTo, movedFrom, sharedWith = [] } = listed;
    const groups = [];
    if (sharedWith.length > 0) {
      const borrows = sharedWith[0] !== this.place.station.serviceId;
      // A branch only refers to the main station's event.
      const events = (borrows ? sharedWith.slice(0, 1) : sharedWith).map((serviceId) => {
        const place = this.links.find(this.place, { serviceId });
        const other = place === undefined || place.station === this.place.station;
        return { serviceId, eventId: (other ? undefined : this.links.plannedAt(place, startAt)) ?? id };
      });
      groups.push({ kind: 'shared' as const, events, others: [] });
    }
    const end = broadcastMs(startAt + listed.durationSec * 1000);
    if (relayTo !== undefined) groups.push(...this.links.relay('relay', this.place, relayTo, end));
    if (movedFrom !== undefined) {
      groups.push(...this.links.relay('movement', this.place, movedFrom, broadcastMs(startAt - 1)));
    }
    return {
      title: fitText(title, MAX_TITLE_BYTES),
      description: fitText(listed.description, MAX_DESCRIPTION_BYTES),
      items: listed.items.map(({ heading, text }) => ({
        heading: fitText(heading, MAX_HEADING_BYTES),
        text,
      })),
      genres: listed.genres,
      ...traitsOf(title, listed.genres, audios),
      isFree: this.place.station.pay !== true,
      ...given(listed),
      groups,
      borrowed: sharedWith.length > 0 && sharedWith[0] !== this.place.station.serviceId,
    };
  }

  #incident(listed: ListedProgramme, startAt: BroadcastMs, id: EventId): Incident | undefined {
    const durationMs = listed.durationSec * 1000;
    const byMs = (listed.overrunSec ?? 0) * 1000;
    const { cancelled, interruption } = listed;
    if (interruption !== undefined) {
      const { afterSec, forSec } = interruption;
      return { kind: 'interrupted', afterMs: afterSec * 1000, forMs: forSec * 1000 };
    }
    if (cancelled !== undefined) {
      const other = eventId((id + INSTEAD_IDS) % EVENT_IDS);
      const { series: _, ...rest } = listed;
      const content = once(() => this.#content(rest, cancelled, startAt, other));
      const noticeMs = Math.min(this.mostNoticeMs, (listed.noticeSec ?? listed.durationSec) * 1000);
      return { kind: 'cancelled', noticeMs, instead: { eventId: other, content } };
    }
    const noticeMs =
      listed.noticeSec === undefined ? Math.min(120_000, durationMs / 4) : listed.noticeSec * 1000;
    if (listed.undefinedEnd) return { kind: 'open', byMs, openMs: durationMs, noticeMs };
    return byMs === 0
      ? undefined
      : { kind: 'overrun', byMs, steps: listed.overrunSteps ?? DEFAULT_STEPS, noticeMs };
  }

  /** A programme, and the parts that an interruption adds after it. */
  planned(listed: ListedProgramme, startAt: BroadcastMs, serial: number): Planned[] {
    const id = listed.eventId ?? eventId(((serial % INSTEAD_IDS) + INSTEAD_IDS) % INSTEAD_IDS);
    const incident = this.#incident(listed, startAt, id);
    const programme: Planned = {
      eventId: id,
      startAt,
      durationMs: listed.durationSec * 1000,
      content: once(() => this.#content(listed, listed.title, startAt, id)),
      ...(incident === undefined ? {} : { incident }),
      silent: listed.pause === 'silent',
    };
    const { interruption } = listed;
    if (interruption === undefined) return [programme];
    const other = eventId((id + INSTEAD_IDS) % EVENT_IDS);
    const again = interruption.newId ? eventId((id + INSTEAD_IDS + INSTEAD_IDS / 2) % EVENT_IDS) : id;
    const { series: _, relayTo: __, movedFrom: ___, ...rest } = listed;
    const breaksIn = once(() => this.#content(rest, interruption.title, startAt, other));
    const behind = { startAt, durationMs: 0, silent: false };
    return [
      programme,
      { ...behind, eventId: other, content: breaksIn },
      { ...behind, eventId: again, content: programme.content },
    ];
  }
}

const DEFAULT_STEPS = 3;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

class TimedList implements Stretches {
  readonly days = SCHEDULE_DAYS;
  readonly first = 0;
  readonly last = 0;
  readonly period = 1;
  readonly #stretch: Stretch;

  constructor(list: readonly (ListedProgramme & { startAt: number })[], reader: ListReader) {
    const sorted = [...list].sort((a, b) => a.startAt - b.startAt);
    this.#stretch = new Stretch(
      sorted.flatMap((listed, index) => reader.planned(listed, broadcastMs(listed.startAt), index + 1)),
    );
  }

  indexOf(): number {
    return 0;
  }

  stretch(): Stretch {
    return this.#stretch;
  }
}

/** Shorter programmes would reuse their event ids within the eight days: only today's are announced. */
const SHORT_MS = 60_000;
/** Size of the cache of rounds: an hour of the shortest ones. */
const MAX_ROUNDS = 512;

/** The n-th round of the list begins n lengths after the clock's zero; lengths are the real ones. */
class RepeatedList implements Stretches {
  readonly days: number;
  readonly first = Number.NEGATIVE_INFINITY;
  readonly last = Number.POSITIVE_INFINITY;
  readonly period = 1;
  readonly #length: number;
  readonly #rounds = new Map<number, Stretch>();

  constructor(
    private readonly list: readonly ListedProgramme[],
    length: number,
    private readonly reader: ListReader,
  ) {
    this.#length = length;
    this.days = this.#length / list.length < SHORT_MS ? 1 : SCHEDULE_DAYS;
  }

  indexOf(at: BroadcastMs): number {
    return Math.floor((at - STC_ZERO) / this.#length);
  }

  stretch(round: number): Stretch {
    const known = this.#rounds.get(round);
    if (known !== undefined) return known;
    let startAt = STC_ZERO + round * this.#length;
    const planned = this.list.flatMap((listed, index) => {
      const programme = this.reader.planned(listed, broadcastMs(startAt), round * this.list.length + index);
      startAt += listed.durationSec * 1000;
      return programme;
    });
    const made = new Stretch(planned);
    if (this.#rounds.size >= MAX_ROUNDS) this.#rounds.clear();
    this.#rounds.set(round, made);
    return made;
  }
}

function isTimed(listed: ListedProgramme): listed is ListedProgramme & { startAt: number } {
  return listed.startAt !== undefined;
}

/** Either every programme of the list has a start, or none. */
export function listedStretches(
  list: readonly ListedProgramme[],
  place: StationOfChannel,
  links: Links,
): Stretches {
  if (list.length === 0 || list.every(isTimed)) {
    return new TimedList(list.filter(isTimed), new ListReader(place, links, 2 * DAY_MS));
  }
  const length = list.reduce((sum, listed) => sum + realMs(listed), 0);
  return new RepeatedList(list, length, new ListReader(place, links, length));
}

/** Real duration; a cancelled programme is not longer than planned. */
function realMs({ durationSec, overrunSec = 0, interruption, cancelled }: ListedProgramme): number {
  return (durationSec + (cancelled === undefined ? overrunSec : 0) + (interruption?.forSec ?? 0)) * 1000;
}
