/** A small region for tests: few stations, tiny pictures, made in a few seconds. */
import { serviceId } from '../../lib/arib/ids.ts';
import {
  BS_NETWORK,
  CS1_NETWORK,
  INVENTED_REGION,
  satelliteStream,
  terrestrialNetwork,
  terrestrialService,
  terrestrialStream,
} from './identity.ts';
import type { AudioPlan, ChannelPlan, Scenario, StationPlan, VideoPlan } from './model.ts';

const VIDEO: VideoPlan = { codec: 'mpeg2', width: 320, height: 240, bitrate: 1_000_000 };
const ONE_SEGMENT: VideoPlan = { codec: 'h264', width: 320, height: 180, bitrate: 200_000 };

const MAIN: AudioPlan = {
  mode: 'stereo',
  elements: 'pair',
  languages: ['jpn'],
  beepHz: [1000, 1000],
  label: '',
  bitrate: 96_000,
};
const CHECKED: AudioPlan = { ...MAIN, crc: true };
const COMMENTARY: AudioPlan = { ...MAIN, beepHz: [2000, 2000], label: '解説' };
const DUAL: AudioPlan = { ...MAIN, mode: 'dual', languages: ['jpn', 'eng'], beepHz: [800, 1600] };

function tv(id: number, name: string, hue: number, audios: AudioPlan[]): StationPlan {
  return {
    serviceId: serviceId(id),
    name,
    serviceType: 0x01,
    hue,
    video: VIDEO,
    audios,
    theme: 'general',
    programmes: 'generated',
  };
}

function terrestrial(
  broadcaster: number,
  channel: string,
  key: number,
  stations: StationPlan[],
): ChannelPlan {
  const network = terrestrialNetwork(INVENTED_REGION, broadcaster);
  return {
    type: 'GR',
    channel,
    networkId: network,
    transportStreamId: terrestrialStream(network),
    networkName: '架空ミニ',
    remoteControlKey: key,
    bitrate: 4_000_000,
    clockReference: 'own',
    stations,
    ...(broadcaster === 0 ? { unreferencedPes: true } : {}),
  };
}

function bs(transponder: number, stations: StationPlan[]): ChannelPlan {
  return {
    type: 'BS',
    channel: `BS0${transponder}_0`,
    networkId: BS_NETWORK,
    transportStreamId: satelliteStream(BS_NETWORK, transponder, 0),
    networkName: 'ＢＳデジタル',
    remoteControlKey: null,
    bitrate: 4_000_000,
    clockReference: 'video',
    stations,
  };
}

const service = (broadcaster: number, number: number) =>
  terrestrialService(INVENTED_REGION, broadcaster, 'tv', number);

export const MINI: Scenario = {
  name: 'mini',
  seed: 1,
  scheduleSpeed: 3,
  faults: [],
  channels: [
    terrestrial(0, 'T27', 1, [
      tv(service(0, 0), 'ひばり放送', 200, [MAIN, COMMENTARY]),
      tv(service(0, 1), 'ひばり放送２', 40, [DUAL]),
      {
        serviceId: terrestrialService(INVENTED_REGION, 0, 'partial', 0),
        name: 'ひばりワンセグ',
        serviceType: 0xc0,
        hue: 200,
        video: ONE_SEGMENT,
        audios: [MAIN],
        theme: 'general',
        programmes: 'generated',
      },
    ]),
    terrestrial(1, 'T26', 2, [tv(service(1, 0), 'あさぎりテレビ', 120, [CHECKED])]),
    {
      ...bs(1, [tv(311, 'ＢＳひばり', 280, [MAIN]), tv(312, 'ＢＳひばり２', 320, [MAIN])]),
      dataServices: [
        { serviceId: serviceId(391), name: 'ＢＳ天気データ', carousel: 'bml' },
        { serviceId: serviceId(399), name: 'エンジニアリング', carousel: 'logos' },
      ],
    },
    bs(3, [tv(321, 'ＢＳあさぎり', 0, [CHECKED])]),
    {
      type: 'CS',
      channel: 'CS02',
      networkId: CS1_NETWORK,
      transportStreamId: satelliteStream(CS1_NETWORK, 2, 0),
      networkName: '１１０度ＣＳ１',
      remoteControlKey: null,
      bitrate: 3_000_000,
      clockReference: 'video',
      stations: [tv(411, '名画館４１１', 80, [MAIN])],
    },
  ],
};
