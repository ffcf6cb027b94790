/** Logos of stations: as received, and as learnt from their pictures. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { type LogoModel, mergedLogo } from '../model/learnt-logo.ts';
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
    stationId: row.station_id,
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

/** Little-endian: x, y, width, height as 16 bits each, then the gradients, x and y of each pixel, as 32-bit floats. */
const HEADER_BYTES = 8;
/** Larger than any logo. */
const MAX_PIXELS = 40_000;

/** As learnt from pictures, by station and picture format. */
export class LearntLogoStore {
  constructor(private readonly database: Database) {}

  /** Undefined: nothing was learnt yet. */
  find(stationId: StationId, format: string): LogoModel | undefined {
    const row = this.#row(stationId, format);
    return row === null ? undefined : readModel(row.model);
  }

  /** Merges the logo of another recording. */
  learn(stationId: StationId, format: string, learnt: LogoModel, now: WallMs): void {
    atomically(this.database, () => {
      const row = this.#row(stationId, format);
      const known = row === null ? undefined : readModel(row.model);
      const model = known === undefined ? learnt : mergedLogo(known, learnt, row?.recordings ?? 1);
      this.database
        .query(
          `INSERT INTO learnt_logos (station_id, format, recordings, model, updated_at)
           VALUES ($stationId, $format, 1, $model, $now)
           ON CONFLICT (station_id, format) DO UPDATE SET model = excluded.model, recordings = recordings + 1,
             updated_at = excluded.updated_at`,
        )
        .run({ stationId, format, model: storedModel(model), now });
    });
  }

  #row(stationId: StationId, format: string): { recordings: number; model: Uint8Array } | null {
    return this.database
      .query<{ recordings: number; model: Uint8Array }, { stationId: StationId; format: string }>(
        'SELECT recordings, model FROM learnt_logos WHERE station_id = $stationId AND format = $format',
      )
      .get({ stationId, format });
  }
}

function storedModel({ x, y, width, height, gradientX, gradientY }: LogoModel): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + 8 * gradientX.length);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of [x, y, width, height].entries()) view.setUint16(2 * index, value, true);
  for (let pixel = 0; pixel < gradientX.length; pixel += 1) {
    view.setFloat32(HEADER_BYTES + 8 * pixel, gradientX[pixel] ?? 0, true);
    view.setFloat32(HEADER_BYTES + 8 * pixel + 4, gradientY[pixel] ?? 0, true);
  }
  return bytes;
}

/** Undefined if it is damaged: it is learnt again. */
function readModel(bytes: Uint8Array): LogoModel | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const field = (index: number): number => view.getUint16(2 * index, true);
  const [x, y, width, height] = [field(0), field(1), field(2), field(3)];
  const pixels = width * height;
  if (pixels === 0 || pixels > MAX_PIXELS || bytes.length !== HEADER_BYTES + 8 * pixels) return undefined;
  const gradientX = new Float32Array(pixels);
  const gradientY = new Float32Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    gradientX[pixel] = view.getFloat32(HEADER_BYTES + 8 * pixel, true);
    gradientY[pixel] = view.getFloat32(HEADER_BYTES + 8 * pixel + 4, true);
  }
  const isSound = gradientX.every(Number.isFinite) && gradientY.every(Number.isFinite);
  return isSound ? { x, y, width, height, gradientX, gradientY } : undefined;
}
