import type { Reader } from '../reader.ts';

/** Stream identifier descriptor, tag 0x52. ARIB STD-B10 Part 2, 6.2.16. */
export interface StreamIdentifierDescriptor {
  readonly kind: 'stream_identifier';
  /** 8 bits; connects an elementary stream of the PMT with the component descriptors of the EIT. */
  readonly componentTag: number;
}

export function parseStreamIdentifier(r: Reader): StreamIdentifierDescriptor {
  return { kind: 'stream_identifier', componentTag: r.u8() };
}
