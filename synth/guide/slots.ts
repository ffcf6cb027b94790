/**
 * The weekly timetable of one station: the series at each time of each weekday. Daytime repeats daily and
 * evenings weekly, with exceptions in addition.
 */
import { Random } from '../random.ts';
import type { Scenario, SportsEvening, StationPlan, StationReference } from '../scenario/model.ts';
import type { Band, Format } from './format.ts';
import { FILLER, FORMATS, LIVE_SPORTS, NIGHT_PAUSE } from './formats.ts';
import type { StationOfChannel } from './links.ts';

interface BandTimes {
  band: Band;
  from: number;
  to: number;
  /** Whether each weekday has a timetable of its own. */
  weekly: boolean;
}

/** Bands of the broadcast day, in minutes from its begin at 05:00. */
const BANDS: readonly BandTimes[] = [
  { band: 'dawn', from: 0, to: 150, weekly: false },
  { band: 'morning', from: 150, to: 420, weekly: false },
  { band: 'noon', from: 420, to: 540, weekly: false },
  { band: 'afternoon', from: 540, to: 720, weekly: false },
  { band: 'evening', from: 720, to: 840, weekly: false },
  { band: 'prime', from: 840, to: 1080, weekly: true },
  { band: 'late', from: 1080, to: 1200, weekly: true },
  { band: 'night', from: 1200, to: 1440, weekly: true },
];

/** Sports from 19:00; on the station to which they are relayed, an hour from 20:55. */
const SPORTS = { from: 840, minutes: 115 };
const CONTINUATION = { from: SPORTS.from + SPORTS.minutes, minutes: 60 };
/** From 01:00, an hour that an overrunning evening may use. */
const BUFFER = { from: 1200, minutes: 60 };
/** 02:30 to 04:30. */
const PAUSE = { from: 1290, minutes: 120 };
/** From this minute on, programmes may be cancelled, shown on other stations and repeated. */
const LATER_EVENING = 955;
const BRANCH_BANDS: readonly Band[] = ['noon', 'afternoon', 'night'];
const STEP_MINUTES = 5;

/** The series at a time of a weekly timetable; episodes and texts differ from week to week. */
export interface Slot {
  /** Minutes from the begin of the broadcast day. */
  from: number;
  minutes: number;
  format: Format;
  title: string;
  /** Daily rather than weekly. */
  daily: boolean;
  rerun: boolean;
  sports?: SportsEvening;
  /** The station on which it began. */
  continues?: StationReference;
  /** A programme of another station, or of another day. */
  copy?: { place: StationOfChannel; slot: Slot; daysLater: number; shared: boolean };
  cancelled?: boolean;
  /** Its beginning may be shortened by an overrunning programme. */
  absorbs?: boolean;
  /** Not listed in any table. */
  silent?: boolean;
}

/** Weekdays share their daytime; Saturday and Sunday have their own. */
function daytimeGroup(weekday: number): string {
  return weekday === 0 || weekday === 6 ? `day${weekday}` : 'weekdays';
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
/** Makes repeated titles rare. */
const MAX_TITLE_TRIES = 4;

/** The timetables on which a timetable depends. */
export interface Neighbours {
  readonly scenario: Scenario;
  find(from: StationOfChannel, reference: StationReference): StationOfChannel | undefined;
  slotsOf(place: StationOfChannel): Slots;
}

export class Slots {
  readonly #bands = new Map<string, readonly Slot[]>();
  readonly #formats: readonly Format[];

  constructor(
    private readonly place: StationOfChannel,
    private readonly neighbours: Neighbours,
  ) {
    this.#formats = FORMATS.filter(({ themes }) => themes.includes(place.station.theme));
  }

  /** The broadcast day of a weekday from 05:00 on, without gaps. 0 is Sunday. */
  of(weekday: number): Slot[] {
    return BANDS.flatMap((band) => this.#band(weekday, band));
  }

  /** A programme of the later evening that other stations may show too. */
  featured(weekday: number): Slot | undefined {
    const prime = BANDS.find(({ band }) => band === 'prime');
    return prime === undefined
      ? undefined
      : this.#band(weekday, prime).find(
          ({ from, sports, continues, copy, cancelled }) =>
            from >= LATER_EVENING &&
            sports === undefined &&
            continues === undefined &&
            copy === undefined &&
            !cancelled,
        );
  }

  #main(): Slots | undefined {
    const [main] = this.place.channel.stations;
    if (this.place.station.branch !== true || main === undefined || main === this.place.station) {
      return undefined;
    }
    return this.neighbours.slotsOf({ channel: this.place.channel, station: main });
  }

  #band(weekday: number, band: BandTimes): readonly Slot[] {
    const key = `${band.weekly ? `week${weekday}` : daytimeGroup(weekday)}/${band.band}`;
    const known = this.#bands.get(key);
    if (known !== undefined) return known;
    const made = this.#make(weekday, band, key);
    this.#bands.set(key, made);
    return made;
  }

  #make(weekday: number, band: BandTimes, key: string): Slot[] {
    const random = new Random(this.neighbours.scenario.seed, this.place.station.serviceId, key);
    const main = this.#main();
    const fixed = band.weekly ? this.#fixed(weekday, band, random) : [];
    if (main !== undefined && !BRANCH_BANDS.includes(band.band)) {
      const shared = main.#band(weekday, band).map((slot) => this.#shared(main, slot));
      if (!fixed.some(({ continues }) => continues !== undefined)) return shared;
      fixed.unshift(...shared.filter(({ from }) => from === SPORTS.from));
    }
    const slots: Slot[] = [];
    let at = band.from;
    for (const one of fixed.sort((a, b) => a.from - b.from)) {
      if (one.from < at || one.from + one.minutes > band.to) continue;
      slots.push(...this.#fill(random, band, at, one.from), one);
      at = one.from + one.minutes;
    }
    slots.push(...this.#fill(random, band, at, band.to));
    this.#cancel(weekday, band, slots);
    return slots;
  }

  #shared(main: Slots, slot: Slot): Slot {
    return { ...slot, copy: { place: main.place, slot, daysLater: 0, shared: true } };
  }

  #cancel(weekday: number, { band }: BandTimes, slots: readonly Slot[]): void {
    if (band !== 'prime' || !this.place.station.habits?.cancels?.includes(weekday)) return;
    const plain = slots.find(
      ({ from, minutes, copy, continues }) =>
        from >= LATER_EVENING && minutes >= 30 && copy === undefined && continues === undefined,
    );
    if (plain !== undefined) plain.cancelled = true;
  }

  /** Whether the evening takes more time than planned. */
  #runsOver(weekday: number): boolean {
    const own = this.place.station.habits?.sports ?? [];
    const main = this.#main();
    if (own.some(({ weekdays, end }) => end !== 'punctual' && weekdays.includes(weekday))) return true;
    return main === undefined ? false : main.#runsOver(weekday);
  }

  /** Slots that keep their time regardless of the programmes around them. */
  #fixed(weekday: number, { band }: BandTimes, random: Random): Slot[] {
    if (band === 'prime') return this.#fixedEvening(weekday);
    return band === 'night' ? this.#fixedNight(weekday, random) : [];
  }

  #fixedEvening(weekday: number): Slot[] {
    const { habits } = this.place.station;
    const slots: Slot[] = [];
    const sports = habits?.sports?.find(({ weekdays }) => weekdays.includes(weekday));
    const live = { format: LIVE_SPORTS, daily: false, rerun: false };
    if (sports !== undefined) {
      slots.push({
        ...SPORTS,
        ...live,
        title: this.#sportsTitle(this.place.station.serviceId, weekday),
        sports,
      });
    }
    for (const source of this.#relaying(weekday)) {
      const title = source.title;
      slots.push({ ...CONTINUATION, ...live, title, continues: source.reference });
    }
    for (const { from, daysLater, weekdays } of habits?.repeats ?? []) {
      const copied = daysLater === 0 && weekdays.includes(weekday) ? this.#copy(from, weekday, 0) : undefined;
      if (copied !== undefined) slots.push(copied);
    }
    return slots;
  }

  #sportsTitle(station: StationPlan['serviceId'], weekday: number): string {
    return new Random(this.neighbours.scenario.seed, station, 'sports', weekday).pick(LIVE_SPORTS.titles);
  }

  /** Stations whose sports of an evening continue here. */
  #relaying(weekday: number): { reference: StationReference; title: string }[] {
    const found: { reference: StationReference; title: string }[] = [];
    for (const channel of this.neighbours.scenario.channels) {
      for (const station of channel.stations) {
        const place = { channel, station };
        for (const { weekdays, relayTo } of station.habits?.sports ?? []) {
          if (relayTo === undefined || !weekdays.includes(weekday)) continue;
          if (this.neighbours.find(place, relayTo)?.station !== this.place.station) continue;
          const title = this.#sportsTitle(station.serviceId, weekday);
          const { networkId } = channel;
          const reference =
            channel === this.place.channel
              ? { serviceId: station.serviceId }
              : { networkId, serviceId: station.serviceId };
          found.push({ reference, title });
        }
      }
    }
    return found;
  }

  #copy(from: StationReference, weekday: number, daysLater: number): Slot | undefined {
    const place = this.neighbours.find(this.place, from);
    if (place === undefined) return undefined;
    const source = this.neighbours.slotsOf(place);
    const slot = source.featured((((weekday - daysLater) % 7) + 7) % 7);
    return slot === undefined
      ? undefined
      : { ...slot, rerun: daysLater > 0, copy: { place, slot, daysLater, shared: false } };
  }

  #fixedNight(weekday: number, random: Random): Slot[] {
    const { habits } = this.place.station;
    const slots: Slot[] = [];
    let at = BUFFER.from;
    if (this.#runsOver(weekday)) {
      const hours = this.#formats.filter(
        ({ bands, minutes }) => bands.includes('night') && minutes.includes(BUFFER.minutes),
      );
      const format = hours.length === 0 ? FILLER : chooseFormat(random, hours);
      const title = random.pick(format.titles);
      slots.push({ ...BUFFER, format, title, daily: false, rerun: false, absorbs: true });
      at += BUFFER.minutes;
    }
    const pause = habits?.nightPause;
    for (const { from, daysLater, weekdays } of habits?.repeats ?? []) {
      const copied =
        daysLater > 0 && weekdays.includes(weekday) ? this.#copy(from, weekday, daysLater) : undefined;
      if (copied === undefined || (pause !== undefined && at + copied.minutes > PAUSE.from)) continue;
      slots.push({ ...copied, from: at });
      at += copied.minutes;
    }
    if (pause !== undefined) {
      const [title = ''] = NIGHT_PAUSE.titles;
      const silent = pause === 'silent';
      slots.push({ ...PAUSE, format: NIGHT_PAUSE, title, daily: true, rerun: false, silent });
    }
    return slots;
  }

  #fill(random: Random, { band, weekly }: BandTimes, from: number, to: number): Slot[] {
    const slots: Slot[] = [];
    const used = new Set<string>();
    let at = from;
    while (at < to) {
      const room = to - at;
      const fitting = this.#formats.filter(
        ({ bands, minutes }) => bands.includes(band) && minutes.some((length) => length <= room),
      );
      const format = fitting.length === 0 ? FILLER : chooseFormat(random, fitting);
      const lengths = format.minutes.filter((length) => length <= room);
      const minutes = lengths.length === 0 ? Math.max(STEP_MINUTES, room) : random.pick(lengths);
      let title = random.pick(format.titles);
      for (let tries = 0; used.has(title) && tries < MAX_TITLE_TRIES; tries++)
        title = random.pick(format.titles);
      used.add(title);
      const rerun = (band === 'night' || band === 'afternoon') && random.chance(RERUN_CHANCE);
      slots.push({ from: at, minutes, format, title, daily: !weekly, rerun });
      at += minutes;
    }
    return slots;
  }
}
