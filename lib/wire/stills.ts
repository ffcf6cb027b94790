/** `GET /api/stills`: small pictures of what stations show now. */
import { type Static, Type as t } from '@sinclair/typebox';
import { broadcastMsSchema, EXTENSIBLE, stationIdSchema } from './schema-parts.ts';

/** Stations of one request: more than a home screen shows at once. */
export const MAX_STILLS = 128;

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
