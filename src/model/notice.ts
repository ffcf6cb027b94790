/** Notices and their targets, as stored. */
import type { WallMs } from '../../lib/host/clock.ts';
import type { Target } from '../../lib/wire/notifications.ts';
import type { NoticeEvent, NoticeKind, WebhookFormat } from '../../lib/wire/vocabulary.ts';
import type { RecordingReason } from './recording-reason.ts';
import type { ReservationReason } from './reservation-reason.ts';
import type { Verdict } from './verdict.ts';

/** What the sentence of a notice needs; the thing itself may be gone by then. */
export interface NoticeFacts {
  /** As broadcast; of a device or tuner, its name. */
  name?: string;
  station?: string | null;
  /** Epoch ms. */
  startAt?: number;
  /** Epoch ms: later the notice is of no use. */
  endAt?: number;
  verdict?: Verdict | null;
  recordingReason?: RecordingReason | null;
  reservationReason?: ReservationReason | null;
  /** A sentence that is complete already. */
  text?: string;
}

export interface StoredNotice {
  id: number;
  event: NoticeEvent;
  kind: NoticeKind;
  subject: string;
  facts: NoticeFacts;
  at: WallMs;
}

export type NewNotice = Omit<StoredNotice, 'id'> & {
  /** What is told once. */
  key: string;
};

export interface StoredTarget extends Omit<Target, 'hasSecret' | 'waiting' | 'format'> {
  format: WebhookFormat | null;
  /** Of a push target, its keys as JSON. */
  secret: string | null;
  /** Ends with a slash. */
  base: string;
}

export type NewStoredTarget = Omit<StoredTarget, 'id' | 'last'>;

/** Notices that are due for a target, as one or several messages. */
export interface DueNotice extends StoredNotice {
  /** That failed. */
  attempts: number;
  /** Constant id of the message that it was sent in; null: not tried yet. */
  message: string | null;
}
