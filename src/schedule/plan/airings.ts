/**
 * The airings of a series in the guide. Read out of the guide once for each series that somebody asks for, and kept
 * up as programmes change.
 */
import type { GuideIndex, GuideProgram } from '../match/guide-index.ts';
import type { TextFacts } from './text-facts.ts';

/** Of one series a guide has fewer. */
const MAX_AIRINGS = 400;
const MAX_WORDS = 3;
/** Runs of letters: signs, numbers and blanks differ between stations. */
const LETTERS = /[\p{L}\p{M}ー]+/gu;

export class SeriesAirings {
  readonly #bySeries = new Map<string, GuideProgram[]>();
  #version = -1;

  constructor(
    private readonly guide: GuideIndex,
    private readonly factsOf: (program: GuideProgram) => TextFacts,
  ) {}

  /** Programmes of the same series, the given one among them, in no order. */
  of(program: GuideProgram): readonly GuideProgram[] {
    this.#follow();
    const { series } = this.factsOf(program).episode;
    const known = this.#bySeries.get(series) ?? this.#find(program, series);
    const current = known.filter((one) => this.guide.get(one.id) === one);
    this.#bySeries.set(series, current);
    return current;
  }

  /** Takes in what changed since it was last asked. */
  #follow(): void {
    const changed = this.guide.changedSince(this.#version);
    this.#version = this.guide.version;
    if (changed === undefined) this.#bySeries.clear();
    else if (this.#bySeries.size > 0) {
      for (const program of new Set(changed)) {
        if (this.guide.get(program.id) !== program) continue;
        this.#bySeries.get(this.factsOf(program).episode.series)?.push(program);
      }
    }
  }

  #find(program: GuideProgram, series: string): GuideProgram[] {
    const words = (this.factsOf(program).title.match(LETTERS) ?? []).filter((word) => series.includes(word));
    const longest = words.sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    if (longest.length === 0) return [];
    const rows = this.guide.all();
    for (const word of longest) this.guide.narrowByWord(rows, word, false);
    const found: GuideProgram[] = [];
    rows.forEach((row) => {
      const held = this.guide.at(row);
      if (held === undefined || found.length >= MAX_AIRINGS) return;
      const name = held.text.slice(0, held.titleLength);
      if (!longest.every((word) => name.includes(word))) return;
      if (this.factsOf(held.program).episode.series === series) found.push(held.program);
    });
    return found;
  }
}
