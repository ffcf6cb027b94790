/** Responses of the service's public HTTP interface: the schemas for validation, description (OpenAPI) and types. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import { AudioOptionSchema } from './audio.ts';
import { programIdSchema, stationIdSchema } from './id-schemas.ts';
import { broadcastMsSchema } from './time-schemas.ts';

export * from './audio.ts';
export * from './detection.ts';
export * from './encode.ts';
export * from './guide.ts';
export * from './pairing.ts';
export * from './playback.ts';
export * from './recordings.ts';
export * from './scan.ts';
export * from './schedule.ts';
export * from './settings.ts';

/**
 * For a response that is one object: further fields may be added later. Stated explicitly, because the HTTP framework
 * otherwise sets the opposite in a schema that it validates with.
 */
const EXTENSIBLE = { additionalProperties: true } as const;

const NowProgramSchema = t.Object({
  id: programIdSchema(),
  title: t.String({ description: 'the name without marks' }),
  name: t.String({ description: 'exactly as broadcast, with marks such as [字]' }),
  startAt: broadcastMsSchema({ description: 'epoch ms' }),
  endAt: broadcastMsSchema({ description: 'epoch ms' }),
  reserved: t.Boolean(),
  recording: t.Boolean(),
  audios: t.Array(AudioOptionSchema, { minItems: 1 }),
  mainStationId: t.Optional(
    stationIdSchema({
      description: 'station that shows the same programme under a lower number; absent: this station',
    }),
  ),
});
export type NowProgram = Static<typeof NowProgramSchema>;

const StationSchema = t.Object({
  id: stationIdSchema({ description: 'networkId * 100000 + serviceId' }),
  type: BroadcastTypeSchema,
  name: t.String(),
  remoteControlKey: t.Integer(),
  logo: t.Union([t.String(), t.Null()]),
  live: t.String({ description: 'relative URL of the live stream' }),
  now: t.Union([NowProgramSchema, t.Null()]),
});
export type Station = Static<typeof StationSchema>;
export const StationsSchema = t.Array(StationSchema);

export const HealthSchema = t.Object(
  {
    status: t.Union([t.Literal('ok'), t.Literal('degraded')], {
      description:
        '`degraded`: the database or every recording folder cannot be written; `/api/status` and `/api/storage` say why',
    }),
    version: t.String(),
    latestVersion: t.Union([t.String(), t.Null()]),
    stations: t.Integer(),
    recordings: t.Integer(),
  },
  EXTENSIBLE,
);
export type Health = Static<typeof HealthSchema>;

/** Why something may not work at the moment; the sentences are Japanese. */
export const StatusSchema = t.Object(
  {
    agent: t.Object({
      state: t.Union([t.Literal('connecting'), t.Literal('connected'), t.Literal('unavailable')]),
      message: t.Union([t.String(), t.Null()]),
    }),
    ffmpeg: t.Object({
      state: t.Union([t.Literal('probing'), t.Literal('ready'), t.Literal('missing')]),
      version: t.Union([t.String(), t.Null()]),
      encoders: t.Array(t.String(), { description: 'encoders that passed a trial' }),
      message: t.Union([t.String(), t.Null()]),
    }),
    database: t.Object({
      message: t.Union([t.String(), t.Null()], { description: 'why nothing can be stored' }),
    }),
  },
  EXTENSIBLE,
);
export type Status = Static<typeof StatusSchema>;

/** Codecs of the live stream's `codec` parameter. */
export const LIVE_CODECS = ['h264', 'av1', 'raw'] as const;
export type LiveCodec = (typeof LIVE_CODECS)[number];

/**
 * Bandwidth of an encoded live stream, audio included: up to 6, 2.6, 1.1 and 0.32 Mbit/s, with at most 720, 540, 360
 * and 240 lines.
 */
export const LIVE_QUALITIES = ['high', 'middle', 'low', 'least'] as const;
export type LiveQuality = (typeof LIVE_QUALITIES)[number];

/** The stable values of `code` in error bodies. */
export const PROBLEM_CODES = [
  'bad_request',
  // An access token may not do this.
  'forbidden',
  'not_found',
  'conflict',
  'busy',
  // All tuners are in use, or none supports the broadcast type.
  'no_tuner',
  // There was a tuner, but the station could not be received.
  'no_signal',
  // The agent does not respond.
  'agent_unavailable',
  // The agent reports that its own configuration is wrong, or does not admit the service.
  'agent_misconfigured',
  // The station is scrambled, and the agent has no keys: no card, no reader, no card daemon, …
  'card_unavailable',
  // The card has no contract for the station.
  'not_subscribed',
  'ffmpeg_unavailable',
  'copy_never',
  'ended',
  'internal',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Error body: a sentence for users (Japanese) and a code for programs. */
export const ProblemSchema = t.Object(
  {
    message: t.String(),
    code: t.Union(PROBLEM_CODES.map((code) => t.Literal(code))),
    path: t.Optional(t.String({ description: 'the field at fault' })),
  },
  EXTENSIBLE,
);
export type Problem = Static<typeof ProblemSchema>;

/** Body of a 401. */
export const AccessErrorSchema = t.Object(
  { error: t.Union([t.Literal('unauthorized'), t.Literal('invalid_token')]) },
  {
    ...EXTENSIBLE,
    description: 'no credentials, or an access token of this service that is unknown or revoked',
  },
);

/** Response header of a live stream: why another encoder or codec than requested is used, comma-separated. */
export const NOTICE_HEADER = 'x-svc-notice';
export const NOTICES = [
  'software_encoder',
  'slow_encoder',
  'codec_fallback',
  'raw_fallback',
  'audio_fallback',
] as const;
export type Notice = (typeof NOTICES)[number];

/** Response header of an encoded live stream: its RFC 6381 type, e.g. `video/mp4; codecs="avc1.64001f,mp4a.40.2"`. */
export const MIME_HEADER = 'x-svc-mime';

/** Names of the events of `GET /api/events`. */
export const EVENTS = [
  'recordings',
  'reservations',
  'rules',
  'services',
  'tuners',
  'channels',
  'scan',
  'programs',
  'settings',
  'tokens',
  'paired',
  'encode',
  'chapters',
  'yielded',
  'ping',
] as const;
export type EventName = (typeof EVENTS)[number];
