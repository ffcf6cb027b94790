/** `GET /api/summary`: the state of the service as one flat object, for Home Assistant and the like. */
import { type Static, Type as t } from '@sinclair/typebox';
import { broadcastMsSchema, EXTENSIBLE } from './schema-parts.ts';

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
