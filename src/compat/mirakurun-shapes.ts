/**
 * Stations, programmes and tuners in the shapes of Mirakurun's API 4.1. What its clients (EPGStation, KonomiTV) read
 * without a check is always there, and what they cannot read is left out.
 */
import {
  type EventId,
  type NetworkId,
  type ServiceId,
  type StationId,
  splitStationId,
} from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ProgramRelation } from '../../lib/wire/vocabulary.ts';
import type { AudioComponent } from '../model/audio.ts';
import { mainStationOf } from '../model/main-station.ts';
import type { ProgramRecord, ProgramSeries } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';

/** `27` in place of the agent's `T27`; satellite channels have the same names. */
function channelName({ type, channel }: Pick<StationRecord, 'type' | 'channel'>): string {
  return type === 'GR' ? channel.replace(/^T(?=\d)/, '') : channel;
}

/** Whether a client's name of a channel, in either form, is this station's. */
export function isChannel(station: Pick<StationRecord, 'type' | 'channel'>, name: string): boolean {
  return station.channel === name || channelName(station) === name;
}

interface ServiceFacts {
  readonly hasLogo: boolean;
  /** Its guide was read completely; null: never. Epoch ms. */
  readonly readAt: number | null;
}

export function toService(station: StationRecord, { hasLogo, readAt }: ServiceFacts) {
  const { id, serviceId, networkId, name, serviceType, type, remoteControlKey } = station;
  return {
    ...{ id, serviceId, networkId, name, type: serviceType, hasLogoData: hasLogo },
    ...(type === 'GR' && remoteControlKey > 0 ? { remoteControlKeyId: remoteControlKey } : {}),
    epgReady: readAt !== null,
    ...(readAt === null ? {} : { epgUpdatedAt: readAt }),
    channel: { type, channel: channelName(station) },
  };
}

export type MirakurunService = ReturnType<typeof toService>;

interface MirakurunChannel {
  type: string;
  channel: string;
  name: string;
  services: Pick<MirakurunService, 'id' | 'serviceId' | 'networkId' | 'name' | 'type'>[];
}

/** In the order of the stations, so that those of a type are consecutive: BonDriver makes tuning spaces of them. */
export function toChannels(services: readonly MirakurunService[]): MirakurunChannel[] {
  const channels = new Map<string, MirakurunChannel>();
  for (const { id, serviceId, networkId, name, type, channel: place } of services) {
    const key = `${place.type}/${place.channel}`;
    const channel = channels.get(key) ?? { ...place, name, services: [] };
    channels.set(key, channel);
    channel.services.push({ id, serviceId, networkId, name, type });
  }
  return [...channels.values()];
}

/** stream_content and the high digit of component_type, ARIB STD-B10 Part 2, Table 6-5. */
const STREAM_CONTENT: Readonly<Record<string, number>> = { mpeg2: 1, 'h.264': 5, 'h.265': 9 };
const LINES: Readonly<Record<string, number>> = {
  ...{ '480i': 0x00, '2160p': 0x90, '480p': 0xa0, '1080i': 0xb0, '720p': 0xc0, '240p': 0xd0, '1080p': 0xe0 },
  ...{ '4320p': 0x80 },
};
/** 16:9 without pan vectors: the guide keeps no aspect ratio. */
const WIDE = 3;

/** Mirakurun's enumeration; other languages are `etc`. */
const LANGUAGES = ['jpn', 'eng', 'deu', 'fra', 'ita', 'rus', 'zho', 'kor', 'spa'] as const;
const DEFAULT_AUDIO = {
  ...{ componentType: 3, componentTag: 0x10, isMain: true, samplingRate: 48_000, langs: ['jpn'] },
};

function audioOf({ componentType, componentTag, main, languages }: AudioComponent) {
  const known = languages.map((one) => LANGUAGES.find((code) => code === one.toLowerCase()) ?? 'etc');
  const langs = known.length === 0 ? ['jpn'] : known;
  return { componentType, componentTag, isMain: main, samplingRate: 48_000, langs };
}

function videoOf({ videoType, videoResolution }: ProgramRecord) {
  if (videoType === null) return undefined;
  const lines = LINES[videoResolution ?? ''];
  return {
    type: videoType,
    ...(videoResolution === null ? {} : { resolution: videoResolution }),
    streamContent: STREAM_CONTENT[videoType] ?? 1,
    ...(lines === undefined ? {} : { componentType: lines | WIDE }),
  };
}

function seriesOf({ id, repeat, pattern, expiresAt, episode, lastEpisode, name }: ProgramSeries) {
  return {
    ...{ id, repeat, pattern, expiresAt: expiresAt ?? -1, episode: episode ?? 0 },
    ...{ lastEpisode: lastEpisode ?? 0, name },
  };
}

interface RelatedItem {
  type: ProgramRelation;
  networkId?: NetworkId;
  serviceId: ServiceId;
  eventId: EventId;
}

/**
 * Clients keep a programme that has related items only if it is a movement, or if a `shared` item names the programme
 * itself. So such an item is added, except to the copy of a programme on a sub-channel, which must not be listed twice.
 */
function relatedItemsOf(
  program: ProgramRecord,
  own: { networkId: NetworkId; serviceId: ServiceId },
  isListed: (id: StationId) => boolean,
): RelatedItem[] {
  const { groups, eventId } = program;
  const isOwn = (item: RelatedItem): boolean =>
    item.type === 'shared' &&
    item.serviceId === own.serviceId &&
    item.eventId === eventId &&
    (item.networkId ?? own.networkId) === own.networkId;
  const others = groups
    .flatMap(({ type, events }) => events.map((event): RelatedItem => ({ type, ...event })))
    .filter((item) => !isOwn(item));
  if (groups.length === 0) return [];
  const isCopy = mainStationOf(program, isListed) !== undefined;
  return isCopy ? others : [{ type: 'shared', ...own, eventId }, ...others];
}

/** @param isListed stations of the list */
export function toProgram(program: ProgramRecord, isListed: (id: StationId) => boolean) {
  const { id, eventId, stationId, startAt, endAt, openEnd, isFree, name, description } = program;
  const own = splitStationId(stationId);
  if (own === undefined) throw new Error('a stored station has a valid id');
  const { genres, audios, extended, series } = program;
  const video = videoOf(program);
  const relatedItems = relatedItemsOf(program, own, isListed);
  return {
    ...{ id, eventId, serviceId: own.serviceId, networkId: own.networkId, startAt },
    // Undefined in the broadcast: Mirakurun's clients know this value.
    duration: openEnd ? 1 : endAt - startAt,
    isFree,
    ...(name === '' ? {} : { name }),
    ...(description === '' ? {} : { description }),
    ...(genres.length === 0
      ? {}
      : { genres: genres.map(({ lv1, lv2 }) => ({ lv1, lv2, un1: 0xf, un2: 0xf })) }),
    ...(video === undefined ? {} : { video }),
    audios: audios.length === 0 ? [DEFAULT_AUDIO] : audios.map(audioOf),
    ...(extended === null || Object.keys(extended).length === 0 ? {} : { extended }),
    ...(relatedItems.length === 0 ? {} : { relatedItems }),
    ...(series === null ? {} : { series: seriesOf(series) }),
  };
}

interface TunerClient {
  readonly id: string;
  readonly agent: string | null;
  readonly url: string;
  readonly decode: boolean;
}

/** @param clientOf the client of this interface behind a use of the agent */
export function toTuner(
  { name, types, users, disabled, state }: Tuner,
  index: number,
  clientOf: (use: string) => TunerClient | undefined,
) {
  const isFault = state === 'error';
  const isAvailable = !disabled && !isFault;
  return {
    ...{ index, name, types, command: '', pid: 0 },
    users: users.map(({ use, priority }) => {
      const client = clientOf(use);
      if (client === undefined) return { id: use, priority, agent: 'svc' };
      const { id, agent, url, decode } = client;
      return { id, priority, ...(agent === null ? {} : { agent }), url, disableDecoder: !decode };
    }),
    ...{ isAvailable, isRemote: false, isFree: isAvailable && users.length === 0 },
    ...{ isUsing: users.length > 0, isFault },
  };
}
