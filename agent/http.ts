/** The agent's HTTP interface: every `/agent/*` path, its methods, parameters and errors. */
import { BROADCAST_TYPES } from '../lib/arib/ids.ts';
import { systemMonotonicClock } from '../lib/host/clock.ts';
import {
  type AllowedHosts,
  CORP_HEADER,
  checkHost,
  isCrossSiteLoad,
  mayBeForeignLoad,
} from '../lib/host/host-check.ts';
import type { Log } from '../lib/host/log.ts';
import type { Networks } from '../lib/host/networks.ts';
import type { AgentError, Card, DetectedDevice, DetectedDevices } from '../lib/wire/agent.ts';
import { TUNER_HEADER } from '../lib/wire/vocabulary.ts';
import type { CardAccess } from './card/card-access.ts';
import { channelNameForm, parseChannelName } from './channel-name.ts';
import { BrokenFile, causeOf, JsonMistake, parseJson, SaveFailed } from './config/json-file.ts';
import { BadValue } from './config/validate.ts';
import { StreamFailure } from './consumer.ts';
import { decodeBody } from './descramble/decode-body.ts';
import type { Equipment } from './equipment.ts';
import { agentEventStream, type ChangeEvents } from './events.ts';
import { NoTuner, PoolClosed, type StreamRequest, type TunerPool } from './pool.ts';

interface Connection {
  /** Undefined if the socket is already closed. */
  readonly address: string | undefined;
  /** Disables the idle timeout for this response. */
  keepOpen(): void;
  /** Enables the idle timeout again. */
  limitIdle(): void;
}

interface HttpOptions {
  readonly pool: TunerPool;
  readonly equipment: Equipment;
  readonly events: ChangeEvents;
  /** Undefined: the agent has no source of keys. */
  readonly card: CardAccess | undefined;
  /** The tuners of this machine, used or not. */
  readonly devices: () => readonly DetectedDevice[];
  readonly networks: Networks;
  readonly allowedHosts: AllowedHosts;
  readonly keepAliveMs: number;
  readonly log: Log;
}

type Handler = (request: Request, url: URL, connection: Connection) => Response | Promise<Response>;

/** A response other than 200. The message is for display. */
class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A channel table with 512 channels is about 200 KB. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_USE_LENGTH = 256;
const MAX_AFTER = 64;

const NO_CARD: Card = {
  state: 'none',
  reader: null,
  caSystemId: null,
  failure: null,
  ecm: { requests: 0, cached: 0, failed: 0, medianMs: null },
  share: null,
  upstream: null,
};

/** Of `/agent/decode`: as many as a large household records. Each holds up to 4 MB and asks the card. */
const MAX_DECODERS = 8;

export class AgentHttp {
  readonly #routes: Readonly<Record<string, Readonly<Record<string, Handler>>>>;
  #decoders = 0;

  constructor(private readonly options: HttpOptions) {
    this.#routes = {
      '/agent/tuners': { GET: () => this.#tuners(), PUT: (request) => this.#putTuners(request) },
      '/agent/devices': {
        GET: () => Response.json({ devices: [...options.devices()] } satisfies DetectedDevices),
      },
      '/agent/channels': {
        GET: () => Response.json(options.equipment.channels),
        PUT: (request) => this.#putChannels(request),
      },
      '/agent/stream': { GET: (request, url, connection) => this.#stream(request, url, connection) },
      '/agent/card': { GET: () => this.#card() },
      '/agent/decode': { POST: (request, _url, connection) => this.#decode(request, connection) },
      '/agent/events': { GET: (request, _url, connection) => this.#events(request, connection) },
    };
  }

  async handle(request: Request, connection: Connection): Promise<Response> {
    const answer = await this.#answer(request, connection);
    answer.headers.set(CORP_HEADER.name, CORP_HEADER.value);
    return answer;
  }

  async #answer(request: Request, connection: Connection): Promise<Response> {
    try {
      return await this.#route(request, connection);
    } catch (error) {
      return this.#errorResponse(error);
    }
  }

  #route(request: Request, connection: Connection): Response | Promise<Response> {
    const url = targetOf(request.url);
    this.#checkAccess(request, connection, url.pathname === '/agent/stream');
    const methods = this.#routes[url.pathname];
    if (methods === undefined) throw new HttpError(404, 'このパスはありません');
    const allow = [...Object.keys(methods), 'HEAD', 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    const handler = methods[request.method === 'HEAD' ? 'GET' : request.method];
    if (handler === undefined) {
      const message = `${request.method} はこのパスでは使えません`;
      return Response.json({ message }, { status: 405, headers: { allow } });
    }
    return handler(request, url, connection);
  }

  /** The socket's address decides; forwarding headers are ignored. */
  #checkAccess(request: Request, connection: Connection, isStream: boolean): void {
    const { allowedHosts, networks } = this.options;
    const { headers } = request;
    const names = { host: headers.get('host'), origin: headers.get('origin'), forwardedHost: null };
    const verdict = checkHost(names, allowedHosts);
    if (verdict === 'foreign_host') {
      throw new HttpError(421, 'このホスト名では応答しません。ALLOWED_HOSTS に加えてください');
    }
    const { address } = connection;
    if (address === undefined || !networks.contains(address)) {
      throw new HttpError(403, 'このアドレスからは利用できません (AGENT_NETWORKS)');
    }
    // A page of another site in a browser on this machine must not use tuners, not even with an <img>.
    const isForeign =
      isCrossSiteLoad(request.method, headers, false) || (isStream && mayBeForeignLoad(names, headers));
    if (verdict === 'foreign_origin' || isForeign) {
      throw new HttpError(403, '他のサイトのページからは利用できません');
    }
  }

  #tuners(): Response {
    // Accessed first, so that a broken file is reported and not shown as an empty list.
    void this.options.equipment.tuners;
    return Response.json(this.options.pool.snapshot());
  }

  async #putTuners(request: Request): Promise<Response> {
    this.options.pool.define(await this.options.equipment.replaceTuners(await readJson(request)));
    return Response.json(this.options.pool.snapshot());
  }

  async #putChannels(request: Request): Promise<Response> {
    const channels = await this.options.equipment.replaceChannels(await readJson(request));
    this.options.events.announce('channels');
    return Response.json(channels);
  }

  async #stream(request: Request, url: URL, connection: Connection): Promise<Response> {
    const wanted = parseStreamRequest(url.searchParams);
    const headers = { 'content-type': 'video/mp2t', 'cache-control': 'no-store' };
    if (request.method === 'HEAD') return new Response(null, { headers });
    void this.options.equipment.tuners;
    const { pool } = this.options;
    const { tunerId, consumer } = pool.open(wanted);
    connection.keepOpen();
    // Otherwise a peer that stopped reading would keep the socket of its ended stream open forever.
    void consumer.left.then(() => connection.limitIdle());
    const leave = (): void => consumer.leave();
    request.signal.addEventListener('abort', leave, { once: true });
    if (request.signal.aborted) leave();
    await consumer.started.catch((error: unknown) => {
      throw pool.isClosed ? new PoolClosed() : error;
    });
    return new Response(consumer.body, { headers: { ...headers, [TUNER_HEADER]: tunerId } });
  }

  async #card(): Promise<Response> {
    const { card } = this.options;
    const status = card === undefined ? NO_CARD : await card.status();
    return Response.json(status, { headers: { 'cache-control': 'no-store' } });
  }

  /** Receives a transport stream and returns it descrambled, both at the client's pace. */
  #decode(request: Request, connection: Connection): Response {
    const { card } = this.options;
    if (card === undefined) throw new HttpError(503, 'カードを使えません');
    if (request.body === null) throw new BadValue('body', '本文に TS を送ってください');
    if (this.#decoders >= MAX_DECODERS) throw new HttpError(503, '復号の要求が多すぎます');
    this.#decoders += 1;
    connection.keepOpen();
    const headers = { 'content-type': 'video/mp2t', 'cache-control': 'no-store' };
    const onEnd = (): void => {
      this.#decoders -= 1;
    };
    return new Response(decodeBody(request.body, card.source, systemMonotonicClock, onEnd), { headers });
  }

  #events(request: Request, connection: Connection): Response {
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    if (request.method === 'HEAD') return new Response(null, { headers });
    connection.keepOpen();
    return new Response(agentEventStream(this.options.events, this.options.keepAliveMs), { headers });
  }

  #errorResponse(error: unknown): Response {
    const status = statusOf(error);
    if (error instanceof SaveFailed)
      this.options.log.error('not saved', { reason: error.message, ...causeOf(error) });
    if (status === undefined) {
      this.options.log.error('request failed', { reason: String(error) });
      return Response.json({ message: 'エージェントの内部エラーです' }, { status: 500 });
    }
    const code = codeOf(error);
    const message = error instanceof Error ? error.message : '';
    return Response.json(code === undefined ? { message } : { message, code }, { status });
  }
}

/** The one table of errors; undefined for internal errors. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpError) return error.status;
  if (error instanceof BadValue || error instanceof JsonMistake) return 400;
  if (error instanceof NoTuner) return 409;
  if (error instanceof PoolClosed) return 503;
  if (error instanceof StreamFailure || error instanceof BrokenFile || error instanceof SaveFailed)
    return 500;
  return undefined;
}

/** Codes of refusals with ambiguous status. */
function codeOf(error: unknown): AgentError['code'] {
  if (error instanceof NoTuner) return 'tuners_busy';
  if (error instanceof StreamFailure) return error.isTaken ? 'tuner_taken' : 'no_signal';
  return error instanceof BrokenFile ? 'agent_misconfigured' : undefined;
}

/** Only path and query: the authority is the client's Host header, which may be missing or invalid. */
function targetOf(url: string): URL {
  const path = url.replace(/^\w+:\/\/[^/?#]*/, '');
  return new URL(`http://agent${path.startsWith('/') ? '' : '/'}${path}`);
}

/** @throws HttpError 413 above the limit, 400 for a body that is cut off, JsonMistake */
async function readJson(request: Request): Promise<unknown> {
  const tooLarge = new HttpError(413, '本文が大きすぎます（1 MB まで）');
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of request.body ?? []) {
      length += part.length;
      if (length > MAX_BODY_BYTES) throw tooLarge;
      parts.push(part);
    }
  } catch (error) {
    throw error === tooLarge ? error : new HttpError(400, '本文が途中で切れました');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new HttpError(400, '本文が UTF-8 ではありません');
  }
  return parseJson(text);
}

/** @throws BadValue */
function parseStreamRequest(query: URLSearchParams): StreamRequest {
  const type = BROADCAST_TYPES.find((known) => known === query.get('type'));
  if (type === undefined) throw new BadValue('type', 'GR, BS, CS のいずれかを指定してください');
  const channel = parseChannelName(type, query.get('channel') ?? '');
  if (channel === undefined) throw new BadValue('channel', `${channelNameForm(type)} の形で指定してください`);
  const priority = query.get('priority') ?? '0';
  if (!/^-?\d{1,9}$/.test(priority)) throw new BadValue('priority', '9 桁までの整数を指定してください');
  const use = query.get('use') || 'anonymous';
  if (use.length > MAX_USE_LENGTH) throw new BadValue('use', `${MAX_USE_LENGTH} 文字までです`);
  if (/\p{Cc}/u.test(use)) throw new BadValue('use', '制御文字は使えません');
  const after = query.getAll('after').filter((name) => name !== '');
  if (after.length > MAX_AFTER) throw new BadValue('after', `${MAX_AFTER} 個までです`);
  return { type, channel, priority: Number(priority), use, after };
}
