/** Programmes and their times, as needed by the tables and `--truth`. */
import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { AudioMode } from '../scenario/model.ts';
import type { ExtendedItem } from '../si/descriptors.ts';

/** Properties of a programme that do not depend on its time. */
export interface Content {
  /** As broadcast, including marks, cut to the size of the descriptor. */
  title: string;
  description: string;
  items: ExtendedItem[];
  genres: (readonly [number, number])[];
  /** Codes of genre 0xE0: 0x00 may be cancelled, 0x01 may be extended, 0x03 another part may be shown … */
  notes: readonly number[];
  /** Pictures of 24 frames per second in 3:2 cadence, or of 60 fields. */
  kind: 'video' | 'film';
  /** Mode of its first audio stream. */
  sound: AudioMode;
  /** Number of audio streams on air, counted from the station's first. */
  audioCount: number;
  /** Whether captions are sent: the mark [字]. */
  captions: boolean;
  /** Digital copy control: free to copy, one generation, never. */
  copyControl: 'free' | 'once' | 'never';
  /** Without a fee: free_CA_mode 0. */
  isFree: boolean;
  /** Only a still picture is on air: the pause of the night. */
  pause: boolean;
  /** Minimum age of viewers. */
  minimumAge: number | null;
  series: Series | null;
  groups: readonly EventGroup[];
  /** A branch station shows the programme of its main station: only present/following has its texts. */
  borrowed: boolean;
}

export interface Programme extends Content {
  eventId: EventId;
  startAt: BroadcastMs;
  /** As announced last; unknown if `openEnd`. */
  durationMs: number;
  /** The tables give no duration. */
  openEnd: boolean;
  /** The tables give no start, because the preceding programme has an open end. */
  openStart: boolean;
}

/** Series descriptor, ARIB STD-B10 Part 2, 6.2.33. */
export interface Series {
  id: number;
  name: string;
  /** 0: first run; the others count its repetitions. */
  repeatLabel: number;
  /** 0 irregular, 1 daily, 2 weekly, 3 monthly. */
  pattern: number;
  /** Day on which its last part is shown. */
  expireAt: BroadcastMs | null;
  /** 0: none. */
  episode: number;
  lastEpisode: number;
}

export interface EventLink {
  serviceId: ServiceId;
  eventId: EventId;
}

/** Event group descriptor, ARIB STD-B10 Part 2, 6.2.34. */
export interface EventGroup {
  kind: 'shared' | 'relay' | 'movement' | 'relay-network' | 'movement-network';
  /** Events of this transport stream. */
  events: readonly EventLink[];
  /** Events of other networks. */
  others: readonly (EventLink & { networkId: NetworkId; transportStreamId: TransportStreamId })[];
}

/** The programmes of one station; a pure function of time. */
export interface Guide {
  /** Number of days in the schedule, including today, 1..8. */
  readonly days: number;
  /** The schedule tables at the time `at`: starts in `from <= start < to`, in order. */
  starting(from: BroadcastMs, to: BroadcastMs, at: BroadcastMs): readonly Programme[];
  /** The present programme, as announced at that time. */
  present(at: BroadcastMs): Programme | undefined;
  /** The following programme, as announced at that time. */
  following(at: BroadcastMs): Programme | undefined;
  /** The programmes actually on air in `from <= moment < to`, with real start and duration, in order. */
  airing(from: BroadcastMs, to: BroadcastMs): readonly Programme[];
  /** Number of changes of present/following up to a time, counted from a fixed moment. */
  presentChanges(at: BroadcastMs): number;
  /** Number of revisions of the first days' schedule, counted likewise, without midnights. */
  revisions(at: BroadcastMs): number;
}

/**
 * Limits of operating rules, ARIB TR-B14 vol. 4, in bytes: event name and description of a short event
 * descriptor.
 */
export const MAX_TITLE_BYTES = 80;
export const MAX_DESCRIPTION_BYTES = 160;
/** Bytes of the heading of an extended item. */
export const MAX_HEADING_BYTES = 16;
/** 220 full-width characters: two pieces of an item, the most that receivers join. */
export const MAX_ITEM_BYTES = 440;

/** Number of days in a broadcaster's schedule. */
export const SCHEDULE_DAYS = 8;

export const DAY_MS = 86_400_000;
