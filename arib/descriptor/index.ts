/**
 * The supported descriptors: their union, the table from tag to parser, and the loop that reads them. One descriptor
 * per file. A tag without a parser, and a body that is too short for its own fields or has impossible values, stay
 * raw.
 */
import type { Reader } from '../reader.ts';
import { type AccessControlDescriptor, parseAccessControl } from './access-control.ts';
import {
  type ApplicationSignallingDescriptor,
  parseApplicationSignalling,
} from './application-signalling.ts';
import { type AudioComponentDescriptor, parseAudioComponent } from './audio-component.ts';
import { type AvcTimingDescriptor, parseAvcTiming } from './avc-timing.ts';
import { type AvcVideoDescriptor, parseAvcVideo } from './avc-video.ts';
import { type BouquetNameDescriptor, parseBouquetName } from './bouquet-name.ts';
import { type BroadcasterNameDescriptor, parseBroadcasterName } from './broadcaster-name.ts';
import { type CaContractInfoDescriptor, parseCaContractInfo } from './ca-contract-info.ts';
import { type CaEmmTsDescriptor, parseCaEmmTs } from './ca-emm-ts.ts';
import { type CaIdentifierDescriptor, parseCaIdentifier } from './ca-identifier.ts';
import { type CaServiceDescriptor, parseCaService } from './ca-service.ts';
import { type CableDeliveryDescriptor, parseCableDelivery } from './cable-delivery.ts';
import {
  type CarouselCompatibleCompositeDescriptor,
  parseCarouselCompatibleComposite,
} from './carousel-compatible-composite.ts';
import { type ComponentDescriptor, parseComponent } from './component.ts';
import { type ComponentGroupDescriptor, parseComponentGroup } from './component-group.ts';
import { type ConditionalAccessDescriptor, parseConditionalAccess } from './conditional-access.ts';
import { type ConditionalPlaybackDescriptor, parseConditionalPlayback } from './conditional-playback.ts';
import { type ContentDescriptor, parseContent } from './content.ts';
import { type ContentAvailabilityDescriptor, parseContentAvailability } from './content-availability.ts';
import { type CopyrightDescriptor, parseCopyright } from './copyright.ts';
import { type CountryAvailabilityDescriptor, parseCountryAvailability } from './country-availability.ts';
import { type DataComponentDescriptor, parseDataComponent } from './data-component.ts';
import { type DataContentDescriptor, parseDataContent } from './data-content.ts';
import { type DigitalCopyControlDescriptor, parseDigitalCopyControl } from './digital-copy-control.ts';
import { type DownloadContentDescriptor, parseDownloadContent } from './download-content.ts';
import { type EmergencyInformationDescriptor, parseEmergencyInformation } from './emergency-information.ts';
import { type EventGroupDescriptor, parseEventGroup } from './event-group.ts';
import { type ExtendedBroadcasterDescriptor, parseExtendedBroadcaster } from './extended-broadcaster.ts';
import { type ExtendedEventDescriptor, parseExtendedEvent } from './extended-event.ts';
import {
  type HierarchicalTransmissionDescriptor,
  parseHierarchicalTransmission,
} from './hierarchical-transmission.ts';
import { type HyperlinkDescriptor, parseHyperlink } from './hyperlink.ts';
import { type LdtLinkageDescriptor, parseLdtLinkage } from './ldt-linkage.ts';
import { type LinkageDescriptor, parseLinkage } from './linkage.ts';
import { type LocalTimeOffsetDescriptor, parseLocalTimeOffset } from './local-time-offset.ts';
import { type LogoTransmissionDescriptor, parseLogoTransmission } from './logo-transmission.ts';
import { type MosaicDescriptor, parseMosaic } from './mosaic.ts';
import {
  type NetworkIdentificationDescriptor,
  parseNetworkIdentification,
} from './network-identification.ts';
import { type NetworkNameDescriptor, parseNetworkName } from './network-name.ts';
import { type NvodReferenceDescriptor, parseNvodReference } from './nvod-reference.ts';
import { type ParentalRatingDescriptor, parseParentalRating } from './parental-rating.ts';
import { type PartialReceptionDescriptor, parsePartialReception } from './partial-reception.ts';
import {
  type PartialTransportStreamDescriptor,
  parsePartialTransportStream,
} from './partial-transport-stream.ts';
import { type PartialTsTimeDescriptor, parsePartialTsTime } from './partial-ts-time.ts';
import { type RawDescriptor, rawDescriptor } from './raw.ts';
import { parseSatelliteDelivery, type SatelliteDeliveryDescriptor } from './satellite-delivery.ts';
import { parseSeries, type SeriesDescriptor } from './series.ts';
import { parseService, type ServiceDescriptor } from './service.ts';
import { parseServiceGroup, type ServiceGroupDescriptor } from './service-group.ts';
import { parseServiceList, type ServiceListDescriptor } from './service-list.ts';
import { parseShortEvent, type ShortEventDescriptor } from './short-event.ts';
import { parseSiParameter, type SiParameterDescriptor } from './si-parameter.ts';
import { parseStreamIdentifier, type StreamIdentifierDescriptor } from './stream-identifier.ts';
import { parseSystemManagement, type SystemManagementDescriptor } from './system-management.ts';
import { parseTargetRegion, type TargetRegionDescriptor } from './target-region.ts';
import { parseTerrestrialDelivery, type TerrestrialDeliveryDescriptor } from './terrestrial-delivery.ts';
import { parseTimeShiftedEvent, type TimeShiftedEventDescriptor } from './time-shifted-event.ts';
import { parseTimeShiftedService, type TimeShiftedServiceDescriptor } from './time-shifted-service.ts';
import { parseTsInformation, type TsInformationDescriptor } from './ts-information.ts';
import { parseVideoDecodeControl, type VideoDecodeControlDescriptor } from './video-decode-control.ts';

type KnownDescriptor =
  | ConditionalAccessDescriptor
  | CopyrightDescriptor
  | AvcVideoDescriptor
  | AvcTimingDescriptor
  | NetworkNameDescriptor
  | ServiceListDescriptor
  | SatelliteDeliveryDescriptor
  | CableDeliveryDescriptor
  | BouquetNameDescriptor
  | ServiceDescriptor
  | CountryAvailabilityDescriptor
  | LinkageDescriptor
  | NvodReferenceDescriptor
  | TimeShiftedServiceDescriptor
  | ShortEventDescriptor
  | ExtendedEventDescriptor
  | TimeShiftedEventDescriptor
  | ComponentDescriptor
  | MosaicDescriptor
  | StreamIdentifierDescriptor
  | CaIdentifierDescriptor
  | ContentDescriptor
  | ParentalRatingDescriptor
  | LocalTimeOffsetDescriptor
  | PartialTransportStreamDescriptor
  | ApplicationSignallingDescriptor
  | HierarchicalTransmissionDescriptor
  | DigitalCopyControlDescriptor
  | NetworkIdentificationDescriptor
  | PartialTsTimeDescriptor
  | AudioComponentDescriptor
  | HyperlinkDescriptor
  | TargetRegionDescriptor
  | DataContentDescriptor
  | VideoDecodeControlDescriptor
  | DownloadContentDescriptor
  | CaEmmTsDescriptor
  | CaContractInfoDescriptor
  | CaServiceDescriptor
  | TsInformationDescriptor
  | ExtendedBroadcasterDescriptor
  | LogoTransmissionDescriptor
  | SeriesDescriptor
  | EventGroupDescriptor
  | SiParameterDescriptor
  | BroadcasterNameDescriptor
  | ComponentGroupDescriptor
  | LdtLinkageDescriptor
  | ContentAvailabilityDescriptor
  | ServiceGroupDescriptor
  | AccessControlDescriptor
  | CarouselCompatibleCompositeDescriptor
  | ConditionalPlaybackDescriptor
  | TerrestrialDeliveryDescriptor
  | PartialReceptionDescriptor
  | EmergencyInformationDescriptor
  | DataComponentDescriptor
  | SystemManagementDescriptor;

export type Descriptor = KnownDescriptor | RawDescriptor;
type DescriptorKind = Descriptor['kind'];
type DescriptorOf<Kind extends DescriptorKind> = Extract<Descriptor, { kind: Kind }>;

/** Undefined: a field of the body has an impossible value. */
type Parser = (body: Reader) => KnownDescriptor | undefined;

/** descriptor_tag to parser, ARIB STD-B10 Part 2, table 6-1 and TR-B14/TR-B15. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [0x09, parseConditionalAccess],
  [0x0d, parseCopyright],
  [0x28, parseAvcVideo],
  [0x2a, parseAvcTiming],
  [0x40, parseNetworkName],
  [0x41, parseServiceList],
  [0x43, parseSatelliteDelivery],
  [0x44, parseCableDelivery],
  [0x47, parseBouquetName],
  [0x48, parseService],
  [0x49, parseCountryAvailability],
  [0x4a, parseLinkage],
  [0x4b, parseNvodReference],
  [0x4c, parseTimeShiftedService],
  [0x4d, parseShortEvent],
  [0x4e, parseExtendedEvent],
  [0x4f, parseTimeShiftedEvent],
  [0x50, parseComponent],
  [0x51, parseMosaic],
  [0x52, parseStreamIdentifier],
  [0x53, parseCaIdentifier],
  [0x54, parseContent],
  [0x55, parseParentalRating],
  [0x58, parseLocalTimeOffset],
  [0x63, parsePartialTransportStream],
  [0x6f, parseApplicationSignalling],
  [0xc0, parseHierarchicalTransmission],
  [0xc1, parseDigitalCopyControl],
  [0xc2, parseNetworkIdentification],
  [0xc3, parsePartialTsTime],
  [0xc4, parseAudioComponent],
  [0xc5, parseHyperlink],
  [0xc6, parseTargetRegion],
  [0xc7, parseDataContent],
  [0xc8, parseVideoDecodeControl],
  [0xc9, parseDownloadContent],
  [0xca, parseCaEmmTs],
  [0xcb, parseCaContractInfo],
  [0xcc, parseCaService],
  [0xcd, parseTsInformation],
  [0xce, parseExtendedBroadcaster],
  [0xcf, parseLogoTransmission],
  [0xd5, parseSeries],
  [0xd6, parseEventGroup],
  [0xd7, parseSiParameter],
  [0xd8, parseBroadcasterName],
  [0xd9, parseComponentGroup],
  [0xdc, parseLdtLinkage],
  [0xde, parseContentAvailability],
  [0xe0, parseServiceGroup],
  [0xf6, parseAccessControl],
  [0xf7, parseCarouselCompatibleComposite],
  [0xf8, parseConditionalPlayback],
  [0xfa, parseTerrestrialDelivery],
  [0xfb, parsePartialReception],
  [0xfc, parseEmergencyInformation],
  [0xfd, parseDataComponent],
  [0xfe, parseSystemManagement],
]);

/** The table as an array by tag, so that the loop needs no hash look-up. */
const BY_TAG: readonly (Parser | undefined)[] = Array.from({ length: 256 }, (_, tag) => PARSERS.get(tag));

/**
 * Every descriptor up to the reader's end, in order of broadcast. A descriptor that is longer than the loop ends the
 * parsing and sets the reader's `exhausted`; the previous ones are returned.
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
    const body = r.slice(length);
    const parsed = BY_TAG[tag]?.(body);
    if (parsed !== undefined && !body.exhausted) descriptors.push(parsed);
    else descriptors.push(rawDescriptor(tag, body.whole()));
  }
  return descriptors;
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
