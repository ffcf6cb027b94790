/** What is read out of texts for the plan: once a programme, since programmes never change. */
import { removeTitleMarks } from '../../../arib/text/title-marks.ts';
import { titleText } from '../../model/search-text.ts';
import { type Episode, type EpisodeText, readEpisode } from '../dedupe/episode.ts';

export interface TextFacts {
  readonly episode: Episode;
  /** In normal form, without marks. */
  readonly title: string;
  readonly captioned: boolean;
}

export class Facts {
  readonly #known = new WeakMap<EpisodeText, TextFacts>();

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
