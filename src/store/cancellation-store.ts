/** Airings that a user cancelled and that no rule may book again. */
import type { Database } from 'bun:sqlite';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { CANCELLATION_REACH_MS, type Cancellation } from '../model/reservation.ts';
import { execute } from './query.ts';
import { defineTable, plain, type Row, textColumn } from './table.ts';

const CANCELLATIONS = defineTable<Cancellation>({
  id: plain(),
  ruleId: plain(),
  type: plain(),
  channel: plain(),
  title: textColumn(),
  startAt: plain(),
  cancelledAt: plain(),
});
const NEW = ['ruleId', 'type', 'channel', 'title', 'startAt', 'cancelledAt'] as const;

/** Identifies a cancelled airing: title in normal form, start in epoch ms. */
export type CancelledAiring = Pick<Cancellation, 'type' | 'channel' | 'title' | 'startAt'>;

export class CancellationStore {
  constructor(private readonly database: Database) {}

  all(): Cancellation[] {
    return this.database
      .query<Row, []>(`SELECT ${CANCELLATIONS.columns()} FROM cancellations ORDER BY id`)
      .all()
      .map(CANCELLATIONS.read);
  }

  add(cancellation: Omit<Cancellation, 'id'>): void {
    execute(
      this.database,
      `INSERT INTO cancellations ${CANCELLATIONS.inserted(NEW)}`,
      CANCELLATIONS.parameters(cancellation, NEW),
    );
  }

  /** Cancellations that block this airing. */
  remove({ type, channel, title, startAt }: CancelledAiring): void {
    execute(
      this.database,
      `DELETE FROM cancellations WHERE type = $type AND channel = $channel AND title = $title
           AND abs(start_at - $startAt) <= $reach`,
      { type, channel, title, startAt, reach: CANCELLATION_REACH_MS },
    );
  }

  /** Deletes those of airings that began before. @returns their number */
  purge(before: BroadcastMs): number {
    return execute(this.database, 'DELETE FROM cancellations WHERE start_at < $before', { before });
  }
}
