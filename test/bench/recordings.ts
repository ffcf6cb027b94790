/**
 * Lists of 40,000 recordings over HTTP: every order, filter and show, its first page and its deepest, words, series,
 * the free space. `bun test/bench/recordings.ts [folder]`: with a folder, the database there is used, or created.
 *
 * A list is requested just after a change of its members or order, without cache, and again unchanged; words also after
 * another change of a recording, as a viewer makes every few seconds. Each request is sent three times; the p99 of all
 * answers of a kind is compared with the limit. Pages behind a cursor, as the screens request them, are compared with a
 * single recording. The figures include other load. Exit code 1 when one exceeds its limit.
 */
import type { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORDING_LIMIT, RECORDING_SHOWS, RECORDING_SORTS, TOTAL_HEADER } from '../../lib/wire/api.ts';
import { NEXT_HEADER } from '../../lib/wire/vocabulary.ts';
import { openDatabase } from '../../src/store/database.ts';
import { fillRecordingDatabase, RECORDINGS } from './guide/bench-database.ts';
import { idleAgent, residentMegabytes, startService } from './guide/bench-service.ts';
import { benchChannels, benchStations } from './guide/bench-stations.ts';
import { Figures, quantile } from './guide/figures.ts';
import { wordsOf } from './guide/search-words.ts';

const PASSES = 3;
const LIMIT_MS = 20;
/** For search words: users type them letter by letter. */
const WORDS_LIMIT_MS = 10;
const WORDS = 200;
const RULES = 40;
/** Hiragana in nearly every text: the longest lists of the index. */
const COMMON_LETTERS = ['の', 'る', 'い', 'て', 'を', 'に'];

/** Of a page, in requests of a single recording. */
const CURSOR_RATIO = 3;
const SINGLES = 100;

const figures = new Figures();
const kept = process.argv[2];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'svc-bench-recordings-'));
mkdirSync(folder, { recursive: true });
const path = join(folder, 'svc.db');

/** Changes marks as if after years of use. */
function diversify(database: Database): void {
  const rule = database.query(
    `INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0)`,
  );
  for (let index = 0; index < RULES; index++) rule.run();
  database.run(`UPDATE recording_files SET bytes = 200000000 + (recording_id * 7919 % 1000) * 9000000`);
  database.run(
    `UPDATE recordings SET watched_at = CASE id % 3 WHEN 0 THEN start_at END, rule_id = CASE WHEN id % 4 THEN 1 + id % ${RULES} END,
       series_key = substr(name, 1, 5), series_name = substr(name, 1, 5), protected = id % 97 = 0,
       binned_at = CASE WHEN id % 211 = 0 THEN ${Date.now()} END,
       state = CASE WHEN id % 83 = 0 THEN 'failed' ELSE state END,
       verdict = '{"level":"damaged","drops":12,"gaps":[{"startMs":1,"endMs":2,"cause":"stalled"}],"headMs":1,"tailMs":2}'`,
  );
}

async function timed(url: string, init: RequestInit = {}): Promise<{ ms: number; response: Response }> {
  const begin = performance.now();
  const response = await fetch(url, init);
  await response.text();
  return { ms: performance.now() - begin, response };
}

/** Times of all responses, ms. */
async function repeated(addresses: readonly string[], before: () => void): Promise<number[]> {
  const times: number[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const address of addresses) {
      before();
      const { ms, response } = await timed(address);
      if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
      times.push(ms);
    }
  }
  return times;
}

/** The first, the middle and the last page of a list in every order. @param back pages from the end for the last */
async function pagesOf(url: string, query: string, back = 1): Promise<string[]> {
  const base = `${url}/api/recordings?${query}`;
  const { response } = await timed(base);
  const total = Number(response.headers.get(TOTAL_HEADER));
  return RECORDING_SORTS.flatMap((sort) =>
    [0, Math.floor(total / 2), Math.max(0, total - back * RECORDING_LIMIT.default)].map(
      (offset) => `${base}&sort=${sort}&offset=${offset}`,
    ),
  );
}

/** As `pagesOf`, each behind the cursor of the page before it. */
async function pagesBehind(pages: readonly string[]): Promise<string[]> {
  const cursors = await Promise.all(
    pages.map(async (page) => (await timed(page)).response.headers.get(NEXT_HEADER)),
  );
  return pages.flatMap((page, index) => {
    const cursor = cursors[index];
    return cursor === null ? [] : [page.replace(/&offset=.*$/, `&cursor=${cursor}`)];
  });
}

async function measure(url: string, database: Database): Promise<void> {
  const change = database.query(
    'UPDATE recordings SET watched_at = CASE WHEN watched_at IS NULL THEN 1 END WHERE id = 1',
  );
  const changed = (): void => void change.run();
  const watch = database.query('UPDATE recordings SET resume_ms = coalesce(resume_ms, 0) + 1 WHERE id = 1');
  const watching = (): void => void watch.run();
  const unchanged = (): void => {};
  const station = database
    .query<{ id: number }, []>('SELECT station_id AS id FROM recordings LIMIT 1')
    .get()?.id;
  const series = database
    .query<{ key: string }, []>('SELECT series_key AS key FROM recordings LIMIT 1')
    .get()?.key;
  const filters = [
    ...RECORDING_SHOWS.map((show) => `show=${show}`),
    'unwatched=1',
    'ruleId=2',
    'genre=3',
    `genre=7&unwatched=1&stationId=${station}`,
    `stationId=${station}`,
    `series=${encodeURIComponent(series ?? '')}`,
    `unwatched=1&ruleId=3&stationId=${station}`,
  ];
  const one = Array.from({ length: SINGLES }, () => `${url}/api/recordings/2/status`);
  const behind = await pagesBehind(await pagesOf(url, '', 2));
  // Not measured: the compiler sees both.
  for (let round = 0; round < PASSES; round++) await repeated([...behind, ...one], changed);
  const cursors = await repeated(behind, changed);
  const single = await repeated(one, changed);
  for (const [name, part] of [
    ['median', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [page, row] = [quantile(cursors, part), quantile(single, part)];
    figures.note(`a single recording: ${name}`, row, 'ms');
    const shown = `every order behind a cursor: ${page.toFixed(2)} ms, ${name}`;
    figures.limited(shown, page / row, 'times a single recording', CURSOR_RATIO);
  }
  const all = await pagesOf(url, '');
  figures.latency('every order, first, middle and last page', await repeated(all, changed), LIMIT_MS);
  figures.latency('  unchanged', await repeated(all, unchanged), LIMIT_MS);
  const filtered = (await Promise.all(filters.map((query) => pagesOf(url, query)))).flat();
  figures.latency(`${filters.length} filters, the same pages`, await repeated(filtered, changed), LIMIT_MS);
  const largest = RECORDING_SORTS.map(
    (sort) => `${url}/api/recordings?sort=${sort}&limit=${RECORDING_LIMIT.maximum}`,
  );
  figures.latency(`pages of ${RECORDING_LIMIT.maximum}`, await repeated(largest, changed), LIMIT_MS);
  const words = wordsOf(database, WORDS);
  const search = (list: readonly string[]): string[] =>
    list.map((word, index) => {
      const sort = RECORDING_SORTS[index % RECORDING_SORTS.length];
      return `${url}/api/recordings?q=${encodeURIComponent(word)}&sort=${sort}`;
    });
  for (const [name, list] of [
    ['words of three letters and more', words.long],
    ['words of one or two letters', words.short],
    ['words of extended texts alone', words.extended],
    ['letters of nearly every text', COMMON_LETTERS],
  ] as const) {
    figures.latency(`${name} (${list.length})`, await repeated(search(list), changed), WORDS_LIMIT_MS);
    figures.latency('  while another is watched', await repeated(search(list), watching), WORDS_LIMIT_MS);
  }
  const grouped = [0, 100, 1000].map((offset) => `${url}/api/recordings/series?limit=100&offset=${offset}`);
  figures.latency('series', await repeated(grouped, changed), LIMIT_MS);
  figures.latency('the storage of recordings', await repeated([`${url}/api/storage`], changed), LIMIT_MS);
  const etag = (await fetch(`${url}/api/recordings`)).headers.get('etag') ?? '';
  const same = await timed(`${url}/api/recordings`, { headers: { 'if-none-match': etag } });
  figures.limited(`unchanged (${same.response.status})`, same.ms, 'ms', LIMIT_MS);
}

const stations = benchStations();
if (!existsSync(path)) {
  fillRecordingDatabase(path, stations, Date.now());
  const database = openDatabase(path);
  diversify(database);
  database.close();
}
const agent = idleAgent(benchChannels(stations));
const service = await startService(folder, agent.url);
const database = openDatabase(path);
try {
  console.log(`${RECORDINGS} recordings`);
  await measure(service.url, database);
  figures.note('memory of the service', residentMegabytes(service.pid), 'MB');
} finally {
  database.close();
  await service.end();
  agent.end();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit(figures.failed ? 1 : 0);
