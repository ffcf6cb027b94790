import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';
import { type DescribedStream, readTransportStreams } from './transport-streams.ts';

/** A section of the bouquet association table: services offered together. ARIB STD-B10 Part 2, 5.2.5. */
export interface Bat {
  readonly bouquetId: number;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly descriptors: readonly Descriptor[];
  readonly transportStreams: readonly DescribedStream[];
}

export const BAT_TABLE_ID = 0x4a;

/** Undefined if the section is not a BAT, is not current yet, or has a wrong length. */
export function parseBat(section: Section): Bat | undefined {
  if (section.tableId !== BAT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  // reserved 4, bouquet_descriptors_length 12
  const descriptors = readDescriptors(r.slice(r.length12()));
  // reserved 4, transport_stream_loop_length 12
  const loop = r.slice(r.length12());
  const transportStreams = readTransportStreams(loop);
  if (r.exhausted || loop.exhausted) return undefined;
  return {
    bouquetId: section.extension,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    descriptors,
    transportStreams,
  };
}
