/** The guide of a station, generated or listed in its scenario. */
import type { ChannelPlan, Scenario, StationPlan } from '../scenario/model.ts';
import { listingsOf } from './listings.ts';
import type { Guide } from './programme.ts';
import { SILENT_GUIDE } from './silent.ts';

/** Always the same object for a station, so that its caches are shared. */
export function guideOf(scenario: Scenario, channel: ChannelPlan, station: StationPlan): Guide {
  if (station.programmes === 'none') return SILENT_GUIDE;
  return listingsOf(scenario).guide({ channel, station });
}
