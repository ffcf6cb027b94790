/** Notices, their targets and the queue of deliveries. */
import type { Database } from 'bun:sqlite';
import type { NoticeEvent } from '../../lib/wire/vocabulary.ts';
import type {
  DueNotice,
  NewNotice,
  NewStoredTarget,
  NoticeFacts,
  StoredNotice,
  StoredTarget,
} from '../model/notice.ts';
import { execute, exists } from './query.ts';
import { readReason, readVerdict } from './recording-json.ts';
import { readReservationReason } from './reservation-json.ts';
import { readCodes, readObject } from './stored-json.ts';
import { defineTable, flagColumn, json, named, nullableColumn, plain, type Row, selected } from './table.ts';
import { atomically } from './transaction.ts';

/** Notices of so many things are kept; a household sees some tens a day. */
const KEPT = 2_000;
/** Waiting deliveries of a target: of a flood the oldest are left out, and counted in the message. */
const MAX_WAITING = 500;

/** Triggers copy what a row had, of whichever version and in whichever state it was. */
function readFacts(stored: string | null): NoticeFacts {
  const { verdict, recordingReason, reservationReason, ...facts } = readObject<NoticeFacts>(stored) ?? {};
  return {
    ...facts,
    ...(verdict == null ? {} : { verdict: readVerdict(JSON.stringify(verdict)) }),
    ...(recordingReason == null ? {} : { recordingReason: readReason(JSON.stringify(recordingReason)) }),
    ...(reservationReason == null
      ? {}
      : { reservationReason: readReservationReason(JSON.stringify(reservationReason)) }),
  };
}

const NOTICES = defineTable<StoredNotice>({
  id: plain(),
  event: plain(),
  kind: plain(),
  subject: plain(),
  facts: json(readFacts),
  at: plain(),
});
const DUE = NOTICES.with<DueNotice>({
  attempts: selected('d.attempts', plain()),
  message: selected('d.message', plain()),
});
const WRITTEN = ['event', 'kind', 'subject', 'facts', 'at'] as const;

const TARGETS = defineTable<StoredTarget>({
  id: plain(),
  kind: plain(),
  format: plain(),
  name: plain(),
  url: plain(),
  secret: plain(),
  to: named('recipient', plain()),
  events: json(readCodes<NoticeEvent>),
  quiet: nullableColumn(json(readObject<NonNullable<StoredTarget['quiet']>>)),
  digest: flagColumn(),
  enabled: flagColumn(),
  base: plain(),
  last: nullableColumn(json(readObject<NonNullable<StoredTarget['last']>>)),
});
/** What a user sets. */
const CHOSEN = [
  ...(['kind', 'format', 'name', 'url', 'secret', 'to', 'events', 'quiet', 'digest'] as const),
  ...(['enabled', 'base'] as const),
] satisfies (keyof NewStoredTarget)[];

export class NoticeStore {
  constructor(private readonly database: Database) {}

  /** A notice whose key is stored already is left out. */
  add(notice: NewNotice): void {
    atomically(this.database, () => this.#insert(notice));
  }

  #insert(notice: NewNotice): void {
    this.database
      .query(`INSERT OR IGNORE INTO notices ${NOTICES.inserted(WRITTEN, { key: '$key' })}`)
      .run({ ...NOTICES.parameters(notice, WRITTEN), key: notice.key });
  }

  /** Newest first. @param before an id */
  latest(limit: number, before = Number.MAX_SAFE_INTEGER): StoredNotice[] {
    return this.database
      .query<Row, { limit: number; before: number }>(
        `SELECT ${NOTICES.columns()} FROM notices AS n WHERE n.id < $before ORDER BY n.id DESC LIMIT $limit`,
      )
      .all({ limit, before })
      .map(NOTICES.read);
  }

  find(id: number): StoredNotice | undefined {
    return this.latest(1, id + 1).find((notice) => notice.id === id);
  }

  /**
   * Puts the deliveries of new notices into the queue.
   * @param dueAt epoch ms at which a target gets the notice; undefined: it does not get it
   * @returns the new notices
   */
  enqueue(dueAt: (target: StoredTarget, notice: StoredNotice) => number | undefined): StoredNotice[] {
    const isNew = exists(this.database, 'SELECT 1 FROM notices WHERE queued = 0 LIMIT 1');
    if (!isNew) return [];
    return atomically(this.database, () => {
      const fresh = this.database
        .query<Row, []>(`SELECT ${NOTICES.columns()} FROM notices WHERE queued = 0 ORDER BY id`)
        .all()
        .map(NOTICES.read);
      const put = this.database.query(
        'INSERT INTO notice_deliveries (target_id, notice_id, due_at) VALUES ($target, $notice, $due)',
      );
      for (const target of this.targets()) {
        const wanted = fresh.flatMap((notice) => {
          const due = dueAt(target, notice);
          return due === undefined ? [] : [{ target: target.id, notice: notice.id, due }];
        });
        for (const delivery of wanted.slice(-MAX_WAITING)) put.run(delivery);
        this.#dropOldest(target.id);
      }
      this.database.run('UPDATE notices SET queued = 1 WHERE queued = 0');
      this.database
        .query('DELETE FROM notices WHERE id <= (SELECT max(id) FROM notices) - $kept')
        .run({ kept: KEPT });
      return fresh;
    });
  }

  #dropOldest(target: number): void {
    this.database
      .query(
        `DELETE FROM notice_deliveries WHERE target_id = $target AND message IS NULL AND notice_id NOT IN (
           SELECT notice_id FROM notice_deliveries WHERE target_id = $target ORDER BY notice_id DESC LIMIT $most)`,
      )
      .run({ target, most: MAX_WAITING });
  }

  /** Due deliveries of a target, oldest first. @param now epoch ms */
  due(target: number, now: number): DueNotice[] {
    return this.database
      .query<Row, { target: number; now: number }>(
        `SELECT ${DUE.columns('n')} FROM notice_deliveries AS d
         JOIN notices AS n ON n.id = d.notice_id
         WHERE d.target_id = $target AND d.due_at <= $now ORDER BY d.notice_id`,
      )
      .all({ target, now })
      .map(DUE.read);
  }

  /** When the next delivery is due, epoch ms; null: none waits. */
  nextDueAt(): number | null {
    return (
      this.database
        .query<{ at: number | null }, []>(
          `SELECT min(d.due_at) AS at FROM notice_deliveries AS d
           JOIN notice_targets AS t ON t.id = d.target_id WHERE t.enabled = 1`,
        )
        .get()?.at ?? null
    );
  }

  /** Whether one is due later than that, epoch ms. */
  isDueAfter(limit: number): boolean {
    return exists(this.database, 'SELECT 1 FROM notice_deliveries WHERE due_at > $limit LIMIT 1', { limit });
  }

  /** Makes what is due later than `limit` due at `due`, epoch ms. */
  bringForward(limit: number, due: number): void {
    execute(this.database, 'UPDATE notice_deliveries SET due_at = $due WHERE due_at > $limit', {
      limit,
      due,
    });
  }

  waiting(target: number): number {
    return (
      this.database
        .query<{ count: number }, { target: number }>(
          'SELECT count(*) AS count FROM notice_deliveries WHERE target_id = $target',
        )
        .get({ target })?.count ?? 0
    );
  }

  /** Before a message is sent: from now on these notices belong to it. */
  compose(target: number, notices: readonly number[], message: string): void {
    this.#change(target, notices, 'UPDATE notice_deliveries SET message = $value', message);
  }

  /** After a failed attempt. @param due epoch ms of the next one */
  postpone(target: number, notices: readonly number[], due: number): void {
    this.#change(
      target,
      notices,
      'UPDATE notice_deliveries SET attempts = attempts + 1, due_at = $value',
      due,
    );
  }

  #change(target: number, notices: readonly number[], change: string, value: string | number): void {
    execute(
      this.database,
      `${change} WHERE target_id = $target AND notice_id IN (SELECT value FROM json_each($notices))`,
      { target, notices: JSON.stringify(notices), value },
    );
  }

  /** Delivered, or given up. */
  done(target: number, notices: readonly number[], last: StoredTarget['last']): void {
    atomically(this.database, () => {
      this.database
        .query(
          `DELETE FROM notice_deliveries
           WHERE target_id = $target AND notice_id IN (SELECT value FROM json_each($notices))`,
        )
        .run({ target, notices: JSON.stringify(notices) });
      this.noteResult(target, last);
    });
  }

  noteResult(target: number, last: StoredTarget['last']): void {
    execute(this.database, `UPDATE notice_targets SET ${TARGETS.assigned(['last'])} WHERE id = $target`, {
      target,
      ...TARGETS.parameters({ last }),
    });
  }

  targets(): StoredTarget[] {
    return this.database
      .query<Row, []>(`SELECT ${TARGETS.columns()} FROM notice_targets ORDER BY id`)
      .all()
      .map(TARGETS.read);
  }

  target(id: number): StoredTarget | undefined {
    const row = this.database
      .query<Row, { id: number }>(`SELECT ${TARGETS.columns()} FROM notice_targets WHERE id = $id`)
      .get({ id });
    return row === null ? undefined : TARGETS.read(row);
  }

  /** A push subscription replaces an earlier one with the same address. @returns its id */
  addTarget(target: NewStoredTarget): number {
    return atomically(this.database, () => {
      if (target.kind === 'push')
        this.database
          .query(`DELETE FROM notice_targets WHERE kind = 'push' AND url = $url`)
          .run({ url: target.url });
      const { lastInsertRowid } = this.database
        .query(`INSERT INTO notice_targets ${TARGETS.inserted(CHOSEN)}`)
        .run(TARGETS.parameters(target, CHOSEN));
      return Number(lastInsertRowid);
    });
  }

  changeTarget(id: number, target: NewStoredTarget): void {
    atomically(this.database, () => {
      this.database
        .query(`UPDATE notice_targets SET ${TARGETS.assigned(CHOSEN)} WHERE id = $id`)
        .run({ id, ...TARGETS.parameters(target, CHOSEN) });
      // What was chosen before does not arrive later.
      if (!target.enabled)
        this.database.query('DELETE FROM notice_deliveries WHERE target_id = $id').run({ id });
    });
  }

  /** @returns whether there was one */
  removeTarget(id: number): boolean {
    return execute(this.database, 'DELETE FROM notice_targets WHERE id = $id', { id }) > 0;
  }

  /** The key pair of web push; made once. */
  pushKeys(make: () => { publicKey: string; privateKey: string }): { publicKey: string; privateKey: string } {
    const read = () =>
      this.database
        .query<{ publicKey: string; privateKey: string }, []>(
          'SELECT public AS publicKey, private AS privateKey FROM push_keys',
        )
        .get();
    const known = read();
    if (known !== null) return known;
    const made = make();
    execute(
      this.database,
      'INSERT OR IGNORE INTO push_keys (only, public, private) VALUES (1, $publicKey, $privateKey)',
      { ...made },
    );
    return read() ?? made;
  }

  /** State of a watched thing as last stored; undefined: never seen. */
  condition(subject: string): string | undefined {
    return (
      this.database
        .query<{ state: string }, { subject: string }>(
          'SELECT state FROM notice_conditions WHERE subject = $subject',
        )
        .get({ subject })?.state ?? undefined
    );
  }

  /** Stores a state, together with the notice of its change. */
  noteCondition(subject: string, state: string, notice: NewNotice | null): void {
    atomically(this.database, () => {
      this.database
        .query('INSERT OR REPLACE INTO notice_conditions (subject, state) VALUES ($subject, $state)')
        .run({ subject, state });
      if (notice !== null) this.#insert(notice);
    });
  }
}
