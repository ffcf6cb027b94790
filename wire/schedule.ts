/** Reservations and rules over HTTP. */
import { type Static, type TSchema, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import { ReservationStateSchema, VerdictLevelSchema } from './guide.ts';
import {
  programIdSchema,
  recordingIdSchema,
  reservationIdSchema,
  ruleIdSchema,
  stationIdSchema,
} from './id-schemas.ts';
import { RetiringSchema } from './recordings.ts';
import { SETTING_SCHEMAS } from './settings.ts';
import { broadcastMsSchema } from './time-schemas.ts';

/**
 * Further fields may be added later; the HTTP framework otherwise sets the opposite in a schema that it validates
 * with.
 */
const EXTENSIBLE = { additionalProperties: true } as const;
/** Unknown fields of a request are rejected: they would be typing errors. */
const CLOSED = { additionalProperties: false } as const;

const EPOCH_MS = { description: 'epoch ms' } as const;
const PROGRAM_ID = { description: 'programme id: station id * 100000 + event_id' } as const;
const MINUTE_OF_DAY = { minimum: 0, maximum: 1439, description: 'minutes of the day, Japan Standard Time' };
const MAX_MINUTES = 7 * 24 * 60;
const MAX_PRIORITY = 100;
export const MAX_KEYWORD_LENGTH = 1000;
const MAX_NAME_LENGTH = 200;
const MAX_LIST = 512;
const MAX_KEPT = 100_000;
/** Covers every possible network and service number. */
const MAX_STATION_ID = 65_535 * 100_000 + 65_535;
/** The end of the broadcast day 9999-12-31: calendars do not support later days. */
const MAX_PERIOD_MS = 253_402_286_400_000;
const PERIOD = { minimum: 0, maximum: MAX_PERIOD_MS, ...EPOCH_MS } as const;

function nullable<T extends TSchema>(schema: T, description?: string) {
  return t.Union([schema, t.Null()], description === undefined ? {} : { description });
}

const MARGIN = nullable(SETTING_SCHEMAS.marginBefore, 'ms; null = the setting');
const ENCODE = nullable(SETTING_SCHEMAS.encode, 'null = the setting');
const KEEP_TS = nullable(t.Boolean(), 'null = the setting');
const COMMERCIALS = nullable(SETTING_SCHEMAS.commercials, 'null = the setting');

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
    marginBefore: t.Optional(MARGIN),
    marginAfter: t.Optional(MARGIN),
    encode: t.Optional(ENCODE),
    keepTs: t.Optional(KEEP_TS),
    commercials: t.Optional(COMMERCIALS),
  },
  EXTENSIBLE,
);
export type ReservationItem = Static<typeof ReservationSchema>;
export const ReservationsSchema = t.Array(ReservationSchema);

/** Body of `POST /api/reservations`. */
export const ReservationRequestSchema = t.Object(
  {
    programId: programIdSchema({ minimum: 0, ...PROGRAM_ID }),
    marginBefore: t.Optional(MARGIN),
    marginAfter: t.Optional(MARGIN),
    encode: t.Optional(ENCODE),
    keepTs: t.Optional(KEEP_TS),
    commercials: t.Optional(COMMERCIALS),
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

/** Conditions of a rule; all that are set must hold. Empty texts and lists, and null, mean not set. */
const CONDITIONS = {
  keyword: t.Optional(
    t.String({
      maxLength: MAX_KEYWORD_LENGTH,
      description:
        'words that must all be found; `"a phrase"`, `-without`, `a|b`; with `regex` an expression',
    }),
  ),
  keywordIn: t.Optional(
    t.Array(t.Union([t.Literal('title'), t.Literal('description'), t.Literal('extended')]), {
      maxItems: 3,
      uniqueItems: true,
      description: 'default all three',
    }),
  ),
  regex: t.Optional(t.Boolean()),
  excludeKeyword: t.Optional(
    t.String({ maxLength: MAX_KEYWORD_LENGTH, description: 'words of which none may be found' }),
  ),
  stationIds: t.Optional(
    t.Array(stationIdSchema({ minimum: 0, maximum: MAX_STATION_ID }), { maxItems: MAX_LIST }),
  ),
  types: t.Optional(t.Array(BroadcastTypeSchema, { maxItems: 3 })),
  genres: t.Optional(
    t.Array(
      t.Object(
        {
          lv1: t.Integer({ minimum: 0, maximum: 15 }),
          lv2: t.Optional(nullable(t.Integer({ minimum: 0, maximum: 15 }))),
        },
        CLOSED,
      ),
      { maxItems: 256 },
    ),
  ),
  weekdays: t.Optional(
    t.Array(t.Integer({ minimum: 0, maximum: 6 }), {
      maxItems: 7,
      description: '0 Sunday to 6, of the broadcast day that begins at 05:00',
    }),
  ),
  timeFrom: t.Optional(nullable(t.Integer(MINUTE_OF_DAY))),
  timeTo: t.Optional(nullable(t.Integer({ ...MINUTE_OF_DAY, maximum: 1440 }))),
  durationMin: t.Optional(nullable(t.Integer({ minimum: 0, maximum: MAX_MINUTES, description: 'minutes' }))),
  durationMax: t.Optional(nullable(t.Integer({ minimum: 0, maximum: MAX_MINUTES, description: 'minutes' }))),
  freeOnly: t.Optional(t.Boolean({ description: 'default true' })),
  periodFrom: t.Optional(nullable(broadcastMsSchema(PERIOD))),
  periodTo: t.Optional(nullable(broadcastMsSchema(PERIOD))),
} as const;

const ACTIONS = {
  name: t.Optional(t.String({ maxLength: MAX_NAME_LENGTH, description: 'default: the keyword' })),
  enabled: t.Optional(t.Boolean()),
  priority: t.Optional(t.Integer({ minimum: 0, maximum: MAX_PRIORITY, description: 'default 1' })),
  dedupe: t.Optional(t.Boolean({ description: 'only the first airing of an episode; default true' })),
  marginBefore: t.Optional(MARGIN),
  marginAfter: t.Optional(MARGIN),
  encode: t.Optional(ENCODE),
  keepTs: t.Optional(KEEP_TS),
  commercials: t.Optional(COMMERCIALS),
  keepNewest: t.Optional(nullable(t.Integer({ minimum: 1, maximum: MAX_KEPT }), 'recordings; null = all')),
  keepDays: t.Optional(nullable(t.Integer({ minimum: 1, maximum: MAX_KEPT }), 'null = for ever')),
} as const;

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
export const RuleBodySchema = t.Object({ ...ACTIONS, ...CONDITIONS, ...READ_ONLY }, CLOSED);
export type RuleBody = Omit<Static<typeof RuleBodySchema>, keyof typeof READ_ONLY>;

/** A rule in responses: the body with every field, and the fields added by the service. */
export const RuleSchema = t.Object(
  {
    id: ruleIdSchema(),
    ...t.Required(t.Object({ ...ACTIONS, ...CONDITIONS })).properties,
    genres: t.Array(t.Object({ lv1: t.Integer(), lv2: t.Optional(nullable(t.Integer())) }, EXTENSIBLE)),
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
