/** Calls to the service about the conversion of recordings. */
import type {
  EncodeLog,
  EncodeMany,
  EncodeQueueChange,
  EncodeRequest,
  Encodes,
} from '../../lib/wire/encode.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { exchange, json, nothing } from './api.ts';
import type { Query } from './cache.ts';
import { pathQuery } from './use-query.ts';

export const ENCODES = pathQuery<Encodes>('api/encodes', ['recordings']);
export const encodeLogQuery = (id: RecordingId): Query<EncodeLog> =>
  pathQuery(`api/recordings/${id}/encode-log`, ['recordings']);

/** Omitted fields follow the rule or reservation, else the settings. */
export const encodeRecording = (id: RecordingId, body: EncodeRequest = {}): Promise<void> =>
  exchange(`api/recordings/${id}/encode`, { method: 'POST', body }, nothing);
export const cancelEncode = (id: RecordingId): Promise<void> =>
  exchange(`api/recordings/${id}/encode`, { method: 'DELETE' }, nothing);
/** @returns how many were queued */
export const encodeMany = (body: EncodeMany): Promise<{ queued: number }> =>
  exchange('api/encodes', { method: 'POST', body }, json<{ queued: number }>);
export const changeQueue = (body: EncodeQueueChange): Promise<Encodes> =>
  exchange('api/encodes', { method: 'PUT', body }, json<Encodes>);
