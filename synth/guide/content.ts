/** Texts and marks of generated programmes, and their adaptation to a station. */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { hash, Random } from '../random.ts';
import type { AudioMode, StationPlan } from '../scenario/model.ts';
import type { ExtendedItem } from '../si/descriptors.ts';
import { encodeText, fitText } from '../text/encode.ts';
import { FORMATS, INSTEAD, NIGHT_PAUSE } from './formats.ts';
import { hasSeasons, LONG_RUN, partOf, SEASON_PARTS, STYLE_COUNT, wide, written } from './numbering.ts';
import {
  type Content,
  DAY_MS,
  MAX_DESCRIPTION_BYTES,
  MAX_HEADING_BYTES,
  MAX_ITEM_BYTES,
  MAX_TITLE_BYTES,
  type Series,
} from './programme.ts';
import { PLACES, paragraphs, people, report, sentence } from './prose.ts';
import type { Slot } from './slots.ts';
import { traitsOf } from './traits.ts';

const MARK = {
  captions: '🈑',
  data: '🈓',
  dual: '🈔',
  commentary: '🈖',
  free: '🈚',
  rerun: '🈞',
  stereo: '🅂',
  surround: '🅍',
  first: '🈟',
  last: '🈡',
  live: '🈢',
} as const;

/** A programme before it is adapted to a station. */
export interface Raw {
  before: readonly string[];
  text: string;
  after: readonly string[];
  description: string;
  items: ExtendedItem[];
  genres: (readonly [number, number])[];
  notes: readonly number[];
  series: Series | null;
  minimumAge: number | null;
  /** Copy-never on pay stations. */
  precious: boolean;
  pause: boolean;
}

/** Every numbered title has one form of numbering, wherever it is shown; all forms are used. */
const STYLE_OF = new Map<string, number>(
  FORMATS.filter(({ numbered }) => numbered)
    .flatMap(({ titles }) => titles)
    .map((title, index) => [title, index % STYLE_COUNT]),
);

const SPORTS = 0x1;
const MUSIC = 0x4;
const FILM = 0x6;
const DRAMA = 0x3;
const DOCUMENTARY = 0x8;
const ANIMATION = 0x7;
/** Genres with long descriptions. */
const STORIES: readonly number[] = [DRAMA, FILM, DOCUMENTARY];
const SURROUND_GENRES: readonly number[] = [SPORTS, MUSIC, FILM];
const TALES: readonly number[] = [DRAMA, FILM, ANIMATION];
const MAY_BE_EXTENDED = 0x01;
const MAY_BE_CANCELLED = 0x00;
/** R15+ of the film industry. */
const MATURE_AGE = 15;

interface RawSource {
  seed: number;
  station: StationPlan;
  /** Number of the broadcast day, and the start of the programme. */
  day: number;
  startAt: BroadcastMs;
}

/** Number of parts that a weekly or daily series has shown before a day. */
function partCount({ seed, day }: RawSource, slot: Slot): number {
  const count = slot.daily ? day : Math.floor((day + 4) / 7);
  return count + new Random(seed, slot.title).below(LONG_RUN);
}

/** The same combination of two subtitles is rare within a month. */
function subtitleOf(subtitles: readonly string[], title: string, running: number): string {
  const pick = (index: number) => subtitles[index % subtitles.length] ?? '';
  const first = pick(running);
  const second = pick(running + 1 + (Math.floor(running / subtitles.length) % (subtitles.length - 1 || 1)));
  return first === '' || second === '' || first === second || hash(title) % 3 === 0
    ? first
    : `${first}と${second}`;
}

function genresOf(slot: Slot, random: Random): (readonly [number, number])[] {
  const { genres } = slot.format;
  const first = genres[hash(slot.title) % genres.length];
  const second =
    genres.length > 1 && random.chance(0.3) ? genres.find((genre) => genre !== first) : undefined;
  return [first, second].filter((genre) => genre !== undefined);
}

function tellerOf(level1: number): (random: Random) => string {
  return TALES.includes(level1) ? sentence : report;
}

function itemsOf(random: Random, slot: Slot, level1: number): ExtendedItem[] {
  const items: ExtendedItem[] = slot.format.headings.map((heading) => ({
    heading: fitText(heading, MAX_HEADING_BYTES),
    text: `${people(random, 2 + random.below(5))}　ほか（${random.pick(PLACES)}）`,
  }));
  if (slot.minutes < 30 || slot.format.headings.length === 0) return items;
  const isStory = STORIES.includes(level1) && slot.minutes >= 45;
  const length = isStory && random.chance(0.3) ? 700 + random.below(800) : 60 + random.below(160);
  const own = [...new Set(Array.from({ length: 3 }, () => random.pick(slot.format.sentences)))].join('');
  return [...contentItems(`${own}\n${paragraphs(random, length, tellerOf(level1))}`), ...items];
}

/** Two descriptors each; an event has space for thirteen, including those with the cast. */
const MAX_CONTENT_ITEMS = 5;

/** A long text as broadcasters send it: under numbered headings, each as long as receivers join. */
function contentItems(text: string): ExtendedItem[] {
  const texts: string[] = [];
  let bytes = MAX_ITEM_BYTES;
  for (const part of text.split(/(?<=[。？…])/)) {
    const more = encodeText(part).length + SHIFTS;
    const fits = bytes + more <= MAX_ITEM_BYTES;
    if (fits) texts.push(`${texts.pop() ?? ''}${part}`);
    else texts.push(part);
    bytes = fits ? bytes + more : more;
  }
  return texts.slice(0, MAX_CONTENT_ITEMS).map((one, index) => ({
    heading: index === 0 ? '番組内容' : `番組内容${wide(index + 1)}`,
    text: one.trim(),
  }));
}

function seriesOf(source: RawSource, slot: Slot, episode: number, lastEpisode: number): Series {
  const { part } = partOf(partCount(source, slot));
  const days = (SEASON_PARTS - part) * (slot.daily ? 1 : 7);
  return {
    id: hash(slot.title) & 0xffff,
    name: slot.title,
    repeatLabel: slot.rerun ? 1 : 0,
    pattern: slot.daily ? 1 : 2,
    expireAt: lastEpisode === 0 ? null : broadcastMs(source.startAt + days * DAY_MS),
    episode,
    lastEpisode,
  };
}

/** Sound marks that match the station's streams. */
function soundMarks(random: Random, { audios, habits }: StationPlan, level1: number): string[] {
  const marks: string[] = [];
  if (audios[0]?.mode === 'dual' && random.chance(level1 === FILM || level1 === 0 ? 0.8 : 0.3)) {
    marks.push(MARK.dual);
  }
  if (habits?.surround && SURROUND_GENRES.includes(level1) && random.chance(0.5)) marks.push(MARK.surround);
  if (audios.length > 1 && random.chance(STORIES.includes(level1) ? 0.8 : 0.2)) marks.push(MARK.commentary);
  return marks;
}

export function rawOf(source: RawSource, slot: Slot): Raw {
  const { seed, station, day } = source;
  const { format, title } = slot;
  const random = new Random(seed, station.serviceId, day, slot.from);
  const genres = genresOf(slot, random);
  const [[level1] = [0xf]] = genres;
  const part = partOf(partCount(source, slot));
  const style = STYLE_OF.get(title);
  const isLive = slot.sports !== undefined || slot.continues !== undefined;
  // Both parts of a relayed evening name the same teams.
  const choice = isLive ? new Random(seed, day, title) : random;
  const subtitle =
    style === undefined ? choice.pick(format.subtitles) : subtitleOf(format.subtitles, title, part.running);
  const number =
    style === undefined
      ? { title: subtitle === '' ? '' : `　${subtitle}`, description: '', episode: 0, lastEpisode: 0 }
      : written(style, part, subtitle);
  const seasons = style !== undefined && hasSeasons(style);
  const before: string[] = [];
  if (seasons && part.part === 1) before.push(MARK.first);
  if (seasons && part.part === SEASON_PARTS) before.push(MARK.last);
  if (isLive) before.push(MARK.live);
  const marks = [
    ...format.marks.filter((mark) => random.chance(0.8) && !(slot.rerun && mark === MARK.live)),
    ...soundMarks(random, station, level1),
  ];
  const sentences = [...new Set([random.pick(format.sentences), random.pick(format.sentences)])].join('');
  return {
    before,
    text: `${title}${number.title}${slot.continues === undefined ? '' : '（つづき）'}`,
    after: [...new Set(marks)].filter((mark) => !before.includes(mark)),
    description: `${number.description}${isLive ? sentences : `${sentences}${tellerOf(level1)(random)}`}`,
    items: itemsOf(random, slot, level1),
    genres,
    notes: isLive ? [MAY_BE_EXTENDED] : slot.cancelled ? [MAY_BE_CANCELLED] : [],
    series: style === undefined ? null : seriesOf(source, slot, number.episode, number.lastEpisode),
    minimumAge: level1 === FILM && hash(title) % 3 === 0 ? MATURE_AGE : null,
    precious: level1 === FILM && hash(title) % 2 === 0,
    pause: format === NIGHT_PAUSE,
  };
}

/** The replacement of a cancelled programme. */
export function insteadOf(source: RawSource, slot: Slot): Raw {
  const random = new Random(source.seed, source.station.serviceId, source.day, 'instead');
  const { from, minutes } = slot;
  const title = random.pick(INSTEAD.titles);
  return rawOf(source, { from, minutes, format: INSTEAD, title, daily: false, rerun: false });
}

/** A repeat: marked and numbered as such. */
export function again(raw: Raw): Raw {
  const { before, after, series } = raw;
  const lasting = (marks: readonly string[]) =>
    marks.filter((mark) => mark !== MARK.live && mark !== MARK.rerun);
  return {
    ...raw,
    before: lasting(before),
    after: lasting(after),
    series: series === null ? null : { ...series, repeatLabel: series.repeatLabel + 1 },
  };
}

/** @param own mode of the station's first audio stream by default */
function soundOf(title: string, own: AudioMode, byProgramme: boolean): AudioMode {
  if (title.includes(MARK.surround)) return 'surround';
  return byProgramme && own === 'dual' && !title.includes(MARK.dual) ? 'stereo' : own;
}

/** A programme as a station shows it: with its streams and its price. */
export function dress(raw: Raw, station: StationPlan, isRerun: boolean): Content {
  const byProgramme = station.habits?.soundByProgramme === true;
  const isFree =
    station.pay !== true || raw.genres.some(([level1, level2]) => level1 === 0x2 && level2 !== 5);
  const surround = station.habits?.surround === true && raw.after.includes(MARK.surround);
  const possible: Partial<Record<string, boolean>> = {
    [MARK.captions]: station.captions !== undefined,
    [MARK.data]: (station.data ?? 'none') !== 'none',
    [MARK.dual]: station.audios[0]?.mode === 'dual',
    [MARK.commentary]: station.audios.length > 1,
    [MARK.stereo]: station.audios[0]?.mode === 'stereo' && !surround,
    [MARK.surround]: surround,
  };
  const own = (marks: readonly string[]) =>
    marks.filter((mark) => possible[mark] !== false && !(isRerun && mark === MARK.rerun)).join('');
  const price = station.pay === true && isFree ? MARK.free : '';
  const tail = `${own(raw.after)}${price}${isRerun ? MARK.rerun : ''}`;
  const head = own(raw.before);
  const room = MAX_TITLE_BYTES - encodeText(head).length - encodeText(tail).length;
  const title = `${head}${fitText(raw.text, room - SHIFTS)}${tail}`;
  const traits = traitsOf(title, raw.genres, station.audios);
  return {
    ...traits,
    title,
    description: fitText(raw.description, MAX_DESCRIPTION_BYTES),
    items: raw.items,
    genres: raw.genres,
    notes: raw.notes,
    sound: soundOf(title, traits.sound, byProgramme),
    audioCount: byProgramme && !title.includes(MARK.commentary) ? 1 : traits.audioCount,
    captions: traits.captions && station.captions !== undefined,
    copyControl:
      station.pay === true && raw.precious ? 'never' : isFree && station.pay === true ? 'free' : 'once',
    isFree,
    pause: raw.pause,
    series: raw.series,
    minimumAge: raw.minimumAge,
  };
}

/** Bytes that joining texts may cost: a size and a shift at either end. */
const SHIFTS = 4;
