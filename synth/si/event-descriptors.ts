/** Descriptors of events, each with its clause of ARIB STD-B10 Part 2 (6.2); operation by TR-B14 and TR-B15 vol. 4. */
import type { EventGroup, Series } from '../guide/programme.ts';
import { encodeText } from '../text/encode.ts';
import { ByteWriter } from './bytes.ts';
import { descriptor } from './descriptors.ts';
import { encodeJstTime } from './jst-time.ts';

/**
 * content_nibble_level_1 and _2 of notes on the programme (Annex H): those of terrestrial and BS broadcasts.
 */
const NOTES = 0xe0;
const USER_UNUSED = 0xff;

/** Content descriptor 0x54: genres, then notes in the user nibbles of an entry each. */
export function content(
  genres: readonly (readonly [number, number])[],
  notes: readonly number[],
): Uint8Array {
  const body = new ByteWriter();
  for (const [level1, level2] of genres) body.u8((level1 << 4) | level2).u8(USER_UNUSED);
  for (const note of notes) body.u8(NOTES).u8(note);
  return descriptor(0x54, body);
}

/** Ages are sent minus three. */
const AGE_OFFSET = 3;

/** Parental rating descriptor 0x55. */
export function parentalRating(minimumAge: number): Uint8Array {
  return descriptor(0x55, new ByteWriter().letters('JPN').u8(minimumAge - AGE_OFFSET));
}

/** Series descriptor 0xD5. */
export function series(of: Series): Uint8Array {
  const hasEnd = of.expireAt !== null;
  const day = of.expireAt === null ? [0xff, 0xff] : encodeJstTime(of.expireAt).slice(0, 2);
  const body = new ByteWriter()
    .u16(of.id)
    .u8((of.repeatLabel << 4) | (of.pattern << 1) | (hasEnd ? 1 : 0))
    .bytes(day)
    // episode_number and last_episode_number, 12 bits each.
    .u24((of.episode << 12) | of.lastEpisode)
    .bytes(encodeText(of.name));
  return descriptor(0xd5, body);
}

const GROUP_TYPE = { shared: 1, relay: 2, movement: 3, 'relay-network': 4, 'movement-network': 5 } as const;

/** Event group descriptor 0xD6. */
export function eventGroup({ kind, events, others }: EventGroup): Uint8Array {
  const body = new ByteWriter().u8((GROUP_TYPE[kind] << 4) | events.length);
  for (const { serviceId, eventId } of events) body.u16(serviceId).u16(eventId);
  for (const { networkId, transportStreamId, serviceId, eventId } of others) {
    body.u16(networkId).u16(transportStreamId).u16(serviceId).u16(eventId);
  }
  return descriptor(0xd6, body);
}

interface DataContent {
  /** data_component_id: 0x0008 captions; 0x000C, 0x0007 and 0x000B documents of terrestrial, BS and CS. */
  dataComponentId: number;
  /** component_tag to start with. */
  entry: number;
  selector: Uint8Array;
  text: string;
}

/** Data content descriptor 0xC7. */
export function dataContent({ dataComponentId, entry, selector, text }: DataContent): Uint8Array {
  const body = new ByteWriter()
    .u16(dataComponentId)
    .u8(entry)
    .counted8(selector)
    // num_of_component_ref 0.
    .u8(0)
    .letters('jpn')
    .counted8(encodeText(text));
  return descriptor(0xc7, body);
}

/** DMF as used by broadcasters, for reception and recordings (ARIB STD-B24 vol. 1 part 3, 9.6.1). */
const DISPLAY_MODE = 0x03;

/** Selector of captions in the data content descriptor, ARIB STD-B24 vol. 1 part 3, 9.6.2. */
export function captionInfo(languages: readonly string[]): Uint8Array {
  const body = new ByteWriter().u8(languages.length);
  for (const [tag, language] of languages.entries()) {
    // language_tag 3, reserved 1, DMF 4.
    body.u8((tag << 5) | 0x10 | DISPLAY_MODE).letters(language);
  }
  return body.done();
}
