/**
 * A year of simulated television, minute by minute: what stations announce, and what they air instead. Games
 * overrun or continue on another station; programmes move, change their event id or are cancelled; episodes
 * are repeated.
 */
import { eventId, type ProgramId, programId, type StationId, splitStationId } from '../../lib/arib/ids.ts';
import { broadcastMs, JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { IndexedProgram } from '../../src/schedule/match/program-rows.ts';
import type { Random } from '../fuzz/random.ts';

const MINUTE = 60_000;
const DAY_MINUTES = 1440;
const DAY = DAY_MINUTES * MINUTE;
/** The broadcast day begins at 05:00. */
const DAY_BEGIN = 5 * 60 * MINUTE;
const EXTENSION = 30 * MINUTE;
/** A guide is announced eight days ahead. */
const RECENT_DAYS = 9;

/** Properties of a programme that are not in the guide. */
export interface Aired {
  readonly program: IndexedProgram;
  readonly series: string;
  /** null: a series without episodes. */
  readonly episode: number | null;
}

export interface AirStation {
  readonly id: StationId;
  /** The station on which its games continue. */
  readonly branch: StationId | null;
}

/** Minutes from 05:00. */
interface Planned {
  readonly at: number;
  readonly length: number;
  readonly series: string;
  readonly episode: number | null;
  readonly name: string;
}

interface Series {
  readonly name: string;
  /** Minutes. */
  readonly length: number;
  readonly weekday: number;
  /** Minutes from 05:00. */
  readonly at: number;
  readonly station: StationId;
  /** Days after which it is repeated, and the station; null: never. */
  readonly again: { readonly days: number; readonly station: StationId; readonly at: number } | null;
}

interface Change {
  readonly put: readonly Aired[];
  readonly remove: readonly ProgramId[];
}

const WORDS = [
  '灯台',
  '海鳴り',
  '星の港',
  '霧の橋',
  '昭和の食卓',
  '鬼面の剣',
  '月夜の駅',
  '北の工房',
  '風の谷間',
  '雪あかり',
];
const KINDS = ['物語', '日記', '紀行', '事件帖', '食堂', '学園'];

function numbered(name: string, episode: number, again: boolean, style: number): string {
  const subtitle = `その日の${episode}番目の風`;
  switch (style % 4) {
    case 0:
      return `${name}　＃${episode}「${subtitle}」${again ? '[再]' : '[字]'}`;
    case 1:
      return `${name} 第${episode}話「${subtitle}」`;
    case 2:
      return `🈑${name}(${episode})「${subtitle}」${again ? '（再）' : ''}`;
    default:
      return `${name} EP${episode}「${subtitle}」`;
  }
}

/** Delay after the announced end until the tables announce an extension. */
const LATE = 7 * MINUTE;

export class Air {
  readonly series: readonly Series[];
  /** Everything that was or will be aired, in its latest version. */
  readonly aired = new Map<ProgramId, Aired>();
  /** Those of them that ended recently or later. */
  #recent = new Map<ProgramId, Aired>();
  readonly #numbers = new Map<StationId, number>();
  readonly #extended = new Set<ProgramId>();
  /** Changes on air that are not announced yet. */
  readonly #unannounced: { at: number; change: Change }[] = [];
  /** Programmes that overran without an announcement. */
  readonly silent = new Set<ProgramId>();

  constructor(
    private readonly random: Random,
    private readonly stations: readonly AirStation[],
    private readonly firstDay: number,
    seriesCount: number,
  ) {
    const main = stations.filter(({ id }) => !stations.some(({ branch }) => branch === id));
    const station = (): StationId => (main[random.below(main.length)] ?? main[0])?.id ?? (0 as StationId);
    this.series = Array.from({ length: seriesCount }, (_, index) => ({
      name: `${WORDS[index % WORDS.length]}${KINDS[Math.floor(index / WORDS.length) % KINDS.length]}`,
      length: [30, 30, 60, 45][random.below(4)] ?? 30,
      weekday: random.below(7),
      at: (13 + random.below(6)) * 60 + ([0, 0, 30, 15][random.below(4)] ?? 0),
      station: station(),
      again:
        random.below(3) === 0
          ? null
          : { days: 1 + random.below(12), station: station(), at: (1 + random.below(22)) * 60 },
    }));
  }

  /** The programmes of one day of all stations, announced. */
  day(number: number): Aired[] {
    const found = this.stations.flatMap(({ id }) => this.#dayOf(id, number));
    for (const one of found) {
      this.aired.set(one.program.id, one);
      this.#recent.set(one.program.id, one);
    }
    const old = this.#start(number) - RECENT_DAYS * DAY;
    for (const [id, { program }] of this.#recent) {
      if (program.endAt < old) this.#recent.delete(id);
    }
    return found;
  }

  #start(number: number): number {
    return this.firstDay + number * DAY;
  }

  #dayOf(station: StationId, number: number): Aired[] {
    const fixed: Planned[] = this.series.flatMap((series) => this.#shown(series, station, number));
    // On some evenings a game, which replaces other programmes.
    if (this.#branchOf(station) !== null && this.random.below(3) === 0)
      fixed.unshift({
        at: 14 * 60,
        length: 120,
        series: '野球中継',
        episode: null,
        name: '野球中継「本日の一戦」',
      });
    const taken: Planned[] = [];
    for (const one of fixed) {
      if (taken.every((other) => one.at >= other.at + other.length || other.at >= one.at + one.length))
        taken.push(one);
    }
    taken.sort((a, b) => a.at - b.at);
    const day: Aired[] = [];
    let at = 0;
    const fill = (until: number): void => {
      while (at < until) {
        const length = Math.min([30, 60, 55, 120][this.random.below(4)] ?? 30, until - at);
        const name = `情報の窓${this.random.below(50)}`;
        day.push(this.#make(station, number, at, length, { name, series: '', episode: null }));
        at += length;
      }
    };
    for (const one of taken) {
      fill(one.at);
      day.push(this.#make(station, number, one.at, one.length, one));
      at = one.at + one.length;
    }
    fill(DAY_MINUTES);
    return day;
  }

  #shown(series: Series, station: StationId, number: number): Planned[] {
    const weekOf = (day: number): number => Math.floor((day - series.weekday) / 7);
    const isOn = (day: number): boolean => day >= 0 && day % 7 === series.weekday;
    const shown: Planned[] = [];
    const { name, length, again } = series;
    if (station === series.station && isOn(number)) {
      const episode = weekOf(number) + 1;
      shown.push({
        at: series.at,
        length,
        series: name,
        episode,
        name: numbered(name, episode, false, number),
      });
    }
    if (again !== null && station === again.station && isOn(number - again.days)) {
      const episode = weekOf(number - again.days) + 1;
      shown.push({
        at: again.at,
        length,
        series: name,
        episode,
        name: numbered(name, episode, true, number + 1),
      });
    }
    return shown;
  }

  #make(
    station: StationId,
    day: number,
    at: number,
    length: number,
    what: { name: string; series: string; episode: number | null },
  ): Aired {
    const startAt = this.#start(day) + at * MINUTE;
    const program: IndexedProgram = {
      id: this.#id(station),
      stationId: station,
      startAt: broadcastMs(startAt),
      endAt: broadcastMs(startAt + length * MINUTE),
      openEnd: false,
      name: what.name,
      description: '',
      extended: null,
      genres: [],
      isFree: true,
      copyNever: this.random.below(200) === 0,
      groups: [],
    };
    return { program, series: what.series, episode: what.episode };
  }

  #id(station: StationId): ProgramId {
    const number = ((this.#numbers.get(station) ?? 0) + 1) % 60_000;
    this.#numbers.set(station, number);
    return programId(station, eventId(number));
  }

  #branchOf(station: StationId): StationId | null {
    return this.stations.find(({ id }) => id === station)?.branch ?? null;
  }

  #set(change: { put: Aired[]; remove: ProgramId[] }, aired: Aired): void {
    this.aired.set(aired.program.id, aired);
    this.#recent.set(aired.program.id, aired);
    change.put.push(aired);
  }

  #drop(change: { put: Aired[]; remove: ProgramId[] }, id: ProgramId): void {
    this.aired.delete(id);
    this.#recent.delete(id);
    change.remove.push(id);
  }

  /** Programmes of a station that begin at or after a time, on the same broadcast day. */
  #behind(station: StationId, from: number): Aired[] {
    const dayEnd =
      (Math.floor((from + JST_OFFSET_MS - DAY_BEGIN) / DAY) + 1) * DAY - JST_OFFSET_MS + DAY_BEGIN;
    return [...this.#recent.values()]
      .filter(
        ({ program }) => program.stationId === station && program.startAt >= from && program.startAt < dayEnd,
      )
      .sort((a, b) => a.program.startAt - b.program.startAt);
  }

  /** New announcements of the stations at a minute; undefined: none. */
  announcements(now: number): Change | undefined {
    const change: { put: Aired[]; remove: ProgramId[] } = { put: [], remove: [] };
    for (const aired of this.#recent.values()) {
      const { program } = aired;
      // Decided five minutes before the game's end.
      if (aired.series !== '野球中継' || program.endAt !== now + 5 * MINUTE || this.#extended.has(program.id))
        continue;
      this.#extended.add(program.id);
      const kind = this.random.below(3);
      if (kind === 0) this.#extend(change, aired);
      else if (kind === 1) this.#relay(change, aired);
      else this.#overrunUnannounced(aired);
    }
    while (this.#unannounced[0] !== undefined && this.#unannounced[0].at <= now) {
      const due = this.#unannounced.shift()?.change;
      // The current state stays.
      for (const { program } of due?.put ?? []) {
        const aired = this.aired.get(program.id);
        if (aired !== undefined) change.put.push(aired);
      }
    }
    if ((now / MINUTE) % 97 === 0) this.#move(change, now);
    return change.put.length + change.remove.length === 0 ? undefined : change;
  }

  /** The programme overruns, and its tables announce it only afterwards. */
  #overrunUnannounced(game: Aired): void {
    const change = { put: [], remove: [] };
    this.#extend(change, game);
    if (change.put.length === 0) return;
    this.silent.add(game.program.id);
    this.#unannounced.push({ at: game.program.endAt + LATE, change });
  }

  /** The present and following programme of a station at a minute, independent of the guide. */
  onAir(station: StationId, now: number): { present: ProgramId | null; following: ProgramId | null } {
    let present: ProgramId | null = null;
    let following: { id: ProgramId; startAt: number } | null = null;
    for (const { program } of this.#recent.values()) {
      const { id, stationId, startAt, endAt } = program;
      if (stationId !== station || endAt <= now) continue;
      if (startAt <= now) present = id;
      else if (following === null || startAt < following.startAt) following = { id, startAt };
    }
    return { present, following: following?.id ?? null };
  }

  /** The programme overruns; all following ones move, and the last of the day is shortened. */
  #extend(change: { put: Aired[]; remove: ProgramId[] }, game: Aired): void {
    const { program } = game;
    const behind = this.#behind(program.stationId, program.endAt);
    const last = behind.at(-1);
    const length = last === undefined ? 0 : last.program.endAt - last.program.startAt;
    if (last === undefined || length <= EXTENSION || last.series !== '') return;
    this.#set(change, { ...game, program: { ...program, endAt: broadcastMs(program.endAt + EXTENSION) } });
    for (const one of behind) {
      const startAt = broadcastMs(one.program.startAt + EXTENSION);
      const endAt = one === last ? one.program.endAt : broadcastMs(one.program.endAt + EXTENSION);
      this.#set(change, { ...one, program: { ...one.program, startAt, endAt } });
    }
  }

  /** The game continues on the branch, in place of the announced programme. */
  #relay(change: { put: Aired[]; remove: ProgramId[] }, game: Aired): void {
    const { program } = game;
    const branch = this.#branchOf(program.stationId);
    if (branch === null) return;
    const from = program.endAt;
    const to = from + 60 * MINUTE;
    for (const one of [...this.#recent.values()]) {
      const other = one.program;
      if (other.stationId !== branch || other.startAt >= to || other.endAt <= from) continue;
      if (other.startAt < from) this.#set(change, { ...one, program: { ...other, endAt: from } });
      else this.#drop(change, other.id);
    }
    const rest: IndexedProgram = {
      ...program,
      id: this.#id(branch),
      stationId: branch,
      startAt: from,
      endAt: broadcastMs(to),
      name: '中継のつづき',
      groups: [],
      copyNever: false,
    };
    const parts = splitStationId(branch);
    if (parts === undefined) return;
    const events = [{ ...parts, eventId: eventId(rest.id % 100_000) }];
    this.#set(change, { program: rest, series: program.copyNever ? '' : '中継のつづき', episode: null });
    this.#set(change, { ...game, program: { ...program, groups: [{ type: 'relay', events }] } });
  }

  /** Days in advance: one programme changes its event id, one is replaced by another. */
  #move(change: { put: Aired[]; remove: ProgramId[] }, now: number): void {
    const later = [...this.#recent.values()].filter(
      ({ program, episode }) =>
        episode !== null && program.startAt > now + DAY && program.startAt < now + 4 * DAY,
    );
    const one = later[this.random.below(Math.max(1, later.length))];
    if (one === undefined) return;
    this.#drop(change, one.program.id);
    const id = this.#id(one.program.stationId);
    if (this.random.below(4) === 0)
      this.#set(change, { program: { ...one.program, id, name: '臨時の知らせ' }, series: '', episode: null });
    else this.#set(change, { ...one, program: { ...one.program, id } });
  }
}
