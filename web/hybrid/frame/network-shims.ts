/**
 * XMLHttpRequest and fetch of the application: GET and POST, answered by the page. Bodies are forms, JSON and text. What else
 * could reach a network is taken away.
 */
import { isPostType } from '../../../lib/wire/vocabulary.ts';
import type { FetchAnswer } from '../hybrid-messages.ts';
import type { PageLink } from './page-link.ts';
import { textOf } from './resources.ts';

interface Body {
  readonly type: string;
  readonly text: string;
}

const FORM = 'application/x-www-form-urlencoded';

/** Undefined: nothing. @throws TypeError for a body that cannot be sent */
function requestBody(value: unknown, contentType: string | null): Body | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof URLSearchParams) return { type: FORM, text: value.toString() };
  if (typeof value !== 'string') throw new TypeError('only forms, JSON and text can be sent');
  const [given = ''] = (contentType ?? 'text/plain').toLowerCase().split(';');
  const type = given.trim();
  if (!isPostType(type)) throw new TypeError(`${type} cannot be sent`);
  return { type, text: value };
}

/** GET, or POST with a body. @throws TypeError for another method */
function postBody(method: string, value: unknown, contentType: string | null): Body | undefined {
  switch (method.toUpperCase()) {
    case 'GET':
      return undefined;
    case 'POST':
      return requestBody(value, contentType) ?? { type: 'text/plain', text: '' };
    default:
      throw new TypeError(`${method} is not supported`);
  }
}

type Ask = (url: string, body: Body | undefined) => Promise<FetchAnswer | undefined>;

function shimFetch(ask: Ask, base: () => string): typeof fetch {
  const run = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request = input instanceof Request ? input : undefined;
    const address = URL.parse(request?.url ?? String(input), base())?.href;
    const method = init.method ?? request?.method ?? 'GET';
    const type = new Headers(init.headers ?? request?.headers).get('content-type');
    const given = init.body ?? (request !== undefined && method !== 'GET' ? await request.text() : undefined);
    const body = postBody(method, given, type);
    const answer = address === undefined ? undefined : await ask(address, body);
    init.signal?.throwIfAborted();
    if (answer === undefined || answer.status < 200 || answer.status > 599)
      throw new TypeError('Failed to fetch');
    const { status, bytes, contentType } = answer;
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? bytes : null, { status, headers: { 'content-type': contentType } });
  };
  return Object.assign(run, { preconnect: () => {} }) as typeof fetch;
}

const DONE = 4;

/** The states and events of XMLHttpRequest that scripts of televisions use. */
function shimRequest(ask: Ask, base: () => string): unknown {
  return class XMLHttpRequest extends EventTarget {
    static readonly UNSENT = 0;
    static readonly OPENED = 1;
    static readonly HEADERS_RECEIVED = 2;
    static readonly LOADING = 3;
    static readonly DONE = DONE;
    readyState = 0;
    status = 0;
    statusText = '';
    responseType = '';
    responseURL = '';
    timeout = 0;
    withCredentials = false;
    readonly upload = new EventTarget();
    [handler: `on${string}`]: unknown;
    #method = 'GET';
    #address: string | undefined;
    #contentType: string | null = null;
    #answer: FetchAnswer | undefined;
    /** Of the request; one that was aborted or opened again is not answered. */
    #turn = 0;

    open(method: string, address: string, isAsync = true): void {
      if (!isAsync) throw new DOMException('synchronous requests are not supported', 'InvalidAccessError');
      this.#turn += 1;
      this.#method = method;
      this.#address = URL.parse(address, base())?.href;
      this.#contentType = null;
      this.#answer = undefined;
      this.status = 0;
      this.#become(1);
    }

    setRequestHeader(name: string, value: string): void {
      if (this.readyState !== 1) throw new DOMException('not open', 'InvalidStateError');
      if (name.toLowerCase() === 'content-type') this.#contentType = value;
    }

    overrideMimeType(): void {}

    send(given?: unknown): void {
      if (this.readyState !== 1) throw new DOMException('not open', 'InvalidStateError');
      const turn = this.#turn;
      const body = postBody(this.#method, given, this.#contentType);
      const asked = this.#address === undefined ? Promise.resolve(undefined) : ask(this.#address, body);
      const late =
        this.timeout > 0
          ? setTimeout(() => {
              if (turn === this.#turn && this.readyState !== DONE) this.#end('timeout');
            }, this.timeout)
          : undefined;
      void asked.then((answer) => {
        clearTimeout(late);
        if (turn === this.#turn && this.readyState !== DONE) this.#receive(answer);
      });
    }

    abort(): void {
      const isRunning = this.readyState > 0 && this.readyState < DONE;
      this.#turn += 1;
      if (isRunning) this.#end('abort');
      this.readyState = 0;
    }

    getResponseHeader(name: string): string | null {
      return name.toLowerCase() === 'content-type' ? (this.#answer?.contentType ?? null) : null;
    }

    getAllResponseHeaders(): string {
      return this.#answer === undefined ? '' : `content-type: ${this.#answer.contentType}\r\n`;
    }

    get responseText(): string {
      return this.#answer === undefined ? '' : textOf(this.#answer);
    }

    get responseXML(): Document | null {
      if (this.#answer === undefined) return null;
      return new DOMParser().parseFromString(this.responseText, 'text/xml');
    }

    get response(): unknown {
      const answer = this.#answer;
      if (this.responseType === '' || this.responseType === 'text') return this.responseText;
      if (answer === undefined) return null;
      switch (this.responseType) {
        case 'json':
          try {
            return JSON.parse(this.responseText);
          } catch {
            return null;
          }
        case 'arraybuffer':
          return answer.bytes;
        case 'blob':
          return new Blob([answer.bytes], { type: answer.contentType });
        default:
          return this.responseXML;
      }
    }

    #receive(answer: FetchAnswer | undefined): void {
      if (answer === undefined) {
        this.#end('error');
        return;
      }
      this.#answer = answer;
      this.status = answer.status;
      this.responseURL = this.#address ?? '';
      this.#become(2);
      this.#become(3);
      this.#end('load');
    }

    #end(type: 'load' | 'error' | 'abort' | 'timeout'): void {
      this.#become(DONE);
      this.#tell(type);
      this.#tell('loadend');
    }

    #become(state: number): void {
      this.readyState = state;
      this.#tell('readystatechange');
    }

    #tell(type: string): void {
      const event = new ProgressEvent(type);
      const handler = this[`on${type}`];
      if (typeof handler === 'function') handler.call(this, event);
      this.dispatchEvent(event);
    }
  };
}

/** What could send something although the frame may not connect, or connects to nothing useful. */
const REMOVED = [
  ...[
    'RTCPeerConnection',
    'webkitRTCPeerConnection',
    'RTCDataChannel',
    'WebTransport',
    'WebSocket',
    'EventSource',
  ],
  ...['WebSocketStream', 'Worker', 'SharedWorker', 'BroadcastChannel'],
];

/** @param base of relative addresses */
export function installNetwork(link: PageLink, base: () => string): void {
  const ask: Ask = async (url, body) => (await link.ask('fetch', { url, body })) as FetchAnswer | undefined;
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(window, name, { value, configurable: false, writable: false });
  };
  for (const name of REMOVED) if (name in window) put(name, undefined);
  put('fetch', shimFetch(ask, base));
  put('XMLHttpRequest', shimRequest(ask, base));
  navigator.sendBeacon = () => false;
  window.open = () => null;
}
