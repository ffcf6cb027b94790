/**
 * The supported descriptors: their union, the table from tag to parser, and the loop that reads them. A tag
 * without a parser, and a body that is too short for its own fields or has impossible values, stay raw.
 */
import type { Reader } from '../reader.ts';
import {
  parseAccessControl,
  parseCaContractInfo,
  parseCaEmmTs,
  parseCaIdentifier,
  parseCaService,
  parseConditionalAccess,
  parseConditionalPlayback,
  parseContentAvailability,
  parseCopyright,
  parseDigitalCopyControl,
} from './access.ts';
import { parseBroadcasterName, parseExtendedBroadcaster, parseSiParameter } from './broadcasters.ts';
import {
  parseAudioComponent,
  parseAvcTiming,
  parseAvcVideo,
  parseComponent,
  parseComponentGroup,
  parseHierarchicalTransmission,
  parseMosaic,
  parseStreamIdentifier,
  parseVideoDecodeControl,
} from './components.ts';
import {
  parseApplicationSignalling,
  parseCarouselCompatibleComposite,
  parseDataComponent,
  parseDataContent,
  parseDownloadContent,
  parseHyperlink,
  type RawDescriptor,
  rawDescriptor,
} from './data.ts';
import {
  parseContent,
  parseEventGroup,
  parseExtendedEvent,
  parseParentalRating,
  parseSeries,
  parseShortEvent,
  parseTimeShiftedEvent,
} from './events.ts';
import {
  parseCableDelivery,
  parseEmergencyInformation,
  parseLocalTimeOffset,
  parseNetworkIdentification,
  parseNetworkName,
  parsePartialReception,
  parsePartialTransportStream,
  parsePartialTsTime,
  parseSatelliteDelivery,
  parseSystemManagement,
  parseTargetRegion,
  parseTerrestrialDelivery,
  parseTsInformation,
} from './networks.ts';
import {
  parseBouquetName,
  parseCountryAvailability,
  parseLdtLinkage,
  parseLinkage,
  parseLogoTransmission,
  parseNvodReference,
  parseService,
  parseServiceGroup,
  parseServiceList,
  parseTimeShiftedService,
} from './services.ts';

type KnownDescriptor = NonNullable<ReturnType<(typeof PARSERS)[number][1]>>;
export type Descriptor = KnownDescriptor | RawDescriptor;
type DescriptorKind = Descriptor['kind'];
type DescriptorOf<Kind extends DescriptorKind> = Extract<Descriptor, { kind: Kind }>;

/** descriptor_tag to parser, ARIB STD-B10 Part 2, table 6-1 and TR-B14/TR-B15. */
const PARSERS = [
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
] as const;

/** Undefined: a field of the body has an impossible value. */
type Parser = (body: Reader) => KnownDescriptor | undefined;

/** The table as an array by tag, so that the loop needs no hash look-up. */
const BY_TAG: readonly (Parser | undefined)[] = Array.from(
  { length: 256 },
  (_, tag) => PARSERS.find(([own]) => own === tag)?.[1],
);

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
