/**
 * State of a programme by present/following of its station's own stream while that is received: more current than any
 * guide.
 */
import type { ProgramId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';

export interface Airing {
  /** `next`: named as following; `on`: as present; `over`: it was present and is not any more. */
  readonly state: 'next' | 'on' | 'over';
  /** When it first became present; null: not yet, or its station was not received then. */
  readonly from: BroadcastMs | null;
  /** When it last ended; null: it has not, or its station was not received. */
  readonly until: BroadcastMs | null;
  /** Of an ended one: its end by its last table; null: undefined there. Absent: its table was not received. */
  readonly told?: BroadcastMs | null;
}

/**
 * What a station that is received says of one programme: `on` present, `next` following, `past` it was present,
 * `elsewhere` another title is present and this one was not named.
 */
export type Heard = 'on' | 'next' | 'past' | 'elsewhere';

/** Of stations that are being received, and a while longer. */
export type Airings = ReadonlyMap<ProgramId, Airing>;

/**
 * Tables change within seconds of the event, and announced times are exact. So an announced boundary and an observed
 * one that are no further apart are the same, and the announced time counts.
 */
export const LATE_TABLE_MS = 30_000;

/**
 * Whether another programme began without an announced end: an interruption, or an overrun of the announced end. It may
 * resume.
 */
export function isBrokenOff({ state, until, told }: Airing): boolean {
  if (state !== 'over' || until === null || told === undefined) return false;
  return told === null || Math.abs(until - told) > LATE_TABLE_MS;
}

/** How long the station of an interrupted programme is received to resume it. */
export const RESUME_MS = 15 * 60_000;

/** Where a programme really began or ended. @param told by its table @param heard when tables changed */
export function boundary(told: BroadcastMs, heard: BroadcastMs | null): BroadcastMs {
  return heard === null || Math.abs(heard - told) <= LATE_TABLE_MS ? told : heard;
}
