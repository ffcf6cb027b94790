/** What is on when, as the tables and `--truth` need it. */
import type { EventId } from '../../arib/ids.ts';
import type { EpochMs } from '../../arib/time.ts';
import type { ExtendedItem } from '../si/descriptors.ts';

export interface Programme {
  eventId: EventId;
  startAt: EpochMs;
  durationMs: number;
  /** As broadcast, marks included, cut to what the descriptor holds. */
  title: string;
  description: string;
  items: ExtendedItem[];
  genres: (readonly [number, number])[];
  /** Differs from that of the programmes before and after; makes the version of present/following. */
  serial: number;
}

/** The programmes of one station; a pure function of time. */
export interface Guide {
  /** Days that the schedule carries, today included, 1..8. */
  readonly days: number;
  /** Those that start in `from <= start < to`, in order. */
  starting(from: EpochMs, to: EpochMs): readonly Programme[];
  /** The one on air. */
  present(at: EpochMs): Programme | undefined;
  /** The first that starts later. */
  following(at: EpochMs): Programme | undefined;
}

/** Bytes that operating rules grant, ARIB TR-B14 vol. 4: event name and description of a short event descriptor. */
export const MAX_TITLE_BYTES = 80;
export const MAX_DESCRIPTION_BYTES = 160;
/** Bytes of the heading of an extended item. */
export const MAX_HEADING_BYTES = 16;

/** Days of schedule that broadcasters carry. */
export const SCHEDULE_DAYS = 8;

export const DAY_MS = 86_400_000;

/** How far ahead `following` looks. */
export const LOOK_AHEAD_MS = 2 * DAY_MS;
