import type { Reader } from '../reader.ts';

/**
 * Application signalling descriptor, tag 0x6F: which AITs a stream carries. ETSI TS 102 809, 5.3.5.1;
 * ARIB STD-B24 Vol. 4.
 */
export interface ApplicationSignallingDescriptor {
  readonly kind: 'application_signalling';
  readonly applications: readonly SignalledApplication[];
}

interface SignalledApplication {
  /** application_type, 15 bits: 0x0010 or 0x0011 for HTML5 applications. */
  readonly applicationType: number;
  /** AIT_version_number, 5 bits. */
  readonly aitVersion: number;
}

export function parseApplicationSignalling(r: Reader): ApplicationSignallingDescriptor {
  const applications: SignalledApplication[] = [];
  while (r.remaining > 0) {
    // reserved 1, application_type 15; reserved 3, AIT_version_number 5
    applications.push({ applicationType: r.u16() & 0x7fff, aitVersion: r.u8() & 0x1f });
  }
  return { kind: 'application_signalling', applications };
}
