/** Schemas of times that cross a process boundary. JSON carries plain integers. */
import { type TUnsafe, Type as t } from '@sinclair/typebox';
import type { BroadcastMs } from '../arib/time.ts';
import type { WallMs } from './times.ts';

type IntegerOptions = Parameters<typeof t.Integer>[0];

/** Times of programmes, reservations and recordings. */
export function broadcastMsSchema(options?: IntegerOptions): TUnsafe<BroadcastMs> {
  return t.Unsafe<BroadcastMs>(t.Integer(options));
}

/** Times of logins, visits, queues and logs. */
export function wallMsSchema(options?: IntegerOptions): TUnsafe<WallMs> {
  return t.Unsafe<WallMs>(t.Integer(options));
}
