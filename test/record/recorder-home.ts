/** A recorder on a real database, with recordings that receive nothing, for its unit tests. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NetworkId, ProgramId, ServiceId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import type { RecordingEnd, RecordingOrder } from '../../src/model/recording.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { type EventData, Hub } from '../../src/notify/hub.ts';
import { Recorder, type RecorderOptions } from '../../src/record/recorder.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { FakeRecordingSession } from './fake-recording-session.ts';

export const STATION = 3_260_809_216 as StationId;
export const HOUR = 3_600_000;

/** All state is new for each test. */
class RecorderHome {
  database!: Database;
  store!: RecordingStore;
  sessions: FakeRecordingSession[] = [];
  ends: RecordingEnd[] = [];
  events: (keyof EventData)[] = [];
  folder = '';
  /** Difference between the clock that is passed in and the machine's, ms. */
  skew = 0;
  #recorders: Recorder[] = [];
  #programs = 0;

  begin(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'svc-recorder-'));
    this.database = openDatabase(join(this.folder, 'svc.db'));
    this.database.run(
      `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (${STATION}, 'GR', 32608, 9216, 'T27', '試験テレビ', 1, 1, 0)`,
    );
    this.store = new RecordingStore(this.database);
    this.sessions = [];
    this.ends = [];
    this.events = [];
    this.skew = 0;
    this.#recorders = [];
  }

  async end(): Promise<void> {
    await Promise.all(this.#recorders.map((recorder) => recorder.close()));
    this.database.close();
    rmSync(this.folder, { recursive: true });
  }

  now = (): BroadcastMs => broadcastMs(Date.now() + this.skew);

  open = (over: Partial<RecorderOptions> = {}): Recorder => {
    const hub = new Hub((error) => {
      throw error;
    });
    hub.subscribe(({ name }) => this.events.push(name));
    const station: StationRecord = {
      ...{ id: STATION, type: 'GR', networkId: 32608 as NetworkId, serviceId: 9216 as ServiceId },
      ...{ transportStreamId: null, channel: 'T27', name: '試験テレビ', serviceType: 1, remoteControlKey: 1 },
    };
    const recorder = new Recorder({
      pool: {
        // Waits without a stream until the recording is aborted.
        open: ({ signal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      },
      store: this.store,
      findStation: (id) => (id === STATION ? station : undefined),
      findProgram: () => undefined,
      readSeries: () => ({ key: 'ばんぐみ', name: '番組', episode: '#3' }),
      folders: () => [{ path: this.folder, floorBytes: 0 }],
      retryDamaged: () => 'failed',
      onBegan: () => {},
      onEnded: (end) => this.ends.push(end),
      hub,
      log: SILENT_LOG,
      broadcastClock: this.now,
      monotonicClock: systemMonotonicClock,
      wallClock: () => wallMs(this.now()),
      checkMs: 20,
      openSession: (options) => {
        const session = new FakeRecordingSession(options);
        this.sessions.push(session);
        return session;
      },
      ...over,
    });
    this.#recorders.push(recorder);
    recorder.start();
    return recorder;
  };

  /** An order as the plan makes it for a reservation, to begin at `at`. */
  ordered = (at: number, over: Partial<RecordingOrder> = {}): RecordingOrder => {
    this.#programs += 1;
    const programId = this.#programs as ProgramId;
    const row = this.database
      .query<{ id: number }, [number, number]>(
        `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
         created_at, updated_at) VALUES (?, ${STATION}, 'scheduled', 2, '番組', '', ?, 0, 0, 0) RETURNING id`,
      )
      .get(programId, at);
    return {
      ...{
        reservationId: reservationId(row?.id ?? 0),
        programId,
        stationId: STATION,
        ruleId: null,
        name: '番組[字]',
      },
      ...{
        description: '',
        startAt: broadcastMs(at + 10),
        endAt: broadcastMs(at + HOUR),
        openAt: broadcastMs(at),
        closeAt: broadcastMs(at + HOUR + 15_000),
        holdUntil: null,
      },
      ...{ after: [], encode: 'none', keepTs: true, commercials: null, wantedFrom: null },
      ...over,
    };
  };

  stateOf = (id: number): unknown =>
    this.database.query<{ state: string }, [number]>('SELECT state FROM reservations WHERE id = ?').get(id)
      ?.state;
}

/** Scope is the enclosing `describe`: opened before each test, closed after it. */
export function recorderHome(): RecorderHome {
  const home = new RecorderHome();
  beforeEach(() => home.begin());
  afterEach(() => home.end());
  return home;
}
