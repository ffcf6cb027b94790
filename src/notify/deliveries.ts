/**
 * Delivers notices to targets: at least once, in order, with a constant id a message. Each target is served on its
 * own, so that one that does not answer delays no other.
 */
import { DAY_MS, JST_OFFSET_MS, MINUTE_MS } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { type PublicAnswer, PublicFetchError, type PublicRequest } from '../../lib/host/public-fetch.ts';
import type { NoticeAction } from '../../lib/wire/notifications.ts';
import { type NoticeEvent, URGENT_EVENTS } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { DueNotice, StoredNotice, StoredTarget } from '../model/notice.ts';
import type { NoticeStore } from '../store/notice-store.ts';
import type { Write } from '../store/transaction.ts';
import { EVENT_TITLES, type NoticeText, noticePath } from './notice-text.ts';
import { type PushKeys, pushRequest } from './push.ts';
import { WEBHOOKS, type WebhookMessage } from './webhook-formats.ts';

/** Collected notices are sent at this minute of the day: eight in the morning. */
const DIGEST_MINUTE = 8 * 60;
/** Delays after failed attempts (Standard Webhooks); after the last the message is given up. */
const RETRY_MS = [5_000, MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS] as const;
/** A message has so many notices at most; scripts get each one separately until there are too many. */
const MAX_LINES = 20;

function isUrgent(event: NoticeEvent): boolean {
  return URGENT_EVENTS.includes(event);
}

/** Nothing that still could be delivered would be of use. @param now epoch ms */
function isOver({ facts }: Pick<StoredNotice, 'facts'>, now: number): boolean {
  return facts.endAt !== undefined && facts.endAt <= now;
}

/** Somebody waits for it. */
function isPrompt(event: NoticeEvent): boolean {
  return isUrgent(event) || event === 'reminder';
}

/** Epoch ms; undefined: this target does not get it. @param now epoch ms */
function dueAt(
  target: StoredTarget,
  { event }: Pick<StoredNotice, 'event'>,
  now: number,
): number | undefined {
  if (!target.enabled || !target.events.includes(event)) return undefined;
  // As an alarm clock: whoever asked for it did so by hand.
  if (event === 'reminder') return now;
  const at = target.digest && !isUrgent(event) ? nextMinute(now, DIGEST_MINUTE) : now;
  return afterQuiet(target.quiet, at);
}

/** The next time at this minute of the day in Japan, later than `now`. */
function nextMinute(now: number, minute: number): number {
  const day = Math.floor((now + JST_OFFSET_MS) / DAY_MS) * DAY_MS - JST_OFFSET_MS;
  const at = day + minute * MINUTE_MS;
  return at > now ? at : at + DAY_MS;
}

/** `at`, or the end of the quiet hours that it falls into. They may pass midnight. */
function afterQuiet(quiet: StoredTarget['quiet'], at: number): number {
  if (quiet === null || quiet.from === quiet.to) return at;
  const minute = Math.floor(((at + JST_OFFSET_MS) % DAY_MS) / MINUTE_MS);
  const { from, to } = quiet;
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  return isQuiet ? nextMinute(at, to) : at;
}

/** The next message: the rest of one that was tried before, else what is due now. @param due oldest first, not empty */
function nextMessage(
  target: Pick<StoredTarget, 'format' | 'digest'>,
  due: readonly DueNotice[],
): DueNotice[] {
  const tried = due.find(({ message }) => message !== null);
  if (tried !== undefined) return due.filter(({ message }) => message === tried.message);
  const isForScripts = target.format === 'generic' && !target.digest && due.length <= MAX_LINES;
  return isForScripts ? due.slice(0, 1) : [...due];
}

/** Lines of a message; of more than fit, the last ones and how many there are besides. */
function linesOf(texts: readonly string[]): string[] {
  if (texts.length <= MAX_LINES) return [...texts];
  const shown = texts.slice(-MAX_LINES + 1);
  return [...shown, `ほか${texts.length - shown.length}件`];
}

interface DeliveryOptions {
  store: NoticeStore;
  text: NoticeText;
  /** What can be done about a notice. */
  actions: (notice: StoredNotice) => NoticeAction[];
  /** @throws PublicFetchError */
  send: (url: URL, request: PublicRequest, signal: AbortSignal) => Promise<PublicAnswer>;
  pushKeys: () => PushKeys;
  onNew: (notices: readonly StoredNotice[]) => void;
  /** A delivery succeeded or failed. */
  onResult: () => void;
  write: Write;
  /** Constant id of a new message. */
  newId: () => string;
  /** Interval of looking for new notices, which other threads write too. */
  pollMs: number;
  log: Log;
  now: WallClock;
}

interface Result {
  ok: boolean;
  /** Japanese. */
  message: string;
  /** It will never succeed: the subscription is gone, or the request is wrong. */
  isFinal?: boolean;
  isGone?: boolean;
  /** Requested by the server. */
  retryAfterMs?: number;
}

const PUSH_CONTACT = 'mailto:push@svc.invalid';
/** Longest wait that a server may request. */
const MAX_WAIT_MS = 6 * 3_600_000;

/** A digest waits a day, quiet hours another, a retry six hours. */
const MAX_AHEAD_MS = 3 * 86_400_000;

export class Deliveries {
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #busy = new Map<number, Promise<void>>();
  /** Aborted: closed. */
  readonly #closing = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(private readonly options: DeliveryOptions) {}

  start(): void {
    this.#timer = setInterval(() => this.look(), this.options.pollMs);
    this.look();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Nothing is being queued or sent. */
  get isIdle(): boolean {
    return this.#looking === undefined && this.#busy.size === 0;
  }

  /** Queues new notices and delivers what is due. */
  look(): void {
    if (this.#isClosed) return;
    this.#looking ??= this.#look()
      .catch((error) => this.options.log.warn('notices not queued', { error: String(error) }))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const { store, write, now, onNew } = this.options;
    const added = await write(() => store.enqueue((target, notice) => dueAt(target, notice, now())));
    if (added.length > 0) onNew(added);
    const next = store.nextDueAt();
    if (next === null) return;
    // Only a clock that has been set back since leaves anything so far away.
    const furthest = now() + MAX_AHEAD_MS;
    if (store.isDueAfter(furthest)) await write(() => store.bringForward(furthest, now()));
    else if (next > now()) return;
    for (const target of store.targets()) {
      if (!target.enabled || this.#busy.has(target.id)) continue;
      const work = this.#serve(target.id)
        .catch((error) =>
          this.options.log.warn('notice not delivered', { target: target.id, error: String(error) }),
        )
        .finally(() => this.#busy.delete(target.id));
      this.#busy.set(target.id, work);
    }
  }

  /** Message after message until nothing is due, or one fails. */
  async #serve(id: number): Promise<void> {
    const { store, now, write, newId } = this.options;
    while (!this.#isClosed) {
      const target = store.target(id);
      const due = target === undefined ? [] : store.due(id, now());
      if (target === undefined || due.length === 0) return;
      const late = due.filter((notice) => isOver(notice, now())).map((notice) => notice.id);
      if (late.length > 0) {
        await write(() => store.done(id, late, target.last));
        continue;
      }
      const notices = nextMessage(target, due);
      const ids = notices.map((one) => one.id);
      const messageId = notices[0]?.message ?? newId();
      if (notices[0]?.message === null) await write(() => store.compose(id, ids, messageId));
      const result = await this.#send(target, this.#message(target, notices, messageId));
      // Not a failed attempt: the answer may still have been a success.
      if (this.#isClosed) return;
      await write(() => this.#settle(target, notices, result));
      this.options.onResult();
      if (!result.ok && result.isFinal !== true) return;
    }
  }

  #settle(target: StoredTarget, notices: readonly DueNotice[], result: Result): void {
    const { store, now, log } = this.options;
    const ids = notices.map((one) => one.id);
    const last = { at: now(), ok: result.ok, message: result.message };
    const attempts = notices[0]?.attempts ?? 0;
    const delay = RETRY_MS[attempts];
    if (result.isGone === true) {
      log.info('notice target removed: its subscription has ended', { target: target.id });
      store.removeTarget(target.id);
    } else if (result.ok || result.isFinal === true || delay === undefined) {
      if (!result.ok)
        log.warn('notices given up', { target: target.id, notices: ids.length, result: result.message });
      store.done(target.id, ids, last);
    } else {
      store.noteResult(target.id, last);
      store.postpone(target.id, ids, now() + Math.max(delay, result.retryAfterMs ?? 0));
    }
  }

  #message(target: StoredTarget, notices: readonly DueNotice[], id: string): WebhookMessage {
    const { text, actions } = this.options;
    const [first] = notices;
    const isSingle = notices.length === 1 && first !== undefined;
    const urgent = notices.filter(({ event }) => isUrgent(event));
    const path = isSingle ? noticePath(first) : '';
    return {
      id,
      title: isSingle ? EVENT_TITLES[first.event] : `お知らせ ${notices.length}件`,
      lines: linesOf(notices.map(text)),
      path,
      url: new URL(path, target.base).href,
      isUrgent: urgent.length > 0,
      isPrompt: notices.some(({ event }) => isPrompt(event)),
      at: notices.at(-1)?.at ?? 0,
      ...(isSingle ? { single: { ...first, actions: actions(first) } } : {}),
    };
  }

  /** Sends a message of its own. @throws Failure not_found */
  async test(id: number): Promise<{ at: number; ok: boolean; message: string }> {
    const { store, now, newId, write } = this.options;
    const target = store.target(id);
    if (target === undefined) throw new Failure('not_found', '通知先が見つかりません。');
    const result = await this.#send(target, {
      ...{ id: newId(), title: 'テスト', lines: ['svc からの通知のテストです。'], path: 'settings' },
      ...{ url: new URL('settings', target.base).href, isUrgent: false, isPrompt: true, at: now() },
    });
    const last = { at: now(), ok: result.ok, message: result.message };
    await write(() => store.noteResult(id, last));
    this.options.onResult();
    return last;
  }

  async #send(target: StoredTarget, message: WebhookMessage): Promise<Result> {
    const { send, pushKeys, now } = this.options;
    try {
      const { format, url, secret } = target;
      const contact = target.base.startsWith('https:') ? target.base : PUSH_CONTACT;
      const request =
        format === null
          ? pushRequest(message, { url, keys: secret ?? '{}' }, { ...pushKeys(), contact }, now())
          : WEBHOOKS[format](message, target, now());
      return resultOf(await send(request.url, request, this.#closing.signal), format === null);
    } catch (error) {
      // The error may quote the address, which may be a secret.
      if (!(error instanceof PublicFetchError))
        return { ok: false, isFinal: true, message: '通知先の設定が正しくないため、送れませんでした。' };
      return { ok: false, message: FETCH_TEXTS[error.code], isFinal: error.code === 'refused' };
    }
  }

  /** Messages that are being sent are sent again after the restart. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#busy.values());
  }
}

const FETCH_TEXTS = {
  refused:
    '家の中のアドレスには送りません。送るには、サービスの環境変数 NOTIFY_PRIVATE を 1 にしてください。',
  unreachable: '通知先に接続できませんでした。アドレスとインターネット接続を確認してください。',
  too_large: '通知先が正しく応答しませんでした。',
} as const;

function resultOf({ status, headers }: PublicAnswer, isPush: boolean): Result {
  if (status >= 200 && status < 300) return { ok: true, message: '届きました。' };
  if (isPush && (status === 404 || status === 410))
    return { ok: false, isGone: true, message: 'この端末の通知は解除されています。' };
  if (status === 429) {
    const seconds = Number(headers.get('retry-after'));
    const requested = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : 0;
    return { ok: false, message: '通知先が混み合っています。あとで送り直します。', retryAfterMs: requested };
  }
  if (status === 401 || status === 403)
    return {
      ok: false,
      isFinal: true,
      message: `通知先に拒否されました（${status}）。アドレスとトークンを確認してください。`,
    };
  if (status === 413) return { ok: false, isFinal: true, message: '通知が長すぎて届きませんでした。' };
  const isFinal = status >= 300 && status < 500 && status !== 408;
  return {
    ...{ ok: false, isFinal },
    message:
      status >= 300 && status < 400
        ? '通知先が別のアドレスへ移っています。新しいアドレスを入れてください。'
        : `通知先がエラーを返しました（${status}）。`,
  };
}
