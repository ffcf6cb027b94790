/** The part of a title that is common to a series: the words to search for other episodes. */
import { narrow } from './channel.ts';
import { splitTitle } from './title.ts';

/** From here on a title is about the episode: number, subtitle, contents. */
const EPISODE =
  /\s*(?:[#＃♯]\s*\d+|第\s*[\d一二三四五六七八九十百]+\s*[話回夜章部]|Episode[.\s]*\d+|EP\s*\d+|[(（]\s*\d+\s*[)）]|[▽▼◇◆★☆■]|[「『【～〜]).*$/iu;
const LEAST = 2;

export function seriesWords(name: string): string {
  const title = narrow(splitTitle(name).title);
  const cut = title.replace(EPISODE, '').trim();
  return Array.from(cut).length >= LEAST ? cut : title;
}
