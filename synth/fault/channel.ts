/** Faults as one channel has them. */
import { placeChannel, type StationPlace } from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import { Line } from './line.ts';
import { type Fault, type Faults, faultsOf } from './model.ts';

/** Those of the scenario first, then those of the control file, whatever they are by then. */
export function channelFaults(planned: readonly Fault[], file: Faults, channel: ChannelPlan): Faults {
  const fixed = faultsOf(planned, channel);
  let seen: readonly Fault[] | undefined;
  let joined: readonly Fault[] = fixed;
  return {
    get current() {
      const { current } = file;
      if (current !== seen) {
        seen = current;
        joined = [...fixed, ...faultsOf(current, channel)];
      }
      return joined;
    },
  };
}

function elementaryPids({ video, audios }: StationPlace): number[] {
  return [video.pid, ...audios.map(({ pid }) => pid)];
}

/** The way of a channel's packets to one receiver. */
export function openLine(channel: ChannelPlan, faults: Faults): Line {
  const { stations } = placeChannel(channel);
  const all = new Set(stations.flatMap(elementaryPids));
  const ofService = new Map(
    stations.map((station) => [station.plan.serviceId as number, new Set(elementaryPids(station))] as const),
  );
  const none: ReadonlySet<number> = new Set();
  return new Line({
    faults,
    mediaPids: (serviceId) => (serviceId === null ? all : (ofService.get(serviceId) ?? none)),
    clockPids: [...new Set(stations.map(({ pcrPid }) => pcrPid))],
  });
}
