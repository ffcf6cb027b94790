/** The index of letters compared with a substring search. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { broadcastMs } from '../../lib/arib/time.ts';
import { FAILED, NOW, SearchRows, STATION } from '../../test/service/search-rows.ts';
import { matchText, searchWords } from '../model/search-text.ts';
import { openDatabase } from './database.ts';
import { RecordingListStore } from './recording-list-store.ts';
import { indexAllPending, indexPending } from './search-index.ts';
import { SearchStore } from './search-store.ts';
import { matchExpression, orderedTerms, phraseExpression, textTerms } from './search-terms.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const HOUR = 3_600_000;

let database: Database;
let store: SearchStore;
let home: SearchRows;

beforeEach(() => {
  database = openDatabase(':memory:');
  store = new SearchStore(database);
  home = new SearchRows(database);
  home.addStation(STATION, '試験テレビ');
});

afterEach(() => {
  database.close();
});

/** State after an update: some recordings are indexed again, the others are pending. */
function emptyRecordingIndex(recordings: number): void {
  for (const table of ['recording_letters', 'recording_name_letters']) {
    database.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
  }
  database.run("INSERT INTO search_pending SELECT 'recording', id FROM recordings");
  database.run("UPDATE counters SET value = value + 1 WHERE name IN ('recordings', 'recording_lists')");
  indexPending(database, Math.floor(recordings / 2));
}

test('terms are characters and bigrams within words, including symbols', () => {
  expect(textTerms('あいう b-').split(' ')).toEqual([
    'あ',
    'い',
    'あい',
    'う',
    'いう',
    'b',
    '\ue02d',
    'b\ue02d',
  ]);
  expect(matchExpression(['a"b', '😀'])).toEqual({
    match: '"a\ue022" AND "\ue022b" AND "😀"',
    complete: true,
  });
  // The rarest terms: those with the fewest hiragana and signs.
  expect(matchExpression(['いろはにほへと漢字カナ'])).toEqual({
    match: '"漢字" AND "字カ" AND "カナ" AND "と漢" AND "いろ" AND "ろは" AND "はに" AND "にほ"',
    complete: false,
  });
});

test('bigrams of recordings have positions; a phrase of bigrams matches a word of any length', () => {
  const gap = '\ue020\ue020\ue020';
  expect(orderedTerms('あいう b-\nあい').split(' ')).toEqual(
    ['あ', 'い', 'う', 'b', '\ue02d'].concat(['あい', 'いう', gap, 'b\ue02d', gap, 'あい']),
  );
  expect(phraseExpression(['a"b', '😀', 'いろ'])).toBe('"a\ue022 \ue022b" AND "😀" AND "いろ"');
});

test('finds the same as a substring comparison, for any texts and queries', async () => {
  // Few letters, so that texts share pairs without sharing words; includes all special characters of SQL, LIKE, GLOB
  // and FTS5.
  const letters = fc.constantFrom(...'あいうアｱｲカｶﾞ゛AaＢb10%_*?"\'-+^:(){}[]字🈑〜～ー ．😀𠮷é\n　NEARORND');
  const text = fc.string({ unit: letters, maxLength: 12 });
  const list = new RecordingListStore(database);
  const docs = fc.array(fc.tuple(text, text, fc.integer({ min: -3, max: 5 }), text), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      docs,
      fc.array(fc.string({ unit: letters, maxLength: 5 }), { maxLength: 12 }),
      async (rows, queries) => {
        database.run('DELETE FROM programs');
        database.run('DELETE FROM recordings');
        rows.forEach(([name, description, hours, body], index) => {
          home.addProgram(index, {
            name,
            description,
            extended: { あ: body },
            startAt: NOW + hours * HOUR,
            endAt: NOW + (hours + 2) * HOUR,
          });
          const extended = { あ: body };
          home.addRecording(index + 1, { name, description, extended, startAt: NOW + hours * HOUR });
        });
        indexAllPending(database);
        const compare = async (): Promise<void> => {
          for (const words of queries.map(searchWords).filter((one) => one.length > 0)) {
            const within = (texts: readonly string[]): boolean => {
              const lines = texts.map(matchText).join('\n');
              return words.every((word) => lines.includes(word));
            };
            const coming = rows
              .map(([name, description, hours, body], index) => {
                const named = within([name]);
                return { hours, index, named, found: within([name, description, 'あ', body]) };
              })
              .filter(({ hours, found }) => found && hours + 2 > 0)
              .sort((a, b) => Number(b.named) - Number(a.named) || a.hours - b.hours);
            const found = await store.programs(words, 30, NOW);
            expect([...found.rows.map((row) => row.id % 100_000)].sort()).toEqual(
              coming.map(({ index }) => index).sort(),
            );
            expect(found.rows.map((row) => row.start_at)).toEqual(
              coming.map(({ hours }) => broadcastMs(NOW + hours * HOUR)),
            );
            const recorded = (await store.recordings(words, 30)).rows;
            const matchingRecordings = rows
              .map(([name, description, hours, body]) => {
                const found = within([name, `${description} 局`, 'あ', body]);
                return { hours, found, named: within([name]) };
              })
              .filter(({ found }) => found)
              .sort((a, b) => Number(b.named) - Number(a.named) || b.hours - a.hours);
            expect(recorded.map((row) => row.start_at)).toEqual(
              matchingRecordings.map(({ hours }) => broadcastMs(NOW + hours * HOUR)),
            );
            const listed = list.page({ ...FAILED, words }, 0, 30).rows.map((row) => row.id);
            expect(listed.toSorted()).toEqual(recorded.map(({ id }) => id).toSorted());
          }
        };
        await compare();
        emptyRecordingIndex(rows.length);
        await compare();
      },
    ),
    { seed: SEED, numRuns: 150 },
  );
});
