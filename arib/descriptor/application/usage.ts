import type { Reader } from '../../reader.ts';

/** Application usage descriptor, tag 0x16 of an AIT. ETSI TS 102 809, 5.3.5.5. */
export interface ApplicationUsageDescriptor {
  readonly kind: 'application_usage';
  /** usage_type: 1 digital text. */
  readonly usage: number;
}

export function parseApplicationUsage(r: Reader): ApplicationUsageDescriptor {
  return { kind: 'application_usage', usage: r.u8() };
}
