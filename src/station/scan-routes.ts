/** `/api/scan`: the channel scan. */
import type { Elysia } from 'elysia';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import {
  type ReceptionTest,
  type ReceptionTestRequest,
  ReceptionTestRequestSchema,
  ReceptionTestSchema,
  ScanRequestSchema,
  type ScanStatus,
  ScanStatusSchema,
} from '../../lib/wire/api.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { readAs } from '../model/schema-mismatch.ts';

interface ScanRouteNeeds {
  scans: {
    status(): ScanStatus;
    /** @throws Failure */
    start(types: readonly BroadcastType[]): Promise<void>;
    abort(): Promise<void>;
  };
  tests: {
    /** @throws Failure */
    run(request: ReceptionTestRequest): Promise<ReceptionTest>;
  };
}

export function addScanRoutes(app: Elysia, { scans, tests }: ScanRouteNeeds): void {
  const tags = ['tuners'];

  app.get('/api/scan', ({ request }) => polledJson(request, polledAnswer(scans.status())), {
    detail: {
      summary: 'The running channel scan, else the last one',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the scan', ScanStatusSchema) },
    },
  });

  app.post(
    '/api/scan',
    async ({ body }) => {
      await scans.start(readAs(ScanRequestSchema, body).types);
      return scans.status();
    },
    {
      detail: {
        requestBody: jsonBody(ScanRequestSchema),
        summary: 'Start a channel scan',
        description: 'It continues without the client; the event `scan` reports its progress.',
        tags,
        responses: {
          ...REFUSALS,
          200: describedJson('the scan that began', ScanStatusSchema),
          400: problemResponse('unknown or no types'),
          409: problemResponse('`conflict`: one is running'),
          503: problemResponse(
            '`no_tuner`: no tuner takes one of the types; `agent_unavailable`; `agent_misconfigured`: its tables cannot be read',
          ),
        },
      },
    },
  );

  app.delete(
    '/api/scan',
    async () => {
      await scans.abort();
      return new Response(null, { status: 204 });
    },
    {
      detail: {
        summary: 'Abort the channel scan; stations are not changed',
        tags,
        responses: { ...REFUSALS, 204: { description: 'no scan is running any more' } },
      },
    },
  );

  app.post('/api/channels/test', ({ body }) => tests.run(readAs(ReceptionTestRequestSchema, body)), {
    detail: {
      requestBody: jsonBody(ReceptionTestRequestSchema),
      summary: 'Test the reception of a channel',
      description: 'Takes up to 10 s, on a tuner without users of a higher priority. Changes nothing.',
      tags,
      responses: {
        ...REFUSALS,
        200: describedJson('how it is received', ReceptionTestSchema),
        400: problemResponse('malformed body'),
        409: problemResponse('`conflict`: another test is running'),
      },
    },
  });
}
