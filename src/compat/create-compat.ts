/** Composition of the interfaces for other programs. Each listener is off unless it is configured. */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { WallClock } from '../../lib/host/clock.ts';
import type { AllowedHosts } from '../../lib/host/host-check.ts';
import type { Log } from '../../lib/host/log.ts';
import { VERSION } from '../../lib/host/version.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { setRequester } from '../http/route/request.ts';
import type { AddRoutes, TvPaths } from '../http/route/server-interfaces.ts';
import type { Hub } from '../notify/hub.ts';
import type { GuideChanges } from '../store/change-counters.ts';
import type { MqttBrokerStore } from '../store/compat-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { ChangeFeed } from './change-feed.ts';
import { addClientLinkRoutes } from './client-link-routes.ts';
import type { ClientLinkService } from './client-links.ts';
import { type CompatHandler, type CompatListener, startCompatListener } from './compat-listener.ts';
import { h264Packets } from './h264-packets.ts';
import { deviceIdOf, HdhrDiscovery } from './hdhomerun.ts';
import { HdhrControl } from './hdhomerun-control.ts';
import { MirakurunApi, type MirakurunNeeds, mirakurunError } from './mirakurun-handler.ts';
import { begun, bodyOf, MirakurunStreams, type MirakurunStreamsOptions } from './mirakurun-streams.ts';
import { addMonitoringRoutes, type Monitoring } from './monitoring.ts';
import { addMqttRoutes, MqttPublisher } from './mqtt-publisher.ts';
import { TvApi, type TvNeeds, tvError, tvPaths } from './tv-handler.ts';

export interface CompatConfig {
  /** null: off. 0: one that is free. */
  readonly mirakurunPort: number | null;
  /** Address of that port; null: all. */
  readonly mirakurunHost: string | null;
  /** Path of a Unix socket; null: none. */
  readonly mirakurunSocket: string | null;
  /** As `mirakurunPort`. */
  readonly hdhomerunPort: number | null;
  /** UDP for discovery and TCP for control, used with `hdhomerunPort`. */
  readonly discoveryPort: number;
}

interface CompatNeeds
  extends Omit<MirakurunNeeds, 'streams' | 'feed' | 'tv'>,
    Omit<TvNeeds, 'deviceIds' | 'recordingFile' | 'watch' | 'programs'>,
    Pick<MirakurunStreamsOptions, 'pool' | 'airings'> {
  readonly config: CompatConfig;
  /** Address of the listeners; null: all. */
  readonly host: string | null;
  readonly allowedHosts: AllowedHosts;
  readonly isTrusted: (peer: string | undefined, forwardedFor: string | null) => boolean;
  readonly changes: GuideChanges;
  readonly links: ClientLinkService;
  readonly monitoring: Monitoring;
  readonly mqttBroker: MqttBrokerStore;
  /** What happened lately, newest first. */
  readonly notices: (limit: number) => readonly Notice[];
  readonly wall: WallClock;
  /** A number that stays the same for this database. */
  readonly seed: number;
  /** A station as viewers of the household watch it. @throws Failure; the abort's reason */
  readonly watch: (
    id: Parameters<TvNeeds['watch']>[0],
    codec: 'raw' | 'h264',
    signal: AbortSignal,
  ) => Promise<ReadableStream<Uint8Array>>;
  /** @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  readonly findRecording: (id: number) => ListedRecording | undefined;
  readonly hub: Hub;
  readonly log: Log;
}

/** After the start, which comes first. */
const PREPARE_AFTER_MS = 3_000;

/** Changes that Home Assistant is told of. */
const PUBLISHED: ReadonlySet<string> = new Set(['recordings', 'reservations', 'tuners', 'notices']);

type InnerApi = (request: Request) => Response | Promise<Response>;

export interface Compat {
  /** Ports of the listeners; null: off. */
  readonly mirakurunPort: number | null;
  readonly hdhomerunPort: number | null;
  readonly routes: AddRoutes;
  readonly tv: TvPaths;
  /** Gives the application that answers requests for files of recordings. */
  serveFiles(api: InnerApi): void;
  stopListening(): void;
  close(): Promise<void>;
}

/** A file of a recording by the route that serves it, with the ranges that were asked for. */
function recordingFiles({ findRecording }: CompatNeeds, api: () => InnerApi | undefined) {
  return async (id: number, request: Request): Promise<Response> => {
    const recording = Number.isSafeInteger(id) && id > 0 ? findRecording(id) : undefined;
    const [file] = recording?.files ?? [];
    const answer = api();
    if (recording === undefined || file === undefined || answer === undefined)
      return tvError(404, 'Not Found');
    const name = recording.state === 'recording' ? 'chase?codec=raw' : `file?source=${file.source}`;
    const headers = new Headers();
    for (const header of ['range', 'if-range', 'if-none-match']) {
      const value = request.headers.get(header);
      if (value !== null) headers.set(header, value);
    }
    const { method, signal } = request;
    const inner = new Request(`http://svc.internal/api/recordings/${id}/${name}`, {
      method,
      headers,
      signal,
    });
    setRequester(inner, { letIn: { by: 'open' }, address: '' });
    return await answer(inner);
  };
}

function createTv(needs: CompatNeeds, api: () => InnerApi | undefined, log: Log): TvApi {
  const { watch, ffmpeg, seed } = needs;
  return new TvApi({
    ...needs,
    deviceIds: { raw: deviceIdOf(seed), h264: deviceIdOf(seed + 1) },
    recordingFile: recordingFiles(needs, api),
    watch: async (id, form, signal) => {
      if (form === 'raw') return await watch(id, 'raw', signal);
      const open = (until: AbortSignal) => watch(id, 'h264', until);
      return await begun(bodyOf(h264Packets({ open, ffmpeg, log }, signal), signal));
    },
  });
}

function createMirakurun(needs: CompatNeeds, tv: TvApi, log: Log) {
  const { changes, hub, programs } = needs;
  const streams = new MirakurunStreams({ ...needs, findProgram: (id) => programs.find(id), log });
  const feed: ChangeFeed = new ChangeFeed({
    guideVersion: () => changes.version,
    changedSince: (version) => changes.since(version),
    programs: (station) => api.programsOf(station),
    services: () => api.services(),
    tuners: () => api.tuners(),
    now: needs.now,
    log,
  });
  const api = new MirakurunApi({ ...needs, streams, feed, tv: tv.answer });
  const unsubscribe = hub.subscribe(({ name }) => {
    if (name === 'programs') feed.changed('program');
    else if (name === 'services') {
      api.stationsChanged();
      feed.changed('service');
    } else if (name === 'tuners') feed.changed('tuner');
  });
  const close = async (): Promise<void> => {
    unsubscribe();
    streams.close();
    await feed.close();
  };
  return { handle: api.handle, prepare: () => api.prepare(), streams, close };
}

/** Discovery and control of the HDHomeRun-compatible tuner. */
function createHdhr(needs: CompatNeeds, tv: TvApi, streams: MirakurunStreams, httpPort: number, log: Log) {
  const { config, seed, isTrusted, watch, hub, monotonic } = needs;
  const common = {
    ...{ port: config.discoveryPort, tuners: () => tv.tunerCount, log },
    isTrusted: (peer: string) => isTrusted(peer, null),
  };
  const discovery = new HdhrDiscovery({ ...common, id: deviceIdOf(seed), httpPort });
  const control = new HdhrControl({
    ...common,
    ...{ host: needs.host, stations: () => tv.numbered(), monotonic },
    open: async (selection, signal) => {
      if (selection.kind === 'station') return await watch(selection.station.id, 'raw', signal);
      const { type, channel } = selection.of;
      return await streams.open(
        { type, channel, serviceId: null },
        { id: 'HDHomeRun', agent: null, url: '', decode: true, priority: PRIORITY.live, signal },
      );
    },
  });
  const unsubscribe = hub.subscribe(({ name }) => {
    if (name === 'tuners') void tv.countTuners();
  });
  void tv.countTuners();
  return {
    close: async () => {
      unsubscribe();
      control.close();
      await discovery.close();
    },
  };
}

/** Of a process that was killed: the runtime does not replace it. Another file is left, and listening fails. */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path);
}

/** @throws the runtime's error if a port or socket is occupied */
export function createCompat(needs: CompatNeeds): Compat {
  const { config, host, allowedHosts, isTrusted, links, monitoring } = needs;
  const log = needs.log.component('compat');
  let files: InnerApi | undefined;
  const tv = createTv(needs, () => files, log);
  const mirakurun = createMirakurun(needs, tv, log);
  const mqtt = new MqttPublisher({
    ...{ store: needs.mqttBroker, notices: needs.notices, version: VERSION, now: needs.wall, log },
    id: `svc_${deviceIdOf(needs.seed).toLowerCase()}`,
    summary: () => monitoring.summary(),
    onChanged: () => needs.hub.changed('settings'),
  });
  const unsubscribe = needs.hub.subscribe(({ name }) => {
    if (name === 'recordings') monitoring.recordingsChanged();
    if (PUBLISHED.has(name)) mqtt.note();
  });
  const listeners: CompatListener[] = [];
  const listen = (
    name: string,
    at: Parameters<typeof startCompatListener>[0]['at'],
    handler: CompatHandler,
    refusal: (status: number, reason: string) => Response,
  ): number => {
    const listener = startCompatListener({ at, allowedHosts, isTrusted, log, handler, refusal });
    listeners.push(listener);
    log.info(name, 'socket' in at ? { socket: at.socket } : { port: listener.port });
    return listener.port;
  };
  const onPort = (
    at: { host: string | null; port: number | null },
    ...[name, handler, refusal]: [string, CompatHandler, typeof tvError]
  ): number | null =>
    at.port === null ? null : listen(name, { host: at.host, port: at.port }, handler, refusal);
  const MIRAKURUN = 'Mirakurun-compatible interface';
  const mirakurunAt = { host: config.mirakurunHost, port: config.mirakurunPort };
  const mirakurunPort = onPort(mirakurunAt, MIRAKURUN, mirakurun.handle, mirakurunError);
  if (config.mirakurunSocket !== null) {
    removeStaleSocket(config.mirakurunSocket);
    listen(MIRAKURUN, { socket: config.mirakurunSocket }, mirakurun.handle, mirakurunError);
    // For the other programs of this machine; they run as other users.
    chmodSync(config.mirakurunSocket, 0o666);
  }
  const hdhomerunPort = onPort(
    { host, port: config.hdhomerunPort },
    'HDHomeRun-compatible interface',
    tv.answer,
    tvError,
  );
  const isServed = mirakurunPort !== null || config.mirakurunSocket !== null;
  const preparing = setTimeout(() => {
    mirakurun.prepare().catch((error) => log.warn('programmes not listed', { error: String(error) }));
  }, PREPARE_AFTER_MS);
  preparing.unref();
  if (!isServed) clearTimeout(preparing);
  const hdhr =
    hdhomerunPort === null ? undefined : createHdhr(needs, tv, mirakurun.streams, hdhomerunPort, log);
  const ports = { mirakurunPort, hdhomerunPort };
  return {
    ...ports,
    routes: (app) => {
      addClientLinkRoutes(app, { links, ports: () => ports });
      addMonitoringRoutes(app, monitoring);
      addMqttRoutes(app, mqtt);
    },
    tv: tvPaths(tv, links),
    serveFiles: (api) => {
      files = api;
    },
    stopListening: () => {
      for (const listener of listeners) listener.stopListening();
    },
    close: async () => {
      clearTimeout(preparing);
      unsubscribe();
      monitoring.close();
      await Promise.all([mirakurun.close(), hdhr?.close(), mqtt.close()]);
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}
