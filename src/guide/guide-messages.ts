/** What the service's main thread and the guide worker say to each other: one union each way. */
import type { NetworkId, ProgramId, ServiceId, StationId } from '../../arib/ids.ts';

export interface VisitedStation {
  id: StationId;
  networkId: NetworkId;
  serviceId: ServiceId;
}

/** What is to be known about a station before a reading of its channel is over. */
export type Depth =
  /** What is on now and next. */
  | 'present'
  /** The basic schedule too: titles, times, descriptions. */
  | 'basic'
  /** Everything, extended texts included. */
  | 'full';

export interface WantedStation {
  id: StationId;
  depth: Depth;
  /** Waited for up to `patienceMs` only. */
  optional: boolean;
}

export interface VisitOrder {
  /** `/agent/stream` of the channel. */
  url: string;
  networkId: NetworkId;
  wanted: WantedStation[];
  /** From the first byte on, ms. */
  capMs: number;
  /** Before this much of the stream was read nothing is taken to be complete, ms from the first byte. */
  settleMs: number;
  patienceMs: number;
  /** To the first byte: tuning, and a synthetic broadcaster's start, ms. */
  openMs: number;
}

/** A stream that somebody else keeps open: its EIT, SDT and TOT packets come by message. */
export interface FeedOrder {
  networkId: NetworkId;
  wanted: WantedStation[];
  settleMs: number;
}

export type ToGuideWorker =
  /** The first message. `writeMs`: how often schedules are written while a visit or a feed goes on. */
  | { kind: 'open'; path: string; writeMs: { visit: number; feed: number } }
  /** Every station whose guide is kept. */
  | { kind: 'stations'; stations: VisitedStation[] }
  | ({ kind: 'visit'; visit: number } & VisitOrder)
  | { kind: 'cancel'; visit: number }
  | ({ kind: 'feed'; feed: number } & FeedOrder)
  /** Whole packets; answered by `fed`. */
  | { kind: 'packets'; feed: number; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'feedEnd'; feed: number }
  /** Forget programmes that ended at or before, epoch ms. */
  | { kind: 'purge'; before: number }
  /** Answered by `alive`, at once. */
  | { kind: 'ask' }
  /** Write what is left and close the database; answered by `down`. */
  | { kind: 'shutdown' };

export type VisitOutcome =
  /** Everything that was waited for was found. */
  | 'complete'
  /** The time was up before. */
  | 'partial'
  /** The stream broke before, or the visit was cancelled. */
  | 'broken'
  /** The agent had no tuner. */
  | 'no_tuner'
  /** The stream could not be opened. */
  | 'failed';

export interface VisitResult {
  outcome: VisitOutcome;
  /** For the log; null when complete. */
  reason: string | null;
}

/** What present/following of a station's own stream names. null: nothing; undefined: it was not heard (yet). */
export interface NamedEvents {
  stationId: StationId;
  /** Whether that stream is being read. */
  watched: boolean;
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Since when the present one is, epoch ms; null: from before the stream was read. */
  since: number | null;
  /** From and until when the present one is on by its table, epoch ms; null: it does not say. */
  startsAt: number | null;
  endsAt: number | null;
}

export type FromGuideWorker =
  /** What was learned before is stored. */
  | ({ kind: 'done'; visit: number } & VisitResult)
  /** Stored programmes of these stations changed. */
  | { kind: 'changed'; stations: StationId[] }
  /** What stations have on and next changed, and is stored. */
  | { kind: 'named'; stations: NamedEvents[] }
  /** How far guides reach was stored. */
  | { kind: 'coverage' }
  | { kind: 'fed'; feed: number; bytes: number }
  /** Broadcast clock minus this machine's, ms, at a TOT. */
  | { kind: 'clock'; networkId: NetworkId; offsetMs: number; at: number }
  | { kind: 'purged'; programs: number }
  /** Something was not stored. */
  | { kind: 'trouble'; error: string }
  | { kind: 'alive' }
  | { kind: 'down' };
