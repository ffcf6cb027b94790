/** Whether the stations of the region are still to be found by a channel scan. Pure. */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';

export function isUsable(tuner: Tuner): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.state !== 'error';
}

/**
 * Satellite stations are known without a scan; terrestrial ones differ by region.
 *
 * @param known of the stations
 */
export function needsScan(tuners: readonly Tuner[], known: ReadonlySet<BroadcastType>): boolean {
  if (known.size === 0) return true;
  return !known.has('GR') && tuners.some((tuner) => isUsable(tuner) && tuner.types.includes('GR'));
}
