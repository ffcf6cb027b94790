/** PAT, CAT and PMT: ISO/IEC 13818-1 2.4.4, ARIB TR-B14 vol. 4. */
import { type ChannelPlace, NIT_PID, type StationPlace } from '../scenario/layout.ts';
import type { StationState } from '../station-state.ts';
import { ByteWriter } from './bytes.ts';
import {
  contentAvailability,
  copyControl,
  descriptors,
  streamIdentifier,
  videoDecodeControl,
} from './descriptors.ts';
import { longSection } from './section.ts';

/** PAT and CAT never change in a scenario. */
const VERSION = 1;

export function patSection(channel: ChannelPlace): Uint8Array {
  const body = new ByteWriter().u16(0).pid(NIT_PID);
  for (const station of channel.stations) body.u16(station.plan.serviceId).pid(station.pmtPid);
  const extension = channel.plan.transportStreamId;
  return longSection({ tableId: 0x00, extension, version: VERSION, number: 0, lastNumber: 0 }, body.done());
}

/** Without conditional access there is nothing to say; broadcasters send the table all the same. */
export function catSection(): Uint8Array {
  const header = { tableId: 0x01, extension: 0xffff, version: VERSION, number: 0, lastNumber: 0 };
  return longSection(header, new Uint8Array(0));
}

/** video_encode_format by lines: ARIB STD-B10 Part 2, 6.2.30. */
export function encodeFormat(height: number): number {
  if (height >= 1080) return 1;
  return height >= 480 ? 4 : 5;
}

/** What a station's map says of the programme on air. */
function programInfo(state: StationState): Uint8Array {
  return descriptors(copyControl(state.copyControl), contentAvailability());
}

export function pmtSection(station: StationPlace, state: StationState): Uint8Array {
  const { video } = station;
  const videoInfo = [streamIdentifier(video.componentTag)];
  if (video.plan.codec === 'mpeg2') videoInfo.push(videoDecodeControl(encodeFormat(video.plan.height)));
  const body = new ByteWriter()
    .pid(station.pcrPid)
    .counted12(0xf, programInfo(state))
    .u8(video.streamType)
    .pid(video.pid)
    .counted12(0xf, descriptors(...videoInfo));
  for (const audio of state.audios) {
    body.u8(audio.streamType).pid(audio.pid).counted12(0xf, streamIdentifier(audio.componentTag));
  }
  const extension = station.plan.serviceId;
  const { version } = state;
  return longSection({ tableId: 0x02, extension, version, number: 0, lastNumber: 0 }, body.done());
}
