/**
 * The data model of a broadcaster's region. A scenario is a readable value (or JSON file, `load.ts`); PIDs,
 * component tags and tables are derived from it (`layout.ts`).
 */
import type { BroadcastType, EventId, NetworkId, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
import type { Fault } from '../fault/model.ts';

export interface VideoPlan {
  codec: 'mpeg2' | 'h264';
  /** Coded size. */
  width: number;
  height: number;
  /** Absent: 16:9. */
  aspect?: '4:3';
  /** Bit rate of the elementary stream. */
  bitrate: number;
}

/** `dual`: two independent mono programmes in one stream (component_type 2); `surround`: 3/2 + LFE (component_type 9). */
export const AUDIO_MODES = ['stereo', 'dual', 'surround'] as const;
export type AudioMode = (typeof AUDIO_MODES)[number];

export interface AudioPlan {
  mode: AudioMode;
  /**
   * Coding of its two channels: as one channel pair, which every decoder supports, or, for `dual` only, as
   * two single channel elements without a configuration, as broadcasters send them and common decoders reject
   * them (ARIB STD-B32 part 2).
   */
  elements: 'pair' | 'singles';
  /** Whether frames of one or two channels carry a CRC. Absent: they do not. */
  crc?: boolean;
  /** Frames in a PES packet. Absent: 1. */
  framesPerPes?: number;
  /** ISO 639-2; two of them for `dual`. */
  languages: string[];
  /** Frequency of the beep in the left and right (main and sub) channel. */
  beepHz: [number, number];
  /** Text of the audio component descriptor. */
  label: string;
  /** Bit rate. */
  bitrate: number;
}

/**
 * Other picture formats on the station's video PID: of the main station while its branch shows another
 * programme, of commercials, of programmes in film cadence.
 */
export const PICTURE_USES = ['split', 'commercials', 'film'] as const;
type PictureUse = (typeof PICTURE_USES)[number];

/** Captions and superimposed text of a station. */
export interface CaptionPlan {
  /** ISO 639-2, one or two; only some of the captioned programmes have the second. */
  languages: string[];
  /** Seconds between superimposed newsflashes; null: no superimposed text. */
  newsflashSec: number | null;
}

/** A programme listed in a scenario. */
export interface ListedProgramme {
  /** Epoch ms. If all of them lack it, the list repeats endlessly. */
  startAt?: number;
  durationSec: number;
  title: string;
  description: string;
  items: { heading: string; text: string }[];
  /** content_nibble_level_1 and _2, ARIB STD-B10 Part 2, Annex H. */
  genres: [number, number][];
  /** Default: its number in the list. Only with `startAt`. */
  eventId?: EventId;
  /** Overrun: following programmes move, as far as there is no gap. */
  overrunSec?: number;
  /** The overrun is announced in this many equal steps (3). */
  overrunSteps?: number;
  /** Time between the announcement of an overrun or a cancellation and its effect. */
  noticeSec?: number;
  /** Until `noticeSec` before its real end, present/following gives no duration. */
  undefinedEnd?: boolean;
  /** Title of the replacement: the programme itself is never on air. */
  cancelled?: string;
  /** Another programme interrupts it without notice; the rest is shown afterwards. */
  interruption?: Interruption;
  /** The station on which it continues when it ends. */
  relayTo?: StationReference;
  /** The station on which it began. */
  movedFrom?: StationReference;
  /** The stations of its channel that show it together, the main one first. */
  sharedWith?: ServiceId[];
  copyControl?: 'free' | 'once' | 'never';
  isFree?: boolean;
  /** Sound of the first audio stream, if it differs from the station's. */
  sound?: AudioMode;
  /** Number of audio streams on air, if not all. */
  audioCount?: number;
  /** Whether captions are on air; default: according to the title's mark. */
  captions?: boolean;
  kind?: 'video' | 'film';
  /** Nothing is on air; `silent`: and the tables list nothing. */
  pause?: boolean | 'silent';
  minimumAge?: number;
  /** User nibbles of genre 0xE0, such as 0x01: may be extended. */
  notes?: number[];
  series?: ListedSeries;
}

export interface Interruption {
  afterSec: number;
  forSec: number;
  title: string;
  /** The rest of the programme has another event id. */
  newId?: boolean;
}

export interface ListedSeries {
  id: number;
  name: string;
  episode: number;
  lastEpisode: number;
  repeatLabel: number;
  /** program_pattern: 0 irregular, 1 daily, 2 weekly, 3 monthly. */
  pattern: number;
}

/** A station of the scenario; without a network, of the same channel. */
export interface StationReference {
  networkId?: NetworkId;
  serviceId: ServiceId;
}

/** An evening of live sports, at 19:00 of these weekdays (0 Sunday). */
export interface SportsEvening {
  weekdays: readonly number[];
  /** `open`: the end is unknown until shortly before. */
  end: 'punctual' | 'overrun' | 'open';
  /** The station on which it continues. */
  relayTo?: StationReference;
}

/** Programmes of another station (or its own) that a station shows again. */
interface Repeat {
  from: StationReference;
  /** 0: at the same time. */
  daysLater: number;
  /** At the begin of the night, if not at the same time. */
  weekdays: readonly number[];
}

/** Exceptional events on a station with generated programmes. */
export interface Habits {
  sports?: readonly SportsEvening[];
  /** Weekdays on which one programme of the evening is replaced by another. */
  cancels?: readonly number[];
  nightPause?: 'listed' | 'silent';
  repeats?: readonly Repeat[];
  /** Dual sound and further audio streams only if the title's marks say so. */
  soundByProgramme?: boolean;
  /** Films, music and sports in 5.1. */
  surround?: boolean;
}

/** Topic of a station's generated programmes. */
export const THEMES = [
  'general',
  'film',
  'drama',
  'anime',
  'sports',
  'travel',
  'music',
  'hobby',
  'learning',
] as const;
export type Theme = (typeof THEMES)[number];

/**
 * Location of a station's logo, according to its logo transmission descriptor: a picture of its own, that of
 * the channel's first station, only letters, or none.
 */
export const LOGO_KINDS = ['picture', 'shared', 'text', 'none'] as const;
export type LogoKind = (typeof LOGO_KINDS)[number];

/** Data broadcasting of a station: a BML document, or a Hybridcast application as well. */
export const DATA_KINDS = ['none', 'bml', 'hybridcast'] as const;
export type DataKind = (typeof DATA_KINDS)[number];

/**
 * The manner in which pages wait for the d button, besides until their portal was received: `invisible`: nothing is
 * shown; `standby`: a small sign asks for it; `module`: until a module of another component is announced; `deaf`:
 * presses in the first two seconds are discarded; `affiliation`: until the receiver knows the broadcaster from the BIT.
 */
export const OPENINGS = ['invisible', 'standby', 'module', 'deaf', 'affiliation'] as const;
export type Opening = (typeof OPENINGS)[number];

/**
 * Parts other than programme: `none`; `announcements` of other programmes at their ends; `usual` as on
 * commercial stations, with sponsors' cards; or breaks of `lengthSec` (a multiple of 15) after every
 * `everySec` of a programme, with sponsors' cards of `sponsorSec` (0: none) at its ends.
 */
export type CommercialPlan =
  | 'none'
  | 'announcements'
  | 'usual'
  | { everySec: number; lengthSec: number; sponsorSec: number };

export interface StationPlan {
  serviceId: ServiceId;
  name: string;
  /** service_type: 0x01 digital TV, 0xC0 data (one-segment). */
  serviceType: number;
  /** Colour of its picture, degrees. */
  hue: number;
  video: VideoPlan;
  /** Absent: all pictures have the format of `video`. */
  pictures?: Partial<Record<PictureUse, VideoPlan>>;
  audios: AudioPlan[];
  /**
   * It has no streams of its own while it shows the programme of the channel's first station. Of generated
   * programmes, all except those of noon, afternoon and night are shared.
   */
  branch?: boolean;
  /** Absent: no captions. */
  captions?: CaptionPlan;
  /** Absent: a picture; for one-segment stations that of the first station. */
  logo?: LogoKind;
  /** Absent: none. */
  data?: DataKind;
  /** Pages of its data broadcast, and how they open. Absent: only a short document. */
  opening?: Opening;
  /** Pay television: conditional access in its tables. Absent: free. */
  pay?: boolean;
  /** Absent: none. */
  commercials?: CommercialPlan;
  theme: Theme;
  /** `generated`: made from the seed and the theme. `none`: event tables are announced, but never sent. */
  programmes: 'generated' | 'none' | ListedProgramme[];
  /** Absent: every programme is as planned. */
  habits?: Habits;
}

/** A service without picture and sound. */
export interface DataServicePlan {
  serviceId: ServiceId;
  name: string;
  /** A BML document for viewers (service_type 0xC0), or the logos of the network for receivers (0xA4). */
  carousel: 'bml' | 'logos';
}

export interface ChannelPlan {
  type: BroadcastType;
  /** The name used for tuning, such as T27, BS01_0, CS02. */
  channel: string;
  networkId: NetworkId;
  transportStreamId: TransportStreamId;
  /** Name of the network (NIT). */
  networkName: string;
  /** TS_information, terrestrial only; null elsewhere. */
  remoteControlKey: number | null;
  /** Constant bit rate of the whole stream, including null packets. */
  bitrate: number;
  /** Whether the clock reference has a PID of its own or is sent with the video. */
  clockReference: 'own' | 'video';
  stations: StationPlan[];
  /** Absent: none. */
  dataServices?: DataServicePlan[];
  /** Whether its free stations list ECMs like those of pay stations. Absent: they do. */
  protection?: boolean;
  /** Content availability descriptor in the PMT. Absent: on satellites. */
  contentAvailability?: boolean;
  /** The engineering service of a terrestrial channel, which no SDT lists. Absent: none. */
  engineeringService?: boolean;
  /** A PES stream that no PMT lists. Absent: none. */
  unreferencedPes?: boolean;
  /** UHF channels of the relay transmitters, in the NIT of a terrestrial channel. Absent: none. */
  relays?: number[];
}

/** A transport stream that is listed in the tables of its network but cannot be received here. */
export interface NamedStream {
  type: 'BS' | 'CS';
  channel: string;
  networkId: NetworkId;
  transportStreamId: TransportStreamId;
  services: { serviceId: ServiceId; serviceType: number; name: string }[];
}

export interface Scenario {
  name: string;
  seed: number;
  channels: ChannelPlan[];
  /** Absent: none. */
  namedStreams?: NamedStream[];
  /** Faults of the broadcast, for all channels or for some. */
  faults: readonly Fault[];
  /**
   * Factor by which the schedule is repeated more often than by broadcasters, so that tests need not wait.
   */
  scheduleSpeed?: number;
}

/** The one-segment service of a channel is received separately and described in its own tables. */
export function isPartialReception(station: StationPlan): boolean {
  return station.video.codec === 'h264';
}

/** service_type of a service without picture: data, engineering. ARIB STD-B10 Part 2, 6.2.13. */
export function dataServiceType(service: DataServicePlan): number {
  return service.carousel === 'bml' ? 0xc0 : 0xa4;
}

export function logoKind(station: StationPlan): LogoKind {
  return station.logo ?? (isPartialReception(station) ? 'shared' : 'picture');
}
