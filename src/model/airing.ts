/**
 * What stations say of a programme while they are received: that it is on, or next. Heard in present/following of the
 * station's own stream, it is nearer to what happens than any guide.
 */
import type { ProgramId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';

export interface Airing {
  /** `next`: named as following; `on`: as present; `over`: it was present and is not any more. */
  readonly state: 'next' | 'on' | 'over';
  /** When it first became present, epoch ms of the broadcast; null: not yet, or its station was not received then. */
  readonly from: BroadcastMs | null;
  /** When it last ceased to be; null: it has not, or its station was not received. */
  readonly until: BroadcastMs | null;
  /** Of what is over: when its last table said that it ends, epoch ms; null: not decided. Absent: its table was not received. */
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
 * Tables change within seconds of what they are about; and what they say of the times themselves is exact. So a
 * boundary that was told and one that was heard, which are no further apart, are one, and it is where it was told.
 */
export const LATE_TABLE_MS = 30_000;

/**
 * Whether another programme came where no table had told an end: something broke into it, or it went on longer than
 * was told. It may come back.
 */
export function isBrokenOff({ state, until, told }: Airing): boolean {
  if (state !== 'over' || until === null || told === undefined) return false;
  return told === null || Math.abs(until - told) > LATE_TABLE_MS;
}

/** A programme that was broken off is listened for so long after that. */
export const RESUME_MS = 15 * 60_000;

/** Where a programme really began or ended. @param told by its table @param heard when tables changed */
export function boundary(told: BroadcastMs, heard: BroadcastMs | null): BroadcastMs {
  return heard === null || Math.abs(heard - told) <= LATE_TABLE_MS ? told : heard;
}
