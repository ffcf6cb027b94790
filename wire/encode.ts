/** Encoding of recordings over HTTP: queue, requests, results. */
import { type Static, type TSchema, Type as t } from '@sinclair/typebox';
import { recordingIdSchema } from './id-schemas.ts';
import { broadcastMsSchema, wallMsSchema } from './time-schemas.ts';

/**
 * Further fields may be added later; the HTTP framework otherwise sets the opposite in a schema that it validates
 * with.
 */
const EXTENSIBLE = { additionalProperties: true } as const;
const CLOSED = { additionalProperties: false } as const;
const EPOCH_MS = { description: 'epoch ms' } as const;

function nullable<T extends TSchema>(schema: T, description?: string) {
  return t.Union([schema, t.Null()], description === undefined ? {} : { description });
}

const CodecsSchema = t.Union([t.Literal('av1'), t.Literal('h264'), t.Literal('both')]);
const CommercialsSchema = t.Union([t.Literal('chapters'), t.Literal('cut'), t.Literal('none')]);
const QualitySchema = t.Union([t.Literal('small'), t.Literal('standard'), t.Literal('fine')]);
const StateSchema = t.Union(
  ['waiting', 'running', 'done', 'failed', 'cancelled'].map((state) => t.Literal(state)),
);

const WISH = {
  codecs: t.Optional(CodecsSchema),
  keepTs: t.Optional(t.Boolean({ description: 'the original stream stays' })),
  commercials: t.Optional(CommercialsSchema),
  quality: t.Optional(QualitySchema),
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
    state: StateSchema,
    codecs: CodecsSchema,
    keepTs: t.Boolean(),
    commercials: CommercialsSchema,
    quality: QualitySchema,
    percent: nullable(t.Number({ minimum: 0, maximum: 1 }), '0 to 1, while it runs'),
    etaMs: nullable(t.Integer({ minimum: 0 }), 'until it is done, while it runs; null: not known yet'),
    message: nullable(t.String(), 'why it failed, was put off, or keeps its original, Japanese'),
    waitsFor: nullable(
      t.Union([
        ...[t.Literal('commercials'), t.Literal('pictures')],
        ...[t.Literal('retry'), t.Literal('recording')],
      ]),
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
      t.Union([t.Literal('paused'), t.Literal('window'), t.Literal('machine')]),
      'why nothing is encoded now: by a person, outside of the hours, or because the machine is wanted for watching',
    ),
    queue: t.Array(EncodeItemSchema, { description: 'running and then waiting jobs, in order' }),
    recent: t.Array(EncodeItemSchema, { description: 'jobs that ended last, newest first' }),
    measured: t.Array(
      t.Object(
        {
          codec: t.Union([t.Literal('av1'), t.Literal('h264')]),
          quality: QualitySchema,
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
    state: StateSchema,
    message: nullable(t.String(), 'Japanese'),
    log: t.String({ description: 'lines with times; empty until it has ended' }),
    createdAt: wallMsSchema(EPOCH_MS),
    startedAt: nullable(wallMsSchema(EPOCH_MS)),
    endedAt: nullable(wallMsSchema(EPOCH_MS)),
  },
  EXTENSIBLE,
);
export type EncodeLog = Static<typeof EncodeLogSchema>;
