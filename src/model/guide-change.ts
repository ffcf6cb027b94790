/** Changes of one station's guide for the store. */

import type { EventId, ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';
import type { ProgramRecord } from './program.ts';

/** Heading to body text. */
export type ExtendedText = Record<string, string>;

/** A complete part of a schedule in one version: exactly these events begin in it. */
export interface ScheduleWindow {
  /** `basic` tells which events there are, `extended` which of them have an extended text. */
  kind: 'basic' | 'extended';
  /** Epoch ms, end exclusive. */
  from: BroadcastMs;
  to: BroadcastMs;
  events: EventId[];
}

/** The following programme of which the table names no start: it waits for the present one to end. */
export interface WaitingProgram {
  id: ProgramId;
  /** null: nor is that known. */
  durationMs: number | null;
}

/** Contents of present/following. Undefined: not received (yet); null: no event. */
export interface PresentFollowing {
  present: ProgramRecord | null | undefined;
  following: ProgramRecord | null | undefined;
  /** Then `following` is undefined. */
  waiting?: WaitingProgram | undefined;
  /** Epoch ms at which this was so. */
  at: BroadcastMs;
}

export interface StationChange {
  stationId: StationId;
  /** Of schedules, or of present/following tables. */
  programs: ProgramRecord[];
  /** Texts that came apart from their programme; null: it has none. */
  extended: Map<EventId, ExtendedText | null>;
  windows: ScheduleWindow[];
  presentFollowing: PresentFollowing | undefined;
}

/** How far the schedule of a station has been read. */
export interface ReadCoverage {
  stationId: StationId;
  /** Epoch ms; null: nothing of it came. */
  filledUntil: BroadcastMs | null;
  /** The received part is complete: an earlier, longer reach is obsolete. */
  whole: boolean;
  /** Epoch ms of a reading that counts; null: only what came by. */
  readAt: WallMs | null;
  hasGuide: boolean;
}
