/**
 * The outer server. Every request passes, in this order: the check of Host, Origin and site, its address, the one
 * access decision, the guards; only then is it dispatched to the API, the screens or the files of the UI. No route
 * bypasses this; the runtime's static routes would, and are not used.
 */
import http from 'node:http';
import {
  type AllowedHosts,
  checkHost,
  type HostHeaders,
  isCrossSiteLoad,
  isFromOwnPage,
  mayBeForeignLoad,
  openedHost,
} from '../../lib/host/host-check.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Networks } from '../../lib/host/networks.ts';
import { type AccessDecision, type AccessPolicy, decideAccess, isBeyondTokens } from '../access/access.ts';
import { clientAddress, forwardedHost, pathPrefix } from '../access/client-address.ts';
import type { Requester } from '../model/requester.ts';
import type { Assets } from './assets.ts';
import { JsonCompression } from './compression.ts';
import { bodyLimit, bodyTooSlow, type RequestBody, readBody, refuseRequest } from './guards.ts';
import { addSecurityHeaders } from './headers.ts';
import { isEndless, OpenStreams } from './open-streams.ts';
import {
  foreignHostPage,
  isScreen,
  loginNeededPage,
  screensMissingPage,
  screenWithoutSlash,
  unauthorizedPage,
} from './pages.ts';
import { type OpenSources, sourceOf } from './route/open-sources.ts';
import { internalProblem, problem } from './route/problems.ts';
import { BASE_HEADER, setRequester } from './route/request.ts';
import { PEER_PATHS, type SocketEndpoint, type TvPaths } from './route/server-interfaces.ts';
import { type SocketData, socketHandlers } from './sockets.ts';
import { readTls, type Tls, type TlsPaths, TlsWatch } from './tls-files.ts';

/** Passes the client's address to the inner application; a header sent by the client is overwritten. */
const REMOTE_HEADER = 'x-svc-remote';
const REALM = 'svc';
const FOREIGN_HOST =
  'このホスト名では利用できません。サーバーの環境変数 ALLOWED_HOSTS にこの名前を加えてください。';
const FOREIGN_SITE = '他のサイトのページからは利用できません。';
const FOREIGN_MEDIA =
  'このサービスの画面からの要求だと確認できないため、再生できません。画面から開くか、再生ソフトで開いてください。';
const NOT_OWN_PAGE = 'データ放送の通信は、このサービスの画面からだけ利用できます。';
/** Limit of addresses for which a warning is logged. */
const MAX_WARNED = 16;
const INNER_ORIGIN = 'http://svc.internal';

/**
 * Media over HTTP: each request may occupy a tuner, an encoder or a disk, whether or not a page can read the response.
 */
const MEDIA =
  /^\/api\/(?:stills|services\/[^/]+\/(?:live|captions|still)|recordings\/[^/]+\/(?:file|stream|chase|captions|databroadcast|poster|previews(?:\/.*)?))$/;

/**
 * An idle connection is ended after this. Media is exempt once it flows: the live feature has its own limits. The
 * event stream is not exempt: its ping comes every 25 s, so only a client that reads nothing is idle.
 */
const IDLE_TIMEOUT_S = 120;

/** The runtime would refuse with a bare 413: the service limits bodies itself, with an explanation (`guards.ts`). */
const RUNTIME_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * Address and headers of a request. A search of 10,000 letters, each sent as `%E3%81%82`, is truncated and answered,
 * instead of a bare 431 by the runtime; its own limit is 16 KB.
 */
const MAX_HEADER_BYTES = 160 * 1024;

const TLS_CHECK_MS = 10_000;

interface HttpOptions {
  /** null = every address, IPv6 and IPv4. */
  host: string | null;
  /** 0 = any free port. */
  port: number;
  tls: TlsPaths | null;
  /** Interval of checking for a renewed certificate, ms. */
  tlsCheckMs?: number;
  access: AccessPolicy;
  trustedProxies: Networks;
  allowedHosts: AllowedHosts;
  assets: Assets;
  /** The inner application. */
  api: (request: Request) => Response | Promise<Response>;
  /** Paths outside `/api` that the inner application handles, for every method. */
  innerPaths: ReadonlySet<string>;
  /** Paths for television software. */
  tv?: TvPaths | undefined;
  /** Handled before the access decision: its handshake has its own ticket. */
  socket?: SocketEndpoint | undefined;
  /** Streams are counted for their clients. */
  sources?: OpenSources | undefined;
  /** Whether the session or token that let the client in is still valid. */
  isLetIn: (requester: Requester) => boolean;
  log: Log;
}

export interface HttpServer {
  readonly port: number;
  /** An address of this machine at which it responds. */
  readonly url: string;
  /** Sessions or tokens changed: ends streams of clients that would no longer be let in. */
  review(): void;
  /** Stops accepting requests; running responses may finish. */
  stopListening(): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The part of the runtime's server that a request needs. */
interface RequestContext {
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
  upgrade(request: Request, options: { data: SocketData }): boolean;
}

/** 'upgraded': answered by a socket handshake, which the runtime sends itself. */
type Answer = Response | 'upgraded';

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
const BAD_TICKET =
  '視聴の接続に使うチケットが正しくないか、期限が切れています。\nThe ticket is unknown, used or older than 30 s.\n';

/** RFC 6455, 4.2.1. */
function isUpgrade(request: Request): boolean {
  return request.method === 'GET' && request.headers.get('upgrade')?.toLowerCase() === 'websocket';
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

/** The server's own pages, some of which are for clients without access, use the UI's fonts. */
function assetOf(path: string): string {
  return path.replace(/^\/(?:login\/(?=fonts[./]))?/, '');
}

function wantsHtml(request: Request, path: string): boolean {
  return !isApi(path) && (request.headers.get('accept') ?? '').includes('text/html');
}

/** A page opened without credentials redirects to the login, and from there back. */
function loginRedirect({ pathname, search }: URL, prefix: string): Response {
  const to = pathname.slice(1) + search;
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const location = `${prefix}/login${query}`;
  return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
}

interface Refusal {
  request: Request;
  url: URL;
  /** The client's address, if known. */
  address: string;
  prefix: string;
  hasLogin: boolean;
}

function refuse(
  decision: Exclude<AccessDecision, { kind: 'allow' }>,
  { request, url, address, prefix, hasLogin }: Refusal,
): Response {
  switch (decision.kind) {
    case 'forbidden':
      return new Response(decision.reason, {
        status: 403,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      });
    case 'invalid_token':
      return Response.json(
        { error: 'invalid_token' },
        {
          status: 401,
          headers: { 'www-authenticate': 'Bearer error="invalid_token"', 'cache-control': 'no-store' },
        },
      );
    case 'unauthorized': {
      const challenge = { 'www-authenticate': `Bearer realm="${REALM}"` };
      if (wantsHtml(request, url.pathname)) {
        const isReading = request.method === 'GET' || request.method === 'HEAD';
        if (hasLogin) return isReading ? loginRedirect(url, prefix) : loginNeededPage(prefix, challenge);
        return unauthorizedPage(address, prefix, challenge);
      }
      return Response.json(
        { error: 'unauthorized' },
        { status: 401, headers: { ...challenge, 'cache-control': 'no-store' } },
      );
    }
  }
}

function hostHeaders(headers: Headers, peer: string | undefined, trustedProxies: Networks): HostHeaders {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    forwardedHost: forwardedHost(peer, headers.get('x-forwarded-host'), trustedProxies),
  };
}

/** Refuses requests of pages of another site, also if its name was pointed at this machine (`lib/host/host-check.ts`). */
function refuseForeign(
  { allowedHosts, trustedProxies }: Pick<HttpOptions, 'allowedHosts' | 'trustedProxies'>,
  request: Request,
  path: string,
  peer: string | undefined,
): Response | undefined {
  const { headers, method } = request;
  const names = hostHeaders(headers, peer, trustedProxies);
  switch (checkHost(names, allowedHosts)) {
    case 'foreign_host':
      if (wantsHtml(request, path)) return foreignHostPage(openedHost(names));
      return problem('bad_request', FOREIGN_HOST, { status: 421 });
    case 'foreign_origin':
      return problem('bad_request', FOREIGN_SITE, { status: 403 });
    case 'ok': {
      const isPage = isScreen(path) || screenWithoutSlash(path) !== undefined || path.startsWith('/login');
      if (isCrossSiteLoad(method, headers, isPage))
        return problem('bad_request', FOREIGN_SITE, { status: 403 });
      if (MEDIA.test(path) && mayBeForeignLoad(names, headers))
        return problem('bad_request', FOREIGN_MEDIA, { status: 403 });
      return undefined;
    }
  }
}

/** Media may pause for long (a paused viewer, a silent broadcast) and must not time out. */
function isMedia(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.body !== null && /^(?:(?:video|audio)\/|application\/x-ndjson)/.test(type);
}

/**
 * The address under which the client opened the service. The scheme header is accepted from any peer: it only affects
 * that peer's own response.
 */
function baseOf(
  { tls, trustedProxies }: Pick<HttpOptions, 'tls' | 'trustedProxies'>,
  { headers }: Request,
  url: URL,
  peer: string | undefined,
): string {
  const isHttps = tls !== null || headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
  const host = openedHost(hostHeaders(headers, peer, trustedProxies)) || url.host;
  const prefix = pathPrefix(peer, headers.get('x-forwarded-prefix'), trustedProxies);
  return URL.parse(`${isHttps ? 'https' : 'http'}://${host}${prefix}/`)?.href ?? `${url.origin}/`;
}

/**
 * The request for the inner application: the path that was decided on, with one fixed origin (its router cuts the
 * address by counting characters, which fails for https and for short host names), the client's address, the address
 * that it opened, and the same abort signal.
 */
function handInwards(
  request: Request,
  body: RequestBody,
  url: URL,
  requester: Requester,
  base: string,
): Request {
  const headers = new Headers(request.headers);
  headers.set(REMOTE_HEADER, requester.address);
  headers.set(BASE_HEADER, base);
  const inner = new Request(`${INNER_ORIGIN}${url.pathname}${url.search}`, {
    method: request.method,
    headers,
    body,
    signal: request.signal,
  });
  setRequester(inner, requester);
  return inner;
}

/** Decides and answers one request; everything except socket properties is in the request. */
function createHandler(options: HttpOptions, streams: OpenStreams) {
  const { access, trustedProxies, assets, api, innerPaths, tv, log } = options;
  const compression = new JsonCompression();
  const warned = new Set<string>();

  /** A proxy inside a trusted network lets in everyone that it forwards, unless it is configured as a proxy. */
  function warnOfProxy(request: Request, peer: string | undefined): void {
    if (peer === undefined || warned.has(peer) || warned.size >= MAX_WARNED) return;
    if (request.headers.get('x-forwarded-for') === null) return;
    if (!access.trustedNetworks.contains(peer) || trustedProxies.contains(peer)) return;
    warned.add(peer);
    log.warn('a trusted address forwards for others: if it is a proxy, name it in TRUSTED_PROXIES', { peer });
  }

  async function page(request: Request, prefix: string, status = 200): Promise<Response> {
    return (await assets.index(`${prefix}/`, request, status)) ?? screensMissingPage();
  }

  async function screen(request: Request, url: URL, prefix: string): Promise<Response> {
    const { pathname: path, search: query } = url;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return problem('bad_request', `このアドレスでは ${request.method} は使えません。`, {
        status: 405,
        headers: { allow: 'GET, HEAD' },
      });
    }
    if (isScreen(path)) return page(request, prefix);
    const bare = screenWithoutSlash(path);
    if (bare !== undefined) {
      return new Response(null, { status: 308, headers: { location: prefix + bare + query } });
    }
    const file = await assets.serve(assetOf(path), request);
    if (file !== undefined) return file;
    // The UI explains an unknown address itself, with its fonts and navigation.
    return wantsHtml(request, path)
      ? page(request, prefix, 404)
      : problem('not_found', 'ファイルが見つかりません。');
  }

  /** The handshake of a socket; undefined if the request is not one. */
  function handshake(request: Request, url: URL, server: RequestContext): Answer | undefined {
    const { socket } = options;
    if (socket === undefined || url.pathname !== socket.path || !isUpgrade(request)) return undefined;
    const requester = socket.admit(url);
    if (requester === undefined) return new Response(BAD_TICKET, { status: 403, headers: PLAIN });
    if (server.upgrade(request, { data: { requester } })) return 'upgraded';
    return new Response('Not a WebSocket handshake.\n', { status: 400, headers: PLAIN });
  }

  async function answer(request: Request, server: RequestContext): Promise<Answer> {
    // Without a usable Host header the runtime provides only the path.
    const url = URL.parse(request.url, 'http://localhost');
    if (url === null) return problem('bad_request', 'Host ヘッダーが正しくありません。');
    const path = url.pathname;
    const peer = server.requestIP(request)?.address;
    warnOfProxy(request, peer);
    const foreign = refuseForeign(options, request, path, peer);
    if (foreign !== undefined) return foreign;
    const shaken = handshake(request, url, server);
    if (shaken !== undefined) return shaken;
    const address = clientAddress(peer, request.headers.get('x-forwarded-for'), trustedProxies);
    const asked = {
      address,
      path,
      authorization: request.headers.get('authorization'),
      cookie: request.headers.get('cookie'),
      base: baseOf(options, request, url, peer),
    };
    const decision = decideAccess(access, asked);
    const prefix = pathPrefix(peer, request.headers.get('x-forwarded-prefix'), trustedProxies);
    if (decision.kind !== 'allow' || address === undefined) {
      const refused = decision.kind === 'allow' ? ({ kind: 'unauthorized' } as const) : decision;
      const { hasLogin } = access;
      return refuse(refused, { request, url, address: address ?? '', prefix, hasLogin });
    }
    if (decision.letIn.by === 'token' && isBeyondTokens(path)) {
      return problem('forbidden', '登録した端末からは操作できません。ブラウザーの画面から操作してください。');
    }
    if (tv?.handles(path) === true) {
      const response = await tv.answer({ request, url, path, base: asked.base });
      if (isMedia(response)) server.timeout(request, 0);
      const isStillLetIn = () => tv.isAdmitted(path) && decideAccess(access, asked).kind === 'allow';
      return isEndless(response) ? streams.watch(response, isStillLetIn) : response;
    }
    if (path.startsWith(PEER_PATHS)) {
      const names = hostHeaders(request.headers, peer, trustedProxies);
      if (!isFromOwnPage(request.method, names, request.headers)) return problem('forbidden', NOT_OWN_PAGE);
    }
    const limit = bodyLimit(decision.letIn);
    const refused = refuseRequest(request, path, limit);
    if (refused !== undefined) return refused;
    if (isApi(path) || innerPaths.has(path)) {
      const requester = { letIn: decision.letIn, address };
      const body = await readBody(request, limit);
      if (body === 'gone') return bodyTooSlow();
      const response = await api(handInwards(request, body, url, requester, asked.base));
      if (isMedia(response)) server.timeout(request, 0);
      // Responses without this header must not be cached or shared.
      if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
      const { by } = decision.letIn;
      const source = sourceOf(path);
      const isWatched = by === 'session' || by === 'token' || source !== undefined;
      if (isWatched && request.method === 'GET' && isEndless(response)) {
        const leave = source === undefined ? undefined : options.sources?.enter(requester, source);
        return streams.watch(response, () => decideAccess(access, asked).kind === 'allow', leave);
      }
      return compression.apply(request, response, path + url.search);
    }
    return screen(request, url, prefix);
  }

  return async (request: Request, server: RequestContext): Promise<Response | undefined> => {
    try {
      const answered = await answer(request, server);
      return answered === 'upgraded' ? undefined : addSecurityHeaders(answered);
    } catch (error) {
      log.error('request failed', {
        method: request.method,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return addSecurityHeaders(internalProblem());
    }
  };
}

/** @throws the runtime's error if it cannot listen on the address */
export function startHttpServer(options: HttpOptions): HttpServer {
  const streams = new OpenStreams();
  const handler = createHandler(options, streams);
  // The runtime has one limit for all servers of the process.
  Object.assign(http, { maxHeaderSize: MAX_HEADER_BYTES });
  const tls = options.tls === null ? undefined : readTls(options.tls);
  const listen = (hostname: string, port: number, tls: Tls | undefined) =>
    Bun.serve({
      hostname,
      port,
      ...(tls === undefined ? {} : { tls }),
      development: false,
      // Outside of development mode the runtime would share an occupied port: two services, each with half of the
      // requests.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: RUNTIME_BODY_LIMIT,
      fetch: handler,
      websocket: socketHandlers(options.socket, streams, options.isLetIn),
      // The handler handles its own errors: these are the runtime's.
      error: (error) => {
        options.log.error('request failed', { error: String(error) });
        return internalProblem();
      },
    });
  const begin = (hostname: string) => listen(hostname, options.port, tls);
  let server = options.host === null ? listenEverywhere(begin) : begin(options.host);
  const [port, hostname] = [server.port ?? options.port, server.hostname ?? ''];
  let inForce = tls;
  /** Previous servers, as long as they have connections. */
  const older = new Set<typeof server>();
  /** The runtime only reads a certificate when it begins to listen. Existing connections keep theirs. */
  const replaceTls = (next: Tls): void => {
    const before = server;
    older.add(before);
    void before.stop(false).finally(() => older.delete(before));
    try {
      server = listen(hostname, port, next);
      inForce = next;
    } catch (error) {
      server = listen(hostname, port, inForce);
      throw error;
    }
  };
  const { log } = options;
  const watch =
    options.tls === null || tls === undefined
      ? undefined
      : new TlsWatch({
          paths: options.tls,
          tls,
          intervalMs: options.tlsCheckMs ?? TLS_CHECK_MS,
          use: replaceTls,
          log,
        });
  const named = options.host === null || options.host === '::' || options.host === '0.0.0.0';
  const host = named ? 'localhost' : options.host?.includes(':') ? `[${options.host}]` : options.host;
  return {
    port,
    url: `${options.tls === null ? 'http' : 'https'}://${host}:${port}`,
    review: () => streams.review(),
    stopListening: () => {
      watch?.close();
      void server.stop(false);
    },
    close: async () => {
      watch?.close();
      await Promise.all([server, ...older].map((one) => one.stop(true)));
    },
  };
}

/** Dual stack if the machine has IPv6, otherwise IPv4 only. */
function listenEverywhere<T>(listen: (hostname: string) => T): T {
  try {
    return listen('::');
  } catch (error) {
    if (isPortTrouble(error)) throw error;
    return listen('0.0.0.0');
  }
}

/** The port is occupied or not permitted: another address would not help. */
function isPortTrouble(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EADDRINUSE' || code === 'EACCES';
}
