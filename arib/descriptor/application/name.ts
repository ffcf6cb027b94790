import type { Reader } from '../../reader.ts';
import { readText } from '../../text/text.ts';

/** Application name descriptor, tag 0x01 of an AIT. ETSI TS 102 809, 5.3.5.6.1. */
export interface ApplicationNameDescriptor {
  readonly kind: 'application_name';
  readonly names: readonly ApplicationName[];
}

interface ApplicationName {
  readonly language: string;
  readonly name: string;
}

export function parseApplicationName(r: Reader): ApplicationNameDescriptor {
  const names: ApplicationName[] = [];
  while (r.remaining > 0) names.push({ language: r.language(), name: readText(r, r.u8()) });
  return { kind: 'application_name', names };
}
