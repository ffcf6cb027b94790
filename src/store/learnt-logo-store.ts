/** Logos of stations as learnt from their pictures, by station and picture format. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';
import { type LogoModel, mergedLogo } from '../model/learnt-logo.ts';
import { atomically } from './transaction.ts';

/** Little-endian: x, y, width, height as 16 bits each, then the gradients, x and y of each pixel, as 32-bit floats. */
const HEADER_BYTES = 8;
/** Larger than any logo. */
const MAX_PIXELS = 40_000;

export class LearntLogoStore {
  constructor(private readonly database: Database) {}

  /** Undefined: nothing was learnt yet. */
  find(stationId: StationId, format: string): LogoModel | undefined {
    const row = this.#row(stationId, format);
    return row === null ? undefined : readModel(row.model);
  }

  /** Merges the logo of another recording. @param now epoch ms */
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
    view.setFloat32(HEADER_BYTES + 8 * pixel, gradientX[pixel] as number, true);
    view.setFloat32(HEADER_BYTES + 8 * pixel + 4, gradientY[pixel] as number, true);
  }
  return bytes;
}

/** Undefined if it is damaged: it is learnt again. */
function readModel(bytes: Uint8Array): LogoModel | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [x, y, width, height] = [0, 2, 4, 6].map((at) => view.getUint16(at, true)) as [
    number,
    number,
    number,
    number,
  ];
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
