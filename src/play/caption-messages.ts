/** What the background worker is asked about captions of recorded streams. */
import type { ServiceId } from '../../arib/ids.ts';
import type { IndexPiece } from '../media/recording-index.ts';

export interface CaptionsAsk {
  /** Names what was read before, so that only what was written since is read. */
  key: string;
  /** Of the original stream, in order. */
  paths: readonly string[];
  /** Octets that are there. */
  size: number;
  pieces: readonly IndexPiece[];
  serviceId: ServiceId | undefined;
  /** It is asked again when more was written. */
  grows: boolean;
  /** For a growing recording: only pages from this time on, s on the playback scale. */
  from: number;
  /** Background work: half of the time is left to others. */
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
