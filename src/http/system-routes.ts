/** Health, manifest, status and the event stream. */
import type { Elysia } from 'elysia';
import { EVENTS, HealthSchema, StatusSchema } from '../../wire/api.ts';
import { problemResponse, REFUSAL_SCHEMAS, REFUSALS } from './described.ts';
import { ENDLESS } from './headers.ts';
import type { ApiParts } from './parts.ts';
import { problem } from './problems.ts';

/** Colours of the light theme's ground, as the document declares it. */
const MANIFEST = {
  name: 'テレビ',
  short_name: 'テレビ',
  description: '家庭のテレビ放送を見る・録る',
  lang: 'ja',
  // Addresses are relative to the manifest: they hold under any path prefix.
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

export function addSystemRoutes(app: Elysia, parts: ApiParts): void {
  app.get(
    '/api/health',
    () => ({
      status: 'ok' as const,
      version: parts.version,
      latestVersion: null,
      stations: parts.stations.list().length,
      recordings: parts.recordings.count(),
    }),
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

  app.get('/api/status', () => parts.status(), {
    response: { 200: StatusSchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'State of the tuner agent and of ffmpeg', tags: ['system'] },
  });

  app.get(
    '/api/events',
    ({ request }) => {
      const headers = { 'content-type': 'text/event-stream', ...ENDLESS };
      if (request.method === 'HEAD') return new Response(null, { headers });
      const stream = parts.events.open(request.signal);
      if (stream === undefined) return problem('busy', '接続が多すぎます。しばらくしてからお試しください。');
      return new Response(stream, { headers });
    },
    {
      detail: {
        summary: 'What changed, as Server-Sent Events',
        description: `Events: ${EVENTS.join(', ')}. \`ping\` comes every 25 s. Nothing is replayed after a reconnect.`,
        tags: ['system'],
        responses: {
          ...REFUSALS,
          503: problemResponse('`busy`: too many clients listen already'),
          200: {
            description: 'an endless event stream',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
  );
}
