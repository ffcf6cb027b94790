/** The faults of one channel. */
import type { Disturbance } from '../mux/tables.ts';
import { placeChannel, type StationPlace } from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import type { EventStation } from '../si/eit.ts';
import { FaultyGuide } from './guide.ts';
import { Line, type LineStation } from './line.ts';
import { type Fault, type Faults, faultsOf, isActive } from './model.ts';
import { FaultChanges } from './station-changes.ts';

/** The faults of the scenario first, then those currently in the control file. */
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

/** A station of the channel, with the errors in its present/following tables. */
export function faulty(station: EventStation, faults: Faults): EventStation {
  return { ...station, guide: new FaultyGuide(station.guide, station.place.plan.serviceId, faults) };
}

/** Errors in the tables of a channel. */
export function disturbance(faults: Faults): Disturbance {
  return {
    changes: new FaultChanges(faults),
    timeOffset: (at) =>
      faults.current.reduce(
        (sum, fault) => (fault.kind === 'time' && isActive(fault, at) ? sum + fault.offsetMs : sum),
        0,
      ),
  };
}

function lineStation(place: StationPlace): LineStation {
  const { video, captions, superimpose } = place;
  const audios = place.audios.map(({ pid }) => pid);
  const media = new Set(
    [video.pid, ...audios, captions?.pid, superimpose?.pid].filter((pid) => pid !== undefined),
  );
  const { serviceId } = place.plan;
  return { serviceId, clock: place.pcrPid, audios, captions: captions?.pid ?? null, media };
}

/** The transmission path of a channel's packets to one receiver. */
export function openLine(channel: ChannelPlan, faults: Faults): Line {
  return new Line({ faults, stations: placeChannel(channel).stations.map(lineStation) });
}
