/**
 * PIDs, component tags and stream types of everything in a channel. A pure function of the scenario, so that
 * every tuning and every table agree.
 */
import { type Pid, pid } from '../../lib/arib/ids.ts';
import type {
  AudioPlan,
  CaptionPlan,
  ChannelPlan,
  DataServicePlan,
  StationPlan,
  VideoPlan,
} from './model.ts';
import { isPartialReception } from './model.ts';

interface VideoPlace {
  plan: VideoPlan;
  pid: Pid;
  /** stream_type, ISO/IEC 13818-1 table 2-34. */
  streamType: number;
  componentTag: number;
}

export interface AudioPlace {
  plan: AudioPlan;
  pid: Pid;
  streamType: number;
  componentTag: number;
}

export interface CaptionPlace {
  plan: CaptionPlan;
  pid: Pid;
  streamType: number;
  componentTag: number;
}

/** A stream of sections. */
export interface SectionPlace {
  pid: Pid;
  streamType: number;
  componentTag: number;
}

export interface StationPlace {
  plan: StationPlan;
  pmtPid: Pid;
  pcrPid: Pid;
  video: VideoPlace;
  audios: AudioPlace[];
  /** Captions, synchronous with the picture. */
  captions: CaptionPlace | null;
  /** Superimposed text, which has no time stamps. */
  superimpose: CaptionPlace | null;
  /** Captions of one segment; only their management data are sent. */
  partialCaptions: SectionPlace | null;
  /** The data carousel of its BML document. */
  carousel: SectionPlace | null;
  /** Further data components of the document. */
  dataComponents: SectionPlace[];
  /** The table of its Hybridcast application. */
  application: SectionPlace | null;
  /**
   * Entitlement control messages for viewers' cards: its own for a pay station, otherwise those of the
   * channel.
   */
  ecmPid: Pid | null;
  /** Those of the terrestrial content protection system. */
  protectionEcmPid: Pid | null;
}

/** A service that consists only of a data carousel. */
export interface DataServicePlace {
  plan: DataServicePlan;
  pmtPid: Pid;
  carousel: SectionPlace;
}

export interface ChannelPlace {
  plan: ChannelPlan;
  stations: StationPlace[];
  dataServices: DataServicePlace[];
}

export const PAT_PID = pid(0x0000);
export const CAT_PID = pid(0x0001);
export const NIT_PID = pid(0x0010);
export const SDT_PID = pid(0x0011);
export const EIT_PID = pid(0x0012);
export const TOT_PID = pid(0x0014);
/** SDTT of satellites and of terrestrial networks: ARIB STD-B21 12.2.1, TR-B14 vol. 4. */
export const SDTT_PIDS = { satellite: pid(0x0023), terrestrial: pid(0x0028) } as const;
export const BIT_PID = pid(0x0024);
export const CDT_PID = pid(0x0029);
/** Entitlement messages, on PIDs of their own: management, control of the two systems. */
export const EMM_PID = pid(0x1e00);
const CHANNEL_ECM_PID = pid(0x1e01);
const PROTECTION_ECM_PID = pid(0x1e02);
/** EIT of partial reception services, ARIB TR-B14 vol. 4. */
export const L_EIT_PID = pid(0x0027);
export const NULL_PID = pid(0x1fff);
/** A stream that no map lists. */
export const UNREFERENCED_PID = pid(0x1e38);

const MPEG2_VIDEO = 0x02;
const H264_VIDEO = 0x1b;
const AAC_ADTS = 0x0f;
/** PES packets of private data, used for captions. */
const PRIVATE_PES = 0x06;
const PRIVATE_SECTIONS = 0x05;
const DATA_CAROUSEL = 0x0d;

/** PMT of a partial reception service: one of 0x1FC8..0x1FCF by the low bits of its service_id, ARIB STD-B31. */
const PARTIAL_PMT = 0x1fc8;
/** component_tags of the default streams, ARIB TR-B14 vol. 4: full segments and one segment. */
const FULL_TAGS = { video: 0x00, audio: 0x10 };
const PARTIAL_TAGS = { video: 0x81, audio: 0x83 };
const CAPTION_TAG = 0x30;
const PARTIAL_CAROUSEL_TAG = 0x80;
const PARTIAL_CAPTION_TAG = 0x87;
const SUPERIMPOSE_TAG = 0x38;
/**
 * The component with the startup document, and the one in which receivers look for logos: ARIB TR-B15 vol. 1.
 */
const CAROUSEL_TAG = { bml: 0x40, logos: 0x79 } as const;
/** The further components of a document: ARIB TR-B14 vol. 3; numbers as observed on a terrestrial station. */
const DATA_TAGS = [0x60, 0x61, 0x62, 0x70, 0x71, 0x72];
/** Those of a station in standard definition. */
const FEW_DATA_TAGS = [0x60, 0x61];
/** Those of one-segment. */
const PARTIAL_DATA_TAGS = [0x89, 0x8b];
const APPLICATION_TAG = 0x78;
const PMT_OFFSET = 0xf0;
const ECM_OFFSET = 0xe0;

function placeCaptions(
  plan: CaptionPlan | undefined,
  base: number,
  componentTag: number,
): CaptionPlace | null {
  if (plan === undefined) return null;
  return { plan, pid: pid(base + componentTag), streamType: PRIVATE_PES, componentTag };
}

function placeSections(streamType: number, base: number, componentTag: number): SectionPlace {
  return { pid: pid(base + componentTag), streamType, componentTag };
}

/** The engineering service of terrestrial channels, with identifiers as observed on a station. */
export const ENGINEERING_SERVICE = 0xfff0;
export const ENGINEERING_PMT_PID = pid(0x1cf0);
export const ENGINEERING_DATA_PID = pid(0x1c61);
/** component_tags and PIDs of its components; only one of them has content. */
export const ENGINEERING_COMPONENTS: readonly SectionPlace[] = [
  ...[0x60, 0x61, 0x62, 0x63],
  ...[0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78],
].map((tag) => placeSections(DATA_CAROUSEL, 0x1c00, tag));

function dataTags(station: StationPlan): readonly number[] {
  if (isPartialReception(station)) return PARTIAL_DATA_TAGS;
  return hasFewComponents(station) ? FEW_DATA_TAGS : DATA_TAGS;
}

/** Pages of a station in standard definition have no further resources. */
export function hasFewComponents({ opening, video }: StationPlan): boolean {
  return opening !== undefined && video.height < 720;
}

/** One-segment is never scrambled. */
function isProtectedStation(channel: ChannelPlan, station: StationPlan): boolean {
  return channel.protection !== false && !isPartialReception(station);
}

function placeStation(channel: ChannelPlan, station: StationPlan, index: number): StationPlace {
  const partial = isPartialReception(station);
  const base = 0x100 * (index + 1);
  const tags = partial ? PARTIAL_TAGS : FULL_TAGS;
  const videoPid = pid(base);
  const hasData = (station.data ?? 'none') !== 'none';
  const isProtected = isProtectedStation(channel, station);
  const superimposing = (station.captions?.newsflashSec ?? null) !== null;
  return {
    plan: station,
    pmtPid: partial ? pid(PARTIAL_PMT + (station.serviceId & 7)) : pid(base + PMT_OFFSET),
    pcrPid: channel.clockReference === 'own' ? pid(base + 0xff) : videoPid,
    video: {
      plan: station.video,
      pid: videoPid,
      streamType: station.video.codec === 'mpeg2' ? MPEG2_VIDEO : H264_VIDEO,
      componentTag: tags.video,
    },
    audios: station.audios.map((plan, number) => ({
      plan,
      pid: pid(base + 0x10 + number),
      streamType: AAC_ADTS,
      componentTag: tags.audio + number,
    })),
    captions: placeCaptions(station.captions, base, CAPTION_TAG),
    superimpose: placeCaptions(superimposing ? station.captions : undefined, base, SUPERIMPOSE_TAG),
    partialCaptions: partial && hasData ? placeSections(PRIVATE_PES, base, PARTIAL_CAPTION_TAG) : null,
    carousel: hasData
      ? placeSections(DATA_CAROUSEL, base, partial ? PARTIAL_CAROUSEL_TAG : CAROUSEL_TAG.bml)
      : null,
    dataComponents: (hasData ? dataTags(station) : []).map((tag) => placeSections(DATA_CAROUSEL, base, tag)),
    application:
      station.data === 'hybridcast' ? placeSections(PRIVATE_SECTIONS, base, APPLICATION_TAG) : null,
    ecmPid: station.pay === true ? pid(base + ECM_OFFSET) : isProtected ? CHANNEL_ECM_PID : null,
    protectionEcmPid: isProtected && channel.type === 'GR' ? PROTECTION_ECM_PID : null,
  };
}

function placeDataService(plan: DataServicePlan, index: number): DataServicePlace {
  const base = 0x100 * (index + 1);
  return {
    plan,
    pmtPid: pid(base + PMT_OFFSET),
    carousel: placeSections(DATA_CAROUSEL, base, CAROUSEL_TAG[plan.carousel]),
  };
}

/** Whether the channel sends entitlement messages. */
export function hasEntitlements(channel: ChannelPlan): boolean {
  return channel.stations.some((station) => station.pay === true || isProtectedStation(channel, station));
}

export function placeChannel(channel: ChannelPlan): ChannelPlace {
  return {
    plan: channel,
    stations: channel.stations.map((station, index) => placeStation(channel, station, index)),
    dataServices: (channel.dataServices ?? []).map((service, index) =>
      placeDataService(service, channel.stations.length + index),
    ),
  };
}
