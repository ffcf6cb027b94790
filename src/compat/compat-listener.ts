/**
 * The listener of interfaces for programs that send no credentials (Mirakurun, HDHomeRun): only trusted networks, no
 * pages of other sites. Responses of such programs' servers differ from ours in paths and shapes, so each has a port of
 * its own.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type AllowedHosts, CORP_HEADER, checkHost, mayBeForeignLoad } from '../../lib/host/host-check.ts';
import type { Log } from '../../lib/host/log.ts';
import { VERSION } from '../../lib/host/version.ts';
import { LENGTH_HEADER, NO_LENGTH } from '../http/route/stream-response.ts';

const gzipAsync = promisify(gzip);

/** KonomiTV expects a name and a version, separated by a slash. */
const SERVER = `svc/${VERSION} (Mirakurun/4.1 compatible)`;
/** Bodies are read and ignored: no request of these interfaces has one. */
const MAX_BODY_BYTES = 64 * 1024;
/** Below it the saving is one or two packets. */
const MIN_GZIP_BYTES = 4096;
/** 20 MB of programmes: 0.15 s of a thread of the pool, to an eighth. */
const GZIP_LEVEL = 1;
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export interface CompatCall {
  readonly request: Request;
  readonly url: URL;
  /** Path without repeated and final slashes. */
  readonly path: string;
  /** Name of the client's connection: `address:port`, of a Unix socket `unix:<number>`. */
  readonly clientId: string;
  /** The address that the client used for this server, without a final slash. */
  readonly base: string;
}

export type CompatHandler = (call: CompatCall) => Response | Promise<Response>;

interface CompatListenerOptions {
  /** Port (0: one that is free) with its address (null: all), or path of a Unix socket. */
  readonly at: { readonly host: string | null; readonly port: number } | { readonly socket: string };
  /** Whether a client is let in. @param peer the socket's address @param forwardedFor the header of that name */
  readonly isTrusted: (peer: string | undefined, forwardedFor: string | null) => boolean;
  readonly allowedHosts: AllowedHosts;
  readonly handler: CompatHandler;
  /** Error body of the interface. */
  readonly refusal: (status: number, reason: string) => Response;
  readonly log: Log;
}

export interface CompatListener {
  /** 0: a Unix socket. */
  readonly port: number;
  stopListening(): void;
  close(): Promise<void>;
}

interface Context {
  requestIP(request: Request): { address: string; port: number } | null;
  timeout(request: Request, seconds: number): void;
}

/** A page of another site, or one whose name was pointed at this machine (`lib/host/host-check.ts`). */
function foreignOf({ headers }: Request, allowedHosts: AllowedHosts): 403 | 421 | undefined {
  const host = headers.get('host');
  if (headers.get('sec-fetch-site') === 'cross-site') return 403;
  for (const page of [headers.get('origin'), headers.get('referer')]) {
    const origin = page === null ? null : (URL.parse(page)?.origin ?? 'null');
    const verdict = checkHost({ host, origin, forwardedHost: null }, allowedHosts);
    if (verdict === 'foreign_host') return 421;
    if (verdict === 'foreign_origin') return 403;
  }
  return undefined;
}

/**
 * For requests that tune: whether a page of another site may have caused it. Some players name a browser in their
 * User-Agent (Jellyfin), but only browsers say which languages they prefer.
 */
export function isForeignLoad({ headers }: Request): boolean {
  const names = { host: headers.get('host'), origin: headers.get('origin'), forwardedHost: null };
  return headers.has('accept-language') && mayBeForeignLoad(names, headers);
}

/** HEAD of an endless stream. */
export function headOf(contentType: string): Response {
  return new Response(null, { headers: { 'content-type': contentType, [LENGTH_HEADER]: NO_LENGTH } });
}

/** The response with the length that its header asks for; for HEAD the runtime sets one for every body but a stream. */
function withLength(given: Response): Response {
  const { headers, status } = given;
  const length = headers.get(LENGTH_HEADER);
  if (length === null) return given;
  headers.delete(LENGTH_HEADER);
  if (length !== NO_LENGTH) {
    headers.set('content-length', length);
    return given;
  }
  return new Response(new ReadableStream({ pull: () => {} }, { highWaterMark: 0 }), { status, headers });
}

export function wantsGzip(request: Request): boolean {
  return request.method !== 'HEAD' && GZIP.test(request.headers.get('accept-encoding') ?? '');
}

/** Text with a Content-Length, compressed for clients that accept it. */
export async function textAnswer(
  request: Request,
  contentType: string,
  text: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const headers = { 'content-type': contentType, vary: 'accept-encoding' };
  if (bytes.length < MIN_GZIP_BYTES || !wantsGzip(request)) return new Response(bytes, { headers });
  const packed = new Uint8Array(await gzipAsync(bytes, { level: GZIP_LEVEL }));
  return new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(request: Request, value: unknown): Promise<Response> {
  return textAnswer(request, JSON_TYPE, JSON.stringify(value));
}

/** @throws the runtime's error if it cannot listen there */
export function startCompatListener(options: CompatListenerOptions): CompatListener {
  const { at, isTrusted, allowedHosts, handler, refusal, log } = options;
  const isSocket = 'socket' in at;
  let connections = 0;

  const answer = async (request: Request, server: Context): Promise<Response> => {
    // A program may be silent for as long as a programme is waited for.
    server.timeout(request, 0);
    // Clients of HTTP/1.0 send no Host, and the runtime then provides only the path.
    const url = URL.parse(request.url, 'http://localhost');
    if (url === null) return refusal(400, 'Bad Request');
    const peer = isSocket ? undefined : server.requestIP(request);
    if (!isSocket && !isTrusted(peer?.address, request.headers.get('x-forwarded-for')))
      return refusal(403, 'Forbidden');
    const foreign = isSocket ? undefined : foreignOf(request, allowedHosts);
    if (foreign !== undefined) return refusal(foreign, foreign === 421 ? 'Misdirected Request' : 'Forbidden');
    connections += 1;
    const clientId = isSocket ? `unix:${connections}` : `${peer?.address}:${peer?.port}`;
    const path = url.pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
    return await handler({ request, url, path, clientId, base: url.origin });
  };

  const fetch = async (request: Request, server: Context): Promise<Response> => {
    let response: Response;
    try {
      response = await answer(request, server);
    } catch (error) {
      if (!request.signal.aborted)
        log.error('request failed', {
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      response = refusal(500, 'Internal Server Error');
    }
    response = withLength(response);
    const { headers } = response;
    headers.set('server', SERVER);
    headers.set('x-content-type-options', 'nosniff');
    headers.set(CORP_HEADER.name, CORP_HEADER.value);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    return response;
  };

  const common = { development: false, fetch, maxRequestBodySize: MAX_BODY_BYTES } as const;
  const listen = (hostname: string, port: number) =>
    Bun.serve({ ...common, hostname, port, reusePort: false, idleTimeout: 255 });
  const begin = () => {
    if ('socket' in at) return Bun.serve({ ...common, unix: at.socket });
    if (at.host !== null) return listen(at.host, at.port);
    try {
      return listen('::', at.port);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' || code === 'EACCES') throw error;
      // The machine has no IPv6.
      return listen('0.0.0.0', at.port);
    }
  };
  const server = begin();
  return {
    port: server.port ?? 0,
    stopListening: () => void server.stop(false),
    close: () => server.stop(true),
  };
}

export type PathValues = Readonly<Record<string, string>>;

/**
 * Paths with parameters in braces, as Swagger writes them, and their match.
 * @param template `/channels/{type}/{channel}` @returns the values of its parameters; undefined: another path
 */
export function matchPath(template: string, path: string): PathValues | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== text) return undefined;
      continue;
    }
    if (text === '') return undefined;
    try {
      values[name] = decodeURIComponent(text);
    } catch {
      return undefined;
    }
  }
  return values;
}
