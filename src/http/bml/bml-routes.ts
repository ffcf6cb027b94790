/** `/api/bml/…`: bidirectional content of data broadcasts, fetched for the engine in the browser. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { PublicAnswer, PublicRequest } from '../../../lib/host/public-fetch.ts';
import { CONFIRM_LIMIT_MS, ConfirmSchema, MAX_PEER_URL } from '../../../lib/wire/bidirectional.ts';
import {
  PEER_CACHE_HEADER,
  PEER_STATUS_HEADER,
  PEER_TYPE_HEADER,
  PEER_URL_HEADER,
} from '../../../lib/wire/data-broadcast.ts';
import { POST_TYPES } from '../../../lib/wire/vocabulary.ts';
import { Failure } from '../../model/failure.ts';
import { type Requester, requesterKey } from '../../model/requester.ts';
import { describedJson, problemResponse, REFUSALS } from '../route/described-responses.ts';
import { problem } from '../route/problems.ts';
import { requesterOf } from '../route/request.ts';
import { PEER_PATHS, PEER_POST_PATH } from '../route/server-interfaces.ts';
import type { PeerClient } from './peer-client.ts';

const MOST_PER_CLIENT = 4;
const MOST = 16;

/**
 * How many requests for bidirectional content run at once. Each may hold 8 MB (received and decoded) for 10 s, and its
 * answer until the client has taken it.
 */
export class PeerSlots {
  readonly #counts = new Map<string, number>();
  #count = 0;

  /** @returns frees the place, however often it is called; or who holds all: this client, or all clients together */
  take(client: string): (() => void) | 'client' | 'all' {
    const own = this.#counts.get(client) ?? 0;
    if (own >= MOST_PER_CLIENT) return 'client';
    if (this.#count >= MOST) return 'all';
    this.#counts.set(client, own + 1);
    this.#count += 1;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#count -= 1;
      const left = (this.#counts.get(client) ?? 1) - 1;
      if (left > 0) this.#counts.set(client, left);
      else this.#counts.delete(client);
    };
  }
}

interface BmlRouteNeeds {
  peers: Pick<PeerClient, 'fetch' | 'confirm'>;
  slots: PeerSlots;
  /** The setting of the household. */
  isOn: () => boolean;
  /** Whether a client watches recordings only. */
  hasOnlyRecordings: (requester: Requester) => boolean;
}

const TEXTS = {
  off: 'データ放送の双方向通信は、設定でオフになっています。',
  recording: '録画のデータ放送は通信しません。',
  load: 'データ放送の通信は、画面の要素やアドレスとしては読み込めません。',
  type: 'Content-Type に application/x-www-form-urlencoded、application/json、text/… のどれかが必要です。',
  client: '同時に通信できるのは、ひとつの端末につき 4 件までです。',
  all: '通信が混み合っています。しばらくしてからお試しください。',
} as const;

/** A longer media type or Cache-Control says nothing that the engine knows. */
const MAX_HEADER_LENGTH = 256;
const POSTED = /^(?:application\/x-www-form-urlencoded|application\/json|text\/[\w.+-]+)(?:\s*;|$)/i;

/** Answers are data for the engine: whatever the peer calls them, no browser shows them or runs them. */
const HARMLESS = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** Of a body that waits for its client; what is handed over is kept by the runtime. */
const PIECE_OCTETS = 64 * 1024;
/** A client that takes nothing is disconnected earlier. */
const DELIVERY_LIMIT_MS = 60_000;

/** @param onEnd once, when all is handed over or the client has gone */
function delivered(octets: Uint8Array, onEnd: () => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = octets.subarray(at, at + PIECE_OCTETS);
        at += piece.length;
        if (piece.length > 0) controller.enqueue(piece);
        if (at < octets.length) return;
        controller.close();
        onEnd();
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}

function peerResponse({ status, headers, url, body }: PublicAnswer, onEnd: () => void): Response {
  const forwarded = (name: string, from: string): Record<string, string> => {
    const value = headers.get(from);
    return value === null ? {} : { [name]: value.replace(/[^ -~]/g, '?').slice(0, MAX_HEADER_LENGTH) };
  };
  return new Response(delivered(body, onEnd), {
    headers: {
      ...HARMLESS,
      [PEER_STATUS_HEADER]: String(status),
      [PEER_URL_HEADER]: url.href,
      ...forwarded(PEER_TYPE_HEADER, 'content-type'),
      ...forwarded(PEER_CACHE_HEADER, 'cache-control'),
    },
  });
}

/** @throws Failure forbidden */
function checkCaller(
  { isOn, hasOnlyRecordings }: BmlRouteNeeds,
  request: Request,
  requester: Requester,
  recording: string | undefined,
): void {
  const { headers } = request;
  if (!isOn()) throw new Failure('forbidden', TEXTS.off);
  // A script element or a navigation would run or show the answer in the service's name.
  if (headers.get('sec-fetch-mode') === 'navigate' || (headers.get('sec-fetch-dest') ?? 'empty') !== 'empty')
    throw new Failure('forbidden', TEXTS.load);
  if ((recording ?? '0') !== '0' || hasOnlyRecordings(requester))
    throw new Failure('forbidden', TEXTS.recording);
}

/** Every route: checks the caller and holds one of its places, which `act` gets to free, or its failure frees. */
async function answer(
  needs: BmlRouteNeeds,
  request: Request,
  recording: string | undefined,
  act: (release: () => void) => Promise<Response>,
): Promise<Response> {
  const requester = requesterOf(request);
  checkCaller(needs, request, requester, recording);
  const place = needs.slots.take(requesterKey(requester));
  if (place === 'client') return problem('busy', TEXTS.client, { status: 429 });
  if (place === 'all') return problem('busy', TEXTS.all);
  const release = (): void => {
    clearTimeout(limit);
    place();
  };
  // Also where nothing asks for the body of the response.
  const limit = setTimeout(place, DELIVERY_LIMIT_MS);
  request.signal.addEventListener('abort', release, { once: true });
  try {
    return await act(release);
  } catch (error) {
    release();
    // The client has disconnected and reads no response.
    if (request.signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}

const RECORDING = t.Optional(t.String({ description: '1: a recording is playing, which is refused' }));
const PEER_QUERY = t.Object({
  url: t.String({ maxLength: MAX_PEER_URL, description: 'http or https; not of this home' }),
  recording: RECORDING,
});

const header = (description: string) => ({ schema: { type: 'string' as const }, description });
const PEER_ANSWER = {
  description: "the peer's answer, whatever its status: decoded, at most 4 MB, without cookies",
  headers: {
    [PEER_STATUS_HEADER]: header("the peer's status code"),
    [PEER_TYPE_HEADER]: header("the peer's Content-Type; absent where it sent none"),
    [PEER_CACHE_HEADER]: header("the peer's Cache-Control; absent where it sent none"),
    [PEER_URL_HEADER]: header('address of the answer, after at most 3 redirects'),
  },
  content: { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } },
};
const REFUSED = {
  ...REFUSALS,
  403: {
    ...REFUSALS[403],
    description:
      '`forbidden`: bidirectional use is off, a recording is playing, the target is refused, or the request does not ' +
      `come from a script of the service's own page (Origin, Referer, Fetch Metadata); ${REFUSALS[403].description}`,
  },
  400: problemResponse('no address of http or https, or too long'),
  429: problemResponse('`busy`: four requests of this client are running (`Retry-After`)'),
  503: problemResponse('`busy`: too many requests are running (`Retry-After`)'),
};
const FAILED = {
  502: problemResponse(
    '`peer_failed`: no name, no connection, no answer within 10 s, more than 3 redirects, more than 4 MB, or not HTTP',
  ),
};

export function addBmlRoutes(app: Elysia, needs: BmlRouteNeeds): void {
  const tags = ['stations'];
  type Release = () => void;
  const fetched = async (url: string, peer: PublicRequest, request: Request, release: Release) =>
    peerResponse(await needs.peers.fetch(url, peer, request.signal), release);

  app.get(
    `${PEER_PATHS}proxy`,
    ({ query, request }) =>
      answer(needs, request, query.recording, (release) =>
        fetched(query.url, { method: 'GET', headers: {} }, request, release),
      ),
    {
      query: PEER_QUERY,
      detail: {
        summary: 'Fetch bidirectional content of a data broadcast',
        description: 'A document or its resource. No cookie, Referer or User-Agent is sent.',
        tags,
        responses: { ...REFUSED, ...FAILED, 200: PEER_ANSWER },
      },
    },
  );

  app.post(
    PEER_POST_PATH,
    ({ query, request }) =>
      answer(needs, request, query.recording, async (release) => {
        const type = request.headers.get('content-type') ?? '';
        if (type.length > MAX_HEADER_LENGTH || !POSTED.test(type))
          throw new Failure('bad_request', TEXTS.type);
        const body = new Uint8Array(await request.arrayBuffer());
        const post = { method: 'POST', headers: { 'content-type': type }, body } as const;
        return await fetched(query.url, post, request, release);
      }),
    {
      parse: 'none',
      query: PEER_QUERY,
      detail: {
        summary: 'Send a form of a data broadcast',
        description: 'The body is forwarded untouched with its Content-Type.',
        tags,
        requestBody: {
          required: true,
          content: Object.fromEntries(
            POST_TYPES.map((type) => [type, { schema: { type: 'string' as const, format: 'binary' } }]),
          ),
        },
        responses: { ...REFUSED, ...FAILED, 200: PEER_ANSWER },
      },
    },
  );

  app.get(
    `${PEER_PATHS}confirm`,
    ({ query, request }) =>
      answer(needs, request, query.recording, async (release) => {
        const limitMs = Number(query.timeout ?? CONFIRM_LIMIT_MS.default);
        const confirmed = await needs.peers.confirm(query.host, limitMs, request.signal);
        release();
        return Response.json(confirmed);
      }),
    {
      query: t.Object({
        host: t.String({ minLength: 1, maxLength: 255, description: 'name or IP address' }),
        timeout: t.Optional(
          t.String({
            pattern: '^\\d{1,9}$',
            description: `ms, ${CONFIRM_LIMIT_MS.default} by default, at most ${CONFIRM_LIMIT_MS.max}`,
          }),
        ),
        recording: RECORDING,
      }),
      detail: {
        summary: 'Check that a server of bidirectional content can be reached',
        description: 'Opens a connection to the TCP port 443 and closes it.',
        tags,
        responses: { ...REFUSED, 200: describedJson('the result', ConfirmSchema) },
      },
    },
  );
}
