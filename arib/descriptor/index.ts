/**
 * The descriptors that this project reads: their union, the table from tag to parser, and the loop that reads
 * them. One descriptor a file. A tag without a parser, and a body that ends before its own fields do or holds
 * impossible ones, stay raw.
 */
import { Reader } from '../reader.ts';
import { type AudioComponentDescriptor, parseAudioComponent } from './audio-component.ts';
import { type ComponentDescriptor, parseComponent } from './component.ts';
import { type ConditionalAccessDescriptor, parseConditionalAccess } from './conditional-access.ts';
import { type ContentDescriptor, parseContent } from './content.ts';
import { type DataComponentDescriptor, parseDataComponent } from './data-component.ts';
import { type DigitalCopyControlDescriptor, parseDigitalCopyControl } from './digital-copy-control.ts';
import { type EventGroupDescriptor, parseEventGroup } from './event-group.ts';
import { type ExtendedEventDescriptor, parseExtendedEvent } from './extended-event.ts';
import {
  type HierarchicalTransmissionDescriptor,
  parseHierarchicalTransmission,
} from './hierarchical-transmission.ts';
import { type LocalTimeOffsetDescriptor, parseLocalTimeOffset } from './local-time-offset.ts';
import { type LogoTransmissionDescriptor, parseLogoTransmission } from './logo-transmission.ts';
import { type NetworkNameDescriptor, parseNetworkName } from './network-name.ts';
import { type PartialReceptionDescriptor, parsePartialReception } from './partial-reception.ts';
import { type RawDescriptor, rawDescriptor } from './raw.ts';
import { parseSatelliteDelivery, type SatelliteDeliveryDescriptor } from './satellite-delivery.ts';
import { parseSeries, type SeriesDescriptor } from './series.ts';
import { parseService, type ServiceDescriptor } from './service.ts';
import { parseServiceList, type ServiceListDescriptor } from './service-list.ts';
import { parseShortEvent, type ShortEventDescriptor } from './short-event.ts';
import { parseStreamIdentifier, type StreamIdentifierDescriptor } from './stream-identifier.ts';
import { parseSystemManagement, type SystemManagementDescriptor } from './system-management.ts';
import { parseTerrestrialDelivery, type TerrestrialDeliveryDescriptor } from './terrestrial-delivery.ts';
import { parseTsInformation, type TsInformationDescriptor } from './ts-information.ts';

type KnownDescriptor =
  | ConditionalAccessDescriptor
  | NetworkNameDescriptor
  | ServiceListDescriptor
  | SatelliteDeliveryDescriptor
  | ServiceDescriptor
  | ShortEventDescriptor
  | ExtendedEventDescriptor
  | ComponentDescriptor
  | StreamIdentifierDescriptor
  | ContentDescriptor
  | LocalTimeOffsetDescriptor
  | HierarchicalTransmissionDescriptor
  | DigitalCopyControlDescriptor
  | AudioComponentDescriptor
  | TsInformationDescriptor
  | LogoTransmissionDescriptor
  | SeriesDescriptor
  | EventGroupDescriptor
  | TerrestrialDeliveryDescriptor
  | PartialReceptionDescriptor
  | DataComponentDescriptor
  | SystemManagementDescriptor;

export type Descriptor = KnownDescriptor | RawDescriptor;
export type DescriptorKind = Descriptor['kind'];
export type DescriptorOf<Kind extends DescriptorKind> = Extract<Descriptor, { kind: Kind }>;

/** Undefined: a field of the body cannot be what it says. */
type Parser = (body: Reader) => KnownDescriptor | undefined;

/** descriptor_tag to parser, ARIB STD-B10 Part 2, table 6-1 and TR-B14/TR-B15. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [0x09, parseConditionalAccess],
  [0x40, parseNetworkName],
  [0x41, parseServiceList],
  [0x43, parseSatelliteDelivery],
  [0x48, parseService],
  [0x4d, parseShortEvent],
  [0x4e, parseExtendedEvent],
  [0x50, parseComponent],
  [0x52, parseStreamIdentifier],
  [0x54, parseContent],
  [0x58, parseLocalTimeOffset],
  [0xc0, parseHierarchicalTransmission],
  [0xc1, parseDigitalCopyControl],
  [0xc4, parseAudioComponent],
  [0xcd, parseTsInformation],
  [0xcf, parseLogoTransmission],
  [0xd5, parseSeries],
  [0xd6, parseEventGroup],
  [0xfa, parseTerrestrialDelivery],
  [0xfb, parsePartialReception],
  [0xfd, parseDataComponent],
  [0xfe, parseSystemManagement],
]);

/** The table by tag, so that the loop costs an index and no look-up by hash. */
const BY_TAG: readonly (Parser | undefined)[] = Array.from({ length: 256 }, (_, tag) => PARSERS.get(tag));

/**
 * Every descriptor up to the reader's end, in order of broadcast. A descriptor that is longer than the loop
 * ends the reading and sets the reader's `exhausted`; what came before it is returned.
 */
export function readDescriptors(r: Reader): Descriptor[] {
  const descriptors: Descriptor[] = [];
  while (r.remaining > 0) {
    const tag = r.u8();
    const length = r.u8();
    if (r.exhausted || length > r.remaining) {
      r.skip(length);
      break;
    }
    descriptors.push(r.span(length, (bytes, start, end) => parseDescriptor(tag, bytes, start, end)));
  }
  return descriptors;
}

function parseDescriptor(tag: number, bytes: Uint8Array, start: number, end: number): Descriptor {
  const parse = BY_TAG[tag];
  if (parse !== undefined) {
    const body = new Reader(bytes, start, end);
    const parsed = parse(body);
    if (parsed !== undefined && !body.exhausted) return parsed;
  }
  return rawDescriptor(tag, bytes.subarray(start, end));
}

/** The first descriptor of a kind. */
export function findDescriptor<Kind extends DescriptorKind>(
  descriptors: readonly Descriptor[],
  kind: Kind,
): DescriptorOf<Kind> | undefined {
  for (const descriptor of descriptors) {
    if (descriptor.kind === kind) return descriptor as DescriptorOf<Kind>;
  }
  return undefined;
}

/** All descriptors of a kind, in order of broadcast. */
export function filterDescriptors<Kind extends DescriptorKind>(
  descriptors: readonly Descriptor[],
  kind: Kind,
): DescriptorOf<Kind>[] {
  return descriptors.filter((descriptor): descriptor is DescriptorOf<Kind> => descriptor.kind === kind);
}
