/**
 * Writes changes of the guide: only changed rows of programmes. A transaction ends after 8 ms and is followed by a
 * pause, so that a writer on another connection never waits long; within that it is as large as it can be, because
 * every commit writes the touched pages of all indexes again. The search index follows after some seconds
 * (`search-index-filler.ts`). While another program holds the write lock, the thread does not block: it also reads
 * tables, whose times must not be delayed.
 */
import type { Database } from 'bun:sqlite';
import { type EventId, type ProgramId, programId, type StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { MonotonicClock, MonotonicMs, WallMs } from '../../lib/host/clock.ts';
import type { ExtendedText, PresentFollowing, ScheduleWindow, StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import {
  borrowedFrom,
  ownTexts,
  postponed,
  resolveOverlaps,
  type TimelineFlags,
  type TimelineRow,
  withLender,
  withSchedule,
} from '../model/program-precedence.ts';
import { PROGRAMS } from './program-row.ts';
import { SearchIndexFiller } from './search-index-filler.ts';
import { defineTable, flagColumn, plain, type Row, type Values } from './table.ts';
import { isLocked } from './transaction.ts';
import { holding, type WorkerLock } from './write-lock.ts';

interface ProgramWriterOptions {
  database: Database;
  /** Undefined: no other thread of this process writes. */
  lock?: WorkerLock;
  elapsed: MonotonicClock;
  /** Lets other connections write. */
  pause: (ms: number) => Promise<void>;
  /** Maximum delay of the search index, ms. Default: none. */
  indexDelayMs?: number;
}

export interface Written {
  /** Number of changed rows. */
  changed: number;
  /** Texts whose programme is not known (yet). */
  unplaced: Map<EventId, ExtendedText | null>;
}

/** A transaction ends after this; the next one begins after as long a pause. A step takes well under a millisecond. */
const TRANSACTION_MS = 8;
const PAUSE_MS = 8;
/** Retry interval while another program holds the write lock. */
const LOCKED_PAUSE_MS = 100;
/** Time limit; then the data is read from the broadcast again. */
const LOCKED_LIMIT_MS = 60_000;
/** Rows deleted in one step. */
const ROWS_A_STEP = 20;
/**
 * Programmes of one station. Nine days of programmes of 5 minutes are 2,600; further programmes of a faulty or
 * malicious station are not stored, because every write reads and compares all programmes of its station.
 */
const MAX_PROGRAMS_OF_STATION = 3_000;
/** Event ids are reused after the days of the guide: beyond this it is another programme. */
const SAME_PROGRAM_MS = 86_400_000;

/** Parts of a programme that may change, without the extended text, which has a digest of its own. */
const CONTENT = [
  ...(['startAt', 'endAt', 'openEnd', 'name', 'description', 'genres', 'audios', 'videoType'] as const),
  ...(['videoResolution', 'isFree', 'copyNever', 'groups', 'series'] as const),
];

/** What the writer knows of every stored programme of a station. */
interface KnownRow {
  eventId: EventId;
  startAt: BroadcastMs;
  /** 0: unknown, as the next. */
  digest: number;
  extendedDigest: number;
  /** The programme whose texts it shows. */
  borrows: ProgramId | null;
}

const KNOWN = 'event_id AS eventId, start_at AS startAt, digest, extended_digest AS extendedDigest, borrows';

/** A table without extended text ($keep) does not delete one from another table. */
const UPSERT = `
  INSERT INTO programs ${PROGRAMS.inserted(PROGRAMS.fields, {
    ...{ borrows: '$borrows', digest: '$digest', extended_digest: '$extendedDigest', updated_at: '$now' },
  })}
  ON CONFLICT (id) DO UPDATE SET ${PROGRAMS.excluded(CONTENT)},
    extended = CASE WHEN $keep THEN extended ELSE excluded.extended END,
    extended_digest = CASE WHEN $keep THEN extended_digest ELSE excluded.extended_digest END,
    borrows = excluded.borrows, digest = excluded.digest, updated_at = excluded.updated_at`;

/** By a segment that was received completely. Not what has ended, or what present/following has, which is newer. */
const VANISHED = `
  DELETE FROM programs WHERE id IN (
    SELECT id FROM programs
    WHERE station_id = $station AND start_at >= $from AND start_at < $to AND end_at > $now AND on_air = 0
      AND id IS NOT $next AND event_id NOT IN (SELECT value FROM json_each($events))
    LIMIT ${ROWS_A_STEP})`;

const TEXT_VANISHED = `
  UPDATE programs SET extended = NULL, extended_digest = 0, updated_at = $now WHERE id IN (
    SELECT id FROM programs
    WHERE station_id = $station AND start_at >= $from AND start_at < $to AND end_at > $now AND on_air = 0
      AND id IS NOT $next AND extended_digest <> 0 AND borrows IS NULL
      AND event_id NOT IN (SELECT value FROM json_each($events))
    LIMIT ${ROWS_A_STEP})`;

/** An extended text received separately, also for programmes that share it and have none of their own. */
const TEXT = `
  UPDATE programs SET extended = $extended, extended_digest = $digest, updated_at = $now
  WHERE id = $id OR (borrows = $id AND extended_digest IN (0, $before))`;

/** An open end is over as soon as another programme is on. */
const END_OPEN = `
  UPDATE programs SET end_at = $start, open_end = 0, digest = 0, updated_at = $now
  WHERE station_id = $station AND open_end = 1 AND on_air = 1 AND id <> $present AND start_at < $start`;

const TIMELINE = defineTable<TimelineRow>({
  id: plain(),
  startAt: plain(),
  endAt: plain(),
  openEnd: flagColumn(),
  updatedAt: plain(),
  onAir: flagColumn(),
  hidden: flagColumn(),
});

/** 53 bits: a change is missed once in 2^53. Never 0, which means unknown. */
function digestOf(text: string): number {
  return Number(BigInt(Bun.hash(text)) & 0x1f_ffff_ffff_ffffn) || 1;
}

function contentOf(program: ProgramRecord): { content: Values; digest: number } {
  const content = PROGRAMS.parameters(program, CONTENT);
  return { content, digest: digestOf(JSON.stringify(content)) };
}

/** An event's own fields, if it refers to another event. */
function ownOf({ id, stationId, eventId, startAt, endAt, openEnd, isFree, groups }: ProgramRecord) {
  return { id, stationId, eventId, startAt, endAt, openEnd, isFree, groups };
}

function isSame(before: KnownRow, program: ProgramRecord): boolean {
  return Math.abs(before.startAt - program.startAt) < SAME_PROGRAM_MS;
}

export class ProgramWriter {
  readonly #database: Database;
  readonly #index: SearchIndexFiller;
  /** Serialises writes and index updates; each lets others write in its pauses. */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly options: ProgramWriterOptions) {
    const { database, pause, indexDelayMs = 0 } = options;
    this.#database = database;
    this.#index = new SearchIndexFiller({
      ...{ database, delayMs: indexDelayMs },
      pause: () => pause(PAUSE_MS),
      inTurn: (act) => this.#inTurn(act),
      run: (steps) => this.#run(steps),
    });
  }

  close(): void {
    this.#index.close();
  }

  /** Entries missing in the search index, from earlier runs or an update, are indexed in the background. */
  fillIndex(): Promise<void> {
    return this.#index.fill();
  }

  /** Stores a change. Data about other stations is ignored. @throws SQLite's error; what was committed before stays */
  async write(change: StationChange, now: WallMs): Promise<Written> {
    const written: Written = { changed: 0, unplaced: new Map() };
    await this.#inTurn(() => this.#run(this.#steps(change, now, written)));
    if (written.changed > 0) await this.#index.fill();
    return written;
  }

  /** Other writes of this thread, in one transaction. */
  together(act: () => void): Promise<void> {
    const once: Iterator<void> = { next: () => ({ done: true, value: act() }) };
    return this.#inTurn(() => this.#run(once));
  }

  /** Deletes programmes that ended at or before `before`. @returns their number */
  async purge(before: BroadcastMs): Promise<number> {
    let purged = 0;
    const remove = this.#database.query(
      `DELETE FROM programs WHERE id IN (
         SELECT id FROM programs WHERE start_at <= $before AND end_at <= $before LIMIT $rows)`,
    );
    const removal = (function* () {
      for (;;) {
        const { changes } = remove.run({ before, rows: ROWS_A_STEP });
        purged += changes;
        if (changes === 0) return;
        yield;
      }
    })();
    await this.#inTurn(() => this.#run(removal));
    return purged;
  }

  /**
   * Runs steps in transactions of limited length.
   * @throws SQLite's error; SQLITE_BUSY after another program held the write lock for too long
   */
  async #run(steps: Iterator<void>): Promise<void> {
    const { elapsed, pause, lock } = this.options;
    let lockedSince: MonotonicMs | undefined;
    for (;;) {
      let begin = elapsed();
      let over = false;
      const some = this.#database.transaction(() => {
        begin = elapsed();
        do over = steps.next().done === true;
        while (!over && elapsed() - begin < TRANSACTION_MS);
      });
      try {
        if (lock === undefined) some.immediate();
        else await holding(lock, () => some.immediate());
        lockedSince = undefined;
      } catch (error) {
        // The lock is requested before the first step, so no step has run.
        if (!isLocked(error)) throw error;
        lockedSince ??= begin;
        if (elapsed() - lockedSince > LOCKED_LIMIT_MS) throw error;
      }
      if (over) return;
      await pause(lockedSince === undefined ? PAUSE_MS : LOCKED_PAUSE_MS);
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act);
    this.#last = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  *#steps(change: StationChange, now: WallMs, written: Written): Generator<void> {
    const { stationId, presentFollowing } = change;
    const known = this.#known(stationId);
    // The station was removed in the meantime.
    if (known === undefined) return;
    for (const program of change.programs) {
      if (program.stationId !== stationId) continue;
      const isAnnounced =
        presentFollowing?.present?.id === program.id || presentFollowing?.following?.id === program.id;
      if (!isAnnounced && known.size >= MAX_PROGRAMS_OF_STATION && !known.has(program.eventId)) continue;
      if (this.#put(isAnnounced ? this.#completed(program, known) : program, known, now))
        written.changed += 1;
      yield;
    }
    const waiting = presentFollowing?.waiting;
    const waits = waiting === undefined ? undefined : this.#find(waiting.id);
    if (presentFollowing !== undefined && waiting !== undefined && waits !== undefined) {
      if (this.#put(postponed(waits, waiting, presentFollowing.at), known, now)) {
        written.changed += 1;
        yield;
      }
    }
    for (const [event, text] of change.extended) {
      const changed = this.#putText(stationId, event, text, known, now);
      if (changed === undefined) {
        if (text !== null) written.unplaced.set(event, text);
      } else if (changed) written.changed += 1;
      yield;
    }
    for (const window of change.windows) {
      for (;;) {
        const vanished = this.#vanish(stationId, window, presentFollowing, now);
        written.changed += vanished;
        yield;
        if (vanished < ROWS_A_STEP) break;
      }
    }
    if (presentFollowing?.present) {
      const { id: present, startAt: start } = presentFollowing.present;
      written.changed += this.#database
        .query(END_OPEN)
        .run({ station: stationId, present, start, now }).changes;
    }
    if (written.changed === 0 && presentFollowing === undefined) return;
    yield;
    for (const { id, onAir, hidden } of this.#resolve(stationId, presentFollowing)) {
      written.changed += 1;
      this.#database
        .query('UPDATE programs SET on_air = $onAir, hidden = $hidden WHERE id = $id')
        .run({ id, onAir: onAir ? 1 : 0, hidden: hidden ? 1 : 0 });
      yield;
    }
  }

  /** Undefined for a station that is not stored. */
  #known(station: StationId): Map<number, KnownRow> | undefined {
    const exists = this.#database.query('SELECT 1 FROM stations WHERE id = $station').get({ station });
    if (exists === null) return undefined;
    const rows = this.#database
      .query<KnownRow, { station: number }>(`SELECT ${KNOWN} FROM programs WHERE station_id = $station`)
      .all({ station });
    return new Map(rows.map((row) => [row.eventId, row]));
  }

  /** Fields missing in present/following keep their stored values. */
  #completed(program: ProgramRecord, known: Map<number, KnownRow>): ProgramRecord {
    const before = known.get(program.eventId);
    if (before === undefined || !isSame(before, program)) return program;
    const stored = this.#find(program.id);
    return stored === undefined ? program : withSchedule(program, stored);
  }

  /** Stores a programme and updates those that share it. @returns whether it changed */
  #put(received: ProgramRecord, known: Map<number, KnownRow>, now: WallMs): boolean {
    const borrows = borrowedFrom(received) ?? null;
    const lender = borrows === null ? undefined : this.#find(borrows);
    const program = lender === undefined ? received : withLender(received, lender);
    const before = known.get(program.eventId);
    let previous: ProgramRecord | undefined;
    const after = this.#upsert(program, borrows, before, now, () => {
      if (borrows === null && before !== undefined) previous = this.#find(program.id);
    });
    if (after === undefined) return false;
    known.set(program.eventId, after);
    if (borrows === null) this.#lend(program, previous, now);
    return true;
  }

  /** @param onChange called before a change is written @returns the current row; undefined if it did not change */
  #upsert(
    program: ProgramRecord,
    borrows: ProgramId | null,
    before: KnownRow | undefined,
    now: WallMs,
    onChange: () => void = () => {},
  ): KnownRow | undefined {
    const { content, digest } = contentOf(program);
    const extended = program.extended === null ? null : JSON.stringify(program.extended);
    const extendedDigest = extended === null ? 0 : digestOf(extended);
    const keep = extended === null && before !== undefined && isSame(before, program);
    const same = before?.digest === digest && before.borrows === borrows;
    if (same && (keep || before.extendedDigest === extendedDigest)) return undefined;
    onChange();
    this.#database.query(UPSERT).run({
      ...content,
      id: program.id,
      stationId: program.stationId,
      eventId: program.eventId,
      extended,
      borrows,
      digest,
      extendedDigest,
      keep: keep ? 1 : 0,
      now,
    });
    return {
      eventId: program.eventId,
      startAt: program.startAt,
      digest,
      extendedDigest: keep ? (before?.extendedDigest ?? 0) : extendedDigest,
      borrows,
    };
  }

  /** Updates programmes that share this one. @param previous state before its change; undefined: it was not stored */
  #lend(lender: ProgramRecord, previous: ProgramRecord | undefined, now: WallMs): void {
    const rows = this.#database
      .query<Row & KnownRow, { id: number }>(
        `SELECT ${PROGRAMS.columns()}, ${KNOWN} FROM programs WHERE borrows = $id`,
      )
      .all({ id: lender.id });
    for (const row of rows) {
      const record = PROGRAMS.read(row);
      const own = { ...lender, ...ownOf(record), ...ownTexts(record, previous) };
      this.#upsert(own, lender.id, row, now);
    }
  }

  #find(id: ProgramId): ProgramRecord | undefined {
    const row = this.#database
      .query<Row, { id: number }>(`SELECT ${PROGRAMS.columns()} FROM programs WHERE id = $id`)
      .get({ id });
    return row === null ? undefined : PROGRAMS.read(row);
  }

  /** @returns whether it changed the row; undefined if there is no row */
  #putText(
    station: StationId,
    event: EventId,
    text: ExtendedText | null,
    known: Map<number, KnownRow>,
    now: WallMs,
  ): boolean | undefined {
    const before = known.get(event);
    if (before === undefined) return undefined;
    // Its own table has no text, but the shared programme has.
    if (text === null && before.borrows !== null) return false;
    const extended = text === null ? null : JSON.stringify(text);
    const digest = extended === null ? 0 : digestOf(extended);
    if (before.extendedDigest === digest) return false;
    this.#database.query(TEXT).run({
      id: programId(station, event),
      extended,
      digest,
      before: before.extendedDigest,
      now,
    });
    return true;
  }

  #vanish(
    station: StationId,
    { kind, from, to, events }: ScheduleWindow,
    presentFollowing: PresentFollowing | undefined,
    now: WallMs,
  ): number {
    // Past programmes are no longer sent: the last one before may extend beyond.
    if (to <= now) return 0;
    const next = presentFollowing?.following?.id ?? presentFollowing?.waiting?.id ?? null;
    return this.#database
      .query(kind === 'basic' ? VANISHED : TEXT_VANISHED)
      .run({ station, from, to, now, next, events: JSON.stringify(events) }).changes;
  }

  /** @returns programmes whose visibility changes */
  #resolve(station: StationId, presentFollowing: PresentFollowing | undefined): TimelineFlags[] {
    const rows = this.#database
      .query<Row, { station: number }>(
        `SELECT ${TIMELINE.columns()} FROM programs WHERE station_id = $station`,
      )
      .all({ station })
      .map(TIMELINE.read);
    return resolveOverlaps(rows, presentFollowing);
  }
}
