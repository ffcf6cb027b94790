import type { Reader } from '../../reader.ts';

/** Simple application location descriptor, tag 0x15 of an AIT. ETSI TS 102 809, 5.3.7. */
export interface SimpleLocationDescriptor {
  readonly kind: 'simple_application_location';
  /** initial_path: after the URL base of the transport. */
  readonly path: string;
}

export function parseSimpleLocation(r: Reader): SimpleLocationDescriptor {
  return { kind: 'simple_application_location', path: String.fromCharCode(...r.rest()) };
}
