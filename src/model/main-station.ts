/** Which station shows the same programme under a lower number: its sub-channels need no column of their own then. */
import { type StationId, stationId } from '../../lib/arib/ids.ts';
import type { ProgramRecord } from './program.ts';

/**
 * The main station of a programme that is shared within a network: among the stations of its event group the one with
 * the lowest service id, if that is lower than its own. ARIB STD-B10 Part 2, 6.2.34, group_type 1; the main service
 * of a broadcaster has the lowest service id, ARIB TR-B14 Vol. 4.
 * @param isListed stations that can be shown instead
 * @returns undefined if the programme is the station's own
 */
export function mainStationOf(
  { stationId: own, groups }: Pick<ProgramRecord, 'stationId' | 'groups'>,
  isListed: (id: StationId) => boolean,
): StationId | undefined {
  // Most programmes share nothing.
  if (groups.length === 0) return undefined;
  let main: StationId | undefined;
  for (const { type, events } of groups) {
    if (type !== 'shared') continue;
    for (const { networkId, serviceId } of events) {
      const id = stationId(networkId, serviceId);
      const isSameNetwork = Math.floor(id / 100_000) === Math.floor(own / 100_000);
      if (isSameNetwork && id < (main ?? own) && isListed(id)) main = id;
    }
  }
  return main;
}
