/**
 * Recordings whose texts contain words, for lists. Which recording a document of the index belongs to is kept in memory,
 * 12 octets a recording, until a document changes: words of one letter have tens of thousands of hits, and joining them
 * takes more than twice as long as finding them.
 */
import type { Database } from 'bun:sqlite';
import { tableStamp } from './change-counters.ts';
import { idListOf } from './query.ts';
import { phraseExpression } from './search-terms.ts';

const MATCHING =
  'SELECT rowid AS id FROM recording_letters WHERE recording_letters MATCH $match ORDER BY rowid';

/** Rows that are not indexed yet, by comparison. */
const PENDING = `
  SELECT d.recording_id AS id FROM search_pending AS s CROSS JOIN recording_documents AS d ON d.recording_id = s.id
  WHERE s.kind = 'recording'
    AND NOT EXISTS (SELECT 1 FROM json_each($words) AS word WHERE instr(d.text, word.value) = 0)`;

const DOCUMENTS = 'FROM recording_documents INDEXED BY recording_documents_of ORDER BY document';

/** By ascending document. */
interface Documents {
  readonly stamp: string;
  readonly documents: Float64Array;
  readonly recordings: Int32Array;
}

export class RecordingTextIndex {
  #documents: Documents | undefined;

  constructor(private readonly database: Database) {}

  /** Ids in any order, some perhaps twice. @param words in normal form, at least one */
  matching(words: readonly string[]): number[] {
    // One state of the database: another connection fills the index.
    return this.database.transaction(() => {
      const { documents, recordings } = this.#documentsOf();
      const matches = idListOf(this.database, MATCHING, { match: phraseExpression(words) });
      const found = idListOf(this.database, PENDING, { words: JSON.stringify(words) });
      let at = 0;
      for (const document of matches) {
        while (at < documents.length && (documents[at] as number) < document) at++;
        if (documents[at] === document) found.push(recordings[at] as number);
      }
      return found;
    })();
  }

  #documentsOf(): Documents {
    const stamp = tableStamp(this.database, ['recording_documents']);
    if (this.#documents?.stamp !== stamp) {
      const documents = Float64Array.from(idListOf(this.database, `SELECT document AS id ${DOCUMENTS}`));
      const recordings = Int32Array.from(idListOf(this.database, `SELECT recording_id AS id ${DOCUMENTS}`));
      this.#documents = { stamp, documents, recordings };
    }
    return this.#documents;
  }
}
