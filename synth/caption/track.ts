/**
 * The contents of a station's caption stream and its superimposed text: PES packets and their sending times, a pure
 * function of scenario, station and time.
 */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import type { Programme } from '../guide/programme.ts';
import { Random } from '../random.ts';
import { GROUP_TICKS } from '../rundown/part.ts';
import { Rundown } from '../rundown/rundown.ts';
import type { EventStation } from '../si/eit.ts';
import { composePage, ERASE } from './compose.ts';
import {
  captionPes,
  DISPLAY,
  type Group,
  managementGroup,
  statementGroup,
  superimposePes,
} from './data-group.ts';
import { cellOf, type Page, PLAIN, type Run, SHADE, type Style, WHITE, WHOLE_FRAME } from './page.ts';
import { NEWSFLASHES } from './scenes.ts';
import { SCENE_MS, type Stretch, sceneStatements, stationStyle } from './script.ts';

const RED = 1;
const MARGIN = 60;
const STYLE: Style = {
  habit: 1,
  motion: 'coordinates',
  compact: false,
  outlined: false,
  halfColours: false,
  raster: false,
};
/** Built-in sounds 0 to 4 are the chimes of newsflashes. */
const CHIMES = 5;

/** Superimposed newsflashes: a chime and two or three rows at the top of the picture. */
export function newsflashPage(random: Random): Page {
  const [heading = '', ...rows] = random.pick(NEWSFLASHES);
  const { height } = cellOf(WHOLE_FRAME, 'normal');
  const row = (text: string, index: number): Run => ({
    ...PLAIN,
    foreground: WHITE,
    background: index === 0 ? RED : SHADE,
    x: MARGIN,
    y: (index + 1) * height - 1,
    text,
    role: 'text',
  });
  const runs = [heading, ...rows].map((text, index) => row(text.replaceAll(' ', '　'), index));
  return {
    frame: WHOLE_FRAME,
    style: STYLE,
    steps: [{ waitMs: 0, clears: true, runs }],
    chime: random.below(CHIMES),
  };
}

/** A PES packet and the unwrapped 90 kHz time at which its sending begins. */
export interface Transmission {
  due: number;
  pes: Uint8Array;
}

/** A stream made of single PES packets. */
export interface Track {
  /** Those due in `from <= due < to`, in order. */
  transmissions(from: number, to: number): Transmission[];
}

/**
 * A statement and its presentation time: of captions by the time stamp, of superimposed text by its arrival.
 */
export interface Presentation {
  /** Unwrapped 90 kHz time. */
  ticks: number;
  language: number;
  page: Page | null;
}

/** Interval of the management data; receivers give up after 180 s without it. */
const MANAGEMENT_PERIOD = TICKS_PER_SECOND;
/**
 * Time from the start of sending a packet to its presentation. It must be complete half a second before; the
 * longest statement takes less than 0.1 s. Languages are sent one after the other.
 */
const LEAD = { management: TICKS_PER_SECOND, first: 0.9 * TICKS_PER_SECOND, second: 0.8 * TICKS_PER_SECOND };
/** Half of the programmes of a station with two languages have captions in both. */
const BILINGUAL_SHARE = 0.5;
/** Size of the scene cache: the windows of a few streams. */
const MAX_SCENES = 8;

function byDue(one: Transmission, other: Transmission): number {
  return one.due - other.due;
}

/** The first multiple of a period at or after a moment. */
function firstTurn(ticks: number, period: number): number {
  return Math.ceil(ticks / period) * period;
}

export class CaptionTrack implements Track {
  readonly #languages: readonly string[];
  /** Commercials and the like have no captions. */
  readonly #rundown: Rundown;
  readonly #scenes = new Map<string, Presentation[]>();

  constructor(
    private readonly seed: number,
    private readonly station: EventStation,
  ) {
    this.#languages = station.place.plan.captions?.languages ?? [];
    this.#rundown = new Rundown(seed, station.place.plan, station.guide);
  }

  transmissions(from: number, to: number): Transmission[] {
    const sent: Transmission[] = [];
    const { management, first } = LEAD;
    for (
      let at = firstTurn(from + management, MANAGEMENT_PERIOD);
      at < to + management;
      at += MANAGEMENT_PERIOD
    ) {
      sent.push({ due: at - management, pes: captionPes(at, this.#managementAt(at)) });
    }
    for (const { ticks, language, page } of this.presentations(from + LEAD.second, to + first)) {
      const due = ticks - (language === 0 ? first : LEAD.second);
      if (due < from || due >= to) continue;
      const units = page === null ? [ERASE] : composePage(page);
      sent.push({ due, pes: captionPes(ticks, statementGroup(this.#groupAt(ticks), language, units)) });
    }
    return sent.sort(byDue);
  }

  /** Statements presented in `from <= ticks < to`, in order. */
  presentations(from: number, to: number): Presentation[] {
    const found: Presentation[] = [];
    const parts = this.#rundown.parts(Math.floor(from / GROUP_TICKS), Math.ceil(to / GROUP_TICKS));
    for (const part of parts) {
      const { programme } = part;
      if (part.kind !== 'main' || programme === undefined || !programme.captions) continue;
      const stretch = { from: part.from * GROUP_TICKS, to: part.to * GROUP_TICKS };
      const sceneAt = (ticks: number): number => Math.floor((ticks - stretch.from) / 90 / SCENE_MS);
      const last = sceneAt(Math.min(to, stretch.to) - 1);
      for (let index = Math.max(0, sceneAt(from)); index <= last; index++) {
        const scene = this.#scene(programme, stretch, index);
        found.push(...scene.filter(({ ticks }) => ticks >= from && ticks < to));
      }
    }
    return found.sort((one, other) => one.ticks - other.ticks);
  }

  /** ISO 639-2 of the languages of a presentation's moment. */
  languagesAt(ticks: number): readonly string[] {
    return this.#isBilingual(this.#programmeAt(ticks)) ? this.#languages : this.#languages.slice(0, 1);
  }

  #programmeAt(ticks: number): Programme | undefined {
    return this.#rundown.partAt(Math.floor(ticks / GROUP_TICKS)).programme;
  }

  #isBilingual(programme: Programme | undefined): boolean {
    if (this.#languages.length < 2 || programme === undefined || !programme.captions) return false;
    const { serviceId } = this.station.place.plan;
    const random = new Random(this.seed, serviceId, 'bilingual', programme.eventId, programme.startAt);
    return random.chance(BILINGUAL_SHARE);
  }

  /** One language and two languages use different sets of ids, so that receivers detect every change. */
  #groupAt(ticks: number): Group {
    return this.languagesAt(ticks).length === 2 ? 'B' : 'A';
  }

  #managementAt(ticks: number): Uint8Array {
    const languages = this.languagesAt(ticks).map((code) => ({ code, displayMode: DISPLAY.chosen }));
    return managementGroup(this.#groupAt(ticks), languages);
  }

  #scene(programme: Programme, stretch: Stretch, index: number): Presentation[] {
    const key = `${programme.eventId}/${stretch.from}/${stretch.to}/${index}`;
    const known = this.#scenes.get(key);
    if (known !== undefined) return known;
    const { serviceId } = this.station.place.plan;
    const telling = {
      ...{ seed: this.seed, serviceId, programme, stretch },
      style: stationStyle(this.seed, serviceId),
      bilingual: this.#isBilingual(programme),
    };
    const made = sceneStatements(telling, index).map(
      ({ atMs, language, page }): Presentation => ({
        ticks: Math.round(stretch.from + atMs * 90),
        language,
        page,
      }),
    );
    if (this.#scenes.size >= MAX_SCENES) this.#scenes.clear();
    this.#scenes.set(key, made);
    return made;
  }
}

/** Duration of a newsflash. */
const NEWSFLASH_MS = 20_000;

export class SuperimposeTrack implements Track {
  readonly #period: number;

  constructor(
    private readonly seed: number,
    private readonly station: EventStation,
  ) {
    this.#period = (station.place.plan.captions?.newsflashSec ?? 0) * TICKS_PER_SECOND;
  }

  transmissions(from: number, to: number): Transmission[] {
    const code = this.station.place.plan.captions?.languages[0] ?? 'jpn';
    const management = superimposePes(managementGroup('A', [{ code, displayMode: DISPLAY.always }]));
    const sent: Transmission[] = [];
    for (let due = firstTurn(from, MANAGEMENT_PERIOD); due < to; due += MANAGEMENT_PERIOD) {
      sent.push({ due, pes: management });
    }
    for (const { ticks, page } of this.presentations(from, to)) {
      const units = page === null ? [ERASE] : composePage(page);
      sent.push({ due: ticks, pes: superimposePes(statementGroup('A', 0, units)) });
    }
    return sent.sort(byDue);
  }

  /** Newsflashes and their ends sent in `from <= ticks < to`, in order. */
  presentations(from: number, to: number): Presentation[] {
    const found: Presentation[] = [];
    const stay = (NEWSFLASH_MS / 1000) * TICKS_PER_SECOND;
    const { serviceId } = this.station.place.plan;
    for (let at = firstTurn(from - stay, this.#period); at < to; at += this.#period) {
      const random = new Random(this.seed, serviceId, 'newsflash', at);
      if (at >= from) found.push({ ticks: at, language: 0, page: newsflashPage(random) });
      if (at + stay < to && at + stay >= from) found.push({ ticks: at + stay, language: 0, page: null });
    }
    return found;
  }
}

/** Management data only, once a second, as on the PIDs of services that are not on air. */
export const MANAGEMENT_TRACK: Track = {
  transmissions: (from, to) => {
    const management = superimposePes(managementGroup('A', [{ code: 'jpn', displayMode: DISPLAY.always }]));
    const sent: Transmission[] = [];
    for (let due = firstTurn(from, TICKS_PER_SECOND); due < to; due += TICKS_PER_SECOND) {
      sent.push({ due, pes: management });
    }
    return sent;
  },
};

/** The moment of an unwrapped time stamp, in whole milliseconds. */
export function presentedAt(ticks: number): BroadcastMs {
  return broadcastMs(Math.round(momentOf(ticks)));
}
