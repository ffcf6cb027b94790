/**
 * Standard satellite channels: the transport stream ids of BS and 110° CS. Used as the channel table until one is
 * stored, and for ids that the stored table lacks.
 */
import type { BroadcastType } from '../arib/ids.ts';
import { SATELLITE_STREAMS } from '../arib/satellite-streams.ts';
import type { Channel } from '../wire/agent.ts';

/** The channel table before any scan; its stations are unknown to the agent. */
export const STANDARD_CHANNELS: readonly Channel[] = SATELLITE_STREAMS.map(
  ({ type, channel, transportStreamId, networkId }) => ({
    type,
    channel,
    tsid: transportStreamId,
    networkId,
    stations: [],
  }),
);

/** The id of a channel that is not in the stored table; null when unknown. */
export function standardTsid(type: BroadcastType, channel: string): number | null {
  const found = STANDARD_CHANNELS.find((entry) => entry.type === type && entry.channel === channel);
  return found?.tsid ?? null;
}
