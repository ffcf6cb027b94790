/** What others may read along of every stream that is open: the packets of its guide. */
import { BROADCAST_TYPES, type BroadcastType } from '../../arib/ids.ts';

export interface TappedChannel {
  type: BroadcastType;
  channel: string;
}

export interface TappedStream {
  /** Whole packets of the guide's PIDs, in order; the bytes are the taker's. */
  packets(bytes: Uint8Array<ArrayBuffer>): void;
  closed(): void;
}

export interface StreamTap {
  opened(channel: TappedChannel): TappedStream;
}

/** The physical channel that an address of `/agent/stream` names. */
export function channelOf(url: string): TappedChannel | undefined {
  const query = new URL(url).searchParams;
  const type = BROADCAST_TYPES.find((known) => known === query.get('type'));
  const channel = query.get('channel');
  return type === undefined || channel === null ? undefined : { type, channel };
}
