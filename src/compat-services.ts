/** Interfaces for other programs, on listeners of their own. Part of the composition root. */
import type { WallClock } from '../lib/host/clock.ts';
import type { Log } from '../lib/host/log.ts';
import type { Random } from '../lib/host/random.ts';
import { recordingId } from '../lib/wire/ids.ts';
import type { Notice } from '../lib/wire/notifications.ts';
import { trustedNetworkOf } from './access/access.ts';
import { clientAddress } from './access/client-address.ts';
import type { BroadcastServices } from './broadcast-services.ts';
import { ClientLinkService } from './compat/client-links.ts';
import { type Compat, createCompat } from './compat/create-compat.ts';
import { Monitoring } from './compat/monitoring.ts';
import type { Config } from './config.ts';
import type { Encoders } from './ffmpeg/encoders.ts';
import type { LiveService } from './live/live-service.ts';
import type { BroadcastClock } from './model/broadcast-clock.ts';
import type { Hub } from './notify/hub.ts';
import type { ReceptionPool } from './reception/reception-pool.ts';
import type { createRecording } from './record/create-recording.ts';
import { readSeries } from './schedule/dedupe/series-title.ts';
import type { SettingsService } from './settings/settings.ts';
import { GuideChanges } from './store/change-counters.ts';
import { ChannelNumberStore, ClientLinkStore, MqttBrokerStore, SummaryStore } from './store/compat-store.ts';
import type { DatabaseWorkerClient } from './store/database-worker-client.ts';
import { CoverageStore } from './store/guide-coverage.ts';
import { GuideWindowStore } from './store/guide-window.ts';
import { RecordingListStore, type RecordingQuestion } from './store/recording-list-store.ts';
import { ReservationStore } from './store/reservation-store.ts';
import type { Stores } from './stores.ts';
import type { AgentClient } from './tuner/agent-client.ts';

/** Of the lists for television software, which show them without pages. */
const MAX_RECORDINGS = 2_000;
const WATCHABLE: RecordingQuestion = {
  ...{ show: null, sort: 'newest', words: [], unwatched: false, series: null, ruleId: null },
  ...{ stationId: null, genre: null },
};

interface CompatParts {
  config: Config;
  log: Log;
  elapsed: () => number;
  stores: Stores;
  agent: AgentClient;
  hub: Hub;
  pool: ReceptionPool;
  settings: SettingsService;
  broadcast: BroadcastServices;
  encoders: Encoders;
  live: { live: LiveService };
  recording: ReturnType<typeof createRecording>;
  databaseWorker: DatabaseWorkerClient;
  notifications: { latest: (limit: number) => readonly Notice[] };
  now: WallClock;
  random: Random;
  clock: BroadcastClock;
}

/** @throws the runtime's error if a port or socket is occupied */
export function startCompat(parts: CompatParts): Compat {
  const { config, log, elapsed, agent, hub, pool, settings, clock } = parts;
  const { database, programs } = parts.stores;
  const { stations, guide, logos } = parts.broadcast;
  const { trustedNetworks, trustedProxies, allowedHosts, host } = config;
  const coverage = new CoverageStore(database);
  const guideWindow = new GuideWindowStore(database);
  const numbers = new ChannelNumberStore(database);
  const recordings = new RecordingListStore(database);
  const reservations = new ReservationStore(database);
  const { live } = parts.live;
  const links = new ClientLinkService({
    ...{ store: new ClientLinkStore(database), random: parts.random, now: parts.now },
    onChanged: () => hub.changed('tokens'),
    log: log.component('compat'),
  });
  const { recorder, folders, folderSpace } = parts.recording;
  const readAt = () => new Map(Array.from(coverage.all(), ([id, { readAt }]) => [id, readAt] as const));
  const monitoring = new Monitoring({
    ...{ summary: new SummaryStore(database), stations, readAt, folders, now: clock.now },
    running: () => recorder.progress(),
    verdictOf: (id) => recordings.find(id)?.verdict ?? null,
    tuners: () => agent.tuners(),
    card: () => agent.card(),
    freeBytes: async (path) => (await folderSpace(path))?.freeBytes,
    watched: () => live.watched,
    viewers: () => live.viewers,
    fullAt: parts.recording.fullAt,
    problem: () => parts.broadcast.agentState.message ?? parts.databaseWorker.trouble,
    wall: parts.now,
    monotonic: elapsed,
  });
  live.onJoined((codec, elapsedMs) => monitoring.opened(codec, elapsedMs));
  return createCompat({
    ...{ config: config.compat, host, allowedHosts, pool, hub, log, stations, programs, logos },
    isTrusted: (peer, forwardedFor) => {
      const address = clientAddress(peer, forwardedFor, trustedProxies);
      return address !== undefined && trustedNetworkOf(trustedNetworks, address) !== undefined;
    },
    airings: () => guide.airings(),
    changes: new GuideChanges(database),
    ...{ readAt, monitoring, mqttBroker: new MqttBrokerStore(database), wall: parts.now },
    notices: (limit) => parts.notifications.latest(limit),
    tuners: () => agent.tuners(),
    countPrograms: () => guideWindow.countPrograms(),
    recordingsFrom: () => settings.get('mirakurunRecordings'),
    ...{ numbers, links, seed: numbers.origin },
    recordings: () => recordings.page(WATCHABLE, 0, MAX_RECORDINGS).rows,
    bookings: () =>
      reservations
        .coming(clock.now())
        .map((one) => ({ ...one, station: stations.findKnown(one.stationId)?.name ?? '' })),
    findRecording: (id) => recordings.find(recordingId(id)),
    episodeOf: ({ name, description, extended }) => {
      const { episode } = readSeries({ name, description, extended }) ?? {};
      const number = /#(\d+)/.exec(episode ?? '')?.[1];
      return number === undefined ? undefined : Number(number);
    },
    watch: async (stationId, codec, signal) =>
      (await live.open({ stationId, codec, audio: undefined }, signal)).body,
    ffmpeg: () => parts.encoders.ffmpeg(),
    now: clock.now,
    monotonic: elapsed,
  });
}
