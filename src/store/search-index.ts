/**
 * Keeps the index of one and two letters in step with programmes and recordings. Triggers record changed rows
 * (`search_pending`); code that writes such rows calls `indexPending` in the same transaction. The letters are those
 * of `matchText`: the index never sees another spelling.
 *
 * Each kind has two indexes: of the names, whose hits come first, and of all texts. Those of recordings store the
 * positions of their terms (`search-terms.ts`).
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, SECOND_MS } from '../../lib/arib/time.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { matchText, titleText } from '../model/search-text.ts';
import { orderedTerms, textTerms } from './search-terms.ts';
import { readObject, storedText } from './stored-json.ts';

/** About 0.1 ms each: limits how much one transaction is extended. */
const BATCH = 400;

/** Documents of the same second get consecutive numbers. */
const DOCUMENTS_A_SECOND = 1_000_000;
/** Years 1970 to 2225: covers times of a broken clock, within exact integers. */
const LAST_SECOND = 8_000_000_000;

/** The lowest number of a document that starts at `startAt` (epoch ms). */
export function firstDocument(startAt: BroadcastMs): number {
  const second = Math.floor(startAt / SECOND_MS);
  return Math.min(Math.max(second, 0), LAST_SECOND) * DOCUMENTS_A_SECOND;
}

interface Kind {
  readonly name: 'program' | 'recording';
  readonly table: string;
  readonly text: string;
  readonly terms: (text: string) => string;
}

const PROGRAM: Kind = {
  name: 'program',
  table: 'programs',
  text: 'name, description, extended',
  terms: textTerms,
};
const RECORDING: Kind = {
  name: 'recording',
  table: 'recordings',
  text: "name, description || ' ' || service_name AS description, extended",
  terms: orderedTerms,
};

interface PendingRow {
  id: number;
  /** Null: the row no longer exists. */
  name: string | null;
  description: string | null;
  /** JSON: heading to body. */
  extended: string | null;
  startAt: BroadcastMs | null;
}

/**
 * Indexes changed rows, up to a limit. Must be called within the transaction that made the changes; the rest waits
 * for the next call.
 * @returns number of indexed rows
 */
export function indexPending(database: Database, limit = BATCH): number {
  const programs = new Indexer(database, PROGRAM).run(limit);
  return programs + new Indexer(database, RECORDING).run(limit - programs);
}

/**
 * Indexes a changed recording. Other pending rows, all recordings after some updates, are left to `indexRecordings`:
 * the caller is the main thread. Must be called within the transaction that made the change.
 */
export function indexRecording(database: Database, id: RecordingId): void {
  const indexer = new Indexer(database, RECORDING);
  indexer.index(indexer.rowsOf([id]));
}

/** Indexes pending recordings, up to a limit, within the caller's transaction. @returns their number */
export function indexRecordings(database: Database, limit: number): number {
  return new Indexer(database, RECORDING).run(limit);
}

export function isRecordingPending(database: Database): boolean {
  return database.query("SELECT 1 FROM search_pending WHERE kind = 'recording' LIMIT 1").get() !== null;
}

/** Programmes whose terms are outdated, deleted ones first, then by start. At most `limit`. */
export function pendingPrograms(database: Database, limit: number): ProgramId[] {
  return database
    .query<{ id: ProgramId }, { limit: number }>(
      `SELECT s.id FROM search_pending AS s LEFT JOIN programs AS p ON p.id = s.id
       WHERE s.kind = 'program' ORDER BY p.start_at LIMIT $limit`,
    )
    .all({ limit })
    .map(({ id }) => id);
}

/** The index entry of a row: prepared outside the transaction, because it takes a third of the time. */
export interface PreparedDocument {
  readonly id: number;
  /** Null: the row no longer exists. */
  readonly content: {
    readonly startAt: BroadcastMs;
    readonly title: string;
    readonly text: string;
    readonly letters: string;
    readonly nameLetters: string;
  } | null;
}

/** Index entries of pending programmes, in the order of the ids. */
export function preparePrograms(database: Database, ids: readonly ProgramId[]): PreparedDocument[] {
  return new Indexer(database, PROGRAM).rowsOf(ids).map((row) => prepared(row, PROGRAM));
}

/**
 * Indexes programmes that are still pending. Must be called within a transaction; `endPending` follows for all of them.
 */
export function indexPrograms(database: Database, documents: readonly PreparedDocument[]): void {
  const indexer = new Indexer(database, PROGRAM);
  for (const document of documents) if (indexer.isPending(document.id)) indexer.replace(document);
}

/**
 * Marks programmes as indexed. Many at a time, sorted by id: one by one in the order of their starts, each would
 * rewrite another page of the pending table. Call it within a transaction of the only writer of programmes.
 */
export function endPending(database: Database, ids: readonly ProgramId[]): void {
  database
    .query(`DELETE FROM search_pending WHERE kind = 'program' AND id IN (SELECT value FROM json_each($ids))`)
    .run({ ids: JSON.stringify(ids) });
}

/** Indexes everything that is pending, batch by batch, each in its own transaction. */
export function indexAllPending(database: Database): void {
  const batch = database.transaction(() => indexPending(database));
  while (batch.immediate() > 0);
}

class Indexer {
  readonly #documents: string;
  readonly #letters: string;
  readonly #nameLetters: string;

  constructor(
    private readonly database: Database,
    private readonly kind: Kind,
  ) {
    this.#documents = `${kind.name}_documents`;
    this.#letters = `${kind.name}_letters`;
    this.#nameLetters = `${kind.name}_name_letters`;
  }

  run(limit: number): number {
    if (limit <= 0) return 0;
    const { name, table, text } = this.kind;
    const rows = this.database
      .query<PendingRow, { limit: number }>(
        `SELECT s.id, r.name, r.description, r.extended, r.start_at AS startAt
         FROM search_pending AS s LEFT JOIN (SELECT id, ${text}, start_at FROM ${table}) AS r ON r.id = s.id
         WHERE s.kind = '${name}' LIMIT $limit`,
      )
      .all({ limit });
    this.index(rows);
    return rows.length;
  }

  isPending(id: number): boolean {
    const row = this.database
      .query<unknown, { kind: string; id: number }>(
        'SELECT 1 FROM search_pending WHERE kind = $kind AND id = $id',
      )
      .get({ kind: this.kind.name, id });
    return row !== null;
  }

  rowsOf(ids: readonly number[]): PendingRow[] {
    const { name, table, text } = this.kind;
    // CROSS JOIN: otherwise SQLite reads all pending rows for each call.
    return this.database
      .query<PendingRow, { ids: string }>(
        `SELECT s.id, r.name, r.description, r.extended, r.start_at AS startAt
         FROM json_each($ids) AS wanted CROSS JOIN search_pending AS s ON s.kind = '${name}' AND s.id = wanted.value
           LEFT JOIN (SELECT id, ${text}, start_at FROM ${table}) AS r ON r.id = s.id
         ORDER BY wanted.key`,
      )
      .all({ ids: JSON.stringify(ids) });
  }

  index(rows: readonly PendingRow[]): void {
    const done = this.database.query(
      `DELETE FROM search_pending WHERE kind = '${this.kind.name}' AND id = $id`,
    );
    for (const row of rows) {
      this.replace(prepared(row, this.kind));
      done.run({ id: row.id });
    }
  }

  replace({ id, content }: PreparedDocument): void {
    const { name: kind } = this.kind;
    const old = this.database
      .query<{ document: number }, { id: number }>(
        `SELECT document FROM ${this.#documents} WHERE ${kind}_id = $id`,
      )
      .get({ id });
    if (old !== null) {
      this.database.query(`DELETE FROM ${this.#letters} WHERE rowid = $document`).run(old);
      this.database.query(`DELETE FROM ${this.#nameLetters} WHERE rowid = $document`).run(old);
      this.database.query(`DELETE FROM ${this.#documents} WHERE document = $document`).run(old);
    }
    if (content === null) return;
    const document = this.#freeDocument(content.startAt);
    this.#addDocument(id, document, content.title, content.text);
    this.database
      .query(`INSERT INTO ${this.#letters} (rowid, letters) VALUES ($document, $letters)`)
      .run({ document, letters: content.letters });
    this.database
      .query(`INSERT INTO ${this.#nameLetters} (rowid, letters) VALUES ($document, $letters)`)
      .run({ document, letters: content.nameLetters });
  }

  #addDocument(id: number, document: number, title: string, text: string): void {
    if (this.kind.name === 'program') {
      this.database
        .query(
          `INSERT INTO program_documents (document, program_id, title, text)
           VALUES ($document, $id, $title, $text)`,
        )
        .run({ document, id, title, text });
      return;
    }
    this.database
      .query('INSERT INTO recording_documents (document, recording_id, text) VALUES ($document, $id, $text)')
      .run({ document, id, text });
  }

  #freeDocument(startAt: BroadcastMs): number {
    const first = firstDocument(startAt);
    const last = this.database
      .query<{ document: number | null }, { first: number; end: number }>(
        `SELECT max(document) AS document FROM ${this.#documents}
         WHERE document >= $first AND document < $end`,
      )
      .get({ first, end: first + DOCUMENTS_A_SECOND });
    return (last?.document ?? first - 1) + 1;
  }
}

/** The line of a text that contains the name. */
export function nameOf(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}

function prepared(
  { id, name: stored, description, extended, startAt }: PendingRow,
  { terms }: Kind,
): PreparedDocument {
  if (startAt === null || stored === null) return { id, content: null };
  const name = storedText(stored);
  const parts = Object.entries(readObject<Record<string, string>>(extended) ?? {}).flat();
  const lines = [name, storedText(description), ...parts].map((part) => matchText(String(part)));
  // A word never contains a line break.
  const text = lines.join('\n');
  return {
    id,
    content: {
      ...{ startAt, title: titleText(name), text },
      ...{ letters: terms(text), nameLetters: terms(lines[0] ?? '') },
    },
  };
}
