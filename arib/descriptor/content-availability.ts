import type { Reader } from '../reader.ts';

/** Content availability descriptor, tag 0xDE, of a PMT. ARIB STD-B10 Part 2, 6.2.45; TR-B14, TR-B15 Vol. 4. */
export interface ContentAvailabilityDescriptor {
  readonly kind: 'content_availability';
  /** copy_restriction_mode: "one generation" permits ten copies; otherwise one. */
  readonly tenCopies: boolean;
  /** image_constraint_token 0: analogue output of full resolution is forbidden. */
  readonly constrainsImage: boolean;
  /** retention_mode 0: content that must not be copied may be kept for `retention`. */
  readonly retentionAllowed: boolean;
  /** retention_state, 3 bits: 7 an hour and a half, down to 0 without limit. */
  readonly retention: number;
  /** encryption_mode 0: content that is free to copy is recorded encrypted. */
  readonly encrypted: boolean;
}

export function parseContentAvailability(r: Reader): ContentAvailabilityDescriptor {
  // reserved 1, copy_restriction_mode 1, image_constraint_token 1, retention_mode 1, retention_state 3,
  // encryption_mode 1
  const flags = r.u8();
  return {
    kind: 'content_availability',
    tenCopies: (flags & 0x40) !== 0,
    constrainsImage: (flags & 0x20) === 0,
    retentionAllowed: (flags & 0x10) === 0,
    retention: (flags >> 1) & 0x07,
    encrypted: (flags & 0x01) === 0,
  };
}
