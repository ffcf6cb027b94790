/** A minimal service for tests of the UI: the built files, fake stations, a paced live stream, events. */
import { join, normalize } from 'node:path';
import type { LiveQuality, Problem, Station, Still } from '../../lib/wire/api.ts';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { type FakeStream, FRAGMENT_MS } from './fake-air.ts';
import { answerHousehold, type HouseholdState, newHousehold } from './fake-api.ts';
import { FakeAir, type FakeCaption, type FakeTuning } from './fake-socket.ts';

interface LiveRequestSeen {
  readonly stationId: number;
  readonly codec: string | null;
  readonly audio: string | null;
  readonly quality?: LiveQuality;
}

/** State that tests change while the service runs. */
interface FakeState {
  stations: Station[] | Problem;
  /** Pictures of stations; their content is `stillPicture`. */
  stills: readonly Still[];
  stillPicture: Uint8Array<ArrayBuffer>;
  /** Milliseconds before the list is answered. */
  listDelayMs: number;
  /** Failure of the next `count` live requests. */
  liveProblem: { readonly body: Problem; readonly status: number; count: number } | undefined;
  /** Milliseconds before the response of the live stream, and before its first fragment. */
  answerDelayMs: number;
  fragmentDelayMs: number;
  notice: string | undefined;
  /** Close the stream normally after this many fragments. */
  closeAfter: number | undefined;
  /** Break the connection instead of closing it. */
  breaks: boolean;
  /** Send no fragment after the second until this resolves. */
  silence: Promise<void> | undefined;
  status: unknown;
  /** Deny all access. */
  refusing: boolean;
  /** Awaited before a request of the API is answered. */
  before: ((url: URL) => Promise<unknown>) | undefined;
  /** Changes every JSON answer to a GET. */
  rewrite: ((answer: unknown) => unknown) | undefined;
  /** Answer no request until this resolves, like a process that hangs: connections stay open. */
  hanging: Promise<void> | undefined;
  /** The stream ends because this recording took the tuner. */
  lostTo: number | undefined;
  /** The unmodified transport stream of a station, at a constant rate. */
  raw: { readonly bytes: Uint8Array; readonly seconds: number } | undefined;
  /** Refuse WebSockets, like a proxy that does not pass them. */
  noSocket: boolean;
  /** Messages of the data broadcast, for a client that asks. */
  data: readonly ResponseMessage[];
  /** `data` of `tuned`; undefined: an earlier service, which does not tell. */
  hasData: boolean | undefined;
  /** Captions sent before the first fragment of a tuning. */
  captions: readonly FakeCaption[];
  /** Qualities for which the network has only a tenth of the needed throughput. */
  heavy: readonly LiveQuality[];
}

/** Seconds of a raw stream that are sent at once, and the length of the following pieces. */
const RAW_BURST_S = 2;
const RAW_PIECE_S = 0.1;

/** Sends a burst of what the service has buffered, then continues at the pace of the broadcast. */
function pacedBytes(bytes: Uint8Array, seconds: number): ReadableStream<Uint8Array> {
  const at = (second: number): number => Math.floor(((bytes.length / 188) * second) / seconds) * 188;
  let next = 0;
  let began = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next === 0) began = performance.now();
        const end = next === 0 ? RAW_BURST_S : next + RAW_PIECE_S;
        await Bun.sleep(Math.max(0, began + (end - RAW_BURST_S) * 1000 - performance.now()));
        controller.enqueue(bytes.slice(at(next), at(end)));
        next = end;
        if (end >= seconds) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A page of the same origin without content. */
export const EMPTY_PAGE = 'empty';
/** Names with a hash of the content, which the service lets a browser keep. */
const HASHED = /-[a-z0-9]{8}\.\w+$/u;
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' };

const BURST = 2;
const SILENT_AT = 2;

declare global {
  // Test files may be loaded as separate module graphs; they share only the process.
  var svcFakeServicePort: number | undefined;
}

function problem(body: Problem, status: number): Response {
  return Response.json(body, { status });
}

export class FakeService {
  readonly state: FakeState;
  /** Everything but stations and streams. */
  household: HouseholdState;
  readonly live: LiveRequestSeen[] = [];
  /** Stations for which a prepare request was received. */
  readonly prepared: number[] = [];
  /** Requests to begin and to end the messages of the data broadcast. */
  readonly dataWishes: boolean[] = [];
  /** Number of open live streams. */
  viewers = 0;
  listReads = 0;
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #listeners = new Set<ReadableStreamDefaultController<Uint8Array>>();

  constructor(
    readonly webDir: string,
    readonly stream: FakeStream,
    stations: Station[],
    /** Path prefix of a simulated front proxy, with slashes at both ends. */
    readonly prefix = '/',
    port = 0,
  ) {
    this.state = {
      stations,
      stills: [],
      stillPicture: new Uint8Array(),
      listDelayMs: 0,
      liveProblem: undefined,
      answerDelayMs: 0,
      fragmentDelayMs: 0,
      notice: undefined,
      closeAfter: undefined,
      breaks: false,
      silence: undefined,
      status: undefined,
      refusing: false,
      before: undefined,
      rewrite: undefined,
      hanging: undefined,
      lostTo: undefined,
      raw: undefined,
      noSocket: false,
      captions: [],
      data: [],
      hasData: undefined,
      heavy: [],
    };
    this.household = newHousehold({ stations, days: 8 });
    const air = new FakeAir(this);
    this.#server = Bun.serve<FakeTuning>({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request, server) => {
        const isSocket = new URL(request.url).pathname === `${this.prefix}api/live/socket`;
        if (!isSocket || this.state.noSocket) return this.#rewritten(request);
        const data: FakeTuning = { serial: 0, isOpen: false };
        return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
      },
      websocket: air.handlers(),
    });
  }

  /** At the port of the last one in this process if it is free, since a browser keeps files by origin. */
  static atUsualPort(webDir: string, stream: FakeStream, stations: Station[], prefix: string): FakeService {
    const start = (port: number): FakeService => new FakeService(webDir, stream, stations, prefix, port);
    let started: FakeService;
    try {
      started = start(globalThis.svcFakeServicePort ?? 0);
    } catch {
      started = start(0);
    }
    globalThis.svcFakeServicePort = started.#server.port;
    return started;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}${this.prefix}`;
  }

  send(event: string): void {
    const bytes = new TextEncoder().encode(`event: ${event}\ndata: 1\n\n`);
    for (const listener of this.#listeners) listener.enqueue(bytes);
  }

  get listening(): number {
    return this.#listeners.size;
  }

  /** Breaks every event stream, like a restart of the service. */
  dropListeners(): void {
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  async #rewritten(request: Request): Promise<Response> {
    const response = await this.#answer(request);
    const { rewrite } = this.state;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (rewrite === undefined || request.method !== 'GET' || !isJson) return response;
    return Response.json(rewrite(await response.json()), { status: response.status });
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (!url.pathname.startsWith(this.prefix)) return new Response('outside', { status: 404 });
    const path = url.pathname.slice(this.prefix.length);
    if (path.startsWith('api/')) await this.state.hanging;
    if (path.startsWith('api/')) await this.state.before?.(url);
    if (this.state.refusing && path.startsWith('api/'))
      return Response.json({ error: 'unauthorized' }, { status: 401 });
    if (path === 'api/services') return await this.#list();
    if (path === 'api/stills') return Response.json(this.state.stills);
    if (/^api\/services\/\d+\/still$/u.test(path))
      return new Response(this.state.stillPicture, { headers: { 'content-type': 'image/jpeg' } });
    if (path === 'api/health') {
      const stations = Array.isArray(this.state.stations) ? this.state.stations.length : 0;
      const version = { version: '0.1.0', latestVersion: null };
      return Response.json({ status: 'ok', ...version, stations, recordings: 0 });
    }
    if (path === 'api/status' && this.state.status !== undefined) return Response.json(this.state.status);
    if (path === 'api/events') return this.#events();
    if (path.startsWith('api/live/mpeg2/')) return await this.#file(path.slice('api/live/mpeg2/'.length));
    if (path === 'api/live/ticket') return Response.json({ ticket: 'fake' });
    if (path === 'api/live/socket') return problem({ message: 'no', code: 'bad_request' }, 426);
    const live = /^api\/services\/(\d+)\/live$/u.exec(path)?.[1];
    if (live !== undefined) return await this.#live(Number(live), url.searchParams, request.signal);
    const answer = path.startsWith('api/')
      ? await answerHousehold(this.household, path, request, (event) => this.send(event))
      : undefined;
    if (answer !== undefined) return answer;
    if (path.startsWith('api/')) return problem({ message: '見つかりません', code: 'not_found' }, 404);
    return await this.#file(path);
  }

  async #list(): Promise<Response> {
    this.listReads += 1;
    await Bun.sleep(this.state.listDelayMs);
    const { stations } = this.state;
    return Array.isArray(stations) ? Response.json(stations) : problem(stations, 503);
  }

  #events(): Response {
    let mine: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        mine = controller;
        this.#listeners.add(controller);
        controller.enqueue(new TextEncoder().encode('event: ping\ndata: 1\n\n'));
      },
      cancel: () => {
        this.#listeners.delete(mine);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  async #live(stationId: number, query: URLSearchParams, signal: AbortSignal): Promise<Response> {
    this.live.push({ stationId, codec: query.get('codec'), audio: query.get('audio') });
    await Bun.sleep(this.state.answerDelayMs);
    const failing = this.state.liveProblem;
    if (failing !== undefined && failing.count > 0) {
      failing.count -= 1;
      return problem(failing.body, failing.status);
    }
    const { raw } = this.state;
    if (query.get('codec') === 'raw' && raw !== undefined) {
      return new Response(pacedBytes(raw.bytes, raw.seconds), { headers: { 'content-type': 'video/mp2t' } });
    }
    const headers = new Headers({ 'content-type': 'video/mp4' });
    if (this.state.notice !== undefined) headers.set('x-svc-notice', this.state.notice);
    return new Response(this.#paced(signal), { headers });
  }

  #paced(signal: AbortSignal): ReadableStream<Uint8Array> {
    this.viewers += 1;
    let open = true;
    const leave = (): void => {
      if (open) this.viewers -= 1;
      open = false;
    };
    signal.addEventListener('abort', leave);
    const { fragments, init } = this.stream;
    return new ReadableStream<Uint8Array>({
      start: async (controller) => {
        await Bun.sleep(this.state.fragmentDelayMs);
        controller.enqueue(init);
        // Read each time, so that a test can close a running stream.
        const count = (): number => Math.min(fragments.length, this.state.closeAfter ?? fragments.length);
        for (let index = 0; index < count() && open; index += 1) {
          if (index >= BURST) await Bun.sleep(FRAGMENT_MS);
          if (index >= SILENT_AT) await this.state.silence;
          const fragment = fragments[index];
          if (open && fragment !== undefined) controller.enqueue(fragment);
        }
        if (open && this.state.breaks) controller.error();
        else if (open) controller.close();
        leave();
      },
      cancel: leave,
    });
  }

  async #file(path: string): Promise<Response> {
    const file = Bun.file(join(this.webDir, normalize(`/${path}`)));
    if (path !== '' && path !== 'index.html' && (await file.exists()))
      return new Response(file, { headers: HASHED.test(path) ? KEPT : {} });
    if (path === EMPTY_PAGE) return new Response('', { headers: { 'content-type': 'text/html' } });
    if (path === 'manifest.webmanifest') {
      return Response.json({ name: 'テレビ', start_url: this.prefix, display: 'standalone', icons: [] });
    }
    const html = await Bun.file(join(this.webDir, 'index.html')).text();
    return new Response(html.replace('<base href="./">', `<base href="${this.prefix}">`), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        // As strict as the policy of the service may be: the UI must not need inline script or style.
        'content-security-policy':
          "default-src 'self'; media-src 'self' blob:; img-src 'self' data: blob:; style-src 'self'; script-src 'self'",
      },
    });
  }
}
