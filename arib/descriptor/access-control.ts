import type { Pid } from '../ids.ts';
import type { Reader } from '../reader.ts';

/**
 * Access control descriptor, tag 0xF6, of the terrestrial content protection. ARIB STD-B10 Part 2, 6.2.54;
 * TR-B14 Vol. 4.
 */
export interface AccessControlDescriptor {
  readonly kind: 'access_control';
  /** CA_system_id, 16 bits: 0x000E. */
  readonly caSystemId: number;
  /** transmission_type, 3 bits: 7 over the air. */
  readonly transmissionType: number;
  /** PID of the ECM (in a PMT) or of the EMM (in a CAT); 0x1fff = none. */
  readonly pid: Pid;
  readonly privateData: Uint8Array;
}

export function parseAccessControl(r: Reader): AccessControlDescriptor {
  const caSystemId = r.u16();
  // transmission_type 3, PID 13
  const tail = r.u16();
  return {
    kind: 'access_control',
    caSystemId,
    transmissionType: tail >> 13,
    pid: (tail & 0x1fff) as Pid,
    privateData: r.rest(),
  };
}
