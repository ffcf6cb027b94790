/** Responses of the service's public HTTP interface: the schemas for validation, description (OpenAPI) and types. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import { AudioOptionSchema } from './guide.ts';
import {
  broadcastMsSchema,
  EXTENSIBLE,
  oneOf,
  programIdSchema,
  stationIdSchema,
  wallMsSchema,
} from './schema-parts.ts';
import {
  AGENT_STATES,
  CLIENT_LINK_NAME_LENGTH,
  FFMPEG_STATES,
  HEALTH_STATES,
  MAX_STILLS,
  POLL_ERRORS,
  PROBLEM_CODES,
} from './vocabulary.ts';

export * from './detection.ts';
export * from './encode.ts';
export * from './guide.ts';
export * from './playback.ts';
export * from './recordings.ts';
export * from './scan.ts';
export * from './schedule.ts';
export * from './settings.ts';
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

/** A link for television software: `/tv/<key>/…` in place of a login. */
const ClientLinkSchema = t.Object(
  {
    id: t.Integer(),
    name: t.String(),
    createdAt: wallMsSchema({ description: 'epoch ms' }),
    usedAt: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms of the last use, to the minute' }),
  },
  EXTENSIBLE,
);
export type ClientLink = Static<typeof ClientLinkSchema>;

/** `GET /api/client-links`. */
export const ClientLinksSchema = t.Object(
  {
    links: t.Array(ClientLinkSchema, { description: 'the newest first' }),
    mirakurunPort: t.Union([t.Integer(), t.Null()], { description: 'null: off' }),
    hdhomerunPort: t.Union([t.Integer(), t.Null()], { description: 'null: off' }),
  },
  EXTENSIBLE,
);
export type ClientLinks = Static<typeof ClientLinksSchema>;

/** Body of `POST /api/client-links`. */
export const NewClientLinkSchema = t.Object(
  { name: t.String({ minLength: 1, maxLength: CLIENT_LINK_NAME_LENGTH, description: 'shown in the list' }) },
  EXTENSIBLE,
);

/** Its answer. */
export const CreatedClientLinkSchema = t.Composite(
  [
    ClientLinkSchema,
    t.Object({
      path: t.String({ description: 'relative to the service, without a final slash; sent only once' }),
    }),
  ],
  EXTENSIBLE,
);
export type CreatedClientLink = Static<typeof CreatedClientLinkSchema>;

/** Pairing of devices; the responses of the token endpoint follow RFC 8628. Longer than any issued device code. */
const MAX_CODE = 128;

/** Body of `POST /api/device/code`. */
export const PairingRequestSchema = t.Object(
  {
    name: t.String({
      description: 'the name shown to users, at most 40 characters; controls are left out',
    }),
  },
  EXTENSIBLE,
);

export const PairingAnswerSchema = t.Object(
  {
    deviceCode: t.String({ description: 'secret of the device, for polling' }),
    userCode: t.String({ description: '`XXXX-XXXX`' }),
    verificationUri: t.Literal('device'),
    verificationUriComplete: t.String({
      description: 'for the QR code, absolute by the address of the service',
    }),
    expiresIn: t.Integer({ description: 'seconds' }),
    interval: t.Integer({ description: 'seconds between two polls' }),
  },
  EXTENSIBLE,
);
export type PairingAnswer = Static<typeof PairingAnswerSchema>;

/** Body of `POST /api/device/token`. */
export const PollRequestSchema = t.Object({ deviceCode: t.String({ maxLength: MAX_CODE }) }, EXTENSIBLE);

export const PollAnswerSchema = t.Object(
  {
    token: t.String({ description: '`svc_…`, only sent once' }),
    tokenType: t.Literal('Bearer'),
  },
  EXTENSIBLE,
);
export type PollAnswer = Static<typeof PollAnswerSchema>;

export const PollErrorSchema = t.Object({ error: oneOf(POLL_ERRORS) }, EXTENSIBLE);

const DeviceTokenSchema = t.Object(
  {
    id: t.Integer(),
    name: t.String({ description: 'as the device named itself' }),
    pairedAt: wallMsSchema({ description: 'epoch ms' }),
    usedAt: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms, to the minute; null: never' }),
    approver: t.String({ description: 'name of the member, or address in a trusted network' }),
  },
  EXTENSIBLE,
);
export type DeviceToken = Static<typeof DeviceTokenSchema>;
export const DeviceTokensSchema = t.Array(DeviceTokenSchema);

const StillSchema = t.Object(
  {
    stationId: stationIdSchema(),
    at: broadcastMsSchema({ description: 'when it was received, epoch ms' }),
    picture: t.String({ description: 'relative URL; another one for each picture' }),
  },
  EXTENSIBLE,
);
export type Still = Static<typeof StillSchema>;

/** `GET /api/stills`: small pictures of what stations show now. */
export const StillsSchema = t.Array(StillSchema, { maxItems: MAX_STILLS });

/** `GET /api/summary`: the state of the service as one flat object, for Home Assistant and the like. */
export const SummarySchema = t.Object(
  {
    version: t.String(),
    recording: t.Integer({ description: 'running recordings' }),
    nextRecordingAt: t.Union([broadcastMsSchema(), t.Null()], {
      description: 'start of the next booked programme, epoch ms',
    }),
    nextRecordingTitle: t.Union([t.String(), t.Null()]),
    reservations: t.Integer({ description: 'booked and not begun' }),
    conflicts: t.Integer({ description: 'reservations without a tuner' }),
    tuners: t.Union([t.Integer(), t.Null()], { description: 'null: the agent does not answer' }),
    tunersFree: t.Union([t.Integer(), t.Null()]),
    watched: t.Integer({ description: 'stations that are watched' }),
    encodes: t.Integer({ description: 'encodings that wait or run' }),
    freeBytes: t.Union([t.Integer(), t.Null()], {
      description: 'in all recording folders, above their floors; null: none responds',
    }),
    problem: t.Union([t.String(), t.Null()], { description: 'what needs a person, Japanese' }),
  },
  EXTENSIBLE,
);
export type Summary = Static<typeof SummarySchema>;
