import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';

/** A line of `GET /api/recordings/<id>/databroadcast`. */
export interface RecordedMessage {
  /** s on the playback scale. */
  at: number;
  message: ResponseMessage;
}
