/** A scenario from JSON: the shape of `model.ts`, with optional fields for everything that can be derived. */
import { BROADCAST_TYPES, networkId, serviceId, transportStreamId } from '../../lib/arib/ids.ts';
import { readFault } from '../fault/file.ts';
import { Field, ScenarioError } from './fields.ts';
import {
  AUDIO_MODES,
  type AudioMode,
  type AudioPlan,
  type CaptionPlan,
  type ChannelPlan,
  type CommercialPlan,
  DATA_KINDS,
  type DataServicePlan,
  LOGO_KINDS,
  OPENINGS,
  PICTURE_USES,
  type Scenario,
  type StationPlan,
  THEMES,
  type VideoPlan,
} from './model.ts';
import { broadcastText, readProgramme } from './programme-file.ts';

const MAX_ID = 0xffff;

function readVideo(field: Field): VideoPlan {
  const { codec, width, height, bitrate, aspect } = field.object([
    'codec',
    'width',
    'height',
    'bitrate',
    'aspect',
  ]);
  const even = (size: Field, step: number, most: number): number => {
    const value = size.integer(step, most);
    if (value % step !== 0) throw size.wrong(`${step} の倍数`);
    return value;
  };
  return {
    codec: codec.oneOf(['mpeg2', 'h264']),
    width: even(width, 16, 1920),
    height: even(height, 4, 1088),
    bitrate: bitrate.integer(100_000, 30_000_000),
    ...(aspect.isAbsent ? {} : { aspect: aspect.oneOf(['4:3'] as const) }),
  };
}

function readPictures(field: Field): NonNullable<StationPlan['pictures']> {
  const fields = field.object(PICTURE_USES);
  const given = PICTURE_USES.filter((use) => !fields[use].isAbsent);
  return Object.fromEntries(given.map((use) => [use, readVideo(fields[use])]));
}

function readLanguage(field: Field): string {
  const code = field.text();
  if (!/^[a-z]{3}$/.test(code)) throw field.wrong('ISO 639-2 の三文字');
  return code;
}

function readAudio(field: Field): AudioPlan {
  const { mode, elements, crc, framesPerPes, languages, beepHz, label, bitrate } = field.object([
    'mode',
    'elements',
    'crc',
    'framesPerPes',
    'languages',
    'beepHz',
    'label',
    'bitrate',
  ]);
  const audioMode = mode.or<AudioMode>('stereo', (given) => given.oneOf(AUDIO_MODES));
  const coding = elements.or<AudioPlan['elements']>('pair', (given) => given.oneOf(['pair', 'singles']));
  if (coding === 'singles' && audioMode !== 'dual') throw elements.wrong('pair (singles は dual だけ)');
  const spoken = languages.or(audioMode === 'dual' ? ['jpn', 'eng'] : ['jpn'], (given) =>
    given.list(readLanguage, 1),
  );
  if (spoken.length !== (audioMode === 'dual' ? 2 : 1)) {
    throw languages.wrong(audioMode === 'dual' ? '二つの言語' : '一つの言語');
  }
  const [left = 1000, right = left] = beepHz.or([1000, 1000], (given) =>
    given.list((hz) => hz.integer(100, 10_000), 1),
  );
  return {
    mode: audioMode,
    elements: coding,
    ...(crc.isAbsent ? {} : { crc: crc.boolean() }),
    ...(framesPerPes.isAbsent ? {} : { framesPerPes: framesPerPes.integer(1, 7) }),
    languages: spoken,
    beepHz: [left, right],
    label: label.or('', (given) => broadcastText(given, 33)),
    bitrate: bitrate.or(96_000, (given) => given.integer(16_000, 320_000)),
  };
}

function readProgrammes(field: Field): StationPlan['programmes'] {
  if (field.isText) return field.oneOf(['generated', 'none'] as const);
  const listed = field.list(readProgramme, 1);
  const timed = listed.filter(({ startAt }) => startAt !== undefined).length;
  if (timed !== 0 && timed !== listed.length) {
    throw new ScenarioError(`${field.path}: startAt は全部の番組に書くか、どれにも書かないかのどちらかです`);
  }
  return listed;
}

const DAY_SEC = 86_400;

/** True: in Japanese, without superimposed text. */
function readCaptions(field: Field): CaptionPlan | undefined {
  if (field.isBoolean) return field.boolean() ? { languages: ['jpn'], newsflashSec: null } : undefined;
  const { languages, newsflashSec } = field.object(['languages', 'newsflashSec']);
  const spoken = languages.or(['jpn'], (given) => given.list(readLanguage, 1));
  if (spoken.length > 2) throw languages.wrong('一つか二つの言語');
  const seconds = newsflashSec.or(null, (given) => given.integer(60, DAY_SEC));
  return { languages: spoken, newsflashSec: seconds };
}

const COMMERCIAL_KINDS = ['none', 'announcements', 'usual'] as const;

function readCommercials(field: Field): CommercialPlan {
  if (field.isText) return field.oneOf(COMMERCIAL_KINDS);
  const { everySec, lengthSec, sponsorSec } = field.object(['everySec', 'lengthSec', 'sponsorSec']);
  const length = lengthSec.integer(15, 3_600);
  if (length % 15 !== 0) throw lengthSec.wrong('15 の倍数');
  return {
    everySec: everySec.integer(1, DAY_SEC),
    lengthSec: length,
    sponsorSec: sponsorSec.or(0, (given) => given.integer(0, 60)),
  };
}

const STATION_FIELDS = [
  'serviceId',
  'name',
  'serviceType',
  'hue',
  'video',
  'pictures',
  'audios',
  'branch',
  'captions',
  'logo',
  'data',
  'opening',
  'pay',
  'commercials',
  'theme',
  'programmes',
] as const;

function readStation(field: Field): StationPlan {
  const fields = field.object(STATION_FIELDS);
  const video = readVideo(fields.video);
  const captions = fields.captions.or(undefined, readCaptions);
  if (captions !== undefined && video.codec === 'h264') {
    throw new ScenarioError(`${fields.captions.path}: ワンセグの字幕は送れません`);
  }
  return {
    serviceId: serviceId(fields.serviceId.integer(1, MAX_ID)),
    name: broadcastText(fields.name, 20),
    serviceType: fields.serviceType.or(video.codec === 'h264' ? 0xc0 : 0x01, (given) =>
      given.integer(0, 0xff),
    ),
    hue: fields.hue.or(200, (given) => given.integer(0, 359)),
    video,
    ...(fields.pictures.isAbsent ? {} : { pictures: readPictures(fields.pictures) }),
    audios: fields.audios.list(readAudio, 1),
    ...(fields.branch.isAbsent ? {} : { branch: fields.branch.boolean() }),
    ...(captions === undefined ? {} : { captions }),
    ...(fields.logo.isAbsent ? {} : { logo: fields.logo.oneOf(LOGO_KINDS) }),
    ...(fields.data.isAbsent ? {} : { data: fields.data.oneOf(DATA_KINDS) }),
    ...(fields.opening.isAbsent ? {} : { opening: fields.opening.oneOf(OPENINGS) }),
    ...(fields.pay.isAbsent ? {} : { pay: fields.pay.boolean() }),
    ...(fields.commercials.isAbsent ? {} : { commercials: readCommercials(fields.commercials) }),
    theme: fields.theme.or('general', (given) => given.oneOf(THEMES)),
    programmes: fields.programmes.or('generated', readProgrammes),
  };
}

function readDataService(field: Field): DataServicePlan {
  const fields = field.object(['serviceId', 'name', 'carousel']);
  return {
    serviceId: serviceId(fields.serviceId.integer(1, MAX_ID)),
    name: broadcastText(fields.name, 20),
    carousel: fields.carousel.or<DataServicePlan['carousel']>('bml', (given) =>
      given.oneOf(['bml', 'logos']),
    ),
  };
}

const CHANNEL_FIELDS = [
  'type',
  'channel',
  'networkId',
  'transportStreamId',
  'networkName',
  'remoteControlKey',
  'bitrate',
  'clockReference',
  'stations',
  'dataServices',
  'protection',
  'contentAvailability',
  'engineeringService',
  'unreferencedPes',
  'relays',
] as const;

const CHANNEL_NAMES = { GR: /^T\d{2}$/, BS: /^BS\d{2}_\d$/, CS: /^CS\d{2}$/ } as const;

const CHANNEL_FLAGS = ['protection', 'contentAvailability', 'engineeringService', 'unreferencedPes'] as const;

function readFlags(fields: Record<(typeof CHANNEL_FLAGS)[number], Field>) {
  const given = CHANNEL_FLAGS.filter((flag) => !fields[flag].isAbsent);
  return Object.fromEntries(given.map((flag) => [flag, fields[flag].boolean()]));
}

function readChannel(field: Field): ChannelPlan {
  const fields = field.object(CHANNEL_FIELDS);
  const type = fields.type.oneOf(BROADCAST_TYPES);
  const channel = fields.channel.text();
  if (!CHANNEL_NAMES[type].test(channel)) throw fields.channel.wrong('T27、BS01_0、CS02 のような名前');
  const terrestrial = type === 'GR';
  const stations = fields.stations.list(readStation, 1);
  const dataServices = fields.dataServices.or([], (given) => given.list(readDataService));
  if (terrestrial && dataServices.some(({ carousel }) => carousel === 'logos')) {
    throw new ScenarioError(
      `${fields.dataServices.path}: logos は BS と CS だけです (地上波は CDT で送ります)`,
    );
  }
  const services = [...stations, ...dataServices];
  if (new Set(services.map((service) => service.serviceId)).size !== services.length) {
    throw new ScenarioError(`${fields.stations.path}: serviceId が重なっています`);
  }
  return {
    type,
    channel,
    networkId: networkId(fields.networkId.integer(1, MAX_ID)),
    transportStreamId: transportStreamId(fields.transportStreamId.integer(0, MAX_ID)),
    networkName: fields.networkName.or('架空', (given) => broadcastText(given, 20)),
    remoteControlKey: terrestrial ? fields.remoteControlKey.or(1, (given) => given.integer(1, 12)) : null,
    bitrate: fields.bitrate.integer(500_000, 60_000_000),
    clockReference: fields.clockReference.or(terrestrial ? 'own' : 'video', (given) =>
      given.oneOf(['own', 'video']),
    ),
    stations,
    ...(dataServices.length === 0 ? {} : { dataServices }),
    ...readFlags(fields),
    ...(fields.relays.isAbsent ? {} : { relays: fields.relays.list((relay) => relay.integer(13, 62)) }),
  };
}

/** @throws ScenarioError naming the invalid field */
export function parseScenario(json: unknown): Scenario {
  const { name, seed, channels, faults, scheduleSpeed } = new Field(json, '').object([
    'name',
    'seed',
    'channels',
    'faults',
    'scheduleSpeed',
  ]);
  const scenario = {
    name: name.text(),
    seed: seed.or(1, (given) => given.integer(0, 0xffffffff)),
    channels: channels.list(readChannel, 1),
    faults: faults.or<Scenario['faults']>([], (given) => given.list(readFault)),
    ...(scheduleSpeed.isAbsent ? {} : { scheduleSpeed: scheduleSpeed.integer(1, 20) }),
  };
  const names = scenario.channels.map(({ type, channel }) => `${type} ${channel}`);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) throw new ScenarioError(`channels: ${twice} が二度あります`);
  return scenario;
}
