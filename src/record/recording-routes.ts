/** `/api/recordings`: lists of what was recorded, and one recording's state. Its marks: `recording-mark-routes.ts`. */
import { type TSchema, Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { StationId } from '../../lib/arib/ids.ts';
import {
  MAX_QUERY_LENGTH,
  NEXT_HEADER,
  RECORDING_LIMIT,
  RECORDING_SHOWS,
  RECORDING_SORTS,
  RecordingDetailSchema,
  type RecordingProgress,
  RecordingSchema,
  RecordingSeriesSchema,
  RecordingStatusSchema,
  RecordingsSchema,
  TOTAL_HEADER,
} from '../../lib/wire/api.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import {
  findRecording,
  ID_PARAMS,
  NO_RECORDING,
  readRecordingId,
  unknownRecording,
} from '../http/route/path-ids.ts';
import { notModified, polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { Failure } from '../model/failure.ts';
import { cutQuery, searchWords } from '../model/search-text.ts';
import type { RecordingListStore, RecordingQuestion } from '../store/recording-list-store.ts';
import { orderName, type RecordingCursor, readCursor, writeCursor } from '../store/recording-order.ts';
import { type Running, toDetail, toRecording, toSeries, toStatus } from './recording-answers.ts';

export interface RecordingRouteNeeds {
  version: string;
  recordingList: Pick<RecordingListStore, 'stamp' | 'page' | 'series' | 'find' | 'originals' | 'detail'>;
  running(): ReadonlyMap<RecordingId, RecordingProgress>;
}

const NUMBER = '^[0-9]{1,15}$';
/** Largest offset: more than any list has. */
const MAX_OFFSET = 10_000_000;

/** Longer than the title of a programme. */
const MAX_CURSOR_LENGTH = 4000;

const LIMIT = t.Optional(
  t.String({
    pattern: NUMBER,
    description: `1 to ${RECORDING_LIMIT.maximum}, ${RECORDING_LIMIT.default} by default; what is beyond is taken as the bound`,
  }),
);
const OFFSET = t.Optional(t.String({ pattern: NUMBER, description: 'rows to skip' }));

export const LIST_QUERY = t.Object({
  limit: LIMIT,
  offset: OFFSET,
  cursor: t.Optional(
    t.String({
      minLength: 1,
      maxLength: MAX_CURSOR_LENGTH,
      description:
        `instead of \`offset\`: the page behind the one whose \`${NEXT_HEADER}\` this is, in the same order. It takes as ` +
        'long for every page, and stays in its place while recordings come, go or move',
    }),
  ),
  q: t.Optional(
    t.String({
      description: `words that name, description, extended text and station name must contain, as of \`/api/search\`; cut at ${MAX_QUERY_LENGTH} characters`,
    }),
  ),
  sort: t.Optional(
    t.Union(
      RECORDING_SORTS.map((sort) => t.Literal(sort)),
      {
        description:
          'default `newest`; `unwatched`: those first, newest first; `title`: numbers by their value; `longest`, ' +
          '`largest`: what is being recorded comes last',
      },
    ),
  ),
  unwatched: t.Optional(t.Union([t.Literal('0'), t.Literal('1')], { description: '1: only those' })),
  show: t.Optional(
    t.Union(
      RECORDING_SHOWS.map((show) => t.Literal(show)),
      {
        description:
          'default: watchable and running ones; `recording`: only running ones; `failed`, `bin`: recordings that are ' +
          'otherwise left out; `protected`: those that no rule moves to the bin; `resume`: those with a position to ' +
          'continue from, last watched first unless `sort` is given',
      },
    ),
  ),
  series: t.Optional(t.String({ minLength: 1, maxLength: 1000, description: 'key of a series' })),
  ruleId: t.Optional(t.String({ pattern: NUMBER, description: 'made by this rule' })),
  stationId: t.Optional(t.String({ pattern: NUMBER, description: 'of this station' })),
  genre: t.Optional(
    t.String({
      pattern: '^([0-9]|1[0-5])$',
      description:
        'with a genre of this major one (content_nibble_level_1); 15: includes recordings without genre',
    }),
  ),
});

export function readQuestion(query: typeof LIST_QUERY.static): RecordingQuestion {
  const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  return {
    show: query.show ?? null,
    sort: query.sort ?? 'newest',
    words: searchWords(cutQuery(query.q ?? '', MAX_QUERY_LENGTH)),
    unwatched: query.unwatched === '1',
    series: query.series ?? null,
    ruleId: number(query.ruleId) as RuleId | null,
    stationId: number(query.stationId) as StationId | null,
    genre: number(query.genre),
  };
}

/** Clamps to the bounds. */
export function readPage(
  query: { limit?: string; offset?: string },
  limit: number,
): { limit: number; offset: number } {
  return {
    limit: Math.min(Math.max(Number(query.limit ?? limit), 1), RECORDING_LIMIT.maximum),
    offset: Math.min(Number(query.offset ?? 0), MAX_OFFSET),
  };
}

/**
 * Where the page begins.
 * @throws Failure bad_request for a cursor that is none, is of another order, or comes with an offset
 */
export function readStart(
  { cursor, offset }: { cursor?: string; offset?: string },
  { show, sort }: RecordingQuestion,
): number | RecordingCursor {
  if (cursor === undefined) return Math.min(Number(offset ?? 0), MAX_OFFSET);
  const bad = (message: string): Failure => new Failure('bad_request', message, { path: 'cursor' });
  if (offset !== undefined) throw bad('cursor と offset は一緒に使えません。');
  const place = readCursor(cursor);
  if (place === undefined)
    throw bad(`cursor が正しくありません。前のページの ${NEXT_HEADER} をそのまま使ってください。`);
  if (place.order !== orderName(show, sort)) throw bad('cursor は別の並び順のものです。');
  return place;
}

const NEXT = {
  schema: { type: 'string' as const },
  description: '`cursor` of the next page; absent on the last',
};
const TOTAL = { schema: { type: 'integer' as const }, description: 'number of items in the complete list' };

/** Responses of lists that are polled, with the number of all rows. */
function listResponses(description: string, schema: TSchema, more: Record<string, typeof NEXT> = {}) {
  const responses = polledResponses(description, schema);
  return {
    ...REFUSALS,
    200: { ...responses[200], headers: { ...responses[200].headers, [TOTAL_HEADER]: TOTAL, ...more } },
    304: responses[304],
    400: problemResponse('a bad value; `path` names the field'),
  };
}

/** A page that is known to be unchanged without reading it, provided that no recording in it is running. */
function pageOf(
  request: Request,
  parts: RecordingRouteNeeds,
  asked: unknown,
  read: (running: Running) => {
    total: number;
    items: readonly unknown[];
    next?: RecordingCursor | undefined;
  },
): Response {
  // The stamp is read before the rows: after a change in between the page is sent once too often, never once too few.
  const stamp = parts.recordingList.stamp();
  const running = parts.running();
  const rest = Bun.hash(JSON.stringify([asked, ...running])).toString(36);
  const etag = `"${parts.version}-${stamp}-${rest}"`;
  const unchanged = notModified(request, etag);
  if (unchanged !== undefined) return unchanged;
  const { total, items, next } = read(running);
  const response = polledJson(request, { etag, body: JSON.stringify(items) });
  response.headers.set(TOTAL_HEADER, String(total));
  if (next !== undefined) response.headers.set(NEXT_HEADER, writeCursor(next));
  return response;
}

export function addRecordingRoutes(app: Elysia, parts: RecordingRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings',
    ({ query, request }) => {
      const question = readQuestion(query);
      const { limit } = readPage(query, RECORDING_LIMIT.default);
      const start = readStart(query, question);
      return pageOf(request, parts, [question, limit, start], (running) => {
        const { total, rows, next } = parts.recordingList.page(question, start, limit);
        return { total, items: rows.map((row) => toRecording(row, running)), next };
      });
    },
    {
      query: LIST_QUERY,
      detail: {
        summary: 'Recordings',
        description:
          'Watchable and running recordings, newest first. The event `recordings` reports changes. `poster` gives 404 ' +
          'while there is no picture, and has a version (`?v=`) once there is one. A recording in the bin has no files.',
        tags,
        responses: listResponses('a page of recordings', RecordingsSchema, { [NEXT_HEADER]: NEXT }),
      },
    },
  );

  app.get(
    '/api/recordings/series',
    ({ query, request }) => {
      const { limit, offset } = readPage(query, RECORDING_LIMIT.maximum);
      return pageOf(request, parts, ['series', limit, offset], (running) => {
        const { total, rows } = parts.recordingList.series(offset, limit);
        return { total, items: rows.map((row) => toSeries(row, running)) };
      });
    },
    {
      query: t.Object({
        limit: t.Optional(
          t.String({
            pattern: NUMBER,
            description: `1 to ${RECORDING_LIMIT.maximum}, the latter by default`,
          }),
        ),
        offset: OFFSET,
      }),
      detail: {
        summary: 'Series of recordings, sorted by their newest recording',
        description:
          'Of what the list of recordings shows by default. What belongs to no series is left out.',
        tags,
        responses: listResponses('series', t.Array(RecordingSeriesSchema)),
      },
    },
  );

  app.get(
    '/api/recordings/:id',
    ({ params, request }) =>
      polledJson(
        request,
        polledAnswer(toRecording(findRecording(parts.recordingList, params.id), parts.running())),
      ),
    {
      params: ID_PARAMS,
      detail: {
        summary: 'One recording, as in lists',
        tags,
        responses: { ...REFUSALS, ...polledResponses('a recording', RecordingSchema), ...NO_RECORDING },
      },
    },
  );

  app.get(
    '/api/recordings/:id/status',
    ({ params, request }) =>
      polledJson(
        request,
        polledAnswer(toStatus(findRecording(parts.recordingList, params.id), parts.running())),
      ),
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Whether a recording is running, and can be watched',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('the state of a recording', RecordingStatusSchema),
          ...NO_RECORDING,
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/detail',
    ({ params, request }) => {
      const id = readRecordingId(params.id);
      const detail = parts.recordingList.detail(id);
      if (detail === undefined) throw unknownRecording();
      return polledJson(request, polledAnswer(toDetail(id, detail)));
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'What the broadcast says about the programme, and when packets were damaged',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('the texts of a recording', RecordingDetailSchema),
          ...NO_RECORDING,
        },
      },
    },
  );
}
