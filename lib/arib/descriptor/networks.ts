/** Descriptors of networks and their transport streams: names and delivery systems. */
import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Network name descriptor, tag 0x40. ARIB STD-B10 Part 2, 6.2.11. */
interface NetworkNameDescriptor {
  readonly kind: 'network_name';
  readonly name: string;
}

export function parseNetworkName(r: Reader): NetworkNameDescriptor {
  return { kind: 'network_name', name: readText(r, r.remaining) };
}

/** Satellite delivery system descriptor, tag 0x43. ARIB STD-B10 Part 2, 6.2.6. */
interface SatelliteDeliveryDescriptor {
  readonly kind: 'satellite_delivery';
  /** Hz, as received (11.7 to 12.75 GHz). */
  readonly frequency: number;
  /** Degrees, in steps of 0.1. */
  readonly orbitalPosition: number;
  readonly east: boolean;
  readonly polarisation: (typeof POLARISATIONS)[number];
  /** 5 bits; 8 = ISDB-S, the rest is in the TMCC. */
  readonly modulation: number;
  /** Symbols a second. */
  readonly symbolRate: number;
  /** 4 bits; 8 = ISDB-S, the rest is in the TMCC. */
  readonly fecInner: number;
}

const POLARISATIONS = ['horizontal', 'vertical', 'left', 'right'] as const;

/** Undefined if a number is not BCD. */
export function parseSatelliteDelivery(r: Reader): SatelliteDeliveryDescriptor | undefined {
  const frequency = r.bcd(4);
  const orbit = r.bcd(2);
  const flags = r.u8();
  const east = (flags & 0x80) !== 0;
  const polarisation = POLARISATIONS[(flags >> 5) & 0x03] ?? 'horizontal';
  const modulation = flags & 0x1f;
  const rateHigh = r.bcd(3);
  const last = r.u8();
  // The seventh digit shares its octet with FEC_inner.
  const rateLow = last >> 4;
  if (frequency === undefined || orbit === undefined || rateHigh === undefined || rateLow > 9)
    return undefined;
  return {
    kind: 'satellite_delivery',
    frequency: frequency * 10_000,
    orbitalPosition: orbit / 10,
    east,
    polarisation,
    modulation,
    symbolRate: (rateHigh * 10 + rateLow) * 100,
    fecInner: last & 0x0f,
  };
}

/** Terrestrial delivery system descriptor, tag 0xFA. ARIB STD-B10 Part 2, 6.2.31. */
interface TerrestrialDeliveryDescriptor {
  readonly kind: 'terrestrial_delivery';
  /** 12 bits, as in emergency information. */
  readonly areaCode: number;
  /** Guard interval as a part of the symbol: 1/32 to 1/4. */
  readonly guardInterval: number;
  /** ISDB-T mode 1 to 3; undefined for the reserved code. */
  readonly mode: 1 | 2 | 3 | undefined;
  /** Centre frequencies in Hz, rounded: the unit is 1/7 MHz. */
  readonly frequencies: readonly number[];
}

const GUARD_INTERVALS = [1 / 32, 1 / 16, 1 / 8, 1 / 4] as const;
const MODES = [1, 2, 3, undefined] as const;

export function parseTerrestrialDelivery(r: Reader): TerrestrialDeliveryDescriptor {
  // area_code 12, guard_interval 2, transmission_mode 2
  const head = r.u16();
  const frequencies: number[] = [];
  while (r.remaining > 0) frequencies.push(Math.floor((r.u16() * 1_000_000) / 7));
  return {
    kind: 'terrestrial_delivery',
    areaCode: head >> 4,
    guardInterval: GUARD_INTERVALS[(head >> 2) & 0x03] ?? 0,
    mode: MODES[head & 0x03],
    frequencies,
  };
}

/** TS information descriptor, tag 0xCD, of terrestrial NITs. ARIB STD-B10 Part 2, 6.2.42. */
interface TsInformationDescriptor {
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

/** Partial reception descriptor, tag 0xFB: the one-segment services. ARIB STD-B10 Part 2, 6.2.32. */
interface PartialReceptionDescriptor {
  readonly kind: 'partial_reception';
  readonly serviceIds: readonly ServiceId[];
}

export function parsePartialReception(r: Reader): PartialReceptionDescriptor {
  const serviceIds: ServiceId[] = [];
  while (r.remaining > 0) serviceIds.push(r.u16() as ServiceId);
  return { kind: 'partial_reception', serviceIds };
}

/** System management descriptor, tag 0xFE. ARIB STD-B10 Part 2, 6.2.21. */
interface SystemManagementDescriptor {
  readonly kind: 'system_management';
  /** broadcasting_flag, 2 bits: 0 broadcasting, 1 and 2 not. */
  readonly broadcastingFlag: number;
  /** broadcasting_identifier, 6 bits: 2 BS, 3 terrestrial television, 4 wide-band CS. */
  readonly broadcastingIdentifier: number;
  readonly additionalId: number;
  readonly additionalInfo: Uint8Array;
}

export function parseSystemManagement(r: Reader): SystemManagementDescriptor {
  const flags = r.u8();
  return {
    kind: 'system_management',
    broadcastingFlag: flags >> 6,
    broadcastingIdentifier: flags & 0x3f,
    additionalId: r.u8(),
    additionalInfo: r.rest(),
  };
}
