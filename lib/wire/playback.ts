/** Playback of recordings over HTTP: formats, time scales, and the headers of the streams. */
import { type Static, Type as t } from '@sinclair/typebox';
import { AudioOptionSchema } from './guide.ts';
import { GapCauseSchema } from './recordings.ts';
import { broadcastMsSchema, EXTENSIBLE, oneOf } from './schema-parts.ts';
import { FILE_SOURCES, PLAYBACK_AXES, PLAYBACK_WAYS, STREAM_CODECS } from './vocabulary.ts';

/** One way to play a recording. */
export const PlaybackOfferSchema = t.Object(
  {
    codec: oneOf(STREAM_CODECS),
    way: oneOf(PLAYBACK_WAYS, {
      description: '`file`: the encoded file itself; `stream`: fragmented MP4; `raw`: the original stream',
    }),
    source: t.Optional(oneOf(FILE_SOURCES, { description: 'of the way `file`' })),
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
    axis: oneOf(PLAYBACK_AXES),
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
    hasDataBroadcast: t.Boolean({
      description:
        'whether `databroadcast` has something; true also while its original with an encoded file was not read yet',
    }),
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
