/** The guide of a station, whichever way its scenario gives it. */
import type { ChannelPlan, Scenario, StationPlan } from '../scenario/model.ts';
import { listingsOf } from './listings.ts';
import type { Guide } from './programme.ts';
import { SILENT_GUIDE } from './silent.ts';

/** The same object for every asker, so that what was worked out once is known. */
export function guideOf(scenario: Scenario, channel: ChannelPlan, station: StationPlan): Guide {
  if (station.programmes === 'none') return SILENT_GUIDE;
  return listingsOf(scenario).guide({ channel, station });
}
