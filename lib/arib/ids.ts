/**
 * The identifiers of a broadcast and of the service's own resources, as branded numbers. The only place where they
 * are composed and split. A plain number cannot become an id by accident.
 */

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** 13-bit packet identifier, ISO/IEC 13818-1 2.4.3.2. */
export type Pid = Branded<number, 'Pid'>;
/** 16-bit network_id (also original_network_id), ARIB STD-B10 Part 2, 5.2.4. */
export type NetworkId = Branded<number, 'NetworkId'>;
/** 16-bit transport_stream_id, ISO/IEC 13818-1 2.4.4.5. */
export type TransportStreamId = Branded<number, 'TransportStreamId'>;
/** 16-bit service_id = program_number of the PAT. */
export type ServiceId = Branded<number, 'ServiceId'>;
/** 16-bit event_id, unique in a service for the days that the guide covers. */
export type EventId = Branded<number, 'EventId'>;
/** networkId * 100000 + serviceId: the permanent id of a station in the database and the API. */
export type StationId = Branded<number, 'StationId'>;
/** stationId * 100000 + event_id: a programme in the guide and the API. */
export type ProgramId = Branded<number, 'ProgramId'>;

const STATION_BASE = 100_000;
const PROGRAM_BASE = 100_000;
const MAX_U16 = 0xffff;
const MAX_PID = 0x1fff;

function inRange(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

function check(value: number, max: number, name: string): void {
  if (!inRange(value, max)) throw new RangeError(`${name} out of range: ${value}`);
}

/** @throws RangeError unless 0..0x1fff. */
export function pid(value: number): Pid {
  check(value, MAX_PID, 'pid');
  return value as Pid;
}

/** @throws RangeError unless 0..0xffff. */
export function networkId(value: number): NetworkId {
  check(value, MAX_U16, 'networkId');
  return value as NetworkId;
}

/** @throws RangeError unless 0..0xffff. */
export function transportStreamId(value: number): TransportStreamId {
  check(value, MAX_U16, 'transportStreamId');
  return value as TransportStreamId;
}

/** @throws RangeError unless 0..0xffff. */
export function serviceId(value: number): ServiceId {
  check(value, MAX_U16, 'serviceId');
  return value as ServiceId;
}

/** @throws RangeError unless 0..0xffff. */
export function eventId(value: number): EventId {
  check(value, MAX_U16, 'eventId');
  return value as EventId;
}

export function stationId(network: NetworkId, service: ServiceId): StationId {
  return (network * STATION_BASE + service) as StationId;
}

export function programId(station: StationId, event: EventId): ProgramId {
  return (station * PROGRAM_BASE + event) as ProgramId;
}

/** The parts of a station id; undefined if the number cannot be one. */
export function splitStationId(value: number): { networkId: NetworkId; serviceId: ServiceId } | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined;
  const network = Math.floor(value / STATION_BASE);
  const service = value % STATION_BASE;
  if (!inRange(network, MAX_U16) || !inRange(service, MAX_U16)) return undefined;
  return { networkId: network as NetworkId, serviceId: service as ServiceId };
}

/** The parts of a programme id; undefined if the number cannot be one. */
export function splitProgramId(value: number): { stationId: StationId; eventId: EventId } | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined;
  const station = Math.floor(value / PROGRAM_BASE);
  const event = value % PROGRAM_BASE;
  if (splitStationId(station) === undefined || !inRange(event, MAX_U16)) return undefined;
  return { stationId: station as StationId, eventId: event as EventId };
}

/** The broadcast types that households receive. */
export const BROADCAST_TYPES = ['GR', 'BS', 'CS'] as const;
export type BroadcastType = (typeof BROADCAST_TYPES)[number];

/**
 * The type that a network_id belongs to, ARIB TR-B14/TR-B15: 4 is BS, 6 and 7 the 110-degree CS networks,
 * 0x7880..0x7FE8 terrestrial. Undefined for networks that households do not receive this way.
 */
export function broadcastTypeOf(network: NetworkId): BroadcastType | undefined {
  if (network === 4) return 'BS';
  if (network === 6 || network === 7) return 'CS';
  if (network >= 0x7800 && network <= 0x7fef) return 'GR';
  return undefined;
}
