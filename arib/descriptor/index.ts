/**
 * The descriptors that this project reads: their union, the table from tag to parser, and the loop that reads
 * them. One descriptor a file; a tag without a parser, and a body that ends before its own fields do, stay raw.
 */
import { Reader } from '../reader.ts';
import { type ConditionalAccessDescriptor, parseConditionalAccess } from './conditional-access.ts';
import { type DataComponentDescriptor, parseDataComponent } from './data-component.ts';
import { type RawDescriptor, rawDescriptor } from './raw.ts';
import { parseStreamIdentifier, type StreamIdentifierDescriptor } from './stream-identifier.ts';

type KnownDescriptor = ConditionalAccessDescriptor | DataComponentDescriptor | StreamIdentifierDescriptor;

export type Descriptor = KnownDescriptor | RawDescriptor;
export type DescriptorKind = Descriptor['kind'];
export type DescriptorOf<Kind extends DescriptorKind> = Extract<Descriptor, { kind: Kind }>;

type Parser = (body: Reader) => KnownDescriptor;

/** descriptor_tag to parser, ARIB STD-B10 Part 2, table 6-1 and TR-B14/TR-B15. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [0x09, parseConditionalAccess],
  [0x52, parseStreamIdentifier],
  [0xfd, parseDataComponent],
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
    const data = r.take(r.u8());
    if (r.exhausted) break;
    descriptors.push(parseDescriptor(tag, data));
  }
  return descriptors;
}

function parseDescriptor(tag: number, data: Uint8Array): Descriptor {
  const parse = BY_TAG[tag];
  if (parse !== undefined) {
    const body = new Reader(data);
    const parsed = parse(body);
    if (!body.exhausted) return parsed;
  }
  return rawDescriptor(tag, data);
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
