/** Keys from another agent's share port (`CARD_URL`) instead of a card. Keeps one connection open. */
import type { Socket } from 'bun';
import { unlessAborted } from '../../lib/host/deadline.ts';
import { KEY_FAILURES } from '../../lib/wire/key-failure.ts';
import { type CardSystem, KeyFailure } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';
import type { KeyBackend } from './key-backend.ts';
import {
  CA_SYSTEM_HEADER,
  ECM_PATH,
  INIT_BYTES,
  INIT_PATH,
  KEYS_BYTES,
  MessageReader,
  readError,
  requestBytes,
  type ShareMessage,
  setHopLimit,
  statusOf,
} from './share-protocol.ts';

interface ShareClientOptions {
  /** `http://address:port`, without a path. */
  url: string;
  /** 1 to 8, like the other side. */
  hops: number;
}

const TIMEOUT_MS = 10_000;
/** B-CAS (ARIB TR-B14), for a peer that does not send its CA system. */
const B_CAS = 0x0005;

interface Line {
  reader: MessageReader;
  answer: PromiseWithResolvers<ShareMessage> | undefined;
}

export class ShareClient implements KeyBackend {
  readonly timeoutMs = TIMEOUT_MS;
  readonly timeoutCode = 'no_answer';
  readonly #address: URL;
  #socket: Socket<Line> | undefined;

  constructor(readonly options: ShareClientOptions) {
    this.#address = new URL(options.url);
  }

  /** The other side sends no notifications. */
  onChange(): void {}

  async connect(signal: AbortSignal): Promise<CardSystem> {
    const request = requestBytes('GET', INIT_PATH, this.#address.host);
    const { body, headers } = await this.#ask(request, INIT_BYTES, signal);
    const caSystem = headers.get(CA_SYSTEM_HEADER) ?? '';
    return {
      caSystemId: /^\d{1,5}$/.test(caSystem) ? Number(caSystem) : B_CAS,
      systemKey: body.slice(0, 32),
      initialValue: body.slice(32, 40),
      source: this.#address.host,
    };
  }

  async ecm(message: Uint8Array, signal: AbortSignal): Promise<ScramblingKeys> {
    const request = requestBytes('POST', ECM_PATH, this.#address.host, message);
    const { body } = await this.#ask(request, KEYS_BYTES, signal);
    return { odd: body.slice(0, 8), even: body.slice(8, 16) };
  }

  async close(): Promise<void> {
    this.#socket?.terminate();
    this.#socket = undefined;
  }

  async #ask(request: Uint8Array, length: number, signal: AbortSignal): Promise<ShareMessage> {
    const answer = await this.#exchange(request, signal);
    const status = statusOf(answer);
    if (status === 200 && answer.body.length === length) return answer;
    const { message, code: sent } = readError(answer.body);
    if (status === 403) throw new KeyFailure('refused', `${this.#address.host} refuses: ${message}`);
    if (status === 404) throw new KeyFailure('not_shared', `${this.#address.host} shares no keys`);
    const code = KEY_FAILURES.find((known) => known === sent);
    if (status === 503 && code !== undefined) throw new KeyFailure(code, `${this.#address.host}: ${code}`);
    throw new KeyFailure('unreachable', `${this.#address.host} answers ${status ?? 'no HTTP'}`);
  }

  async #exchange(request: Uint8Array, signal: AbortSignal): Promise<ShareMessage> {
    const socket = this.#socket ?? (await this.#open(signal));
    const line = socket.data;
    const answer = Promise.withResolvers<ShareMessage>();
    line.answer = answer;
    const abort = (): void => {
      answer.reject(this.#noAnswer());
      // A late response on this connection would be taken for that of the next request.
      socket.terminate();
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else socket.write(request);
    try {
      const message = await answer.promise;
      if (message.headers.get('connection') === 'close') await this.close();
      return message;
    } finally {
      signal.removeEventListener('abort', abort);
      line.answer = undefined;
    }
  }

  #noAnswer(): KeyFailure {
    return new KeyFailure('no_answer', `${this.#address.host}: no answer in time`);
  }

  async #open(signal: AbortSignal): Promise<Socket<Line>> {
    const { hostname, port } = this.#address;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const onClosed = (socket: Socket<Line>): void => {
      if (this.#socket === socket) this.#socket = undefined;
      socket.data?.answer?.reject(
        new KeyFailure('unreachable', `${this.#address.host} closed the connection`),
      );
    };
    try {
      const connecting = Bun.connect<Line>({
        hostname: host,
        port: Number(port || '80'),
        data: { reader: new MessageReader(), answer: undefined },
        socket: {
          data: (from, bytes) => {
            try {
              for (const message of from.data.reader.feed(bytes)) from.data.answer?.resolve(message);
            } catch {
              from.terminate();
            }
          },
          close: onClosed,
          error: onClosed,
        },
      });
      // A connection that is established after the timeout is closed.
      connecting.then(
        (late) => {
          if (signal.aborted) late.terminate();
        },
        () => {},
      );
      const socket = await unlessAborted(connecting, signal);
      const { fd } = socket as unknown as { fd: number };
      const family = socket.remoteAddress.includes(':') ? 'ipv6' : 'ipv4';
      if (!setHopLimit(fd, family, this.options.hops)) {
        socket.terminate();
        throw new Error('the hop limit cannot be set');
      }
      this.#socket = socket;
      return socket;
    } catch (error) {
      if (signal.aborted) throw this.#noAnswer();
      const reason = error instanceof Error ? error.message : String(error);
      throw new KeyFailure('unreachable', `${this.#address.host}: ${reason}`);
    }
  }
}
