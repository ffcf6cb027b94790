/** Coverage of each station's guide. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { ReadCoverage } from '../model/guide-change.ts';
import { defineTable, flagColumn, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

export interface StationCoverage {
  /** Epoch ms of the last complete reading; null: never. */
  readAt: WallMs | null;
  /** Epoch ms; null: nothing is stored. */
  filledUntil: BroadcastMs | null;
  hasGuide: boolean;
}

const COVERAGE = defineTable<StationCoverage & { stationId: StationId }>({
  stationId: plain(),
  readAt: plain(),
  filledUntil: plain(),
  hasGuide: flagColumn(),
});

/** A complete reading replaces the coverage; a partial one only extends it. */
const UPSERT = `
  INSERT INTO guide_coverage (station_id, read_at, filled_until, has_guide)
  SELECT $station, $readAt, $filledUntil, $hasGuide FROM stations WHERE id = $station
  ON CONFLICT (station_id) DO UPDATE SET
    read_at = COALESCE(excluded.read_at, read_at),
    filled_until = CASE
      WHEN $whole THEN excluded.filled_until
      ELSE NULLIF(MAX(COALESCE(filled_until, 0), COALESCE(excluded.filled_until, 0)), 0) END,
    has_guide = excluded.has_guide`;

export class CoverageStore {
  constructor(private readonly database: Database) {}

  all(): Map<StationId, StationCoverage> {
    const rows = this.database.query<Row, []>(`SELECT ${COVERAGE.columns()} FROM guide_coverage`).all();
    return new Map(rows.map(COVERAGE.read).map(({ stationId, ...coverage }) => [stationId, coverage]));
  }

  /**
   * Epoch ms of the last complete reading of any station; null: never. One that is ahead of the clock, which has been set
   * back since, counts as of 1970.
   */
  newestReadAt(now: WallMs): WallMs | null {
    const row = this.database
      .query<{ at: WallMs | null }, { now: WallMs }>(
        'SELECT max(iif(read_at > $now, 0, read_at)) AS at FROM guide_coverage',
      )
      .get({ now });
    return row?.at ?? null;
  }

  /** Rows of unknown stations are ignored. */
  put(rows: readonly ReadCoverage[]): void {
    const upsert = this.database.query(UPSERT);
    atomically(this.database, () => {
      for (const { stationId, readAt, filledUntil, whole, hasGuide } of rows) {
        upsert.run({
          station: stationId,
          readAt,
          filledUntil,
          whole: whole ? 1 : 0,
          hasGuide: hasGuide ? 1 : 0,
        });
      }
    });
  }
}
