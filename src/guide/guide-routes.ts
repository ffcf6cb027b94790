/** `/api/guide`, `/api/programs` and `/api/search`: the stored guide, how far it reaches, and collecting it now. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { type ProgramId, type StationId, splitProgramId, splitStationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import { BroadcastTypeSchema } from '../../lib/wire/agent.ts';
import {
  COLLECT_LEASE_MS,
  type GuideCollect,
  GuideCollectSchema,
  type GuideStatus,
  GuideStatusSchema,
  GuideWindowSchema,
  MAX_GUIDE_WINDOW_MS,
  MAX_QUERY_LENGTH,
  ProblemSchema,
  ProgramDetailSchema,
  SEARCH_LIMIT,
  SEARCH_MAX_OFFSET,
  SEARCH_SECTIONS,
  type SearchResult,
  SearchResultSchema,
  type SearchSection,
  type SharedStations,
  SharedStationsSchema,
} from '../../lib/wire/api.ts';
import { problemResponse, REFUSAL_SCHEMAS, REFUSALS } from '../http/route/described-responses.ts';
import {
  AnswerCache,
  notModified,
  polledAnswer,
  polledJson,
  polledResponses,
} from '../http/route/polled-answer.ts';
import { Failure } from '../model/failure.ts';
import { mainStationOf } from '../model/main-station.ts';
import type { ProgramRecord } from '../model/program.ts';
import { cutQuery, searchWords } from '../model/search-text.ts';
import type { StationRecord } from '../model/station.ts';
import type { GuideWindowStore } from '../store/guide-window.ts';
import type { ProgramStore } from '../store/program-store.ts';
import type { SearchStore } from '../store/search-store.ts';
import { programDetail, writeWindow } from './guide-answers.ts';

export interface GuideRouteNeeds {
  /** Part of the entity tag: responses of older versions are not reused. */
  version: string;
  now: () => BroadcastMs;
  stations: { list(): readonly StationRecord[] };
  guide: Pick<
    GuideWindowStore,
    'stamp' | 'ofStation' | 'stationNames' | 'others' | 'reservationOf' | 'reserved' | 'nextChange'
  >;
  programs: {
    find(id: ProgramId): ProgramRecord | undefined;
    sharing: ProgramStore['sharing'];
  };
  search: Pick<SearchStore, 'programs' | 'recordings' | 'reservations' | 'rules'>;
}

/** Used if `to` is missing. */
const DEFAULT_WINDOW_MS = DAY_MS;

const EPOCH_PATTERN = '^[0-9]{1,15}$';

const GUIDE_QUERY = t.Object({
  from: t.Optional(
    t.String({ pattern: EPOCH_PATTERN, description: 'epoch ms; default: the beginning of the current hour' }),
  ),
  to: t.Optional(
    t.String({
      pattern: EPOCH_PATTERN,
      description: `epoch ms, exclusive, at most ${MAX_GUIDE_WINDOW_MS / DAY_MS} days after \`from\`; without it a day`,
    }),
  ),
  type: t.Optional(BroadcastTypeSchema),
  stationId: t.Optional(t.String({ pattern: '^[0-9]{1,16}$', description: 'only this station' })),
});

interface GuideQuestion {
  from: BroadcastMs;
  to: BroadcastMs;
  stations: readonly StationRecord[];
}

/** @throws Failure bad_request naming the field, not_found for a station that is not listed */
function readGuideQuestion(query: Partial<typeof GUIDE_QUERY.static>, parts: GuideRouteNeeds): GuideQuestion {
  const now = parts.now();
  const from = broadcastMs(query.from === undefined ? now - (now % HOUR_MS) : Number(query.from));
  const to = query.to === undefined ? plusMs(from, DEFAULT_WINDOW_MS) : broadcastMs(Number(query.to));
  if (to <= from) throw new Failure('bad_request', 'to は from より後にしてください。', { path: 'to' });
  if (to - from > MAX_GUIDE_WINDOW_MS) {
    const days = MAX_GUIDE_WINDOW_MS / DAY_MS;
    throw new Failure('bad_request', `番組表は一度に${days}日分までです。`, { path: 'to' });
  }
  let stations = parts.stations.list();
  if (query.stationId !== undefined) {
    const id = Number(query.stationId);
    stations = stations.filter((station) => station.id === id);
    if (splitStationId(id) === undefined || stations.length === 0) {
      throw new Failure('not_found', '局が見つかりません。', { path: 'stationId' });
    }
  }
  if (query.type !== undefined) stations = stations.filter((station) => station.type === query.type);
  return { from, to, stations };
}

/** @throws Failure bad_request if it is not a number, not_found for a number that no programme can have */
function readProgramId(text: string): ProgramId {
  if (!/^\d{1,16}$/.test(text)) {
    throw new Failure('bad_request', '番組の番号が正しくありません。', { path: 'id' });
  }
  const id = Number(text);
  if (splitProgramId(id) === undefined) throw unknownProgram();
  return id as ProgramId;
}

function unknownProgram(): Failure {
  return new Failure('not_found', '番組が見つかりません。終わった番組は番組表から消えます。');
}

interface SearchQuestion {
  q?: string | undefined;
  limit?: string | undefined;
  offset?: string | undefined;
  section?: SearchSection | undefined;
}

const NOTHING = { more: false, rows: [] };

/** @param only the only requested section; the others stay empty */
async function search(
  parts: GuideRouteNeeds,
  query: string,
  { offset, limit }: { offset: number; limit: number },
  only: SearchSection | undefined,
): Promise<SearchResult> {
  const q = cutQuery(query, MAX_QUERY_LENGTH);
  const words = searchWords(q);
  const wanted = (name: SearchSection): boolean => words.length > 0 && (only === undefined || only === name);
  const { search: store } = parts;
  const now = parts.now();
  return {
    q,
    programs: wanted('programs') ? await store.programs(words, limit, now, offset) : NOTHING,
    recordings: wanted('recordings') ? await store.recordings(words, limit, offset) : NOTHING,
    reservations: wanted('reservations') ? store.reservations(words, limit, now, offset) : NOTHING,
    rules: wanted('rules') ? store.rules(words, limit, offset) : NOTHING,
  };
}

/** 1 to the maximum; larger values are clamped. */
function searchLimit(text: string | undefined): number {
  if (text === undefined) return SEARCH_LIMIT.default;
  return Math.min(Math.max(Number(text), 1), SEARCH_LIMIT.maximum);
}

function searchOffset(text: string | undefined): number {
  return Math.min(Number(text ?? 0), SEARCH_MAX_OFFSET);
}

/** Stations that need no column: another station has all their programmes, too. */
function sharedStations(
  { programs }: GuideRouteNeeds,
  { from, to, stations }: GuideQuestion,
): SharedStations {
  const listed = new Set(stations.map(({ id }) => id));
  const isListed = (id: StationId): boolean => listed.has(id);
  return [...programs.sharing(listed, from, to)].flatMap(([id, shared]) => {
    const mains = shared.map((program) => mainStationOf(program, isListed) ?? program.sameOn);
    const [main] = mains;
    return main === undefined || mains.includes(undefined) ? [] : [{ stationId: id, mainStationId: main }];
  });
}

function addSharedRoute(app: Elysia, parts: GuideRouteNeeds): void {
  app.get(
    '/api/guide/shared',
    ({ query, request }) => {
      const question = readGuideQuestion(query, parts);
      const stamp = parts.guide.stamp('programs', 'stations');
      const etag = `"${parts.version}-${stamp}-${question.from}-${question.to}-${query.type ?? ''}"`;
      const unchanged = notModified(request, etag);
      if (unchanged !== undefined) return unchanged;
      return polledJson(request, { etag, body: JSON.stringify(sharedStations(parts, question)) });
    },
    {
      query: t.Omit(GUIDE_QUERY, ['stationId']),
      detail: {
        summary: 'Stations without own programmes in a time window',
        description:
          'Sub-channels whose programmes are all announced as shared with a listed station of a lower number, or have the ' +
          'name and times of its programmes. ' +
          'Carries an ETag; `If-None-Match` gives 304 while the guide did not change.',
        tags: ['guide'],
        responses: {
          ...REFUSALS,
          ...polledResponses('stations with the one that shows the same', SharedStationsSchema),
          400: problemResponse('a bad value, or a window that is empty or too wide; `path` names the field'),
        },
      },
    },
  );
}

/** Some 20 evenings of a broadcast type, at most 4 MB. */
const MAX_KEPT_CHARACTERS = 2_000_000;

function addGuideRoute(app: Elysia, parts: GuideRouteNeeds): void {
  const windows = new AnswerCache(MAX_KEPT_CHARACTERS);
  app.get(
    '/api/guide',
    async ({ query, request }) => {
      const { from, to, stations } = readGuideQuestion(query, parts);
      // The stamp is read before the rows: after a change in between the response is sent once too often, never once
      // too few.
      const stamp = parts.guide.stamp('programs', 'stations', 'reservations');
      const window = `${from.toString(36)}-${to.toString(36)}-${query.type ?? ''}-${query.stationId ?? ''}`;
      const etag = `"${parts.version}-${stamp}-${window}"`;
      const unchanged = notModified(request, etag);
      if (unchanged !== undefined) return unchanged;
      const write = (): Promise<string> => writeWindow(parts.guide, stations, from, to);
      return polledJson(request, await windows.answer(window, etag, write));
    },
    {
      query: GUIDE_QUERY,
      detail: {
        summary: 'Programmes in a time window, by station',
        description:
          'The listed stations in list order, each with the programmes that overlap the window, sorted by start; stations ' +
          'without programmes are included. Carries an ETag; `If-None-Match` gives 304 while the guide did not change.',
        tags: ['guide'],
        responses: {
          ...REFUSALS,
          ...polledResponses('stations with their programmes', GuideWindowSchema),
          400: problemResponse('a bad value, or a window that is empty or too wide; `path` names the field'),
          404: problemResponse('`stationId` is not listed'),
        },
      },
    },
  );
}

export function addGuideRoutes(app: Elysia, parts: GuideRouteNeeds): void {
  addGuideRoute(app, parts);
  addSharedRoute(app, parts);

  app.get(
    '/api/programs/:id',
    ({ params }) => {
      const detail = programDetail(parts, readProgramId(params.id));
      if (detail === undefined) throw unknownProgram();
      return Response.json(detail, { headers: { 'cache-control': 'private, no-cache' } });
    },
    {
      params: t.Object({ id: t.String({ description: 'programme id: station id * 100000 + event_id' }) }),
      detail: {
        summary: 'All details of a programme',
        description: 'Keys are snake_case. Programmes are kept until a day after they ended.',
        tags: ['guide'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'programme',
            content: { 'application/json': { schema: JSON.parse(JSON.stringify(ProgramDetailSchema)) } },
          },
          400: problemResponse('malformed id'),
          404: problemResponse('unknown programme, or one that is over and forgotten'),
        },
      },
    },
  );

  const answer = ({ q, limit, offset, section }: SearchQuestion) =>
    search(parts, q ?? '', { offset: searchOffset(offset), limit: searchLimit(limit) }, section);
  app.get('/api/search', ({ query }) => answer(query), {
    query: t.Object({
      q: t.Optional(
        t.String({
          description:
            `words separated by spaces, all of which must be contained in name, description and extended text, of ` +
            `recordings also in the station's name; what has all in its name comes first; width, letter case and ` +
            `the width of kana do not count; cut at ${MAX_QUERY_LENGTH} characters`,
        }),
      ),
      limit: t.Optional(
        t.String({
          pattern: '^[0-9]{1,15}$',
          description: `rows a section: 1 to ${SEARCH_LIMIT.maximum}, ${SEARCH_LIMIT.default} by default; what is beyond is taken as the bound`,
        }),
      ),
      offset: t.Optional(
        t.String({
          pattern: '^[0-9]{1,15}$',
          description: `rows of each section to pass over: 0 by default, at most ${SEARCH_MAX_OFFSET}`,
        }),
      ),
      section: t.Optional(
        t.Union(
          SEARCH_SECTIONS.map((name) => t.Literal(name)),
          { description: 'the only requested section; the others stay empty' },
        ),
      ),
    }),
    response: { 200: SearchResultSchema, 400: ProblemSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Search programmes, recordings, reservations and rules',
      description:
        'Searches names and descriptions, for recordings also the name of their station, for rules their name. ' +
        '`programs`: not yet ended, by start, without those of sub-channels that repeat a main station and have no ' +
        'reservation; `recordings`: not deleted, newest first; `reservations`: upcoming and ' +
        'in progress, by start. Keys of rows are snake_case.',
      tags: ['guide'],
    },
  });
}

interface CollectRouteNeeds {
  collecting: {
    status(): GuideStatus;
    press(): GuideCollect;
    release(): GuideCollect;
  };
}

/** `/api/guide/status` and `/api/guide/collect`: coverage of the guide, and collecting it now. */
export function addCollectRoutes(app: Elysia, { collecting }: CollectRouteNeeds): void {
  const tags = ['guide'];
  app.get('/api/guide/status', ({ request }) => polledJson(request, polledAnswer(collecting.status())), {
    detail: {
      summary:
        'How far the guide of each listed station reaches, what is being read, and the broadcast clocks',
      description: 'The event `programs` reports possible changes.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the state of the guide', GuideStatusSchema) },
    },
  });

  app.post('/api/guide/collect', () => collecting.press(), {
    response: { 200: GuideCollectSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Read the guides of all stations now, before channel scans',
      description: `A lease of ${COLLECT_LEASE_MS / 1000} s: it is renewed by asking again before it ends.`,
      tags,
    },
  });

  app.delete('/api/guide/collect', () => collecting.release(), {
    response: { 200: GuideCollectSchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'Continue reading guides in the background only', tags },
  });
}
