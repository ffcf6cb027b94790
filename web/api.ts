/**
 * Calls to the service. Addresses are relative to the document's base, so the UI works under any path prefix.
 * Failures are values of one type, never a thrown string; what the server sends is typed by `wire`.
 */
import type { Health, Problem, ProblemCode, Station, Status } from '../wire/api.ts';

/** What can go wrong besides the service's own codes. */
export type FailureCode =
  | ProblemCode
  | 'network'
  | 'interrupted'
  | 'timeout'
  | 'unauthorized'
  | 'unsupported'
  | 'decode';

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly status: number = 0,
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
  if (isProblem(body)) return new ApiFailure(body.code, body.message, response.status);
  if (response.status === 401) {
    return new ApiFailure('unauthorized', 'ログインが必要です。', response.status);
  }
  if (response.status === 404) {
    return new ApiFailure('not_found', '見つかりませんでした。', response.status);
  }
  return new ApiFailure('internal', `サーバーがエラーを返しました（${response.status}）。`, response.status);
}

/** Turns what `fetch` throws into a failure; an abort by the caller stays what it is. */
export function networkFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('network', 'サーバーに接続できませんでした。');
}

/** The address of something of the service, under whatever path prefix it was opened. */
function addressOf(path: string): URL {
  return new URL(path, document.baseURI);
}

/** GET of a JSON resource. @throws ApiFailure, or the abort of `signal` */
async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, TIMEOUT_MS);
  const passOn = (): void => controller.abort();
  signal?.addEventListener('abort', passOn);
  try {
    const response = await fetch(addressOf(path), {
      signal: controller.signal,
      headers: { accept: 'application/json' },
    });
    if (!response.ok) throw await failureOf(response);
    return (await response.json()) as T;
  } catch (error) {
    if (signal?.aborted) throw error;
    if (timedOut) throw new ApiFailure('timeout', 'サーバーからの返事がありません。');
    throw networkFailure(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

export const getStations = (signal?: AbortSignal): Promise<Station[]> => get('api/services', signal);
export const getHealth = (signal?: AbortSignal): Promise<Health> => get('api/health', signal);

/** Undefined when this service does not tell. */
export async function getStatus(signal?: AbortSignal): Promise<Status | undefined> {
  try {
    return await get<Status>('api/status', signal);
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}

export function eventsUrl(): URL {
  return addressOf('api/events');
}

export function liveUrl(stationId: number, codec: 'h264' | 'av1', audio: string | undefined): URL {
  const url = addressOf(`api/services/${stationId}/live`);
  url.searchParams.set('codec', codec);
  if (audio !== undefined) url.searchParams.set('audio', audio);
  return url;
}
