/** `/api/services`: the station list, and logos. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { type BroadcastMs, earliest, plusMs } from '../../lib/arib/time.ts';
import { type NowProgram, type ReservationState, type Station, StationsSchema } from '../../lib/wire/api.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readStationId } from '../http/route/path-ids.ts';
import { notModified, type PolledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { audioOptions } from '../model/audio.ts';
import { Failure } from '../model/failure.ts';
import { mainStationOf } from '../model/main-station.ts';
import type { StationRecord } from '../model/station.ts';
import type { GuideWindowStore } from '../store/guide-window.ts';
import type { AiringProgram } from '../store/program-store.ts';

interface StationListNeeds {
  now: () => BroadcastMs;
  stations: {
    list(): readonly StationRecord[];
    airing(): Map<StationId, AiringProgram>;
  };
  logos: {
    /** Changes with the picture; undefined while there is none. */
    tag(id: StationId): string | undefined;
  };
  guide: Pick<GuideWindowStore, 'stamp' | 'reserved' | 'nextChange'>;
}

/** Maximum age of the cached list, in case of a change without an event. */
const LONGEST_KEPT_MS = 60_000;

function nowOf(
  program: AiringProgram | undefined,
  state: ReservationState | undefined,
  isListed: (id: StationId) => boolean,
): NowProgram | null {
  if (program === undefined) return null;
  const main = mainStationOf(program, isListed) ?? program.sameOn;
  return {
    ...(main === undefined ? {} : { mainStationId: main }),
    id: program.id,
    title: removeTitleMarks(program.name).title,
    name: program.name,
    startAt: program.startAt,
    endAt: program.endAt,
    reserved: state !== undefined,
    recording: state === 'recording',
    audios: audioOptions(program.audios),
  };
}

function toStation(
  station: StationRecord,
  airing: AiringProgram | undefined,
  state: ReservationState | undefined,
  logoTag: string | undefined,
  isListed: (id: StationId) => boolean,
): Station {
  return {
    id: station.id,
    type: station.type,
    name: station.name,
    remoteControlKey: station.remoteControlKey,
    // The tag changes the URL when the picture changes.
    logo: logoTag === undefined ? null : `api/services/${station.id}/logo?v=${logoTag}`,
    live: `api/services/${station.id}/live`,
    now: nowOf(airing, state, isListed),
  };
}

interface Kept extends PolledAnswer {
  stamp: string;
  list: readonly StationRecord[];
  /** Epoch ms of its validity; both ends, because the clock may be set back. */
  from: BroadcastMs;
  until: BroadcastMs;
}

/**
 * The response of `/api/services`: stations with their current programmes. Written once and cached until something
 * changed: a station, a programme, a reservation, or the current programme by the clock.
 */
class StationListAnswer {
  #kept: Kept | undefined;

  constructor(private readonly parts: StationListNeeds) {}

  answer(): PolledAnswer {
    const { stations, guide } = this.parts;
    const now = this.parts.now();
    const stamp = guide.stamp('programs', 'stations', 'reservations');
    const list = stations.list();
    const kept = this.#kept;
    if (kept?.stamp === stamp && kept.list === list && now >= kept.from && now < kept.until) return kept;
    const body = JSON.stringify(this.#stations());
    const change = guide.nextChange(
      list.map((station) => station.id),
      now,
    );
    const longest = plusMs(now, LONGEST_KEPT_MS);
    const until = change === undefined ? longest : earliest(change, longest);
    this.#kept = { stamp, list, from: now, until, body, etag: `"${Bun.hash(body).toString(36)}"` };
    return this.#kept;
  }

  #stations(): Station[] {
    const { stations, logos, guide } = this.parts;
    const airing = stations.airing();
    const reserved = guide.reserved([...airing.values()].map((program) => program.id));
    const list = stations.list();
    const listed = new Set(list.map(({ id }) => id));
    const isListed = (id: StationId): boolean => listed.has(id);
    return list.map((station) => {
      const program = airing.get(station.id);
      const state = program === undefined ? undefined : reserved.get(program.id);
      return toStation(station, program, state, logos.tag(station.id), isListed);
    });
  }
}

export function addStationRoutes(app: Elysia, parts: StationListNeeds): void {
  const stations = new StationListAnswer(parts);
  app.get('/api/services', ({ request }) => polledJson(request, stations.answer()), {
    detail: {
      summary: 'Stations with their current programmes',
      description: 'Carries an ETag; `If-None-Match` gives 304 if nothing changed.',
      tags: ['stations'],
      responses: { ...REFUSALS, ...polledResponses('stations in list order', StationsSchema) },
    },
  });
}

interface LogoRouteNeeds {
  logos: {
    /** Changes with the picture; undefined while there is none. */
    tag(id: StationId): string | undefined;
    png(id: StationId): Uint8Array<ArrayBuffer> | undefined;
  };
}

const NO_LOGO = () => new Failure('not_found', 'この局のロゴはまだありません。');

/** The URL in the list contains the logo's tag: another picture has another URL. */
const FOR_EVER = 'private, max-age=31536000, immutable';
const ASK_AGAIN = 'private, no-cache';

/** `/api/services/<id>/logo`: the station's logo as a picture. */
export function addLogoRoutes(app: Elysia, parts: LogoRouteNeeds): void {
  app.get(
    '/api/services/:id/logo',
    ({ params, query, request }) => {
      const id = readStationId(params.id);
      const tag = parts.logos.tag(id);
      if (tag === undefined) throw NO_LOGO();
      const etag = `"${tag}"`;
      const headers = { etag, 'cache-control': query.v === tag ? FOR_EVER : ASK_AGAIN };
      const held = notModified(request, etag);
      if (held !== undefined) return new Response(null, { status: 304, headers });
      const png = parts.logos.png(id);
      if (png === undefined) throw NO_LOGO();
      return new Response(png, { headers: { ...headers, 'content-type': 'image/png' } });
    },
    {
      params: t.Object({ id: t.String({ description: 'station id' }) }),
      query: t.Object({
        v: t.Optional(t.String({ maxLength: 64, description: 'as in the `logo` address of the station' })),
      }),
      detail: {
        summary: "A station's logo",
        tags: ['stations'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'at most 72 x 36; may be cached permanently under the URL in the station',
            content: { 'image/png': { schema: { type: 'string' as const, format: 'binary' } } },
          },
          304: { description: 'unchanged' },
          400: problemResponse('malformed id'),
          404: problemResponse('unknown station, or no logo of it was received yet'),
        },
      },
    },
  );
}
