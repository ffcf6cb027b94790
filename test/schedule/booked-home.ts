/** A database with stations, programmes and rules, for tests of reservations. */
import type { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, type ProgramId, programId, type StationId } from '../../lib/arib/ids.ts';
import type { Rule } from '../../src/model/rule.ts';
import { readRule } from '../../src/schedule/rule-body.ts';
import { CancellationStore } from '../../src/store/cancellation-store.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ReservationStore } from '../../src/store/reservation-store.ts';
import { RuleStore } from '../../src/store/rule-store.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { type ProgramRow, putPrograms } from '../service/guide-rows.ts';
import { MINUTE, NOON, stationOn } from './plan-setting.ts';

export { MINUTE, NOON };

interface GivenAiring extends Partial<ProgramRow> {
  /** Minutes from noon. */
  at: number;
  minutes?: number;
}

export class BookedHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-booked-'));
  readonly path = join(this.folder, 'svc.db');
  readonly database: Database = openDatabase(this.path);
  readonly reservations = new ReservationStore(this.database);
  readonly rules = new RuleStore(this.database);
  readonly cancellations = new CancellationStore(this.database);
  readonly stations = new StationStore(this.database);
  #events = 0;
  #services = 0;

  close(): void {
    this.database.close();
    rmSync(this.folder, { recursive: true });
  }

  /** `T27` is terrestrial, `BS01_0` is BS and `CS02` is CS. */
  station(channel: string): StationId {
    const service = 1024 + 8 * this.#services++;
    const station = stationOn(channel, service, { name: `局${channel}` });
    this.stations.apply({ put: [station], hide: [], retype: [] }, NOON);
    return station.id;
  }

  program(station: StationId, name: string, { at, minutes = 30, ...over }: GivenAiring): ProgramId {
    const event = over.event ?? ++this.#events;
    const startAt = NOON + at * MINUTE;
    putPrograms(this.database, [
      { station, event, startAt, endAt: startAt + minutes * MINUTE, name, ...over },
    ]);
    return programId(station, eventId(event));
  }

  rule(keyword: string, over: object = {}): Rule {
    return this.rules.create(
      readRule({ keyword, ...over }, () => {}),
      NOON,
    );
  }

  /** @returns its id */
  recording(program: ProgramId, over: Record<string, string | number | null> = {}): number {
    const row = this.database
      .query<{ id: number }, Record<string, string | number | null>>(
        `INSERT INTO recordings (reservation_id, rule_id, program_id, station_id, service_name, state, name,
           description, start_at, end_at, released, created_at, updated_at)
         SELECT $reservation, $rule, id, station_id, '局', $state, name, description, start_at, end_at, $released, 0, 0
         FROM programs WHERE id = $program RETURNING id`,
      )
      .get({ reservation: null, rule: null, state: 'recorded', released: 0, program, ...over });
    return row?.id ?? -1;
  }
}
