/** Changes of one station's guide for the store. */
import type { EventId, ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { ProgramRecord } from './program.ts';

/** Heading to body text. */
export type ExtendedText = Record<string, string>;

/** A complete part of a schedule in one version: exactly these events begin in it. */
export interface ScheduleWindow {
  /** `basic` lists the events, `extended` those of them with an extended text. */
  kind: 'basic' | 'extended';
  /** Epoch ms, end exclusive. */
  from: BroadcastMs;
  to: BroadcastMs;
  events: EventId[];
}

/** The following programme if its table has no start: it begins when the present one ends. */
export interface WaitingProgram {
  id: ProgramId;
  /** null: also unknown. */
  durationMs: number | null;
}

/** Contents of present/following. Undefined: not received (yet); null: no event. */
export interface PresentFollowing {
  present: ProgramRecord | null | undefined;
  following: ProgramRecord | null | undefined;
  /** Then `following` is undefined. */
  waiting?: WaitingProgram | undefined;
  /** When this was received, epoch ms. */
  at: BroadcastMs;
}

export interface StationChange {
  stationId: StationId;
  /** From schedules or from present/following tables. */
  programs: ProgramRecord[];
  /** Texts received separately from their programme; null: it has none. */
  extended: Map<EventId, ExtendedText | null>;
  windows: ScheduleWindow[];
  presentFollowing: PresentFollowing | undefined;
}

/** How far the schedule of a station has been read. */
export interface ReadCoverage {
  stationId: StationId;
  /** Epoch ms; null: nothing of it was received. */
  filledUntil: BroadcastMs | null;
  /** The received part is complete: an earlier, longer coverage is obsolete. */
  whole: boolean;
  /** Epoch ms of a complete reading; null: a partial one. */
  readAt: WallMs | null;
  hasGuide: boolean;
}
