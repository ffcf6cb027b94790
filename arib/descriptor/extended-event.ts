import type { Reader } from '../reader.ts';
import { decodeText, decodeWord } from '../text/text.ts';

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
    const bytes = joined(heading, body);
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
    if (part.text.length > 0) text = text === undefined ? part.text : joined(text, part.text);
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
  return ExtendedItem.of(joined(a.heading, b.heading), joined(a.body, b.body));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
