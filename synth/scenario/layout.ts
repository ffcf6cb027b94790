/**
 * Where everything of a channel lies: packet identifiers, component tags, stream types. A pure function of the
 * scenario, so that every tuning and every table agree.
 */
import { type Pid, pid } from '../../arib/ids.ts';
import type {
  AudioPlan,
  CaptionPlan,
  ChannelPlan,
  DataServicePlan,
  StationPlan,
  VideoPlan,
} from './model.ts';
import { isPartialReception } from './model.ts';

export interface VideoPlace {
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
  /** Superimposed text, which has no time of its own. */
  superimpose: CaptionPlace | null;
  /** The data carousel of its BML document. */
  carousel: SectionPlace | null;
  /** The table of its Hybridcast application. */
  application: SectionPlace | null;
  /** Entitlement control messages of a pay station. */
  ecmPid: Pid | null;
}

/** A service that is nothing but a data carousel. */
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
/** Entitlement management messages, on one of the identifiers that nothing else has. */
export const EMM_PID = pid(0x1e00);
/** EIT of partial reception services, ARIB TR-B14 vol. 4. */
export const L_EIT_PID = pid(0x0027);
export const NULL_PID = pid(0x1fff);

const MPEG2_VIDEO = 0x02;
const H264_VIDEO = 0x1b;
const AAC_ADTS = 0x0f;
/** PES packets of private data, which captions are. */
const PRIVATE_PES = 0x06;
const PRIVATE_SECTIONS = 0x05;
const DATA_CAROUSEL = 0x0d;

/** PMT of a partial reception service: one of 0x1FC8..0x1FCF by the low bits of its service_id, ARIB STD-B31. */
const PARTIAL_PMT = 0x1fc8;
/** component_tags of the default streams, ARIB TR-B14 vol. 4: full segments and one segment. */
const FULL_TAGS = { video: 0x00, audio: 0x10 };
const PARTIAL_TAGS = { video: 0x81, audio: 0x83 };
const CAPTION_TAG = 0x30;
const SUPERIMPOSE_TAG = 0x38;
/** The component that a document begins with, and of one that receivers look for logos: ARIB TR-B15 vol. 1. */
const CAROUSEL_TAG = { bml: 0x40, logos: 0x79 } as const;
const APPLICATION_TAG = 0x60;
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

function placeStation(channel: ChannelPlan, station: StationPlan, index: number): StationPlace {
  const partial = isPartialReception(station);
  const base = 0x100 * (index + 1);
  const tags = partial ? PARTIAL_TAGS : FULL_TAGS;
  const videoPid = pid(base);
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
    carousel:
      (station.data ?? 'none') === 'none' ? null : placeSections(DATA_CAROUSEL, base, CAROUSEL_TAG.bml),
    application:
      station.data === 'hybridcast' ? placeSections(PRIVATE_SECTIONS, base, APPLICATION_TAG) : null,
    ecmPid: station.pay === true ? pid(base + ECM_OFFSET) : null,
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

export function placeChannel(channel: ChannelPlan): ChannelPlace {
  return {
    plan: channel,
    stations: channel.stations.map((station, index) => placeStation(channel, station, index)),
    dataServices: (channel.dataServices ?? []).map((service, index) =>
      placeDataService(service, channel.stations.length + index),
    ),
  };
}
