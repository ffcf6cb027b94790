/** Reminders: a notice some minutes before a programme begins. */
import { type Static, Type as t } from '@sinclair/typebox';
import { broadcastMsSchema, CLOSED, EXTENSIBLE, programIdSchema, stationIdSchema } from './schema-parts.ts';

const MINUTES = t.Integer({ minimum: 0, maximum: 1440, description: 'minutes before the start' });

export const ReminderSchema = t.Object(
  {
    id: t.Integer(),
    programId: programIdSchema(),
    stationId: stationIdSchema(),
    serviceName: t.String(),
    name: t.String({ description: 'as broadcast' }),
    startAt: broadcastMsSchema({ description: 'epoch ms, as the guide says now' }),
    endAt: broadcastMsSchema({ description: 'epoch ms' }),
    minutes: MINUTES,
    seriesId: t.Union([t.Integer(), t.Null()], { description: 'set because its series is followed' }),
    told: t.Boolean({ description: 'the notice was made' }),
    gone: t.Boolean({ description: 'the guide does not have the programme any more' }),
  },
  EXTENSIBLE,
);
export type Reminder = Static<typeof ReminderSchema>;

const ReminderSeriesSchema = t.Object(
  {
    id: t.Integer(),
    stationId: stationIdSchema(),
    serviceName: t.String(),
    name: t.String(),
    minutes: MINUTES,
  },
  EXTENSIBLE,
);

/** `GET /api/reminders`: programmes that are not over, by their start; series, the newest first. */
export const RemindersSchema = t.Object(
  { reminders: t.Array(ReminderSchema), series: t.Array(ReminderSeriesSchema) },
  EXTENSIBLE,
);
export type Reminders = Static<typeof RemindersSchema>;

/** Body of `POST /api/reminders`. */
export const ReminderRequestSchema = t.Object(
  {
    programId: programIdSchema({ minimum: 0 }),
    minutes: MINUTES,
    series: t.Optional(t.Boolean({ description: 'also the later programmes of its series on its station' })),
  },
  CLOSED,
);
export type ReminderRequest = Static<typeof ReminderRequestSchema>;
