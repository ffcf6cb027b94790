/** Search words taken from the texts, so that most have results, and some without. */
import type { Database } from 'bun:sqlite';

/** Runs of one script are what users consider a word. */
const WORD = /[\p{Script=Han}]+|[\p{Script=Katakana}ー]+|[\p{Script=Hiragana}]+|[A-Za-z0-9]+/gu;

interface Words {
  /** Of one or two letters. */
  readonly short: string[];
  /** Of three letters and more; every fifth is a combination that no text contains. */
  readonly long: string[];
  /**
   * Of two letters and more, from extended texts whose name and description do not contain them: casts,
   * headings.
   */
  readonly extended: string[];
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
    extended: evenly(extendedAlone(database), count),
  };
}

function extendedAlone(database: Database): string[] {
  const rows = database
    .query<{ text: string; extended: string }, []>(
      `SELECT name || ' ' || description AS text, extended FROM programs WHERE id % 13 = 0 AND extended IS NOT NULL
       UNION ALL SELECT name || ' ' || description || ' ' || service_name, extended FROM recordings
         WHERE id % 29 = 0 AND extended IS NOT NULL`,
    )
    .all();
  const found = rows.flatMap(({ text, extended }) => {
    const parts = Object.entries(JSON.parse(extended) as Record<string, string>).flat();
    return parts.flatMap((part) => part.match(WORD) ?? []).filter((word) => !text.includes(word));
  });
  return [...new Set(found)].filter((word) => word.length >= 2);
}

/** Picks this many of a list, evenly distributed. */
function evenly(list: readonly string[], count: number): string[] {
  const step = Math.max(list.length / count, 1);
  const taken: string[] = [];
  for (let at = 0; at < list.length && taken.length < count; at += step)
    taken.push(list[Math.floor(at)] ?? '');
  return taken;
}
