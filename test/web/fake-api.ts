/** The part of the fake service behind guide, search, tuners and settings: its state and its responses. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { LICENSES } from '../../lib/host/licenses.ts';
import type { Access } from '../../lib/wire/access.ts';
import type { Card, Channel, DetectedDevice, Tuner, TunerDefinition } from '../../lib/wire/agent.ts';
import type {
  ClientLink,
  DeviceToken,
  FolderList,
  GuideStatus,
  Problem,
  ReceptionTest,
  ScanStatus,
  SearchResult,
  Settings,
  SharedStations,
  SystemFacts,
} from '../../lib/wire/api.ts';
import type { MqttState } from '../../lib/wire/mqtt.ts';
import { tunerOf } from '../tuner.ts';
import {
  answerBookings,
  type BookedProgram,
  type FakeBookings,
  markOf,
  newBookings,
} from './fake-bookings.ts';
import { type FakeGuide, guideStatus, guideWindow, programDetail, searchGuide } from './fake-guide.ts';
import {
  fakeAccess,
  fakeCard,
  fakeChannels,
  fakeDevices,
  fakeDeviceTokens,
  fakeReceptionTest,
  fakeSettings,
  fakeSystem,
  fakeTuners,
  NO_SCAN,
} from './fake-household.ts';
import { answerNotices, type FakeNotices, newNotices } from './fake-notices.ts';
import { answerRecordings, type FakeRecordings, newRecordings } from './fake-recordings.ts';
import { answerRules, type FakeRules, newRules } from './fake-rules.ts';

export interface HouseholdState {
  guide: FakeGuide;
  guideStatus: GuideStatus | undefined;
  sharedStations: SharedStations;
  tuners: Tuner[];
  channels: Channel[];
  scan: ScanStatus;
  devices: DetectedDevice[];
  card: Card;
  /** The response names the requested channel. */
  receptionTest: ReceptionTest;
  settings: Settings;
  system: SystemFacts;
  access: Access;
  deviceTokens: DeviceToken[];
  notices: FakeNotices;
  clientLinks: ClientLink[];
  mqtt: MqttState;
  search: SearchResult | undefined;
  bookings: FakeBookings;
  rules: FakeRules;
  recordings: FakeRecordings;
  /** Milliseconds before the response to a search, a part of the guide, or a change of the tuners. */
  delayMs: number;
  /** Responses that replace the normal one, by path below `api/`. */
  problems: Map<string, { readonly body: Problem; readonly status: number }>;
  /** Requests received: `GET guide`, `PUT settings {"theme":"dark"}`. */
  readonly asked: string[];
  /** Number of 304 responses. */
  unchanged: number;
}

export function newHousehold(guide: FakeGuide): HouseholdState {
  return {
    guide,
    guideStatus: undefined,
    sharedStations: [],
    tuners: fakeTuners(),
    channels: fakeChannels(),
    scan: NO_SCAN,
    devices: fakeDevices(),
    card: fakeCard(),
    receptionTest: fakeReceptionTest(),
    settings: fakeSettings(),
    system: fakeSystem(Date.now()),
    access: fakeAccess(Date.now()),
    deviceTokens: fakeDeviceTokens(Date.now()),
    notices: newNotices(),
    clientLinks: [],
    mqtt: {
      ...{ enabled: false, host: '', port: 1883, tls: false, user: '', prefix: 'homeassistant' },
      ...{ hasPassword: false, isConnected: false, last: null },
    },
    search: undefined,
    bookings: newBookings(),
    rules: newRules(),
    recordings: newRecordings(),
    delayMs: 0,
    problems: new Map(),
    asked: [],
    unchanged: 0,
  };
}

const DAY_MS = 86_400_000;
const NOT_FOUND: Problem = { message: '見つかりません', code: 'not_found' };

/** The tuners in the order of their definitions, disabled ones last and without a rank, as an agent keeps them. */
function definedTuners(tuners: readonly Tuner[], definitions: readonly TunerDefinition[]): Tuner[] {
  const known = new Map(tuners.map((tuner) => [tuner.id, tuner]));
  const defined = definitions.flatMap((definition) => {
    const tuner = known.get(definition.id ?? '');
    const { name = '', disabled = false, lnb = false } = definition;
    if (tuner !== undefined) return [{ ...tuner, name, disabled, lnb }];
    const { id = `new-${definition.device}`, ...rest } = definition;
    return [{ ...tunerOf([], { ...rest, id, name, disabled, lnb }) }];
  });
  return [...defined.filter(({ disabled }) => !disabled), ...defined.filter(({ disabled }) => disabled)].map(
    (tuner, rank) => ({ ...tuner, rank: tuner.disabled ? null : rank }),
  );
}

/** @returns undefined for a path of another part */
export async function answerHousehold(
  state: HouseholdState,
  path: string,
  request: Request,
  send: (event: string) => void,
): Promise<Response | undefined> {
  const name = path.replace(/^api\//u, '');
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  const body = changes ? await request.text() : '';
  state.asked.push(`${request.method} ${name}${body === '' ? '' : ` ${body}`}`);
  if (changes && request.headers.get('content-type') !== 'application/json') {
    return new Response('application/json で送ってください', { status: 403 });
  }
  const failing = state.problems.get(name);
  if (failing !== undefined) return Response.json(failing.body, { status: failing.status });
  const query = new URL(request.url).searchParams;
  switch (name) {
    case 'guide':
      return await guideAnswer(state, query, request);
    case 'guide/shared':
      return Response.json(state.sharedStations);
    case 'guide/status':
      return Response.json(state.guideStatus ?? guideStatus(state.guide, Date.now()));
    case 'guide/collect':
      return collect(state, request.method);
    case 'search':
      await Bun.sleep(state.delayMs);
      return Response.json(searchAnswer(state, query));
    case 'tuners':
      if (request.method === 'PUT') {
        await Bun.sleep(state.delayMs);
        state.tuners = definedTuners(state.tuners, JSON.parse(body) as TunerDefinition[]);
      }
      return Response.json(state.tuners);
    case 'channels':
      return Response.json(state.channels);
    case 'channels/test':
      return Response.json({ ...state.receptionTest, ...JSON.parse(body) });
    case 'devices':
      return Response.json({ devices: state.devices });
    case 'card':
      return Response.json(state.card);
    case 'scan':
      return scan(state, request.method, body);
    case 'folders': {
      const path = new URL(request.url).searchParams.get('path') ?? '/';
      const isMissing = path.startsWith('/mnt/') && FAKE_FOLDERS[path] === undefined;
      return isMissing ? Response.json(NOT_FOUND, { status: 404 }) : Response.json(foldersIn(path));
    }
    case 'settings':
      if (request.method === 'PUT') Object.assign(state.settings, JSON.parse(body));
      return Response.json(state.settings);
    case 'system':
      return Response.json(state.system);
    case 'access':
      return Response.json(state.access);
    case 'sessions/revoke-others': {
      const count = state.access.sessions.filter(({ current }) => !current).length;
      state.access.sessions = state.access.sessions.filter(({ current }) => current);
      return Response.json({ count });
    }
    case 'mqtt': {
      if (request.method !== 'PUT') return Response.json(state.mqtt);
      const { password, ...broker } = JSON.parse(body);
      const last = { at: wallMs(Date.now()), ok: true, message: '接続しています' };
      const hasPassword = state.mqtt.hasPassword || password !== undefined;
      state.mqtt = { ...broker, hasPassword, isConnected: true, last };
      return Response.json(state.mqtt);
    }
    case 'client-links':
      if (request.method === 'POST') {
        const link: ClientLink = {
          ...{ id: 1, name: JSON.parse(body).name, createdAt: wallMs(Date.now()), usedAt: null },
        };
        state.clientLinks = [link];
        return Response.json({ ...link, path: 'tv/AAAAAAAAAAAAAAAAAAAAAA' });
      }
      return Response.json({ links: state.clientLinks, mirakurunPort: 40_772, hdhomerunPort: null });
    case 'client-links/1':
      state.clientLinks = [];
      return new Response(null, { status: 204 });
    case 'device/tokens':
      return Response.json(state.deviceTokens);
    case 'licenses':
      return new Response(LICENSES, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  }
  const revoked = /^device\/tokens\/(\d+)$/u.exec(name)?.[1];
  if (revoked !== undefined && request.method === 'DELETE') {
    state.deviceTokens = state.deviceTokens.filter(({ id }) => id !== Number(revoked));
    return new Response(null, { status: 204 });
  }
  const noticed = answerNotices(state.notices, { method: request.method, name, body });
  if (noticed !== undefined) {
    if (changes && noticed.ok) send('notices');
    return noticed;
  }
  const booked = answerBookings(
    state.bookings,
    { method: request.method, name, body, query },
    { program: (id) => findProgram(state, id), airing: (id) => airingAt(state, id), now: Date.now() },
  );
  if (booked !== undefined) {
    if (changes && booked.ok) send('reservations');
    return booked;
  }
  const recorded = await answerRecordings(state.recordings, name, request, body);
  if (recorded !== undefined) return recorded;
  const ruled = await answerRules(state, { method: request.method, name, body, query });
  if (ruled !== undefined) {
    if (changes && ruled.ok && name !== 'rules/preview') send('rules');
    return ruled;
  }
  const program = /^programs\/(\d+)$/u.exec(name)?.[1];
  if (program === undefined) return undefined;
  const detail = programDetail(state.guide, Number(program) as ProgramId, Date.now());
  if (detail === undefined) return Response.json(NOT_FOUND, { status: 404 });
  return Response.json({ ...detail, reservation: markOf(state.bookings, detail.id) });
}

function findProgram({ guide }: HouseholdState, id: number): BookedProgram | undefined {
  const station = guide.stations.find((one) => one.id === Math.floor(id / 100_000));
  const now = Date.now();
  const span = { from: now - DAY_MS, to: now + guide.days * DAY_MS, type: station?.type ?? null };
  const column = guideWindow(guide, span, now).find(({ stationId }) => stationId === station?.id);
  const program = column?.programs.find((one) => one.id === id);
  return station === undefined || program === undefined ? undefined : { ...program, station };
}

/** According to the list of stations, which the live player uses. */
function airingAt({ guide }: HouseholdState, stationId: number): BookedProgram | undefined {
  const station = guide.stations.find(({ id }) => id === stationId);
  if (station?.now == null) return undefined;
  return { ...station.now, copyNever: false, station };
}

async function guideAnswer(
  state: HouseholdState,
  query: URLSearchParams,
  request: Request,
): Promise<Response> {
  await Bun.sleep(state.delayMs);
  const wish = { from: Number(query.get('from')), to: Number(query.get('to')), type: query.get('type') };
  const only = query.get('stationId');
  const columns = guideWindow(state.guide, wish, Date.now());
  const wanted = columns.filter(({ stationId }) => only === null || stationId === Number(only));
  const window = wanted.map((column) => ({
    ...column,
    programs: column.programs.map((program) => ({
      ...program,
      reservation: markOf(state.bookings, program.id),
    })),
  }));
  const text = JSON.stringify(window);
  const etag = `"${Bun.hash(text).toString(36)}"`;
  if (request.headers.get('if-none-match') === etag) {
    state.unchanged += 1;
    return new Response(null, { status: 304, headers: { etag } });
  }
  return new Response(text, { headers: { etag, 'content-type': 'application/json' } });
}

function collect(state: HouseholdState, method: string): Response {
  const status = state.guideStatus ?? guideStatus(state.guide, Date.now());
  state.guideStatus = { ...status, pressed: method === 'POST' };
  if (method === 'DELETE') return new Response(null, { status: 204 });
  return Response.json({ pressed: true, until: Date.now() + 60_000 });
}

function scan(state: HouseholdState, method: string, body: string): Response {
  if (method === 'POST') {
    state.scan = { ...NO_SCAN, ...JSON.parse(body), state: 'running', total: 50, startedAt: Date.now() };
  }
  if (method === 'DELETE') state.scan = { ...state.scan, state: 'aborted', endedAt: wallMs(Date.now()) };
  return Response.json(state.scan);
}

/** The rows that a test has prepared (used once), otherwise those of the guide. */
function searchAnswer({ search, guide, bookings }: HouseholdState, query: URLSearchParams): SearchResult {
  const page = { limit: Number(query.get('limit') ?? 4), offset: Number(query.get('offset') ?? 0) };
  if (search === undefined) {
    const found = searchGuide(guide, query.get('q') ?? '', page, Date.now());
    const rows = found.programs.rows.map((row) => ({
      ...row,
      reservation_state: markOf(bookings, row.id)?.state ?? null,
    }));
    return { ...found, programs: { ...found.programs, rows } };
  }
  const nothing = { more: false, rows: [] };
  if (page.offset === 0) return search;
  return { q: search.q, programs: nothing, recordings: nothing, reservations: nothing, rules: nothing };
}

const FAKE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '/': ['mnt', 'srv'],
  '/mnt': ['disk2', 'usb'],
  '/mnt/disk2': ['recordings'],
  '/mnt/usb': [],
};

function foldersIn(path: string): FolderList {
  const parent = path === '/' ? null : path.slice(0, Math.max(1, path.lastIndexOf('/')));
  const within = path === '/' ? '' : path;
  const folders = (FAKE_FOLDERS[path] ?? []).map((name) => ({ name, path: `${within}/${name}` }));
  return { path, parent, folders, more: false };
}
