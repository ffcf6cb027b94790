/**
 * What is fixed about satellite channels before any scan: the transport stream ids of 110° CS. A BS id also
 * carries the era in which its slot was assigned, which only a scan can tell; so BS is not here.
 */
import type { BroadcastType } from '../arib/ids.ts';

/** network_id: CS1 broadcasts on these transponders, CS2 on all others. */
const CS1 = { networkId: 6, transponders: [2, 8, 10] };
const CS2 = { networkId: 7 };

/**
 * The id of a channel that no stored table knows; null when it cannot be told. A CS id is made of network_id
 * (4 bits), reserved (3), transponder (5), reserved (1) and slot (3), and every transponder carries slot 0 only.
 */
export function standardTsid(type: BroadcastType, channel: string): number | null {
  const [, digits] = /^CS(\d{2})$/.exec(channel) ?? [];
  if (type !== 'CS' || digits === undefined) return null;
  const transponder = Number(digits);
  const { networkId } = CS1.transponders.includes(transponder) ? CS1 : CS2;
  return (networkId << 12) | (transponder << 4);
}
