/** The one table from failures to HTTP answers. */
import type { Problem, ProblemCode } from '../../../lib/wire/api.ts';
import { Failure } from '../../model/failure.ts';

const STATUS_OF: Readonly<Record<ProblemCode, number>> = {
  bad_request: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  busy: 503,
  no_tuner: 503,
  no_signal: 503,
  agent_unavailable: 503,
  agent_misconfigured: 503,
  card_unavailable: 503,
  not_subscribed: 503,
  ffmpeg_unavailable: 503,
  peer_failed: 502,
  copy_never: 400,
  ended: 400,
  internal: 500,
};

/** A full queue or a held lock is usually over soon; a client that comes back at once would only add load. */
const BUSY_RETRY_S = 5;

interface ProblemOptions {
  /** For cases in which the code's own status is too general (405, 413). */
  status?: number;
  path?: string;
  headers?: Record<string, string>;
}

export function problem(code: ProblemCode, message: string, options: ProblemOptions = {}): Response {
  const body: Problem = { message, code, ...(options.path === undefined ? {} : { path: options.path }) };
  const retry = code === 'busy' ? { 'retry-after': String(BUSY_RETRY_S) } : {};
  return Response.json(body, {
    status: options.status ?? STATUS_OF[code],
    headers: { 'cache-control': 'no-store', ...retry, ...options.headers },
  });
}

/** The response for a failure; undefined for errors that are not failures: those are bugs, to be logged. */
export function failureResponse(error: unknown): Response | undefined {
  if (!(error instanceof Failure)) return undefined;
  const { path } = error.options;
  return problem(error.code, error.message, path === undefined ? {} : { path });
}

export function internalProblem(): Response {
  return problem('internal', 'サーバーの内部でエラーが起きました。ログを確認してください。');
}
