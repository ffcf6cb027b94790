/** What people search for: words out of the very texts, so that most find something, and some that do not. */
import type { Database } from 'bun:sqlite';

/** Runs of one kind of letter are what a person takes for a word. */
const WORD = /[\p{Script=Han}]+|[\p{Script=Katakana}ー]+|[\p{Script=Hiragana}]+|[A-Za-z0-9]+/gu;

interface Words {
  /** Of one or two letters. */
  readonly short: string[];
  /** Of three and more; every fifth is of letters that no text has side by side. */
  readonly long: string[];
}

export function wordsOf(database: Database, count: number): Words {
  const rows = database
    .query<{ text: string }, []>(
      `SELECT name || ' ' || description AS text FROM programs WHERE id % 13 = 0
       UNION ALL SELECT name FROM recordings WHERE id % 29 = 0`,
    )
    .all();
  const found = new Set(rows.flatMap(({ text }) => text.match(WORD) ?? []));
  const letters = new Set([...found].flatMap((word) => [word.slice(0, 1), word.slice(0, 2)]));
  const long = evenly(
    [...found].filter((word) => word.length >= 3),
    count,
  );
  return {
    short: evenly([...letters], count),
    long: long.map((word, index) => (index % 5 === 4 ? `${word}${[...word].reverse().join('')}` : word)),
  };
}

/** So many of a list, evenly from all over it. */
function evenly(list: readonly string[], count: number): string[] {
  const step = Math.max(list.length / count, 1);
  const taken: string[] = [];
  for (let at = 0; at < list.length && taken.length < count; at += step)
    taken.push(list[Math.floor(at)] ?? '');
  return taken;
}
