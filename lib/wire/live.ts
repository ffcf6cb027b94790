/**
 * Control messages of the live socket (`live-frames.ts`). Public interface: fields are added, never changed; clients
 * must ignore unknown types and fields.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { RECEPTION_FAULTS } from '../arib/ts/clock.ts';
import { CaptionsNoticeSchema, PingNoticeSchema } from './caption.ts';
import { AudioOptionSchema } from './guide.ts';
import { broadcastMsSchema, oneOf, recordingIdSchema, stationIdSchema } from './schema-parts.ts';
import { LIVE_CODECS, LIVE_ERRORS, LIVE_NOTICES, LIVE_QUALITIES } from './vocabulary.ts';

const CODEC = oneOf(LIVE_CODECS);
const AUDIO = t.Optional(t.String({ maxLength: 64, description: 'id of an Audio option' }));
const QUALITY = oneOf(LIVE_QUALITIES);
const LANGUAGE = t.Integer({ minimum: 1, maximum: 8 });

/** Requests of a client; a further `tune` or `chase` replaces the previous one. */
export const LiveRequestSchema = t.Union([
  t.Object({
    type: t.Literal('tune'),
    stationId: stationIdSchema({ minimum: 0 }),
    codec: CODEC,
    audio: AUDIO,
    language: t.Optional(LANGUAGE),
    quality: t.Optional(QUALITY),
  }),
  t.Object({
    type: t.Literal('chase'),
    recordingId: recordingIdSchema({ minimum: 0 }),
    from: t.Number({ minimum: 0, description: 's from the head of the recording' }),
    codec: CODEC,
    audio: AUDIO,
    language: t.Optional(LANGUAGE),
  }),
  t.Object({ type: t.Literal('prepare'), stationId: stationIdSchema({ minimum: 0 }) }),
  t.Object({ type: t.Literal('data'), on: t.Boolean() }),
  t.Object({ type: t.Literal('language'), language: LANGUAGE }),
  t.Object({ type: t.Literal('stop') }),
]);
export type LiveControl = Static<typeof LiveRequestSchema>;

const TunedSchema = t.Object({
  type: t.Literal('tuned'),
  codec: CODEC,
  mime: t.String({ description: 'RFC 6381 type of the following media' }),
  audios: t.Array(AudioOptionSchema, { minItems: 1, description: 'current options' }),
  audio: t.String({
    description: 'id of the Audio option that is sent; with `raw` the initial one',
  }),
  quality: t.Optional(QUALITY),
  stationId: t.Optional(stationIdSchema()),
  recordingId: t.Optional(recordingIdSchema()),
  tuner: t.Optional(t.String({ description: 'id of the tuner (`/api/tuners`) that receives the station' })),
  from: t.Optional(
    t.Number({
      description:
        'of `chase`, s on the playback scale: of time 0 of the fragments; with `raw` of the first picture',
    }),
  ),
  data: t.Optional(
    t.Boolean({ description: 'whether there is a data broadcast: of the station now, or of the recording' }),
  ),
  recorded: t.Optional(t.Number({ description: 'of `chase`: s that are recorded by now' })),
  origin: t.Optional(
    t.Integer({ description: 'of `chase` with `raw`: PTS of second 0 of the playback scale' }),
  ),
});
export type LiveTuned = Static<typeof TunedSchema>;

const ClockSchema = t.Object({
  type: t.Literal('clock'),
  pts: t.Integer({ description: '90 kHz, on the scale of the path' }),
  at: broadcastMsSchema({ description: 'its broadcast time, epoch ms' }),
});

const LostSchema = t.Object({
  type: t.Literal('lost'),
  recordingId: t.Union([recordingIdSchema(), t.Null()], {
    description: 'of the recording that took the tuner',
  }),
  message: t.String(),
});

/** Messages of the service on the control channel. */
export const LiveMessageSchema = t.Union([
  TunedSchema,
  CaptionsNoticeSchema,
  PingNoticeSchema,
  ClockSchema,
  LostSchema,
  t.Object({ type: t.Literal('restart') }),
  t.Object(
    {
      type: t.Literal('reception'),
      fault: t.Union([...RECEPTION_FAULTS.map((fault) => t.Literal(fault)), t.Null()]),
    },
    {
      description:
        'what of the station does not come, null: all comes again; its picture stands, or is silent',
    },
  ),
  t.Object({
    type: t.Literal('notice'),
    code: oneOf(LIVE_NOTICES),
    message: t.String(),
  }),
  t.Object({
    type: t.Literal('error'),
    code: oneOf(LIVE_ERRORS),
    message: t.String(),
  }),
]);
export type LiveMessage = Static<typeof LiveMessageSchema>;
