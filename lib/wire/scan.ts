/** The channel scan over HTTP. Tuners and channels are those of `agent.ts`. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema, ChannelStationSchema, KeyFailureSchema, TunerSchema } from './agent.ts';
import { EXTENSIBLE, oneOf, wallMsSchema } from './schema-parts.ts';
import { SCAN_STATES } from './vocabulary.ts';

/** Body of `POST /api/scan`. */
export const ScanRequestSchema = t.Object({
  types: t.Array(BroadcastTypeSchema, { minItems: 1, maxItems: 3, uniqueItems: true }),
});
export type ScanRequest = Static<typeof ScanRequestSchema>;

const PhysicalChannelSchema = t.Object({ type: BroadcastTypeSchema, channel: t.String() });

export const ScanFoundSchema = t.Object(
  {
    type: BroadcastTypeSchema,
    channel: t.String(),
    networkId: t.Union([t.Integer(), t.Null()]),
    tsid: t.Union([t.Integer(), t.Null()]),
    stations: t.Array(ChannelStationSchema),
  },
  EXTENSIBLE,
);

export const ScanFailedSchema = t.Object(
  { type: BroadcastTypeSchema, channel: t.String(), message: t.String({ description: 'Japanese' }) },
  EXTENSIBLE,
);
export type ScanFailed = Static<typeof ScanFailedSchema>;

/** `GET /api/scan`: the running scan, else the last one. */
export const ScanStatusSchema = t.Object(
  {
    state: oneOf(SCAN_STATES),
    types: t.Array(BroadcastTypeSchema),
    done: t.Integer({ description: 'readings that ended, second ones among them' }),
    total: t.Integer({
      description: 'readings: one per channel, and a second one for each that failed with a signal',
    }),
    current: t.Array(PhysicalChannelSchema, { description: 'channels being looked at' }),
    found: t.Array(ScanFoundSchema),
    failed: t.Array(ScanFailedSchema, { description: 'channels on which nothing was found' }),
    startedAt: t.Union([wallMsSchema({ description: 'epoch ms' }), t.Null()]),
    endedAt: t.Union([wallMsSchema({ description: 'epoch ms' }), t.Null()]),
    message: t.Union([t.String(), t.Null()], { description: 'why it failed, Japanese' }),
  },
  EXTENSIBLE,
);
export type ScanStatus = Static<typeof ScanStatusSchema>;

/** Body of `POST /api/channels/test`. */
export const ReceptionTestRequestSchema = t.Object({
  type: BroadcastTypeSchema,
  channel: t.String({ minLength: 1, maxLength: 32 }),
});
export type ReceptionTestRequest = Static<typeof ReceptionTestRequestSchema>;

/** Response of `POST /api/channels/test`: current reception of a channel. */
export const ReceptionTestSchema = t.Object(
  {
    type: BroadcastTypeSchema,
    channel: t.String(),
    received: t.Boolean({ description: 'packets of a broadcast came' }),
    message: t.Union([t.String(), t.Null()], { description: 'why none came, Japanese' }),
    tuner: t.Union([t.Object({ id: t.String(), name: t.String() }), t.Null()], {
      description: 'the tuner that was used; null: none was tuned',
    }),
    signal: TunerSchema.properties.signal,
    stats: TunerSchema.properties.stats,
    keyFailure: t.Union([KeyFailureSchema, t.Null()], {
      description: 'why its scrambled programmes cannot be watched',
    }),
  },
  EXTENSIBLE,
);
export type ReceptionTest = Static<typeof ReceptionTestSchema>;
