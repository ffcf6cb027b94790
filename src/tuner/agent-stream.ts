/**
 * Opens streams of the tuner agent; no other module does. One policy for all uses: URL, timeouts, error codes. It
 * reads a plain socket, because the runtime's `fetch` costs twice as much per byte.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { AwakeTimer } from '../../lib/host/deadline.ts';
import type { ProblemCode } from '../../lib/wire/api.ts';
import { STREAM_REFUSALS, TUNER_HEADER } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import { japanese } from './agent-sentence.ts';
import { type HttpHead, HttpResponseParser, HttpSyntaxError } from './http-response-parser.ts';

export interface AgentStreamRequest {
  type: BroadcastType;
  channel: string;
  priority: number;
  /** One of `STREAM_USE`: shown on the tuner screen, and referred to by another request's `after`. */
  use: string;
  /** Uses that count as ended: their tuner may be taken over. */
  after?: readonly string[];
}

/** How each use identifies itself to the agent. */
export const STREAM_USE = {
  recording: (id: number): string => `rec ${id}`,
  live: (type: BroadcastType, channel: string): string => `live ${type}/${channel}`,
  guide: (channel: string): string => `epg ${channel}`,
  scan: (channel: string): string => `scan ${channel}`,
  logo: (type: BroadcastType, channel: string): string => `logo ${type}/${channel}`,
  still: (type: BroadcastType, channel: string): string => `still ${type}/${channel}`,
  /** A client of the Mirakurun-compatible interface; each request has a number. */
  mirakurun: (request: number): string => `mirakurun ${request}`,
} as const;

/** The URL of `/agent/stream` for a use. @param agentUrl without a trailing slash */
export function agentStreamUrl(agentUrl: string, request: AgentStreamRequest): string {
  const parameters = new URLSearchParams({
    type: request.type,
    channel: request.channel,
    priority: String(request.priority),
    use: request.use,
  });
  for (const use of request.after ?? []) parameters.append('after', use);
  return `${agentUrl}/agent/stream?${parameters}`;
}

/**
 * Why a stream could not be opened, or ended:
 * - `tuners_busy`: every tuner of the type is in use with the same or a higher priority
 * - `tuner_taken`: the tuner went to another use before it gave a stream, or took it from one that shows nothing yet or
 *   is only read (`whyEnded`); another tuner may be free
 * - `no_signal`: a tuner was tried and gave no stream in time
 * - `agent_unreachable`: no connection, or the server is not an agent
 * - `agent_misconfigured`: the agent refuses: its tables are invalid, or it does not admit this service
 * - `agent_silent`: no connection, and no refusal either, or no answer to this and any other request
 * - `silent`: a running stream sent no data for too long. The agent ends a stream that its tuner sends no data for, so
 *   this is the network or the agent
 * - `ended`: the agent ended or aborted a running stream
 */
export type AgentStreamErrorCode =
  | 'tuners_busy'
  | 'tuner_taken'
  | 'no_signal'
  | 'agent_unreachable'
  | 'agent_misconfigured'
  | 'agent_silent'
  | 'silent'
  | 'ended';

export class AgentStreamError extends Error {
  override readonly name = 'AgentStreamError';
  constructor(
    readonly code: AgentStreamErrorCode,
    /** For the log: the message of the agent or of the system. */
    message: string,
    /** The agent's sentence in Japanese, if it sent one. */
    readonly sentence: string | null = null,
  ) {
    super(message);
  }
}

export interface AgentStreamHandlers {
  /**
   * The agent's response has begun. Called once, before the first `data`. @param tunerId the agent's name of the tuner
   */
  opened(tunerId: string | null): void;
  /** Bytes of the stream, in any pieces, for the callee to own. An error ends the stream. */
  data(bytes: OwnedBytes): void;
}

export interface AgentStreamLimits {
  /** Timeout of the agent's response, ms. */
  openMs?: number | undefined;
  /** Timeout without a byte, ms. */
  silenceMs?: number | undefined;
}

/** Connecting takes one round trip. */
const CONNECT_MS = 5_000;
/** The agent answers the list of tuners from memory. */
const PROBE_MS = 3_000;
/** A USB tuner may take 15 s to lock; before that the tuner may be handed over by another recording. */
const OPEN_MS = 30_000;
/** The agent guarantees bytes within 5 s of tuning and ends a stream without data. */
const SILENCE_MS = 8_000;
/** A refusal is a sentence; a longer one is ignored. */
const MAX_REFUSAL_BYTES = 4096;

/**
 * Reads a stream of the agent until it ends. Aborting closes the connection, which releases the tuner.
 * @throws AgentStreamError (also at the stream's regular end: `ended`), the signal's reason, the error of `data`
 */
export async function readAgentStream(
  url: string,
  handlers: AgentStreamHandlers,
  signal: AbortSignal,
  limits: AgentStreamLimits = {},
): Promise<never> {
  signal.throwIfAborted();
  const reading = new StreamReading(handlers, new URL(url), limits);
  const abort = (): void => reading.fail(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await reading.run();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The fields of an agent's tuner that are read here; without schemas, for the reception workers. */
interface TunerState {
  readonly id?: unknown;
  readonly tuned?: { readonly type?: unknown; readonly channel?: unknown } | null;
}

/**
 * Why the agent ended a running stream: a tuner that receives another channel by now was taken. Never rejects.
 * @param url of the stream @param tunerId its tuner, if the agent named it
 */
export async function whyEnded(
  url: string,
  tunerId: string | null,
): Promise<'tuner_taken' | 'ended' | 'agent_unreachable'> {
  if (tunerId === null) return 'ended';
  const wanted = new URL(url).searchParams;
  try {
    const response = await fetch(new URL('/agent/tuners', url), { signal: AbortSignal.timeout(PROBE_MS) });
    const tuners = (await response.json()) as TunerState[];
    const tuned = tuners.find(({ id }) => id === tunerId)?.tuned ?? null;
    const isSame = tuned?.type === wanted.get('type') && tuned.channel === wanted.get('channel');
    return tuned === null || isSame ? 'ended' : 'tuner_taken';
  } catch {
    return 'agent_unreachable';
  }
}

type Socket = Pick<Bun.Socket, 'write' | 'terminate'>;

class StreamReading {
  readonly #over = Promise.withResolvers<never>();
  readonly #parser: HttpResponseParser;
  readonly #silence: AwakeTimer;
  readonly #opening: ReturnType<typeof setTimeout>;
  readonly #connecting: ReturnType<typeof setTimeout>;
  #head: HttpHead | undefined;
  /** Body of a response that is not a stream. */
  #refusal: Uint8Array[] = [];
  #refusalBytes = 0;
  #socket: Socket | undefined;
  #isOver = false;
  /** The part of the request that is not written to the socket yet. */
  #unsent = new Uint8Array();

  constructor(
    private readonly handlers: AgentStreamHandlers,
    private readonly url: URL,
    limits: AgentStreamLimits,
  ) {
    const { openMs = OPEN_MS, silenceMs = SILENCE_MS } = limits;
    this.#parser = new HttpResponseParser({
      head: (head) => this.#takeHead(head),
      body: (bytes) => this.#takeBody(bytes),
      end: () => this.#takeEnd(),
    });
    this.#silence = new AwakeTimer({
      limitMs: silenceMs,
      clock: systemMonotonicClock,
      onExpired: (awakeMs) =>
        this.fail(new AgentStreamError('silent', `no data for ${Math.round(awakeMs)} ms`)),
    });
    this.#opening = setTimeout(() => void this.#explainTimeout(), openMs);
    this.#connecting = setTimeout(
      () => this.fail(new AgentStreamError('agent_silent', 'connecting timed out')),
      CONNECT_MS,
    );
    this.#over.promise.catch(() => {});
  }

  async run(): Promise<never> {
    const { url } = this;
    const secure = url.protocol === 'https:';
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const host = `Host: ${url.host}\r\n`;
    this.#unsent = new TextEncoder().encode(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\n${host}Accept: */*\r\nAccept-Encoding: identity\r\n\r\n`,
    );
    try {
      const socket = await Bun.connect({
        hostname,
        port: Number(url.port) || (secure ? 443 : 80),
        ...(secure ? { tls: { serverName: hostname } } : {}),
        socket: {
          open: (opened) => {
            clearTimeout(this.#connecting);
            this.#send(opened);
          },
          drain: (ready) => this.#send(ready),
          data: (_socket, bytes) => this.#feed(bytes),
          end: () => this.#closed(),
          close: (_socket, error) => this.#closed(error),
          error: (_socket, error) => this.#broken(error),
          connectError: (_socket, error) => this.#broken(error),
        },
      });
      this.#socket = socket;
      if (this.#isOver) socket.terminate();
    } catch (error) {
      this.#broken(error);
    }
    return await this.#over.promise;
  }

  /** Ends the reading; the first reason is kept. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#opening);
    clearTimeout(this.#connecting);
    this.#silence.stop();
    this.#socket?.terminate();
    this.#over.reject(reason);
  }

  /** A tuner that receives nothing is refused in time: an agent that only answers other requests is still tuning. */
  async #explainTimeout(): Promise<void> {
    const isAnswering = await fetch(new URL('/agent/tuners', this.url), {
      signal: AbortSignal.timeout(PROBE_MS),
    }).then(
      async ({ body }) => {
        await body?.cancel();
        return true;
      },
      () => false,
    );
    const code = isAnswering ? 'no_signal' : 'agent_silent';
    this.fail(new AgentStreamError(code, isAnswering ? 'tuning timed out' : 'no answer'));
  }

  #send(socket: Socket): void {
    if (this.#unsent.length === 0) return;
    this.#unsent = this.#unsent.subarray(Math.max(0, socket.write(this.#unsent)));
  }

  #feed(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#parser.feed(bytes);
    } catch (error) {
      if (error instanceof HttpSyntaxError) this.#broken(error);
      else this.fail(error);
    }
  }

  #takeHead(head: HttpHead): void {
    this.#head = head;
    if (head.status !== 200) return;
    clearTimeout(this.#opening);
    this.#silence.restart();
    this.handlers.opened(head.headers.get(TUNER_HEADER) ?? null);
  }

  #takeBody(bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#head?.status === 200) {
      this.#silence.restart();
      this.handlers.data(new OwnedBytes(bytes));
      return;
    }
    this.#refusal.push(bytes.slice());
    this.#refusalBytes += bytes.length;
    if (this.#refusalBytes > MAX_REFUSAL_BYTES) this.fail(refusal(this.#head?.status ?? 0, ''));
  }

  #takeEnd(): void {
    const status = this.#head?.status ?? 0;
    if (status === 200) this.fail(new AgentStreamError('ended', 'the agent ended the stream'));
    else this.fail(refusal(status, Buffer.concat(this.#refusal).toString('utf8')));
  }

  #closed(error?: Error): void {
    if (this.#isOver) return;
    try {
      this.#parser.close();
    } catch (syntax) {
      this.#broken(error ?? syntax);
    }
  }

  /** The connection failed: before the response the agent is unreachable, afterwards the stream was aborted. */
  #broken(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const status = this.#head?.status;
    if (status === 200) this.fail(new AgentStreamError('ended', `the agent cut the stream: ${reason}`));
    else if (status !== undefined) this.fail(refusal(status, ''));
    else this.fail(new AgentStreamError('agent_unreachable', reason));
  }
}

/** Error of a response that is not a stream. A known error code sent by the agent takes precedence over the status. */
function refusal(status: number, body: string): AgentStreamError {
  const { message, code } = refusalBody(body);
  return new AgentStreamError(
    code ?? codeOfStatus(status),
    message ?? `HTTP ${status}`,
    message === null ? null : japanese(message),
  );
}

function codeOfStatus(status: number): AgentStreamErrorCode {
  if (status === 409) return 'tuners_busy';
  if (status === 500) return 'no_signal';
  return status >= 400 && status < 500 ? 'agent_misconfigured' : 'agent_unreachable';
}

function refusalBody(body: string): { message: string | null; code: AgentStreamErrorCode | undefined } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { message: null, code: undefined };
  }
  if (typeof parsed !== 'object' || parsed === null) return { message: null, code: undefined };
  const message = 'message' in parsed && typeof parsed.message === 'string' ? parsed.message : null;
  const agentCode = 'code' in parsed ? parsed.code : undefined;
  return { message, code: STREAM_REFUSALS.find((known) => known === agentCode) };
}

export interface StreamProblem {
  code: AgentStreamErrorCode;
  /** For the log. */
  reason: string;
  /** The agent's own sentence in Japanese, if it sent one. */
  sentence: string | null;
}

const PROBLEMS: Record<AgentStreamErrorCode, readonly [code: ProblemCode, sentence: string]> = {
  tuners_busy: ['no_tuner', 'チューナーがすべて使用中です'],
  tuner_taken: ['no_tuner', 'チューナーがほかの用途に使われました'],
  no_signal: ['no_signal', '放送を受信できません。放送休止中か、電波が届いていない可能性があります'],
  silent: ['agent_unavailable', 'チューナーエージェントとの通信が途絶えました'],
  agent_silent: ['agent_unavailable', 'チューナーエージェントから応答がありません'],
  ended: ['no_signal', '放送の受信が途切れました'],
  agent_unreachable: ['agent_unavailable', 'チューナーエージェントに接続できません'],
  agent_misconfigured: [
    'agent_misconfigured',
    'チューナーエージェントの設定に誤りがあるため受信できません。チューナー画面を確認してください',
  ],
};

/**
 * Maps errors of opening an agent's stream to failures for clients: the one table of codes and sentences.
 * The failure to throw to the caller that requested the stream.
 */
export function streamFailure(problem: StreamProblem): AgentStreamFailure {
  return new AgentStreamFailure(problem);
}

/** The sentence alone, for lists of failures. */
export function streamSentence(code: AgentStreamErrorCode): string {
  return PROBLEMS[code][1];
}

/** A `Failure` that keeps the original error code, which is more specific than a `ProblemCode`. */
export class AgentStreamFailure extends Failure {
  constructor(readonly problem: StreamProblem) {
    super(...PROBLEMS[problem.code], { cause: problem.reason });
  }
}
