/** The guide of a station, whichever way its scenario gives it. */
import type { Scenario, StationPlan } from '../scenario/model.ts';
import { listedGuide } from './listed.ts';
import type { Guide } from './programme.ts';
import { Timetable } from './timetable.ts';

export function guideOf(scenario: Scenario, station: StationPlan): Guide {
  if (station.programmes !== 'generated') return listedGuide(station.programmes);
  return new Timetable(scenario.seed, station);
}
