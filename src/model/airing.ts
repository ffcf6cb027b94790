/**
 * State of a programme by present/following of its station's own stream while that is received. More current than any
 * guide.
 */
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';

export interface Airing {
  /** `next`: listed as following; `on`: as present; `over`: it was present and no longer is. */
  readonly state: 'next' | 'on' | 'over';
  /** When it first became present; null: not yet, or its station was not received then. */
  readonly from: BroadcastMs | null;
  /** When it last ended; null: it has not, or its station was not received. */
  readonly until: BroadcastMs | null;
  /** Of an ended programme: its announced end; null: undefined there. Absent: its table was not received. */
  readonly announcedEnd?: BroadcastMs | null;
  /**
   * The end that its tables stand by: extensions that they withdrew, and brief wrong ones, do not count. Of an ended
   * programme not before its actual end, if it really ended. Absent: no end was received.
   */
  readonly closesAt?: BroadcastMs;
}

/**
 * State of a programme according to its station, while that is received: `on` present, `next` following, `past` it
 * was present, `elsewhere` another title is present and this one was not listed.
 */
export type AirState = 'on' | 'next' | 'past' | 'elsewhere';

/** For stations that are being received, or were until recently. */
export type Airings = ReadonlyMap<ProgramId, Airing>;

/**
 * Tables change within seconds of the event, and announced times are exact. So if an announced boundary and an
 * observed one differ by no more than this, they are the same, and the announced time counts.
 */
export const LATE_TABLE_MS = 30_000;

/**
 * Whether another programme began without an announced end: an interruption, or an overrun of the announced end. It may
 * resume. Not if its tables do not stand by that end.
 */
export function isBrokenOff({ state, until, announcedEnd, closesAt }: Airing): boolean {
  if (state !== 'over' || until === null || announcedEnd === undefined) return false;
  if (announcedEnd !== null && closesAt !== undefined && closesAt < announcedEnd) return false;
  return announcedEnd === null || Math.abs(until - announcedEnd) > LATE_TABLE_MS;
}

/** How long the station of an interrupted programme is received to resume it. */
export const RESUME_MS = 15 * 60_000;

/** The actual begin or end of a programme. @param announced by its table @param observed when tables changed */
export function boundary(announced: BroadcastMs, observed: BroadcastMs | null): BroadcastMs {
  return observed === null || Math.abs(observed - announced) <= LATE_TABLE_MS ? announced : observed;
}
