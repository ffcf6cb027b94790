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
      summary: 'The room for recordings: folders, what lies in them, how much more fits',
      description:
        '`away`: the folder does not answer in 2 s, or recordings lie in it and it is not there. `floor`: what is to be ' +
        'left free is all that is free. `full`: nothing can be written. `recordings.bytes` is of all that is not in the bin; ' +
        '`recordingBytes` of a folder is with the bin.',
      tags: ['recordings'],
      responses: { ...REFUSALS, ...polledResponses('the room for recordings', StorageSchema) },
    },
  });
}
