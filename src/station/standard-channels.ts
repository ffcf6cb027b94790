/**
 * The satellite stations that can be received everywhere in the country. They are stored with the agent for a type that
 * has no station at all, until a scan replaces them, and shown to a household with a tuner for that type.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { SATELLITE_STREAMS } from '../../lib/arib/satellite-streams.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import { stationsOfChannels } from './station-changes.ts';

/**
 * The main station of each stream, by transport_stream_id; the streams' other services are found by a scan. Of BS two
 * lists of 2025 and 2026 agree in every row, of CS there is one of 2026.
 */
const MAIN_STATIONS: readonly (readonly [stream: number, serviceId: number, name: string])[] = [
  [0x4010, 151, 'BS朝日'],
  [0x4011, 161, 'BS-TBS'],
  [0x4012, 171, 'BSテレ東'],
  [0x4030, 191, 'WOWOWプライム'],
  [0x4631, 236, 'BSアニマックス'],
  [0x4632, 251, 'BS釣りビジョン'],
  [0x4450, 192, 'WOWOWライブ'],
  [0x4451, 193, 'WOWOWシネマ'],
  [0x4090, 211, 'BS11'],
  [0x4092, 222, 'BS12トゥエルビ'],
  [0x40d0, 141, 'BS日テレ'],
  [0x40d1, 181, 'BSフジ'],
  [0x46d2, 231, '放送大学テレビ'],
  [0x40f1, 101, 'NHK BS'],
  [0x40f2, 201, 'BS10スターチャンネル'],
  [0x48f3, 200, 'BS10'],
  [0x4730, 245, 'J SPORTS 4'],
  [0x4731, 242, 'J SPORTS 1'],
  [0x4732, 243, 'J SPORTS 2'],
  [0x4733, 244, 'J SPORTS 3'],
  [0x4750, 252, 'WOWOWプラス'],
  [0x4751, 255, '日本映画専門チャンネル'],
  [0x4752, 234, 'グリーンチャンネル'],
  [0x4770, 256, 'ディズニー・チャンネル'],
  [0x4971, 265, 'BSよしもと'],
  [0x4973, 260, 'J:COM BS'],
  [0x6020, 296, 'TBSチャンネル1'],
  [0x7040, 250, 'スカイA'],
  [0x7060, 294, 'ホームドラマチャンネル'],
  [0x6080, 55, 'ショップチャンネル'],
  [0x60a0, 219, '衛星劇場'],
  [0x70c0, 254, 'GAORA'],
  [0x70e0, 293, 'ファミリー劇場'],
  [0x7100, 333, 'AT-X'],
  [0x7120, 240, 'ムービープラス'],
  [0x7140, 307, 'フジテレビONE'],
  [0x7160, 161, 'QVC'],
  [0x7180, 257, '日テレジータス'],
];

const TELEVISION = 0x01;
const SATELLITES = ['BS', 'CS'] as const;

export function standardChannels(type: BroadcastType): Channel[] {
  return SATELLITE_STREAMS.filter((stream) => stream.type === type).map(
    ({ channel, transportStreamId, networkId }) => ({
      type,
      channel,
      tsid: transportStreamId,
      networkId,
      stations: MAIN_STATIONS.filter(([stream]) => stream === transportStreamId).map(
        ([, serviceId, name]) => ({
          serviceId,
          name,
          serviceType: TELEVISION,
          remoteControlKey: null,
        }),
      ),
    }),
  );
}

function missingTypes(channels: readonly Channel[]): BroadcastType[] {
  const known = new Set(stationsOfChannels(channels).map((station) => station.type));
  return SATELLITES.filter((type) => !known.has(type));
}

/**
 * The agent's table with the standard stations of every satellite type that has no station; undefined if there is
 * nothing to add.
 */
export function withStandardChannels(channels: readonly Channel[]): Channel[] | undefined {
  const missing = missingTypes(channels);
  if (missing.length === 0) return undefined;
  return [
    ...channels.filter((channel) => !missing.includes(channel.type)),
    ...missing.flatMap((type) => standardChannels(type)),
  ];
}

/** Whether the channel is a row of the standard table, which no scan has replaced. */
function isStandard({ type, channel, tsid, stations }: Channel): boolean {
  const [only, ...others] = stations;
  if (only === undefined || others.length > 0) return false;
  const row = STANDARD.get(`${type} ${channel}`);
  const [own] = row?.stations ?? [];
  return row?.tsid === tsid && own?.serviceId === only.serviceId && own.name === only.name;
}

const STANDARD: ReadonlyMap<string, Channel> = new Map(
  SATELLITES.flatMap((type) => standardChannels(type)).map((row) => [`${row.type} ${row.channel}`, row]),
);

export function hasStandard(channels: readonly Channel[]): boolean {
  return channels.some(isStandard);
}

/** Without standard stations of a type that no tuner receives: a household without a dish must not see them. */
export function receivableChannels(channels: readonly Channel[], tuners: readonly Tuner[]): Channel[] {
  const received = new Set(tuners.flatMap(({ types }) => types));
  return channels.filter((channel) => received.has(channel.type) || !isStandard(channel));
}
