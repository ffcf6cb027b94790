/**
 * Converts `channels.yml` of Mirakurun to the channel table: an entry there is a station, here a physical channel
 * with its stations.
 */
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import { SATELLITE_STREAMS } from '../../lib/arib/satellite-streams.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import { channelNameForm, parseChannelName } from '../channel-name.ts';
import { type Entry, entryName, type ImportNote, isDisabled, readEntries, textOf } from './mirakurun-file.ts';

interface ImportedChannels {
  readonly channels: Channel[];
  readonly notes: ImportNote[];
}

/** Limit of `ChannelsSchema`. */
const MAX_CHANNELS = 512;
const MAX_STATIONS = 256;
const MAX_NAME = 256;
const BS_NETWORK_ID = 4;
const TELEVISION = 0x01;

/** @throws ImportFailure if the file is not a list of entries */
export function readMirakurunChannels(text: string, file: string): ImportedChannels {
  const channels = new Map<string, Channel>();
  const notes: ImportNote[] = [];
  let disabled = 0;
  for (const [index, entry] of readEntries(text, file).entries()) {
    const name = entryName(entry, index);
    const type = BROADCAST_TYPES.find((one) => one === entry.type);
    if (isDisabled(entry)) disabled += 1;
    else if (type === undefined) {
      notes.push({ entry: name, text: `取り込めません。type が GR・BS・CS のどれでもありません` });
    } else {
      const problem = addChannel(channels, type, entry);
      if (problem !== undefined) notes.push({ entry: name, text: `取り込めません。${problem}` });
    }
  }
  if (disabled > 0) notes.push({ entry: `${disabled} 件`, text: '無効 (isDisabled) なので取り込みません' });
  return { channels: [...channels.values()], notes };
}

/** @returns the reason if it cannot be added */
function addChannel(channels: Map<string, Channel>, type: BroadcastType, entry: Entry): string | undefined {
  const text = textOf(entry, 'channel') ?? '';
  const channel = channelName(type, text);
  if (channel === undefined)
    return `channel "${text.slice(0, 32)}" は ${channelNameForm(type)} にあたりません`;
  const key = `${type}/${channel}`;
  let known = channels.get(key);
  if (known === undefined) {
    if (channels.size >= MAX_CHANNELS) return `チャンネルは ${MAX_CHANNELS} 件までです`;
    known = { type, channel, ...idsOf(type, channel), stations: [] };
    channels.set(key, known);
  }
  addStation(known, entry);
  return undefined;
}

/** Names in Mirakurun's channel lists: `27`, `C13` (cable, unsupported), `BS1_0`, `CS2`, `ND02`. */
export function channelName(type: BroadcastType, text: string): string | undefined {
  const [, prefix = '', digits = '', slot = ''] = /^([A-Za-z]*)(\d{1,3})(_\d)?$/.exec(text) ?? [];
  const accepted: Record<BroadcastType, readonly string[]> = {
    GR: ['', 'T', 'GR'],
    BS: ['BS'],
    CS: ['CS', 'ND'],
  };
  if (!accepted[type].includes(prefix.toUpperCase())) return undefined;
  const names: Record<BroadcastType, string> = { GR: 'T', BS: 'BS', CS: 'CS' };
  return parseChannelName(type, `${names[type]}${String(Number(digits)).padStart(2, '0')}${slot}`);
}

/** Those of terrestrial channels are only known from the broadcast. */
function idsOf(type: BroadcastType, channel: string): Pick<Channel, 'tsid' | 'networkId'> {
  const known = SATELLITE_STREAMS.find((stream) => stream.type === type && stream.channel === channel);
  if (known !== undefined) return { tsid: known.transportStreamId, networkId: known.networkId };
  return { tsid: null, networkId: type === 'BS' ? BS_NETWORK_ID : null };
}

/** Without a network a station has no id; a scan finds it. */
function addStation(channel: Channel, entry: Entry): void {
  const serviceId = Number(textOf(entry, 'serviceId'));
  const name = textOf(entry, 'name')?.slice(0, MAX_NAME);
  if (channel.networkId === null || name === undefined || channel.stations.length >= MAX_STATIONS) return;
  if (!Number.isInteger(serviceId) || serviceId < 1 || serviceId > 0xffff) return;
  if (channel.stations.some((station) => station.serviceId === serviceId)) return;
  channel.stations.push({ serviceId, name, serviceType: TELEVISION, remoteControlKey: null });
}
