/**
 * The airings of a series in the guide. Read out of the guide once for each series that somebody asks for, and kept
 * up as programmes change.
 */
import type { Airing } from '../dedupe/same-episode.ts';
import type { GuideIndex, GuideProgram } from '../match/guide-index.ts';
import type { TextFacts } from './text-facts.ts';

/** Of one series a guide has fewer. */
const MAX_AIRINGS = 400;
const MAX_WORDS = 3;
/** Runs of letters: signs, numbers and blanks differ between stations. */
const LETTERS = /[\p{L}\p{M}ー]+/gu;

export interface GuideAiring extends Airing {
  readonly program: GuideProgram;
}

interface Series {
  airings: GuideAiring[];
  /** Some were replaced since they were put in. */
  stale: boolean;
}

export class SeriesAirings {
  readonly #bySeries = new Map<string, Series>();
  #version = -1;

  constructor(
    private readonly guide: GuideIndex,
    private readonly factsOf: (program: GuideProgram) => TextFacts,
  ) {}

  /** Programmes of the same series, the given one among them, in no order. */
  of(program: GuideProgram): readonly GuideAiring[] {
    this.#follow();
    const name = this.factsOf(program).episode.series;
    const series = this.#bySeries.get(name) ?? { airings: this.#find(program, name), stale: false };
    this.#bySeries.set(name, series);
    if (series.stale)
      series.airings = series.airings.filter((one) => this.guide.get(one.program.id) === one.program);
    series.stale = false;
    return series.airings;
  }

  #airing(program: GuideProgram): GuideAiring {
    return { program, startAt: program.startAt, episode: this.factsOf(program).episode };
  }

  /** Takes in what changed since it was last asked. */
  #follow(): void {
    const changed = this.guide.changedSince(this.#version);
    this.#version = this.guide.version;
    if (changed === undefined) this.#bySeries.clear();
    else if (this.#bySeries.size > 0) {
      for (const program of new Set(changed)) {
        const series = this.#bySeries.get(this.factsOf(program).episode.series);
        if (series === undefined) continue;
        series.stale = true;
        if (this.guide.get(program.id) === program) series.airings.push(this.#airing(program));
      }
    }
  }

  #find(program: GuideProgram, series: string): GuideAiring[] {
    const words = (this.factsOf(program).title.match(LETTERS) ?? []).filter((word) => series.includes(word));
    const longest = words.sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    if (longest.length === 0) return [];
    const rows = this.guide.all();
    for (const word of longest) this.guide.narrowByWord(rows, word, false);
    const found: GuideAiring[] = [];
    rows.forEach((row) => {
      const held = this.guide.at(row);
      if (held === undefined || found.length >= MAX_AIRINGS) return;
      const name = held.text.slice(0, held.titleLength);
      if (!longest.every((word) => name.includes(word))) return;
      const airing = this.#airing(held.program);
      if (airing.episode.series === series) found.push(airing);
    });
    return found;
  }
}
