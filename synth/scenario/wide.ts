/**
 * A guide as large as the real one: thirty stations each on BS and CS, programmes from three minutes to six
 * hours, tiny pictures. The timetables are lists that repeat after about a week.
 */
import { type NetworkId, serviceId } from '../../lib/arib/ids.ts';
import { Random } from '../random.ts';
import { BS_NETWORK, CS1_NETWORK, satelliteStream } from './identity.ts';
import type { AudioPlan, ChannelPlan, ListedProgramme, Scenario, StationPlan, VideoPlan } from './model.ts';

const SEED = 60;
const VIDEO: VideoPlan = { codec: 'mpeg2', width: 160, height: 96, bitrate: 300_000 };
const AUDIO: AudioPlan = {
  mode: 'stereo',
  elements: 'pair',
  crc: true,
  languages: ['jpn'],
  beepHz: [1000, 1000],
  label: '',
  bitrate: 48_000,
};

const MINUTE = 60;
/** Components of a timetable: title, minutes, genre. */
const KINDS = [
  ['架空オープンゴルフ　最終日', 360, [1, 3]],
  ['三分ニュース', 3, [0, 0]],
  ['一日一句', 5, [8, 5]],
  ['映画「灯台守の娘」', 125, [6, 1]],
  ['連続ドラマ　港町', 54, [3, 0]],
  ['歌のひろば', 90, [4, 4]],
  ['旅の空', 30, [10, 0]],
  ['通販まっしぐら', 60, [2, 4]],
  ['囲碁名局解説', 150, [10, 3]],
  ['野球中継', 210, [1, 1]],
] as const;
const DAYS = 7;

function timetable(number: number): ListedProgramme[] {
  const random = new Random(SEED, 'wide', number);
  const list: ListedProgramme[] = [];
  for (let minutes = 0; minutes < DAYS * 24 * 60; ) {
    const [title, length, [level1, level2]] = random.pick(KINDS);
    list.push({
      durationSec: length * MINUTE,
      title: `${title}　第${list.length + 1}回`,
      description: `${title}をお送りします。`,
      items: length < 30 ? [] : [{ heading: '番組内容', text: `${title}の第${list.length + 1}回です。` }],
      genres: [[level1, level2]],
    });
    minutes += length;
  }
  return list;
}

const STATIONS_A_STREAM = 3;
const STREAMS = 10;

function station(firstService: number, index: number, name: string): StationPlan {
  return {
    serviceId: serviceId(firstService + index),
    name: `${name}${String(index + 1).padStart(2, '0')}`,
    serviceType: 0x01,
    hue: (index * 137) % 360,
    video: VIDEO,
    audios: [AUDIO],
    theme: 'general',
    programmes: timetable(firstService + index),
  };
}

function streams(type: 'BS' | 'CS', networkId: NetworkId, firstService: number, name: string): ChannelPlan[] {
  return Array.from({ length: STREAMS }, (_, index): ChannelPlan => {
    const transponder = type === 'BS' ? 2 * index + 1 : 2 * index + 2;
    const number = String(transponder).padStart(2, '0');
    return {
      type,
      channel: type === 'BS' ? `BS${number}_0` : `CS${number}`,
      networkId,
      transportStreamId: satelliteStream(networkId, transponder, 0),
      networkName: type === 'BS' ? 'ＢＳデジタル' : '１１０度ＣＳ１',
      remoteControlKey: null,
      bitrate: 4_000_000,
      clockReference: 'video',
      stations: Array.from({ length: STATIONS_A_STREAM }, (_, place) =>
        station(firstService, index * STATIONS_A_STREAM + place, name),
      ),
    };
  });
}

export const WIDE: Scenario = {
  name: 'wide',
  seed: SEED,
  faults: [],
  channels: [...streams('BS', BS_NETWORK, 601, 'ＢＳ架空'), ...streams('CS', CS1_NETWORK, 701, 'ＣＳ架空')],
};
