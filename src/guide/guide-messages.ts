/** Everything that crosses between the main thread and the guide worker, over `host/worker-link`. */
import type { NetworkId, ProgramId, ServiceId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';

export interface VisitedStation {
  id: StationId;
  networkId: NetworkId;
  serviceId: ServiceId;
}

/** What is to be known about a station before a reading of its channel is over. */
type Depth =
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

/** A stream whose sections are stored. */
export interface ReadingOrder {
  /** A visit is opened for the guide and ends when its goal is reached; a feed comes from a stream open for another use. */
  source: 'visit' | 'feed';
  networkId: NetworkId;
  wanted: WantedStation[];
  /** Before this much of the stream was read nothing is taken to be complete, ms from the first byte. */
  settleMs: number;
  /** Optional stations are waited for so long, ms. */
  patienceMs: number;
}

export type GuideOrder =
  /** The first order. `writeMs`: interval between writes of schedules while a visit or a feed is read. */
  | { kind: 'open'; path: string; writeMs: { visit: number; feed: number } }
  /** Every station whose guide is kept. */
  | { kind: 'stations'; stations: VisitedStation[] }
  | ({ kind: 'read'; reading: number } & ReadingOrder)
  /** A batch of the reader `guide`; answered by `taken`. */
  | { kind: 'sections'; reading: number; at: WallMs; bytes: Uint8Array<ArrayBuffer> }
  /** Forget programmes that ended at or before. */
  | { kind: 'purge'; before: BroadcastMs };

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
  /** For people: why nothing was read; null where something was. */
  sentence: string | null;
}

/** What present/following of a station's own stream names. null: nothing; undefined: it was not heard (yet). */
export interface NamedEvents {
  stationId: StationId;
  /** Whether that stream is being read. */
  watched: boolean;
  present: ProgramId | null | undefined;
  following: ProgramId | null | undefined;
  /** Since when the present one is, epoch ms; null: from before the stream was read. */
  since: WallMs | null;
  /** From and until when the present one is on by its table, epoch ms; null: it does not say. */
  startsAt: BroadcastMs | null;
  endsAt: BroadcastMs | null;
}

export type GuideEvent =
  /** All that a visit waits for has come. */
  | { kind: 'reached'; reading: number }
  /** The reader has to post again what it posted before. */
  | { kind: 'repeat'; reading: number }
  | { kind: 'taken'; reading: number; bytes: number }
  /** Stored programmes of these stations changed. */
  | { kind: 'changed'; stations: StationId[] }
  /** What stations have on and next changed, and is stored. */
  | { kind: 'named'; stations: NamedEvents[] }
  /** How far guides reach was stored. */
  | { kind: 'coverage' }
  | ClockSample
  | { kind: 'purged'; programs: number }
  /** Something was not stored. */
  | { kind: 'trouble'; error: string };

/** Broadcast clock minus this machine's, ms, at a TOT. */
export interface ClockSample {
  kind: 'clock';
  networkId: NetworkId;
  offsetMs: number;
  at: WallMs;
}

export interface GuideContract {
  requests: {
    /** Answered when what the reading brought is stored. `counts`: it went as far as it could. */
    end: { ask: { reading: number; counts: boolean }; answer: null };
  };
  orders: GuideOrder;
  events: GuideEvent;
}
