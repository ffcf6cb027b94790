/**
 * Programmes made from the seed: a weekly timetable for each station, on which the same series stand at the
 * same times, day after day in the daytime and week after week in the evening, with other parts each time.
 */
import { eventId } from '../../arib/ids.ts';
import { type EpochMs, epochMs, JST_OFFSET_MS } from '../../arib/time.ts';
import { Random } from '../random.ts';
import type { AudioPlan, StationPlan } from '../scenario/model.ts';
import type { ExtendedItem } from '../si/descriptors.ts';
import { fitText } from '../text/encode.ts';
import type { Band, Format } from './format.ts';
import { FAMILY_NAMES, FILLER, FORMATS, GIVEN_NAMES, PLACES } from './formats.ts';
import {
  DAY_MS,
  type Guide,
  LOOK_AHEAD_MS,
  MAX_DESCRIPTION_BYTES,
  MAX_HEADING_BYTES,
  MAX_TITLE_BYTES,
  type Programme,
  SCHEDULE_DAYS,
} from './programme.ts';
import { traitsOf } from './traits.ts';

const MINUTE_MS = 60_000;
/** The broadcast day begins at 05:00 in Japan. */
const DAY_BEGIN_MS = 5 * 3_600_000;
const STEP_MINUTES = 5;
/** Days remembered: what the tables name at once, and as much again. */
const MAX_DAYS = 20;

/** Bands of the broadcast day: minutes from its begin, and whether each weekday has a timetable of its own. */
const BANDS: readonly { band: Band; from: number; to: number; weekly: boolean }[] = [
  { band: 'dawn', from: 0, to: 150, weekly: false },
  { band: 'morning', from: 150, to: 420, weekly: false },
  { band: 'noon', from: 420, to: 540, weekly: false },
  { band: 'afternoon', from: 540, to: 720, weekly: false },
  { band: 'evening', from: 720, to: 840, weekly: false },
  { band: 'prime', from: 840, to: 1080, weekly: true },
  { band: 'late', from: 1080, to: 1200, weekly: true },
  { band: 'night', from: 1200, to: 1440, weekly: true },
];

/** What stands at a time of a weekly timetable; parts and texts differ from week to week. */
interface Slot {
  /** Minutes from the begin of the broadcast day. */
  from: number;
  minutes: number;
  format: Format;
  title: string;
  /** Every day rather than every week. */
  daily: boolean;
  rerun: boolean;
}

/** Number of the broadcast day that a moment belongs to; 1970-01-01 is day 0, a Thursday. */
function dayNumber(at: EpochMs): number {
  return Math.floor((at + JST_OFFSET_MS - DAY_BEGIN_MS) / DAY_MS);
}

function dayBegin(day: number): EpochMs {
  return epochMs(day * DAY_MS - JST_OFFSET_MS + DAY_BEGIN_MS);
}

/** 0 is Sunday. */
function weekday(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function chooseFormat(random: Random, candidates: readonly Format[]): Format {
  let ticket = random.next() * candidates.reduce((sum, { weight }) => sum + weight, 0);
  for (const format of candidates) {
    ticket -= format.weight;
    if (ticket < 0) return format;
  }
  return FILLER;
}

const RERUN_CHANCE = 0.25;
/** Seldom enough to be an event. */
const MAX_TITLE_TRIES = 4;

function fillBand(random: Random, band: (typeof BANDS)[number], formats: readonly Format[]): Slot[] {
  const slots: Slot[] = [];
  const used = new Set<string>();
  let at = band.from;
  while (at < band.to) {
    const room = band.to - at;
    const fitting = formats.filter(
      ({ bands, minutes }) => bands.includes(band.band) && minutes.some((length) => length <= room),
    );
    const format = fitting.length === 0 ? FILLER : chooseFormat(random, fitting);
    const lengths = format.minutes.filter((length) => length <= room);
    const minutes = lengths.length === 0 ? Math.max(STEP_MINUTES, room) : random.pick(lengths);
    let title = random.pick(format.titles);
    for (let tries = 0; used.has(title) && tries < MAX_TITLE_TRIES; tries++)
      title = random.pick(format.titles);
    used.add(title);
    const rerun = (band.band === 'night' || band.band === 'afternoon') && random.chance(RERUN_CHANCE);
    slots.push({ from: at, minutes, format, title, daily: !band.weekly, rerun });
    at += minutes;
  }
  return slots;
}

/** Weekdays share their daytime; Saturday and Sunday have their own. */
function daytimeGroup(day: number): string {
  const number = weekday(day);
  return number === 0 || number === 6 ? `day${number}` : 'weekdays';
}

const WIDE_DIGITS = '０１２３４５６７８９';

function wideNumber(value: number): string {
  return [...String(value)].map((digit) => WIDE_DIGITS[Number(digit)]).join('');
}

/** Parts of a series before it begins anew. */
const SEASON_PARTS = 12;

const LIVE_MARK = '🈢';

/** The forms in which broadcasters number the parts of a series. */
const NUMBERINGS: readonly ((part: number) => string)[] = [
  (part) => `　第${wideNumber(part)}回`,
  (part) => `　＃${wideNumber(part)}`,
  (part) => `（${wideNumber(part)}）`,
  (part) => `　第${wideNumber(part)}話`,
];

export class Timetable implements Guide {
  readonly days = SCHEDULE_DAYS;
  readonly #formats: readonly Format[];
  readonly #slots = new Map<string, Slot[]>();
  readonly #days = new Map<number, Programme[]>();

  constructor(
    private readonly seed: number,
    private readonly station: StationPlan,
    private readonly audios: readonly AudioPlan[] = station.audios,
  ) {
    this.#formats = FORMATS.filter(({ themes }) => themes.includes(station.theme));
  }

  starting(from: EpochMs, to: EpochMs): Programme[] {
    const programmes: Programme[] = [];
    for (let day = dayNumber(from); day <= dayNumber(to); day++) {
      programmes.push(...this.#day(day).filter(({ startAt }) => startAt >= from && startAt < to));
    }
    return programmes;
  }

  airing(from: EpochMs, to: EpochMs): Programme[] {
    return this.starting(this.present(from)?.startAt ?? from, to);
  }

  present(at: EpochMs): Programme | undefined {
    return this.#day(dayNumber(at)).findLast(({ startAt }) => startAt <= at);
  }

  following(at: EpochMs): Programme | undefined {
    return this.starting(epochMs(Math.floor(at) + 1), epochMs(at + LOOK_AHEAD_MS))[0];
  }

  #day(day: number): Programme[] {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const programmes = this.#daySlots(day).map((slot, index) => this.#programme(day, slot, index));
    if (this.#days.size >= MAX_DAYS) this.#days.clear();
    this.#days.set(day, programmes);
    return programmes;
  }

  #daySlots(day: number): Slot[] {
    return BANDS.flatMap((band) => {
      const group = band.weekly ? `week${weekday(day)}` : daytimeGroup(day);
      const key = `${group}/${band.band}`;
      const known = this.#slots.get(key);
      if (known !== undefined) return known;
      const random = new Random(this.seed, this.station.serviceId, key);
      const slots = fillBand(random, band, this.#formats);
      this.#slots.set(key, slots);
      return slots;
    });
  }

  /** Which part of its series a slot shows on a day, from 1 on. */
  #part(day: number, slot: Slot): number {
    const count = slot.daily ? day : Math.floor((day + 4) / 7);
    const offset = new Random(this.seed, this.station.serviceId, slot.title).below(SEASON_PARTS);
    return ((((count + offset) % SEASON_PARTS) + SEASON_PARTS) % SEASON_PARTS) + 1;
  }

  #programme(day: number, slot: Slot, index: number): Programme {
    const random = new Random(this.seed, this.station.serviceId, day, slot.from);
    const { format } = slot;
    const startAt = epochMs(dayBegin(day) + slot.from * MINUTE_MS);
    const title = this.#title(random, day, slot);
    return {
      // 128 days of up to 512 programmes: an id comes back long after its day has left the guide.
      eventId: eventId((((day % 128) + 128) % 128) * 512 + index),
      startAt,
      durationMs: slot.minutes * MINUTE_MS,
      title,
      description: fitText(this.#description(random, format), MAX_DESCRIPTION_BYTES),
      items: this.#items(random, slot),
      genres: [...format.genres],
      serial: Math.floor(startAt / (STEP_MINUTES * MINUTE_MS)),
      ...traitsOf(title, format.genres, this.audios),
    };
  }

  #title(random: Random, day: number, slot: Slot): string {
    const { format, title, rerun } = slot;
    const subtitle = random.pick(format.subtitles);
    const part = this.#part(day, slot);
    const style = new Random(this.station.serviceId, title).below(NUMBERINGS.length);
    const number = format.numbered ? (NUMBERINGS[style]?.(part) ?? '') : '';
    let before = '';
    if (format.numbered && part === 1) before = '🈟';
    if (format.numbered && part === SEASON_PARTS) before = '🈡';
    const quoted = subtitle === '' ? '' : format.numbered ? `「${subtitle}」` : `　${subtitle}`;
    const marks = format.marks
      .filter((mark) => random.chance(0.8) && !(rerun && mark === LIVE_MARK))
      .join('');
    return fitText(`${before}${title}${number}${quoted}${marks}${rerun ? '🈞' : ''}`, MAX_TITLE_BYTES);
  }

  #description(random: Random, format: Format): string {
    const first = random.pick(format.sentences);
    const second = random.pick(format.sentences);
    return first === second ? first : `${first}${second}`;
  }

  #items(random: Random, slot: Slot): ExtendedItem[] {
    const { format } = slot;
    const people = () =>
      Array.from(
        { length: 2 + random.below(5) },
        () => `${random.pick(FAMILY_NAMES)}${random.pick(GIVEN_NAMES)}`,
      );
    const items = format.headings.map((heading) => ({
      heading: fitText(heading, MAX_HEADING_BYTES),
      text: `${people().join('、')}　ほか（${random.pick(PLACES)}）`,
    }));
    if (slot.minutes < 30 || format.headings.length === 0) return items;
    const story = [...new Set(Array.from({ length: 6 }, () => random.pick(format.sentences)))];
    return [{ heading: '番組内容', text: story.join('\n') }, ...items];
  }
}
