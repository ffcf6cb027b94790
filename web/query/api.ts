/**
 * Calls to the service. Addresses are relative to the document's base, so the UI works under any path prefix.
 * Failures are values of one type, never a thrown string; what the server sends is typed by `lib/wire`.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { AnyTunerDefinition, Tuner } from '../../lib/wire/agent.ts';
import type {
  CreatedClientLink,
  DeviceToken,
  FolderList,
  GuideCollect,
  GuideWindow,
  Health,
  LiveCodec,
  LiveQuality,
  Problem,
  ProblemCode,
  ReceptionTest,
  ReceptionTestRequest,
  RecordAnswer,
  ReservationItem,
  ReservationRequest,
  RuleBody,
  RuleItem,
  RulePreview,
  ScanRequest,
  SearchResult,
  SearchSection,
  Settings,
  Station,
  Status,
  SystemFacts,
} from '../../lib/wire/api.ts';
import type { ReservationId, RuleId } from '../../lib/wire/ids.ts';
import type { MqttBroker, MqttState } from '../../lib/wire/mqtt.ts';
import { SEARCH_LIMIT } from '../../lib/wire/vocabulary.ts';
import { takeFirstAnswer } from '../device/first-answers.ts';

/** Failures besides the service's own codes. */
export type FailureCode =
  | ProblemCode
  | 'network'
  | 'interrupted'
  | 'timeout'
  | 'unauthorized'
  | 'unsupported'
  | 'raw_fallback'
  | 'decode'
  // The live socket's own.
  | 'suspended'
  | 'encoder_failed'
  | 'bad_message'
  // The connection could not be made, though the service answers.
  | 'no_socket';

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly status: number = 0,
    /** The field at fault, where the service names one. */
    readonly path: string | undefined = undefined,
  ) {
    super(message);
  }
}

const TIMEOUT_MS = 15_000;

function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  return 'message' in value && typeof value.message === 'string' && 'code' in value;
}

/** The failure that an answer of status 400 and above describes. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    body = undefined;
  }
  if (isProblem(body)) return new ApiFailure(body.code, body.message, response.status, body.path);
  if (response.status === 401) {
    return new ApiFailure(
      'unauthorized',
      'ログインの期限が切れたか、許可されたネットワークの外にいます。',
      response.status,
    );
  }
  if (response.status === 404) {
    return new ApiFailure('not_found', '見つかりませんでした。', response.status);
  }
  return new ApiFailure('internal', `サーバーがエラーを返しました（${response.status}）。`, response.status);
}

/** The failure of a request: as it is, or what `fetch` throws as one; an abort by the caller stays what it is. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('network', 'サーバーに接続できませんでした。');
}

/** The address of something of the service, under whatever path prefix it was opened. @param base address of the UI */
export function addressOf(path: string, base: string = document.baseURI): URL {
  return new URL(path, base);
}

interface Sending {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** One exchange within a time limit; `read` runs under it too. @throws ApiFailure, or the abort of `signal` */
export async function exchange<T>(
  path: string | URL,
  { method = 'GET', body, headers = {}, signal }: Sending,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, TIMEOUT_MS);
  const passOn = (): void => controller.abort();
  signal?.addEventListener('abort', passOn);
  if (signal?.aborted) controller.abort();
  // The service takes changes only with this type: a form of another site cannot send it.
  const typed = method === 'GET' ? {} : { 'content-type': 'application/json' };
  try {
    const url = typeof path === 'string' ? addressOf(path) : path;
    const first = method === 'GET' ? takeFirstAnswer(url) : undefined;
    const response = await (first ??
      fetch(url, {
        method,
        signal: controller.signal,
        headers: { accept: 'application/json', ...typed, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }));
    controller.signal.throwIfAborted();
    if (!response.ok && response.status !== 304) throw await failureOf(response);
    return await read(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    if (timedOut) throw new ApiFailure('timeout', 'サーバーから応答がありません。');
    throw asFailure(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

export const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;
export const nothing = async (response: Response): Promise<void> => {
  await response.body?.cancel();
};

/** GET of a JSON resource. @throws ApiFailure, or the abort of `signal` */
const get = <T>(path: string | URL, signal?: AbortSignal): Promise<T> => exchange<T>(path, { signal }, json);

export const getHealth = (signal?: AbortSignal): Promise<Health> => get('api/health', signal);

/** Notices of everything that the programs contain, plain text. */
export const getLicenses = (signal?: AbortSignal): Promise<string> =>
  exchange('api/licenses', { signal, headers: { accept: 'text/plain' } }, (response) => response.text());

/** Undefined when this service does not tell. */
export async function getStatus(signal?: AbortSignal): Promise<Status | undefined> {
  try {
    return await get<Status>('api/status', signal);
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}

/** Whether the service answers that this device is not let in; undefined: it does not answer within the limit. */
export async function isRefused(limitMs: number): Promise<boolean | undefined> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limitMs);
  try {
    const { signal } = controller;
    return (await fetch(addressOf('api/access'), { method: 'HEAD', signal })).status === 401;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

export function eventsUrl(): URL {
  return addressOf('api/events');
}

/**
 * For one connection to the live socket, within 30 s.
 * @param base address of the UI, which a worker does not know @throws ApiFailure, or the abort of `signal`
 */
export async function liveSocketUrl(base: string, signal: AbortSignal): Promise<URL> {
  const asked = addressOf('api/live/ticket', base);
  const { ticket } = await exchange<{ ticket: string }>(asked, { method: 'POST', signal }, json);
  const url = addressOf('api/live/socket', base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.searchParams.set('ticket', ticket);
  return url;
}

export function liveUrl(
  stationId: StationId,
  codec: LiveCodec,
  audio: string | undefined,
  quality: LiveQuality,
): URL {
  const url = addressOf(`api/services/${stationId}/live`);
  url.searchParams.set('codec', codec);
  if (codec !== 'raw') url.searchParams.set('quality', quality);
  if (audio !== undefined) url.searchParams.set('audio', audio);
  return url;
}

/** Result of a conditional GET: new content with its ETag, or unchanged. */
export type Renewed<T> = { readonly content: T; readonly etag: string | null } | 'unchanged';

/** A conditional GET, which returns nothing if the cached content is current. */
export function renewed<T>(
  path: string | URL,
  etag: string | null,
  signal: AbortSignal,
): Promise<Renewed<T>> {
  const headers = etag === null ? {} : { 'if-none-match': etag };
  return exchange<Renewed<T>>(path, { headers, signal }, async (response) => {
    if (response.status === 304) return 'unchanged';
    return { content: await json<T>(response), etag: response.headers.get('etag') };
  });
}

export interface GuideQuestion {
  readonly type: Station['type'];
  readonly from: BroadcastMs;
  readonly to: BroadcastMs;
}

/** @param etag of the content that is here already, or null */
export function getGuide(
  { type, from, to }: GuideQuestion,
  etag: string | null,
  signal: AbortSignal,
): Promise<Renewed<GuideWindow>> {
  const url = addressOf('api/guide');
  url.searchParams.set('from', String(from));
  url.searchParams.set('to', String(to));
  url.searchParams.set('type', type);
  return renewed<GuideWindow>(url, etag, signal);
}

/** @param rest paging of one section, from the given row */
export function getSearch(
  q: string,
  signal: AbortSignal,
  rest?: { section: SearchSection; offset: number },
): Promise<SearchResult> {
  const url = addressOf('api/search');
  url.searchParams.set('q', q);
  url.searchParams.set('limit', String(SEARCH_LIMIT.maximum));
  if (rest !== undefined) {
    url.searchParams.set('section', rest.section);
    url.searchParams.set('offset', String(rest.offset));
  }
  return get(url, signal);
}

/** Replaces the definitions of all tuners, in the order in which they are used; gives them as they are now. */
export const putTuners = (tuners: readonly AnyTunerDefinition[]): Promise<Tuner[]> =>
  exchange<Tuner[]>('api/tuners', { method: 'PUT', body: tuners }, json);
/** Takes up to 10 s. */
export const testReception = (body: ReceptionTestRequest): Promise<ReceptionTest> =>
  exchange<ReceptionTest>('api/channels/test', { method: 'POST', body }, json);
export const startScan = (body: ScanRequest): Promise<void> =>
  exchange('api/scan', { method: 'POST', body }, nothing);
export const abortScan = (): Promise<void> => exchange('api/scan', { method: 'DELETE' }, nothing);

/** Presses 'collect now' for a minute more. */
export const pressCollect = (signal?: AbortSignal): Promise<GuideCollect> =>
  exchange<GuideCollect>('api/guide/collect', { method: 'POST', signal }, json);
export const releaseCollect = (): Promise<void> =>
  exchange('api/guide/collect', { method: 'DELETE' }, nothing);

/** A service older or newer than this page may lack some keys. */
export type KnownSettings = Partial<Settings>;

/** Merges the changes; returns the settings in force afterwards. */
export const putSettings = (changes: KnownSettings): Promise<KnownSettings> =>
  exchange<KnownSettings>('api/settings', { method: 'PUT', body: changes }, json);
export const getSystem = (signal?: AbortSignal): Promise<SystemFacts> => get('api/system', signal);

/** Whether nothing is at this path of the server; false also where that cannot be told. */
export async function isFolderMissing(path: string): Promise<boolean> {
  try {
    await get<FolderList>(`api/folders?path=${encodeURIComponent(path)}`);
    return false;
  } catch (error) {
    return error instanceof ApiFailure && error.code === 'not_found';
  }
}

/** A part of a list of reservations: what ends after `from`, at most `limit` of them. */
interface ReservationPart {
  readonly from: BroadcastMs;
  /** Reservations that begin before this, epoch ms. */
  readonly to?: BroadcastMs;
  readonly state?: 'conflict';
  readonly limit?: number;
}

/** @param done lists settled reservations of the last two weeks (including cancelled ones) instead of the others */
function reservationsUrl(done: boolean, part?: ReservationPart): URL {
  const url = addressOf('api/reservations');
  if (done) url.searchParams.set('completed', '1');
  if (part !== undefined) {
    if (Number.isFinite(part.from)) url.searchParams.set('from', String(part.from));
    if (part.to !== undefined && Number.isFinite(part.to)) url.searchParams.set('to', String(part.to));
    if (part.state !== undefined) url.searchParams.set('state', part.state);
    if (part.limit !== undefined) url.searchParams.set('limit', String(part.limit));
  }
  return url;
}
export const getReservations = (
  done: boolean,
  signal?: AbortSignal,
  part?: ReservationPart,
): Promise<ReservationItem[]> => get(reservationsUrl(done, part), signal);
/** @param etag of the list that is here already, or null */
export const renewReservations = (
  done: boolean,
  etag: string | null,
  signal: AbortSignal,
  part: ReservationPart,
): Promise<Renewed<ReservationItem[]>> =>
  renewed<ReservationItem[]>(reservationsUrl(done, part), etag, signal);
/** Books by hand; of a programme that is booked already, gives its reservation. */
export const bookProgram = (body: ReservationRequest): Promise<ReservationItem> =>
  exchange<ReservationItem>('api/reservations', { method: 'POST', body }, json);
/** For a recording in progress: stops it and keeps what was recorded. */
export const cancelReservation = (id: ReservationId): Promise<void> =>
  exchange(`api/reservations/${id}`, { method: 'DELETE' }, nothing);
export const restoreReservation = (id: ReservationId): Promise<void> =>
  exchange(`api/reservations/${id}/restore`, { method: 'POST' }, nothing);
export const recordStation = (id: StationId): Promise<RecordAnswer> =>
  exchange<RecordAnswer>(`api/services/${id}/record`, { method: 'POST' }, json);

export const getRule = (id: RuleId, signal?: AbortSignal): Promise<RuleItem> =>
  get(`api/rules/${id}`, signal);
export const createRule = (body: RuleBody): Promise<RuleItem> =>
  exchange<RuleItem>('api/rules', { method: 'POST', body }, json);
export const replaceRule = (id: RuleId, body: RuleBody): Promise<RuleItem> =>
  exchange<RuleItem>(`api/rules/${id}`, { method: 'PUT', body }, json);
export const deleteRule = (id: RuleId): Promise<void> =>
  exchange(`api/rules/${id}`, { method: 'DELETE' }, nothing);
/** @param ruleId the rule that the body is to replace; undefined for a new one */
export const previewRule = (
  body: RuleBody,
  ruleId: RuleId | undefined,
  signal?: AbortSignal,
): Promise<RulePreview> => {
  const url = addressOf('api/rules/preview');
  if (ruleId !== undefined) url.searchParams.set('ruleId', String(ruleId));
  return exchange<RulePreview>(url, { method: 'POST', body, signal }, json);
};

/** Ends the session of this browser; the identity provider's session continues. */
export const logout = (): Promise<void> => exchange('logout', { method: 'POST' }, nothing);
/** Ends every login session but this one. */
export const logoutOthers = (): Promise<{ count: number }> =>
  exchange<{ count: number }>('api/sessions/revoke-others', { method: 'POST' }, json);
/** A device that was revoked before stays so. */
export const getDeviceTokens = (signal?: AbortSignal): Promise<DeviceToken[]> =>
  get('api/device/tokens', signal);
export const createClientLink = (name: string): Promise<CreatedClientLink> =>
  exchange<CreatedClientLink>('api/client-links', { method: 'POST', body: { name } }, json);
export const revokeClientLink = (id: number): Promise<void> =>
  exchange(`api/client-links/${id}`, { method: 'DELETE' }, nothing);
export const putMqtt = (body: MqttBroker): Promise<MqttState> =>
  exchange<MqttState>('api/mqtt', { method: 'PUT', body }, json);
export const revokeDevice = (id: number): Promise<void> =>
  exchange(`api/device/tokens/${id}`, { method: 'DELETE' }, nothing);
