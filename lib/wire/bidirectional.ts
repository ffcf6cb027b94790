/** Bidirectional content of data broadcasts: the service fetches for the engine (`/api/bml/…`). */
import { type Static, Type as t } from '@sinclair/typebox';
import { EXTENSIBLE } from './schema-parts.ts';

/** Longest address of a document; those of ARIB TR-B14 Vol. 3 have at most 256 octets. */
export const MAX_PEER_URL = 4096;
/** Limits of `confirm`, ms. */
export const CONFIRM_LIMIT_MS = { min: 1, max: 10_000, default: 3_000 } as const;

/** `GET /api/bml/confirm`. */
export const ConfirmSchema = t.Object(
  {
    reachable: t.Boolean({ description: 'the TCP port 443 accepted a connection' }),
    ipAddress: t.Union([t.String(), t.Null()], { description: 'of the host; null: its name has none' }),
    responseTimeMs: t.Union([t.Number(), t.Null()], { description: 'of the connection; null: none' }),
  },
  EXTENSIBLE,
);
export type ConfirmAnswer = Static<typeof ConfirmSchema>;
