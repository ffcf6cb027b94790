import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/**
 * CA contract info descriptor, tag 0xCB: whether components can be bought, and with which contract. ARIB STD-B25 Part
 * 1, 4.7.2.
 */
export interface CaContractInfoDescriptor {
  readonly kind: 'ca_contract_info';
  readonly caSystemId: number;
  /** CA_unit_id, 4 bits: 1 the unit with which the event's default components are charged, 2 other ones. */
  readonly caUnitId: number;
  /** component_tags. */
  readonly components: readonly number[];
  /** contract_verification_info, for the card. */
  readonly verificationInfo: Uint8Array;
  /** The price, as text. */
  readonly fee: string;
}

export function parseCaContractInfo(r: Reader): CaContractInfoDescriptor {
  const caSystemId = r.u16();
  // CA_unit_id 4, num_of_component 4
  const unit = r.u8();
  return {
    kind: 'ca_contract_info',
    caSystemId,
    caUnitId: unit >> 4,
    components: [...r.take(unit & 0x0f)],
    verificationInfo: r.take(r.u8()),
    fee: readText(r, r.u8()),
  };
}
