/**
 * Small scenarios for tests: programmes of seconds, pictures as small as decoders accept. Everything that a
 * test does not specify has a default; the result is JSON, the shape of a scenario file (`file.ts`).
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import {
  BS_NETWORK,
  CS1_NETWORK,
  INVENTED_REGION,
  satelliteStream,
  terrestrialNetwork,
  terrestrialService,
  terrestrialStream,
} from './identity.ts';

/** Members of a scenario file, which replace the defaults. */
interface Written {
  readonly [field: string]: unknown;
}

export interface SmallStation extends Written {
  /** As in a file; default: one of 20 s that repeats. */
  programmes?: readonly Written[];
}

export interface SmallChannel {
  type?: BroadcastType;
  /** T30, BS01_0, CS02 … */
  channel: string;
  stations?: readonly SmallStation[];
  /** As in a file. */
  dataServices?: readonly Written[];
  /** Bit rate of the stream; default: enough for the stations. */
  bitrate?: number;
}

export interface SmallScenario {
  seed?: number;
  channels: readonly SmallChannel[];
  /** As in a file. */
  faults?: readonly Written[];
  /** As in a file: factor by which schedules are sent more often. */
  scheduleSpeed?: number;
}

const VIDEO = { codec: 'mpeg2', width: 160, height: 96, bitrate: 300_000 };
const AUDIO = { mode: 'stereo', bitrate: 48_000, crc: true };
const PROGRAMME = { durationSec: 20, title: '小さな番組' };
/** Tables, clock references and one more audio than the station has. */
const STATION_BITRATE = 700_000;
const CHANNEL_BITRATE = 500_000;

function identityOf(type: BroadcastType, channel: string, index: number) {
  if (type === 'GR') {
    const network = terrestrialNetwork(INVENTED_REGION, index);
    return { networkId: network, transportStreamId: terrestrialStream(network), firstService: null };
  }
  const [transponder = 1, slot = 0] = (channel.match(/\d+/g) ?? []).map(Number);
  const network = type === 'BS' ? BS_NETWORK : CS1_NETWORK;
  const transportStreamId = satelliteStream(network, transponder, slot);
  return { networkId: network, transportStreamId, firstService: 500 + 10 * index };
}

function channelJson(
  { type = 'GR', channel, stations = [{}], dataServices, bitrate }: SmallChannel,
  index: number,
) {
  const { firstService, ...ids } = identityOf(type, channel, index);
  return {
    ...{ type, channel, ...ids },
    networkName: '小さな網',
    ...(type === 'GR' ? { remoteControlKey: 1 + (index % 12) } : {}),
    bitrate: bitrate ?? CHANNEL_BITRATE + stations.length * STATION_BITRATE,
    stations: stations.map((station, number) => ({
      serviceId:
        firstService === null
          ? terrestrialService(INVENTED_REGION, index, 'tv', number)
          : firstService + number,
      name: `小${channel.replaceAll('_', '')}${number + 1}`,
      hue: (index * 90 + number * 40) % 360,
      video: VIDEO,
      audios: [AUDIO],
      programmes: [PROGRAMME],
      ...station,
    })),
    ...(dataServices === undefined ? {} : { dataServices }),
  };
}

/** @returns a value that JSON.stringify turns into a scenario file */
export function smallScenario({ seed = 1, channels, faults = [], scheduleSpeed = 1 }: SmallScenario) {
  return { name: 'small', seed, scheduleSpeed, channels: channels.map(channelJson), faults };
}
