import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { NetworkId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';
import { type DescribedStream, readTransportStreams } from './transport-streams.ts';

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

export const NIT_PID = 0x0010;
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
