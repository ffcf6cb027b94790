/**
 * Searches programmes, recordings, reservations and rules. The two that are many are read in the order of their
 * results from an index of letters (`search-index.ts`), so that a search ends with its last row; the two that are
 * few are compared one by one.
 *
 * A query of many common letters that nothing has together makes the index read all of their lists: such a one is
 * answered stretch by stretch, with a look at other requests in between.
 */
import type { Database } from 'bun:sqlite';
import type {
  FoundProgram,
  FoundRecording,
  FoundReservation,
  FoundRule,
  RecordingState,
  ReservationState,
} from '../../wire/api.ts';
import { searchText } from '../model/search-text.ts';
import { type CountedTable, tableStamp } from './counters.ts';
import { LONGEST_MS } from './program-length.ts';
import {
  firstDocument,
  matchExpression,
  needsComparing,
  nextSecond,
  previousSecond,
} from './search-index.ts';

/** Rows up to the limit, and whether there are more. */
export interface Section<Row> {
  more: boolean;
  rows: Row[];
}

interface ProgramRow {
  id: number;
  name: string;
  service_name: string;
  start_at: number;
  end_at: number;
  reservation_state: string | null;
}

interface RecordingRow {
  id: number;
  name: string;
  service_name: string;
  start_at: number;
  state: string;
  has_file: number;
}

interface ReservationRow {
  id: number;
  program_id: number;
  name: string;
  description: string;
  service_name: string;
  start_at: number;
  end_at: number;
  state: string;
  recording_id: number | null;
}

interface RuleRow {
  id: number;
  name: string;
  enabled: number;
}

/** What a text in normal form must contain: every word. */
const CONTAINS_ALL =
  'NOT EXISTS (SELECT 1 FROM json_each($words) AS word WHERE instr(d.text, word.value) = 0)';

/** Of what is on the air: few, found by their time. */
const AIRING = `
  SELECT p.id, p.name, s.name AS service_name, p.start_at, p.end_at, r.state AS reservation_state
  FROM programs AS p INDEXED BY programs_by_start
    JOIN program_documents AS d ON d.program_id = p.id
    JOIN stations AS s ON s.id = p.station_id
    LEFT JOIN reservations AS r ON r.program_id = p.id
  WHERE p.start_at > $since AND p.start_at <= $now AND p.end_at > $now AND p.hidden = 0 AND s.hidden = 0
    AND ${CONTAINS_ALL}
  ORDER BY d.document LIMIT $limit`;

/** Of what is still to come: read in the order of the index, which is that of starts. */
const COMING = `
  SELECT p.id, p.name, s.name AS service_name, p.start_at, p.end_at, r.state AS reservation_state
  FROM program_letters AS l
    CROSS JOIN program_documents AS d ON d.document = l.rowid
    CROSS JOIN programs AS p ON p.id = d.program_id
    CROSS JOIN stations AS s ON s.id = p.station_id
    LEFT JOIN reservations AS r ON r.program_id = p.id
  WHERE l.program_letters MATCH $match AND l.rowid >= $first AND l.rowid < $end AND p.start_at > $now AND p.end_at > $now
    AND p.hidden = 0 AND s.hidden = 0 AND ${CONTAINS_ALL}
  ORDER BY l.rowid LIMIT $limit`;

const RECORDED = `
  SELECT r.id, r.name, r.service_name, r.start_at, r.state,
    EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = r.id) AS has_file
  FROM recording_letters AS l
    CROSS JOIN recording_documents AS d ON d.document = l.rowid
    CROSS JOIN recordings AS r ON r.id = d.recording_id
  WHERE l.recording_letters MATCH $match AND l.rowid >= $first AND l.rowid < $end AND r.binned_at IS NULL AND r.deleted_at IS NULL AND ${CONTAINS_ALL}
  ORDER BY l.rowid DESC LIMIT $limit`;

/** Entries of the index that one stretch may read: some 4 ms at 0.1 µs each. */
const ENTRIES_A_STRETCH = 40_000;
/** No stretch is larger: most searches end in the first, whose end has to be found before. */
const LARGEST_STRETCH = 10_000;
/** No stretch is smaller: finding its place costs as much as reading so many documents. */
const SMALLEST_STRETCH = 1_000;
/** Work without a look at other requests. */
const SLICE_MS = 5;
/** Beyond every document. */
const END = Number.MAX_SAFE_INTEGER;

/** The start of the programme that is so many places after a start, and of the recording that is so many before. */
const LATER_START = `
  SELECT start_at AS startAt FROM programs INDEXED BY programs_by_start
  WHERE start_at > $startAt ORDER BY start_at LIMIT 1 OFFSET $places`;
const EARLIER_START = `
  SELECT start_at AS startAt FROM recordings INDEXED BY recordings_by_start
  WHERE start_at < $startAt ORDER BY start_at DESC LIMIT 1 OFFSET $places`;

const BOOKED = `
  SELECT r.id, r.program_id, r.name, r.description, s.name AS service_name, r.start_at, r.end_at, r.state,
    (SELECT max(c.id) FROM recordings AS c WHERE c.program_id = r.program_id AND c.state = 'recording')
      AS recording_id
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id
  WHERE r.state IN ('scheduled', 'conflict', 'skipped', 'recording')
  ORDER BY r.start_at, r.id`;

/** The first `limit` rows of one more than that. */
function section<Row>(rows: Row[], limit: number): Section<Row> {
  return { more: rows.length > limit, rows: rows.slice(0, limit) };
}

function watchUrl(row: RecordingRow): string | null {
  if (row.state === 'recording') return `chase/${row.id}`;
  return row.has_file === 1 && row.state !== 'failed' ? `watch/${row.id}` : null;
}

function toFoundRecording(row: RecordingRow): FoundRecording {
  return {
    id: row.id,
    name: row.name,
    service_name: row.service_name,
    start_at: row.start_at,
    state: row.state as RecordingState,
    watch: watchUrl(row),
  };
}

function toFoundReservation(row: ReservationRow): FoundReservation {
  return {
    id: row.id,
    program_id: row.program_id,
    name: row.name,
    service_name: row.service_name,
    start_at: row.start_at,
    end_at: row.end_at,
    state: row.state as ReservationState,
    chase: row.recording_id === null ? null : `chase/${row.recording_id}`,
  };
}

export class SearchStore {
  readonly #booked: Texts<ReservationRow>;
  readonly #rules: Texts<RuleRow>;

  constructor(private readonly database: Database) {
    const stamp = (...tables: CountedTable[]) => tableStamp(database, tables);
    this.#booked = new Texts(
      () => stamp('reservations', 'recordings', 'stations'),
      () => database.query<ReservationRow, []>(BOOKED).all(),
      (row) => `${row.name}\n${row.description}`,
    );
    this.#rules = new Texts(
      () => stamp('rules'),
      () => database.query<RuleRow, []>('SELECT id, name, enabled FROM rules ORDER BY id').all(),
      (row) => row.name,
    );
  }

  /** Programmes that have not ended, by start. @param words in normal form, at least one, as for the others */
  async programs(words: readonly string[], limit: number, now: number): Promise<Section<FoundProgram>> {
    const most = limit + 1;
    const found = this.#airing(words, most, now);
    if (found.length < most) await this.#addComing(found, words, most, now);
    return section(found as FoundProgram[], limit);
  }

  #airing(words: readonly string[], limit: number, now: number): ProgramRow[] {
    return this.database
      .query<ProgramRow, { since: number; now: number; words: string; limit: number }>(AIRING)
      .all({ since: now - LONGEST_MS, now, words: JSON.stringify(words), limit });
  }

  async #addComing(found: ProgramRow[], words: readonly string[], most: number, now: number): Promise<void> {
    const match = matchExpression(words);
    const compared = JSON.stringify(words.filter(needsComparing));
    const places = stretchOf(match);
    const turns = new Turns();
    let startAt = now;
    for (let first = firstDocument(now); ; ) {
      const later = this.#start(LATER_START, startAt, places);
      const end = later === undefined ? END : Math.max(firstDocument(later), nextSecond(first));
      const limit = most - found.length;
      found.push(
        ...this.database
          .query<ProgramRow, Stretch & { now: number }>(COMING)
          .all({ match, words: compared, first, end, now, limit }),
      );
      if (later === undefined || found.length >= most) return;
      [first, startAt] = [end, later];
      await turns.give();
    }
  }

  /** Recordings that are not deleted, newest first. */
  async recordings(words: readonly string[], limit: number): Promise<Section<FoundRecording>> {
    const match = matchExpression(words);
    const compared = JSON.stringify(words.filter(needsComparing));
    const places = stretchOf(match);
    const turns = new Turns();
    const found: RecordingRow[] = [];
    let startAt = END;
    for (let end = END; ; ) {
      const earlier = this.#start(EARLIER_START, startAt, places);
      const first = earlier === undefined ? 0 : Math.min(firstDocument(earlier), previousSecond(end));
      found.push(
        ...this.database
          .query<RecordingRow, Stretch>(RECORDED)
          .all({ match, words: compared, first, end, limit: limit + 1 - found.length }),
      );
      if (earlier === undefined || found.length > limit) return section(found.map(toFoundRecording), limit);
      [end, startAt] = [first, earlier];
      await turns.give();
    }
  }

  #start(sql: string, startAt: number, places: number): number | undefined {
    return (
      this.database
        .query<{ startAt: number }, { startAt: number; places: number }>(sql)
        .get({ startAt, places })?.startAt ?? undefined
    );
  }

  /** Reservations that are still to be recorded, or are being, by start. */
  reservations(words: readonly string[], limit: number, now: number): Section<FoundReservation> {
    const found = firstOf(
      this.#booked.get(),
      ({ row, text }) => (row.end_at > now || row.state === 'recording') && containsAll(text, words),
      limit + 1,
    );
    return section(
      found.map(({ row }) => toFoundReservation(row)),
      limit,
    );
  }

  /** Rules by name. */
  rules(words: readonly string[], limit: number): Section<FoundRule> {
    const found = firstOf(this.#rules.get(), ({ text }) => containsAll(text, words), limit + 1);
    return section(
      found.map(({ row }) => ({ id: row.id, name: row.name, enabled: row.enabled === 1 })),
      limit,
    );
  }
}

/** What the statements that read the index take. */
interface Stretch {
  [name: string]: string | number;
  match: string;
  words: string;
  first: number;
  end: number;
  limit: number;
}

/** How many documents a stretch spans: the fewer the more lists are read side by side. */
function stretchOf(match: string): number {
  const lists = match.split(' AND ').length;
  return Math.min(Math.max(Math.floor(ENTRIES_A_STRETCH / lists), SMALLEST_STRETCH), LARGEST_STRETCH);
}

/** Gives others a turn when this has had the main thread for long enough. */
class Turns {
  #began = performance.now();

  async give(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = performance.now();
  }
}

interface Text<Row> {
  readonly row: Row;
  /** In normal form. */
  readonly text: string;
}

/** The rows of a small table with their texts, read again when the tables that they come from changed. */
class Texts<Row> {
  #stamp = '';
  #kept: readonly Text<Row>[] = [];

  constructor(
    private readonly stamp: () => string,
    private readonly read: () => Row[],
    private readonly textOf: (row: Row) => string,
  ) {}

  get(): readonly Text<Row>[] {
    const stamp = this.stamp();
    if (stamp !== this.#stamp) {
      this.#kept = this.read().map((row) => ({ row, text: searchText(this.textOf(row)) }));
      this.#stamp = stamp;
    }
    return this.#kept;
  }
}

function containsAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function firstOf<Row>(rows: Iterable<Row>, accept: (row: Row) => boolean, limit: number): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (!accept(row)) continue;
    found.push(row);
    if (found.length === limit) break;
  }
  return found;
}
