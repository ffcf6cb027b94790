/** Requests to the background worker for files of side data of recorded streams. */
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import type { IndexPiece } from '../media/recording-index.ts';

/** An original stream, as it is read now. */
interface RecordedStreamAsk {
  /** Identifies what was read before, so that only newer data is read. */
  key: string;
  /** Of the original stream, in order. */
  paths: readonly string[];
  size: number;
  pieces: readonly IndexPiece[];
  serviceId: ServiceId | undefined;
  /** More data will be written and requested. */
  grows: boolean;
  /** Background work: uses half of the time only. */
  isBackground: boolean;
}

export interface SideFileAsk extends RecordedStreamAsk {
  /** Name of the row. */
  row: string;
  /** For a growing recording: only what is shown from this time on, s on the playback scale. */
  from: number;
}

export interface SideFileAnswer {
  /** JSON in UTF-8; null: the stream has none. */
  json: Uint8Array<ArrayBuffer> | null;
}

/** Its data broadcast, written to a file as far as the stream is available. */
export interface DataFileAsk extends RecordedStreamAsk {
  /** Of the file to write. */
  path: string;
  /** As known from earlier. */
  broadcaster?: ServiceBroadcaster | undefined;
}

export interface DataFileAnswer {
  /** Size of the file; 0: there is no data broadcast, and no file. */
  bytes: number;
  /** The stream was read to its end, and does not grow. */
  isComplete: boolean;
}

export interface BackgroundContract {
  requests: {
    sideFile: { ask: SideFileAsk; answer: SideFileAnswer };
    dataFile: { ask: DataFileAsk; answer: DataFileAnswer };
  };
  orders: never;
  events: never;
}
