/** Encoding of recordings over HTTP: queue, requests, results. */
import { type Static, Type as t } from '@sinclair/typebox';
import {
  broadcastMsSchema,
  CLOSED,
  EPOCH_MS,
  EXTENSIBLE,
  nullable,
  oneOf,
  recordingIdSchema,
  wallMsSchema,
} from './schema-parts.ts';
import {
  COMMERCIAL_HANDLINGS,
  ENCODE_CODECS,
  ENCODE_PAUSES,
  ENCODE_QUALITIES,
  ENCODE_WAITS,
  ENCODED_CODECS,
  JOB_STATES,
} from './vocabulary.ts';

const WISH = {
  codecs: t.Optional(oneOf(ENCODE_CODECS)),
  keepTs: t.Optional(t.Boolean({ description: 'the original stream stays' })),
  commercials: t.Optional(oneOf(COMMERCIAL_HANDLINGS)),
  quality: t.Optional(oneOf(ENCODE_QUALITIES)),
};

/** Body of `POST /api/recordings/<id>/encode`; defaults come from its rule or reservation, else from the settings. */
export const EncodeRequestSchema = t.Object(WISH, CLOSED);
export type EncodeRequest = Static<typeof EncodeRequestSchema>;

/** Body of `POST /api/encodes`: one of `ids`, `series` and `before`. */
export const EncodeManySchema = t.Object(
  {
    ...WISH,
    ids: t.Optional(
      t.Array(recordingIdSchema({ minimum: 0 }), { maxItems: 5_000, description: 'recordings' }),
    ),
    series: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 1000,
        description: 'key of a series; encoded recordings are left out',
      }),
    ),
    before: t.Optional(
      broadcastMsSchema({
        ...EPOCH_MS,
        minimum: 0,
        description: 'began before, epoch ms; encoded recordings are left out',
      }),
    ),
  },
  CLOSED,
);
export type EncodeMany = Static<typeof EncodeManySchema>;

export const EncodeManyAnswerSchema = t.Object({ queued: t.Integer({ minimum: 0 }) }, EXTENSIBLE);

/** Body of `PUT /api/encodes`. */
export const EncodeQueueChangeSchema = t.Object(
  {
    paused: t.Optional(t.Boolean()),
    order: t.Optional(
      t.Array(recordingIdSchema({ minimum: 0 }), {
        maxItems: 10_000,
        description: 'recording ids of waiting jobs in order; others keep their order after these',
      }),
    ),
  },
  CLOSED,
);
export type EncodeQueueChange = Static<typeof EncodeQueueChangeSchema>;

const EncodeItemSchema = t.Object(
  {
    recordingId: recordingIdSchema(),
    title: t.String({ description: 'the name without marks' }),
    serviceName: t.String(),
    startAt: broadcastMsSchema(EPOCH_MS),
    durationMs: nullable(t.Integer(), 'of the original stream'),
    state: oneOf(JOB_STATES),
    codecs: oneOf(ENCODE_CODECS),
    keepTs: t.Boolean(),
    commercials: oneOf(COMMERCIAL_HANDLINGS),
    quality: oneOf(ENCODE_QUALITIES),
    percent: nullable(t.Number({ minimum: 0, maximum: 1 }), '0 to 1, while it runs'),
    etaMs: nullable(t.Integer({ minimum: 0 }), 'until it is done; null: not known yet, or paused'),
    message: nullable(t.String(), 'why it failed, was put off, or keeps its original, Japanese'),
    waitsFor: nullable(
      oneOf(ENCODE_WAITS),
      'why it is not its turn: its commercials are being looked for, its pictures are being made, it is put off, or it ' +
        'is in the bin',
    ),
    endedAt: nullable(wallMsSchema(EPOCH_MS)),
  },
  EXTENSIBLE,
);
export type EncodeItem = Static<typeof EncodeItemSchema>;

/** `GET /api/encodes`. */
export const EncodesSchema = t.Object(
  {
    paused: t.Boolean(),
    wait: nullable(
      oneOf(ENCODE_PAUSES),
      'why nothing is encoded now: by a person, outside of the hours, or because the machine is wanted for watching',
    ),
    queue: t.Array(EncodeItemSchema, { description: 'running and then waiting jobs, in order' }),
    recent: t.Array(EncodeItemSchema, { description: 'jobs that ended last, newest first' }),
    measured: t.Array(
      t.Object(
        {
          codec: oneOf(ENCODED_CODECS),
          quality: oneOf(ENCODE_QUALITIES),
          bytesPerHour: t.Integer({ minimum: 0 }),
          speed: t.Number({ minimum: 0, description: 'hours of programme encoded in an hour' }),
          files: t.Integer({
            minimum: 0,
            description: 'of which this is the average; 0: pieces of a recording were tried',
          }),
        },
        EXTENSIBLE,
      ),
      { description: 'size and speed on this machine, of encodes that were done, else of trials' },
    ),
  },
  EXTENSIBLE,
);
export type Encodes = Static<typeof EncodesSchema>;

/** `GET /api/recordings/<id>/encode-log`: the log of the last encode. */
export const EncodeLogSchema = t.Object(
  {
    state: oneOf(JOB_STATES),
    message: nullable(t.String(), 'Japanese'),
    log: t.String({ description: 'lines with times; empty until it has ended' }),
    createdAt: wallMsSchema(EPOCH_MS),
    startedAt: nullable(wallMsSchema(EPOCH_MS)),
    endedAt: nullable(wallMsSchema(EPOCH_MS)),
  },
  EXTENSIBLE,
);
export type EncodeLog = Static<typeof EncodeLogSchema>;
