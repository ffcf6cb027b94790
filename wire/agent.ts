/**
 * The tuner agent's HTTP interface: requests and responses of `/agent/*`. Both the agent and the service validate
 * with these schemas; apart from them, only the transport stream is sent between the two processes.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { wallMsSchema } from './time-schemas.ts';

export const BroadcastTypeSchema = t.Union([t.Literal('GR'), t.Literal('BS'), t.Literal('CS')]);

export const DriverSchema = t.Union([t.Literal('dvb'), t.Literal('px4'), t.Literal('fake')]);

const TunerStateSchema = t.Union([
  t.Literal('idle'),
  t.Literal('tuning'),
  t.Literal('tuned'),
  t.Literal('lingering'),
  t.Literal('error'),
]);
export type TunerState = Static<typeof TunerStateSchema>;

const TunerUserSchema = t.Object({
  use: t.String(),
  priority: t.Integer(),
  /** Bytes received for this user and not yet read by its connection. */
  lagBytes: t.Integer(),
});
export type TunerUser = Static<typeof TunerUserSchema>;

/** `clear`: nothing scrambled was received. `waiting`: for the first key. */
const DescramblingStateSchema = t.Union([
  t.Literal('clear'),
  t.Literal('waiting'),
  t.Literal('descrambled'),
  t.Literal('scrambled'),
]);
export type DescramblingState = Static<typeof DescramblingStateSchema>;

/**
 * Why there is no key: PC/SC is not installed or its daemon does not run; no reader, no card, a card not for this
 * broadcast; no contract for the programme; an invalid response of the card; no response in time; the other agent
 * (`CARD_URL`) cannot be reached, does not respond, has no share port there, or refuses.
 */
export const KeyFailureSchema = t.Union([
  t.Literal('no_library'),
  t.Literal('no_daemon'),
  t.Literal('no_reader'),
  t.Literal('no_card'),
  t.Literal('unsuitable_card'),
  t.Literal('not_subscribed'),
  t.Literal('card_error'),
  t.Literal('timeout'),
  t.Literal('unreachable'),
  t.Literal('no_answer'),
  t.Literal('not_shared'),
  t.Literal('refused'),
]);
export type KeyFailureCode = Static<typeof KeyFailureSchema>;

export const TunerSchema = t.Object({
  id: t.String(),
  name: t.String(),
  /** `dvb`, `px4`, `fake`, or that of a later agent. */
  driver: t.String(),
  device: t.String(),
  types: t.Array(BroadcastTypeSchema),
  disabled: t.Boolean(),
  lnb: t.Boolean(),
  rank: t.Union([t.Integer(), t.Null()]),
  /** `error`: the tuner itself is unusable. If only its last channel gave no stream, it is `idle` again. */
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
      /** Overflows of the device's own buffer; absent if the driver does not report them. */
      overflows: t.Optional(t.Integer()),
    }),
    t.Null(),
  ]),
  descrambled: t.Boolean(),
  /** Of the current tuning. `scrambled`: packets are output scrambled, because of `failure`. Null: not tuned. */
  descrambling: t.Optional(
    t.Union([
      t.Object({
        state: DescramblingStateSchema,
        failure: t.Union([KeyFailureSchema, t.Null()]),
        /** Programmes without keys, if their tables were read; absent: `failure` applies to all. */
        programs: t.Optional(
          t.Array(t.Object({ serviceId: t.Integer(), failure: KeyFailureSchema }), { maxItems: 64 }),
        ),
      }),
      t.Null(),
    ]),
  ),
  /** Why the last tuning failed, until one succeeds; or why the tuner is unusable. */
  error: t.Union([t.String(), t.Null()]),
  /** Epoch ms: when a tuner in `error` is retried automatically; absent: it is not. */
  retryAt: t.Optional(wallMsSchema()),
  /** Time from the request to the first packets, ms: the longest of the last tunings; absent: there was none. */
  tunedInMs: t.Optional(t.Integer()),
});
export type Tuner = Static<typeof TunerSchema>;
export const TunersSchema = t.Array(TunerSchema);

/** An element of `PUT /agent/tuners` and of `tuners.json`. Unknown fields are dropped, including `command`. */
const TunerDefinitionSchema = t.Object({
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

/** A definition that may have a driver of a later agent, which the agent judges itself. */
const AnyTunerDefinitionSchema = t.Composite([
  t.Omit(TunerDefinitionSchema, ['driver']),
  t.Object({ driver: t.String({ maxLength: 32 }) }),
]);
export type AnyTunerDefinition = Static<typeof AnyTunerDefinitionSchema>;
export const AnyTunerDefinitionsSchema = t.Array(AnyTunerDefinitionSchema, { maxItems: 64 });

/** A tuner of this machine, whether the agent uses it or not. */
const DetectedDeviceSchema = t.Object({
  driver: t.Union([t.Literal('dvb'), t.Literal('px4')]),
  device: t.String(),
  /** Empty if unknown. */
  types: t.Array(BroadcastTypeSchema),
  /** For display: the device's own name, or its driver with well-known models; may be empty. */
  model: t.String(),
  /**
   * Why it is currently unusable; the message contains the next step. `no_system`: for broadcasts of other countries.
   */
  problem: t.Union([
    t.Object({
      code: t.Union([
        t.Literal('permission'),
        t.Literal('busy'),
        t.Literal('no_system'),
        t.Literal('incomplete'),
        t.Literal('failed'),
      ]),
      message: t.String(),
    }),
    t.Null(),
  ]),
});
export type DetectedDevice = Static<typeof DetectedDeviceSchema>;

/** `GET /agent/devices`. */
export const DetectedDevicesSchema = t.Object({ devices: t.Array(DetectedDeviceSchema) });
export type DetectedDevices = Static<typeof DetectedDevicesSchema>;

export const ChannelStationSchema = t.Object({
  serviceId: t.Integer({ minimum: 0, maximum: 0xffff }),
  name: t.String({ maxLength: 256 }),
  serviceType: t.Integer({ minimum: 0, maximum: 0xff }),
  remoteControlKey: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
});
export type ChannelStation = Static<typeof ChannelStationSchema>;

/** A physical channel with the stations found by a scan: an element of `/agent/channels` and `channels.json`. */
export const ChannelSchema = t.Object({
  type: BroadcastTypeSchema,
  channel: t.String({ minLength: 1, maxLength: 32 }),
  tsid: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
  networkId: t.Union([t.Integer({ minimum: 0, maximum: 0xffff }), t.Null()]),
  stations: t.Array(ChannelStationSchema, { maxItems: 256 }),
});
export type Channel = Static<typeof ChannelSchema>;
export const ChannelsSchema = t.Array(ChannelSchema, { maxItems: 512 });

/** `GET /agent/card`. Never contains keys, the card number or data derived from them. */
export const CardSchema = t.Object({
  /** `none`: neither a reader nor a peer was needed or found yet. `shared`: keys come from another agent. */
  state: t.Union([
    t.Literal('none'),
    t.Literal('absent'),
    t.Literal('ready'),
    t.Literal('shared'),
    t.Literal('error'),
  ]),
  reader: t.Union([t.String(), t.Null()]),
  caSystemId: t.Union([t.Integer(), t.Null()]),
  /** Why there are currently no keys. */
  failure: t.Union([KeyFailureSchema, t.Null()]),
  ecm: t.Object({
    requests: t.Integer(),
    cached: t.Integer(),
    failed: t.Integer(),
    /** Of the last responses; null before the first. */
    medianMs: t.Union([t.Number(), t.Null()]),
  }),
  share: t.Union([
    t.Object({
      port: t.Integer(),
      peers: t.Array(t.String()),
      refused: t.Array(t.Object({ peer: t.String(), reason: t.String(), at: wallMsSchema() })),
    }),
    t.Null(),
  ]),
  upstream: t.Union([
    t.Object({ url: t.String(), state: t.String(), reason: t.Union([t.String(), t.Null()]) }),
    t.Null(),
  ]),
});
export type Card = Static<typeof CardSchema>;

/** Every error body of the agent. */
export const AgentErrorSchema = t.Object({
  message: t.String(),
  /** Why `/agent/stream` refuses, if it does. */
  code: t.Optional(
    t.Union([t.Literal('tuners_busy'), t.Literal('no_signal'), t.Literal('agent_misconfigured')]),
  ),
});
export type AgentError = Static<typeof AgentErrorSchema>;

/** Names of the events of `GET /agent/events`; the data of each is `1`. */
export const AGENT_EVENTS = ['tuners', 'channels'] as const;
export type AgentEvent = (typeof AGENT_EVENTS)[number];

/** Response header of `/agent/stream` with the id of the tuner. */
export const TUNER_HEADER = 'x-svc-tuner';

/** Priorities of the users of a tuner; larger wins, equal ones never preempt each other. */
export const PRIORITY = {
  recording: 10,
  live: 9,
  guideNow: 8,
  scan: 5,
  guide: 3,
  logo: 1,
  zapping: 0,
} as const;
