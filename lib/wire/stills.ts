/** `GET /api/stills`: small pictures of what stations show now. */
import { type Static, Type as t } from '@sinclair/typebox';
import { broadcastMsSchema, EXTENSIBLE, stationIdSchema } from './schema-parts.ts';
import { MAX_STILLS } from './vocabulary.ts';

const StillSchema = t.Object(
  {
    stationId: stationIdSchema(),
    at: broadcastMsSchema({ description: 'when it was received, epoch ms' }),
    picture: t.String({ description: 'relative URL; another one for each picture' }),
  },
  EXTENSIBLE,
);
export type Still = Static<typeof StillSchema>;
export const StillsSchema = t.Array(StillSchema, { maxItems: MAX_STILLS });
