/** PAT, CAT and PMT: ISO/IEC 13818-1 2.4.4, ARIB TR-B14 vol. 4. */
import {
  type ChannelPlace,
  type DataServicePlace,
  EMM_PID,
  NIT_PID,
  type SectionPlace,
  type StationPlace,
} from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import type { StationState } from '../station-state.ts';
import { AIT_VERSION, HTML5_APPLICATION } from './ait.ts';
import { ByteWriter } from './bytes.ts';
import {
  contentAvailability,
  copyControl,
  descriptors,
  streamIdentifier,
  videoDecodeControl,
} from './descriptors.ts';
import { longSection } from './section.ts';
import {
  applicationSignalling,
  bmlComponent,
  captionComponent,
  caService,
  conditionalAccess,
  dataComponent,
} from './service-descriptors.ts';

/** PAT and CAT never change in a scenario. */
const VERSION = 1;

export function patSection(channel: ChannelPlace): Uint8Array {
  const body = new ByteWriter().u16(0).pid(NIT_PID);
  for (const { plan, pmtPid } of [...channel.stations, ...channel.dataServices]) {
    body.u16(plan.serviceId).pid(pmtPid);
  }
  const extension = channel.plan.transportStreamId;
  return longSection({ tableId: 0x00, extension, version: VERSION, number: 0, lastNumber: 0 }, body.done());
}

/** Of the messages on the entitlements of a broadcaster's viewers. */
const BROADCASTER_GROUP = 1;

/**
 * Where entitlement messages are and whose they are, ARIB STD-B25 Part 1, 4.7. Without a pay station there is
 * nothing to say; broadcasters send the table all the same.
 */
export function catSection(channel: ChannelPlan): Uint8Array {
  const pay = channel.stations.filter((station) => station.pay === true);
  const ids = pay.map((station) => station.serviceId);
  const loop =
    pay.length === 0
      ? new Uint8Array(0)
      : descriptors(conditionalAccess(EMM_PID), caService(BROADCASTER_GROUP, ids));
  const header = { tableId: 0x01, extension: 0xffff, version: VERSION, number: 0, lastNumber: 0 };
  return longSection(header, loop);
}

/** video_encode_format by lines: ARIB STD-B10 Part 2, 6.2.30. */
export function encodeFormat(height: number): number {
  if (height >= 1080) return 1;
  return height >= 480 ? 4 : 5;
}

/** What a station's map says of the programme on air. */
function programInfo(station: StationPlace, state: StationState): Uint8Array {
  const access = station.ecmPid === null ? [] : [conditionalAccess(station.ecmPid)];
  return descriptors(...access, copyControl(state.copyControl), contentAvailability());
}

/** What one stream of sections or of captions is. */
function writeComponent(body: ByteWriter, place: SectionPlace, info: Uint8Array): void {
  const loop = descriptors(streamIdentifier(place.componentTag), info);
  body.u8(place.streamType).pid(place.pid).counted12(0xf, loop);
}

export function pmtSection(channel: ChannelPlan, station: StationPlace, state: StationState): Uint8Array {
  const { video } = station;
  const videoInfo = [streamIdentifier(video.componentTag)];
  if (video.plan.codec === 'mpeg2') videoInfo.push(videoDecodeControl(encodeFormat(video.plan.height)));
  const body = new ByteWriter()
    .pid(station.pcrPid)
    .counted12(0xf, programInfo(station, state))
    .u8(video.streamType)
    .pid(video.pid)
    .counted12(0xf, descriptors(...videoInfo));
  for (const audio of state.audios) {
    body.u8(audio.streamType).pid(audio.pid).counted12(0xf, streamIdentifier(audio.componentTag));
  }
  if (station.captions !== null && state.captionPid !== null) {
    const moved = { ...station.captions, pid: state.captionPid };
    writeComponent(body, moved, captionComponent('programme'));
  }
  if (station.superimpose !== null) {
    writeComponent(body, station.superimpose, captionComponent('asynchronous'));
  }
  if (station.carousel !== null) writeComponent(body, station.carousel, bmlComponent(channel.type, false));
  if (station.application !== null) {
    const signalling = applicationSignalling(HTML5_APPLICATION, AIT_VERSION);
    writeComponent(body, station.application, signalling);
  }
  const extension = station.plan.serviceId;
  const { version } = state;
  return longSection({ tableId: 0x02, extension, version, number: 0, lastNumber: 0 }, body.done());
}

/** PCR_PID of a service without a clock. */
const NO_PCR = 0x1fff;
/** data_component_id of data for receivers themselves, ARIB STD-B21 12.2. */
const COMMON_DATA = 0x0009;

/** The map of a service that is a data carousel alone; it never changes. */
export function dataPmtSection(channel: ChannelPlan, service: DataServicePlace): Uint8Array {
  const { plan, carousel } = service;
  const component =
    plan.carousel === 'bml'
      ? bmlComponent(channel.type, true)
      : dataComponent(COMMON_DATA, new Uint8Array(0));
  const body = new ByteWriter().pid(NO_PCR).counted12(0xf, new Uint8Array(0));
  writeComponent(body, carousel, component);
  const header = {
    tableId: 0x02,
    extension: plan.serviceId,
    version: VERSION,
    number: 0,
    lastNumber: 0,
  };
  return longSection(header, body.done());
}
