/** The guide of a station, generated or listed in its scenario. */
import type { ChannelPlan, Scenario, StationPlan } from '../scenario/model.ts';
import { listingsOf } from './listings.ts';
import type { Guide } from './programme.ts';

/** The guide of a station that announces event tables and sends none. */
const SILENT_GUIDE: Guide = {
  days: 0,
  starting: () => [],
  present: () => undefined,
  following: () => undefined,
  airing: () => [],
  presentChanges: () => 0,
  revisions: () => 0,
};

/** Always the same object for a station, so that its caches are shared. */
export function guideOf(scenario: Scenario, channel: ChannelPlan, station: StationPlan): Guide {
  if (station.programmes === 'none') return SILENT_GUIDE;
  return listingsOf(scenario).guide({ channel, station });
}
