/** Programmes and their times, as needed by the tables and `--truth`. */
import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { AudioMode } from '../scenario/model.ts';
import type { ExtendedItem } from '../si/descriptors.ts';

/** Properties of a programme that do not depend on its time. */
export interface Content {
  /** As broadcast, marks included, cut to what the descriptor holds. */
  title: string;
  description: string;
  items: ExtendedItem[];
  genres: (readonly [number, number])[];
  /** Codes of genre 0xE0: 0x00 may be cancelled, 0x01 may be extended, 0x03 another part may be shown … */
  notes: readonly number[];
  /** Pictures of 24 frames a second in 3:2 cadence, or of 60 fields. */
  kind: 'video' | 'film';
  /** Of its first audio stream. */
  sound: AudioMode;
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
  /** Youngest age that it is meant for. */
  minimumAge: number | null;
  series: Series | null;
  groups: readonly EventGroup[];
  /** A branch station shows what its main station does: only present/following has its texts. */
  borrowed: boolean;
}

export interface Programme extends Content {
  eventId: EventId;
  startAt: BroadcastMs;
  /** Latest announcement; unknown while `openEnd`. */
  durationMs: number;
  /** The tables say no duration. */
  openEnd: boolean;
  /** The tables say no start: what is before it has an open end. */
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
  /** Of this transport stream. */
  events: readonly EventLink[];
  /** Of other networks. */
  others: readonly (EventLink & { networkId: NetworkId; transportStreamId: TransportStreamId })[];
}

/** The programmes of one station; a pure function of time. */
export interface Guide {
  /** Days that the schedule carries, today included, 1..8. */
  readonly days: number;
  /** The schedule tables at the time `at`: starts in `from <= start < to`, in order. */
  starting(from: BroadcastMs, to: BroadcastMs, at: BroadcastMs): readonly Programme[];
  /** The present programme, with what is known of it then. */
  present(at: BroadcastMs): Programme | undefined;
  /** The one announced as next then. */
  following(at: BroadcastMs): Programme | undefined;
  /** What is really on air at any moment of `from <= moment < to`, with its real start and duration, in order. */
  airing(from: BroadcastMs, to: BroadcastMs): readonly Programme[];
  /** Number of announcements of present/following up to a time; counted from some fixed moment. */
  presentChanges(at: BroadcastMs): number;
  /** Number of revisions of the first days' schedule in the same way, not counting midnights. */
  revisions(at: BroadcastMs): number;
}

/** Bytes permitted by operating rules, ARIB TR-B14 vol. 4: event name and description of a short event descriptor. */
export const MAX_TITLE_BYTES = 80;
export const MAX_DESCRIPTION_BYTES = 160;
/** Bytes of the heading of an extended item. */
export const MAX_HEADING_BYTES = 16;
/** 220 full-width characters: two pieces of an item, as many as receivers join. */
export const MAX_ITEM_BYTES = 440;

/** Days of schedule that broadcasters carry. */
export const SCHEDULE_DAYS = 8;

export const DAY_MS = 86_400_000;
