import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** TS information descriptor, tag 0xCD, of terrestrial NITs. ARIB STD-B10 Part 2, 6.2.42. */
export interface TsInformationDescriptor {
  readonly kind: 'ts_information';
  /** Number of the button on a remote control. */
  readonly remoteControlKeyId: number;
  readonly name: string;
  readonly transmissions: readonly TransmissionType[];
}

interface TransmissionType {
  /** transmission_type_info, 8 bits: the layer's modulation. */
  readonly info: number;
  readonly serviceIds: readonly ServiceId[];
}

export function parseTsInformation(r: Reader): TsInformationDescriptor {
  const remoteControlKeyId = r.u8();
  const lengths = r.u8();
  const name = readText(r, lengths >> 2);
  const transmissions: TransmissionType[] = [];
  for (let left = lengths & 0x03; left > 0; left--) {
    const info = r.u8();
    const serviceIds: ServiceId[] = [];
    for (let count = r.u8(); count > 0 && !r.exhausted; count--) serviceIds.push(r.u16() as ServiceId);
    transmissions.push({ info, serviceIds });
  }
  return { kind: 'ts_information', remoteControlKeyId, name, transmissions };
}
