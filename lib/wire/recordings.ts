/** Recordings and storage space over HTTP. */
import { type Static, Type as t } from '@sinclair/typebox';
import { GAP_CAUSES } from './gap-causes.ts';
import { AudioOptionSchema, GenreSchema, RecordingStateSchema, VerdictLevelSchema } from './guide.ts';
import {
  broadcastMsSchema,
  EPOCH_MS,
  EXTENSIBLE,
  nullable,
  oneOf,
  programIdSchema,
  recordingIdSchema,
  ruleIdSchema,
  stationIdSchema,
} from './schema-parts.ts';
import { FILE_CODECS, FILE_SOURCES, FOLDER_STATES, RECORDING_PHASES } from './vocabulary.ts';

export const GapCauseSchema = oneOf(GAP_CAUSES);

/** The verdict of a recording, for the programme's actual start and end. */
export const VerdictSchema = t.Object(
  {
    level: VerdictLevelSchema,
    drops: t.Integer({ minimum: 0, description: 'places where packets are missing' }),
    gaps: t.Array(
      t.Object(
        {
          startMs: t.Integer({ description: "from the programme's real start, as endMs" }),
          endMs: t.Integer(),
          cause: GapCauseSchema,
        },
        EXTENSIBLE,
      ),
      {
        description:
          'a gap behind the end is a margin that was given to another recording; no_picture, no_sound: recorded without one that can be decoded',
      },
    ),
    headMs: t.Integer({ description: 'recorded before the actual start; negative: missing after it' }),
    tailMs: t.Integer({ description: 'recorded after the actual end; negative: missing before it' }),
  },
  EXTENSIBLE,
);
export type RecordingVerdict = Static<typeof VerdictSchema>;

export const RecordingFileSchema = t.Object(
  {
    source: oneOf(FILE_SOURCES),
    codec: oneOf(FILE_CODECS),
    url: t.String({ description: "relative to the service's address" }),
  },
  EXTENSIBLE,
);
export type RecordingFile = Static<typeof RecordingFileSchema>;

export const RecordingProgressSchema = t.Object(
  {
    phase: oneOf(RECORDING_PHASES, {
      description:
        'interrupted: it is being opened again, or with the cause broken_off waits for its programme; over: it is being judged',
    }),
    cause: nullable(GapCauseSchema, 'why nothing is written now, or what is written cannot be watched'),
    bytes: t.Integer({ minimum: 0 }),
    drops: t.Integer({ minimum: 0 }),
    slow: t.Boolean({ description: 'the disk has more than a second of work waiting' }),
    tunerId: nullable(t.String()),
    until: broadcastMsSchema({ description: 'planned end, margin included, epoch ms' }),
    recordedMs: t.Optional(t.Integer({ minimum: 0, description: 'length so far, without its gaps' })),
  },
  EXTENSIBLE,
);
export type RecordingProgress = Static<typeof RecordingProgressSchema>;

/** An element of `GET /api/recordings`. */
export const RecordingSchema = t.Object(
  {
    id: recordingIdSchema(),
    title: t.String({ description: 'the name without marks' }),
    name: t.String({ description: 'as broadcast, with marks' }),
    serviceId: stationIdSchema({ description: 'station id' }),
    serviceName: t.String(),
    startAt: broadcastMsSchema(EPOCH_MS),
    endAt: broadcastMsSchema(EPOCH_MS),
    durationMs: nullable(t.Integer(), 'null while recording; of one that was interrupted its length so far'),
    resumeMs: nullable(t.Integer(), 'where to go on; null: unwatched or finished'),
    watchedAt: nullable(broadcastMsSchema(), 'epoch ms at which the end was reached'),
    recording: t.Boolean({ description: 'being recorded now' }),
    chase: nullable(t.String(), 'relative URL of chase playback, while the original stream is there'),
    cmReliable: t.Boolean(),
    poster: t.String({
      description:
        'relative URL of a JPEG picture; without `?v=` and 404 while there is none, another URL for another picture',
    }),
    files: t.Array(RecordingFileSchema, { description: 'those that exist' }),
    audio: t.String({ description: 'relative URL' }),
    audios: t.Array(AudioOptionSchema),
    verdict: nullable(VerdictSchema, 'null: not judged yet'),
    state: RecordingStateSchema,
    reason: nullable(t.String(), 'why it failed, Japanese'),
    programId: nullable(programIdSchema(), 'null: imported'),
    ruleId: nullable(ruleIdSchema(), 'null: by hand, or the rule was deleted'),
    genres: t.Array(GenreSchema),
    series: nullable(
      t.Object(
        { key: t.String({ description: 'for `series=`' }), name: t.String(), episode: nullable(t.String()) },
        EXTENSIBLE,
      ),
      'what it is an episode of, read from the title',
    ),
    bytes: t.Integer({ minimum: 0, description: 'of all its files' }),
    protected: t.Boolean({ description: 'no rule moves it to the bin' }),
    binnedAt: nullable(broadcastMsSchema(), 'epoch ms; its files go 2 days later'),
    progress: nullable(RecordingProgressSchema, 'while recording'),
  },
  EXTENSIBLE,
);
export type Recording = Static<typeof RecordingSchema>;
export const RecordingsSchema = t.Array(RecordingSchema);

/** An element of `GET /api/recordings/series`: recordings that can be watched, grouped. */
export const RecordingSeriesSchema = t.Object(
  {
    key: t.String(),
    name: t.String(),
    count: t.Integer({ minimum: 1 }),
    unwatched: t.Integer({ minimum: 0 }),
    damaged: t.Integer({ minimum: 0, description: 'of verdict level `damaged`' }),
    lost: t.Integer({ minimum: 0, description: 'of verdict level `lost`' }),
    newest: RecordingSchema,
  },
  EXTENSIBLE,
);
export type RecordingSeries = Static<typeof RecordingSeriesSchema>;

/** `GET /api/recordings/<id>/status`. */
export const RecordingStatusSchema = t.Object(
  {
    id: recordingIdSchema(),
    encoded: t.Boolean({ description: 'an encoded file exists' }),
    state: RecordingStateSchema,
    durationMs: nullable(t.Integer()),
    progress: nullable(RecordingProgressSchema, 'while recording'),
  },
  EXTENSIBLE,
);
export type RecordingStatus = Static<typeof RecordingStatusSchema>;

/** `GET /api/recordings/<id>/detail`. */
export const RecordingDetailSchema = t.Object(
  {
    id: recordingIdSchema(),
    title: t.String(),
    name: t.String(),
    description: t.String(),
    extended: t.Record(t.String(), t.String(), { description: 'heading to body text' }),
    damage: t.Array(
      t.Object(
        {
          startMs: t.Integer({ description: "from the programme's real start, as in the verdict" }),
          endMs: t.Integer(),
          drops: t.Integer({ minimum: 0, description: 'places where packets are missing' }),
          errors: t.Integer({ minimum: 0, description: 'packets with transport_error_indicator' }),
          scrambled: t.Integer({ minimum: 0, description: 'packets that stayed scrambled' }),
        },
        EXTENSIBLE,
      ),
      { description: 'windows of up to 10 s in which packets were damaged, in order; none elsewhere' },
    ),
  },
  EXTENSIBLE,
);
export type RecordingDetail = Static<typeof RecordingDetailSchema>;

/** Body of `POST /api/recordings/<id>/resume`. */
export const ResumeRequestSchema = t.Object(
  {
    at: t.Number({ minimum: 0, description: 's of the file in `source`' }),
    length: t.Optional(t.Number({ minimum: 0, description: 's' })),
    source: t.Optional(oneOf(FILE_SOURCES)),
  },
  EXTENSIBLE,
);
export type ResumeRequest = Static<typeof ResumeRequestSchema>;
export const ResumeSchema = t.Object(
  {
    resume: nullable(t.Number(), 's of the same file; null: nothing to go on from'),
    edge: t.Literal(30, { description: 's at the end that are not remembered' }),
  },
  EXTENSIBLE,
);

/** `GET /api/recordings/<id>/previews`: small pictures for seeking, on sheets of `columns` × `rows`. */
export const PreviewsSchema = t.Object(
  {
    width: t.Integer({ minimum: 1, description: 'px of one picture' }),
    height: t.Integer({ minimum: 1 }),
    columns: t.Integer({ minimum: 1 }),
    rows: t.Integer({ minimum: 1, description: 'the last sheet may have fewer' }),
    count: t.Integer({ minimum: 1, description: 'pictures on all sheets' }),
    intervalMs: t.Integer({
      minimum: 1,
      description:
        'picture n shows the position n × intervalMs on the playback scale; row by row, sheet after sheet',
    }),
    sheets: t.Array(t.String({ description: 'relative URL of a JPEG' })),
    kept: t.Optional(
      t.Array(t.Object({ from: t.Number(), to: t.Number() }, EXTENSIBLE), {
        description:
          'where commercials are cut out: what the file holds of the time that the pictures count, ms, in order; a ' +
          'position on the playback scale is then a place within these',
      }),
    ),
  },
  EXTENSIBLE,
);
export type Previews = Static<typeof PreviewsSchema>;

export const WatchedRequestSchema = t.Object({ watched: t.Boolean() }, EXTENSIBLE);
export const ProtectRequestSchema = t.Object({ protected: t.Boolean() }, EXTENSIBLE);

/** `GET /api/storage`. */
export const StorageSchema = t.Object(
  {
    folders: t.Array(
      t.Object(
        {
          path: t.String(),
          totalBytes: nullable(t.Integer({ minimum: 0 }), 'null: away'),
          freeBytes: nullable(t.Integer({ minimum: 0 }), 'null: away'),
          floorBytes: t.Integer({ minimum: 0, description: 'left free' }),
          recordingBytes: t.Integer({ minimum: 0, description: 'of this service' }),
          state: oneOf(FOLDER_STATES),
        },
        EXTENSIBLE,
      ),
      { description: 'in the order in which they are wished for' },
    ),
    recordings: t.Object(
      {
        count: t.Integer({ minimum: 0 }),
        unwatched: t.Integer({ minimum: 0 }),
        bytes: t.Integer({ minimum: 0 }),
        failed: t.Integer({ minimum: 0 }),
        binned: t.Integer({ minimum: 0 }),
        binnedBytes: t.Integer({ minimum: 0 }),
      },
      EXTENSIBLE,
    ),
    roomMs: nullable(
      t.Integer({ minimum: 0 }),
      'what can still be recorded, at the rate of late; null: unknown',
    ),
    shortage: nullable(
      t.Object(
        {
          leftMs: t.Integer({ minimum: 0, description: 'remaining time for one recording' }),
          fullAt: nullable(
            broadcastMsSchema(),
            'when what is booked will have used up the room; null: it just fits',
          ),
        },
        EXTENSIBLE,
      ),
      'little room is left for what is booked within a day: about 30 minutes; null: there is enough',
    ),
  },
  EXTENSIBLE,
);
export type StorageFacts = Static<typeof StorageSchema>;

/** Recordings that the settings `keepNewest` and `keepDays` of a rule would move to the bin now, in that order. */
export const RetiringSchema = t.Array(
  t.Object(
    {
      id: recordingIdSchema(),
      title: t.String(),
      startAt: broadcastMsSchema(EPOCH_MS),
      watched: t.Boolean(),
      bytes: t.Integer({ minimum: 0 }),
    },
    EXTENSIBLE,
  ),
);
export type Retiring = Static<typeof RetiringSchema>;
