import type { Pid } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Conditional access descriptor, tag 0x09. ISO/IEC 13818-1 2.6.16; ARIB STD-B25 Part 1. */
export interface ConditionalAccessDescriptor {
  readonly kind: 'conditional_access';
  /** CA_system_id, 16 bits: 0x0005 for B-CAS. */
  readonly caSystemId: number;
  /** PID of the ECM (in a PMT) or of the EMM (in a CAT); 0x1fff = none. */
  readonly pid: Pid;
  readonly privateData: Uint8Array;
}

export function parseConditionalAccess(r: Reader): ConditionalAccessDescriptor {
  return { kind: 'conditional_access', caSystemId: r.u16(), pid: r.pid(), privateData: r.rest() };
}
