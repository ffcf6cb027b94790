/**
 * Realistic EIT sections: those that the synthetic broadcaster sends in its default scenario on one day,
 * present/following and eight days of schedules of all its stations, basic and extended.
 */
import { type BroadcastMs, broadcastMs } from '../../../lib/arib/time.ts';
import { eventStations } from '../../../synth/broadcast.ts';
import { loadScenario } from '../../../synth/scenario/load.ts';
import { isPartialReception } from '../../../synth/scenario/model.ts';
import {
  type EventStation,
  liveSegments,
  presentFollowing,
  type ScheduleKind,
  scheduleSections,
} from '../../../synth/si/eit.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 3, 0, 0));
const KINDS: readonly ScheduleKind[] = ['basic', 'extended'];

function stationSections(station: EventStation, at: BroadcastMs): Uint8Array[] {
  const segments = liveSegments(at, station.guide.days);
  return [
    ...presentFollowing(station, 'actual', at),
    ...KINDS.flatMap((schedule) =>
      segments.flatMap((segment) => scheduleSections(station, { kind: 'actual', schedule, at }, segment)),
    ),
  ];
}

export function guideSections(): Uint8Array[] {
  const scenario = loadScenario('default');
  return scenario.channels
    .flatMap((channel) => eventStations(scenario, channel))
    .filter(({ place }) => !isPartialReception(place.plan))
    .flatMap((station) => stationSections(station, AT));
}
