import type { NetworkId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** CA EMM TS descriptor, tag 0xCA: the transport stream for receiving EMMs. ARIB STD-B25 Part 1, 4.7.1. */
export interface CaEmmTsDescriptor {
  readonly kind: 'ca_emm_ts';
  readonly caSystemId: number;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  /** power_supply_period, in minutes. */
  readonly powerSupplyPeriod: number;
}

export function parseCaEmmTs(r: Reader): CaEmmTsDescriptor {
  return {
    kind: 'ca_emm_ts',
    caSystemId: r.u16(),
    transportStreamId: r.u16() as TransportStreamId,
    originalNetworkId: r.u16() as NetworkId,
    powerSupplyPeriod: r.u8(),
  };
}
