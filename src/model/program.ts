/** A programme of the guide, as the service keeps it. */
import type { EventId, ProgramId, StationId } from '../../arib/ids.ts';
import type { EpochMs } from '../../arib/time.ts';
import type { AudioComponent } from './audio.ts';

/** Major and middle genre of a content descriptor, ARIB STD-B10 Part 2, Annex H. */
export interface Genre {
  lv1: number;
  lv2: number;
}

export interface ProgramRecord {
  id: ProgramId;
  stationId: StationId;
  eventId: EventId;
  startAt: EpochMs;
  /** Exclusive. A guess when `openEnd`. */
  endAt: EpochMs;
  /** The broadcast left the duration undefined: the programme goes on until a later table says otherwise. */
  openEnd: boolean;
  /** As broadcast, with marks. */
  name: string;
  description: string;
  /** Heading to body text, in the order of broadcast; null = the table carried none. */
  extended: Record<string, string> | null;
  genres: Genre[];
  audios: AudioComponent[];
  /** `mpeg2`, `h.264`, `h.265`; null = not declared. */
  videoType: string | null;
  /** `1080i`, `480i`, …; null = not declared. */
  videoResolution: string | null;
  isFree: boolean;
  copyNever: boolean;
}

/** What a visit learned about a station: the programme on the air and the one after it. */
export interface NowAndNext {
  stationId: StationId;
  present: ProgramRecord | null;
  following: ProgramRecord | null;
}
