/**
 * The tuner agent's HTTP interface: what `/agent/*` sends and takes. Both the agent and the service validate
 * with these schemas; nothing else crosses between the two processes but the transport stream itself.
 */
import { type Static, Type as t } from '@sinclair/typebox';

export const BroadcastTypeSchema = t.Union([t.Literal('GR'), t.Literal('BS'), t.Literal('CS')]);

export const DriverSchema = t.Union([t.Literal('dvb'), t.Literal('px4'), t.Literal('fake')]);
export type Driver = Static<typeof DriverSchema>;

export const TunerStateSchema = t.Union([
  t.Literal('idle'),
  t.Literal('tuning'),
  t.Literal('tuned'),
  t.Literal('lingering'),
  t.Literal('error'),
]);
export type TunerState = Static<typeof TunerStateSchema>;

export const TunerUserSchema = t.Object({
  use: t.String(),
  priority: t.Integer(),
  /** Bytes received for this user and not yet taken by its connection. */
  lagBytes: t.Integer(),
});
export type TunerUser = Static<typeof TunerUserSchema>;

export const TunerSchema = t.Object({
  id: t.String(),
  name: t.String(),
  driver: DriverSchema,
  device: t.String(),
  types: t.Array(BroadcastTypeSchema),
  disabled: t.Boolean(),
  lnb: t.Boolean(),
  rank: t.Union([t.Integer(), t.Null()]),
  /** `error`: the tuner itself cannot be used. One whose last channel gave no stream is `idle` again. */
  state: TunerStateSchema,
  tuned: t.Union([t.Object({ type: BroadcastTypeSchema, channel: t.String() }), t.Null()]),
  users: t.Array(TunerUserSchema),
  /** cnr in dB, strength in dBm. */
  signal: t.Union([
    t.Object({
      locked: t.Boolean(),
      cnr: t.Union([t.Number(), t.Null()]),
      strength: t.Union([t.Number(), t.Null()]),
    }),
    t.Null(),
  ]),
  /** Counts since the current tuning began. */
  stats: t.Union([
    t.Object({
      packets: t.Integer(),
      syncErrors: t.Integer(),
      transportErrors: t.Integer(),
      continuityErrors: t.Integer(),
      scrambled: t.Integer(),
    }),
    t.Null(),
  ]),
  descrambled: t.Boolean(),
  /** Why the last tuning failed, until one comes through; or why the tuner cannot be used. */
  error: t.Union([t.String(), t.Null()]),
  /** Epoch ms: when a tuner in `error` is tried again by itself; absent: it is not. */
  retryAt: t.Optional(t.Integer()),
});
export type Tuner = Static<typeof TunerSchema>;
export const TunersSchema = t.Array(TunerSchema);

/** An element of `PUT /agent/tuners` and of `tuners.json`. Unknown fields are dropped, `command` among them. */
export const TunerDefinitionSchema = t.Object({
  id: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
  name: t.Optional(t.String({ maxLength: 128 })),
  driver: DriverSchema,
  device: t.String({ maxLength: 256 }),
  types: t.Array(BroadcastTypeSchema, { minItems: 1, uniqueItems: true }),
  disabled: t.Optional(t.Boolean()),
  lnb: t.Optional(t.Boolean()),
});
export type TunerDefinition = Static<typeof TunerDefinitionSchema>;
export const TunerDefinitionsSchema = t.Array(TunerDefinitionSchema, { maxItems: 64 });

export const ChannelStationSchema = t.Object({
  serviceId: t.Integer({ minimum: 0, maximum: 0xffff }),
  name: t.String({ maxLength: 256 }),
  serviceType: t.Integer({ minimum: 0, maximum: 0xff }),
  remoteControlKey: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
});
export type ChannelStation = Static<typeof ChannelStationSchema>;

/** A physical channel with what a scan found on it: an element of `/agent/channels` and `channels.json`. */
export const ChannelSchema = t.Object({
  type: BroadcastTypeSchema,
  channel: t.String({ minLength: 1, maxLength: 32 }),
  tsid: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
  networkId: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
  stations: t.Array(ChannelStationSchema, { maxItems: 256 }),
});
export type Channel = Static<typeof ChannelSchema>;
export const ChannelsSchema = t.Array(ChannelSchema, { maxItems: 512 });

/** Every error body of the agent. */
export const AgentErrorSchema = t.Object({ message: t.String() });
export type AgentError = Static<typeof AgentErrorSchema>;

/** Names of the events of `GET /agent/events`; the data of each is `1`. */
export const AGENT_EVENTS = ['tuners', 'channels'] as const;
export type AgentEvent = (typeof AGENT_EVENTS)[number];

/** Response header of `/agent/stream` that names the tuner. */
export const TUNER_HEADER = 'x-svc-tuner';

/** Priorities of the users of a tuner; larger wins, equals never preempt each other. */
export const PRIORITY = {
  recording: 10,
  live: 9,
  guideNow: 8,
  scan: 5,
  guide: 3,
  logo: 1,
  zapping: 0,
} as const;
