/** What the service's main thread and the guide worker say to each other: one union each way. */
import type { NetworkId, ServiceId, StationId } from '../../arib/ids.ts';
import type { NowAndNext } from '../model/program.ts';

export interface VisitedStation {
  id: StationId;
  networkId: NetworkId;
  serviceId: ServiceId;
}

export type ToGuideWorker =
  | {
      kind: 'visit';
      visit: number;
      /** `/agent/stream` of the channel. */
      url: string;
      /** The visit ends as soon as these are known. */
      own: VisitedStation[];
      /** Kept when they come by, and waited for up to `othersMs`. */
      others: VisitedStation[];
      /** From the first byte on. */
      capMs: number;
      othersMs: number;
      /** To the first byte: tuning, and a synthetic broadcaster's start. */
      openMs: number;
    }
  | { kind: 'cancel'; visit: number };

export type VisitOutcome =
  /** Everything that was waited for was found. */
  | 'complete'
  /** The time was up, or the stream broke, before. */
  | 'partial'
  /** The agent had no tuner. */
  | 'no_tuner'
  /** The stream could not be opened. */
  | 'failed';

export type FromGuideWorker =
  | { kind: 'found'; visit: number; items: NowAndNext[] }
  | {
      kind: 'done';
      visit: number;
      outcome: VisitOutcome;
      /** For the log; null when complete. */
      reason: string | null;
      /** Broadcast clock minus this machine's, ms; null when no TOT came by. */
      clockOffsetMs: number | null;
    };
