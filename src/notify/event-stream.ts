/**
 * The public event stream: one bounded queue per client, fed by the hub. Events are not replayed; a client that
 * reconnects reads its lists again.
 */
import type { Elysia } from 'elysia';
import { EVENTS } from '../../lib/wire/api.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { problem } from '../http/route/problems.ts';
import { requesterOf } from '../http/route/request.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import { ENDLESS } from '../http/route/stream-response.ts';
import { requesterKey } from '../model/requester.ts';
import type { Hub, HubEvent } from './hub.ts';

interface EventStreamOptions {
  hub: Hub;
  pingMs: number;
  /** Connections beyond this are refused: each costs a queue and a socket. A household has tens of screens. */
  maxClients: number;
  /** Of one requester. */
  maxPerRequester: number;
}

const EVENT_STREAM_DEFAULTS = { pingMs: 25_000, maxClients: 256, maxPerRequester: 64 } as const;

/**
 * Queue limit per client. Changes of one list are coalesced, so only events with data can accumulate: 64 of at most
 * about 1 KB are minutes of encode progress. A client that lags further is disconnected; it will reconnect.
 */
const MAX_WAITING = 64;

const encoder = new TextEncoder();

function frame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

class Client {
  readonly #waiting: HubEvent[] = [];
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #ended = false;

  constructor(private readonly onEnd: (client: Client) => void) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          // A first line, so that clients and proxies see at once that the stream is open.
          controller.enqueue(encoder.encode(': open\n\n'));
        },
        pull: () => this.#flush(),
        cancel: () => this.end(),
      },
      { highWaterMark: 1 },
    );
  }

  push(event: HubEvent): void {
    if (event.data === 1 && this.#waiting.some((other) => other.name === event.name)) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.end();
      return;
    }
    this.#waiting.push(event);
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#flush();
  }

  /** Skipped for a client with unread data, which shows it that the stream is alive. */
  ping(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(encoder.encode(frame('ping', 1)));
  }

  #flush(): void {
    if (this.#ended || this.#waiting.length === 0) return;
    const text = this.#waiting.map((event) => frame(event.name, event.data)).join('');
    this.#waiting.length = 0;
    this.#controller?.enqueue(encoder.encode(text));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onEnd(this);
    try {
      this.#controller?.close();
    } catch {
      // Already closed, because the client cancelled it.
    }
  }
}

export class EventStreams {
  /** Each with the key of its requester. */
  readonly #clients = new Map<Client, string>();
  readonly #unsubscribe: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #closed = false;

  constructor(private readonly options: EventStreamOptions) {
    this.#unsubscribe = options.hub.subscribe((event) => {
      for (const client of [...this.#clients.keys()]) client.push(event);
    });
    this.#timer = setInterval(() => {
      for (const client of this.#clients.keys()) client.ping();
    }, options.pingMs);
  }

  get clients(): number {
    return this.#clients.size;
  }

  /**
   * Stream for a new client; undefined at a limit of clients, or while the service shuts down.
   * @param requester its key
   */
  open(signal: AbortSignal, requester: string): ReadableStream<Uint8Array> | undefined {
    const { maxClients, maxPerRequester } = this.options;
    if (this.#closed || signal.aborted || this.#clients.size >= maxClients) return undefined;
    const own = this.#clients
      .values()
      .filter((one) => one === requester)
      .toArray().length;
    if (own >= maxPerRequester) return undefined;
    const client = new Client((ended) => this.#clients.delete(ended));
    this.#clients.set(client, requester);
    signal.addEventListener('abort', () => client.end(), { once: true });
    return client.stream;
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
    for (const client of [...this.#clients.keys()]) client.end();
  }
}

interface EventRouteNeeds {
  /** Undefined when the limit of clients is reached. */
  events: { open(signal: AbortSignal, requester: string): ReadableStream<Uint8Array> | undefined };
}

/** `/api/events`: changes as Server-Sent Events. */
export function addEventRoutes(app: Elysia, parts: EventRouteNeeds): void {
  app.get(
    '/api/events',
    ({ request }) => {
      const headers = { 'content-type': 'text/event-stream', ...ENDLESS };
      if (request.method === 'HEAD') return new Response(null, { headers });
      const stream = parts.events.open(request.signal, requesterKey(requesterOf(request)));
      if (stream === undefined) return problem('busy', '接続が多すぎます。しばらくしてからお試しください。');
      return new Response(stream, { headers });
    },
    {
      detail: {
        summary: 'Changes as Server-Sent Events',
        description: `Events: ${EVENTS.join(', ')}. \`ping\` comes every 25 s. Nothing is replayed after a reconnect.`,
        tags: ['system'],
        responses: {
          ...REFUSALS,
          503: problemResponse('`busy`: too many clients listen already, or 64 of this one'),
          200: {
            description: 'an endless event stream',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
  );
}

export function createEvents({ hub }: { hub: Hub }) {
  const events = new EventStreams({ hub, ...EVENT_STREAM_DEFAULTS });
  const routes: AddRoutes = (app) => addEventRoutes(app, { events });
  return { events, routes };
}
