/** Commercial detection of a recording over HTTP: its progress, and the detected changes for moving boundaries. */
import { type Static, Type as t } from '@sinclair/typebox';
import { EXTENSIBLE, oneOf } from './schema-parts.ts';
import { CHANGE_KINDS, JOB_STATES } from './vocabulary.ts';

/** `GET`, `POST` and `DELETE /api/recordings/<id>/detect`. */
export const DetectionSchema = t.Object(
  {
    state: oneOf(JOB_STATES, {
      description: '`waiting`: queued; `cancelled`: not before the next request',
    }),
    share: t.Number({
      minimum: 0,
      maximum: 1,
      description: 'share of the recording that was read, while running',
    }),
    reason: t.Union([t.String(), t.Null()], {
      description: 'stable code of a failure or of the reason for waiting',
    }),
    message: t.Union([t.String(), t.Null()], {
      description: 'sentence for a failure or the reason for waiting, Japanese',
    }),
    reliable: t.Boolean({ description: 'commercials may be skipped from the start' }),
    corrected: t.Boolean({ description: 'the commercials were corrected by a user' }),
    confidence: t.Union([t.Number({ minimum: 0, maximum: 1 }), t.Null()], {
      description: 'of the last detection',
    }),
    version: t.Integer({ description: 'another number whenever the chapters changed' }),
  },
  EXTENSIBLE,
);
export type DetectionStatus = Static<typeof DetectionSchema>;

const ChangeSchema = t.Object({
  at: t.Number({ description: 's on the time scale of the original stream' }),
  kind: oneOf(CHANGE_KINDS, {
    description: '`cut`: a scene change; `silence`: a pause of the audio without one',
  }),
});
export type Change = Static<typeof ChangeSchema>;

/** `GET /api/recordings/<id>/changes`. */
export const ChangesSchema = t.Object(
  { changes: t.Array(ChangeSchema, { description: 'by `at`' }) },
  EXTENSIBLE,
);
export type Changes = Static<typeof ChangesSchema>;
