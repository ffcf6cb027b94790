/**
 * Composition root: the only module that knows every feature. It uses no process globals; `main.ts` passes them in.
 * What the first request needs is created before listening, everything slow is started afterwards.
 */
import { type MonotonicClock, monotonicMs, type WallClock, wallMs } from '../host/clock.ts';
import type { Log } from '../host/log.ts';
import type { Random } from '../host/random.ts';
import { VERSION } from '../host/version.ts';
import { isClosed, NO_LOGIN_METHOD, opensEverything } from './access/access.ts';
import { AttemptLimiter } from './access/attempt-limiter.ts';
import { createAccess } from './access/create-access.ts';
import { createBooking } from './booking/create-booking.ts';
import { BroadcastServices } from './broadcast-services.ts';
import { createCommercial } from './commercial/create-commercial.ts';
import type { Config } from './config.ts';
import { createEncode } from './encode/create-encode.ts';
import { encoderFacts, ffmpegFacts, ffmpegStatus } from './ffmpeg/encoder-report.ts';
import { Encoders } from './ffmpeg/encoders.ts';
import { createApi, pathsOutsideApi } from './http/api.ts';
import { type Assets, openAssets } from './http/assets.ts';
import { addDecoderRoute } from './http/decoder-route.ts';
import { addFontRoute } from './http/font-route.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { answeredOnceStored } from './http/stored.ts';
import { addSystemRoutes } from './http/system-routes.ts';
import { Hub } from './hub/hub.ts';
import { createLive } from './live/create-live.ts';
import { BroadcastClock } from './model/broadcast-clock.ts';
import { createEvents } from './notify/create-events.ts';
import { createPairing } from './pairing/create-pairing.ts';
import { createPlay } from './play/create-play.ts';
import { createPlayData } from './play/create-play-data.ts';
import { ReceptionPool } from './reception/reception-pool.ts';
import { syncFolder } from './reception/recorded-file.ts';
import { createRecording } from './record/create-recording.ts';
import type { AddRoutes } from './route/add-routes.ts';
import { readSeries } from './schedule/dedupe/series-title.ts';
import { createSettings } from './settings/create-settings.ts';
import { systemFacts } from './settings/system.ts';
import { DatabaseWorkerClient } from './store/database-worker-client.ts';
import { CoverageStore } from './store/guide-coverage.ts';
import { GuideWindowStore } from './store/guide-window.ts';
import { LogoStore } from './store/logo-store.ts';
import { RecordingCount } from './store/recording-count.ts';
import { SearchStore } from './store/search-store.ts';
import { admitted, stopWaiting, whenWritable } from './store/transaction.ts';
import { DATABASE_FILE, logDamage, openStores, type Stores } from './stores.ts';
import { AgentClient } from './tuner/agent-client.ts';
import { type KeyFailureQuery, keyFailureOf } from './tuner/key-failure.ts';
import { silenceQuery } from './tuner/stream-silence.ts';

export { DATABASE_FILE };

interface ServiceOptions {
  config: Config;
  log: Log;
  /** Epoch ms by the machine's clock, which may be set at any time. */
  now: WallClock;
  /** ms since the machine was started, never set. */
  elapsed: MonotonicClock;
  /** This thread's clock, which stops while the machine is suspended. */
  monotonic: MonotonicClock;
  random: Random;
  /** Value of PATH, to find ffmpeg. */
  searchPath: string;
  /** The built UI; null = none. */
  webDir: string | null;
  startReceptionWorker: () => Worker;
  startGuideWorker: () => Worker;
  startScheduleWorker: () => Worker;
  startDatabaseWorker: () => Worker;
  startBackgroundWorker: () => Worker;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  /** Routes of the API application; path parameters begin with a colon. */
  readonly routes: readonly { method: string; path: string }[];
  /** Stops listening, ends streams, finishes pending writes. Idempotent. */
  close(): Promise<void>;
}

/** What the features share. */
function createFoundation(
  { config, log, now, searchPath, startDatabaseWorker, startReceptionWorker }: ServiceOptions,
  stores: Stores,
) {
  const { database, path, writeLock } = stores;
  const databaseWorker = new DatabaseWorkerClient({
    ...{ database, path, writeLock, startWorker: startDatabaseWorker },
    log: log.component('database'),
  });
  const hub = new Hub((error) => log.error('event listener failed', { error: String(error) }));
  const encoders = new Encoders({
    path: config.ffmpegPath ?? undefined,
    searchPath,
    log: log.component('ffmpeg'),
    now,
  });
  const { settings, routes: settingsRoutes } = createSettings({
    ...{ database, hub, log, now },
    hasGpu: () => encoderFacts(encoders.status()).some((one) => one.hardware && one.usable),
    folders: config,
  });
  const agent = new AgentClient(config.agentUrl);
  const stored = (): Promise<void> => databaseWorker.stored();
  const pool = new ReceptionPool({
    agentUrl: config.agentUrl,
    startWorker: startReceptionWorker,
    log: log.component('reception'),
  });
  return { databaseWorker, hub, encoders, settings, settingsRoutes, agent, pool, stored };
}

type Foundation = ReturnType<typeof createFoundation>;

/** Stations, guide, scan and logos. */
function createBroadcast(
  options: ServiceOptions,
  { path, database, writeLock, stations, programs }: Stores,
  { agent, pool, hub, settings }: Foundation,
  clock: BroadcastClock,
): BroadcastServices {
  const { config, log, now } = options;
  return new BroadcastServices({
    agent,
    pool,
    syncIntervalMs: config.channelSyncIntervalMs,
    forgetAfterMs: config.serviceForgetAfterMs,
    ...{ stations, programs, coverage: new CoverageStore(database), databasePath: path },
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
    writeLock,
    write: (act) => whenWritable(database, act),
    startWorker: options.startGuideWorker,
    log: log.component('guide'),
    now,
    onTime: (time) => clock.receive(time),
    broadcastNow: clock.now,
    isTimeSure: clock.isSure,
  });
}

/** The features. Where two depend on each other, a callback refers to the one that is created later. */
function createFeatures(options: ServiceOptions, stores: Stores, foundation: Foundation) {
  const { config, log, now, elapsed, monotonic, random } = options;
  const { database, programs } = stores;
  const { agent, pool, encoders, hub, settings, stored } = foundation;
  const clock = new BroadcastClock({ wall: now, elapsed, monotonic }, (byMs) => {
    log.warn('clock corrected to the broadcast time', { byMs });
    recording.recorder.clockSet();
    booking.booking.wake();
  });
  const broadcast = createBroadcast(options, stores, foundation, clock);
  const { guide, stations } = broadcast;
  const tuners = () => agent.tuners();
  const whySilent = silenceQuery((signal) => agent.tuners(signal));
  const keyFailure: KeyFailureQuery = async (station) => keyFailureOf(await agent.tuners(), station);
  const events = createEvents({ hub });
  const monotonicClock = () => monotonicMs(elapsed());
  const pairing = createPairing({
    ...{ database, hub, now, random, purgeIntervalMs: config.reconcileIntervalMs },
    limitAttempts: (limits) => new AttemptLimiter(limits, monotonicClock),
    log: log.component('pairing'),
  });
  const access = createAccess({
    ...{ database, hub, log, now, random, oidc: config.oidc },
    trustedNetworks: config.trustedNetworks,
    trustedProxies: config.trustedProxies,
    tokens: pairing.tokens,
    isToken: (id) => pairing.tokens.list().some((token) => token.id === id),
    purgeIntervalMs: config.reconcileIntervalMs,
    monotonicClock,
  });
  const live = createLive({
    ...{ stations, encoders, tuners, keyFailure, hub, log, pool },
    findRecording: (id) => recording.recorder.describe(id),
    chase: (order, signal) => play.play.chase(order, signal),
    redeem: (ticket) => access.tickets.redeem(ticket),
    clock: elapsed,
  });
  const recording = createRecording({
    version: VERSION,
    pool,
    dataDir: config.dataDir,
    recordingsDir: config.recordingsDir,
    retentionIntervalMs: config.reconcileIntervalMs,
    ...{ database, settings, hub, clock, stored, log, readSeries, keyFailure, whySilent },
    monotonicClock,
    wallClock: () => wallMs(now()),
    findStation: (id) => stations.findKnown(id),
    findProgram: (id) => programs.find(id),
    findFollowing: (station, at, program) => programs.followingOn(station, at, program),
    onBegan: () => booking.booking.onBegan(),
    onEnded: (end) => {
      booking.booking.onEnded(end);
      void encode.encodes.onRecorded(end.recordingId);
      play.measureLength(end.recordingId);
    },
  });
  const { folderSpace, seen } = recording;
  const play = createPlay({
    ...{ database, encoders, settings, hub, log, now, folderSpace, seen },
    monotonicClock,
    dataDir: config.dataDir,
  });
  const playData = createPlayData({
    ...{ database, encoders, hub, log, now, elapsed, seen, dataDir: config.dataDir, open: play.open },
    isBusy: () => live.live.isWatched || play.isConverting(),
    startWorker: options.startBackgroundWorker,
  });
  const commercial = createCommercial({
    ...{ database, encoders, settings, hub, log, now, open: play.open, isAway: recording.isAway },
    isBusy: () => live.live.isWatched || play.isConverting(),
    startWorker: options.startBackgroundWorker,
  });
  const encode = createEncode({
    ...{ database, encoders, settings, hub, log, now, elapsed, stored, dataDir: config.dataDir },
    open: (one) => play.open.open(one),
    captions: (one) => playData.captionFiles.json(one),
    poster: (one) => playData.poster(one.id),
    chapters: (id) => commercial.chapters.find(id),
    isDetecting: (id) => commercial.isPending(id),
    isBusy: () => commercial.detection.isRunning,
    viewers: () => live.live.watched + play.converting(),
    recordings: () => recording.recorder.progress().size,
    reconcileMs: config.reconcileIntervalMs,
    room: recording.room,
    removeRetired: recording.removeRetired,
    syncFolder,
  });
  const booking = createBooking({
    ...{ database, programs, stations, tuners, settings, hub },
    recorder: recording.recorder,
    airings: () => guide.airings(),
    retractGraceMs: config.ruleRetractGraceMs,
    retiring: (rule, draft) => recording.retention.retiring(rule, draft),
    databasePath: stores.path,
    startWorker: options.startScheduleWorker,
    log: log.component('booking'),
    now: clock.now,
    isTimeSure: clock.isSure,
  });
  return { access, pairing, broadcast, events, live, recording, play, playData, commercial, encode, booking };
}

type Features = ReturnType<typeof createFeatures>;

/** Routes about the service as a whole: health, status, settings. */
function systemRoutes(
  { config, now }: ServiceOptions,
  stores: Stores,
  { databaseWorker, encoders, settings, settingsRoutes }: Foundation,
  { broadcast, recording }: Features,
  guideWindow: GuideWindowStore,
): AddRoutes {
  const facts = {
    version: VERSION,
    startedAt: now(),
    agentUrl: config.agentUrl,
    agent: () => broadcast.agentState,
    ffmpeg: () => ffmpegFacts(encoders.status()),
    dataDir: config.dataDir,
    recordingFolders: recording.folders,
    databasePath: stores.path,
    countPrograms: () => guideWindow.countPrograms(),
    clocks: () => broadcast.guide.clockOffsets(),
    defaults: () => settings.defaults(),
  };
  const status = () => ({
    agent: broadcast.agentState,
    ffmpeg: ffmpegStatus(encoders.status()),
    database: { message: databaseWorker.trouble },
  });
  const recordings = new RecordingCount(stores.database);
  return (app) => {
    addSystemRoutes(app, {
      ...{ version: VERSION, stations: broadcast.stations, recordings, status },
      canRecord: recording.canRecord,
    });
    settingsRoutes(() => systemFacts(facts))(app);
  };
}

/** All routes, in the order of the OpenAPI description. */
function allRoutes(
  options: ServiceOptions,
  stores: Stores,
  foundation: Foundation,
  features: Features,
  assets: Assets,
): AddRoutes[] {
  const guideWindow = new GuideWindowStore(stores.database);
  const { access, pairing, broadcast, live, recording, play, playData, commercial, encode, booking, events } =
    features;
  return [
    systemRoutes(options, stores, foundation, features, guideWindow),
    broadcast.routes({
      version: VERSION,
      guide: guideWindow,
      search: new SearchStore(stores.reader),
    }),
    live.routes,
    recording.routes,
    play.routes,
    playData.routes,
    commercial.routes,
    encode.routes,
    booking.routes,
    events.routes,
    access.routes,
    pairing.routes,
    (app) => addFontRoute(app, { assets }),
    (app) => addDecoderRoute(app, { assets }),
  ];
}

/**
 * Order of start and shutdown. Parts are started one after the other. Shutdown runs step by step; the parts within a
 * step close concurrently.
 */
function lifecycle(
  { databaseWorker, encoders, pool }: Foundation,
  {
    access,
    pairing,
    broadcast,
    events,
    live,
    recording,
    play,
    playData,
    commercial,
    encode,
    booking,
  }: Features,
) {
  const { recorder, retention, spaceWatch } = recording;
  return {
    start: [
      ...[databaseWorker, recorder, booking.booking, retention, spaceWatch, broadcast, encoders],
      ...[
        playData.pictures,
        access.sessions,
        pairing.pairing,
        encode.encodes,
        encode.chapterFiles,
        encode.trials,
        commercial.detection,
      ],
    ],
    // Planning stops before the recorder that it controls; the caller closes the database last.
    shutdown: [
      [events.events, live.sockets, access.sessions, pairing.pairing],
      [booking.booking, encode.encodes, encode.chapterFiles, encode.trials, commercial.detection],
      [playData.pictures, playData.captionFiles, playData.captionStreams],
      [broadcast, live.live, play.play, recorder, retention, spaceWatch, encoders],
      [pool],
    ],
  };
}

async function closeInOrder(steps: readonly (readonly { close(): unknown }[])[], log: Log): Promise<void> {
  for (const step of steps) {
    const ends = await Promise.allSettled(step.map(async (part) => part.close()));
    for (const end of ends) {
      if (end.status === 'rejected') log.error('shutdown step failed', { error: String(end.reason) });
    }
  }
}

/** Warns when the access configuration lets in nobody or everybody. */
function logAccess({ trustedNetworks, oidc }: Config, log: Log): void {
  if (isClosed({ trustedNetworks, hasLogin: oidc !== null })) log.warn(NO_LOGIN_METHOD);
  if (opensEverything(trustedNetworks)) {
    log.warn('TRUSTED_NETWORKS contains 0.0.0.0/0: everyone who reaches this address is let in');
  }
}

function listen(
  { config, log }: ServiceOptions,
  routes: readonly AddRoutes[],
  assets: Assets,
  { database }: Stores,
  { databaseWorker, stored }: Foundation,
  { access, live }: Features,
): HttpServer & Pick<RunningService, 'routes'> {
  const api = createApi({
    version: VERSION,
    log: log.component('http'),
    databaseFailed: (error) => databaseWorker.note(error),
    routes,
  });
  const server = startHttpServer({
    host: config.host,
    port: config.port,
    tls: config.tls,
    access: access.policy,
    innerPaths: pathsOutsideApi(api),
    socket: live.sockets,
    isLetIn: access.isLetIn,
    trustedProxies: config.trustedProxies,
    allowedHosts: config.allowedHosts,
    assets,
    api: answeredOnceStored((request) => api.handle(request), {
      stored,
      admitted: (answer) => admitted(database, answer),
    }),
    log: log.component('http'),
  });
  return { ...server, routes: api.routes.map(({ method, path }) => ({ method, path })) };
}

/** Runs `act` on the first call; every call returns the same promise. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
}

/** @throws the error of the database, the file system or the socket, after closing what was already started */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, log } = options;
  const stores = openStores(config.dataDir);
  const foundation = createFoundation(options, stores);
  const features = createFeatures(options, stores, foundation);
  const { start, shutdown } = lifecycle(foundation, features);
  const assets = openAssets(options.webDir);
  let http: ReturnType<typeof listen>;
  try {
    http = listen(
      options,
      allRoutes(options, stores, foundation, features, assets),
      assets,
      stores,
      foundation,
      features,
    );
  } catch (error) {
    await closeInOrder(shutdown, log);
    stores.close();
    throw error;
  }
  foundation.hub.subscribe(({ name }) => {
    if (name === 'tokens') http.review();
  });
  log.info('listening', { url: http.url, port: http.port, version: VERSION });
  // An unmounted data disk looks like a first start.
  if (stores.isNew)
    log.warn('database created: no reservations, rules and recordings are known', { path: stores.path });
  for (const { original, recordings } of stores.copied) {
    log.warn('data folder is a copy: recordings of the original are not used', { original, recordings });
  }
  logAccess(config, log);
  logDamage(stores.database, log);
  for (const part of start) part.start();
  return {
    url: http.url,
    port: http.port,
    routes: http.routes,
    close: once(async () => {
      stopWaiting(stores.database);
      http.stopListening();
      await closeInOrder(shutdown, log);
      await http.close();
      // Closing would block on an unresponsive disk. Without it the next start reads the commits from the WAL.
      if (await foundation.databaseWorker.close()) stores.close();
    }),
  };
}
