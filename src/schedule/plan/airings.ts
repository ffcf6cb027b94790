/**
 * What the plan derives from the texts of the guide: facts of a programme, computed once; the airings of a series, collected
 * for each requested series and updated as programmes change; repeats of an episode. Pure.
 */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../../lib/arib/text/title-marks.ts';
import type { BroadcastMs } from '../../../lib/arib/time.ts';
import { searchText, titleText } from '../../model/search-text.ts';
import { type Episode, type EpisodeText, readEpisode } from '../dedupe/episode.ts';
import { type EpisodeAiring, episodeKey, isSameEpisode } from '../dedupe/same-episode.ts';
import type { IndexedProgram } from '../match/program-rows.ts';
import type { PlanGuide } from './plan-guide.ts';

/** Facts derived from texts for the plan. Computed once per programme, since programme objects never change. */
export class Facts {
  readonly #known = new WeakMap<EpisodeText, TextFacts>();
  readonly #textKeys = new WeakMap<EpisodeText, string>();
  readonly #airings = new WeakMap<PlanGuide, SeriesAirings>();

  readonly #bySeries = new WeakMap<readonly EpisodeText[], ReadonlyMap<string, readonly EpisodeText[]>>();

  airings(guide: PlanGuide): SeriesAirings {
    const known = this.#airings.get(guide);
    if (known !== undefined) return known;
    const airings = new SeriesAirings(guide, this);
    this.#airings.set(guide, airings);
    return airings;
  }

  /** Texts by series; computed once as long as the list is the same object. */
  bySeries<T extends EpisodeText>(texts: readonly T[]): ReadonlyMap<string, readonly T[]> {
    const known = this.#bySeries.get(texts) as ReadonlyMap<string, readonly T[]> | undefined;
    if (known !== undefined) return known;
    const bySeries = Map.groupBy(texts, (text) => this.of(text).episode.series);
    this.#bySeries.set(texts, bySeries);
    return bySeries;
  }

  /** Equal for texts with the same title and description. Rarely needed, so it is computed on demand. */
  textKey(text: EpisodeText): string {
    const known = this.#textKeys.get(text);
    if (known !== undefined) return known;
    const key = `${this.of(text).title}\n${searchText(text.description)}`;
    this.#textKeys.set(text, key);
    return key;
  }

  of(text: EpisodeText): TextFacts {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const facts: TextFacts = {
      episode: readEpisode(text),
      title: titleText(text.name),
      captioned: removeTitleMarks(text.name).marks.some((mark) => mark.meaning === 'captions'),
    };
    this.#known.set(text, facts);
    return facts;
  }
}

interface TextFacts {
  readonly episode: Episode;
  /** In normal form, without marks. */
  readonly title: string;
  readonly captioned: boolean;
}

interface Reader {
  of(text: EpisodeText): TextFacts;
  textKey(text: EpisodeText): string;
}

/** A guide has fewer airings of one series. */
const MAX_AIRINGS = 400;
const MAX_WORDS = 3;
/** Runs of letters: signs, numbers and blanks differ between stations. */
const LETTERS = /[\p{L}\p{M}ー]+/gu;

interface GuideAiring extends EpisodeAiring {
  readonly program: IndexedProgram;
}

interface Series {
  /** Words in the title of every airing. */
  words: readonly string[];
  /** By `episodeKey`. */
  readonly airings: Map<string, GuideAiring[]>;
  /** The same by `textKey`. */
  readonly texts: Map<string, GuideAiring[]>;
  /** Number of airings. */
  count: number;
}

class SeriesAirings {
  readonly #bySeries = new Map<string, Series>();
  /** Airings of all series. */
  readonly #byProgram = new Map<ProgramId, GuideAiring>();
  #version = -1;

  constructor(
    private readonly guide: PlanGuide,
    private readonly facts: Reader,
  ) {}

  /** Airings of the same series with the same texts, including the given one if the guide has it, in no order. */
  ofText(text: EpisodeText): readonly GuideAiring[] {
    return this.#series(text).texts.get(this.facts.textKey(text)) ?? [];
  }

  /**
   * Airings of the same series that may show the same episode: a few, even if the series has hundreds of airings.
   * @param own the episode of the text
   */
  alike(text: EpisodeText, own: EpisodeAiring): readonly GuideAiring[] {
    return this.#series(text).airings.get(episodeKey(own)) ?? [];
  }

  #series(program: EpisodeText): Series {
    this.#follow();
    const name = this.facts.of(program).episode.series;
    const known = this.#bySeries.get(name);
    if (known !== undefined) return known;
    const series = this.#find(program, name);
    this.#bySeries.set(name, series);
    return series;
  }

  #airing(program: IndexedProgram): GuideAiring {
    return { program, startAt: program.startAt, episode: this.facts.of(program).episode };
  }

  /** Applies changes since the last request. */
  #follow(): void {
    const changed = this.guide.changedSince(this.#version);
    if (changed === undefined) {
      this.#bySeries.clear();
      this.#byProgram.clear();
      // Changes are tracked from here on.
      this.guide.whole();
    } else if (changed.length > 0 && this.#bySeries.size > 0) this.#change(new Set(changed));
    this.#version = this.guide.version;
  }

  #change(ids: ReadonlySet<ProgramId>): void {
    const all = [...this.#bySeries.values()];
    for (const id of ids) {
      this.#takeOut(id);
      const program = this.guide.get(id);
      if (program === undefined) continue;
      // Parsing the episode of a text costs more than searching for words.
      const title = this.guide.texts.title(program);
      if (!all.some(({ words }) => hasWords(title, words))) continue;
      const airing = this.#airing(program);
      const series = this.#bySeries.get(airing.episode.series);
      if (series !== undefined) this.#put(series, airing);
    }
  }

  #takeOut(id: ProgramId): void {
    const airing = this.#byProgram.get(id);
    const series = airing === undefined ? undefined : this.#bySeries.get(airing.episode.series);
    if (airing === undefined || series === undefined) return;
    this.#byProgram.delete(id);
    takeOut(series.airings, episodeKey(airing), airing);
    takeOut(series.texts, this.facts.textKey(airing.program), airing);
  }

  #put(series: Series, airing: GuideAiring): void {
    put(series.airings, episodeKey(airing), airing);
    put(series.texts, this.facts.textKey(airing.program), airing);
    series.count += 1;
    this.#byProgram.set(airing.program.id, airing);
  }

  #find(program: EpisodeText, name: string): Series {
    const runs = (this.facts.of(program).title.match(LETTERS) ?? []).filter((word) => name.includes(word));
    const words = runs.sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    const found: Series = { words, airings: new Map(), texts: new Map(), count: 0 };
    if (words.length === 0) return found;
    const guide = this.guide.whole();
    const rows = guide.all();
    for (const word of words) guide.narrowByWord(rows, word, false);
    rows.forEach((row) => {
      const program = guide.at(row);
      if (program === undefined || found.count >= MAX_AIRINGS) return;
      if (!hasWords(guide.texts.title(program), words)) return;
      const airing = this.#airing(program);
      if (airing.episode.series === name) this.#put(found, airing);
    });
    return found;
  }
}

function put(by: Map<string, GuideAiring[]>, key: string, airing: GuideAiring): void {
  const known = by.get(key);
  if (known === undefined) by.set(key, [airing]);
  else known.push(airing);
}

function takeOut(by: Map<string, GuideAiring[]>, key: string, airing: GuideAiring): void {
  const left = by.get(key)?.filter((one) => one !== airing) ?? [];
  if (left.length === 0) by.delete(key);
  else by.set(key, left);
}

function hasWords(title: string, words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => title.includes(word));
}

interface AiredText extends EpisodeText {
  readonly startAt: BroadcastMs;
}

/** For programmes without episode data, such as films: same title and same description. */
function isSameText(facts: Facts, a: EpisodeText, b: EpisodeText): boolean {
  return facts.of(a).title === facts.of(b).title && facts.textKey(a) === facts.textKey(b);
}

/** Whether both are the same episode, regardless of time. */
export function isRepeat(facts: Facts, a: AiredText, b: AiredText): boolean {
  const own = { episode: facts.of(a).episode, startAt: a.startAt };
  return isSameEpisode(own, { episode: facts.of(b).episode, startAt: b.startAt }) || isSameText(facts, a, b);
}

/**
 * Airings of the same programme that have not begun and may be recorded, in no order.
 * @param text the guide's object if it has one: its facts are cached
 * @param startAt start of the airing with this text, epoch ms
 */
export function repeats(
  guide: PlanGuide,
  facts: Facts,
  text: EpisodeText,
  startAt: BroadcastMs,
  now: BroadcastMs,
): IndexedProgram[] {
  const own = { episode: facts.of(text).episode, startAt };
  const isComing = ({ program }: GuideAiring): boolean => program.startAt >= now && !program.copyNever;
  const airings = facts.airings(guide);
  // Even a series with hundreds of airings has few of the same episode.
  const alike = airings.alike(text, own).filter((one) => isComing(one) && isSameEpisode(own, one));
  const worded = airings.ofText(text).filter(isComing);
  return [...new Set([...alike, ...worded].map(({ program }) => program))];
}

/** The first airing that has not begun and may be recorded. @param excluded programmes that must not be booked */
export function nextAiring(
  guide: PlanGuide,
  facts: Facts,
  text: AiredText,
  excluded: ReadonlySet<ProgramId>,
  now: BroadcastMs,
): IndexedProgram | undefined {
  return repeats(guide, facts, text, text.startAt, now)
    .filter(({ id }) => !excluded.has(id))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)[0];
}
