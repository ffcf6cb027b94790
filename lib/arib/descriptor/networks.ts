/** Descriptors of networks and their transport streams: delivery systems, regions, and those of a partial stream. */
import type { NetworkId, ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';
import { type BroadcastMs, fromBcd } from '../time.ts';

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

/** Cable distribution system delivery descriptor, tag 0x44. JCTEA STD-003; ARIB STD-B10 Part 2, table 6-1. */
interface CableDeliveryDescriptor {
  readonly kind: 'cable_delivery';
  /** Hz. */
  readonly frequency: number;
  /** frame_type, 4 bits. */
  readonly frameType: number;
  /** FEC_outer, 4 bits. */
  readonly fecOuter: number;
  /** 8 bits: 3 64-QAM, 5 256-QAM. */
  readonly modulation: number;
  /** Symbols a second. */
  readonly symbolRate: number;
  /** FEC_inner, 4 bits. */
  readonly fecInner: number;
}

/** Undefined if a number is not BCD. */
export function parseCableDelivery(r: Reader): CableDeliveryDescriptor | undefined {
  const frequency = r.bcd(4);
  r.skip(1); // reserved_future_use 8 of 12
  const fec = r.u8();
  const modulation = r.u8();
  const rateHigh = r.bcd(3);
  const last = r.u8();
  // The seventh digit shares its octet with FEC_inner.
  const rateLow = last >> 4;
  if (frequency === undefined || rateHigh === undefined || rateLow > 9) return undefined;
  return {
    kind: 'cable_delivery',
    frequency: frequency * 100,
    frameType: fec >> 4,
    fecOuter: fec & 0x0f,
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

/** Emergency information descriptor, tag 0xFC, of a PMT. ARIB STD-B10 Part 2, 6.2.24; TR-B14 Vol. 4, TR-B15. */
interface EmergencyInformationDescriptor {
  readonly kind: 'emergency_information';
  readonly services: readonly EmergencyService[];
}

interface EmergencyService {
  readonly serviceId: ServiceId;
  /** start_end_flag: the signal is on; false: it has ended (or is a test). */
  readonly on: boolean;
  /** signal_level: 0 the first kind of start signal, 1 the second. */
  readonly level: 0 | 1;
  /** area_code, 12 bits each, ARIB STD-B10 Part 2, Annex D. */
  readonly areaCodes: readonly number[];
}

export function parseEmergencyInformation(r: Reader): EmergencyInformationDescriptor {
  const services: EmergencyService[] = [];
  while (r.remaining > 0) {
    const serviceId = r.u16() as ServiceId;
    // start_end_flag 1, signal_level 1, reserved 6
    const flags = r.u8();
    const loop = r.slice(r.u8());
    const areaCodes: number[] = [];
    while (loop.remaining > 1) areaCodes.push(loop.u16() >> 4);
    services.push({ serviceId, on: (flags & 0x80) !== 0, level: (flags & 0x40) === 0 ? 0 : 1, areaCodes });
  }
  return { kind: 'emergency_information', services };
}

/** Target region descriptor, tag 0xC6: the intended region of an event or stream. ARIB STD-B10 Part 2, 6.2.27. */
interface TargetRegionDescriptor {
  readonly kind: 'target_region';
  /** region_spec_type: 1 the prefectures of BS; others are not defined. */
  readonly specType: number;
  /**
   * Areas of type 1, ascending: 1 and 2 east and west Hokkaido, 3 to 48 the other prefectures in the order of
   * JIS X 0401, 49 the islands of Tokyo, 50 those of Kagoshima. Empty for other types.
   */
  readonly areas: readonly number[];
  /** target_region_spec as sent. */
  readonly spec: Uint8Array;
}

const PREFECTURE_BITMAP = 1;
const BITMAP_SIZE = 7;

export function parseTargetRegion(r: Reader): TargetRegionDescriptor {
  const specType = r.u8();
  const spec = specType === PREFECTURE_BITMAP ? r.take(BITMAP_SIZE) : r.rest();
  const areas: number[] = [];
  if (specType === PREFECTURE_BITMAP) {
    for (let bit = 0; bit < BITMAP_SIZE * 8; bit++) {
      if ((((spec[bit >> 3] ?? 0) << (bit & 7)) & 0x80) !== 0) areas.push(bit + 1);
    }
  }
  return { kind: 'target_region', specType, areas, spec };
}

/**
 * Local time offset descriptor, tag 0x58: daylight saving time, only sent if there is any. ARIB STD-B10 Part 2,
 * 6.2.25.
 */
interface LocalTimeOffsetDescriptor {
  readonly kind: 'local_time_offset';
  readonly offsets: readonly LocalTimeOffset[];
}

interface LocalTimeOffset {
  /** ISO 3166 code of three letters. */
  readonly country: string;
  /** country_region_id, 6 bits. */
  readonly region: number;
  /** Minutes to add to JST. */
  readonly offset: number;
  readonly changeAt: BroadcastMs | undefined;
  /** Minutes to add to JST after `changeAt`. */
  readonly nextOffset: number;
}

/** Undefined if an offset is not BCD. */
export function parseLocalTimeOffset(r: Reader): LocalTimeOffsetDescriptor | undefined {
  const offsets: LocalTimeOffset[] = [];
  while (r.remaining > 0) {
    const country = r.language();
    const region = r.u8();
    const sign = (region & 0x01) === 0 ? 1 : -1;
    const offset = minutes(r);
    const changeAt = r.mjdTime();
    const nextOffset = minutes(r);
    if (offset === undefined || nextOffset === undefined) return undefined;
    // country_region_id 6, reserved 1, local_time_offset_polarity 1
    offsets.push({
      country,
      region: region >> 2,
      offset: sign * offset,
      changeAt,
      nextOffset: sign * nextOffset,
    });
  }
  return { kind: 'local_time_offset', offsets };
}

function minutes(r: Reader): number | undefined {
  const hours = fromBcd(r.u8());
  const rest = fromBcd(r.u8());
  return hours === undefined || rest === undefined ? undefined : hours * 60 + rest;
}

/** Network identification descriptor, tag 0xC2, of a SIT. ARIB STD-B21, 9.1.8.3. */
interface NetworkIdentificationDescriptor {
  readonly kind: 'network_identification';
  /** ISO 3166 code of three letters. */
  readonly country: string;
  /** media_type, two letters: TB terrestrial, BS, CB cable, AB or AC wide-band CS. */
  readonly medium: string;
  readonly networkId: NetworkId;
  readonly privateData: Uint8Array;
}

export function parseNetworkIdentification(r: Reader): NetworkIdentificationDescriptor {
  return {
    kind: 'network_identification',
    country: r.language(),
    medium: String.fromCharCode(r.u8(), r.u8()),
    networkId: r.u16() as NetworkId,
    privateData: r.rest(),
  };
}

/** Partial transport stream descriptor, tag 0x63, of a SIT. ARIB STD-B21, 9.1.8.3. */
interface PartialTransportStreamDescriptor {
  readonly kind: 'partial_transport_stream';
  /** Bits a second. */
  readonly peakRate: number;
  /** minimum_overall_smoothing_rate in bits a second; undefined: all ones. */
  readonly smoothingRate: number | undefined;
  /** maximum_overall_smoothing_buffer in octets; undefined: all ones. */
  readonly smoothingBuffer: number | undefined;
}

const RATE_UNIT = 400;
const NO_RATE = 0x3fffff;
const NO_BUFFER = 0x3fff;

export function parsePartialTransportStream(r: Reader): PartialTransportStreamDescriptor {
  // reserved 2, peak_rate 22; reserved 2, smoothing_rate 22; reserved 2, smoothing_buffer 14
  const peak = r.u24() & NO_RATE;
  const smoothing = r.u24() & NO_RATE;
  const buffer = r.u16() & NO_BUFFER;
  return {
    kind: 'partial_transport_stream',
    peakRate: peak * RATE_UNIT,
    smoothingRate: smoothing === NO_RATE ? undefined : smoothing * RATE_UNIT,
    smoothingBuffer: buffer === NO_BUFFER ? undefined : buffer,
  };
}

/** Partial transport stream time descriptor, tag 0xC3, of a SIT. ARIB STD-B21, 9.1.8.3. */
interface PartialTsTimeDescriptor {
  readonly kind: 'partial_ts_time';
  /** event_version_number, 8 bits. */
  readonly eventVersion: number;
  readonly startAt: BroadcastMs | undefined;
  /** Seconds. */
  readonly duration: number | undefined;
  /** Seconds from the time of broadcast to the time of this stream, signed; undefined: none, or not BCD. */
  readonly offset: number | undefined;
  /** other_descriptor_status: the other descriptors of the SIT changed. */
  readonly othersChanged: boolean;
  /** JST of this section's output. */
  readonly time: BroadcastMs | undefined;
}

export function parsePartialTsTime(r: Reader): PartialTsTimeDescriptor {
  const eventVersion = r.u8();
  const startAt = r.mjdTime();
  const duration = r.bcdDuration();
  const offset = r.bcdDuration();
  // reserved 5, offset_flag 1, other_descriptor_status 1, jst_time_flag 1
  const flags = r.u8();
  return {
    kind: 'partial_ts_time',
    eventVersion,
    startAt,
    duration,
    offset: offset === undefined || (flags & 0x04) === 0 ? offset : -offset,
    othersChanged: (flags & 0x02) !== 0,
    time: (flags & 0x01) !== 0 ? r.mjdTime() : undefined,
  };
}
