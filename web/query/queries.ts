/** Queries shared by several screens, with the events that change each response. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Access } from '../../lib/wire/access.ts';
import type { Card, Channel, DetectedDevices, Tuner } from '../../lib/wire/agent.ts';
import type {
  ClientLinks,
  DeviceToken,
  GuideStatus,
  ProgramDetail,
  Recording,
  RuleItem,
  ScanStatus,
  SharedStations,
  Station,
  Still,
  StorageFacts,
} from '../../lib/wire/api.ts';
import type { Changes, DetectionStatus } from '../../lib/wire/detection.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import type { MqttState } from '../../lib/wire/mqtt.ts';
import type { Chapters, Playback } from '../../lib/wire/playback.ts';
import type { Previews, RecordingStatus } from '../../lib/wire/recordings.ts';
import { MAX_STILLS, RECORDING_LIMIT } from '../../lib/wire/vocabulary.ts';
import { getDeviceTokens } from './api.ts';
import type { Query } from './cache.ts';
import { getRecordingPage } from './recordings.ts';
import { callQuery, pathQuery } from './use-query.ts';

/** Visits of the guide begin and end, and a signal changes, without an event of their own. */
const POLL_MS = 4_000;
const STORAGE_POLL_MS = 60_000;

export const TUNERS = pathQuery<Tuner[]>('api/tuners', ['tuners']);
export const DEVICES = pathQuery<DetectedDevices>('api/devices', ['tuners']);
export const CARD = pathQuery<Card>('api/card', ['tuners']);
export const CHANNELS = pathQuery<Channel[]>('api/channels', ['channels', 'scan']);
export const GUIDE_STATUS = pathQuery<GuideStatus>('api/guide/status', ['programs', 'services'], POLL_MS);
/** How this browser was let in, and who else is logged in. */
export const ACCESS = pathQuery<Access>('api/access', ['tokens']);
/** Paired devices. */
export const DEVICE_TOKENS = pathQuery<DeviceToken[]>('api/device/tokens', ['tokens']);
/** The same, read when one was added only: every use of a token changes the list. */
export const PAIRED_DEVICES = callQuery('paired devices', ['paired'], getDeviceTokens);
/** Links for television software, and ports for other programs. */
export const MQTT = pathQuery<MqttState>('api/mqtt', ['settings']);
export const CLIENT_LINKS = pathQuery<ClientLinks>('api/client-links', ['tokens']);
export const SCAN = pathQuery<ScanStatus>('api/scan', ['scan', 'channels']);
/** Each with how many it has booked and recorded. */
export const RULES = pathQuery<RuleItem[]>('api/rules', ['rules', 'reservations', 'recordings']);
export const STORAGE = pathQuery<StorageFacts>('api/storage', ['recordings', 'settings'], STORAGE_POLL_MS);

export const RUNNING_RECORDINGS = callQuery<readonly Recording[]>(
  'running recordings',
  ['recordings'],
  async (signal) => {
    const parameters = new URLSearchParams({ show: 'recording', sort: 'oldest' });
    return (await getRecordingPage(parameters, { offset: 0, limit: RECORDING_LIMIT.maximum }, signal)).rows;
  },
);

/** Renewed every 45 s or so while it is asked for; the first ones come one by one. */
const STILLS_POLL_MS = 10_000;
export const stillsQuery = (ids: readonly StationId[]): Query<Still[]> =>
  pathQuery(`api/stills?stations=${ids.slice(0, MAX_STILLS).join(',')}`, [], STILLS_POLL_MS);

/** Sub-channels that only repeat their main station between two times. */
export const sharedStationsQuery = (
  type: Station['type'],
  from: BroadcastMs,
  to: BroadcastMs,
): Query<SharedStations> =>
  pathQuery(`api/guide/shared?type=${type}&from=${from}&to=${to}`, ['programs', 'services']);
export const programQuery = (id: ProgramId): Query<ProgramDetail> =>
  pathQuery(`api/programs/${id}`, ['programs', 'reservations']);
export const ruleQuery = (id: RuleId): Query<RuleItem> =>
  pathQuery(`api/rules/${id}`, ['rules', 'reservations', 'recordings']);
export const recordingQuery = (id: RecordingId): Query<Recording> =>
  pathQuery(`api/recordings/${id}`, ['recordings']);
export const recordingStatusQuery = (id: RecordingId): Query<RecordingStatus> =>
  pathQuery(`api/recordings/${id}/status`, ['recordings']);
/** Number of rows on the home screen. */
const HOME_RECORDINGS = 12;
const homeQuery = (key: string, wish: Readonly<Record<string, string>>): Query<readonly Recording[]> =>
  callQuery(key, ['recordings'], async (signal) => {
    const slice = { offset: 0, limit: HOME_RECORDINGS };
    return (await getRecordingPage(new URLSearchParams(wish), slice, signal)).rows;
  });
/** Partly watched recordings, the last watched first. */
export const RESUMABLE_RECORDINGS = homeQuery('resumable recordings', { show: 'resume' });
/** Unwatched recordings, the newest first. */
export const FRESH_RECORDINGS = homeQuery('fresh recordings', { unwatched: '1', sort: 'newest' });
/** All that can be watched of a series, the first episode first. */
export const seriesQuery = (key: string): Query<readonly Recording[]> =>
  callQuery(`series ${key}`, ['recordings'], async (signal) => {
    const parameters = new URLSearchParams({ series: key, sort: 'oldest' });
    return (await getRecordingPage(parameters, { offset: 0, limit: RECORDING_LIMIT.maximum }, signal)).rows;
  });
/** Of a finished recording; 404 while it is being recorded. */
export const playbackQuery = (id: RecordingId): Query<Playback> =>
  pathQuery(`api/recordings/${id}/playback`, ['recordings']);
export const chaptersQuery = (id: RecordingId): Query<Chapters> =>
  pathQuery(`api/recordings/${id}/chapters`, ['chapters', 'recordings']);
/** Places that a boundary of a chapter may be moved to. */
export const changesQuery = (id: RecordingId): Query<Changes> =>
  pathQuery(`api/recordings/${id}/changes`, ['chapters']);
export const detectionQuery = (id: RecordingId): Query<DetectionStatus> =>
  pathQuery(`api/recordings/${id}/detect`, ['chapters']);
/** 404 while there are none. */
export const previewsQuery = (id: RecordingId): Query<Previews> =>
  pathQuery(`api/recordings/${id}/previews`, ['recordings']);
