/**
 * Composition root: the only module that knows every feature. It uses no process globals; `main.ts` passes them in.
 * What the first request needs is created before listening, everything slow is started afterwards.
 */
import { availableParallelism } from 'node:os';
import { DAY_MS } from '../lib/arib/time.ts';
import { type MonotonicClock, monotonicMs, type WallClock, wallMs } from '../lib/host/clock.ts';
import type { Log } from '../lib/host/log.ts';
import { nextTurn } from '../lib/host/next-turn.ts';
import type { Random } from '../lib/host/random.ts';
import { VERSION } from '../lib/host/version.ts';
import { accessWarnings } from './access/access.ts';
import { AttemptLimiter } from './access/attempt-limiter.ts';
import { createAccess, createPairing } from './access/create-access.ts';
import { createBooking } from './booking/create-booking.ts';
import { reservationReasonText } from './booking/reservation-reason-text.ts';
import { BroadcastServices } from './broadcast-services.ts';
import { createCommercial } from './commercial/create-commercial.ts';
import type { Compat } from './compat/create-compat.ts';
import { startCompat } from './compat-services.ts';
import type { Config } from './config.ts';
import { createEncode } from './encode/create-encode.ts';
import { Encoders, encoderFacts, ffmpegFacts, ffmpegStatus } from './ffmpeg/encoders.ts';
import { answeredOnceStored, createApi, pathsOutsideApi } from './http/api.ts';
import { type Assets, openAssets } from './http/assets.ts';
import { addUiFileRoutes } from './http/file-routes.ts';
import type { AddRoutes } from './http/route/server-interfaces.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { addSystemRoutes } from './http/system-routes.ts';
import { createLive } from './live/create-live.ts';
import { JobRunner } from './media/job/job-runner.ts';
import type { RecordingContext } from './media/job/recording-context.ts';
import { BroadcastClock } from './model/broadcast-clock.ts';
import { createNotifications } from './notify/create-notifications.ts';
import { createEvents } from './notify/event-stream.ts';
import { Hub } from './notify/hub.ts';
import { createPlay } from './play/create-play.ts';
import { createPlayData } from './play/create-play-data.ts';
import { ReceptionPool } from './reception/reception-pool.ts';
import { syncFolder } from './reception/recorded-file.ts';
import { createRecording } from './record/create-recording.ts';
import { recordingReasonText } from './record/recording-answers.ts';
import { readSeries } from './schedule/dedupe/series-title.ts';
import { createSettings } from './settings/create-settings.ts';
import { systemFacts } from './settings/system.ts';
import { closeInOrder, once } from './shutdown.ts';
import { DatabaseWorkerClient } from './store/database-worker-client.ts';
import { CoverageStore } from './store/guide-coverage.ts';
import { GuideWindowStore } from './store/guide-window.ts';
import { LogoStore } from './store/logo-store.ts';
import { RecordingListStore } from './store/recording-list-store.ts';
import { recordingCount } from './store/recording-sums.ts';
import { SearchStore } from './store/search-store.ts';
import { BroadcasterStore } from './store/station-store.ts';
import { admitted, stopWaiting, whenWritable } from './store/transaction.ts';
import { DATABASE_FILE, logDamage, openStores, type Stores } from './stores.ts';
import { AgentClient } from './tuner/agent-client.ts';
import { type KeyFailureQuery, keyFailureOf, silenceQuery } from './tuner/tuner-list.ts';

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
  /** Interfaces for other programs: their ports. */
  readonly compat: Pick<Compat, 'mirakurunPort' | 'hdhomerunPort'>;
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
    broadcasters: new BroadcasterStore(database),
    hub,
    writeLock,
    write: (act) => whenWritable(database, act),
    startWorker: options.startGuideWorker,
    log: log.component('guide'),
    now,
    onTime: (time) => clock.receive(time),
    broadcastNow: clock.now,
    isTimeSure: clock.isSure,
    bml: {
      ...{ config: config.bml, ownNames: config.allowedHosts, random: options.random },
      ...{ isOn: () => settings.get('bidirectional'), clock: () => monotonicMs(options.elapsed()) },
    },
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
  const { oidc, trustedNetworks, trustedProxies } = config;
  /** Whether anything may be deleted by the machine's clock. */
  const isTimeSure = (): boolean => clock.isSure() && Math.abs(now() - clock.now()) < DAY_MS;
  const access = createAccess({
    ...{ database, hub, log, now, random, oidc, trustedNetworks, trustedProxies },
    tokens: pairing.tokens,
    isToken: (id) => pairing.tokens.list().some((token) => token.id === id),
    purgeIntervalMs: config.reconcileIntervalMs,
    ...{ isTimeSure, monotonicClock },
  });
  const live = createLive({
    ...{ database, programs, stations, encoders, tuners, keyFailure, hub, log, pool },
    sources: broadcast.sources,
    findRecording: (id) => recording.recorder.describe(id),
    broadcastNow: clock.now,
    chase: (order, signal) => play.play.chase(order, signal),
    redeem: (ticket) => access.tickets.redeem(ticket),
    clock: elapsed,
    mayTuneForStills: () => settings.get('idleStills') && !broadcast.scans.running,
    recordingUses: () => recording.recorder.uses(),
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
  const jobs = new JobRunner({
    machine: () => ({
      processors: availableParallelism(),
      viewers: live.live.watched + play.converting(),
      recordings: recording.recorder.progress().size,
    }),
    ...{ hub, clock: monotonic, log: log.component('jobs') },
  });
  const context: RecordingContext = {
    ...{ database, encoders, settings, jobs, hub, log, now, elapsed, stored, dataDir: config.dataDir },
    ...{ list: new RecordingListStore(database), open: play.open },
    write: (act) => whenWritable(database, act),
  };
  const startWorker = options.startBackgroundWorker;
  const playData = createPlayData({ ...context, startWorker, seen, folderSpace, open: play.open });
  const commercial = createCommercial({ ...context, startWorker, isAway: recording.isAway });
  const encode = createEncode({
    ...context,
    captions: (one) => playData.captionFiles.json(one),
    keepData: (one) => playData.dataFiles.keep(one),
    poster: (one) => playData.poster(one.id),
    chapters: (id) => commercial.chapters.find(id),
    isDetecting: (id) => commercial.isPending(id),
    isTimeSure,
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
  const coverage = new CoverageStore(database);
  const notifications = createNotifications({
    ...{ database, hub, log, now, random, tuners, version: VERSION },
    texts: { recording: recordingReasonText, reservation: reservationReasonText },
    ...{ card: () => agent.card(), databaseTrouble: () => foundation.databaseWorker.trouble },
    guideReadAt: () => (settings.get('collectGuide') ? coverage.newestReadAt(wallMs(now())) : null),
    isTimeSure,
    ...{ clock, readSeries, programs, encodes: encode.encodes },
    ...{ shortage: recording.shortage, retention: recording.retention },
    reservations: booking.booking.reservations,
    ...{ command: config.notifyCommand, allowsPrivate: config.notifyPrivate },
  });
  return {
    ...{ access, pairing, broadcast, clock, events, notifications, live, recording, play, playData },
    ...{ jobs, commercial, encode, booking },
  };
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
  const recordings = { count: () => recordingCount(stores.database) };
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
  const { access, pairing, broadcast, live, recording, play, playData, commercial, encode, booking } =
    features;
  const { events, notifications } = features;
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
    notifications.routes,
    access.routes,
    pairing.routes,
    (app) =>
      addUiFileRoutes(app, { assets, isBidirectional: () => foundation.settings.get('bidirectional') }),
  ];
}

/**
 * Order of start and shutdown. Parts are started one after the other, the later ones between requests. Shutdown runs
 * step by step; the parts within a step close concurrently.
 */
function lifecycle({ databaseWorker, encoders, pool }: Foundation, features: Features) {
  const { access, pairing, broadcast, events, notifications, live, booking } = features;
  const { recording, play, playData, jobs, commercial } = features;
  const { recorder, retention, spaceWatch } = recording;
  return {
    /** What requests depend on. */
    start: [databaseWorker, recorder, booking.booking],
    later: [
      ...[retention, spaceWatch, broadcast, encoders, access.sessions, pairing.pairing, jobs],
      ...[notifications.watch, notifications.reminders, notifications.deliveries],
    ],
    // Planning stops before the recorder that it controls; the caller closes the database last.
    shutdown: [
      [events.events, live.sockets, access.sessions, pairing.pairing],
      [booking.booking, jobs],
      [notifications.watch, notifications.reminders],
      [notifications.deliveries, notifications.command],
      [commercial.detection, playData.dataFiles, playData.background, playData.captionStreams],
      [broadcast, live.live, live.stills, play.play, recorder, retention, spaceWatch, encoders],
      [pool],
    ],
  };
}

function listen(
  { config, log }: ServiceOptions,
  routes: readonly AddRoutes[],
  assets: Assets,
  { database }: Stores,
  { databaseWorker, stored }: Foundation,
  { access, live, broadcast }: Features,
  compat: Compat,
): HttpServer & Pick<RunningService, 'routes'> {
  const api = createApi({
    version: VERSION,
    log: log.component('http'),
    databaseFailed: (error) => databaseWorker.note(error),
    routes,
  });
  compat.serveFiles((request) => api.handle(request));
  const server = startHttpServer({
    host: config.host,
    port: config.port,
    tls: config.tls,
    access: access.policy,
    innerPaths: pathsOutsideApi(api),
    tv: compat.tv,
    ...{ socket: live.sockets, isLetIn: access.isLetIn, sources: broadcast.sources },
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

/** @throws the error of the database, the file system or the socket, after closing what was already started */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { config, log } = options;
  const stores = openStores(config.dataDir);
  const foundation = createFoundation(options, stores);
  const features = createFeatures(options, stores, foundation);
  const { start, later, shutdown } = lifecycle(foundation, features);
  const assets = openAssets(options.webDir);
  let http: ReturnType<typeof listen>;
  let compat: Compat | undefined;
  try {
    compat = startCompat({ ...options, ...foundation, ...features, stores });
    http = listen(
      options,
      [...allRoutes(options, stores, foundation, features, assets), compat.routes],
      assets,
      stores,
      foundation,
      features,
      compat,
    );
  } catch (error) {
    await closeInOrder([compat === undefined ? [] : [compat], ...shutdown], log);
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
  const { trustedNetworks, oidc } = config;
  for (const warning of accessWarnings({ trustedNetworks, hasLogin: oidc !== null })) log.warn(warning);
  logDamage(stores.database, log);
  for (const part of start) part.start();
  for (const part of later) {
    await nextTurn();
    part.start();
  }
  return {
    url: http.url,
    port: http.port,
    routes: http.routes,
    compat,
    close: once(async () => {
      stopWaiting(stores.database);
      http.stopListening();
      compat.stopListening();
      await closeInOrder([[compat], ...shutdown], log);
      await http.close();
      // Closing would block on an unresponsive disk. Without it the next start reads the commits from the WAL.
      if (await foundation.databaseWorker.close()) stores.close();
    }),
  };
}
