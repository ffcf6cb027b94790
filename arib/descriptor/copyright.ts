import type { Reader } from '../reader.ts';

/** Copyright descriptor, tag 0x0D. ISO/IEC 13818-1 2.6.24. */
export interface CopyrightDescriptor {
  readonly kind: 'copyright';
  /** copyright_identifier, 32 bits. */
  readonly identifier: number;
  readonly additionalInfo: Uint8Array;
}

export function parseCopyright(r: Reader): CopyrightDescriptor {
  return { kind: 'copyright', identifier: r.u32(), additionalInfo: r.rest() };
}
