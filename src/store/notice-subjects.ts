/** The things of notices: for the command of the machine's owner, and for what can be done about them. */
import type { Database } from 'bun:sqlite';
import type { StoredNotice } from '../model/notice.ts';
import { readObject } from './stored-json.ts';

export interface CommandFacts {
  recordingId: number | null;
  reservationId: number | null;
  programId: number | null;
  /** GR, BS, CS. */
  channelType: string;
  channelId: number;
  channelName: string;
  /** Epoch ms. */
  startAt: number;
  endAt: number;
  /** As broadcast. */
  name: string;
  description: string;
  /** Headings and texts, a line each. */
  extended: string;
  /** Of the recording's best file; null: none. */
  path: string | null;
  errors: number | null;
  drops: number | null;
  scrambled: number | null;
}

type Row = Omit<CommandFacts, 'extended'> & { extended: string | null };

const RECORDING = `
  SELECT r.id AS recordingId, r.reservation_id AS reservationId, r.program_id AS programId, s.type AS channelType,
    r.station_id AS channelId, r.service_name AS channelName, r.start_at AS startAt, r.end_at AS endAt, r.name,
    r.description, r.extended,
    (SELECT path FROM recording_files WHERE recording_id = r.id
     ORDER BY source = 'ts' DESC, source = 'encoded' DESC LIMIT 1) AS path,
    json_extract(m.measured, '$.sums.errors') AS errors, json_extract(m.measured, '$.sums.drops') AS drops,
    json_extract(m.measured, '$.sums.scrambled') AS scrambled
  FROM recordings AS r JOIN stations AS s ON s.id = r.station_id
  LEFT JOIN recording_measurements AS m ON m.recording_id = r.id AND json_valid(m.measured)
  WHERE r.id = $id`;

const RESERVATION = `
  SELECT NULL AS recordingId, r.id AS reservationId, r.program_id AS programId, s.type AS channelType,
    r.station_id AS channelId, s.name AS channelName, r.start_at AS startAt, r.end_at AS endAt, r.name, r.description,
    p.extended, NULL AS path, NULL AS errors, NULL AS drops, NULL AS scrambled
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id LEFT JOIN programs AS p ON p.id = r.program_id
  WHERE r.id = $id`;

/** Undefined: it is gone, or of another kind. */
export function commandFacts(
  database: Database,
  { kind, subject }: Pick<StoredNotice, 'kind' | 'subject'>,
): CommandFacts | undefined {
  if (kind !== 'recording' && kind !== 'reservation') return undefined;
  const row = database
    .query<Row, { id: number }>(kind === 'recording' ? RECORDING : RESERVATION)
    .get({ id: Number(subject) });
  if (row === null) return undefined;
  return { ...row, extended: extendedText(row.extended) };
}

function extendedText(json: string | null): string {
  return Object.entries(readObject<Record<string, string>>(json) ?? {})
    .map(([heading, body]) => `${heading}\n${body}`)
    .join('\n');
}

/** What is left of a recording, for what can be done about its notice; undefined: it is gone or in the bin. */
export function recordingFacts(
  database: Database,
  id: number,
): { name: string; hasFile: boolean; hasOriginal: boolean; isRunning: boolean } | undefined {
  const row = database
    .query<{ name: string; files: number; originals: number; isRunning: number }, { id: number }>(
      `SELECT r.name, r.state = 'recording' AS isRunning,
         (SELECT count(*) FROM recording_files AS f WHERE f.recording_id = r.id) AS files,
         (SELECT count(*) FROM recording_files AS f WHERE f.recording_id = r.id AND f.source = 'ts') AS originals
       FROM recordings AS r WHERE r.id = $id AND r.binned_at IS NULL AND r.deleted_at IS NULL`,
    )
    .get({ id });
  if (row === null) return undefined;
  const { name, files, originals, isRunning } = row;
  return { name, hasFile: files > 0, hasOriginal: originals > 0, isRunning: isRunning === 1 };
}

/** Whether a reservation will still be recorded, or tries to. */
export function isWaiting(database: Database, reservation: number): boolean {
  return (
    database
      .query(`SELECT 1 FROM reservations WHERE id = $id AND state IN ('scheduled', 'conflict')`)
      .get({ id: reservation }) !== null
  );
}

/** A programme of the guide that is not over; undefined: there is none. */
export function programFacts(
  database: Database,
  id: number,
  now: number,
): { stationId: number; isOn: boolean; copyNever: boolean; isBooked: boolean } | undefined {
  const row = database
    .query<{ stationId: number; isOn: number; copyNever: number; isBooked: number }, Record<string, number>>(
      `SELECT p.station_id AS stationId, p.start_at <= $now AS isOn, p.copy_never AS copyNever,
         EXISTS (SELECT 1 FROM reservations AS r WHERE r.program_id = p.id
           AND r.state IN ('scheduled', 'recording', 'conflict')) AS isBooked
       FROM programs AS p WHERE p.id = $id AND p.hidden = 0 AND p.end_at > $now`,
    )
    .get({ id, now });
  if (row === null) return undefined;
  return {
    stationId: row.stationId,
    isOn: row.isOn === 1,
    copyNever: row.copyNever === 1,
    isBooked: row.isBooked === 1,
  };
}
