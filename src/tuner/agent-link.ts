/**
 * The permanent connection to the agent's event stream: reports changes, and whether the agent is available. It
 * reconnects forever, with exponential backoff.
 */
import { type MonotonicMs, systemMonotonicClock } from '../../lib/host/clock.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import { AGENT_EVENTS, type AgentEvent } from '../../lib/wire/vocabulary.ts';
import type { Failure } from '../model/failure.ts';
import { agentUnavailable, connectionReason } from './agent-client.ts';

interface ServerSentEvent {
  /** `message` if the stream names none. */
  name: string;
  data: string;
}

/** Larger events do not occur: then it is not an event stream. */
const MAX_EVENT = 65_536;

/** Splits a Server-Sent Events stream into events. WHATWG HTML, 9.2.6. */
export class ServerSentEventParser {
  readonly #decoder = new TextDecoder();
  #pending = '';
  #name = '';
  #data: string[] = [];
  #size = 0;

  /**
   * Feeds a chunk, cut anywhere; returns the events that it completed.
   * @throws Error if an event, or one line, is longer than 64 KB
   */
  feed(chunk: Uint8Array): ServerSentEvent[] {
    this.#pending += this.#decoder.decode(chunk, { stream: true });
    const events: ServerSentEvent[] = [];
    // A carriage return at the end may be half of a line end.
    const usable = this.#pending.endsWith('\r') ? this.#pending.length - 1 : this.#pending.length;
    const lines = this.#pending.slice(0, usable).split(/\r\n|\n|\r/);
    this.#pending = (lines.pop() ?? '') + this.#pending.slice(usable);
    for (const line of lines) this.#line(line, events);
    if (this.#size + this.#pending.length > MAX_EVENT) throw new Error('event too long');
    return events;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ name: this.#name || 'message', data: this.#data.join('\n') });
      this.#name = '';
      this.#data = [];
      this.#size = 0;
      return;
    }
    this.#size += line.length;
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }
}

export type AgentState =
  /** Not tried yet. */
  | { state: 'connecting'; message: null }
  | { state: 'connected'; message: null }
  /** The last attempt failed; the next one is scheduled. */
  | { state: 'unavailable'; message: string };

export interface AgentLinkOptions {
  /** Without a trailing slash. */
  url: string;
  log: Log;
  /** After (re)connecting: anything may have changed while it was disconnected. */
  onConnected: () => void;
  onEvent: (event: AgentEvent) => void;
  onState?: (state: AgentState) => void;
  firstWaitMs?: number;
  maxWaitMs?: number;
  /**
   * The agent sends a comment every 30 s; without two of them in a row, plus some tolerance, the connection is dead.
   */
  silenceMs?: number;
  /** After a connection of this length the backoff is reset; after a shorter one it is not. */
  steadyMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;

const DEFAULTS = {
  firstWaitMs: 250,
  maxWaitMs: 10_000,
  silenceMs: 75_000,
  steadyMs: 5000,
};

export class AgentLink {
  #state: AgentState = { state: 'connecting', message: null };
  /** Undefined while not connected in this attempt. */
  #connectedAt: MonotonicMs | undefined;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #waiting: AbortController | undefined;
  readonly #options: AgentLinkOptions & typeof DEFAULTS;

  constructor(options: AgentLinkOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  get state(): AgentState {
    return this.#state;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Another request reached the agent: skips the wait for the next attempt. */
  hurry(): void {
    this.#waiting?.abort();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { firstWaitMs, maxWaitMs, steadyMs } = this.#options;
    let wait = firstWaitMs;
    while (!this.#ending.signal.aborted) {
      this.#connectedAt = undefined;
      const failure = await this.#follow();
      if (this.#ending.signal.aborted) return;
      if (this.#connectedAt !== undefined && systemMonotonicClock() - this.#connectedAt >= steadyMs)
        wait = firstWaitMs;
      this.#enter({ state: 'unavailable', message: failure.message });
      this.#waiting = new AbortController();
      await sleepUnlessAborted(wait, AbortSignal.any([this.#ending.signal, this.#waiting.signal]));
      this.#waiting = undefined;
      wait = Math.min(wait * 2, maxWaitMs);
    }
  }

  /** Connects and reads the stream to its end, which is always a failure. */
  async #follow(): Promise<Failure> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([attempt.signal, this.#ending.signal]);
    const watch = (ms: number) => setTimeout(() => attempt.abort(new DOMException('', 'TimeoutError')), ms);
    let timer = watch(CONNECT_TIMEOUT_MS);
    try {
      const response = await fetch(`${this.#options.url}/agent/events`, { signal });
      if (response.status !== 200 || response.body === null) {
        await response.body?.cancel();
        return agentUnavailable(
          response.status === 403
            ? 'エージェントの AGENT_NETWORKS がこのサービスを許可していません'
            : `HTTP ${response.status}`,
        );
      }
      clearTimeout(timer);
      timer = watch(this.#options.silenceMs);
      this.#connectedAt = systemMonotonicClock();
      this.#enter({ state: 'connected', message: null });
      this.#options.onConnected();
      const parser = new ServerSentEventParser();
      for await (const chunk of response.body) {
        clearTimeout(timer);
        timer = watch(this.#options.silenceMs);
        for (const event of parser.feed(chunk)) this.#dispatch(event.name);
      }
      return agentUnavailable('接続が切れました');
    } catch (error) {
      return agentUnavailable(connectionReason(error), error);
    } finally {
      clearTimeout(timer);
      attempt.abort();
    }
  }

  #dispatch(name: string): void {
    const event = AGENT_EVENTS.find((known) => known === name);
    if (event !== undefined) this.#options.onEvent(event);
  }

  #enter(state: AgentState): void {
    const { log, url, onState } = this.#options;
    const changed = state.state !== this.#state.state || state.message !== this.#state.message;
    this.#state = state;
    if (!changed) return;
    if (state.state === 'connected') log.info('agent connected', { url });
    else log.warn('agent unavailable', { url, reason: state.message });
    onState?.(state);
  }
}
