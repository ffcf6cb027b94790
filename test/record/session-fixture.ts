/** Recordings in this process on a test broadcast: sessions, database and folders. */
import type { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkId, type StationId, stationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { systemWallClock } from '../../lib/host/clock.ts';
import { createLog, type Log } from '../../lib/host/log.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Judgement } from '../../src/model/verdict.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { FolderIdentities } from '../../src/record/folder-identities.ts';
import { FolderMounts } from '../../src/record/folder-mounts.ts';
import { type Folder, freeBytes } from '../../src/record/folder-selection.ts';
import { concludeRecording } from '../../src/record/recording-conclusion.ts';
import { stemOf } from '../../src/record/recording-file-name.ts';
import { beginLifecycle, type OrderedTimes } from '../../src/record/recording-lifecycle.ts';
import {
  type RecordedStation,
  RecordingSession,
  type SessionResult,
} from '../../src/record/recording-session.ts';
import { previousProgress } from '../../src/record/running-recording.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecordingFolderStore } from '../../src/store/recording-folders.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { AgentClient } from '../../src/tuner/agent-client.ts';
import { type KeyFailureQuery, keyFailureOf } from '../../src/tuner/tuner-list.ts';
import { startReceptionWorker } from '../built-programs.ts';

const broadcastNow = (): BroadcastMs => broadcastMs(Date.now());

interface RecordingRequest {
  station: RecordedStation;
  /** Epoch ms; default: now. */
  openAt?: number;
  mainAt?: number;
  endAt: number;
  after?: string[];
  folders?: Folder[];
}

export class SessionFixture {
  readonly lines: string[] = [];
  readonly log: Log = createLog({
    level: 'debug',
    now: systemWallClock,
    write: (line) => this.lines.push(line),
  });
  readonly pool: ReceptionPool;
  readonly store: RecordingStore;
  readonly mounts: FolderMounts;
  readonly #database: Database;
  readonly #sessions: RecordingSession[] = [];
  readonly #causes = new Map<RecordingId, Set<GapCause>>();

  /** @param folder where the database and the recordings are */
  constructor(
    readonly folder: string,
    readonly agentUrl: string,
    makePool = (log: Log): ReceptionPool =>
      new ReceptionPool({ agentUrl, startWorker: startReceptionWorker, log }),
  ) {
    this.pool = makePool(this.log);
    mkdirSync(folder, { recursive: true });
    this.#database = openDatabase(join(folder, 'svc.db'));
    this.store = new RecordingStore(this.#database);
    const folders = new RecordingFolderStore(this.#database);
    this.mounts = new FolderMounts(folders, undefined, new FolderIdentities(folders));
  }

  readonly keyFailure: KeyFailureQuery = async (station) =>
    keyFailureOf(await new AgentClient(this.agentUrl).tuners(), station);

  get folders(): Folder[] {
    return [{ path: join(this.folder, 'recordings'), floorBytes: 0 }];
  }

  /** Starts a recording, or resumes that of a killed process. */
  record(request: RecordingRequest, resumed?: RecordingId): RecordingSession {
    const { station, endAt, openAt = Date.now(), mainAt = openAt } = request;
    const { store } = this;
    const id = resumed ?? this.#create(station, mainAt, endAt);
    const ending = { endAt: broadcastMs(endAt), closeAt: broadcastMs(endAt) };
    const times = { openAt: broadcastMs(openAt), startAt: broadcastMs(mainAt), ...ending };
    const lifecycle = beginLifecycle({
      times: { ...times, holdUntil: null, listenUntil: null, brokenAt: null },
      ...{ isAired: null, hasMain: false, isUnreceived: false, at: broadcastNow() },
    });
    const causes = this.#causes.get(id) ?? new Set();
    this.#causes.set(id, causes);
    const session = new RecordingSession({
      ...{ id, station, lifecycle },
      after: request.after ?? [],
      stem: stemOf({ id, startAt: broadcastMs(mainAt), title: '試験の番組', stationName: station.channel }),
      former: resumed === undefined ? undefined : previousProgress(store, { id, beganAt: null }),
      pool: this.pool,
      folders: () => request.folders ?? this.folders,
      free: (path) => this.#free(path),
      mounts: this.mounts,
      ledger: {
        placed: async (parts, place) => {
          if (place !== null) await this.mounts.used(place.folder);
          store.placed(id, parts, place, systemWallClock());
        },
        began: (at) => store.began(id, at, systemWallClock()),
        measured: (measured, parts) => store.saveMeasured(id, measured, parts),
        seam: (seam) => store.seam(id, seam),
      },
      keyFailure: this.keyFailure,
      onChange: () => {
        if (session.state.cause !== null) causes.add(session.state.cause);
      },
      log: this.log,
      broadcastClock: broadcastNow,
      wallClock: systemWallClock,
    });
    this.#sessions.push(session);
    session.start();
    return session;
  }

  /** All causes so far for which nothing was written, even for a moment. */
  causes(session: RecordingSession): GapCause[] {
    return [...(this.#causes.get(session.options.id) ?? [])];
  }

  /** Changes the end. */
  extend(session: RecordingSession, endAt: number): void {
    const { openAt: _, ...times } = session.lifecycle.times;
    const ordered: OrderedTimes = {
      ...times,
      endAt: broadcastMs(endAt),
      closeAt: broadcastMs(endAt),
      airState: null,
    };
    session.follow(ordered);
  }

  /** The data written so far. */
  written(session: RecordingSession): Uint8Array {
    const parts = this.store.parts(session.options.id);
    return Buffer.concat(parts.flatMap(({ path }) => (existsSync(path) ? [readFileSync(path)] : [])));
  }

  /** Ends it now. The programme spans from `startAt` to the last packet, however late that was received. */
  async stopAndConclude(session: RecordingSession, startAt: number, folders = this.folders) {
    const { measured } = await session.stop();
    const endAt = Math.floor(measured.stretches.at(-1)?.to ?? startAt);
    return this.conclude(session, { startAt, endAt }, folders);
  }

  /** Judges it against a programme and stores the verdict. @returns also the content of the file */
  async conclude(
    session: RecordingSession,
    programme: { startAt: number; endAt: number },
    folders = this.folders,
  ): Promise<Judgement & { result: SessionResult; path: string; bytes: Uint8Array }> {
    const result = await session.done;
    const wanted = { startAt: broadcastMs(programme.startAt), endAt: broadcastMs(programme.endAt) };
    const { store, log } = this;
    const options = {
      ...{
        store,
        folders: () => folders,
        free: freeBytes,
        mounts: this.mounts,
        log,
        wallClock: systemWallClock,
      },
      retryDamaged: () => 'never' as const,
      persist: async (act: () => void) => act(),
    };
    const judgement = await concludeRecording(session.options.id, result, wanted, options);
    const path =
      [...store.filePages()].flat().find(({ recordingId }) => recordingId === session.options.id)?.path ?? '';
    return { ...judgement, result, path, bytes: path === '' ? new Uint8Array(0) : readFileSync(path) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.pool.close();
    this.#database.close();
  }

  async #free(path: string): Promise<number | undefined> {
    return (await this.mounts.isAway(path)) ? undefined : freeBytes(path);
  }

  #create(station: RecordedStation, startAt: number, endAt: number): RecordingId {
    const id: StationId = stationId(networkId(32608), station.serviceId);
    this.#database.run(
      `INSERT OR IGNORE INTO stations (id, type, network_id, service_id, channel, name, service_type,
         remote_control_key, seen_at) VALUES (?, ?, 32608, ?, ?, '試験', 1, 1, 0)`,
      [id, station.type, station.serviceId, station.channel],
    );
    const created = this.store.create(
      {
        ...{ reservationId: null, ruleId: null, programId: null, stationId: id, serviceName: '試験' },
        ...{ name: '試験の番組', description: '', extended: null, genres: [], audios: [] },
        ...{ videoType: null, videoResolution: null, isFree: true, startAt: broadcastMs(startAt) },
        ...{
          endAt: broadcastMs(endAt),
          closeAt: broadcastMs(endAt),
          wantedFrom: null,
          series: null,
          encode: 'none',
          keepTs: true,
          commercials: null,
        },
      },
      systemWallClock(),
    );
    if (created === undefined) throw new Error('not created');
    return created;
  }
}
