import type { Reader } from '../reader.ts';

/** CA identifier descriptor, tag 0x53: systems that a bouquet, service or event may be scrambled with. B10 6.2.2. */
export interface CaIdentifierDescriptor {
  readonly kind: 'ca_identifier';
  readonly caSystemIds: readonly number[];
}

export function parseCaIdentifier(r: Reader): CaIdentifierDescriptor {
  const caSystemIds: number[] = [];
  while (r.remaining > 0) caSystemIds.push(r.u16());
  return { kind: 'ca_identifier', caSystemIds };
}
