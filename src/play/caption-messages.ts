/** Requests to the background worker about captions of recorded streams. */
import type { ServiceId } from '../../arib/ids.ts';
import type { IndexPiece } from '../media/recording-index.ts';

export interface CaptionsAsk {
  /** Identifies what was read before, so that only newer data is read. */
  key: string;
  /** Of the original stream, in order. */
  paths: readonly string[];
  /** Number of octets available. */
  size: number;
  pieces: readonly IndexPiece[];
  serviceId: ServiceId | undefined;
  /** More data will be written and requested. */
  grows: boolean;
  /** For a growing recording: only pages from this time on, s on the playback scale. */
  from: number;
  /** Background work: uses half of the time only. */
  gently: boolean;
}

export interface CaptionsAnswer {
  /** A captions file as JSON in UTF-8; null: the stream has none. */
  json: Uint8Array<ArrayBuffer> | null;
}

export interface BackgroundContract {
  requests: { captions: { ask: CaptionsAsk; answer: CaptionsAnswer } };
  orders: never;
  events: never;
}
