/** Health, manifest and status. */
import type { Elysia } from 'elysia';
import { LICENSES } from '../../lib/host/licenses.ts';
import { HealthSchema, type Status, StatusSchema } from '../../lib/wire/api.ts';
import type { StationRecord } from '../model/station.ts';
import { REFUSAL_SCHEMAS, REFUSALS } from './route/described-responses.ts';
import { etagOf } from './route/polled-answer.ts';
import { matchesEtag } from './route/request.ts';

interface SystemRouteNeeds {
  version: string;
  stations: { list(): readonly StationRecord[] };
  /** Number of recordings that are not deleted. */
  recordings: { count(): number };
  status(): Status;
  /** Whether a recording folder can be written. */
  canRecord(): Promise<boolean>;
}

/** Background colours of the light theme, as declared by the document. */
const MANIFEST = {
  name: 'テレビ',
  short_name: 'テレビ',
  description: '家庭のテレビ放送を見る・録る',
  lang: 'ja',
  // Addresses are relative to the manifest, so that they work under any path prefix.
  id: './',
  start_url: './',
  scope: './',
  display: 'standalone',
  theme_color: '#fbf6ef',
  background_color: '#fbf6ef',
  icons: [
    { src: 'icon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: 'icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: 'icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
};

export function addSystemRoutes(app: Elysia, parts: SystemRouteNeeds): void {
  app.get(
    '/api/health',
    async () => {
      const isWell = parts.status().database.message === null && (await parts.canRecord());
      return {
        status: isWell ? ('ok' as const) : ('degraded' as const),
        version: parts.version,
        latestVersion: null,
        stations: parts.stations.list().length,
        recordings: parts.recordings.count(),
      };
    },
    {
      response: { 200: HealthSchema },
      detail: { summary: 'Liveness; needs no credentials', tags: ['system'], security: [] },
    },
  );

  app.get(
    '/manifest.webmanifest',
    () =>
      new Response(JSON.stringify(MANIFEST), {
        headers: {
          'content-type': 'application/manifest+json; charset=utf-8',
          'cache-control': 'no-cache',
        },
      }),
    {
      detail: {
        summary: 'Web application manifest; needs no credentials',
        tags: ['system'],
        security: [],
        responses: {
          200: {
            description: 'manifest',
            content: { 'application/manifest+json': { schema: { type: 'object' } } },
          },
        },
      },
    },
  );

  app.get(
    '/api/licenses',
    ({ request }) => {
      const etag = etagOf(LICENSES);
      const headers = {
        etag,
        'cache-control': 'private, no-cache',
        'content-type': 'text/plain; charset=utf-8',
      };
      if (matchesEtag(request.headers.get('if-none-match'), etag))
        return new Response(null, { status: 304, headers });
      return new Response(LICENSES, { headers });
    },
    {
      detail: {
        summary: 'Licenses of all included software',
        tags: ['system'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'plain text',
            content: { 'text/plain': { schema: { type: 'string' as const } } },
          },
          304: { description: 'unchanged' },
        },
      },
    },
  );

  app.get('/api/status', () => parts.status(), {
    response: { 200: StatusSchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'State of the tuner agent and of ffmpeg', tags: ['system'] },
  });
}
