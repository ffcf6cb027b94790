/**
 * The effect of an import of the agent's channels on the known stations: a pure function. Stations are hidden as soon
 * as an import lacks them, and forgotten after a long absence; a station that was listed is never deleted, unless it
 * turned out not to be television.
 */
import { isDeepStrictEqual } from 'node:util';
import { networkId, type StationId, serviceId, stationId, transportStreamId } from '../../lib/arib/ids.ts';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { plainName } from '../../lib/host/plain-name.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import { isWorthListing, type KnownStation, type StationRecord } from '../model/station.ts';
import type { StationChanges } from '../store/station-store.ts';

/**
 * Which of the agent's stations the service lists: a pure function of its channel definitions.
 * The stations to list, in the order of the channels. A station on several channels (relay transmitters) is taken
 * from the first. The remote-control key of satellite stations is their service id, and so is that of a terrestrial
 * station whose key is unknown: it sorts last.
 */
export function stationsOfChannels(channels: readonly Channel[]): StationRecord[] {
  const stations = new Map<number, StationRecord>();
  for (const channel of channels) {
    for (const station of channel.stations) {
      const service = serviceId(station.serviceId);
      if (channel.networkId === null || !isWorthListing(channel.type, service, station.serviceType)) continue;
      const network = networkId(channel.networkId);
      const id = stationId(network, service);
      if (stations.has(id)) continue;
      const key = channel.type === 'GR' ? (station.remoteControlKey ?? service) : service;
      stations.set(id, {
        id,
        type: channel.type,
        networkId: network,
        serviceId: service,
        transportStreamId: channel.tsid === null ? null : transportStreamId(channel.tsid),
        channel: channel.channel,
        name: plainName(station.name),
        serviceType: station.serviceType,
        remoteControlKey: key,
      });
    }
  }
  return [...stations.values()];
}

interface ImportInput {
  known: readonly KnownStation[];
  channels: readonly Channel[];
  /** When an import first lacked a station, by the monotonic clock, so that a clock step forgets nothing. */
  absentSince: ReadonlyMap<StationId, MonotonicMs>;
  now: MonotonicMs;
  forgetAfterMs: number;
}

export interface ImportDecision extends StationChanges {
  put: StationRecord[];
  hide: StationId[];
  retype: { id: StationId; serviceType: number }[];
  /** Absent for long enough: their guide and reservations are deleted once. */
  forget: StationId[];
  /** Not television, and forgotten: deleted if nothing refers to them. */
  discard: StationId[];
  absentSince: Map<StationId, MonotonicMs>;
}

function recordOf({ hidden: _hidden, forgotten: _forgotten, ...record }: KnownStation): StationRecord {
  return record;
}

/** Services of the channels that are not watchable, with their type. */
function otherServices(channels: readonly Channel[]): Map<StationId, number> {
  const others = new Map<StationId, number>();
  for (const { type, networkId: network, stations } of channels) {
    for (const station of network === null ? [] : stations) {
      const service = serviceId(station.serviceId);
      if (isWorthListing(type, service, station.serviceType)) continue;
      others.set(stationId(networkId(network ?? 0), service), station.serviceType);
    }
  }
  return others;
}

/**
 * Undefined if the channels contain no station to list: then the agent was never scanned or lost its file;
 * broadcasting has not ended. Nothing is changed then, and no absence is counted.
 */
export function decideImport(input: ImportInput): ImportDecision | undefined {
  const found = stationsOfChannels(input.channels);
  if (found.length === 0) return undefined;
  const known = new Map(input.known.map((station) => [station.id, station]));
  const listed = new Set(found.map((station) => station.id));
  const put = found.filter((station) => {
    const before = known.get(station.id);
    return before === undefined || before.hidden || !isDeepStrictEqual(recordOf(before), station);
  });
  const others = otherServices(input.channels);
  const decision: ImportDecision = {
    put,
    hide: [],
    retype: [],
    forget: [],
    discard: [],
    absentSince: new Map(),
  };
  for (const station of input.known) {
    if (!listed.has(station.id)) decideAbsent(station, others.get(station.id), input, decision);
  }
  return decision;
}

/** @param otherType the service's current type, if the import has it as not watchable */
function decideAbsent(
  station: KnownStation,
  otherType: number | undefined,
  input: ImportInput,
  decision: ImportDecision,
): void {
  const { id } = station;
  if (otherType !== undefined && otherType !== station.serviceType) {
    decision.retype.push({ id, serviceType: otherType });
  } else if (!station.hidden) decision.hide.push(id);
  const isTelevision = isWorthListing(station.type, station.serviceId, otherType ?? station.serviceType);
  if (station.forgotten) {
    if (!isTelevision) decision.discard.push(id);
    return;
  }
  const since = input.absentSince.get(id) ?? input.now;
  decision.absentSince.set(id, since);
  if (input.now - since >= input.forgetAfterMs) decision.forget.push(id);
}
