/** Responses of the service's public HTTP interface: the schemas for validation, description (OpenAPI) and types. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import { AudioOptionSchema } from './guide.ts';
import { broadcastMsSchema, EXTENSIBLE, oneOf, programIdSchema, stationIdSchema } from './schema-parts.ts';
import { AGENT_STATES, FFMPEG_STATES, HEALTH_STATES, PROBLEM_CODES } from './vocabulary.ts';

export * from './client-links.ts';
export * from './detection.ts';
export * from './encode.ts';
export * from './guide.ts';
export * from './pairing.ts';
export * from './playback.ts';
export * from './recordings.ts';
export * from './scan.ts';
export * from './schedule.ts';
export * from './settings.ts';
export * from './stills.ts';
export * from './summary.ts';
export * from './vocabulary.ts';

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
    status: oneOf(HEALTH_STATES, {
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
      state: oneOf(AGENT_STATES),
      message: t.Union([t.String(), t.Null()]),
    }),
    ffmpeg: t.Object({
      state: oneOf(FFMPEG_STATES),
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

/** Error body: a sentence for users (Japanese) and a code for programs. */
export const ProblemSchema = t.Object(
  {
    message: t.String(),
    code: oneOf(PROBLEM_CODES),
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
