/** Rows of logos: the best received logo of each station. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';
import { chooseLogo, type LogoRecord } from '../model/logo.ts';
import { atomically } from './transaction.ts';

interface LogoRow {
  station_id: StationId;
  type: number;
  version: number | null;
  png: Uint8Array<ArrayBuffer>;
  fetched_at: WallMs;
}

export interface ReceivedLogo {
  stationId: StationId;
  type: number;
  version: number | null;
  png: Uint8Array<ArrayBuffer>;
}

function tagOf(png: Uint8Array<ArrayBuffer>): string {
  return Bun.hash(png).toString(36);
}

function toRecord(row: LogoRow): LogoRecord {
  return {
    stationId: row.station_id as StationId,
    type: row.type,
    version: row.version,
    fetchedAt: row.fetched_at,
    tag: tagOf(row.png),
  };
}

export class LogoStore {
  constructor(private readonly database: Database) {}

  all(): LogoRecord[] {
    return this.database.query<LogoRow, []>('SELECT * FROM logos').all().map(toRecord);
  }

  png(station: StationId): Uint8Array<ArrayBuffer> | undefined {
    return this.#row(station)?.png;
  }

  /**
   * Stores received logos that are better than the stored ones, see `chooseLogo`; logos of unknown stations are
   * ignored. @param now epoch ms @returns the stored logo of each of them
   */
  put(logos: readonly ReceivedLogo[], now: WallMs): LogoRecord[] {
    const write = this.database.query(
      `INSERT INTO logos (station_id, type, version, png, fetched_at)
       SELECT $stationId, $type, $version, $png, $now WHERE EXISTS (SELECT 1 FROM stations WHERE id = $stationId)
       ON CONFLICT (station_id) DO UPDATE SET
         type = excluded.type, version = excluded.version, png = excluded.png, fetched_at = excluded.fetched_at`,
    );
    const seen = this.database.query(
      'UPDATE logos SET fetched_at = $now, version = COALESCE($version, version) WHERE station_id = $stationId',
    );
    return atomically(this.database, () =>
      logos.flatMap(({ stationId, type, version, png }) => {
        const held = this.#row(stationId);
        const record = held === undefined ? undefined : toRecord(held);
        const choice = record === undefined ? 'replace' : chooseLogo(record, { type, version }, now);
        // The same picture again does not change the list that contains it.
        if (choice === 'refresh' && record?.tag === tagOf(png)) seen.run({ stationId, version, now });
        else if (choice !== 'keep') write.run({ stationId, type, version, png, now });
        const row = this.#row(stationId);
        return row === undefined ? [] : [toRecord(row)];
      }),
    );
  }

  #row(station: StationId): LogoRow | undefined {
    return (
      this.database
        .query<LogoRow, { station: number }>('SELECT * FROM logos WHERE station_id = $station')
        .get({ station }) ?? undefined
    );
  }
}
