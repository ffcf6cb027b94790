/** Rows of stations, and cleanup of removed ones. */
import type { Database } from 'bun:sqlite';
import type { BroadcastType, NetworkId, ServiceId, StationId, TransportStreamId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { KnownStation, StationRecord } from '../model/station.ts';
import { storedReservationReason } from './reservation-json.ts';
import { readText } from './stored-json.ts';
import { atomically } from './transaction.ts';

interface StationRow {
  id: number;
  type: string;
  network_id: number;
  service_id: number;
  transport_stream_id: number | null;
  channel: string;
  name: string;
  service_type: number;
  remote_control_key: number;
  hidden: number;
  forgotten: number;
}

function toRecord(row: StationRow): StationRecord {
  return {
    id: row.id as StationId,
    type: row.type as BroadcastType,
    networkId: row.network_id as NetworkId,
    serviceId: row.service_id as ServiceId,
    transportStreamId: row.transport_stream_id as TransportStreamId | null,
    channel: readText(row.channel),
    name: readText(row.name),
    serviceType: row.service_type,
    remoteControlKey: row.remote_control_key,
  };
}

const COLUMNS =
  'id, type, network_id, service_id, transport_stream_id, channel, name, service_type, remote_control_key';
const ORDER = `ORDER BY CASE type WHEN 'GR' THEN 0 WHEN 'BS' THEN 1 ELSE 2 END, remote_control_key, service_id, id`;

/** Changes of an import. */
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
      .query<StationRow, []>(`SELECT ${COLUMNS}, hidden, forgotten FROM stations WHERE hidden = 0 ${ORDER}`)
      .all()
      .map(toRecord);
  }

  /** Every station that was ever listed, in the order of lists. */
  known(): KnownStation[] {
    return this.database
      .query<StationRow, []>(`SELECT ${COLUMNS}, hidden, forgotten FROM stations ${ORDER}`)
      .all()
      .map((row) => ({ ...toRecord(row), hidden: row.hidden === 1, forgotten: row.forgotten === 1 }));
  }

  /** Applies an import; other rows stay unchanged, none is deleted. @param now epoch ms */
  apply(changes: StationChanges, now: BroadcastMs): void {
    const upsert = this.database.query(
      `INSERT INTO stations (${COLUMNS}, hidden, forgotten, seen_at)
       VALUES ($id, $type, $networkId, $serviceId, $transportStreamId, $channel, $name, $serviceType,
               $remoteControlKey, 0, 0, $now)
       ON CONFLICT (id) DO UPDATE SET
         type = excluded.type, channel = excluded.channel, name = excluded.name,
         transport_stream_id = excluded.transport_stream_id, service_type = excluded.service_type,
         remote_control_key = excluded.remote_control_key, hidden = 0, forgotten = 0,
         seen_at = excluded.seen_at`,
    );
    const hide = this.database.query('UPDATE stations SET hidden = 1 WHERE id = $id');
    const retype = this.database.query(
      'UPDATE stations SET hidden = 1, service_type = $serviceType WHERE id = $id',
    );
    atomically(this.database, () => {
      for (const { id, type, networkId, serviceId, transportStreamId, channel, ...rest } of changes.put) {
        const { name, serviceType, remoteControlKey } = rest;
        const place = { id, type, networkId, serviceId, transportStreamId, channel };
        upsert.run({ ...place, name, serviceType, remoteControlKey, now });
      }
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
