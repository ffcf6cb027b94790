/** All messages between the main thread and the guide worker, over `lib/host/worker-link`. */
import type { NetworkId, ProgramId, ServiceId, StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { MonotonicMs, WallMs } from '../../lib/host/clock.ts';
import type { WorkerLock } from '../store/write-lock.ts';

export interface VisitedStation {
  id: StationId;
  networkId: NetworkId;
  serviceId: ServiceId;
}

/** What must be known about a station before a reading of its channel ends. */
type Depth =
  /** What is on now and next. */
  | 'present'
  /** Also the basic schedule: titles, times, descriptions. */
  | 'basic'
  /** Everything, extended texts included. */
  | 'full';

export interface WantedStation {
  id: StationId;
  depth: Depth;
  /** Only awaited up to `patienceMs`. */
  optional: boolean;
}

/** A stream whose sections are stored. */
export interface ReadingOrder {
  /**
   * A visit is opened for the guide and ends when its goal is reached; a feed comes from a stream open for another use.
   */
  source: 'visit' | 'feed';
  networkId: NetworkId;
  wanted: WantedStation[];
  /** Time before anything counts as complete, ms from the first byte. */
  settleMs: number;
  /** Limit of waiting for optional stations, ms. */
  patienceMs: number;
}

export type GuideOrder =
  /** The first message. `writeMs`: interval between writes of schedules while a visit or a feed is read. */
  | { kind: 'open'; path: string; lock: WorkerLock; writeMs: { visit: number; feed: number } }
  /** Every station whose guide is kept. */
  | { kind: 'stations'; stations: VisitedStation[] }
  | ({ kind: 'read'; reading: number } & ReadingOrder)
  /** A reader `guide` of the stream: its sections come by this port (`reception/guide-reader.ts`). */
  | { kind: 'source'; reading: number; port: MessagePort }
  /** Delete programmes that ended at or before this time. */
  | { kind: 'purge'; before: BroadcastMs };

export type VisitOutcome =
  /** Everything was found. */
  | 'complete'
  /** Timed out. */
  | 'partial'
  /** The stream was interrupted before, or the visit was cancelled. */
  | 'broken'
  /** The agent had no tuner. */
  | 'no_tuner'
  /** The stream could not be opened. */
  | 'failed';

export interface VisitResult {
  outcome: VisitOutcome;
  /** For the log; null when complete. */
  reason: string | null;
  /** For users: why nothing was read; null if something was. */
  sentence: string | null;
}

/** The programmes in present/following of a station's own stream. null: none; undefined: not received (yet). */
export interface NamedEvents {
  stationId: StationId;
  /** Whether that stream is being read. */
  watched: boolean;
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Since when the present programme is on; null: from before the stream was read. */
  since: WallMs | null;
  /** Announced begin and end of the present programme; null: undefined there. */
  startsAt: BroadcastMs | null;
  endsAt: BroadcastMs | null;
  /** Announced begin of the following programme; null: undefined there, or none. */
  followingStartsAt: BroadcastMs | null;
}

export type GuideEvent =
  /** Everything that a visit waits for was received. */
  | { kind: 'reached'; reading: number }
  /** Stored programmes of these stations changed. */
  | { kind: 'changed'; stations: StationId[] }
  /** Present and next programmes of stations changed, and are stored. */
  | { kind: 'named'; stations: NamedEvents[] }
  /** The coverage of guides was stored. */
  | { kind: 'coverage' }
  | ClockSample
  /** What the BIT states of a station; not repeated while it stays the same. */
  | { kind: 'broadcaster'; stationId: StationId; broadcaster: ServiceBroadcaster }
  | { kind: 'purged'; programs: number }
  /** A write failed. */
  | { kind: 'trouble'; error: string };

/** Broadcast clock minus this machine's clock, ms, at a TOT. */
export interface ClockSample {
  kind: 'clock';
  networkId: NetworkId;
  offsetMs: number;
  at: WallMs;
  /** The same, and now, by the guide worker's monotonic clock. */
  arrivedAt: MonotonicMs;
  postedAt: MonotonicMs;
}

export interface GuideContract {
  requests: {
    /** Answered when the reading is stored. `counts`: it was complete. */
    end: { ask: { reading: number; counts: boolean }; answer: null };
  };
  orders: GuideOrder;
  events: GuideEvent;
}
