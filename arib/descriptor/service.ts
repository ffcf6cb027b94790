import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Service descriptor, tag 0x48. ARIB STD-B10 Part 2, 6.2.13. */
export interface ServiceDescriptor {
  readonly kind: 'service';
  /** service_type: 0x01 television, 0xA1 temporary video, 0xA4 engineering, 0xC0 data (and one-segment). */
  readonly serviceType: number;
  readonly providerName: string;
  readonly name: string;
}

export function parseService(r: Reader): ServiceDescriptor {
  return {
    kind: 'service',
    serviceType: r.u8(),
    providerName: readText(r, r.u8()),
    name: readText(r, r.u8()),
  };
}
