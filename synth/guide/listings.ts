/** The guides of all stations of a scenario, and the lookup of programmes on other stations. */
import type { EventId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Scenario, StationPlan, StationReference } from '../scenario/model.ts';
import { Chronicle } from './chronicle.ts';
import type { Links, StationOfChannel } from './links.ts';
import { listedStretches } from './listed.ts';
import type { EventGroup, EventLink } from './programme.ts';
import type { Slots } from './slots.ts';
import { type Timetables, WeeklyStretches } from './weekly.ts';

class Listings implements Timetables, Links {
  readonly #chronicles = new Map<StationPlan, Chronicle>();
  readonly #weekly = new Map<StationPlan, WeeklyStretches>();

  constructor(readonly scenario: Scenario) {}

  guide(place: StationOfChannel): Chronicle {
    const known = this.#chronicles.get(place.station);
    if (known !== undefined) return known;
    const { programmes } = place.station;
    const made = new Chronicle(
      typeof programmes === 'string' ? this.weekly(place) : listedStretches(programmes, place, this),
    );
    this.#chronicles.set(place.station, made);
    return made;
  }

  /** The timetable of a station with generated programmes. */
  weekly(place: StationOfChannel): WeeklyStretches {
    const known = this.#weekly.get(place.station);
    if (known !== undefined) return known;
    const made = new WeeklyStretches(place, this);
    this.#weekly.set(place.station, made);
    return made;
  }

  slotsOf(place: StationOfChannel): Slots {
    return this.weekly(place).slots;
  }

  find(from: StationOfChannel, { networkId, serviceId }: StationReference): StationOfChannel | undefined {
    for (const channel of this.scenario.channels) {
      if (networkId === undefined ? channel !== from.channel : channel.networkId !== networkId) continue;
      const station = channel.stations.find((one) => one.serviceId === serviceId);
      if (station !== undefined) return { channel, station };
    }
    return undefined;
  }

  /** The event planned on a station at a moment. */
  plannedAt(place: StationOfChannel, at: BroadcastMs): EventId | undefined {
    return place.station.programmes === 'none' ? undefined : this.guide(place).plannedAt(at);
  }

  /** The group that leads to, or back from, the event planned there at a moment; empty if there is none. */
  relay(
    direction: 'relay' | 'movement',
    from: StationOfChannel,
    to: StationReference,
    at: BroadcastMs,
  ): EventGroup[] {
    const place = this.find(from, to);
    const eventId = place === undefined ? undefined : this.plannedAt(place, at);
    if (place === undefined || eventId === undefined) return [];
    const link: EventLink = { serviceId: place.station.serviceId, eventId };
    if (place.channel === from.channel) return [{ kind: direction, events: [link], others: [] }];
    const { networkId, transportStreamId } = place.channel;
    return [
      { kind: `${direction}-network`, events: [], others: [{ networkId, transportStreamId, ...link }] },
    ];
  }
}

const listings = new WeakMap<Scenario, Listings>();

export function listingsOf(scenario: Scenario): Listings {
  const known = listings.get(scenario);
  if (known !== undefined) return known;
  const made = new Listings(scenario);
  listings.set(scenario, made);
  return made;
}
