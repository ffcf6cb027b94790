/** PAT, CAT and PMT: ISO/IEC 13818-1 2.4.4, ARIB TR-B14 vol. 4. */
import { type Pid, pid } from '../../lib/arib/ids.ts';
import {
  type ChannelPlace,
  type DataServicePlace,
  EMM_PID,
  ENGINEERING_COMPONENTS,
  ENGINEERING_PMT_PID,
  ENGINEERING_SERVICE,
  hasEntitlements,
  hasFewComponents,
  NIT_PID,
  type SectionPlace,
  type StationPlace,
} from '../scenario/layout.ts';
import { type ChannelPlan, isPartialReception } from '../scenario/model.ts';
import type { StationState } from '../station-state.ts';
import { AIT_VERSION, HTML5_APPLICATION } from './ait.ts';
import { ByteWriter } from './bytes.ts';
import {
  contentAvailability,
  copyControl,
  descriptors,
  partialCopyControl,
  streamIdentifier,
  videoDecodeControl,
} from './descriptors.ts';
import { longSection } from './section.ts';
import {
  accessControl,
  applicationSignalling,
  bmlComponent,
  bmlFurtherComponent,
  captionComponent,
  caService,
  conditionalAccess,
  dataComponent,
  partialBmlComponent,
  partialCaptionComponent,
} from './service-descriptors.ts';

/** PAT and CAT never change in a scenario. */
const VERSION = 1;

export function patSection(channel: ChannelPlace): Uint8Array {
  const body = new ByteWriter().u16(0).pid(NIT_PID);
  for (const { plan, pmtPid } of [...channel.stations, ...channel.dataServices]) {
    body.u16(plan.serviceId).pid(pmtPid);
  }
  if (channel.plan.engineeringService === true) body.u16(ENGINEERING_SERVICE).pid(ENGINEERING_PMT_PID);
  const extension = channel.plan.transportStreamId;
  return longSection({ tableId: 0x00, extension, version: VERSION, number: 0, lastNumber: 0 }, body.done());
}

/** For messages on the entitlements of a broadcaster's viewers. */
const BROADCASTER_GROUP = 1;

/**
 * PIDs and systems of entitlement messages, ARIB STD-B25 Part 1, 4.7; for terrestrial channels only those of
 * the content protection. A channel without any sends an empty table.
 */
export function catSection(channel: ChannelPlan): Uint8Array {
  const pay = channel.stations.filter((station) => station.pay === true);
  const ids = pay.map((station) => station.serviceId);
  const parts: Uint8Array[] = [];
  if (hasEntitlements(channel)) {
    parts.push(channel.type === 'GR' ? accessControl(EMM_PID, [1]) : conditionalAccess(EMM_PID));
  }
  if (pay.length > 0) parts.push(caService(BROADCASTER_GROUP, ids));
  const loop = descriptors(...parts);
  const header = { tableId: 0x01, extension: 0xffff, version: VERSION, number: 0, lastNumber: 0 };
  return longSection(header, loop);
}

/** video_encode_format by lines: ARIB STD-B10 Part 2, 6.2.30. */
function encodeFormat(height: number): number {
  if (height >= 1080) return 1;
  return height >= 480 ? 4 : 5;
}

/** Descriptors of a station's map that depend on the programme on air. */
function programInfo(channel: ChannelPlan, station: StationPlace, state: StationState): Uint8Array {
  if (isPartialReception(station.plan)) return partialCopyControl();
  const { contentAvailability: hasAvailability = channel.type !== 'GR' } = channel;
  return descriptors(
    ...accessDescriptors(station, station.ecmPid, station.protectionEcmPid),
    copyControl(state.copyControl),
    ...(hasAvailability ? [contentAvailability()] : []),
  );
}

/** @param card, protection PIDs of the ECMs of a station's systems; null: it has no such system */
function accessDescriptors(station: StationPlace, card: Pid | null, protection: Pid | null): Uint8Array[] {
  const list: Uint8Array[] = [];
  if (station.ecmPid !== null && card !== null) list.push(conditionalAccess(card));
  if (station.protectionEcmPid !== null && protection !== null) list.push(accessControl(protection));
  return list;
}

/** A PID that means: not scrambled. */
const CLEAR = pid(0x1fff);

/** The descriptors of one stream of sections or captions. */
function writeComponent(
  body: ByteWriter,
  place: SectionPlace,
  info: readonly Uint8Array[],
  access: readonly Uint8Array[] = [],
): void {
  const loop = descriptors(...access, streamIdentifier(place.componentTag), ...info);
  body.u8(place.streamType).pid(place.pid).counted12(0xf, loop);
}

export function pmtSection(channel: ChannelPlan, station: StationPlace, state: StationState): Uint8Array {
  const { streams } = state;
  const { video } = streams;
  const videoInfo = [streamIdentifier(video.componentTag)];
  if (video.plan.codec === 'mpeg2') videoInfo.push(videoDecodeControl(encodeFormat(state.video.height)));
  const body = new ByteWriter()
    .pid(streams.pcrPid)
    .counted12(0xf, programInfo(channel, station, state))
    .u8(video.streamType)
    .pid(video.pid)
    .counted12(0xf, descriptors(...videoInfo));
  for (const audio of state.audios) {
    body.u8(audio.streamType).pid(audio.pid).counted12(0xf, streamIdentifier(audio.componentTag));
  }
  const clear = accessDescriptors(station, CLEAR, CLEAR);
  if (streams.captions !== null && state.captionPid !== null) {
    const moved = { ...streams.captions, pid: state.captionPid };
    writeComponent(body, moved, [captionComponent('programme')], clear);
  }
  if (streams.superimpose !== null) {
    writeComponent(body, streams.superimpose, [captionComponent('asynchronous')], clear);
  }
  const partial = isPartialReception(station.plan);
  if (streams.partialCaptions !== null) {
    writeComponent(body, streams.partialCaptions, [partialCaptionComponent()]);
  }
  if (streams.carousel !== null) {
    writeComponent(body, streams.carousel, [
      partial ? partialBmlComponent(true) : bmlComponent(channel.type, hasFewComponents(streams.plan)),
    ]);
  }
  for (const place of streams.dataComponents) {
    writeComponent(body, place, [partial ? partialBmlComponent(false) : bmlFurtherComponent(channel.type)]);
  }
  if (streams.application !== null) {
    const signalling = applicationSignalling(HTML5_APPLICATION, AIT_VERSION);
    writeComponent(body, streams.application, [signalling]);
  }
  const extension = station.plan.serviceId;
  const { version } = state;
  return longSection({ tableId: 0x02, extension, version, number: 0, lastNumber: 0 }, body.done());
}

/** PCR_PID of a service without a clock. */
const NO_PCR = 0x1fff;
/** data_component_id of data for receivers themselves, ARIB STD-B21 12.2. */
const COMMON_DATA = 0x0009;

/** The map of a service that is only a data carousel; it never changes. */
export function dataPmtSection(channel: ChannelPlan, service: DataServicePlace): Uint8Array {
  const { plan, carousel } = service;
  const component =
    plan.carousel === 'bml' ? bmlComponent(channel.type) : dataComponent(COMMON_DATA, new Uint8Array(0));
  const body = new ByteWriter().pid(NO_PCR).counted12(0xf, new Uint8Array(0));
  writeComponent(body, carousel, [component]);
  const header = {
    tableId: 0x02,
    extension: plan.serviceId,
    version: VERSION,
    number: 0,
    lastNumber: 0,
  };
  return longSection(header, body.done());
}

/** The map of the engineering service: components without a clock. */
export function engineeringPmtSection(): Uint8Array {
  const body = new ByteWriter().pid(NO_PCR).counted12(0xf, new Uint8Array(0));
  for (const component of ENGINEERING_COMPONENTS) {
    writeComponent(body, component, [dataComponent(COMMON_DATA, new Uint8Array(0))]);
  }
  const header = {
    tableId: 0x02,
    extension: ENGINEERING_SERVICE,
    version: VERSION,
    number: 0,
    lastNumber: 0,
  };
  return longSection(header, body.done());
}
