/** Tables of networks, services and broadcasters: NIT, SDT, BIT. */
import { type Descriptor, filterDescriptors, findDescriptor, readDescriptors } from '../descriptor/index.ts';
import { type NetworkId, pid, type ServiceId, type TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/** A transport stream of a network, ARIB STD-B10 Part 2, 5.2.4. */
export interface DescribedStream {
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly descriptors: readonly Descriptor[];
}

/** Reads a complete loop; its reader is `exhausted` if a length in it is wrong. */
function readTransportStreams(loop: Reader): DescribedStream[] {
  const streams: DescribedStream[] = [];
  while (loop.remaining > 0) {
    streams.push({
      transportStreamId: loop.u16() as TransportStreamId,
      originalNetworkId: loop.u16() as NetworkId,
      descriptors: readDescriptors(loop.slice(loop.length12())),
    });
  }
  return streams;
}

/** A section of the network information table, ARIB STD-B10 Part 2, 5.2.4. */
export interface Nit {
  /** False: of another network. */
  readonly actual: boolean;
  readonly networkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly descriptors: readonly Descriptor[];
  /** Terrestrial: the only stream; BS and CS: streams of the network, the rest is in the other sections. */
  readonly transportStreams: readonly DescribedStream[];
}

export const NIT_PID = pid(0x0010);
export const NIT_ACTUAL_TABLE_ID = 0x40;
export const NIT_OTHER_TABLE_ID = 0x41;

/** Undefined if the section is not a NIT, is not current yet, or has a wrong length. */
export function parseNit(section: Section): Nit | undefined {
  const actual = section.tableId === NIT_ACTUAL_TABLE_ID;
  if (!actual && section.tableId !== NIT_OTHER_TABLE_ID) return undefined;
  if (!section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const descriptors = readDescriptors(r.slice(r.length12()));
  const loop = r.slice(r.length12());
  const transportStreams = readTransportStreams(loop);
  if (r.exhausted || loop.exhausted) return undefined;
  return {
    actual,
    networkId: section.extension as NetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    descriptors,
    transportStreams,
  };
}

/** A section of the service description table, ARIB STD-B10 Part 2, 5.2.6. */
export interface Sdt {
  /** False: of another transport stream. */
  readonly actual: boolean;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly services: readonly DescribedService[];
}

export interface DescribedService {
  readonly serviceId: ServiceId;
  /** EIT_user_defined_flags: which of the three terrestrial EITs the service has, ARIB TR-B14 Vol. 4. */
  readonly hasHEit: boolean;
  readonly hasMEit: boolean;
  readonly hasLEit: boolean;
  readonly hasSchedule: boolean;
  readonly hasPresentFollowing: boolean;
  /** 3 bits; 0 (not defined) in operation. */
  readonly runningStatus: number;
  /** free_CA_mode: true = pay. Independent of scrambling. */
  readonly pay: boolean;
  readonly descriptors: readonly Descriptor[];
}

export const SDT_PID = pid(0x0011);
export const SDT_ACTUAL_TABLE_ID = 0x42;
export const SDT_OTHER_TABLE_ID = 0x46;

/** Undefined if the section is not an SDT, is not current yet, or has a wrong length. */
export function parseSdt(section: Section): Sdt | undefined {
  const actual = section.tableId === SDT_ACTUAL_TABLE_ID;
  if (!actual && section.tableId !== SDT_OTHER_TABLE_ID) return undefined;
  if (!section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const originalNetworkId = r.u16() as NetworkId;
  r.skip(1); // reserved_future_use 8
  const services: DescribedService[] = [];
  while (r.remaining > 0) services.push(readService(r));
  if (r.exhausted) return undefined;
  return {
    actual,
    transportStreamId: section.extension as TransportStreamId,
    originalNetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    services,
  };
}

function readService(r: Reader): DescribedService {
  const serviceId = r.u16() as ServiceId;
  // reserved 3, H-EIT 1, M-EIT 1, L-EIT 1, EIT_schedule 1, EIT_present_following 1
  const eit = r.u8();
  // running_status 3, free_CA_mode 1, descriptors_loop_length 12
  const tail = r.u16();
  return {
    serviceId,
    hasHEit: (eit & 0x10) !== 0,
    hasMEit: (eit & 0x08) !== 0,
    hasLEit: (eit & 0x04) !== 0,
    hasSchedule: (eit & 0x02) !== 0,
    hasPresentFollowing: (eit & 0x01) !== 0,
    runningStatus: tail >> 13,
    pay: (tail & 0x1000) !== 0,
    descriptors: readDescriptors(r.slice(tail & 0x0fff)),
  };
}

/** A section of the broadcaster information table. ARIB STD-B10 Part 2, 5.2.13; TR-B14, TR-B15 Vol. 4. */
interface Bit {
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  /** broadcast_view_propriety: whether broadcasters should be shown to viewers. */
  readonly showsBroadcasters: boolean;
  /** Of the network. */
  readonly descriptors: readonly Descriptor[];
  readonly broadcasters: readonly Broadcaster[];
}

interface Broadcaster {
  /** broadcaster_id, 8 bits; 0xFF in terrestrial networks. */
  readonly broadcasterId: number;
  readonly descriptors: readonly Descriptor[];
}

export const BIT_PID = pid(0x0024);
const BIT_TABLE_ID = 0xc4;

/** Undefined if the section is not a BIT, is not current yet, or has a wrong length. */
export function parseBit(section: Section): Bit | undefined {
  if (section.tableId !== BIT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  // reserved 3, broadcast_view_propriety 1, first_descriptors_length 12
  const head = r.u16();
  const descriptors = readDescriptors(r.slice(head & 0x0fff));
  const broadcasters: Broadcaster[] = [];
  while (r.remaining > 0) {
    // broadcaster_id 8; reserved 4, broadcaster_descriptors_length 12
    broadcasters.push({ broadcasterId: r.u8(), descriptors: readDescriptors(r.slice(r.length12())) });
  }
  if (r.exhausted) return undefined;
  return {
    originalNetworkId: section.extension as NetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    showsBroadcasters: (head & 0x1000) !== 0,
    descriptors,
    broadcasters,
  };
}

/** What a BIT states about the broadcaster of one service. */
export interface ServiceBroadcaster {
  readonly networkId: NetworkId;
  readonly broadcasterId: number;
  /** terrestrial_broadcaster_id; null on satellites. */
  readonly terrestrialBroadcasterId: number | null;
  /** affiliation_id; empty on satellites. */
  readonly affiliations: readonly number[];
}

/** Undefined if no broadcaster of this section lists the service; one that lists none has all services. */
export function broadcasterOf(bit: Bit, serviceId: ServiceId): ServiceBroadcaster | undefined {
  const own = bit.broadcasters.find(({ descriptors }) => {
    const lists = filterDescriptors(descriptors, 'service_list');
    const isOnly = lists.length === 0 && bit.broadcasters.length === 1;
    return isOnly || lists.some(({ services }) => services.some((each) => each.serviceId === serviceId));
  });
  if (own === undefined) return undefined;
  const extended = findDescriptor(own.descriptors, 'extended_broadcaster');
  const terrestrial = extended?.type === 'television' ? extended : undefined;
  return {
    networkId: bit.originalNetworkId,
    broadcasterId: own.broadcasterId,
    terrestrialBroadcasterId: terrestrial?.broadcasterId ?? null,
    affiliations: terrestrial?.affiliations ?? [],
  };
}
