/** The guide of a station, whichever way its scenario gives it. */
import { type ChannelPlan, isPartialReception, type Scenario, type StationPlan } from '../scenario/model.ts';
import { listedGuide } from './listed.ts';
import type { Guide } from './programme.ts';
import { Timetable } from './timetable.ts';

/** A one-segment service shows what the first station of its channel does. */
export function guideOf(scenario: Scenario, channel: ChannelPlan, station: StationPlan): Guide {
  if (station.programmes !== 'generated') return listedGuide(station.programmes, station.audios);
  const [main = station] = channel.stations;
  return new Timetable(scenario.seed, isPartialReception(station) ? main : station, station.audios);
}
