/**
 * The tuner agent's HTTP interface: requests and responses of `/agent/*`. Both the agent and the service validate
 * with these schemas; apart from them, only the transport stream is sent between the two processes.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { BROADCAST_TYPES } from '../arib/ids.ts';
import { KEY_FAILURES } from './key-failure.ts';
import { oneOf, wallMsSchema } from './schema-parts.ts';
import {
  CARD_STATES,
  DESCRAMBLING_STATES,
  DEVICE_DRIVERS,
  DEVICE_PROBLEMS,
  DRIVERS,
  STREAM_REFUSALS,
  TUNER_NAME_LENGTH,
  TUNER_STATES,
} from './vocabulary.ts';

export const BroadcastTypeSchema = oneOf(BROADCAST_TYPES);

export const DriverSchema = oneOf(DRIVERS);

const TunerUserSchema = t.Object({
  use: t.String(),
  priority: t.Integer(),
  /** Bytes received for this user and not yet read by its connection. */
  lagBytes: t.Integer(),
});

export const KeyFailureSchema = oneOf(KEY_FAILURES);

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
  state: oneOf(TUNER_STATES),
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
        state: oneOf(DESCRAMBLING_STATES),
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
  /**
   * Time from the request to the first packets, ms: the longest of the last tunings for recordings and viewers, or for
   * other uses if there was none; absent: not tuned yet.
   */
  tunedInMs: t.Optional(t.Integer()),
});
export type Tuner = Static<typeof TunerSchema>;
export const TunersSchema = t.Array(TunerSchema);

/** An element of `PUT /agent/tuners` and of `tuners.json`. Unknown fields are dropped, including `command`. */
const TunerDefinitionSchema = t.Object({
  id: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
  name: t.Optional(t.String({ maxLength: TUNER_NAME_LENGTH })),
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
  driver: oneOf(DEVICE_DRIVERS),
  device: t.String(),
  /** Empty if unknown. */
  types: t.Array(BroadcastTypeSchema),
  /** For display: the device's own name, or its driver with well-known models; may be empty. */
  model: t.String(),
  /** Why it is currently unusable; the message contains the next step. */
  problem: t.Union([
    t.Object({
      code: oneOf(DEVICE_PROBLEMS),
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
  state: oneOf(CARD_STATES),
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

export const AgentErrorSchema = t.Object({
  message: t.String(),
  /** Why `/agent/stream` refuses, if it does. */
  code: t.Optional(oneOf(STREAM_REFUSALS)),
});
export type AgentError = Static<typeof AgentErrorSchema>;
