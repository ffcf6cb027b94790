/**
 * The stations whose guide is kept, and the state of their present/following tables. A station is a network and a
 * service: one service_id may occur in two networks.
 */
import type { NetworkId, ServiceId, StationId } from '../../arib/ids.ts';
import type { VisitedStation } from './guide-messages.ts';
import { StationPresent } from './merge/station-present.ts';

export interface KnownStation {
  station: VisitedStation;
  present: StationPresent;
}

function keyOf(networkId: NetworkId, serviceId: ServiceId): number {
  return networkId * 0x10000 + serviceId;
}

export class KnownStations {
  #byKey = new Map<number, KnownStation>();
  #byId = new Map<StationId, KnownStation>();

  /** State of stations that stay is kept. */
  replace(stations: readonly VisitedStation[]): void {
    const before = this.#byId;
    const known = stations.map(
      (station) => before.get(station.id) ?? { station, present: new StationPresent(station) },
    );
    this.#byId = new Map(known.map((each) => [each.station.id, each]));
    this.#byKey = new Map(known.map((each) => [keyOf(each.station.networkId, each.station.serviceId), each]));
  }

  find(networkId: NetworkId, serviceId: ServiceId): KnownStation | undefined {
    return this.#byKey.get(keyOf(networkId, serviceId));
  }

  get(id: StationId): KnownStation | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<KnownStation> {
    return this.#byId.values();
  }
}
