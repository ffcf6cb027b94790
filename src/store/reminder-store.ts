/** Reminders, with what the guide says of their programmes now. */
import type { Database } from 'bun:sqlite';
import { type ProgramId, type StationId, splitProgramId, splitStationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { execute } from './query.ts';
import { defineTable, plain } from './table.ts';
import { atomically } from './transaction.ts';

export interface StoredReminder {
  id: number;
  programId: ProgramId;
  stationId: StationId;
  serviceName: string;
  /** As broadcast, from the guide; where it has lost the programme, as it was last. Likewise the times. */
  name: string;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Before the start. */
  minutes: number;
  seriesId: number | null;
  /** The start that it was sent for; null: not sent yet. */
  toldFor: BroadcastMs | null;
  /** The guide does not have the programme. */
  isGone: boolean;
}

interface StoredReminderSeries {
  id: number;
  stationId: StationId;
  serviceName: string;
  key: string;
  name: string;
  minutes: number;
}

type NewReminder = Omit<StoredReminder, 'id' | 'serviceName' | 'toldFor' | 'isGone'>;

/** What decides whether a programme belongs to a series. */
export interface SeriesProgram {
  id: ProgramId;
  name: string;
  description: string;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
}

const REMINDERS = defineTable<NewReminder>({
  programId: plain(),
  stationId: plain(),
  name: plain(),
  startAt: plain(),
  endAt: plain(),
  minutes: plain(),
  seriesId: plain(),
});
const INSERTED = REMINDERS.inserted(REMINDERS.fields, { created_at: '$now' });

const ROWS = `
  SELECT r.id, r.program_id AS programId, r.station_id AS stationId, coalesce(s.name, '') AS serviceName,
    coalesce(p.name, r.name) AS name, coalesce(p.start_at, r.start_at) AS startAt,
    coalesce(p.end_at, r.end_at) AS endAt, r.minutes, r.series_id AS seriesId, r.told_for AS toldFor,
    p.id IS NULL AS isGone
  FROM reminders AS r LEFT JOIN programs AS p ON p.id = r.program_id AND p.hidden = 0
    LEFT JOIN stations AS s ON s.id = r.station_id
  WHERE r.cancelled = 0`;

/** A programme that got another id is looked for so near to its time, ms. */
const NEAR_MS = 3 * 3_600_000;

/** Programme that an event became, by the event's identity. */
type MovedEvents = ReadonlyMap<string, ProgramId>;

export class ReminderStore {
  constructor(private readonly database: Database) {}

  /** By their start. */
  all(): StoredReminder[] {
    return this.database
      .query<Omit<StoredReminder, 'isGone'> & { isGone: number }, []>(`${ROWS} ORDER BY startAt, r.id`)
      .all()
      .map((row) => ({ ...row, isGone: row.isGone === 1 }));
  }

  /** Those that are set, and programmes that are left out. */
  count(): number {
    return this.database.query<{ n: number }, []>('SELECT count(*) AS n FROM reminders').get()?.n ?? 0;
  }

  /** Adds one, or changes that of the same programme. */
  set(reminder: NewReminder, now: number): void {
    execute(
      this.database,
      `INSERT INTO reminders ${INSERTED}
           ON CONFLICT (program_id) DO UPDATE SET minutes = excluded.minutes, told_for = NULL, cancelled = 0,
             series_id = coalesce(excluded.series_id, series_id)`,
      { ...REMINDERS.parameters(reminder, REMINDERS.fields), now },
    );
  }

  /** Adds those of a series that are not there; what was left out stays so. @returns how many */
  addOfSeries(reminders: readonly NewReminder[], now: number): number {
    const insert = this.database.query(`INSERT OR IGNORE INTO reminders ${INSERTED}`);
    const added = (one: NewReminder): number =>
      insert.run({ ...REMINDERS.parameters(one, REMINDERS.fields), now }).changes;
    return atomically(this.database, () => reminders.reduce((sum, one) => sum + added(one), 0));
  }

  /** One of a series is left out, also when the guide is read again. @returns whether there was one */
  cancel(id: number): boolean {
    return atomically(this.database, () => {
      const values = { id };
      const left = this.database
        .query(
          'UPDATE reminders SET cancelled = 1 WHERE id = $id AND series_id IS NOT NULL AND cancelled = 0',
        )
        .run(values).changes;
      const removed = this.database
        .query('DELETE FROM reminders WHERE id = $id AND series_id IS NULL')
        .run(values).changes;
      return left + removed > 0;
    });
  }

  /** Keeps what the guide says now, and forgets programmes that are over. @param now epoch ms; null: not sure */
  refresh(now: BroadcastMs | null): void {
    atomically(this.database, () => {
      this.database.run(
        `UPDATE reminders SET (name, start_at, end_at) = (
           SELECT p.name, p.start_at, p.end_at FROM programs AS p WHERE p.id = program_id)
         WHERE EXISTS (SELECT 1 FROM programs AS p WHERE p.id = program_id AND p.hidden = 0
           AND (p.name <> reminders.name OR p.start_at <> reminders.start_at OR p.end_at <> reminders.end_at))`,
      );
      if (now !== null) this.database.query('DELETE FROM reminders WHERE end_at <= $now').run({ now });
    });
  }

  /** Events that moved to programmes that are not over (ARIB STD-B10 Part 2, 6.2.34). Reads the whole guide, in ms. */
  moved(now: BroadcastMs): MovedEvents {
    const rows = this.database
      .query<{ id: ProgramId; network: number; service: number; event: number }, { now: number }>(
        `SELECT p.id, json_extract(e.value, '$.networkId') AS network,
           json_extract(e.value, '$.serviceId') AS service, json_extract(e.value, '$.eventId') AS event
         FROM programs AS p, json_each(iif(json_valid(p.groups), p.groups, '[]')) AS g,
           json_each(g.value, '$.events') AS e
         WHERE p.hidden = 0 AND p.groups <> '[]' AND p.end_at > $now
           AND json_extract(g.value, '$.type') = 'movement' ORDER BY p.start_at DESC, p.id DESC`,
      )
      .all({ now });
    return new Map(rows.map(({ id, network, service, event }) => [eventKey(network, service, event), id]));
  }

  /** The programme under another id: moved elsewhere, or given a new number by its station. */
  replacement(reminder: StoredReminder, moved: MovedEvents, now: BroadcastMs): ProgramId | undefined {
    const { programId, stationId, name, startAt } = reminder;
    const station = splitStationId(stationId);
    const event = splitProgramId(programId)?.eventId;
    const row = this.database
      .query<{ id: ProgramId }, Record<string, string | number>>(
        `SELECT p.id FROM programs AS p WHERE p.hidden = 0 AND p.end_at > $now
           AND p.station_id = $stationId AND p.name = $name
           AND p.start_at BETWEEN $startAt - ${NEAR_MS} AND $startAt + ${NEAR_MS}
         ORDER BY abs(p.start_at - $startAt), p.id LIMIT 1`,
      )
      .get({ now, stationId, name, startAt });
    if (row !== null || station === undefined || event === undefined) return row?.id;
    return moved.get(eventKey(station.networkId, station.serviceId, event));
  }

  /** The reminder follows its programme; where that has one, both become one. */
  moveTo(id: number, program: ProgramId): void {
    atomically(this.database, () => {
      const values = { id, program };
      this.database
        .query(
          `UPDATE OR IGNORE reminders SET program_id = $program,
             station_id = (SELECT station_id FROM programs WHERE id = $program) WHERE id = $id`,
        )
        .run(values);
      this.database.query('DELETE FROM reminders WHERE id = $id AND program_id <> $program').run(values);
    });
  }

  /** Unless it was cancelled meanwhile. @param add stores the notice, in the same transaction */
  tell(id: number, start: BroadcastMs, add: () => void): void {
    atomically(this.database, () => {
      const { changes } = this.database
        .query('UPDATE reminders SET told_for = $start WHERE id = $id AND cancelled = 0')
        .run({ id, start });
      if (changes > 0) add();
    });
  }

  /** Newest first. */
  series(): StoredReminderSeries[] {
    return this.database
      .query<StoredReminderSeries, []>(
        `SELECT r.id, r.station_id AS stationId, coalesce(s.name, '') AS serviceName, r.key, r.name, r.minutes
         FROM reminder_series AS r LEFT JOIN stations AS s ON s.id = r.station_id ORDER BY r.id DESC`,
      )
      .all();
  }

  /** Adds one, or changes its minutes. @returns its id */
  setSeries(series: Omit<StoredReminderSeries, 'id' | 'serviceName'>, now: number): number {
    return atomically(
      this.database,
      () =>
        this.database
          .query<{ id: number }, Omit<StoredReminderSeries, 'id' | 'serviceName'> & { now: number }>(
            `INSERT INTO reminder_series (station_id, key, name, minutes, created_at)
             VALUES ($stationId, $key, $name, $minutes, $now)
             ON CONFLICT (station_id, key) DO UPDATE SET minutes = excluded.minutes RETURNING id`,
          )
          .get({ ...series, now })?.id ?? 0,
    );
  }

  /** With its reminders. @returns whether there was one */
  removeSeries(id: number): boolean {
    return execute(this.database, 'DELETE FROM reminder_series WHERE id = $id', { id }) > 0;
  }

  /** Programmes of a station that have not begun. */
  coming(station: StationId, now: BroadcastMs): SeriesProgram[] {
    return this.database
      .query<SeriesProgram, { station: number; now: number }>(
        `SELECT id, name, description, start_at AS startAt, end_at AS endAt FROM programs
         WHERE station_id = $station AND start_at > $now AND hidden = 0 ORDER BY start_at`,
      )
      .all({ station, now });
  }
}

function eventKey(network: number, service: number, event: number): string {
  return `${network}/${service}/${event}`;
}
