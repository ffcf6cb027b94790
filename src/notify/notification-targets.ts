/** Targets of notices: what users may set, and what they see of it. */
import type { NewTarget, Target, TargetChange } from '../../lib/wire/notifications.ts';
import { DEFAULT_EVENTS, type WebhookFormat } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { NewStoredTarget, StoredTarget } from '../model/notice.ts';
import type { NoticeStore } from '../store/notice-store.ts';
import { HAS_SECRET_URL } from './webhook-formats.ts';

/** Browsers of a household, and some services. */
const MAX_TARGETS = 50;
/** Formats that need a token, and those that need a recipient. */
const NEEDS_SECRET: ReadonlySet<WebhookFormat> = new Set(['gotify', 'line', 'telegram']);
const NEEDS_RECIPIENT: ReadonlySet<WebhookFormat> = new Set(['line', 'telegram']);

const DEFAULTS = { events: [...DEFAULT_EVENTS], quiet: null, digest: true, enabled: true };

export class NotificationTargets {
  constructor(
    private readonly store: NoticeStore,
    private readonly onChanged: () => void,
  ) {}

  list(): Target[] {
    return this.store.targets().map((target) => this.#shown(target));
  }

  /** @param base address of the service, for links @throws Failure bad_request, conflict */
  add(target: NewTarget, base: string): Target {
    if (this.store.targets().length >= MAX_TARGETS)
      throw new Failure('conflict', `通知先は${MAX_TARGETS}件までです。使っていないものを消してください。`);
    const id = this.store.addTarget(checked(storedOf(target, base)));
    this.onChanged();
    return this.#shown(this.#find(id));
  }

  /** @throws Failure not_found, bad_request */
  change(id: number, change: TargetChange, base: string): Target {
    const { id: _, last: _last, ...known } = this.#find(id);
    if (known.kind === 'push' && (change.url ?? change.secret ?? change.to ?? null) !== null)
      throw new Failure('bad_request', 'この端末への通知のあて先は変更できません。', { path: 'url' });
    // A secret that is never shown does not go to another server either.
    const secret = isSameOrigin(change.url ?? known.url, known.url) ? known.secret : null;
    this.store.changeTarget(id, checked({ ...known, secret, ...change, base }));
    this.onChanged();
    return this.#shown(this.#find(id));
  }

  /** @throws Failure not_found */
  remove(id: number): void {
    if (!this.store.removeTarget(id)) throw notFound();
    this.onChanged();
  }

  #find(id: number): StoredTarget {
    const target = this.store.target(id);
    if (target === undefined) throw notFound();
    return target;
  }

  #shown({ secret, base: _, url, ...target }: StoredTarget): Target {
    const isSecret = target.format === null || HAS_SECRET_URL.has(target.format);
    return {
      ...target,
      url: isSecret ? new URL(url).origin : url,
      hasSecret: secret !== null && secret !== '',
      waiting: this.store.waiting(target.id),
    };
  }
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.parse(one)?.origin === URL.parse(other)?.origin;
}

function notFound(): Failure {
  return new Failure('not_found', '通知先が見つかりません。');
}

function storedOf(target: NewTarget, base: string): NewStoredTarget {
  const { name, events, quiet, digest, enabled } = { ...DEFAULTS, ...target };
  const shared = { name, events, quiet, digest, enabled, base };
  if (target.kind === 'push') {
    const { endpoint, keys } = target.subscription;
    const { p256dh, auth } = keys;
    return {
      ...shared,
      kind: 'push',
      format: null,
      url: endpoint,
      secret: JSON.stringify({ p256dh, auth }),
      to: null,
    };
  }
  const { format, url, secret = null, to = null } = target;
  return { ...shared, kind: 'webhook', format, url, secret, to };
}

/** @throws Failure bad_request naming the field */
function checked(target: NewStoredTarget): NewStoredTarget {
  const { kind, format, secret, to } = target;
  const path = kind === 'push' ? 'subscription' : 'url';
  const url = URL.parse(target.url);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Failure('bad_request', 'アドレスは https:// か http:// で始めてください。', { path });
  if (url.username !== '' || url.password !== '')
    throw new Failure('bad_request', 'アドレスにユーザー名やパスワードは入れられません。', { path });
  if (kind === 'push') {
    const keys = JSON.parse(secret ?? '{}') as { p256dh: string; auth: string };
    if (
      Buffer.from(keys.p256dh, 'base64url').length !== 65 ||
      Buffer.from(keys.auth, 'base64url').length !== 16
    )
      throw new Failure('bad_request', 'ブラウザーの通知の鍵が正しくありません。', { path });
  }
  if (format !== null && NEEDS_SECRET.has(format) && (secret ?? '') === '')
    throw new Failure('bad_request', 'アクセストークンを入れてください。', { path: 'secret' });
  if (format !== null && NEEDS_RECIPIENT.has(format) && (to ?? '') === '')
    throw new Failure('bad_request', '送り先のIDを入れてください。', { path: 'to' });
  if (format === 'ntfy' && url.pathname.split('/').filter(Boolean).length === 0)
    throw new Failure(
      'bad_request',
      'トピックまで含めたアドレスを入れてください（例: https://ntfy.sh/my-topic）。',
      {
        path,
      },
    );
  return target;
}
