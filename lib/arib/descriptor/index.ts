/**
 * The supported descriptors: their union, the table from tag to parser, and the loop that reads them. A tag
 * without a parser, and a body that is too short for its own fields or has impossible values, stay raw.
 */
import type { Reader } from '../reader.ts';
import {
  parseAccessControl,
  parseCaContractInfo,
  parseCaService,
  parseConditionalAccess,
  parseContentAvailability,
  parseDigitalCopyControl,
} from './access.ts';
import { parseBroadcasterName, parseExtendedBroadcaster, parseSiParameter } from './broadcasters.ts';
import {
  parseAudioComponent,
  parseComponent,
  parseStreamIdentifier,
  parseVideoDecodeControl,
} from './components.ts';
import {
  parseApplicationSignalling,
  parseDataComponent,
  parseDataContent,
  parseDownloadContent,
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
} from './events.ts';
import {
  parseNetworkName,
  parsePartialReception,
  parseSatelliteDelivery,
  parseSystemManagement,
  parseTerrestrialDelivery,
  parseTsInformation,
} from './networks.ts';
import { parseLogoTransmission, parseService, parseServiceList } from './services.ts';

type KnownDescriptor = NonNullable<ReturnType<(typeof PARSERS)[number][1]>>;
export type Descriptor = KnownDescriptor | RawDescriptor;
type DescriptorKind = Descriptor['kind'];
type DescriptorOf<Kind extends DescriptorKind> = Extract<Descriptor, { kind: Kind }>;

/** descriptor_tag to parser, ARIB STD-B10 Part 2, table 6-1 and TR-B14/TR-B15. */
const PARSERS = [
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
  [0x55, parseParentalRating],
  [0x6f, parseApplicationSignalling],
  [0xc1, parseDigitalCopyControl],
  [0xc4, parseAudioComponent],
  [0xc7, parseDataContent],
  [0xc8, parseVideoDecodeControl],
  [0xc9, parseDownloadContent],
  [0xcb, parseCaContractInfo],
  [0xcc, parseCaService],
  [0xcd, parseTsInformation],
  [0xce, parseExtendedBroadcaster],
  [0xcf, parseLogoTransmission],
  [0xd5, parseSeries],
  [0xd6, parseEventGroup],
  [0xd7, parseSiParameter],
  [0xd8, parseBroadcasterName],
  [0xde, parseContentAvailability],
  [0xf6, parseAccessControl],
  [0xfa, parseTerrestrialDelivery],
  [0xfb, parsePartialReception],
  [0xfd, parseDataComponent],
  [0xfe, parseSystemManagement],
] as const;

/** Undefined: a field of the body has an impossible value. */
type Parser = (body: Reader) => KnownDescriptor | undefined;

/** The table as an array by tag, so that the loop needs no hash look-up. */
const BY_TAG = new Array<Parser | undefined>(256).fill(undefined);
for (const [tag, parser] of PARSERS) BY_TAG[tag] = parser;

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
