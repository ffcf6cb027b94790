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
  /** Pictures of 24 frames a second in 3:2 cadence, or of 60 fields. */
  kind: 'video' | 'film';
  /** Of its first audio stream: two channels of one sound, or two sounds. */
  sound: 'stereo' | 'dual';
  /** Audio streams on air, the first of the station's. */
  audioCount: number;
  /** Whether captions are sent: the mark [字]. */
  captions: boolean;
  /** Digital copy control: free to copy, one generation, never. */
  copyControl: 'free' | 'once' | 'never';
  /** Without a fee: free_CA_mode 0. */
  isFree: boolean;
  /** Nothing is on air but a still picture: the pause of the night. */
  pause: boolean;
  /** Differs from that of the programmes before and after; makes the version of present/following. */
  serial: number;
}

/** The programmes of one station; a pure function of time. */
export interface Guide {
  /** Days that the schedule carries, today included, 1..8. */
  readonly days: number;
  /** What the schedule tables announce at the moment `at`: starts in `from <= start < to`, in order. */
  starting(from: EpochMs, to: EpochMs, at: EpochMs): readonly Programme[];
  /** The one on air, with what is known of it then. */
  present(at: EpochMs): Programme | undefined;
  /** The one announced as next then. */
  following(at: EpochMs): Programme | undefined;
  /** What is really on air at any moment of `from <= moment < to`, with its real start and duration, in order. */
  airing(from: EpochMs, to: EpochMs): readonly Programme[];
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
