/** `/api/events`: changes as Server-Sent Events. */
import type { Elysia } from 'elysia';
import { EVENTS } from '../../wire/api.ts';
import { requesterKey } from '../model/requester.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import { problem } from '../route/problems.ts';
import { requesterOf } from '../route/requester.ts';
import { ENDLESS } from '../route/stream-headers.ts';

interface EventRouteNeeds {
  /** Undefined when the limit of clients is reached. */
  events: { open(signal: AbortSignal, requester: string): ReadableStream<Uint8Array> | undefined };
}

export function addEventRoutes(app: Elysia, parts: EventRouteNeeds): void {
  app.get(
    '/api/events',
    ({ request }) => {
      const headers = { 'content-type': 'text/event-stream', ...ENDLESS };
      if (request.method === 'HEAD') return new Response(null, { headers });
      const stream = parts.events.open(request.signal, requesterKey(requesterOf(request)));
      if (stream === undefined) return problem('busy', '接続が多すぎます。しばらくしてからお試しください。');
      return new Response(stream, { headers });
    },
    {
      detail: {
        summary: 'Changes as Server-Sent Events',
        description: `Events: ${EVENTS.join(', ')}. \`ping\` comes every 25 s. Nothing is replayed after a reconnect.`,
        tags: ['system'],
        responses: {
          ...REFUSALS,
          503: problemResponse('`busy`: too many clients listen already, or 64 of this one'),
          200: {
            description: 'an endless event stream',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
  );
}
