/** Descriptors of events: their texts, genres, groups and series. */
import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import { joinBytes } from '../join-bytes.ts';
import type { Reader } from '../reader.ts';
import { decodeText, decodeWord, readText } from '../text/text.ts';
import { type BroadcastMs, jstTime } from '../time.ts';

/** Short event descriptor, tag 0x4D. ARIB STD-B10 Part 2, 6.2.15. */
export interface ShortEventDescriptor {
  readonly kind: 'short_event';
  readonly language: string;
  readonly name: string;
  readonly text: string;
}

export function parseShortEvent(r: Reader): ShortEventDescriptor {
  return {
    kind: 'short_event',
    language: r.language(),
    name: readText(r, r.u8()),
    text: readText(r, r.u8()),
  };
}

/**
 * Extended event descriptor, tag 0x4E. ARIB STD-B10 Part 2, 6.2.7. Texts are not decoded here: an item may continue
 * in the next descriptor, even within a character, so only `joinExtendedEvents` can decode them.
 */
export interface ExtendedEventDescriptor {
  readonly kind: 'extended_event';
  /** descriptor_number, 4 bits, from 0. */
  readonly number: number;
  readonly lastNumber: number;
  readonly language: string;
  readonly items: readonly ExtendedItem[];
  /** text_char; empty in operation. */
  readonly text: Uint8Array;
}

/** Stores two ranges of octets, and creates views on demand, because reading a complete guide needs few of them. */
export class ExtendedItem {
  constructor(
    readonly bytes: Uint8Array,
    readonly headingStart: number,
    readonly headingEnd: number,
    readonly bodyStart: number,
    readonly bodyEnd: number,
  ) {}

  /** An item with octets from different places. */
  static of(heading: Uint8Array, body: Uint8Array): ExtendedItem {
    const bytes = joinBytes([heading, body]);
    return new ExtendedItem(bytes, 0, heading.length, heading.length, bytes.length);
  }

  /** item_description_char. */
  get heading(): Uint8Array {
    return this.bytes.subarray(this.headingStart, this.headingEnd);
  }

  /** item_char. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.bodyStart, this.bodyEnd);
  }
}

export function parseExtendedEvent(r: Reader): ExtendedEventDescriptor {
  const numbers = r.u8();
  const language = r.language();
  const items = r.span(r.u8(), readItems);
  const text = r.take(r.u8());
  return { kind: 'extended_event', number: numbers >> 4, lastNumber: numbers & 0x0f, language, items, text };
}

/** item_description_length 8, item_description_char, item_length 8, item_char; a truncated item ends the parsing. */
function readItems(bytes: Uint8Array, start: number, end: number): ExtendedItem[] {
  const items: ExtendedItem[] = [];
  let at = start;
  while (at < end) {
    const headingEnd = at + 1 + (bytes[at] as number);
    if (headingEnd >= end) break;
    const bodyEnd = headingEnd + 1 + (bytes[headingEnd] as number);
    if (bodyEnd > end) break;
    items.push(new ExtendedItem(bytes, at + 1, headingEnd, headingEnd + 1, bodyEnd));
    at = bodyEnd;
  }
  return items;
}

/** The complete items of an event in one language. */
interface ExtendedText {
  readonly language: string;
  /** Heading and body in order of broadcast; a heading occurs once, with its paragraphs joined by line feeds. */
  readonly items: readonly (readonly [heading: string, body: string])[];
  readonly text: string;
}

/**
 * Joins the descriptors of an event. An item without a heading continues the previous one, octet by octet (ARIB
 * TR-B14 Vol. 4, TR-B15: long texts); a heading truncated at the end of a descriptor continues at the start of the
 * next. Descriptors may arrive in any order and repeatedly; after a missing one nothing is continued.
 */
export function joinExtendedEvents(descriptors: readonly ExtendedEventDescriptor[]): ExtendedText[] {
  if (inOrder(descriptors))
    return descriptors[0] === undefined ? [] : [join(descriptors[0].language, descriptors)];
  const languages = new Map<string, ExtendedEventDescriptor[]>();
  for (const descriptor of descriptors) {
    const same = languages.get(descriptor.language);
    if (same === undefined) languages.set(descriptor.language, [descriptor]);
    else if (!same.some((other) => other.number === descriptor.number)) same.push(descriptor);
  }
  return Array.from(languages, ([language, parts]) =>
    join(
      language,
      parts.sort((a, b) => a.number - b.number),
    ),
  );
}

/** Descriptors of one language without duplicates, in ascending order. */
function inOrder(descriptors: readonly ExtendedEventDescriptor[]): boolean {
  let before: ExtendedEventDescriptor | undefined;
  for (const descriptor of descriptors) {
    if (before !== undefined && before.language !== descriptor.language) return false;
    if (before !== undefined && before.number >= descriptor.number) return false;
    before = descriptor;
  }
  return true;
}

function join(language: string, parts: readonly ExtendedEventDescriptor[]): ExtendedText {
  let text: Uint8Array | undefined;
  for (const part of parts) {
    if (part.text.length > 0) text = text === undefined ? part.text : joinBytes([text, part.text]);
  }
  return { language, items: paragraphs(joinItems(parts)), text: text === undefined ? '' : decodeText(text) };
}

function joinItems(parts: readonly ExtendedEventDescriptor[]): ExtendedItem[] {
  const items: ExtendedItem[] = [];
  let previous: ExtendedItem | undefined;
  let expected = 0;
  for (const part of parts) {
    if (part.number !== expected) previous = undefined;
    expected = part.number + 1;
    let first = true;
    for (const item of part.items) {
      const headingWasCut = first && previous?.bodyStart === previous?.bodyEnd;
      first = false;
      const isContinued = item.headingStart === item.headingEnd || headingWasCut;
      if (previous !== undefined && isContinued) {
        previous = joinedItem(previous, item);
        items[items.length - 1] = previous;
      } else {
        previous = item;
        items.push(item);
      }
    }
  }
  return items;
}

function paragraphs(items: readonly ExtendedItem[]): [string, string][] {
  const result: [string, string][] = [];
  for (const { bytes, headingStart, headingEnd, bodyStart, bodyEnd } of items) {
    const heading = decodeWord(bytes, headingStart, headingEnd);
    const body = decodeText(bytes, bodyStart, bodyEnd);
    // An event has few headings: a linear search is cheaper than a map.
    const before = result.find((paragraph) => paragraph[0] === heading);
    if (before === undefined) result.push([heading, body]);
    else before[1] = `${before[1]}\n${body}`;
  }
  return result;
}

function joinedItem(a: ExtendedItem, b: ExtendedItem): ExtendedItem {
  return ExtendedItem.of(joinBytes([a.heading, b.heading]), joinBytes([a.body, b.body]));
}

/** Content descriptor, tag 0x54: the genres of an event. ARIB STD-B10 Part 2, 6.2.4 and Annex H. */
interface ContentDescriptor {
  readonly kind: 'content';
  readonly genres: readonly ContentGenre[];
}

export interface ContentGenre {
  /** content_nibble_level_1: major genre; 0xE = extension, whose code is in the user nibbles. */
  readonly lv1: number;
  /** content_nibble_level_2. */
  readonly lv2: number;
  readonly user1: number;
  readonly user2: number;
}

export function parseContent(r: Reader): ContentDescriptor {
  const genres: ContentGenre[] = [];
  while (r.remaining > 0) {
    const content = r.u8();
    const user = r.u8();
    genres.push({ lv1: content >> 4, lv2: content & 0x0f, user1: user >> 4, user2: user & 0x0f });
  }
  return { kind: 'content', genres };
}

/** Event group descriptor, tag 0xD6. ARIB STD-B10 Part 2, 6.2.34. */
export interface EventGroupDescriptor {
  readonly kind: 'event_group';
  readonly group: EventGroupType;
  /** Events of this transport stream (of this network for relay and movement). */
  readonly events: readonly GroupedEvent[];
  /** Events of other networks, in the types to and from another network. */
  readonly otherNetworkEvents: readonly OtherNetworkEvent[];
}

/**
 * group_type, 4 bits. 'shared': one programme on several services; 'relay': it continues there; 'movement': it moved
 * from there; the last two to and from another network.
 */
type EventGroupType = (typeof GROUP_TYPES)[number] | 'unknown';

const GROUP_TYPES = ['shared', 'relay', 'movement', 'relay-network', 'movement-network'] as const;

interface GroupedEvent {
  readonly serviceId: ServiceId;
  readonly eventId: EventId;
}

interface OtherNetworkEvent extends GroupedEvent {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
}

export function parseEventGroup(r: Reader): EventGroupDescriptor {
  const header = r.u8();
  const group = GROUP_TYPES[(header >> 4) - 1] ?? 'unknown';
  const events: GroupedEvent[] = [];
  for (let left = header & 0x0f; left > 0; left--) {
    events.push({ serviceId: r.u16() as ServiceId, eventId: r.u16() as EventId });
  }
  const otherNetworkEvents: OtherNetworkEvent[] = [];
  if (group === 'relay-network' || group === 'movement-network') {
    while (r.remaining > 0) {
      otherNetworkEvents.push({
        originalNetworkId: r.u16() as NetworkId,
        transportStreamId: r.u16() as TransportStreamId,
        serviceId: r.u16() as ServiceId,
        eventId: r.u16() as EventId,
      });
    }
  }
  // The other types end with private data.
  return { kind: 'event_group', group, events, otherNetworkEvents };
}

/** Series descriptor, tag 0xD5. ARIB STD-B10 Part 2, 6.2.33. */
export interface SeriesDescriptor {
  readonly kind: 'series';
  /** Unique among the series of a broadcaster. */
  readonly seriesId: number;
  /** repeat_label, 4 bits: 0 the first run. */
  readonly repeatLabel: number;
  /** program_pattern, 3 bits: 0 irregular, 1 daily, 2 weekly, 3 monthly, 4 several a day, 5 a split programme. */
  readonly pattern: number;
  /** Start (JST) of the last day of the series. */
  readonly expireDate: BroadcastMs | undefined;
  /** 12 bits; 0 = not defined. */
  readonly episodeNumber: number;
  readonly lastEpisodeNumber: number;
  readonly name: string;
}

export function parseSeries(r: Reader): SeriesDescriptor {
  const seriesId = r.u16();
  const flags = r.u8();
  const expireMjd = r.u16();
  const episodes = r.u24();
  return {
    kind: 'series',
    seriesId,
    repeatLabel: flags >> 4,
    pattern: (flags >> 1) & 0x07,
    // expire_date_valid_flag 1
    expireDate: (flags & 0x01) !== 0 ? jstTime(expireMjd, 0, 0, 0) : undefined,
    episodeNumber: episodes >> 12,
    lastEpisodeNumber: episodes & 0x0fff,
    name: readText(r, r.remaining),
  };
}

/** Parental rating descriptor, tag 0x55. ARIB STD-B10 Part 2, 6.2.12. */
interface ParentalRatingDescriptor {
  readonly kind: 'parental_rating';
  readonly ratings: readonly ParentalRating[];
}

interface ParentalRating {
  /** ISO 3166 code of three letters; JPN. */
  readonly country: string;
  /** Minimum age; undefined: not defined, or defined by the broadcaster's `rating`. */
  readonly minimumAge: number | undefined;
  /** As sent: 1 to 0x11 are the age minus three. */
  readonly rating: number;
}

const LOWEST_AGE = 3;
const LAST_AGE_CODE = 0x11;

export function parseParentalRating(r: Reader): ParentalRatingDescriptor {
  const ratings: ParentalRating[] = [];
  while (r.remaining > 0) {
    const country = r.language();
    const rating = r.u8();
    const minimumAge = rating > 0 && rating <= LAST_AGE_CODE ? rating + LOWEST_AGE : undefined;
    ratings.push({ country, minimumAge, rating });
  }
  return { kind: 'parental_rating', ratings };
}
