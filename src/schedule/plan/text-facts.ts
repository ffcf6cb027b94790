/** Facts derived from a title, computed once. */
import type { Episode } from '../dedupe/episode.ts';

export interface TextFacts {
  readonly episode: Episode;
  /** In normal form, without marks. */
  readonly title: string;
  readonly captioned: boolean;
}
