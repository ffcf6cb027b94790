import type { NetworkId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Extended broadcaster descriptor, tag 0xCE, of terrestrial BITs. ARIB STD-B10 Part 2, 6.2.43. */
export type ExtendedBroadcasterDescriptor = TerrestrialBroadcaster | OtherBroadcaster;

interface TerrestrialBroadcaster {
  readonly kind: 'extended_broadcaster';
  readonly type: 'television' | 'sound';
  /** terrestrial_broadcaster_id (terrestrial_sound_broadcaster_id), 16 bits. */
  readonly broadcasterId: number;
  /** affiliation_id: the station networks that it belongs to. */
  readonly affiliations: readonly number[];
  /** Broadcasters of other networks that are the same broadcaster. */
  readonly broadcasters: readonly NetworkBroadcaster[];
  readonly privateData: Uint8Array;
}

interface NetworkBroadcaster {
  readonly originalNetworkId: NetworkId;
  readonly broadcasterId: number;
}

interface OtherBroadcaster {
  readonly kind: 'extended_broadcaster';
  readonly type: 'unknown';
  /** broadcaster_type as sent, 4 bits. */
  readonly broadcasterType: number;
  readonly data: Uint8Array;
}

const TYPES: readonly (TerrestrialBroadcaster['type'] | undefined)[] = [undefined, 'television', 'sound'];

export function parseExtendedBroadcaster(r: Reader): ExtendedBroadcasterDescriptor {
  const kind = 'extended_broadcaster';
  // broadcaster_type 4, reserved 4
  const broadcasterType = r.u8() >> 4;
  const type = TYPES[broadcasterType];
  if (type === undefined) return { kind, type: 'unknown', broadcasterType, data: r.rest() };
  const broadcasterId = r.u16();
  // number_of_affiliation_id_loop 4, number_of_broadcaster_id_loop 4
  const counts = r.u8();
  const affiliations = [...r.take(counts >> 4)];
  const broadcasters: NetworkBroadcaster[] = [];
  for (let left = counts & 0x0f; left > 0; left--) {
    broadcasters.push({ originalNetworkId: r.u16() as NetworkId, broadcasterId: r.u8() });
  }
  return { kind, type, broadcasterId, affiliations, broadcasters, privateData: r.rest() };
}
