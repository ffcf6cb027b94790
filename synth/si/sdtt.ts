/**
 * SDTT: ARIB STD-B21 12.2.1.1; TR-B14 vol. 1 and TR-B15 vol. 1. Two kinds are sent: that of the logos of a
 * satellite network, which is for all receivers and always on air, and that of a new program for one model of
 * receiver, in the early morning of the next two days.
 */
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { LOGO_DOWNLOAD } from '../data/logo-modules.ts';
import { DAY_MS } from '../guide/programme.ts';
import { LOGO_VERSION } from '../logo/assignment.ts';
import type { DataServicePlace } from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import { encodeText } from '../text/encode.ts';
import { ByteWriter } from './bytes.ts';
import { descriptor } from './descriptors.ts';
import type { CarouselPlan } from './dsmcc.ts';
import { encodeJstTime, toBcd } from './jst-time.ts';
import { longSection } from './section.ts';

const VERSION = 1;
/** All receivers of all makers: maker_id, model_id. */
const COMMON = 0xfffe;
/** A receiver model that does not exist. */
const INVENTED_MODEL = 0x7e01;
/** download_level 0: optional; version_indicator 0: all versions. */
const OPTIONAL_FOR_ALL = 0;
const HOUR_MS = 3_600_000;
const NIGHT = { from: 4, hours: 1 };
const NIGHTS = 2;
const VERSIONS = 32;

interface Content {
  newVersion: number;
  /** Start and length of each transmission; empty: always. */
  times: readonly { startAt: BroadcastMs; hours: number }[];
  descriptor: Uint8Array;
}

interface Announcement {
  receiver: number;
  version: number;
  channel: ChannelPlan;
  serviceId: number;
  content: Content;
}

function sdttSection({ receiver, version, channel, serviceId, content }: Announcement): Uint8Array {
  const schedule = new ByteWriter();
  for (const { startAt, hours } of content.times) {
    schedule.bytes(encodeJstTime(startAt)).u8(toBcd(hours)).u16(0);
  }
  const times = schedule.done();
  const body = new ByteWriter()
    .u16(channel.transportStreamId)
    .u16(channel.networkId)
    .u16(serviceId)
    // num_of_contents; group 0, target_version: all.
    .u8(1)
    .u16(0x0fff)
    .u16((content.newVersion << 4) | OPTIONAL_FOR_ALL)
    // content_description_length 12, reserved 4; schedule_description_length 12, no time shift.
    .u16(((times.length + content.descriptor.length) << 4) | 0xf)
    .u16(times.length << 4)
    .bytes(times)
    .bytes(content.descriptor);
  return longSection({ tableId: 0xc3, extension: receiver, version, number: 0, lastNumber: 0 }, body.done());
}

interface Download {
  /** Whether the receiver restarts afterwards. */
  reboot: boolean;
  bytes: number;
  downloadId: number;
  componentTag: number;
  /** Absent: the receiver waits for the list of the carousel. */
  modules?: CarouselPlan['modules'];
  /** Japanese, in the 8-unit code; empty: none. */
  text: Uint8Array;
}

/** time_out_value_DII in milliseconds. */
const DII_TIMEOUT = 30_000;
/** leak_rate in units of 50 bytes per second: 50 kbit/s. */
const LEAK_RATE = 125;

/** Download content descriptor 0xC9: content of the carousel. */
function downloadContent({ reboot, bytes, downloadId, componentTag, modules, text }: Download): Uint8Array {
  const flags = (reboot ? 0x80 : 0) | (modules === undefined ? 0 : 0x10) | (text.length > 0 ? 0x08 : 0);
  const body = new ByteWriter()
    // reboot, add_on 0, compatibility_flag 0, module_info_flag, text_info_flag, reserved 3.
    .u8(flags | 0x07)
    .u32(bytes)
    .u32(downloadId)
    .u32(DII_TIMEOUT)
    .u24((LEAK_RATE << 2) | 3)
    .u8(componentTag);
  if (modules !== undefined) {
    body.u16(modules.length);
    for (const { id, bytes: module, info } of modules) body.u16(id).u32(module.length).counted8(info);
  }
  body.u8(0);
  if (text.length > 0) body.letters('jpn').counted8(text);
  return descriptor(0xc9, body);
}

/** The logos of a satellite network, carried by a data service. */
export function logoSdtt(
  channel: ChannelPlan,
  service: DataServicePlace,
  carousel: CarouselPlan,
): Uint8Array {
  const download = downloadContent({
    reboot: false,
    bytes: carousel.modules.reduce((sum, { bytes }) => sum + bytes.length, 0),
    downloadId: carousel.downloadId,
    componentTag: service.carousel.componentTag,
    modules: carousel.modules,
    text: new Uint8Array(0),
  });
  return sdttSection({
    receiver: COMMON,
    version: VERSION,
    channel,
    serviceId: service.plan.serviceId,
    content: { newVersion: LOGO_VERSION, times: [], descriptor: download },
  });
}

/** Size of the announced program, which is never sent. */
const PROGRAM_BYTES = 4_194_304;
const PROGRAM_VERSION = 12;
const PROGRAM_TAG = 0x50;

const PROGRAM_TEXT = '受信機の機能を改善します。';

/** A new program for a model of receivers, as of a moment: transmissions in the coming nights. */
export function receiverSdtt(channel: ChannelPlan, at: BroadcastMs): Uint8Array {
  const today = jstDayStart(at);
  const times = Array.from({ length: NIGHTS }, (_, night) => ({
    startAt: broadcastMs(today + (night + 1) * DAY_MS + NIGHT.from * HOUR_MS),
    hours: NIGHT.hours,
  }));
  const download = downloadContent({
    reboot: true,
    bytes: PROGRAM_BYTES,
    downloadId: LOGO_DOWNLOAD + 1,
    componentTag: PROGRAM_TAG,
    text: encodeText(PROGRAM_TEXT),
  });
  return sdttSection({
    receiver: INVENTED_MODEL,
    version: Math.floor(today / DAY_MS) % VERSIONS,
    channel,
    serviceId: channel.stations[0]?.serviceId ?? 0,
    content: { newVersion: PROGRAM_VERSION, times, descriptor: download },
  });
}
