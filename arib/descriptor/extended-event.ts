import type { Reader } from '../reader.ts';
import { decodeText } from '../text/text.ts';

/**
 * Extended event descriptor, tag 0x4E. ARIB STD-B10 Part 2, 6.2.7. Texts stay octets: an item may go on in the
 * next descriptor, even within a character, so only `joinExtendedEvents` can decode them.
 */
export interface ExtendedEventDescriptor {
  readonly kind: 'extended_event';
  /** descriptor_number, 4 bits, from 0. */
  readonly number: number;
  readonly lastNumber: number;
  readonly language: string;
  readonly items: readonly ExtendedItem[];
  /** text_char; operated empty. */
  readonly text: Uint8Array;
}

export interface ExtendedItem {
  /** item_description_char. */
  readonly heading: Uint8Array;
  /** item_char. */
  readonly body: Uint8Array;
}

export function parseExtendedEvent(r: Reader): ExtendedEventDescriptor {
  const numbers = r.u8();
  const language = r.language();
  const loop = r.slice(r.u8());
  const items: ExtendedItem[] = [];
  while (loop.remaining > 0) {
    const item = { heading: loop.take(loop.u8()), body: loop.take(loop.u8()) };
    if (loop.exhausted) break;
    items.push(item);
  }
  const text = r.take(r.u8());
  return { kind: 'extended_event', number: numbers >> 4, lastNumber: numbers & 0x0f, language, items, text };
}

/** The items of an event in one language, whole. */
export interface ExtendedText {
  readonly language: string;
  /** Heading and body in order of broadcast; a heading occurs once, its paragraphs are joined by line feeds. */
  readonly items: readonly (readonly [heading: string, body: string])[];
  readonly text: string;
}

/**
 * Joins the descriptors of an event. An item without a heading goes on with the one before, octet by octet
 * (ARIB TR-B14 Vol. 4, TR-B15: long texts); a heading cut at the end of a descriptor goes on at the start of the
 * next. Descriptors may come in any order and more than once; after a missing one nothing is continued.
 */
export function joinExtendedEvents(descriptors: readonly ExtendedEventDescriptor[]): ExtendedText[] {
  const languages = new Map<string, ExtendedEventDescriptor[]>();
  for (const descriptor of descriptors) {
    const same = languages.get(descriptor.language);
    if (same === undefined) languages.set(descriptor.language, [descriptor]);
    else if (!same.some((other) => other.number === descriptor.number)) same.push(descriptor);
  }
  return Array.from(languages, ([language, parts]) => {
    parts.sort((a, b) => a.number - b.number);
    const text = decodeText(concatenate(parts.map((part) => part.text)));
    return { language, items: paragraphs(joinItems(parts)), text };
  });
}

interface JoinedItem {
  readonly heading: Uint8Array[];
  readonly body: Uint8Array[];
}

function joinItems(parts: readonly ExtendedEventDescriptor[]): JoinedItem[] {
  const items: JoinedItem[] = [];
  let previous: JoinedItem | undefined;
  let expected = 0;
  for (const part of parts) {
    if (part.number !== expected) previous = undefined;
    expected = part.number + 1;
    for (const [index, { heading, body }] of part.items.entries()) {
      const headingWasCut = index === 0 && previous?.body.every((piece) => piece.length === 0);
      if (previous !== undefined && (heading.length === 0 || headingWasCut)) {
        previous.heading.push(heading);
        previous.body.push(body);
      } else {
        previous = { heading: [heading], body: [body] };
        items.push(previous);
      }
    }
  }
  return items;
}

function paragraphs(items: readonly JoinedItem[]): [string, string][] {
  const byHeading = new Map<string, string>();
  for (const item of items) {
    const heading = decodeText(concatenate(item.heading));
    const body = decodeText(concatenate(item.body));
    const before = byHeading.get(heading);
    byHeading.set(heading, before === undefined ? body : `${before}\n${body}`);
  }
  return [...byHeading];
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
