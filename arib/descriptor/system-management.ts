import type { Reader } from '../reader.ts';

/** System management descriptor, tag 0xFE. ARIB STD-B10 Part 2, 6.2.21. */
export interface SystemManagementDescriptor {
  readonly kind: 'system_management';
  /** broadcasting_flag, 2 bits: 0 broadcasting, 1 and 2 not. */
  readonly broadcastingFlag: number;
  /** broadcasting_identifier, 6 bits: 2 BS, 3 terrestrial television, 4 wide-band CS. */
  readonly broadcastingIdentifier: number;
  readonly additionalId: number;
  readonly additionalInfo: Uint8Array;
}

export function parseSystemManagement(r: Reader): SystemManagementDescriptor {
  const flags = r.u8();
  return {
    kind: 'system_management',
    broadcastingFlag: flags >> 6,
    broadcastingIdentifier: flags & 0x3f,
    additionalId: r.u8(),
    additionalInfo: r.rest(),
  };
}
