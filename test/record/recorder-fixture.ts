/** A recorder in this process on a test broadcast, with reservations made by the test. */
import type { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkId, type ProgramId, type StationId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, systemWallClock } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { type ReservationId, recordingId, reservationId } from '../../lib/wire/ids.ts';
import type { RecordingEnd, RecordingOrder, RecordingRecord } from '../../src/model/recording.ts';
import { Hub } from '../../src/notify/hub.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { Recorder } from '../../src/record/recorder.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { startReceptionWorker } from '../built-programs.ts';
import { until } from '../until.ts';
import type { TestBroadcast } from './test-broadcast.ts';

/** A fictitious network: its id is only announced. */
const NETWORK = networkId(32608);

export class RecorderFixture {
  readonly lines: string[] = [];
  readonly ends: RecordingEnd[] = [];
  readonly pool: ReceptionPool;
  readonly recorder: Recorder;
  readonly store: RecordingStore;
  readonly #database: Database;
  #programs = 0;
  /** Difference between the clock that is passed in and the machine's, ms. */
  skew: number;

  constructor(
    readonly air: TestBroadcast,
    readonly folder: string,
    skew = 0,
  ) {
    this.skew = skew;
    mkdirSync(folder, { recursive: true });
    this.#database = openDatabase(join(folder, 'svc.db'));
    this.store = new RecordingStore(this.#database);
    const stations = new StationStore(this.#database);
    const now = Date.now;
    const log = createLog({ level: 'debug', now: systemWallClock, write: (line) => this.lines.push(line) });
    this.pool = new ReceptionPool({ agentUrl: air.agentUrl, startWorker: startReceptionWorker, log });
    this.recorder = new Recorder({
      pool: this.pool,
      store: this.store,
      findStation: (id) => stations.known().find((one) => one.id === id),
      findProgram: () => undefined,
      readSeries: () => null,
      folders: () => [{ path: join(folder, 'recordings'), floorBytes: 0 }],
      retryDamaged: () => 'failed',
      onBegan: () => {},
      onEnded: (end) => this.ends.push(end),
      hub: new Hub(() => {}),
      log,
      broadcastClock: () => broadcastMs(now() + this.skew),
      monotonicClock: systemMonotonicClock,
      wallClock: systemWallClock,
    });
    this.recorder.start();
  }

  /** Reserves on a station; margins are the time between open and start, end and close. */
  reserve(
    channel: string,
    times: Pick<RecordingOrder, 'openAt' | 'startAt' | 'endAt' | 'closeAt'>,
    after: readonly ReservationId[] = [],
  ): RecordingOrder {
    const station = this.air.station(channel);
    const id: StationId = stationId(NETWORK, station.serviceId);
    this.#database.run(
      `INSERT OR IGNORE INTO stations (id, type, network_id, service_id, channel, name, service_type,
         remote_control_key, seen_at) VALUES (?, ?, ?, ?, ?, ?, 1, 1, 0)`,
      [id, station.type, NETWORK, station.serviceId, channel, `試験${channel}`],
    );
    this.#programs += 1;
    const programId = (id * 100_000 + this.#programs) as ProgramId;
    const row = this.#database
      .query<{ id: number }, [number, number, number, number]>(
        `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
           created_at, updated_at) VALUES (?, ?, 'scheduled', 2, '番組', '', ?, ?, 0, 0) RETURNING id`,
      )
      .get(programId, id, times.startAt, times.endAt);
    return {
      ...times,
      ...{
        reservationId: reservationId(row?.id ?? 0),
        programId,
        stationId: id,
        ruleId: null,
        name: `${channel}の番組`,
      },
      ...{
        description: '',
        after,
        holdUntil: null,
        encode: 'none',
        keepTs: true,
        commercials: null,
        wantedFrom: null,
      },
    };
  }

  /** Content of its files so far. */
  written(): Uint8Array {
    const folder = join(this.folder, 'recordings');
    if (!existsSync(folder)) return new Uint8Array(0);
    return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  }

  /** Waits for the verdict of the recording of a reservation. */
  async judged({
    reservationId,
  }: RecordingOrder): Promise<RecordingRecord & { path: string; bytes: Uint8Array }> {
    const ended = (): RecordingEnd | undefined =>
      this.ends.find((end) => end.reservationId === reservationId);
    await until(`recording of reservation ${reservationId} is judged`, () => ended() !== undefined);
    const id = ended()?.recordingId ?? 0;
    const record = this.store.find(recordingId(id));
    if (record === undefined) throw new Error(`no recording ${id}`);
    const path = this.store.parts(recordingId(id))[0]?.path ?? '';
    return { ...record, path, bytes: path === '' ? new Uint8Array(0) : readFileSync(path) };
  }

  async close(): Promise<void> {
    await this.recorder.close();
    await this.pool.close();
    this.#database.close();
  }
}
