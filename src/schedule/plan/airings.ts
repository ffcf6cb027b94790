/**
 * The airings of a series in the guide. Collected once for each requested series, and updated as programmes change.
 */
import type { ProgramId } from '../../../arib/ids.ts';
import type { EpisodeText } from '../dedupe/episode.ts';
import { type Airing, episodeKey } from '../dedupe/same-episode.ts';
import type { GuideProgram } from '../match/guide-index.ts';
import type { PlanGuide } from './plan-guide.ts';
import type { TextFacts } from './text-facts.ts';

interface Reader {
  of(text: EpisodeText): TextFacts;
  textKey(text: EpisodeText): string;
}

/** A guide has fewer airings of one series. */
const MAX_AIRINGS = 400;
const MAX_WORDS = 3;
/** Runs of letters: signs, numbers and blanks differ between stations. */
const LETTERS = /[\p{L}\p{M}ー]+/gu;

export interface GuideAiring extends Airing {
  readonly program: GuideProgram;
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

export class SeriesAirings {
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
  alike(text: EpisodeText, own: Airing): readonly GuideAiring[] {
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

  #airing(program: GuideProgram): GuideAiring {
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
