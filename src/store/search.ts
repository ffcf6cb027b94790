/**
 * Searches programmes, recordings, reservations and rules. The two that are many are read in the order of their
 * results from an index of letters (`search-index.ts`), so that a search ends with its last row; the two that are
 * few are compared one by one.
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
import { LONGEST_MS } from './program-length.ts';
import { firstDocument, matchExpression, needsComparing } from './search-index.ts';

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
  WHERE l.program_letters MATCH $match AND l.rowid >= $first AND p.start_at > $now AND p.end_at > $now
    AND p.hidden = 0 AND s.hidden = 0 AND ${CONTAINS_ALL}
  ORDER BY l.rowid LIMIT $limit`;

const RECORDED = `
  SELECT r.id, r.name, r.service_name, r.start_at, r.state,
    EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = r.id) AS has_file
  FROM recording_letters AS l
    CROSS JOIN recording_documents AS d ON d.document = l.rowid
    CROSS JOIN recordings AS r ON r.id = d.recording_id
  WHERE l.recording_letters MATCH $match AND r.binned_at IS NULL AND r.deleted_at IS NULL AND ${CONTAINS_ALL}
  ORDER BY l.rowid DESC LIMIT $limit`;

const BOOKED = `
  SELECT r.id, r.program_id, r.name, r.description, s.name AS service_name, r.start_at, r.end_at, r.state,
    (SELECT max(c.id) FROM recordings AS c WHERE c.program_id = r.program_id AND c.state = 'recording')
      AS recording_id
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id
  WHERE (r.end_at > $now AND r.state IN ('scheduled', 'conflict', 'skipped')) OR r.state = 'recording'
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
  constructor(private readonly database: Database) {}

  /** Programmes that have not ended, by start. @param words in normal form, at least one, as for the others */
  programs(words: readonly string[], limit: number, now: number): Section<FoundProgram> {
    const most = limit + 1;
    const airing = this.database
      .query<ProgramRow, { since: number; now: number; words: string; limit: number }>(AIRING)
      .all({ since: now - LONGEST_MS, now, words: JSON.stringify(words), limit: most });
    if (airing.length < most) airing.push(...this.#coming(words, most - airing.length, now));
    return section(airing as FoundProgram[], limit);
  }

  #coming(words: readonly string[], limit: number, now: number): ProgramRow[] {
    return this.database
      .query<ProgramRow, { match: string; words: string; first: number; now: number; limit: number }>(COMING)
      .all({
        match: matchExpression(words),
        words: JSON.stringify(words.filter(needsComparing)),
        first: firstDocument(now),
        now,
        limit,
      });
  }

  /** Recordings that are not deleted, newest first. */
  recordings(words: readonly string[], limit: number): Section<FoundRecording> {
    const rows = this.database
      .query<RecordingRow, { match: string; words: string; limit: number }>(RECORDED)
      .all({
        match: matchExpression(words),
        words: JSON.stringify(words.filter(needsComparing)),
        limit: limit + 1,
      });
    return section(rows.map(toFoundRecording), limit);
  }

  /** Reservations that are still to be recorded, or are being, by start. */
  reservations(words: readonly string[], limit: number, now: number): Section<FoundReservation> {
    const rows = this.database.query<ReservationRow, { now: number }>(BOOKED).iterate({ now });
    const contains = (row: ReservationRow) => containsAll(`${row.name}\n${row.description}`, words);
    return section(firstOf(rows, contains, limit + 1).map(toFoundReservation), limit);
  }

  /** Rules by name. */
  rules(words: readonly string[], limit: number): Section<FoundRule> {
    const rows = this.database
      .query<{ id: number; name: string; enabled: number }, []>(
        'SELECT id, name, enabled FROM rules ORDER BY id',
      )
      .iterate();
    const found = firstOf(rows, (row) => containsAll(row.name, words), limit + 1);
    return section(
      found.map((row) => ({ id: row.id, name: row.name, enabled: row.enabled === 1 })),
      limit,
    );
  }
}

function containsAll(text: string, words: readonly string[]): boolean {
  const normal = searchText(text);
  return words.every((word) => normal.includes(word));
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
