/** Notices: what happened to which thing, and the targets to which they are delivered. */
import { type Static, Type as t } from '@sinclair/typebox';
import { CLOSED, EXTENSIBLE, oneOf, wallMsSchema } from './schema-parts.ts';
import { NOTICE_ACTIONS, NOTICE_EVENTS, NOTICE_KINDS, WEBHOOK_FORMATS } from './vocabulary.ts';

const NoticeActionSchema = t.Object(
  {
    action: oneOf(NOTICE_ACTIONS),
    label: t.String({ description: 'Japanese, for a button' }),
    path: t.Union([t.String(), t.Null()], {
      description: 'screen, relative to the service; null: it is done by `POST /api/notices/<id>/act`',
    }),
  },
  EXTENSIBLE,
);
export type NoticeAction = Static<typeof NoticeActionSchema>;

/** Body of `POST /api/notices/<id>/act`. */
export const NoticeActSchema = t.Object({ action: oneOf(NOTICE_ACTIONS) }, CLOSED);

/** What came of it. */
export const NoticeDoneSchema = t.Object(
  {
    message: t.String({ description: 'Japanese, one sentence' }),
    path: t.String({ description: 'screen that shows it, relative to the service' }),
  },
  EXTENSIBLE,
);
export type NoticeDone = Static<typeof NoticeDoneSchema>;

const NoticeSchema = t.Object(
  {
    id: t.Integer(),
    event: oneOf(NOTICE_EVENTS),
    kind: oneOf(NOTICE_KINDS),
    subject: t.String({ description: 'id of the thing' }),
    text: t.String({ description: 'Japanese, one sentence' }),
    at: wallMsSchema({ description: 'epoch ms' }),
    path: t.String({ description: 'screen of the thing, relative to the service' }),
    actions: t.Array(NoticeActionSchema, { description: 'what can be done about it now' }),
  },
  EXTENSIBLE,
);
export type Notice = Static<typeof NoticeSchema>;
/** Newest first. */
export const NoticesSchema = t.Array(NoticeSchema);

const MINUTE_OF_DAY = { minimum: 0, maximum: 1439 } as const;

const CHOICE = {
  name: t.String({ minLength: 1, maxLength: 60 }),
  events: t.Array(oneOf(NOTICE_EVENTS), { uniqueItems: true, maxItems: NOTICE_EVENTS.length }),
  quiet: t.Union(
    [t.Object({ from: t.Integer(MINUTE_OF_DAY), to: t.Integer(MINUTE_OF_DAY) }, CLOSED), t.Null()],
    { description: 'minutes of the day in Japan; notices wait meanwhile. null: never' },
  ),
  digest: t.Boolean({
    description: 'what needs nobody is collected and sent once a day, at 8 in the morning',
  }),
  enabled: t.Boolean(),
};

const WEBHOOK = {
  format: oneOf(WEBHOOK_FORMATS),
  url: t.String({
    minLength: 1,
    maxLength: 2000,
    description: 'http or https; ntfy: with the topic as its path',
  }),
  secret: t.Union([t.String({ maxLength: 1000 }), t.Null()], {
    description:
      'write only. generic: signs the body; ntfy, gotify, line, telegram: the access token of the service',
  }),
  to: t.Union([t.String({ maxLength: 200 }), t.Null()], {
    description: 'line: user or group id; telegram: chat id; else null',
  }),
};

/** As a browser's PushSubscription gives it. */
const SubscriptionSchema = t.Object(
  {
    endpoint: t.String({ minLength: 1, maxLength: 2000 }),
    keys: t.Object(
      {
        p256dh: t.String({ minLength: 1, maxLength: 200 }),
        auth: t.String({ minLength: 1, maxLength: 100 }),
      },
      EXTENSIBLE,
    ),
  },
  EXTENSIBLE,
);

/** Body of `POST /api/notifications`. */
export const NewTargetSchema = t.Union([
  t.Object(
    {
      kind: t.Literal('webhook'),
      ...{ name: CHOICE.name, format: WEBHOOK.format, url: WEBHOOK.url },
      secret: t.Optional(WEBHOOK.secret),
      to: t.Optional(WEBHOOK.to),
      ...choice(),
    },
    CLOSED,
  ),
  t.Object(
    { kind: t.Literal('push'), name: CHOICE.name, subscription: SubscriptionSchema, ...choice() },
    CLOSED,
  ),
]);
export type NewTarget = Static<typeof NewTargetSchema>;

/** Body of `PUT /api/notifications/<id>`: the fields to change. */
export const TargetChangeSchema = t.Object(
  {
    name: t.Optional(CHOICE.name),
    url: t.Optional(WEBHOOK.url),
    secret: t.Optional(WEBHOOK.secret),
    to: t.Optional(WEBHOOK.to),
    ...choice(),
  },
  CLOSED,
);
export type TargetChange = Static<typeof TargetChangeSchema>;

function choice() {
  return {
    events: t.Optional(CHOICE.events),
    quiet: t.Optional(CHOICE.quiet),
    digest: t.Optional(CHOICE.digest),
    enabled: t.Optional(CHOICE.enabled),
  };
}

const DeliverySchema = t.Object({
  at: wallMsSchema({ description: 'epoch ms' }),
  ok: t.Boolean(),
  message: t.String({ description: 'Japanese' }),
});

export const TargetSchema = t.Object(
  {
    id: t.Integer(),
    kind: t.Union([t.Literal('push'), t.Literal('webhook')]),
    format: t.Union([WEBHOOK.format, t.Null()], { description: 'null: web push' }),
    url: t.String({ description: 'where the address itself is a secret, only its origin' }),
    hasSecret: t.Boolean(),
    to: WEBHOOK.to,
    ...CHOICE,
    last: t.Union([DeliverySchema, t.Null()], { description: 'the last delivery; null: none yet' }),
    waiting: t.Integer({ description: 'notices that are not delivered yet' }),
  },
  EXTENSIBLE,
);
export type Target = Static<typeof TargetSchema>;
export const TargetsSchema = t.Array(TargetSchema);

export const PushKeyResponseSchema = t.Object(
  { publicKey: t.String({ description: 'VAPID, base64url' }) },
  EXTENSIBLE,
);

/** Answer of `POST /api/notifications/<id>/test`. */
export const TestResultSchema = DeliverySchema;

/** What a push message carries, as JSON, and what the service worker shows. */
export interface PushMessage {
  title: string;
  body: string;
  /** Relative to the service's address. */
  path: string;
  /** A later message with the same tag replaces this one. */
  tag: string;
  /** Of a message about one notice: its id and what can be done about it. */
  notice: number | null;
  actions: NoticeAction[];
}
