/** Rows of stations, and cleanup of removed ones. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { KnownStation, StationRecord } from '../model/station.ts';
import { storedReservationReason } from './reservation-json.ts';
import { defineTable, flagColumn, plain, type Row, textColumn } from './table.ts';
import { atomically } from './transaction.ts';

const STATIONS = defineTable<StationRecord>({
  id: plain(),
  type: plain(),
  networkId: plain(),
  serviceId: plain(),
  transportStreamId: plain(),
  channel: textColumn(),
  name: textColumn(),
  serviceType: plain(),
  remoteControlKey: plain(),
});
const KNOWN = STATIONS.with<KnownStation>({ hidden: flagColumn(), forgotten: flagColumn() });
/** The id is made of the other fields. */
const CHANGING = ['type', 'channel', 'name', 'transportStreamId', 'serviceType', 'remoteControlKey'] as const;
const ORDER = `ORDER BY CASE type WHEN 'GR' THEN 0 WHEN 'BS' THEN 1 ELSE 2 END, remote_control_key, service_id, id`;

export interface StationChanges {
  /** New, changed or seen again: listed. */
  put: readonly StationRecord[];
  /** Absent from the import, or no longer a watchable service. */
  hide: readonly StationId[];
  /** Known stations whose service type changed. */
  retype: readonly { id: StationId; serviceType: number }[];
}

/** Data deleted together with a station. */
interface Forgotten {
  programs: number;
  reservations: number;
}

export class StationStore {
  constructor(private readonly database: Database) {}

  /** Stations of the last import: GR, BS, CS, each by remote-control number, then service id. */
  listed(): StationRecord[] {
    return this.database
      .query<Row, []>(`SELECT ${STATIONS.columns()} FROM stations WHERE hidden = 0 ${ORDER}`)
      .all()
      .map(STATIONS.read);
  }

  /** Every station that was ever listed, in the order of lists. */
  known(): KnownStation[] {
    return this.database
      .query<Row, []>(`SELECT ${KNOWN.columns()} FROM stations ${ORDER}`)
      .all()
      .map(KNOWN.read);
  }

  /** Applies an import; other rows stay unchanged, none is deleted. */
  apply(changes: StationChanges, now: BroadcastMs): void {
    const upsert = this.database.query(
      `INSERT INTO stations ${STATIONS.inserted(STATIONS.fields, {
        ...{ hidden: '0', forgotten: '0', seen_at: '$now' },
      })}
       ON CONFLICT (id) DO UPDATE SET ${STATIONS.excluded(CHANGING)}, hidden = 0, forgotten = 0,
         seen_at = excluded.seen_at`,
    );
    const hide = this.database.query('UPDATE stations SET hidden = 1 WHERE id = $id');
    const retype = this.database.query(
      'UPDATE stations SET hidden = 1, service_type = $serviceType WHERE id = $id',
    );
    atomically(this.database, () => {
      for (const station of changes.put)
        upsert.run({ ...STATIONS.parameters(station, STATIONS.fields), now });
      for (const id of changes.hide) hide.run({ id });
      for (const { id, serviceType } of changes.retype) retype.run({ id, serviceType });
    });
  }

  /**
   * Removes the guide of a missing station, and cancels its reservations that have not begun, which can be restored.
   * The row stays for its recordings.
   */
  forgetStation(id: StationId, now: BroadcastMs): Forgotten {
    return atomically(this.database, () => {
      const programs = this.database.query('DELETE FROM programs WHERE station_id = $id').run({ id }).changes;
      this.database.query('DELETE FROM guide_coverage WHERE station_id = $id').run({ id });
      const reservations = this.database
        .query(
          `UPDATE reservations SET state = 'cancelled', reason = $reason, updated_at = $now
             WHERE station_id = $id AND state IN ('scheduled', 'conflict', 'skipped') AND start_at > $now`,
        )
        .run({ id, now, reason: storedReservationReason({ code: 'station_gone' }) }).changes;
      this.database.query('UPDATE stations SET forgotten = 1, hidden = 1 WHERE id = $id').run({ id });
      return { programs, reservations };
    });
  }

  /** Deletes those of the stations that nothing references. @returns the deleted ones */
  deleteUnreferenced(ids: readonly StationId[]): StationId[] {
    const remove = this.database.query(
      `DELETE FROM stations WHERE id = $id AND hidden = 1
         AND NOT EXISTS (SELECT 1 FROM programs WHERE station_id = $id)
         AND NOT EXISTS (SELECT 1 FROM reservations WHERE station_id = $id)
         AND NOT EXISTS (SELECT 1 FROM recordings WHERE station_id = $id)
         AND NOT EXISTS (
           SELECT 1 FROM rules,
             json_each(CASE WHEN json_valid(rules.conditions) THEN rules.conditions ELSE '{}' END, '$.stationIds') AS wanted
           WHERE wanted.value = $id)`,
    );
    return atomically(this.database, () => ids.filter((id) => remove.run({ id }).changes > 0));
  }
}

type BroadcasterRow = Omit<ServiceBroadcaster, 'affiliations'> & { affiliations: Uint8Array };

/** Broadcasters of stations as the BIT last stated them, for receptions that have not received it yet. */
export class BroadcasterStore {
  constructor(private readonly database: Database) {}

  /** Undefined: the station's BIT was never received. */
  find(station: StationId): ServiceBroadcaster | undefined {
    const row = this.database
      .query<BroadcasterRow, [StationId]>(
        `SELECT network_id AS networkId, broadcaster_id AS broadcasterId,
           terrestrial_broadcaster_id AS terrestrialBroadcasterId, affiliations
         FROM station_broadcasters WHERE station_id = ?`,
      )
      .get(station);
    return row === null ? undefined : { ...row, affiliations: [...row.affiliations] };
  }

  learn(stationId: StationId, broadcaster: ServiceBroadcaster): void {
    const { networkId, broadcasterId, terrestrialBroadcasterId } = broadcaster;
    const affiliations = Uint8Array.from(broadcaster.affiliations);
    this.database
      .query(
        `INSERT OR REPLACE INTO station_broadcasters
           (station_id, network_id, broadcaster_id, terrestrial_broadcaster_id, affiliations)
         VALUES ($stationId, $networkId, $broadcasterId, $terrestrialBroadcasterId, $affiliations)`,
      )
      .run({ stationId, networkId, broadcasterId, terrestrialBroadcasterId, affiliations });
  }
}
