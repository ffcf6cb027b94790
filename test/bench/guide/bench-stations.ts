/**
 * A large household: 120 stations whose programmes are those of the synthetic broadcaster's default scenario,
 * each set shifted to another time, so that no two stations have the same programmes.
 */
import {
  type BroadcastType,
  networkId,
  type StationId,
  serviceId,
  stationId,
  transportStreamId,
} from '../../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../../lib/arib/time.ts';
import type { Channel } from '../../../lib/wire/agent.ts';
import { eventStations } from '../../../synth/broadcast.ts';
import type { Guide, Programme } from '../../../synth/guide/programme.ts';
import { loadScenario } from '../../../synth/scenario/load.ts';
import { isPartialReception } from '../../../synth/scenario/model.ts';
import type { EventStation } from '../../../synth/si/eit.ts';

const DAY_MS = 86_400_000;
/** Time between two sets of programmes. */
const SHIFT_MS = 28 * DAY_MS;
const COUNTS: Readonly<Record<BroadcastType, number>> = { GR: 24, BS: 36, CS: 60 };
const STATIONS_A_CHANNEL = 3;
const FIRST_GR_NETWORK = 0x7f00;
const BS_NETWORK = 4;
const CS_NETWORK = 6;
const DIGITAL_TV = 0x01;

export interface BenchStation {
  readonly id: StationId;
  readonly type: BroadcastType;
  readonly channel: string;
  readonly network: number;
  readonly service: number;
  readonly transportStream: number;
  readonly name: string;
  readonly events: EventStation;
}

/** The guide shifted by `shift`. */
function shifted(guide: Guide, shift: number): Guide {
  const there = (at: BroadcastMs): BroadcastMs => broadcastMs(at + shift);
  const back = <P extends Programme | undefined>(programme: P): P =>
    programme === undefined ? programme : { ...programme, startAt: broadcastMs(programme.startAt - shift) };
  return {
    days: guide.days,
    starting: (from, to, at) => guide.starting(there(from), there(to), there(at)).map(back),
    present: (at) => back(guide.present(there(at))),
    following: (at) => back(guide.following(there(at))),
    airing: (from, to) => guide.airing(there(from), there(to)).map(back),
    presentChanges: (at) => guide.presentChanges(there(at)),
    revisions: (at) => guide.revisions(there(at)),
  };
}

function place(type: BroadcastType, index: number) {
  const channelIndex = Math.floor(index / STATIONS_A_CHANNEL);
  switch (type) {
    case 'GR':
      return {
        channel: `T${13 + channelIndex}`,
        network: FIRST_GR_NETWORK + channelIndex,
        service: 1024 + index * 8,
      };
    case 'BS': {
      const transponder = String(1 + 2 * Math.floor(channelIndex / 4)).padStart(2, '0');
      return { channel: `BS${transponder}_${channelIndex % 4}`, network: BS_NETWORK, service: 101 + index };
    }
    case 'CS': {
      const transponder = String(2 + 2 * channelIndex).padStart(2, '0');
      return { channel: `CS${transponder}`, network: CS_NETWORK, service: 201 + index };
    }
  }
}

export function benchStations(): BenchStation[] {
  const scenario = loadScenario('default');
  const models = scenario.channels
    .flatMap((channel) => eventStations(scenario, channel))
    .filter(({ place: { plan } }) => !isPartialReception(plan));
  const types: BroadcastType[] = ['GR', 'BS', 'CS'];
  const wanted = types.flatMap((type) =>
    Array.from({ length: COUNTS[type] }, (_, index) => ({ type, index })),
  );
  return wanted.map(({ type, index }, number) => {
    const model = models[number % models.length];
    if (model === undefined) throw new Error('the scenario has no stations');
    const { channel, network, service } = place(type, index);
    const transportStream = 0x4000 + Math.floor(number / STATIONS_A_CHANNEL);
    const shift = Math.floor(number / models.length) * SHIFT_MS;
    return {
      id: stationId(networkId(network), serviceId(service)),
      type,
      channel,
      network,
      service,
      transportStream,
      name: `${model.place.plan.name}${number}`,
      events: {
        channel: {
          ...model.channel,
          networkId: networkId(network),
          transportStreamId: transportStreamId(transportStream),
        },
        place: { ...model.place, plan: { ...model.place.plan, serviceId: serviceId(service) } },
        guide: shifted(model.guide, shift),
      },
    };
  });
}

/** As the agent lists them after a scan. */
export function benchChannels(stations: readonly BenchStation[]): Channel[] {
  const channels = new Map<string, Channel>();
  for (const station of stations) {
    const known = channels.get(station.channel) ?? {
      type: station.type,
      channel: station.channel,
      tsid: station.transportStream,
      networkId: station.network,
      stations: [],
    };
    known.stations.push({
      serviceId: station.service,
      name: station.name,
      serviceType: DIGITAL_TV,
      remoteControlKey: station.type === 'GR' ? 1 + (station.service % 12) : null,
    });
    channels.set(station.channel, known);
  }
  return [...channels.values()];
}
