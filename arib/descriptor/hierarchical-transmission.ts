import type { Pid } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Hierarchical transmission descriptor, tag 0xC0. ARIB STD-B10 Part 2, 6.2.22. */
export interface HierarchicalTransmissionDescriptor {
  readonly kind: 'hierarchical_transmission';
  readonly highQuality: boolean;
  /** The stream of the other quality. */
  readonly referencePid: Pid;
}

export function parseHierarchicalTransmission(r: Reader): HierarchicalTransmissionDescriptor {
  // reserved_future_use 7, quality_level 1
  return { kind: 'hierarchical_transmission', highQuality: (r.u8() & 0x01) !== 0, referencePid: r.pid() };
}
