/** What the interfaces for other programs store and count. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { execute } from './query.ts';
import { defineTable, flagColumn, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

export interface StoredClientLink {
  id: number;
  name: string;
  createdAt: WallMs;
  usedAt: WallMs | null;
}

const LINKS = defineTable<StoredClientLink>({
  id: plain(),
  name: plain(),
  createdAt: plain(),
  usedAt: plain(),
});
const NEW_LINK = ['name', 'createdAt'] as const;

/** Links of television software, their keys as SHA-256 only. A row is never deleted. */
export class ClientLinkStore {
  constructor(private readonly database: Database) {}

  /** @returns its id */
  add(link: { hash: string; name: string; createdAt: WallMs }): number {
    return atomically(this.database, () =>
      Number(
        this.database
          .query(`INSERT INTO client_links ${LINKS.inserted(NEW_LINK, { hash: '$hash' })}`)
          .run({ ...LINKS.parameters(link, NEW_LINK), hash: link.hash }).lastInsertRowid,
      ),
    );
  }

  /** Undefined if unknown or revoked. */
  active(hash: string): StoredClientLink | undefined {
    const row = this.database
      .query<Row, { hash: string }>(
        `SELECT ${LINKS.columns()} FROM client_links WHERE hash = $hash AND revoked_at IS NULL`,
      )
      .get({ hash });
    return row === null ? undefined : LINKS.read(row);
  }

  /** Those that are not revoked, newest first. */
  list(): StoredClientLink[] {
    return this.database
      .query<Row, []>(`SELECT ${LINKS.columns()} FROM client_links WHERE revoked_at IS NULL ORDER BY id DESC`)
      .all()
      .map(LINKS.read);
  }

  used(id: number, at: WallMs): void {
    execute(this.database, 'UPDATE client_links SET used_at = $at WHERE id = $id', { id, at });
  }

  /** @returns whether it was active */
  revoke(id: number, at: WallMs): boolean {
    const changes = execute(
      this.database,
      'UPDATE client_links SET revoked_at = $at WHERE id = $id AND revoked_at IS NULL',
      { id, at },
    );
    return changes > 0;
  }
}

/** Channel numbers for television software, which keeps them: once given, a station's number never changes. */
export class ChannelNumberStore {
  constructor(private readonly database: Database) {}

  /** A number of this database, constant. */
  get origin(): number {
    const row = this.database
      .query<{ value: number }, []>(`SELECT value FROM counters WHERE name = 'origin'`)
      .get();
    return row?.value ?? 0;
  }

  all(): Map<StationId, string> {
    const rows = this.database
      .query<{ id: StationId; number: string }, []>('SELECT station_id AS id, number FROM channel_numbers')
      .all();
    return new Map(rows.map(({ id, number }) => [id, number]));
  }

  /** Known stations and taken numbers are left as they are. */
  add(numbers: ReadonlyMap<StationId, string>): void {
    const insert = this.database.query('INSERT OR IGNORE INTO channel_numbers VALUES ($id, $number)');
    atomically(this.database, () => {
      for (const [id, number] of numbers) insert.run({ id, number });
    });
  }
}

export interface StoredBroker {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user: string;
  /** A secret; null: none. */
  readonly password: string | null;
  readonly prefix: string;
}

const BROKER = defineTable<StoredBroker>({
  enabled: flagColumn(),
  host: plain(),
  port: plain(),
  tls: flagColumn(),
  user: plain(),
  password: plain(),
  prefix: plain(),
});

/** The MQTT broker: one row, or none. */
export class MqttBrokerStore {
  constructor(private readonly database: Database) {}

  get(): StoredBroker | undefined {
    const row = this.database.query<Row, []>(`SELECT ${BROKER.columns()} FROM mqtt_broker`).get();
    return row === null ? undefined : BROKER.read(row);
  }

  put(broker: StoredBroker): void {
    execute(
      this.database,
      `INSERT OR REPLACE INTO mqtt_broker ${BROKER.inserted(BROKER.fields, { id: '1' })}`,
      BROKER.parameters(broker, BROKER.fields),
    );
  }
}

interface NextRecording {
  name: string;
  startAt: BroadcastMs;
}

/** Small sums over tables, for monitoring. */
export class SummaryStore {
  constructor(private readonly database: Database) {}

  /** Reservations by their state. */
  reservations(): Map<string, number> {
    const rows = this.database
      .query<{ state: string; n: number }, []>('SELECT state, count(*) AS n FROM reservations GROUP BY state')
      .all();
    return new Map(rows.map(({ state, n }) => [state, n]));
  }

  /** The next recording that has a tuner; undefined: none is booked. */
  next(now: BroadcastMs): NextRecording | undefined {
    const row = this.database
      .query<NextRecording, { now: BroadcastMs }>(
        `SELECT name, start_at AS startAt FROM reservations
         WHERE state = 'scheduled' AND start_at > $now ORDER BY start_at, id LIMIT 1`,
      )
      .get({ now });
    return row ?? undefined;
  }

  /** Encodings that wait or run. */
  encodes(): number {
    const row = this.database
      .query<{ n: number }, []>("SELECT count(*) AS n FROM encodes WHERE state IN ('waiting', 'running')")
      .get();
    return row?.n ?? 0;
  }
}
