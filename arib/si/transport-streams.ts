import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { NetworkId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** A transport stream of a network or bouquet, ARIB STD-B10 Part 2, 5.2.4 and 5.2.5. */
export interface DescribedStream {
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly descriptors: readonly Descriptor[];
}

/** Reads a complete loop; its reader is `exhausted` if a length in it is wrong. */
export function readTransportStreams(loop: Reader): DescribedStream[] {
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
