import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** CA service descriptor, tag 0xCC: services on which automatic messages are shown. ARIB STD-B25 Part 1, 4.7.3. */
export interface CaServiceDescriptor {
  readonly kind: 'ca_service';
  readonly caSystemId: number;
  readonly broadcasterGroupId: number;
  /** message_control: days of delay; 0xFF: none is shown yet. */
  readonly messageControl: number;
  readonly serviceIds: readonly ServiceId[];
}

export function parseCaService(r: Reader): CaServiceDescriptor {
  const caSystemId = r.u16();
  const broadcasterGroupId = r.u8();
  const messageControl = r.u8();
  const serviceIds: ServiceId[] = [];
  while (r.remaining > 0) serviceIds.push(r.u16() as ServiceId);
  return { kind: 'ca_service', caSystemId, broadcasterGroupId, messageControl, serviceIds };
}
