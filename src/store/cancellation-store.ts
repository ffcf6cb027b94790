/** Airings that a user cancelled and that no rule may book again. */
import type { Database } from 'bun:sqlite';
import type { BroadcastType } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import { type RuleId, ruleId } from '../model/ids.ts';
import { CANCELLATION_REACH_MS, type Cancellation } from '../model/reservation.ts';
import { readText } from './stored-json.ts';
import { atomically } from './transaction.ts';

interface Row {
  id: number;
  rule_id: RuleId | null;
  type: string;
  channel: string;
  title: string;
  start_at: BroadcastMs;
  cancelled_at: BroadcastMs;
}

/** Identifies a cancelled airing: title in normal form, start in epoch ms. */
export type CancelledAiring = Pick<Cancellation, 'type' | 'channel' | 'title' | 'startAt'>;

export class CancellationStore {
  constructor(private readonly database: Database) {}

  all(): Cancellation[] {
    return this.database
      .query<Row, []>(
        'SELECT id, rule_id, type, channel, title, start_at, cancelled_at FROM cancellations ORDER BY id',
      )
      .all()
      .map((row) => ({
        id: row.id,
        ruleId: row.rule_id === null ? null : ruleId(row.rule_id),
        type: row.type as BroadcastType,
        channel: row.channel,
        title: readText(row.title),
        startAt: row.start_at,
        cancelledAt: row.cancelled_at,
      }));
  }

  add({ ruleId, type, channel, title, startAt, cancelledAt }: Omit<Cancellation, 'id'>): void {
    atomically(this.database, () =>
      this.database
        .query(
          `INSERT INTO cancellations (rule_id, type, channel, title, start_at, cancelled_at)
         VALUES ($ruleId, $type, $channel, $title, $startAt, $cancelledAt)`,
        )
        .run({ ruleId, type, channel, title, startAt, cancelledAt }),
    );
  }

  /** Cancellations that block this airing. */
  remove({ type, channel, title, startAt }: CancelledAiring): void {
    atomically(this.database, () =>
      this.database
        .query(
          `DELETE FROM cancellations WHERE type = $type AND channel = $channel AND title = $title
           AND abs(start_at - $startAt) <= $reach`,
        )
        .run({ type, channel, title, startAt, reach: CANCELLATION_REACH_MS }),
    );
  }

  /** Deletes those of airings that began before. @returns their number */
  purge(before: BroadcastMs): number {
    return atomically(
      this.database,
      () => this.database.query('DELETE FROM cancellations WHERE start_at < $before').run({ before }).changes,
    );
  }
}
