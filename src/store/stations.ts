/** Rows of stations. */
import type { Database } from 'bun:sqlite';
import type { BroadcastType, NetworkId, ServiceId, StationId, TransportStreamId } from '../../arib/ids.ts';
import type { StationRecord } from '../model/station.ts';

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
}

function toRecord(row: StationRow): StationRecord {
  return {
    id: row.id as StationId,
    type: row.type as BroadcastType,
    networkId: row.network_id as NetworkId,
    serviceId: row.service_id as ServiceId,
    transportStreamId: row.transport_stream_id as TransportStreamId | null,
    channel: row.channel,
    name: row.name,
    serviceType: row.service_type,
    remoteControlKey: row.remote_control_key,
  };
}

const COLUMNS =
  'id, type, network_id, service_id, transport_stream_id, channel, name, service_type, remote_control_key';

export class StationStore {
  constructor(private readonly database: Database) {}

  /** Stations that the last import had: GR, BS, CS, each by remote-control number, then service id. */
  listed(): StationRecord[] {
    return this.database
      .query<StationRow, []>(
        `SELECT ${COLUMNS} FROM stations WHERE hidden = 0
         ORDER BY CASE type WHEN 'GR' THEN 0 WHEN 'BS' THEN 1 ELSE 2 END, remote_control_key, service_id, id`,
      )
      .all()
      .map(toRecord);
  }

  /** Takes an import's stations: new and changed ones are written, absent ones hidden, none deleted. */
  replaceListed(stations: readonly StationRecord[], now: number): void {
    const upsert = this.database.query(
      `INSERT INTO stations (${COLUMNS}, hidden, seen_at)
       VALUES ($id, $type, $networkId, $serviceId, $transportStreamId, $channel, $name, $serviceType,
               $remoteControlKey, 0, $now)
       ON CONFLICT (id) DO UPDATE SET
         type = excluded.type, channel = excluded.channel, name = excluded.name,
         transport_stream_id = excluded.transport_stream_id, service_type = excluded.service_type,
         remote_control_key = excluded.remote_control_key, hidden = 0, seen_at = excluded.seen_at`,
    );
    this.database
      .transaction(() => {
        this.database.run('UPDATE stations SET hidden = 1 WHERE hidden = 0');
        for (const station of stations) upsert.run({ ...station, now });
      })
      .immediate();
  }
}
