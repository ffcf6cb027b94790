/** Information that one station's guide needs from the others. */
import type { EventId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import {
  type ChannelPlan,
  isPartialReception,
  type StationPlan,
  type StationReference,
} from '../scenario/model.ts';
import type { EventGroup } from './programme.ts';

export interface StationOfChannel {
  channel: ChannelPlan;
  station: StationPlan;
}

export interface Links {
  find(from: StationOfChannel, reference: StationReference): StationOfChannel | undefined;
  /** The event planned on a station at a moment. */
  plannedAt(place: StationOfChannel, at: BroadcastMs): EventId | undefined;
  /** The group that leads to, or back from, the event planned there at a moment; empty if there is none. */
  relay(
    direction: 'relay' | 'movement',
    from: StationOfChannel,
    to: StationReference,
    at: BroadcastMs,
  ): EventGroup[];
}

/** The full station whose programmes a one-segment service shows. */
export function sourceOf(place: StationOfChannel): StationPlan {
  const [main = place.station] = place.channel.stations;
  return isPartialReception(place.station) ? main : place.station;
}
