/**
 * What is fixed about satellite channels before any scan: the transport stream ids of BS and of 110° CS. It stands in
 * for the channel table as long as there is none, and gives a tuning its id where the stored table has none.
 */
import type { BroadcastType } from '../arib/ids.ts';
import { SATELLITE_STREAMS } from '../arib/satellite-streams.ts';
import type { Channel } from '../wire/agent.ts';

/** The channel table as long as no scan has made one; which stations are there the agent cannot tell. */
export const STANDARD_CHANNELS: readonly Channel[] = SATELLITE_STREAMS.map(
  ({ type, channel, transportStreamId, networkId }) => ({
    type,
    channel,
    tsid: transportStreamId,
    networkId,
    stations: [],
  }),
);

/** The id of a channel that no stored table knows; null when it cannot be told. */
export function standardTsid(type: BroadcastType, channel: string): number | null {
  const found = STANDARD_CHANNELS.find((entry) => entry.type === type && entry.channel === channel);
  return found?.tsid ?? null;
}
