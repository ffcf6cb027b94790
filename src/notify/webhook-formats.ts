/** The request of each kind of webhook. */
import { createHmac } from 'node:crypto';
import type { PublicRequest } from '../../lib/host/public-fetch.ts';
import type { NoticeAction } from '../../lib/wire/notifications.ts';
import type { NoticeEvent, WebhookFormat } from '../../lib/wire/vocabulary.ts';

/** A message: one notice, or several that were collected. */
export interface WebhookMessage {
  /** Constant over all attempts. */
  id: string;
  title: string;
  /** One line a notice. */
  lines: readonly string[];
  /** Screen, relative to the service. */
  path: string;
  /** The same, absolute. */
  url: string;
  isUrgent: boolean;
  /** Somebody waits for it, now. */
  isPrompt: boolean;
  /** Epoch ms of the newest notice. */
  at: number;
  /** Of a message with one notice. */
  single?: {
    id: number;
    event: NoticeEvent;
    kind: string;
    subject: string;
    facts: object;
    actions: NoticeAction[];
  };
}

interface Recipient {
  url: string;
  secret: string | null;
  to: string | null;
}

interface WebhookRequest extends PublicRequest {
  url: URL;
}

type Format = (message: WebhookMessage, recipient: Recipient, nowMs: number) => WebhookRequest;

/** Most of a message that each service accepts, characters (LINE 5,000, Telegram 4,096, Discord 2,000). */
const MAX_TEXT = 1_900;

export function messageText({ lines }: WebhookMessage): string {
  const text = lines.join('\n');
  const letters = [...text];
  return letters.length <= MAX_TEXT ? text : `${letters.slice(0, MAX_TEXT).join('')}…`;
}

function json(url: string | URL, body: unknown, headers: Record<string, string> = {}): WebhookRequest {
  const content = { 'content-type': 'application/json; charset=utf-8' };
  return {
    url: new URL(url),
    method: 'POST',
    headers: { ...content, ...headers },
    body: JSON.stringify(body),
  };
}

function bearer(secret: string | null): Record<string, string> {
  return secret === null || secret === '' ? {} : { authorization: `Bearer ${secret}` };
}

/** Red for what needs somebody, else blue. */
const COLORS = { urgent: 0xc6_28_28, other: 0x15_65_c0 };

/** Standard Webhooks: the signed content is `id.timestamp.body`. */
const generic: Format = (message, { url, secret }, nowMs) => {
  const { id, at, single } = message;
  const body = JSON.stringify({
    ...{ id, event: single?.event ?? 'digest', text: messageText(message), at, url: message.url },
    ...(single === undefined ? {} : { [single.kind]: { id: single.subject, ...single.facts } }),
  });
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  };
  if (secret !== null && secret !== '') {
    const signature = createHmac('sha256', keyOf(secret))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
    headers['webhook-signature'] = `v1,${signature}`;
  }
  return { url: new URL(url), method: 'POST', headers, body };
};

/** A key that begins with `whsec_` is base64, any other is taken as text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}

export const WEBHOOKS: Readonly<Record<WebhookFormat, Format>> = {
  generic,
  discord: (message, { url }) =>
    json(url, {
      username: 'svc',
      embeds: [
        {
          title: message.title,
          description: messageText(message),
          color: message.isUrgent ? COLORS.urgent : COLORS.other,
          url: message.url,
          timestamp: new Date(message.at).toISOString(),
        },
      ],
      // A title never calls anybody.
      allowed_mentions: { parse: [] },
    }),
  // Slack reads `&`, `<` and `>` as markup.
  slack: (message, { url }) => {
    const text = messageText(message)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    return json(url, { text: `*${message.title}*\n${text}\n<${message.url}|svcで開く>` });
  },
  ntfy: (message, { url, secret }) => {
    const target = new URL(url);
    const topic = decodeURIComponent(target.pathname.split('/').filter(Boolean).at(-1) ?? '');
    target.pathname = target.pathname.replace(/[^/]*\/?$/, '');
    return json(
      target,
      {
        ...{ topic, title: message.title, message: messageText(message), click: message.url },
        priority: message.isUrgent ? 4 : 3,
        tags: [message.isUrgent ? 'warning' : 'tv'],
      },
      bearer(secret),
    );
  },
  gotify: (message, { url, secret }) =>
    json(
      new URL('message', url.endsWith('/') ? url : `${url}/`),
      {
        ...{ title: message.title, message: messageText(message), priority: message.isUrgent ? 8 : 4 },
        extras: { 'client::notification': { click: { url: message.url } } },
      },
      { 'x-gotify-key': secret ?? '' },
    ),
  line: (message, { url, secret, to }) =>
    json(
      url,
      { to, messages: [{ type: 'text', text: `${message.title}\n${messageText(message)}\n${message.url}` }] },
      { ...bearer(secret), 'x-line-retry-key': message.id },
    ),
  telegram: (message, { url, secret, to }) =>
    json(new URL(`/bot${encodeURIComponent(secret ?? '').replaceAll('%3A', ':')}/sendMessage`, url), {
      chat_id: to,
      text: `${message.title}\n${messageText(message)}\n${message.url}`,
      link_preview_options: { is_disabled: true },
    }),
};

/** Where the address itself is the secret: only its origin is shown again. */
export const HAS_SECRET_URL: ReadonlySet<WebhookFormat> = new Set(['discord', 'slack']);
