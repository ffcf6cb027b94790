/** A programme of the guide. */
import type { EventId, NetworkId, ProgramId, ServiceId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ProgramRelation } from '../../lib/wire/vocabulary.ts';
import type { AudioComponent } from './audio.ts';

/** Major and middle genre of a content descriptor, ARIB STD-B10 Part 2, Annex H. */
export interface Genre {
  lv1: number;
  lv2: number;
}

/**
 * What a programme shares, continues as or came from: event_group_descriptor, ARIB STD-B10 Part 2, 6.2.34. `relay`
 * and `movement` refer to events of the same network or, if `networkId` differs, of another one.
 */
export interface ProgramGroup {
  type: ProgramRelation;
  events: { networkId: NetworkId; serviceId: ServiceId; eventId: EventId }[];
}

/** Checks a genre of a row that may be damaged; the next function likewise. */
export function isGenre({ lv1, lv2 }: Partial<Genre>): boolean {
  return Number.isInteger(lv1) && Number.isInteger(lv2);
}

export function isProgramGroup({ type, events }: Partial<ProgramGroup>): boolean {
  return typeof type === 'string' && Array.isArray(events) && events.every((one) => typeof one === 'object');
}

/** Series descriptor, ARIB STD-B10 Part 2, 6.2.33. */
export interface ProgramSeries {
  id: number;
  /** 0 the first run. */
  repeat: number;
  /** 0 irregular, 1 daily, 2 weekly, 3 monthly, 4 several a day, 5 a split programme. */
  pattern: number;
  /** Start (JST) of its last day, epoch ms; null = not declared. */
  expiresAt: BroadcastMs | null;
  /** null = not declared. */
  episode: number | null;
  lastEpisode: number | null;
  name: string;
}

export interface ProgramRecord {
  id: ProgramId;
  stationId: StationId;
  eventId: EventId;
  startAt: BroadcastMs;
  /** Exclusive. An estimate if `openEnd`. */
  endAt: BroadcastMs;
  /** The broadcast has no duration: the programme runs until a later table gives its end. */
  openEnd: boolean;
  /** As broadcast, with marks. */
  name: string;
  description: string;
  /** Heading to body text, in the order of broadcast; null = not in the table. */
  extended: Record<string, string> | null;
  genres: Genre[];
  audios: AudioComponent[];
  /** `mpeg2`, `h.264`, `h.265`; null = not declared. */
  videoType: string | null;
  /** `1080i`, `480i`, …; null = not declared. */
  videoResolution: string | null;
  isFree: boolean;
  copyNever: boolean;
  groups: ProgramGroup[];
  series: ProgramSeries | null;
}
