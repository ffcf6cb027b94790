/**
 * A database of programmes, recordings, reservations and rules whose texts are searched, written row by row.
 */
import type { Database } from 'bun:sqlite';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { RecordingQuestion } from '../../src/store/recording-list-store.ts';

const HOUR = 3_600_000;
export const NOW = broadcastMs(1_800_000_000_000);
export const STATION = 3_273_601_024;

/** A query for recordings without files. */
export const FAILED: RecordingQuestion = {
  ...{ show: 'failed', sort: 'newest', words: [], unwatched: false },
  ...{ series: null, ruleId: null, stationId: null, genre: null },
};

interface SearchText {
  name: string;
  description?: string;
  /** Heading to body. */
  extended?: Record<string, string>;
  startAt?: number;
  endAt?: number;
  station?: number;
}

export class SearchRows {
  constructor(private readonly database: Database) {}

  addStation(id: number, name: string, hidden = 0): void {
    this.database
      .query(
        `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key,
           hidden, seen_at) VALUES ($id, 'GR', 1, 1, 'T27', $name, 1, 1, $hidden, 0)`,
      )
      .run({ id, name, hidden });
  }

  addProgram(event: number, doc: SearchText): number {
    const {
      name,
      description = '',
      extended = null,
      startAt = NOW + HOUR,
      endAt = startAt + HOUR,
      station = STATION,
    } = doc;
    const id = station * 100_000 + event;
    this.database
      .query(
        `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, extended, genres,
           audios,
           is_free, copy_never, updated_at)
         VALUES ($id, $station, $event, $startAt, $endAt, 0, $name, $description, $extended, '[]', '[]', 1, 0, 0)`,
      )
      .run({
        id,
        station,
        event,
        startAt,
        endAt,
        name,
        description,
        extended: extended === null ? null : JSON.stringify(extended),
      });
    return id;
  }

  addRecording(id: number, doc: SearchText & { serviceName?: string; state?: string }): void {
    const {
      name,
      description = '',
      startAt = NOW - HOUR * id,
      serviceName = '局',
      state = 'available',
    } = doc;
    const extended = doc.extended === undefined ? null : JSON.stringify(doc.extended);
    this.database
      .query(
        `INSERT INTO recordings (id, station_id, service_name, state, name, description, extended, start_at, end_at,
           created_at, updated_at)
         VALUES ($id, $station, $serviceName, $state, $name, $description, $extended, $startAt, $startAt, 0, 0)`,
      )
      .run({ id, station: STATION, serviceName, state, name, description, extended, startAt });
  }

  addReservation(id: number, doc: SearchText & { state?: string }): void {
    const {
      name,
      description = '',
      startAt = NOW + HOUR * id,
      endAt = startAt + HOUR,
      state = 'scheduled',
    } = doc;
    this.database
      .query(
        `INSERT INTO reservations (id, program_id, station_id, state, priority, name, description, start_at, end_at,
           created_at, updated_at)
         VALUES ($id, $program, $station, $state, 2, $name, $description, $startAt, $endAt, 0, 0)`,
      )
      .run({
        id,
        program: STATION * 100_000 + id,
        station: STATION,
        state,
        name,
        description,
        startAt,
        endAt,
      });
  }

  addRule(name: string, enabled = 1): void {
    this.database
      .query(
        "INSERT INTO rules (name, enabled, conditions, created_at, updated_at) VALUES (?, ?, '{}', 0, 0)",
      )
      .run(name, enabled);
  }
}
