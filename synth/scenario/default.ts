/**
 * The region that demo and tests receive: five terrestrial channels and one of a neighbouring region, four
 * transport streams of BS and two networks of CS with two streams each. All names are fictitious; the
 * terrestrial region and the satellite stations have numbers that do not exist in reality.
 */
import { type networkId, type ServiceId, serviceId } from '../../lib/arib/ids.ts';
import {
  BS_NETWORK,
  CS1_NETWORK,
  CS2_NETWORK,
  INVENTED_REGION,
  NEIGHBOUR_REGION,
  satelliteStream,
  terrestrialNetwork,
  terrestrialService,
  terrestrialStream,
} from './identity.ts';
import type {
  AudioPlan,
  CaptionPlan,
  ChannelPlan,
  CommercialPlan,
  DataKind,
  DataServicePlan,
  Habits,
  LogoKind,
  NamedStream,
  Opening,
  Scenario,
  StationPlan,
  StationReference,
  Theme,
  VideoPlan,
} from './model.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const ODD_DAYS = [1, 3, 5];
const EVEN_DAYS = [0, 2, 4, 6];

function terrestrialReference(broadcaster: number): StationReference {
  return {
    networkId: terrestrialNetwork(INVENTED_REGION, broadcaster),
    serviceId: terrestrialService(INVENTED_REGION, broadcaster, 'tv', 0),
  };
}

/** Exceptional events on the stations of the default region; any two days contain all of them. */
const HABITS: Readonly<Record<string, Habits>> = {
  ひばり放送: {
    sports: [
      {
        weekdays: EVEN_DAYS,
        end: 'punctual',
        relayTo: { serviceId: terrestrialService(INVENTED_REGION, 0, 'tv', 1) },
      },
    ],
    cancels: ODD_DAYS,
    soundByProgramme: true,
  },
  ひばり教育: { nightPause: 'listed' },
  あさぎりテレビ: {
    sports: [{ weekdays: ODD_DAYS, end: 'open' }],
    cancels: EVEN_DAYS,
    soundByProgramme: true,
  },
  かわせみテレビ: { sports: [{ weekdays: EVEN_DAYS, end: 'overrun' }], nightPause: 'listed' },
  こもれび放送: {
    sports: [
      {
        weekdays: ODD_DAYS,
        end: 'punctual',
        relayTo: { networkId: BS_NETWORK, serviceId: serviceId(331) },
      },
    ],
    nightPause: 'silent',
    surround: true,
  },
  ＢＳひばり: {
    repeats: [
      { from: terrestrialReference(0), daysLater: 0, weekdays: EVERY_DAY },
      { from: terrestrialReference(0), daysLater: 3, weekdays: EVERY_DAY },
      { from: terrestrialReference(1), daysLater: 1, weekdays: ODD_DAYS },
    ],
  },
  ＢＳあさぎり: {
    repeats: [{ from: terrestrialReference(2), daysLater: 2, weekdays: EVERY_DAY }],
    soundByProgramme: true,
  },
  ＢＳかわせみ: { repeats: [{ from: terrestrialReference(3), daysLater: 1, weekdays: EVERY_DAY }] },
  星空シネマ: { surround: true },
  スポーツ広場: {
    sports: [
      { weekdays: ODD_DAYS, end: 'punctual', relayTo: { serviceId: serviceId(432) } },
      { weekdays: EVEN_DAYS, end: 'overrun' },
    ],
  },
};

const HD: VideoPlan = { codec: 'mpeg2', width: 1440, height: 1080, bitrate: 12_000_000 };
const FULL_HD: VideoPlan = { ...HD, width: 1920, bitrate: 13_000_000 };
const SD: VideoPlan = { codec: 'mpeg2', width: 720, height: 480, bitrate: 2_500_000 };
const SD_FINE: VideoPlan = { ...SD, bitrate: 5_000_000 };
const SD_NARROW: VideoPlan = { ...SD_FINE, aspect: '4:3' };
/** The bit rate of a main station is reduced for its branch. */
const SPLIT = { split: SD_FINE };
const ONE_SEGMENT: VideoPlan = { codec: 'h264', width: 320, height: 180, bitrate: 260_000 };

const STEREO: AudioPlan = {
  mode: 'stereo',
  elements: 'pair',
  languages: ['jpn'],
  beepHz: [1000, 1000],
  label: 'ステレオ',
  bitrate: 192_000,
};
/** About half of the broadcasters send a CRC in their frames. */
const CHECKED: AudioPlan = { ...STEREO, crc: true };
const COMMENTARY: AudioPlan = { ...STEREO, beepHz: [2000, 2000], label: '解説' };
const DUAL: AudioPlan = {
  ...CHECKED,
  mode: 'dual',
  elements: 'singles',
  languages: ['jpn', 'eng'],
  beepHz: [800, 1600],
  label: '二か国語',
};
/** Captions of stations in high definition. */
const JAPANESE_CAPTIONS: CaptionPlan = { languages: ['jpn'], newsflashSec: null };
/** Two languages in some programmes, and a newsflash every ten minutes. */
const ALL_CAPTIONS: CaptionPlan = { languages: ['jpn', 'eng'], newsflashSec: 600 };
const LOW_STEREO: AudioPlan = { ...STEREO, label: '', bitrate: 64_000 };

interface StationSketch {
  name: string;
  video: VideoPlan;
  pictures?: StationPlan['pictures'];
  branch?: boolean;
  programmes?: 'none';
  audios?: AudioPlan[];
  captions?: CaptionPlan;
  commercials?: CommercialPlan;
  theme?: Theme;
  logo?: LogoKind;
  /** Absent: pages. */
  data?: DataKind;
  /** Absent: the sign. */
  opening?: Opening;
  pay?: boolean;
}

/** Distant hues for neighbouring numbers. */
function hueOf(number: number): number {
  return (number * 137) % 360;
}

function television(id: StationPlan['serviceId'], sketch: StationSketch, hue: number): StationPlan {
  const { name, video, audios = [STEREO], theme = 'general' } = sketch;
  const habits = HABITS[name];
  const isHigh = video.height >= HD.height;
  const captions = sketch.captions ?? (isHigh ? JAPANESE_CAPTIONS : undefined);
  const { commercials = 'none', logo, data = 'bml', opening = 'standby', pay, pictures, branch } = sketch;
  return {
    serviceId: id,
    name,
    serviceType: 0x01,
    hue,
    video,
    ...(pictures === undefined ? {} : { pictures }),
    audios,
    ...(branch === undefined ? {} : { branch }),
    ...(captions === undefined ? {} : { captions }),
    ...(logo === undefined ? {} : { logo }),
    ...(data === 'none' ? {} : { data, opening }),
    ...(pay === undefined ? {} : { pay }),
    commercials,
    theme,
    programmes: sketch.programmes ?? 'generated',
    ...(habits === undefined ? {} : { habits }),
  };
}

interface TerrestrialExtras extends Pick<ChannelPlan, 'contentAvailability' | 'unreferencedPes' | 'relays'> {
  oneSegment?: string;
  region?: number;
}

function terrestrial(
  broadcaster: number,
  channel: string,
  key: number,
  stations: StationSketch[],
  { oneSegment, region = INVENTED_REGION, ...own }: TerrestrialExtras = {},
): ChannelPlan {
  const network = terrestrialNetwork(region, broadcaster);
  const plans = stations.map((sketch, number) =>
    television(
      terrestrialService(region, broadcaster, 'tv', number),
      sketch,
      hueOf(broadcaster * 3 + number),
    ),
  );
  if (oneSegment !== undefined) {
    plans.push({
      serviceId: terrestrialService(region, broadcaster, 'partial', 0),
      name: oneSegment,
      serviceType: 0xc0,
      hue: hueOf(broadcaster * 3),
      video: ONE_SEGMENT,
      audios: [LOW_STEREO],
      data: 'bml',
      theme: 'general',
      programmes: 'generated',
    });
  }
  return {
    type: 'GR',
    channel,
    networkId: network,
    transportStreamId: terrestrialStream(network),
    networkName: `架空${key}`,
    remoteControlKey: key,
    bitrate: 16_850_000,
    clockReference: 'own',
    stations: plans,
    engineeringService: true,
    ...own,
  };
}

interface SatellitePlace {
  type: 'BS' | 'CS';
  network: ReturnType<typeof networkId>;
  networkName: string;
  transponder: number;
  slot: number;
  bitrate: number;
}

function satellite(place: SatellitePlace, firstService: number, stations: StationSketch[]): ChannelPlan {
  const { type, network, networkName, transponder, slot, bitrate } = place;
  const number = String(transponder).padStart(2, '0');
  return {
    type,
    channel: type === 'BS' ? `BS${number}_${slot}` : `CS${number}`,
    networkId: network,
    transportStreamId: satelliteStream(network, transponder, slot),
    networkName,
    remoteControlKey: null,
    bitrate,
    clockReference: 'video',
    stations: stations.map((sketch, index) =>
      television(serviceId(firstService + index), sketch, hueOf(firstService + index)),
    ),
  };
}

function bs(
  transponder: number,
  slot: number,
  bitrate: number,
  firstService: number,
  stations: StationSketch[],
): ChannelPlan {
  const networkName = 'ＢＳデジタル';
  return satellite(
    { type: 'BS', network: BS_NETWORK, networkName, transponder, slot, bitrate },
    firstService,
    stations,
  );
}

function cs(
  network: typeof CS1_NETWORK,
  transponder: number,
  firstService: number,
  stations: StationSketch[],
): ChannelPlan {
  const networkName = network === CS1_NETWORK ? '１１０度ＣＳ１' : '１１０度ＣＳ２';
  return satellite(
    { type: 'CS', network, networkName, transponder, slot: 0, bitrate: 18_000_000 },
    firstService,
    // All of them are pay television.
    stations.map((sketch) => ({ pay: true, ...sketch })),
  );
}

/** A channel with data services. */
function withData(channel: ChannelPlan, ...dataServices: DataServicePlan[]): ChannelPlan {
  return { ...channel, dataServices };
}

function documentService(id: ServiceId, name: string): DataServicePlan {
  return { serviceId: id, name, carousel: 'bml' };
}

/** The engineering service of a satellite network, which has the logos of all its stations. */
function logoService(id: number): DataServicePlan {
  return { serviceId: serviceId(id), name: 'エンジニアリング', carousel: 'logos' };
}

/** UHF channels of the first channel's relay transmitters. */
const RELAYS = Array.from({ length: 24 }, (_, index) => 28 + index);

/**
 * Streams of BS that are listed in tables but not received in this region: together with the others there are
 * 29.
 */
const NAMED_STREAMS: NamedStream[] = [5, 7, 9, 11, 15, 17, 19, 21, 23]
  .flatMap((transponder) => [0, 1, 2].map((slot) => ({ transponder, slot })))
  .slice(0, 25)
  .map(({ transponder, slot }, index): NamedStream => {
    const first = 601 + 2 * index;
    return {
      type: 'BS',
      channel: `BS${String(transponder).padStart(2, '0')}_${slot}`,
      networkId: BS_NETWORK,
      transportStreamId: satelliteStream(BS_NETWORK, transponder, slot),
      services: [first, first + 1].map((id) => ({
        serviceId: serviceId(id),
        serviceType: 0x01,
        name: `ＢＳ架空${id}`,
      })),
    };
  });

export const DEFAULT: Scenario = {
  name: 'default',
  seed: 20_260_401,
  faults: [],
  namedStreams: NAMED_STREAMS,
  channels: [
    terrestrial(
      0,
      'T27',
      1,
      [
        {
          name: 'ひばり放送',
          opening: 'invisible',
          video: HD,
          pictures: SPLIT,
          audios: [CHECKED, COMMENTARY],
          captions: ALL_CAPTIONS,
        },
        { name: 'ひばり放送２', opening: 'invisible', video: SD_FINE, logo: 'shared', branch: true },
      ],
      { oneSegment: 'ひばりワンセグ', unreferencedPes: true, relays: RELAYS },
    ),
    terrestrial(1, 'T26', 2, [
      {
        name: 'ひばり教育',
        opening: 'invisible',
        video: HD,
        pictures: SPLIT,
        commercials: 'announcements',
        theme: 'learning',
      },
      {
        name: 'ひばり教育２',
        opening: 'invisible',
        video: SD_FINE,
        branch: true,
        commercials: 'announcements',
        logo: 'shared',
        theme: 'learning',
      },
    ]),
    terrestrial(
      2,
      'T25',
      4,
      [
        {
          name: 'あさぎりテレビ',
          opening: 'module',
          video: HD,
          commercials: 'usual',
          audios: [DUAL],
          data: 'hybridcast',
        },
      ],
      { oneSegment: 'あさぎりワンセグ' },
    ),
    terrestrial(3, 'T24', 5, [{ name: 'かわせみテレビ', video: HD, commercials: 'usual', logo: 'text' }], {
      contentAvailability: true,
    }),
    // Has the same remote control key as the first channel.
    terrestrial(
      0,
      'T22',
      1,
      [{ name: 'となりやま放送', opening: 'deaf', video: HD, commercials: 'announcements' }],
      {
        region: NEIGHBOUR_REGION,
      },
    ),
    withData(
      terrestrial(4, 'T23', 7, [
        {
          name: 'こもれび放送',
          opening: 'affiliation',
          video: HD,
          commercials: 'usual',
          logo: 'none',
          audios: [CHECKED],
        },
      ]),
      documentService(terrestrialService(INVENTED_REGION, 4, 'data', 0), 'こもれびデータ'),
    ),
    withData(
      bs(1, 0, 19_000_000, 311, [
        { name: 'ＢＳひばり', opening: 'invisible', video: HD },
        { name: 'ＢＳひばり２', video: SD, logo: 'shared' },
      ]),
      documentService(serviceId(391), 'ＢＳ天気データ'),
      logoService(399),
    ),
    bs(3, 0, 30_000_000, 321, [
      {
        name: 'ＢＳあさぎり',
        opening: 'module',
        video: HD,
        commercials: 'usual',
        audios: [STEREO, COMMENTARY],
      },
      { name: 'ＢＳかわせみ', video: HD, commercials: 'usual' },
    ]),
    bs(13, 0, 24_000_000, 331, [
      {
        name: 'ＢＳこもれび',
        opening: 'affiliation',
        video: FULL_HD,
        pictures: { commercials: HD },
        commercials: 'usual',
        audios: [CHECKED],
      },
      { name: 'ＢＳ旅チャンネル', video: SD, commercials: 'usual', theme: 'travel' },
      { name: 'ＢＳ語学館', video: SD, commercials: 'announcements', audios: [DUAL], theme: 'learning' },
    ]),
    bs(13, 1, 19_000_000, 341, [
      {
        name: '星空シネマ',
        opening: 'invisible',
        video: HD,
        commercials: 'announcements',
        pay: true,
        theme: 'film',
      },
      { name: '星空シネマ２', video: SD, commercials: 'announcements', pay: true, theme: 'film' },
    ]),
    withData(
      cs(CS1_NETWORK, 2, 411, [
        { name: '名画座４１１', video: SD_FINE, commercials: 'announcements', theme: 'film' },
        {
          name: '時代劇の蔵',
          opening: 'deaf',
          video: SD_FINE,
          pictures: { film: SD_NARROW },
          commercials: 'usual',
          theme: 'drama',
        },
      ]),
      logoService(498),
    ),
    cs(CS1_NETWORK, 8, 421, [
      { name: 'アニメの森', video: SD_FINE, commercials: 'usual', theme: 'anime' },
      { name: '鉄道と旅', video: SD_FINE, commercials: 'usual', theme: 'travel' },
      { name: '歌謡倶楽部', video: SD, commercials: 'usual', theme: 'music' },
    ]),
    withData(
      cs(CS2_NETWORK, 4, 431, [
        { name: 'スポーツ広場', video: SD_FINE, commercials: 'usual', theme: 'sports' },
        { name: 'スポーツ広場２', video: SD_FINE, commercials: 'announcements', theme: 'sports' },
      ]),
      logoService(499),
    ),
    cs(CS2_NETWORK, 6, 441, [
      { name: '囲碁将棋の間', video: SD, commercials: 'announcements', theme: 'hobby' },
      { name: '釣りと自然', video: SD_FINE, commercials: 'usual', theme: 'hobby' },
      { name: '架空通販', video: SD, programmes: 'none' },
    ]),
  ],
};
