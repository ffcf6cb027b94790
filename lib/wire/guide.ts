/** The guide over HTTP: windows, one programme, search, and the state of guide collection. */
import { type Static, Type as t } from '@sinclair/typebox';
import { BroadcastTypeSchema } from './agent.ts';
import {
  broadcastMsSchema,
  EPOCH_MS,
  EXTENSIBLE,
  oneOf,
  programIdSchema,
  recordingIdSchema,
  reservationIdSchema,
  ruleIdSchema,
  stationIdSchema,
  wallMsSchema,
} from './schema-parts.ts';
import {
  AUDIO_SIDES,
  GUIDE_TROUBLES,
  PROGRAM_RELATIONS,
  RECORDING_STATES,
  RESERVATION_STATES,
  VERDICT_LEVELS,
} from './vocabulary.ts';

const STATION_ID = { description: 'station id' } as const;
const PROGRAM_ID = { description: 'programme id: station id * 100000 + event_id' } as const;

export const ReservationStateSchema = oneOf(RESERVATION_STATES);
export const RecordingStateSchema = oneOf(RECORDING_STATES);
export const VerdictLevelSchema = oneOf(VERDICT_LEVELS, {
  description: 'lost: less than half of the wanted part is usable',
});

/** Selectable audio of a broadcast. */
export const AudioOptionSchema = t.Object({
  id: t.String({ description: '`<stream>:<side>`, passed back as `audio=<id>`' }),
  stream: t.Integer({ minimum: 0 }),
  side: oneOf(AUDIO_SIDES),
  label: t.String(),
  main: t.Optional(t.Literal(true)),
});
export type AudioOption = Static<typeof AudioOptionSchema>;

export const ReservationMarkSchema = t.Object({ id: reservationIdSchema(), state: ReservationStateSchema });
export type ReservationMark = Static<typeof ReservationMarkSchema>;

export const GenreSchema = t.Object({
  lv1: t.Integer({ minimum: 0, maximum: 15, description: 'major genre, ARIB STD-B10 Part 2, Annex H' }),
  lv2: t.Integer({ minimum: 0, maximum: 15, description: 'middle genre' }),
});

export const GuideProgramSchema = t.Object(
  {
    id: programIdSchema(PROGRAM_ID),
    title: t.String({ description: 'the name without marks' }),
    name: t.String({ description: 'exactly as broadcast, with marks such as [字]' }),
    description: t.Optional(t.String({ description: 'beginning of the summary; absent if there is none' })),
    startAt: broadcastMsSchema(EPOCH_MS),
    endAt: broadcastMsSchema({ description: 'epoch ms, exclusive' }),
    openEnd: t.Boolean({ description: 'the broadcast left the end undefined: endAt is a guess' }),
    genres: t.Array(GenreSchema),
    isFree: t.Boolean(),
    copyNever: t.Boolean({ description: 'will not be recorded' }),
    reservation: t.Union([ReservationMarkSchema, t.Null()]),
  },
  EXTENSIBLE,
);
export type GuideProgram = Static<typeof GuideProgramSchema>;

export const GuideStationSchema = t.Object(
  { stationId: stationIdSchema(STATION_ID), programs: t.Array(GuideProgramSchema) },
  EXTENSIBLE,
);
/**
 * `GET /api/guide`: the listed stations in list order, each with the programmes that overlap the window, sorted by
 * start.
 */
export const GuideWindowSchema = t.Array(GuideStationSchema);
export type GuideWindow = Static<typeof GuideWindowSchema>;

/** `GET /api/guide/shared`: stations without own programmes in the window. */
export const SharedStationsSchema = t.Array(
  t.Object(
    {
      stationId: stationIdSchema(STATION_ID),
      mainStationId: stationIdSchema({
        description: 'station that shows the same programmes under a lower number',
      }),
    },
    EXTENSIBLE,
  ),
);
export type SharedStations = Static<typeof SharedStationsSchema>;

export const ProgramAudioSchema = t.Object(
  {
    componentType: t.Integer({ description: '2 dual mono, 3 stereo, …; ARIB STD-B10 Part 2, 6.2.26' }),
    langs: t.Array(t.String({ description: 'ISO 639-2' })),
    main: t.Optional(t.Boolean({ description: 'declared as main audio' })),
    text: t.Optional(t.String()),
  },
  EXTENSIBLE,
);

/** Another programme referenced by the broadcast: the same one on another service, or its relay. */
export const ProgramRelationSchema = t.Object(
  {
    kind: oneOf(PROGRAM_RELATIONS, {
      description: 'shared: the same programme; relay: it continues there; movement: it moved from there',
    }),
    id: programIdSchema(PROGRAM_ID),
    station_id: stationIdSchema(STATION_ID),
    service_name: t.Union([t.String(), t.Null()], { description: 'null: a station that is not known here' }),
  },
  EXTENSIBLE,
);

export const ProgramSeriesSchema = t.Object(
  {
    id: t.Integer({ description: 'unique among the series of a broadcaster' }),
    name: t.String(),
    episode: t.Union([t.Integer(), t.Null()]),
    last_episode: t.Union([t.Integer(), t.Null()]),
    repeat_label: t.Integer({ description: '0 is the first run' }),
  },
  EXTENSIBLE,
);

/** `GET /api/programs/<id>`, snake_case. */
export const ProgramDetailSchema = t.Object(
  {
    id: programIdSchema(PROGRAM_ID),
    station_id: stationIdSchema(STATION_ID),
    name: t.String({ description: 'as broadcast, with marks' }),
    title: t.String({ description: 'the name without marks' }),
    service_name: t.String(),
    start_at: broadcastMsSchema(EPOCH_MS),
    end_at: broadcastMsSchema(EPOCH_MS),
    open_end: t.Boolean({ description: 'the broadcast left the end undefined: end_at is a guess' }),
    description: t.String(),
    extended: t.Union([t.Record(t.String(), t.String()), t.Null()], {
      description: 'heading to body text, in the order of broadcast',
    }),
    genre_detail: t.Union([t.Array(GenreSchema), t.Null()]),
    audios: t.Union([t.Array(ProgramAudioSchema), t.Null()]),
    video_type: t.Union([t.String(), t.Null()]),
    video_resolution: t.Union([t.String(), t.Null()]),
    is_free: t.Boolean(),
    copy_never: t.Boolean(),
    series: t.Union([ProgramSeriesSchema, t.Null()]),
    relations: t.Array(ProgramRelationSchema),
    others: t.Array(
      t.Object(
        {
          id: programIdSchema(PROGRAM_ID),
          service_name: t.String(),
          start_at: broadcastMsSchema(EPOCH_MS),
          end_at: broadcastMsSchema(EPOCH_MS),
        },
        EXTENSIBLE,
      ),
      { description: 'other airings of the same title that have not ended, by start' },
    ),
    reservation: t.Union([ReservationMarkSchema, t.Null()]),
  },
  EXTENSIBLE,
);
export type ProgramDetail = Static<typeof ProgramDetailSchema>;

/** Screen of the result, relative to the service's address. */
const SCREEN = t.Union([t.String(), t.Null()]);

/** Why a row was found whose name does not have all words. */
const SearchMatchSchema = t.Object(
  {
    heading: t.String({ description: 'heading of the extended text; empty for the description' }),
    text: t.String({
      description: 'the part around the first word, cut with … where more precedes or follows',
    }),
  },
  EXTENSIBLE,
);
export type SearchMatch = Static<typeof SearchMatchSchema>;

export const FoundProgramSchema = t.Object(
  {
    id: programIdSchema(PROGRAM_ID),
    name: t.String(),
    service_name: t.String(),
    start_at: broadcastMsSchema(EPOCH_MS),
    end_at: broadcastMsSchema(EPOCH_MS),
    reservation_state: t.Union([ReservationStateSchema, t.Null()]),
    match: t.Optional(SearchMatchSchema),
  },
  EXTENSIBLE,
);
export type FoundProgram = Static<typeof FoundProgramSchema>;

export const FoundRecordingSchema = t.Object(
  {
    id: recordingIdSchema(),
    name: t.String(),
    service_name: t.String(),
    start_at: broadcastMsSchema(EPOCH_MS),
    state: RecordingStateSchema,
    watch: t.Union([t.String(), t.Null()], {
      description:
        'relative URL of the viewing screen, of the chase screen while recording; null: not viewable',
    }),
    verdict: t.Union([VerdictLevelSchema, t.Null()], { description: 'null: not judged yet' }),
    match: t.Optional(SearchMatchSchema),
  },
  EXTENSIBLE,
);
export type FoundRecording = Static<typeof FoundRecordingSchema>;

export const FoundReservationSchema = t.Object(
  {
    id: reservationIdSchema(),
    program_id: programIdSchema(PROGRAM_ID),
    name: t.String(),
    service_name: t.String(),
    start_at: broadcastMsSchema(EPOCH_MS),
    end_at: broadcastMsSchema(EPOCH_MS),
    state: ReservationStateSchema,
    chase: SCREEN,
  },
  EXTENSIBLE,
);
export type FoundReservation = Static<typeof FoundReservationSchema>;

export const FoundRuleSchema = t.Object(
  { id: ruleIdSchema(), name: t.String(), enabled: t.Boolean() },
  EXTENSIBLE,
);
export type FoundRule = Static<typeof FoundRuleSchema>;

/** `GET /api/search`, snake_case. `more`: further rows exist; they are not counted. */
export const SearchResultSchema = t.Object(
  {
    q: t.String({ description: 'the query as used: truncated to 100 characters' }),
    programs: t.Object({ more: t.Boolean(), rows: t.Array(FoundProgramSchema) }),
    recordings: t.Object({ more: t.Boolean(), rows: t.Array(FoundRecordingSchema) }),
    reservations: t.Object({ more: t.Boolean(), rows: t.Array(FoundReservationSchema) }),
    rules: t.Object({ more: t.Boolean(), rows: t.Array(FoundRuleSchema) }),
  },
  EXTENSIBLE,
);
export type SearchResult = Static<typeof SearchResultSchema>;

/** How far a station's guide reaches. */
export const GuideCoverageSchema = t.Object(
  {
    stationId: stationIdSchema(STATION_ID),
    filledUntil: t.Union([broadcastMsSchema(), t.Null()], {
      description: 'epoch ms up to which the guide is filled without a gap from now; null: nothing is known',
    }),
    lastReadAt: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms; null: never read' }),
    thin: t.Boolean({ description: 'the guide does not reach far enough ahead' }),
    noGuide: t.Boolean({ description: 'a station without its own guide; never thin' }),
  },
  EXTENSIBLE,
);

/** A channel that is being read for its guide. */
export const GuideVisitSchema = t.Object(
  {
    type: BroadcastTypeSchema,
    channel: t.String({ description: 'physical channel' }),
    stationIds: t.Array(stationIdSchema(STATION_ID)),
    startedAt: wallMsSchema(EPOCH_MS),
  },
  EXTENSIBLE,
);

/** A channel whose guide could not be read when it was last tried. */
export const GuideTroubleSchema = t.Object(
  {
    type: BroadcastTypeSchema,
    channel: t.String({ description: 'physical channel' }),
    stationIds: t.Array(stationIdSchema(STATION_ID)),
    kind: oneOf(GUIDE_TROUBLES, {
      description:
        'no_such_tuner: no enabled tuner receives this type; no_tuner: all were in use; unreadable: tuning failed, or the stream broke',
    }),
    reason: t.Union([t.String(), t.Null()], { description: 'message of the tuner agent' }),
    failures: t.Integer({ minimum: 0, description: 'in a row; no_tuner does not count' }),
    at: t.Union([wallMsSchema(), t.Null()], { description: 'epoch ms of the last attempt; null: none yet' }),
  },
  EXTENSIBLE,
);
export type GuideTrouble = Static<typeof GuideTroubleSchema>;

/** This machine's clock compared with the broadcast time of a network. */
export const ClockOffsetSchema = t.Object(
  {
    networkId: t.Integer(),
    type: BroadcastTypeSchema,
    offsetMs: t.Integer({ description: "broadcast time minus this machine's, ms" }),
    measuredAt: wallMsSchema(EPOCH_MS),
    warning: t.Boolean({ description: 'off by more than 1 s: recordings would begin at the wrong time' }),
  },
  EXTENSIBLE,
);
export type ClockOffset = Static<typeof ClockOffsetSchema>;

/** `GET /api/guide/status`. */
export const GuideStatusSchema = t.Object(
  {
    stations: t.Array(GuideCoverageSchema, { description: 'the listed stations, in list order' }),
    visits: t.Array(GuideVisitSchema, { description: 'under way' }),
    troubles: t.Array(GuideTroubleSchema, { description: 'channels that could not be read when last tried' }),
    pressed: t.Boolean({ description: "'collect now' is pressed" }),
    progress: t.Union(
      [t.Object({ done: t.Integer({ minimum: 0 }), total: t.Integer({ minimum: 0 }) }, EXTENSIBLE), t.Null()],
      { description: 'channels read since the request, and their total; null: no request' },
    ),
    clocks: t.Array(ClockOffsetSchema),
  },
  EXTENSIBLE,
);
export type GuideStatus = Static<typeof GuideStatusSchema>;

/** `POST /api/guide/collect`: a lease; the screen renews it by repeating the POST. */
export const GuideCollectSchema = t.Object(
  { pressed: t.Boolean(), until: t.Union([wallMsSchema(), t.Null()], EPOCH_MS) },
  EXTENSIBLE,
);
export type GuideCollect = Static<typeof GuideCollectSchema>;
