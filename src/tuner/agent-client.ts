/**
 * Client of the tuner agent's HTTP interface. All responses are validated here; every error is a Failure
 * `agent_unavailable` with a sentence for users.
 */
import { Value } from '@sinclair/typebox/value';
import { AnswerTooLarge, boundedText } from '../../lib/host/bounded-text.ts';
import {
  AgentErrorSchema,
  type AnyTunerDefinition,
  type Card,
  type Channel,
  type DetectedDevices,
  type Tuner,
} from '../../lib/wire/agent.ts';
import { Failure } from '../model/failure.ts';
import { japanese } from './agent-sentence.ts';
import { readCard, readChannels, readDevices, readTuners } from './agent-tables.ts';

/** The agent answers its lists from memory; a slower one counts as unavailable. */
const ANSWER_TIMEOUT_MS = 5000;

/**
 * The largest list that the schemas permit is 512 channels of 256 stations of about 400 bytes; real ones are much
 * smaller.
 */
const MAX_ANSWER_BYTES = 64 * 1_048_576;
const JSON_CONTENT = { 'content-type': 'application/json' };

/** Maps any error of the agent to a failure for the caller. */
export function agentUnavailable(reason: string, cause?: unknown): Failure {
  return new Failure('agent_unavailable', `チューナーエージェントに接続できません（${reason}）`, { cause });
}

/** By the codes of the runtime's fetch and of the system. */
const CONNECTION_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ConnectionRefused', '接続が拒否されました'],
  ['ECONNREFUSED', '接続が拒否されました'],
  ['ConnectionClosed', '通信が途中で切れました'],
  ['ECONNRESET', '通信が途中で切れました'],
  ['EPIPE', '通信が途中で切れました'],
  ['ENOTFOUND', 'アドレスが見つかりません'],
  ['EAI_AGAIN', 'アドレスが見つかりません'],
  ['EHOSTUNREACH', 'ネットワークで届きません'],
  ['ENETUNREACH', 'ネットワークで届きません'],
  ['ETIMEDOUT', '応答がありません'],
]);

export function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return '原因不明';
  if (error.name === 'TimeoutError') return '応答がありません';
  if (error instanceof AnswerTooLarge) return '応答が大きすぎます';
  const code = (error as Error & { code?: unknown }).code;
  return CONNECTION_REASONS.get(code) ?? '通信エラー';
}

export class AgentClient {
  /** Channels of the last list that this version does not know; stored again with every new table. */
  #otherChannels: readonly unknown[] = [];

  /** @param url without a trailing slash */
  constructor(
    readonly url: string,
    private readonly timeoutMs: number = ANSWER_TIMEOUT_MS,
    private readonly maxAnswerBytes: number = MAX_ANSWER_BYTES,
  ) {}

  /** @throws Failure agent_unavailable */
  tuners(signal?: AbortSignal): Promise<Tuner[]> {
    return this.#ask('/agent/tuners', readTuners, signal);
  }

  /** @throws Failure agent_unavailable */
  channels(signal?: AbortSignal): Promise<Channel[]> {
    return this.#ask('/agent/channels', (answer) => this.#readChannels(answer), signal);
  }

  /** @throws Failure agent_unavailable */
  devices(signal?: AbortSignal): Promise<DetectedDevices> {
    return this.#ask('/agent/devices', readDevices, signal);
  }

  /** @throws Failure agent_unavailable */
  card(): Promise<Card> {
    return this.#ask('/agent/card', readCard, undefined);
  }

  /** Replaces the channel definitions. @throws Failure agent_unavailable, or bad_request when the agent refuses them */
  putChannels(channels: readonly Channel[], signal?: AbortSignal): Promise<Channel[]> {
    const table = [...channels, ...this.#otherChannels];
    return this.#ask('/agent/channels', (answer) => this.#readChannels(answer), signal, table);
  }

  /**
   * Replaces the equipment definitions.
   * @throws Failure agent_unavailable, or bad_request with the agent's sentence about the invalid field
   */
  putTuners(tuners: readonly AnyTunerDefinition[], signal?: AbortSignal): Promise<Tuner[]> {
    return this.#ask('/agent/tuners', readTuners, signal, tuners);
  }

  #readChannels(answer: unknown): Channel[] | undefined {
    const read = readChannels(answer);
    if (read !== undefined) this.#otherChannels = read.others;
    return read?.channels;
  }

  /** @param read undefined for an invalid answer @param body is PUT; without one the path is read */
  async #ask<T>(
    path: string,
    read: (answer: unknown) => T | undefined,
    signal: AbortSignal | undefined,
    body?: unknown,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    let answer: unknown;
    let status: number;
    try {
      const response = await fetch(`${this.url}${path}`, {
        ...(body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body), headers: JSON_CONTENT }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      status = response.status;
      answer = parseJson(await boundedText(response, this.maxAnswerBytes));
    } catch (error) {
      throw agentUnavailable(connectionReason(error), error);
    }
    if (status === 403)
      throw agentUnavailable('エージェントの AGENT_NETWORKS がこのサービスを許可していません');
    if (status !== 200) {
      const reason =
        (Value.Check(AgentErrorSchema, answer) ? japanese(answer.message) : null) ??
        `エージェントが要求を断りました（HTTP ${status}）。svc-agent のログを確認してください。`;
      if (status === 400 && body !== undefined) throw new Failure('bad_request', reason);
      // It responds, but cannot read its tables: its sentence names the file.
      if (status === 500 && Value.Check(AgentErrorSchema, answer)) {
        throw new Failure('agent_misconfigured', `チューナーエージェントの設定を読めません。${reason}`);
      }
      throw agentUnavailable(reason);
    }
    const value = read(answer);
    if (value === undefined) throw agentUnavailable(`${path} の応答が不正です`);
    return value;
  }
}

/** Undefined for text that is not JSON: no schema accepts it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
