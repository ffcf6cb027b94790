/**
 * Where everything of a channel lies: packet identifiers, component tags, stream types. A pure function of the
 * scenario, so that every tuning and every table agree.
 */
import { type Pid, pid } from '../../arib/ids.ts';
import type { AudioPlan, CaptionPlan, ChannelPlan, StationPlan, VideoPlan } from './model.ts';
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
}

export interface ChannelPlace {
  plan: ChannelPlan;
  stations: StationPlace[];
}

export const PAT_PID = pid(0x0000);
export const CAT_PID = pid(0x0001);
export const NIT_PID = pid(0x0010);
export const SDT_PID = pid(0x0011);
export const EIT_PID = pid(0x0012);
export const TOT_PID = pid(0x0014);
/** EIT of partial reception services, ARIB TR-B14 vol. 4. */
export const L_EIT_PID = pid(0x0027);
export const NULL_PID = pid(0x1fff);

const MPEG2_VIDEO = 0x02;
const H264_VIDEO = 0x1b;
const AAC_ADTS = 0x0f;
/** PES packets of private data, which captions are. */
const PRIVATE_PES = 0x06;

/** PMT of a partial reception service: one of 0x1FC8..0x1FCF by the low bits of its service_id, ARIB STD-B31. */
const PARTIAL_PMT = 0x1fc8;
/** component_tags of the default streams, ARIB TR-B14 vol. 4: full segments and one segment. */
const FULL_TAGS = { video: 0x00, audio: 0x10 };
const PARTIAL_TAGS = { video: 0x81, audio: 0x83 };
const CAPTION_TAG = 0x30;
const SUPERIMPOSE_TAG = 0x38;

function placeCaptions(
  plan: CaptionPlan | undefined,
  base: number,
  componentTag: number,
): CaptionPlace | null {
  if (plan === undefined) return null;
  return { plan, pid: pid(base + componentTag), streamType: PRIVATE_PES, componentTag };
}

function placeStation(channel: ChannelPlan, station: StationPlan, index: number): StationPlace {
  const partial = isPartialReception(station);
  const base = 0x100 * (index + 1);
  const tags = partial ? PARTIAL_TAGS : FULL_TAGS;
  const videoPid = pid(base);
  const superimposing = (station.captions?.newsflashSec ?? null) !== null;
  return {
    plan: station,
    pmtPid: partial ? pid(PARTIAL_PMT + (station.serviceId & 7)) : pid(base + 0xf0),
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
  };
}

export function placeChannel(channel: ChannelPlan): ChannelPlace {
  return {
    plan: channel,
    stations: channel.stations.map((station, index) => placeStation(channel, station, index)),
  };
}
