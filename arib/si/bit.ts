import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { NetworkId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/** A section of the broadcaster information table. ARIB STD-B10 Part 2, 5.2.13; TR-B14, TR-B15 Vol. 4. */
export interface Bit {
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

export const BIT_PID = 0x0024;
export const BIT_TABLE_ID = 0xc4;

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
