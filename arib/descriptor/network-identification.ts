import type { NetworkId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Network identification descriptor, tag 0xC2, of a SIT. ARIB STD-B21, 9.1.8.3. */
export interface NetworkIdentificationDescriptor {
  readonly kind: 'network_identification';
  /** ISO 3166 code of three letters. */
  readonly country: string;
  /** media_type, two letters: TB terrestrial, BS, CB cable, AB or AC wide-band CS. */
  readonly medium: string;
  readonly networkId: NetworkId;
  readonly privateData: Uint8Array;
}

export function parseNetworkIdentification(r: Reader): NetworkIdentificationDescriptor {
  return {
    kind: 'network_identification',
    country: r.language(),
    medium: String.fromCharCode(r.u8(), r.u8()),
    networkId: r.u16() as NetworkId,
    privateData: r.rest(),
  };
}
