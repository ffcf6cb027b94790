/** Playback of recordings over HTTP: formats, time scales, and the headers of the streams. */
import { type Static, Type as t } from '@sinclair/typebox';
import { AudioOptionSchema } from './audio.ts';
import { FILE_SOURCES, GapCauseSchema } from './recordings.ts';
import { broadcastMsSchema } from './time-schemas.ts';

/**
 * Further fields may be added later; the HTTP framework otherwise sets the opposite in a schema that it validates
 * with.
 */
const EXTENSIBLE = { additionalProperties: true } as const;

/** Codecs of `GET /api/recordings/<id>/stream`; `mpeg2` is the original transport stream. */
export const STREAM_CODECS = ['h264', 'av1', 'mpeg2'] as const;
export type StreamCodec = (typeof STREAM_CODECS)[number];

/** `encoded`: time of the encoded file; `ts`: time of the original transport stream, beginning with 0. */
export const PLAYBACK_AXES = ['encoded', 'ts'] as const;
export type PlaybackAxis = (typeof PLAYBACK_AXES)[number];

/** One way to play a recording. */
export const PlaybackOfferSchema = t.Object(
  {
    codec: t.Union(STREAM_CODECS.map((codec) => t.Literal(codec))),
    way: t.Union([t.Literal('file'), t.Literal('stream'), t.Literal('raw')], {
      description: '`file`: the encoded file itself; `stream`: fragmented MP4; `raw`: the original stream',
    }),
    source: t.Optional(
      t.Union(
        FILE_SOURCES.map((source) => t.Literal(source)),
        { description: 'of the way `file`' },
      ),
    ),
    codecs: t.Optional(
      t.String({
        description:
          'RFC 6381 codecs, without the container; of a conversion what is expected, the response header ' +
          '`X-Svc-Mime` is exact',
      }),
    ),
  },
  EXTENSIBLE,
);
export type PlaybackOffer = Static<typeof PlaybackOfferSchema>;

/** A missing part of the programme. */
export const PlaybackGapSchema = t.Object(
  {
    start: t.Number({ minimum: 0, description: 's on the playback scale' }),
    end: t.Number({
      minimum: 0,
      description:
        's on the playback scale; equal to `start` where nothing was received: such a gap has no length',
    }),
    missing: t.Number({ minimum: 0, description: 'missing part of the programme, s' }),
    cause: GapCauseSchema,
  },
  EXTENSIBLE,
);
export type PlaybackGap = Static<typeof PlaybackGapSchema>;

/** `GET /api/recordings/<id>/playback`. */
export const PlaybackSchema = t.Object(
  {
    duration: t.Number({ minimum: 0, description: 's' }),
    axis: t.Union(PLAYBACK_AXES.map((axis) => t.Literal(axis))),
    audios: t.Array(t.Pick(AudioOptionSchema, ['id', 'label', 'main']), { minItems: 1 }),
    offers: t.Array(PlaybackOfferSchema, { description: 'the best one first' }),
    gaps: t.Array(PlaybackGapSchema, { description: 'in order' }),
    joins: t.Array(t.Number({ minimum: 0 }), {
      description: 's on the playback scale at which the broadcast time jumps, in order',
    }),
    broadcastAt: t.Union([broadcastMsSchema(), t.Null()], {
      description: 'epoch ms on the air of second 0; null: unknown',
    }),
    programStart: t.Union([t.Number({ minimum: 0 }), t.Null()], {
      description: 's on the playback scale at which the programme begins, behind the margin; null: unknown',
    }),
    hasVideo: t.Boolean(),
  },
  EXTENSIBLE,
);
export type Playback = Static<typeof PlaybackSchema>;

/** `GET /api/recordings/<id>/chapters`. */
export const ChaptersSchema = t.Object(
  {
    chapters: t.Array(
      t.Object(
        {
          start: t.Number({ description: 's on the playback scale, as `end`' }),
          end: t.Number(),
          title: t.String({ description: '`CM`: commercials' }),
        },
        EXTENSIBLE,
      ),
      { description: 'by `start`' },
    ),
  },
  EXTENSIBLE,
);
export type Chapters = Static<typeof ChaptersSchema>;

/** Maximum number of chapters: a day of programmes has 300 commercial breaks. */
const MAX_CHAPTERS = 1_000;

/** `PUT /api/recordings/<id>/chapters`. */
export const ChaptersRequestSchema = t.Object({
  chapters: t.Array(
    t.Object({
      start: t.Number({ minimum: 0, description: 's on the playback scale, as `end`' }),
      end: t.Number({ minimum: 0 }),
      title: t.String({ maxLength: 100, description: '`CM`: commercials; anything else: programme' }),
    }),
    {
      maxItems: MAX_CHAPTERS,
      description: 'sorted by `start`, without overlaps; the rest is programme',
    },
  ),
});

/** Response header of `mpeg2` and chase `raw`: PTS (90 kHz, 33 bits) that corresponds to second 0 of the playback scale. */
export const ORIGIN_HEADER = 'x-svc-origin';
/** Response header of `stream` and `chase`: s on the playback scale of the first picture (or audio frame). */
export const START_HEADER = 'x-svc-start';
/**
 * Response header of `stream` and `chase`: s to add to the times of the fragments to get the playback scale; 0 for
 * `stream`.
 */
export const OFFSET_HEADER = 'x-svc-offset';
/** Response header of `chase`: s on the playback scale recorded when the response began. */
export const RECORDED_HEADER = 'x-svc-recorded';
