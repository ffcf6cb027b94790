/**
 * Keeps the state of the service at an MQTT broker, for Home Assistant: connects again with growing pauses, publishes
 * what changed, and says what became of the last attempt.
 */
import type { Elysia } from 'elysia';
import type { WallClock } from '../../lib/host/clock.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Summary } from '../../lib/wire/api.ts';
import { type MqttBroker, MqttBrokerSchema, type MqttState, MqttStateSchema } from '../../lib/wire/mqtt.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { requesterOf } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { MqttBrokerStore, StoredBroker } from '../store/compat-store.ts';
import {
  availabilityMessage,
  discoveryMessages,
  noticeMessage,
  removalMessages,
  stateMessage,
} from './home-assistant.ts';
import { MqttConnection, MqttError } from './mqtt-connection.ts';

interface PublisherOptions {
  readonly store: Pick<MqttBrokerStore, 'get' | 'put'>;
  readonly summary: () => Promise<Summary>;
  /** Newest first. */
  readonly notices: (limit: number) => readonly Notice[];
  /** Constant for this service: letters, digits, `_`. */
  readonly id: string;
  readonly version: string;
  /** The state of the connection changed. */
  readonly onChanged: () => void;
  readonly now: WallClock;
  readonly log: Log;
}

/** What changes without an event, free space above all. */
const STATE_STEP_MS = 30_000;
const MAX_NOTICES = 20;
/** First pause before another attempt, and how often it doubles. */
const PAUSE_MS = 2_000;
const DOUBLINGS = 6;
/** Changes within this time are one. */
const SETTLE_MS = 1_000;

const NONE: StoredBroker = {
  ...{ enabled: false, host: '', port: 1883, tls: false, user: '', password: null, prefix: 'homeassistant' },
};

const MESSAGES = {
  unreachable: 'ブローカーに接続できません。ホスト名とポートを確認してください。',
  certificate: 'ブローカーの証明書を確認できません。',
  unauthorized: 'ブローカーがユーザー名かパスワードを受け付けません。',
  refused: 'ブローカーに接続を断られました。',
  no_broker: 'この宛先は MQTT ブローカーではないようです。',
  silent: 'ブローカーから応答がありません。',
  closed: 'ブローカーとの接続が切れました。',
} as const;

export class MqttPublisher {
  readonly #closing = new AbortController();
  #broker: StoredBroker;
  #connection: MqttConnection | undefined;
  #last: MqttState['last'] = null;
  /** Ends the current wait or connection when the broker was changed. */
  #changed = new AbortController();
  #wake: (() => void) | undefined;
  readonly #working: Promise<void>;

  constructor(private readonly options: PublisherOptions) {
    this.#broker = options.store.get() ?? NONE;
    this.#working = this.#run();
  }

  get state(): MqttState {
    const { password, ...shown } = this.#broker;
    const isConnected = this.#connection !== undefined;
    return { ...shown, hasPassword: password !== null, isConnected, last: this.#last };
  }

  /** @throws Failure bad_request */
  change({ password, ...broker }: MqttBroker): void {
    if (broker.enabled && broker.host === '')
      throw new Failure('bad_request', 'ブローカーのホスト名を入れてください。', { path: 'host' });
    // A password that is never shown does not go to another broker either.
    const isSame = broker.host === this.#broker.host;
    const kept = isSame ? this.#broker.password : null;
    const next = { ...broker, password: password === undefined ? kept : password === '' ? null : password };
    this.options.store.put(next);
    this.#forgetEntities(next);
    this.#broker = next;
    this.#last = null;
    this.#changed.abort();
    this.options.onChanged();
  }

  /** Something that is published may have changed. */
  note(): void {
    this.#wake?.();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#changed.abort();
    await this.#working;
  }

  /** Entities of topics that are no longer used. */
  #forgetEntities(next: StoredBroker): void {
    const { prefix } = this.#broker;
    if (this.#connection === undefined || (next.enabled && next.prefix === prefix)) return;
    for (const message of removalMessages({ ...this.#device, prefix })) this.#connection.publish(message);
  }

  get #device() {
    const { id, version } = this.options;
    return { id, version, prefix: this.#broker.prefix };
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      this.#changed = new AbortController();
      const { signal } = this.#changed;
      if (!this.#broker.enabled) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        failures = 0;
        continue;
      }
      try {
        const connection = await MqttConnection.open(
          this.#broker,
          this.options.id,
          availabilityMessage(this.#device, false),
          signal,
        );
        failures = 0;
        await this.#serve(connection, signal);
      } catch (error) {
        // What is published comes from the database too, which may fail for a while.
        const code = error instanceof MqttError ? error.code : 'closed';
        if (!(error instanceof MqttError)) this.options.log.warn('state not read', { error: String(error) });
        if (!signal.aborted) this.#result(false, MESSAGES[code], code);
      }
      if (signal.aborted) failures = 0;
      else await sleepUnlessAborted(PAUSE_MS * 2 ** Math.min(failures, DOUBLINGS), signal);
      failures += 1;
    }
  }

  /** Until the connection is lost, or no longer wanted. @throws MqttError */
  async #serve(connection: MqttConnection, signal: AbortSignal): Promise<void> {
    const device = this.#device;
    let lost: MqttError | undefined;
    void connection.ended.then((reason) => {
      lost = reason;
      this.note();
    });
    const stop = (): void => this.note();
    signal.addEventListener('abort', stop, { once: true });
    this.#connection = connection;
    this.#result(true, '接続しています');
    try {
      for (const message of discoveryMessages(device)) connection.publish(message);
      connection.publish(availabilityMessage(device, true));
      let [newest] = this.options.notices(1).map(({ id }) => id);
      let sent = '';
      while (lost === undefined && !signal.aborted) {
        const state = stateMessage(device, await this.options.summary());
        if (state.text !== sent) connection.publish(state);
        sent = state.text;
        const notices = this.options.notices(MAX_NOTICES).filter(({ id }) => id > (newest ?? 0));
        newest = notices[0]?.id ?? newest;
        for (const notice of notices.toReversed()) connection.publish(noticeMessage(device, notice));
        await this.#pause(signal);
      }
      if (lost !== undefined) throw lost;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#connection = undefined;
      connection.publish(availabilityMessage(device, false));
      connection.close();
    }
  }

  /** Until something may have changed, and a little longer, because one change follows another. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, STATE_STEP_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
    await sleepUnlessAborted(SETTLE_MS, signal);
  }

  #result(ok: boolean, message: string, code?: string): void {
    const { now, log, onChanged } = this.options;
    const isNew = this.#last?.message !== message;
    this.#last = { at: now(), ok, message };
    if (isNew && ok) log.info('MQTT broker connected');
    else if (isNew) log.warn('MQTT broker not connected', { code });
    if (isNew) onChanged();
  }
}

const tags = ['system'];

/** `/api/mqtt`: the broker that Home Assistant reads. */
export function addMqttRoutes(app: Elysia, publisher: MqttPublisher): void {
  app.get('/api/mqtt', ({ request }) => polledJson(request, polledAnswer(publisher.state)), {
    detail: {
      summary: 'The MQTT broker for Home Assistant, and whether it is connected',
      description: 'Without the password. Carries an ETag. The event `settings` reports changes.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('broker and state', MqttStateSchema) },
    },
  });

  app.put(
    '/api/mqtt',
    ({ request, body }) => {
      if (requesterOf(request).letIn.by === 'token')
        throw new Failure(
          'forbidden',
          'MQTT の設定は、登録した端末からは変更できません。ブラウザーの画面から変更してください。',
        );
      publisher.change(readAs(MqttBrokerSchema, body));
      return Response.json(publisher.state);
    },
    {
      detail: {
        summary: 'Set the MQTT broker',
        description: 'The connection is made again; `last` is null until its result is known.',
        tags,
        requestBody: jsonBody(MqttBrokerSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('broker and state', MqttStateSchema),
          400: problemResponse('`bad_request` naming the field at fault; nothing was changed'),
        },
      },
    },
  );
}
