/** Facts derived from texts for the plan. Computed once per programme, since programme objects never change. */
import { removeTitleMarks } from '../../../arib/text/title-marks.ts';
import { searchText, titleText } from '../../model/search-text.ts';
import { type EpisodeText, readEpisode } from '../dedupe/episode.ts';
import { SeriesAirings } from './airings.ts';
import type { PlanGuide } from './plan-guide.ts';
import type { TextFacts } from './text-facts.ts';

export class Facts {
  readonly #known = new WeakMap<EpisodeText, TextFacts>();
  readonly #textKeys = new WeakMap<EpisodeText, string>();
  readonly #airings = new WeakMap<PlanGuide, SeriesAirings>();

  readonly #bySeries = new WeakMap<readonly EpisodeText[], ReadonlyMap<string, readonly EpisodeText[]>>();

  /** The airings of a guide by their series. */
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
