/** The guide of a station, whichever way its scenario gives it. */
import type { Scenario, StationPlan } from '../scenario/model.ts';
import { listedGuide } from './listed.ts';
import type { Guide } from './programme.ts';
import { timetable } from './timetable.ts';

export function guideOf(scenario: Scenario, station: StationPlan): Guide {
  if (station.programmes !== 'generated') return listedGuide(station.programmes);
  return timetable(scenario.seed, station);
}
