/** Reservations and rules over HTTP. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import { optionalSchemasOf, schemasOf } from './field-schemas.ts';
import type { BodyOf, SentOf } from './fields.ts';
import { ReservationStateSchema, VerdictLevelSchema } from './guide.ts';
import { RetiringSchema } from './recordings.ts';
import { RECORDING_OPTIONS, RULE_ACTIONS, RULE_CONDITIONS } from './rule-fields.ts';
import {
  broadcastMsSchema,
  CLOSED,
  EPOCH_MS,
  EXTENSIBLE,
  nullable,
  programIdSchema,
  recordingIdSchema,
  reservationIdSchema,
  ruleIdSchema,
  stationIdSchema,
} from './schema-parts.ts';

const PROGRAM_ID = { description: 'programme id: station id * 100000 + event_id' } as const;

const OPTIONS = optionalSchemasOf(RECORDING_OPTIONS);

/** An element of `GET /api/reservations`. */
export const ReservationSchema = t.Object(
  {
    id: reservationIdSchema(),
    programId: programIdSchema(PROGRAM_ID),
    stationId: stationIdSchema(),
    serviceName: t.String(),
    name: t.String({ description: 'as broadcast, with marks' }),
    title: t.String({ description: 'the name without marks' }),
    startAt: broadcastMsSchema(EPOCH_MS),
    endAt: broadcastMsSchema(EPOCH_MS),
    state: ReservationStateSchema,
    priority: t.Integer({ description: 'manual 2, otherwise that of the rule; the larger wins' }),
    ruleId: nullable(ruleIdSchema(), 'null: by hand'),
    reason: nullable(t.String(), 'why it is skipped, missed or in conflict, Japanese'),
    tuner: nullable(t.Object({ type: BroadcastTypeSchema, rank: t.Integer({ minimum: 0 }) }, EXTENSIBLE)),
    blockers: t.Optional(
      t.Array(reservationIdSchema(), {
        description: 'for a conflict: the reservations that it lost against',
      }),
    ),
    alternatives: t.Optional(
      t.Array(programIdSchema(PROGRAM_ID), { description: 'of a conflict: a simulcast or a later airing' }),
    ),
    offers: t.Optional(
      t.Array(
        t.Object(
          {
            programId: programIdSchema(PROGRAM_ID),
            serviceName: t.String(),
            title: t.String(),
            startAt: broadcastMsSchema(EPOCH_MS),
            endAt: broadcastMsSchema(EPOCH_MS),
          },
          EXTENSIBLE,
        ),
        {
          description:
            'of a conflict: its alternatives in words; of what was missed, failed or is damaged: the next airings of its title that are not booked',
        },
      ),
    ),
    openAt: t.Optional(
      nullable(broadcastMsSchema(), 'epoch ms: the tuner is asked for then; null: it has none'),
    ),
    closeAt: t.Optional(nullable(broadcastMsSchema(), 'epoch ms: the recording ends then, margin included')),
    channel: t.Optional(t.String({ description: 'physical channel' })),
    recordingId: t.Optional(nullable(recordingIdSchema(), 'what was, or is being, recorded of it')),
    verdict: t.Optional(
      nullable(
        VerdictLevelSchema,
        'what that recording is worth, `lost` when it failed; null: not judged yet',
      ),
    ),
    note: t.Optional(nullable(t.String(), 'what happened or will happen to it by itself, Japanese')),
    cuts: t.Optional(
      t.Array(
        t.Object(
          {
            part: t.Union([t.Literal('head'), t.Literal('tail')]),
            ms: t.Integer({ minimum: 0 }),
            programId: programIdSchema({ description: 'the adjacent programme on its tuner' }),
            title: t.String(),
          },
          EXTENSIBLE,
        ),
        {
          description:
            'what retuning between it and its neighbour on one tuner is expected to take; also in `note`',
        },
      ),
    ),
    ...OPTIONS,
  },
  EXTENSIBLE,
);
export type ReservationItem = Static<typeof ReservationSchema>;
export const ReservationsSchema = t.Array(ReservationSchema);

/** Body of `POST /api/reservations`. */
export const ReservationRequestSchema = t.Object(
  {
    programId: programIdSchema({ minimum: 0, ...PROGRAM_ID }),
    ...OPTIONS,
  },
  CLOSED,
);
export type ReservationRequest = Static<typeof ReservationRequestSchema>;

/** `POST /api/services/<id>/record`. */
export const RecordAnswerSchema = t.Object(
  {
    recorded: t.String({ description: "the programme's title" }),
    programId: programIdSchema(PROGRAM_ID),
    reserved: t.Boolean({
      description: 'false: it is booked but will not be recorded, usually because no tuner is free',
    }),
  },
  EXTENSIBLE,
);
export type RecordAnswer = Static<typeof RecordAnswerSchema>;

const ADDED = t.Optional(t.Unknown({ readOnly: true, description: 'ignored' }));
/** Fields that the service adds to a rule: a client may send them back. */
const READ_ONLY = {
  id: ADDED,
  disabledReason: ADDED,
  next: ADDED,
  crowded: ADDED,
  booked: ADDED,
  conflicts: ADDED,
  recorded: ADDED,
};

/** Body of `POST /api/rules`, `PUT /api/rules/<id>` and `POST /api/rules/preview`. */
export const RuleBodySchema = t.Object(
  { ...optionalSchemasOf(RULE_ACTIONS), ...optionalSchemasOf(RULE_CONDITIONS), ...READ_ONLY },
  CLOSED,
);
export type RuleBody = BodyOf<typeof RULE_ACTIONS & typeof RULE_CONDITIONS>;

/** A rule in responses: the body with every field, and the fields added by the service. */
export const RuleSchema = t.Object(
  {
    id: ruleIdSchema(),
    ...schemasOf(RULE_ACTIONS),
    ...schemasOf(RULE_CONDITIONS),
    genres: t.Unsafe<SentOf<typeof RULE_CONDITIONS.genres.type>>(
      t.Array(t.Object({ lv1: t.Integer(), lv2: t.Optional(nullable(t.Integer())) }, EXTENSIBLE)),
    ),
    disabledReason: nullable(t.String(), 'why the service disabled it, Japanese'),
    next: t.Optional(
      nullable(
        t.Object(
          {
            reservationId: reservationIdSchema(),
            programId: programIdSchema(PROGRAM_ID),
            title: t.String(),
            serviceName: t.String(),
            startAt: broadcastMsSchema(EPOCH_MS),
            state: ReservationStateSchema,
          },
          EXTENSIBLE,
        ),
        'the next programme that it books',
      ),
    ),
    crowded: t.Optional(
      nullable(
        t.Object(
          {
            left: t.Integer({
              minimum: 1,
              description: 'programmes that are looked at when they are nearer',
            }),
            reason: t.String({ description: 'for display, Japanese' }),
          },
          EXTENSIBLE,
        ),
        'it matches more than is booked at once; null: everything that it matches is looked at',
      ),
    ),
    booked: t.Optional(t.Integer({ minimum: 0, description: 'its scheduled and running reservations' })),
    conflicts: t.Optional(t.Integer({ minimum: 0, description: 'of these, those without a tuner' })),
    recorded: t.Optional(t.Integer({ minimum: 0, description: 'its watchable recordings' })),
  },
  EXTENSIBLE,
);
export type RuleItem = Static<typeof RuleSchema>;

/** A programme that a rule would match now, with the state that it would get. */
export const PreviewProgramSchema = t.Object(
  {
    id: programIdSchema(PROGRAM_ID),
    stationId: stationIdSchema(),
    serviceName: t.String(),
    name: t.String(),
    title: t.String(),
    startAt: broadcastMsSchema(EPOCH_MS),
    endAt: broadcastMsSchema(EPOCH_MS),
    state: nullable(ReservationStateSchema, 'null: the rule would not book it, for `reason`'),
    reason: nullable(t.String()),
    reservationId: nullable(reservationIdSchema(), 'there is a reservation already'),
  },
  EXTENSIBLE,
);
export type PreviewProgram = Static<typeof PreviewProgramSchema>;

/** `POST /api/rules/preview`. */
export const RulePreviewSchema = t.Object(
  {
    total: t.Integer({ minimum: 0, description: 'programmes that match' }),
    programs: t.Array(PreviewProgramSchema, { description: 'the first of them, by start' }),
    fault: t.Optional(nullable(t.String(), 'the rule cannot be used, Japanese')),
    retiring: t.Optional(RetiringSchema),
  },
  EXTENSIBLE,
);
export type RulePreview = Static<typeof RulePreviewSchema>;
