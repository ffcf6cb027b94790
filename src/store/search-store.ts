/**
 * Searches programmes, recordings, reservations and rules. Programmes and recordings are read in the order of results
 * from an index of letters (`search-index.ts`), so that a search ends with its last row; reservations and rules are
 * compared one by one.
 *
 * A query of common letters that rarely occur together compares many rows: yields to other requests in between.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type MonotonicClock, systemMonotonicClock } from '../../lib/host/clock.ts';
import type {
  FoundProgram,
  FoundRecording,
  FoundReservation,
  FoundRule,
  RecordingState,
  ReservationState,
  VerdictLevel,
} from '../../lib/wire/api.ts';
import type { RecordingId, ReservationId, RuleId } from '../../lib/wire/ids.ts';
import { searchExcerpt } from '../model/search-excerpt.ts';
import { matchText } from '../model/search-text.ts';
import { type CountedTable, tableStamp } from './change-counters.ts';
import { isCopy } from './program-copies.ts';
import { LONGEST_MS } from './program-row.ts';
import { IS_OF_PROGRAM } from './reservation-row.ts';
import { firstDocument, isRecordingPending, nameOf } from './search-index.ts';
import { matchExpression, needsComparing, phraseExpression } from './search-terms.ts';
import { readObject, storedText } from './stored-json.ts';

/** Rows up to the limit, and whether there are more. */
interface Section<Row> {
  more: boolean;
  rows: Row[];
}

/** Texts that are searched beside the name. */
interface Described {
  name: string;
  description: string;
  extended: string | null;
}

interface ProgramRow extends Described {
  id: ProgramId;
  service_name: string;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
  reservation_state: ReservationState | null;
}

interface AiringRow extends ProgramRow {
  /** 1: its name has all words. */
  named: number;
}

interface RecordingRow extends Described {
  id: RecordingId;
  service_name: string;
  start_at: BroadcastMs;
  state: RecordingState;
  verdict: VerdictLevel | null;
  has_file: number;
}

interface ReservationRow {
  id: ReservationId;
  program_id: ProgramId;
  name: string;
  description: string;
  service_name: string;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
  state: ReservationState;
  recording_id: RecordingId | null;
}

interface RuleRow {
  id: RuleId;
  name: string;
  enabled: number;
}

/** Whether the text of a document, in normal form, contains every word. @param d alias of the document */
const containsAllWords = (d: string): string =>
  `NOT EXISTS (SELECT 1 FROM json_each($words) AS word WHERE instr(${d}.text, word.value) = 0)`;
/** The same for the name, which is the text's first line. */
const NAME_CONTAINS_ALL = `NOT EXISTS (SELECT 1 FROM json_each($words) AS word
  WHERE instr(substr(d.text, 1, instr(d.text, char(10))), word.value) = 0)`;

/** What repeats a main station is found there, if that has the words, too; a reservation is shown where it is. */
const IS_OWN = `(r.state IS NOT NULL OR NOT ${isCopy(
  'p',
  `EXISTS (SELECT 1 FROM program_documents AS md WHERE md.program_id = m.id AND ${containsAllWords('md')})`,
)})`;

/** Programmes on air: few, found by their time. Hits in the name first. */
const AIRING = `
  SELECT p.id, p.name, p.description, p.extended, s.name AS service_name, p.start_at, p.end_at, r.state AS reservation_state,
    ${NAME_CONTAINS_ALL} AS named
  FROM programs AS p INDEXED BY programs_by_start
    JOIN program_documents AS d ON d.program_id = p.id
    JOIN stations AS s ON s.id = p.station_id
    LEFT JOIN reservations AS r ON ${IS_OF_PROGRAM}
  WHERE p.start_at > $since AND p.start_at <= $now AND p.end_at > $now AND p.hidden = 0 AND s.hidden = 0
    AND ${containsAllWords('d')} AND ${IS_OWN}
  ORDER BY named DESC, d.document LIMIT $limit`;

/** Upcoming programmes: read in the order of the index, which is by start. */
const comingDocuments = (letters: string): string => `
  SELECT d.program_id AS id, CASE WHEN $compared THEN d.text ELSE '' END AS text
  FROM ${letters} AS l CROSS JOIN program_documents AS d ON d.document = l.rowid
  WHERE l.${letters} MATCH $match AND l.rowid >= $first
  ORDER BY l.rowid`;
const COMING_BY_NAME = comingDocuments('program_name_letters');
const COMING_DOCUMENTS = comingDocuments('program_letters');

const COMING_PROGRAM = `
  SELECT p.id, p.name, p.description, p.extended, s.name AS service_name, p.start_at, p.end_at, r.state AS reservation_state
  FROM programs AS p JOIN stations AS s ON s.id = p.station_id
    LEFT JOIN reservations AS r ON ${IS_OF_PROGRAM}
  WHERE p.id = $id AND p.start_at > $now AND p.end_at > $now AND p.hidden = 0 AND s.hidden = 0
    AND ${IS_OWN}`;

/** Newest first. */
const recordingDocuments = (letters: string): string => `
  SELECT d.recording_id AS id, '' AS text
  FROM ${letters} AS l CROSS JOIN recording_documents AS d INDEXED BY recording_documents_of ON d.document = l.rowid
  WHERE l.${letters} MATCH $match
  ORDER BY l.rowid DESC`;
const RECORDINGS_BY_NAME = recordingDocuments('recording_name_letters');
const RECORDING_DOCUMENTS = recordingDocuments('recording_letters');
/** Used while the index is being filled. */
const ALL_RECORDING_DOCUMENTS =
  'SELECT recording_id AS id, text FROM recording_documents ORDER BY document DESC';

const RECORDING = `
  SELECT r.id, r.name, r.description, r.extended, r.service_name, r.start_at, r.state,
    CASE WHEN json_valid(r.verdict) THEN json_extract(r.verdict, '$.level') END AS verdict,
    EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = r.id) AS has_file
  FROM recordings AS r WHERE r.id = $id AND r.binned_at IS NULL AND r.deleted_at IS NULL`;

/** Time slice before other requests run. */
const SLICE_MS = 4;

const BOOKED = `
  SELECT r.id, r.program_id, r.name, r.description, s.name AS service_name, r.start_at, r.end_at, r.state,
    (SELECT max(c.id) FROM recordings AS c WHERE c.program_id = r.program_id AND c.state = 'recording')
      AS recording_id
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id
  WHERE r.state IN ('scheduled', 'conflict', 'skipped', 'recording')
  ORDER BY r.start_at, r.id`;

/** Which part of the results is requested. */
interface Page {
  /** Number of skipped rows. */
  readonly offset: number;
  readonly limit: number;
}

/** Number of rows that must be found to fill the page and to know whether there are more. */
function needed({ offset, limit }: Page): number {
  return offset + limit + 1;
}

/** The page of rows, beginning with its first. */
function section<Row, Found>(
  rows: Row[],
  { offset, limit }: Page,
  toFound: (row: Row) => Found,
): Section<Found> {
  return { more: rows.length > offset + limit, rows: rows.slice(offset, offset + limit).map(toFound) };
}

function watchUrl(row: RecordingRow): string | null {
  if (row.state === 'recording') return `chase/${row.id}`;
  return row.has_file === 1 ? `watch/${row.id}` : null;
}

/** Why a row was found, if its name does not say it. */
function matchOf(
  { name, description, extended }: Described,
  words: readonly string[],
): Pick<FoundProgram, 'match'> {
  const parts = Object.entries(readObject<Record<string, unknown>>(extended) ?? {});
  const texts: [string, string][] = [
    ['', storedText(description)],
    ...parts.map(([heading, body]): [string, string] => [heading, storedText(body)]),
  ];
  const match = searchExcerpt(storedText(name), texts, words);
  return match === undefined ? {} : { match };
}

function toFoundProgram(row: ProgramRow, words: readonly string[]): FoundProgram {
  const texts = { name: storedText(row.name), service_name: storedText(row.service_name) };
  return {
    id: row.id,
    ...texts,
    start_at: row.start_at,
    end_at: row.end_at,
    reservation_state: row.reservation_state,
    ...matchOf(row, words),
  };
}

function toFoundRecording(row: RecordingRow, words: readonly string[]): FoundRecording {
  return {
    id: row.id,
    name: storedText(row.name),
    service_name: storedText(row.service_name),
    start_at: row.start_at,
    state: row.state,
    watch: watchUrl(row),
    verdict: row.verdict,
    ...matchOf(row, words),
  };
}

function toFoundReservation(row: ReservationRow): FoundReservation {
  return {
    id: row.id,
    program_id: row.program_id,
    name: storedText(row.name),
    service_name: storedText(row.service_name),
    start_at: row.start_at,
    end_at: row.end_at,
    state: row.state,
    chase: row.recording_id === null ? null : `chase/${row.recording_id}`,
  };
}

export class SearchStore {
  readonly #booked: Texts<ReservationRow>;
  readonly #rules: Texts<RuleRow>;

  constructor(
    private readonly database: Database,
    private readonly elapsed: MonotonicClock = systemMonotonicClock,
  ) {
    const stamp = (...tables: CountedTable[]) => tableStamp(database, tables);
    this.#booked = new Texts(
      () => stamp('reservations', 'recordings', 'stations'),
      () => database.query<ReservationRow, []>(BOOKED).all(),
      (row) => `${storedText(row.name)}\n${storedText(row.description)}`,
    );
    this.#rules = new Texts(
      () => stamp('rules'),
      () => database.query<RuleRow, []>('SELECT id, name, enabled FROM rules ORDER BY id').all(),
      (row) => storedText(row.name),
    );
  }

  /**
   * Programmes that have not ended: those with all words in the name, then those with words in the description or the
   * extended text, each by start. @param words in normal form, at least one, also in the other methods
   */
  async programs(
    words: readonly string[],
    limit: number,
    now: BroadcastMs,
    offset = 0,
  ): Promise<Section<FoundProgram>> {
    const page = { offset, limit };
    const most = needed(page);
    const airing = this.#airing(words, most, now);
    const found: ProgramRow[] = airing.filter(({ named }) => named === 1);
    const coming = this.database.query<ProgramRow, { id: number; now: BroadcastMs; words: string }>(
      COMING_PROGRAM,
    );
    const texts = JSON.stringify(words);
    const row = (id: number) => coming.get({ id, now, words: texts });
    const first = firstDocument(now);
    const named = comingSource(COMING_BY_NAME, words, first);
    found.push(...(await this.#read({ ...named, part: nameOf }, row, most - found.length)));
    // Fewer than requested: these are all that have the words in their name.
    const known = new Set<number>(found.map(({ id }) => id));
    const other = (id: number) => (known.has(id) ? null : row(id));
    found.push(...airing.filter((one) => one.named === 0));
    const others = comingSource(COMING_DOCUMENTS, words, first);
    found.push(...(await this.#read(others, other, most - found.length)));
    return section(found, page, (one) => toFoundProgram(one, words));
  }

  #airing(words: readonly string[], limit: number, now: BroadcastMs): AiringRow[] {
    return this.database
      .query<AiringRow, { since: number; now: BroadcastMs; words: string; limit: number }>(AIRING)
      .all({ since: now - LONGEST_MS, now, words: JSON.stringify(words), limit });
  }

  /**
   * Recordings that are not deleted: those with all words in the name, then those with words in another text or in the
   * station's name, each newest first.
   */
  async recordings(words: readonly string[], limit: number, offset = 0): Promise<Section<FoundRecording>> {
    const page = { offset, limit };
    const recording = this.database.query<RecordingRow, { id: number }>(RECORDING);
    const row = (id: number) => recording.get({ id });
    const most = needed(page);
    const named = this.#recordingSource(RECORDINGS_BY_NAME, words);
    const found = await this.#read({ ...named, part: nameOf }, row, most);
    // Fewer than requested: these are all that have the words in their name.
    const known = new Set<number>(found.map(({ id }) => id));
    const other = (id: number) => (known.has(id) ? null : row(id));
    const others = this.#recordingSource(RECORDING_DOCUMENTS, words);
    found.push(...(await this.#read(others, other, most - found.length)));
    return section(found, page, (one) => toFoundRecording(one, words));
  }

  #recordingSource(sql: string, words: readonly string[]): Source {
    // An update empties the index, which is then filled in the background: until then all texts are compared.
    return isRecordingPending(this.database)
      ? { sql: ALL_RECORDING_DOCUMENTS, values: {}, compared: words }
      : { sql, values: { match: phraseExpression(words) }, compared: [] };
  }

  /**
   * Reads documents in order, compares those that the index leaves undecided, and returns the rows of the hits; `row`
   * returns null for hits that are not shown.
   */
  async #read<Row>(
    { sql, values, compared, part = (text) => text }: Source,
    row: (id: number) => Row | null,
    most: number,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    if (most <= 0) return rows;
    // Not the cached statement: another search may be using it when this one resumes.
    const statement = this.database.prepare<DocumentRow, [Parameters]>(sql);
    let began = this.elapsed();
    try {
      for (const { id, text } of statement.iterate(values)) {
        const found = containsAll(part(text), compared) ? row(id) : null;
        if (found !== null && rows.push(found) >= most) break;
        if (this.elapsed() - began < SLICE_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        began = this.elapsed();
      }
    } finally {
      statement.finalize();
    }
    return rows;
  }

  /** Scheduled or running reservations, sorted by start. */
  reservations(
    words: readonly string[],
    limit: number,
    now: BroadcastMs,
    offset = 0,
  ): Section<FoundReservation> {
    const page = { offset, limit };
    const found = firstOf(
      this.#booked.get(),
      ({ row, text }) => (row.end_at > now || row.state === 'recording') && containsAll(text, words),
      needed(page),
    );
    return section(found, page, ({ row }) => toFoundReservation(row));
  }

  rules(words: readonly string[], limit: number, offset = 0): Section<FoundRule> {
    const page = { offset, limit };
    const found = firstOf(this.#rules.get(), ({ text }) => containsAll(text, words), needed(page));
    return section(found, page, ({ row }) => ({
      ...{ id: row.id, name: storedText(row.name), enabled: row.enabled === 1 },
    }));
  }
}

type Parameters = Record<string, string | number | boolean>;

/** Documents in the order of results. */
interface Source {
  /** A `DocumentRow` each. */
  readonly sql: string;
  readonly values: Parameters;
  /** Words that the query leaves undecided. */
  readonly compared: readonly string[];
  /** The part of the text to compare; default: all. */
  readonly part?: (text: string) => string;
}

function comingSource(sql: string, words: readonly string[], first: number): Source {
  const { match, complete } = matchExpression(words);
  const compared = complete ? words.filter(needsComparing) : words;
  return { sql, values: { match, first, compared: compared.length > 0 }, compared };
}

interface DocumentRow {
  id: number;
  /** In normal form; empty if nothing is compared. */
  text: string;
}

interface Text<Row> {
  readonly row: Row;
  /** In normal form. */
  readonly text: string;
}

/** The rows of a small table with their texts, read again when one of the source tables changed. */
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
      this.#kept = this.read().map((row) => ({ row, text: matchText(this.textOf(row)) }));
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
