/**
 * Puts the service together: the one place that knows every room. It takes no process globals; `main.ts` hands
 * them in. What answers the first request is made before listening, everything slow afterwards.
 */
import type { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../host/log.ts';
import { VERSION } from '../host/version.ts';
import type { Status, SystemFacts } from '../wire/api.ts';
import { isClosed, NO_LOGIN_METHOD, opensEverything } from './access/access.ts';
import { BookingService } from './booking/booking-service.ts';
import { BroadcastServices } from './broadcast-services.ts';
import type { Config } from './config.ts';
import { type EncoderStatus, Encoders } from './ffmpeg/encoders.ts';
import { VIDEO_ENCODERS } from './ffmpeg/recipes.ts';
import { createApi } from './http/api.ts';
import { openAssets } from './http/assets.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { answeredOnceStored } from './http/stored.ts';
import { Hub } from './hub/hub.ts';
import { LiveService } from './live/live-service.ts';
import { TunerYields } from './live/tuner-yields.ts';
import { BroadcastClock } from './model/broadcast-clock.ts';
import { EVENT_STREAM_DEFAULTS, EventStreams } from './notify/event-stream.ts';
import { FolderMounts } from './record/folder-mounts.ts';
import { type Folder, wishedFolders } from './record/folder-selection.ts';
import { FolderSpaces } from './record/folder-space.ts';
import { PlaybackActivity } from './record/playback-activity.ts';
import { Recorder } from './record/recorder.ts';
import { RecordingMarks } from './record/recording-marks.ts';
import { RetentionService } from './record/retention-service.ts';
import { type StorageParts, storageFacts } from './record/storage-report.ts';
import { readSeries } from './schedule/dedupe/series-title.ts';
import { Settings } from './settings/settings.ts';
import { type SystemParts, systemFacts } from './settings/system.ts';
import { CancellationStore } from './store/cancellation-store.ts';
import { openDatabase, openReader, refuseOrphanedLog, SchemaTooNew } from './store/database.ts';
import { TROUBLES, troubleOf } from './store/database-error.ts';
import { DatabaseWorkerClient } from './store/database-worker-client.ts';
import { CoverageStore } from './store/guide-coverage.ts';
import { GuideWindowStore } from './store/guide-window.ts';
import { damagedFields } from './store/integrity-check.ts';
import { LogoStore } from './store/logo-store.ts';
import { ProgramStore } from './store/program-store.ts';
import { RecordingCount } from './store/recording-count.ts';
import { RecordingFolderStore } from './store/recording-folders.ts';
import { RecordingListStore } from './store/recording-list-store.ts';
import { RecordingStore } from './store/recording-store.ts';
import { RecordingSumStore } from './store/recording-sums.ts';
import { RecycleBin } from './store/recycle-bin.ts';
import { ReservationStore } from './store/reservation-store.ts';
import { RESERVED_BYTES } from './store/reserved-space.ts';
import { RuleStore } from './store/rule-store.ts';
import { SearchStore } from './store/search-store.ts';
import { SettingStore } from './store/setting-store.ts';
import { StationStore } from './store/station-store.ts';
import { AgentClient } from './tuner/agent-client.ts';

export interface ServiceOptions {
  config: Config;
  log: Log;
  /** Epoch ms by the machine's clock, which may be set at any time. */
  now: () => number;
  /** ms since the machine was started, which nobody sets. */
  elapsed: () => number;
  /** PATH, where ffmpeg is looked for. */
  searchPath: string;
  /** The built UI; null = none. */
  webDir: string | null;
  startReceptionWorker: () => Worker;
  startGuideWorker: () => Worker;
  startSurveyWorker: () => Worker;
  startScheduleWorker: () => Worker;
  startDatabaseWorker: () => Worker;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  /** Stops taking requests, ends streams, writes what is open. Idempotent. */
  close(): Promise<void>;
}

export const DATABASE_FILE = 'svc.db';

function ffmpegStatus(status: EncoderStatus): Status['ffmpeg'] {
  return {
    state: status.state,
    version: status.version,
    encoders: status.usable,
    message:
      status.state === 'missing'
        ? 'ffmpeg が見つかりません。インストールするか、環境変数 FFMPEG_PATH で場所を指定してください。'
        : null,
  };
}

function encoderFacts({ usable }: EncoderStatus): SystemFacts['ffmpeg']['encoders'] {
  return VIDEO_ENCODERS.map(({ name, kind }) => ({
    name,
    hardware: kind === 'gpu',
    usable: usable.includes(name),
  }));
}

/**
 * Opened, and what recordings depend on is read once: damage inside the file shows at the first reading only. Nothing
 * starts with a plan that cannot be read.
 * @throws SchemaTooNew, or an Error naming the file, the variable that says where it is, and what to do
 */
function openStores(path: string) {
  let database: Database | undefined;
  try {
    refuseOrphanedLog(path);
    database = openDatabase(path);
    const stations = new StationStore(database);
    stations.listed();
    new RuleStore(database).all();
    new ReservationStore(database).all();
    new CancellationStore(database).all();
    new SettingStore(database).all();
    new RecordingStore(database).unfinished();
    return {
      database,
      stations,
      programs: new ProgramStore(database),
      coverage: new CoverageStore(database),
    };
  } catch (error) {
    database?.close();
    if (error instanceof SchemaTooNew) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const kind = troubleOf(error);
    const next = kind === undefined ? '' : `; ${TROUBLES[kind].next}`;
    throw new Error(`database ${path} (DATA_DIR): ${reason}${next}`, { cause: error });
  }
}

/** What is damaged counts as not said; whoever looks for what is missing is told here. */
function logDamage(database: Database, log: Log): void {
  try {
    for (const field of damagedFields(database)) log.error('damaged in the database', { ...field });
  } catch (error) {
    log.error('database is damaged', { error: String(error) });
  }
}

/** Says once what the access configuration means, where it means something unusual. */
function logAccess(config: Config, log: Log): void {
  if (isClosed(config)) log.warn(NO_LOGIN_METHOD);
  if (opensEverything(config.trustedNetworks)) {
    log.warn('TRUSTED_NETWORKS contains 0.0.0.0/0: everyone who reaches this address is let in');
  }
}

/** The same promise however often it is asked for. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

/** @throws the database's, the file system's or the socket's error, before anything is left running */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, log, now } = options;
  const databasePath = join(config.dataDir, DATABASE_FILE);
  const isNew = !existsSync(databasePath);
  const { database, stations, programs, coverage } = openStores(databasePath);
  const reader = openReader(databasePath);
  const databaseWorker = new DatabaseWorkerClient({
    ...{ database, path: databasePath, startWorker: options.startDatabaseWorker },
    log: log.component('database'),
  });
  const dataDevice = statSync(config.dataDir).dev;
  const stored = (): Promise<void> => databaseWorker.stored();
  const hub = new Hub((error) => log.error('event listener failed', { error: String(error) }));
  const encoders = new Encoders({
    path: config.ffmpegPath ?? undefined,
    searchPath: options.searchPath,
    log: log.component('ffmpeg'),
    now,
  });
  const settings = new Settings({
    store: new SettingStore(database),
    facts: () => ({ gpu: encoderFacts(encoders.status()).some((one) => one.hardware && one.usable) }),
    hub,
    log: log.component('settings'),
    now,
  });
  const clock = new BroadcastClock({ wall: now, elapsed: options.elapsed }, (byMs) => {
    log.warn('set to the time of the broadcast', { byMs });
    recording.clockSet();
    booking.wake();
  });
  const mounts = new FolderMounts(new RecordingFolderStore(database));
  const spaces = new FolderSpaces(undefined, undefined, mounts);
  const recordingFolders = (): readonly Folder[] =>
    wishedFolders(config.recordingsDir, settings.get('recordingFolders'));
  const agent = new AgentClient(config.agentUrl);
  const broadcast = new BroadcastServices({
    agent,
    syncIntervalMs: config.channelSyncIntervalMs,
    forgetAfterMs: config.serviceForgetAfterMs,
    stations,
    programs,
    coverage,
    databasePath,
    limits: {
      minCoverageMs: config.epg.minCoverageMs,
      intervalMs: config.epg.channelIntervalMs,
      retryMs: config.epg.channelRetryMs,
      selectMs: config.epg.collectIntervalMs,
      visitMs: config.epg.channelTimeoutMs,
      settleMs: config.epg.sweepSettleMs,
    },
    collectGuide: () => settings.get('collectGuide'),
    logos: new LogoStore(database),
    hub,
    startWorker: options.startGuideWorker,
    startSurveyWorker: options.startSurveyWorker,
    log: log.component('guide'),
    now,
    onTime: (heard) => clock.heard(heard),
    broadcastNow: clock.now,
  });
  const { guide } = broadcast;
  const events = new EventStreams({ hub, ...EVENT_STREAM_DEFAULTS });
  const yields = new TunerYields({
    tuners: () => agent.tuners(),
    findRecording: (id) => recording.describe(id),
    hub,
    log: log.component('live'),
  });
  const live = new LiveService({
    agentUrl: config.agentUrl,
    stations: broadcast.stations,
    onLost: (station, tunerId) => void yields.lost(station, tunerId),
    encoders,
    startWorker: options.startReceptionWorker,
    tap: guide.tap,
    log: log.component('live'),
  });
  const recording = new Recorder({
    agentUrl: config.agentUrl,
    store: new RecordingStore(database),
    findStation: (id) => broadcast.stations.findKnown(id),
    findProgram: (id) => programs.find(id),
    readSeries,
    folders: recordingFolders,
    free: async (path) => {
      const space = await spaces.of(path);
      // The database's room, where it had to be given up, is not for recordings.
      const kept = space?.device === dataDevice ? RESERVED_BYTES : 0;
      return space === undefined ? undefined : Math.max(0, space.freeBytes - kept);
    },
    // The database is there: so is this.
    spare: join(config.dataDir, 'recordings-spare'),
    mounts,
    retryDamaged: () => settings.get('retryDamaged'),
    onBegan: () => booking.onBegan(),
    onEnded: (end) => booking.onEnded(end),
    hub,
    startWorker: options.startReceptionWorker,
    tap: guide.tap,
    stored,
    log: log.component('record'),
    now: clock.now,
    isTimeSure: clock.isSure,
    elapsed: options.elapsed,
    wall: now,
  });
  const shelf = new RecycleBin(database);
  const watching = new PlaybackActivity(clock.now);
  const retention = new RetentionService({
    shelf,
    mounts,
    watching,
    hub,
    stored,
    intervalMs: config.reconcileIntervalMs,
    log: log.component('retention'),
    now: clock.now,
    isTimeSure: clock.isSure,
  });
  const booking = new BookingService({
    reservations: new ReservationStore(database),
    rules: new RuleStore(database),
    cancellations: new CancellationStore(database),
    programs,
    stations: broadcast.stations,
    tuners: () => agent.tuners(),
    recorder: recording,
    airings: () => guide.airings(),
    settings,
    retractGraceMs: config.ruleRetractGraceMs,
    retiring: (rule, draft) => retention.retiring(rule, draft),
    databasePath,
    startWorker: options.startScheduleWorker,
    hub,
    log: log.component('booking'),
    now: clock.now,
    isTimeSure: clock.isSure,
  });
  const closeDatabase = (): void => {
    reader.close();
    database.close();
  };
  const closeRooms = async (): Promise<void> => {
    events.close();
    await booking.close();
    await Promise.allSettled([
      broadcast.close(),
      live.close(),
      recording.close(),
      retention.close(),
      encoders.close(),
    ]);
  };
  const storage: StorageParts = {
    folders: recordingFolders,
    sums: new RecordingSumStore(database),
    spaces,
  };
  const guideWindow = new GuideWindowStore(database);
  const facts: SystemParts = {
    version: VERSION,
    startedAt: now(),
    agentUrl: config.agentUrl,
    agent: () => broadcast.agentState,
    ffmpeg: () => {
      const { state, path, version } = encoders.status();
      return { state, path, version, encoders: encoderFacts(encoders.status()) };
    },
    dataDir: config.dataDir,
    recordingFolders,
    databasePath: join(config.dataDir, DATABASE_FILE),
    countPrograms: () => guideWindow.countPrograms(),
    clocks: () => guide.clockOffsets(),
    defaults: () => settings.defaults(),
  };
  const assets = openAssets(options.webDir);
  const api = createApi({
    databaseFailed: (error) => databaseWorker.note(error),
    version: VERSION,
    assets,
    now,
    log: log.component('http'),
    stations: broadcast.stations,
    logos: broadcast.logos,
    scans: broadcast.scans,
    equipment: agent,
    guide: guideWindow,
    collecting: guide,
    programs,
    settings,
    system: () => systemFacts(facts),
    recordings: new RecordingCount(database),
    recordingList: new RecordingListStore(database),
    recordingMarks: new RecordingMarks({ shelf, watching, hub, now: clock.now }),
    retention,
    storage: () => storageFacts(storage),
    folderSpace: (path) => spaces.of(path),
    running: () => recording.progress(),
    reservations: booking.reservations,
    rules: booking.rules,
    search: new SearchStore(reader),
    live,
    events,
    status: () => ({
      agent: broadcast.agentState,
      ffmpeg: ffmpegStatus(encoders.status()),
      database: { message: databaseWorker.trouble },
    }),
  });
  let http: HttpServer;
  try {
    http = startHttpServer({
      host: config.host,
      port: config.port,
      tls: config.tls,
      access: config,
      trustedProxies: config.trustedProxies,
      allowedHosts: config.allowedHosts,
      assets,
      api: answeredOnceStored((request) => api.handle(request), stored),
      log: log.component('http'),
    });
  } catch (error) {
    await closeRooms();
    closeDatabase();
    throw error;
  }
  log.info('listening', { url: http.url, port: http.port, version: VERSION });
  // A disk that is not mounted looks like a first start.
  if (isNew)
    log.warn('database made: no reservations, rules and recordings are known', { path: databasePath });
  logAccess(config, log);
  logDamage(database, log);
  databaseWorker.start();
  recording.start();
  booking.start();
  retention.start();
  broadcast.start();
  encoders.start();

  return {
    url: http.url,
    port: http.port,
    close: once(async () => {
      http.stopListening();
      await closeRooms();
      await http.close();
      // A disk that hangs would hang the end too: what is in the log is read from there.
      if (await databaseWorker.close()) closeDatabase();
    }),
  };
}
