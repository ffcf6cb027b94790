/** `/api/storage`: free space for recordings. */

import type { Elysia } from 'elysia';
import type { StorageFacts } from '../../wire/api.ts';
import { StorageSchema } from '../../wire/api.ts';
import { REFUSALS } from '../route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../route/polled-answer.ts';

interface StorageRouteNeeds {
  storage(): Promise<StorageFacts>;
}

export function addStorageRoutes(app: Elysia, parts: StorageRouteNeeds): void {
  app.get('/api/storage', async ({ request }) => polledJson(request, polledAnswer(await parts.storage())), {
    detail: {
      summary: 'Storage for recordings: folders, their content, free space',
      description:
        '`away`: the folder does not respond within 2 s, or does not exist although it contains recordings. `floor`: ' +
        'only the space to be left free is free. `full`: nothing can be written. `recordings.bytes` does not include ' +
        'the bin; `recordingBytes` of a folder does.',
      tags: ['recordings'],
      responses: { ...REFUSALS, ...polledResponses('the room for recordings', StorageSchema) },
    },
  });
}
