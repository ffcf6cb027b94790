/** What completes the words while they are typed: earlier searches, titles, and people of the cast. */
import type { SearchResult } from '../../lib/wire/api.ts';
import { fold } from '../words/highlight.ts';
import { splitTitle, wholeEpisodes } from '../words/title.ts';

const MOST = 5;
const MOST_EARLIER = 2;
/** A longer one is a sentence, not a name. */
const LONGEST = 24;
/** The title of an episode, or a remark, follows the name of the series. */
const EPISODE_TITLE = /[「『【（(]/u;
/** Between the people of a cast; a role stands before ・・・ or in brackets. */
const BETWEEN_NAMES = /[\s\u3000、，,。．／/：:；;…（()）「」『』【】＜＞<>〈〉《》◇◆■□●○▽▼・]+/u;

function series(name: string): string {
  const { title } = splitTitle(name);
  const [first] = wholeEpisodes(title);
  const head = first === undefined || first.isEpisode ? title : first.text;
  const at = head.search(EPISODE_TITLE);
  return (at > 0 ? head.slice(0, at) : head).trim();
}

/**
 * @param words as typed
 * @param result of these words or of the ones before; undefined: none yet
 * @param recent earlier searches, the latest first
 * @returns at most five, each containing the words and longer than they are
 */
export function suggestionsFor(
  words: string,
  result: SearchResult | undefined,
  recent: readonly string[],
): string[] {
  const typed = fold(words.trim());
  if (typed === '') return [];
  const completes = (text: string): boolean => {
    const folded = fold(text);
    return folded.length > typed.length && folded.includes(typed) && Array.from(text).length <= LONGEST;
  };
  const { programs, recordings } = result ?? { programs: { rows: [] }, recordings: { rows: [] } };
  const rows = [...recordings.rows, ...programs.rows];
  const people = rows.flatMap(({ match }) => match?.text.split(BETWEEN_NAMES) ?? []);
  const found = [...rows.map(({ name }) => series(name)), ...people].filter(completes);
  // A title that begins with the words is what one types before others.
  const first = (text: string): number => (fold(text).startsWith(typed) ? 0 : 1);
  found.sort((a, b) => first(a) - first(b));
  const all = [...recent.filter(completes).slice(0, MOST_EARLIER), ...found];
  const folded = all.map(fold);
  return all.filter((_, index) => folded.indexOf(folded[index] ?? '') === index).slice(0, MOST);
}
