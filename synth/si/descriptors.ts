/** Descriptors of broadcasts, each with its clause of ARIB STD-B10 Part 2 (6.2) unless stated otherwise. */
import { encodeText } from '../text/encode.ts';
import { ByteWriter, concat } from './bytes.ts';

const MAX_DESCRIPTOR = 255;

/** @throws RangeError if the body is too long */
export function descriptor(tag: number, body: ByteWriter | Uint8Array): Uint8Array {
  const bytes = body instanceof ByteWriter ? body.done() : body;
  return new ByteWriter().u8(tag).counted8(bytes).done();
}

/** Network name descriptor 0x40. */
export function networkName(name: string): Uint8Array {
  return descriptor(0x40, encodeText(name));
}

/** Service list descriptor 0x41. */
export function serviceList(services: readonly { serviceId: number; serviceType: number }[]): Uint8Array {
  const body = new ByteWriter();
  for (const { serviceId, serviceType } of services) body.u16(serviceId).u8(serviceType);
  return descriptor(0x41, body);
}

/** Satellite delivery system descriptor 0x43. `frequency` in units of 10 kHz. */
export function satelliteDelivery(frequency: number): Uint8Array {
  const body = new ByteWriter()
    .bcd(String(frequency).padStart(8, '0'))
    .bcd('1100')
    // East; right-hand circular; modulation 8: as given in the TMCC.
    .u8(0x80 | (3 << 5) | 8)
    // 28.8600 Msymbol/s; inner code 8: as given in the TMCC.
    .bcd('02886008');
  return descriptor(0x43, body);
}

/** Service descriptor 0x48. */
export function service(serviceType: number, provider: string, name: string): Uint8Array {
  return descriptor(
    0x48,
    new ByteWriter().u8(serviceType).counted8(encodeText(provider)).counted8(encodeText(name)),
  );
}

/** Short event descriptor 0x4D. */
export function shortEvent(title: string, text: string): Uint8Array {
  return descriptor(
    0x4d,
    new ByteWriter().letters('jpn').counted8(encodeText(title)).counted8(encodeText(text)),
  );
}

export interface ExtendedItem {
  heading: string;
  text: string;
}

const EXTENDED_OVERHEAD = 6;
/** Of the sixteen possible numbers, as many as leave space for the rest in one section. */
const MAX_EXTENDED = 13;
/** Bytes of an item's text in one descriptor, ARIB TR-B14 vol. 4. */
const ITEM_PIECE = 220;

/**
 * Extended event descriptors 0x4E. An item that is too long for one continues in the next under an empty
 * heading, split between any two bytes: receivers join before they decode.
 */
export function extendedEvent(items: readonly ExtendedItem[]): Uint8Array[] {
  const bodies: ByteWriter[] = [];
  const put = (heading: Uint8Array, text: Uint8Array): void => {
    const needed = 2 + heading.length + text.length;
    let open = bodies.at(-1);
    if (open === undefined || open.length + needed > MAX_DESCRIPTOR - EXTENDED_OVERHEAD) {
      open = new ByteWriter();
      bodies.push(open);
    }
    open.counted8(heading).counted8(text);
  };
  for (const item of items) {
    const text = encodeText(item.text);
    for (let at = 0; at === 0 || at < text.length; at += ITEM_PIECE) {
      put(at === 0 ? encodeText(item.heading) : new Uint8Array(0), text.subarray(at, at + ITEM_PIECE));
    }
  }
  const sent = bodies.slice(0, MAX_EXTENDED);
  return sent.map((body, index) => {
    const numbers = (index << 4) | (sent.length - 1);
    return descriptor(0x4e, new ByteWriter().u8(numbers).letters('jpn').counted8(body.done()).u8(0));
  });
}

/** Component descriptor 0x50. */
export function component(content: number, type: number, tag: number, text: string): Uint8Array {
  const body = new ByteWriter()
    .u8(0xf0 | content)
    .u8(type)
    .u8(tag)
    .letters('jpn')
    .bytes(encodeText(text));
  return descriptor(0x50, body);
}

/** Stream identifier descriptor 0x52. */
export function streamIdentifier(tag: number): Uint8Array {
  return descriptor(0x52, new ByteWriter().u8(tag));
}

/**
 * digital_recording_control_data, no flags, copy_control_type (01 encrypted on outputs, 11 not) and no analogue
 * protection: ARIB TR-B14 and TR-B15 vol. 4.
 */
const COPY_CONTROL = { free: 0x0c, once: 0x84, never: 0xc4 } as const;
/** One generation as signalled by one-segment: copy_control_type 10. */
const PARTIAL_COPY_CONTROL = 0x88;

/** Digital copy control descriptor 0xC1. */
export function copyControl(control: keyof typeof COPY_CONTROL): Uint8Array {
  return descriptor(0xc1, new ByteWriter().u8(COPY_CONTROL[control]));
}

/** Digital copy control descriptor 0xC1 of one-segment. */
export function partialCopyControl(): Uint8Array {
  return descriptor(0xc1, new ByteWriter().u8(PARTIAL_COPY_CONTROL));
}

interface AudioComponent {
  /** 0x02 dual mono, 0x03 stereo. */
  type: number;
  tag: number;
  streamType: number;
  main: boolean;
  languages: readonly string[];
  text: string;
}

/** 48 kHz and quality mode 2 in the flag byte of the audio component descriptor. */
const QUALITY_AND_RATE = (2 << 4) | (7 << 1) | 1;

/** Audio component descriptor 0xC4. */
export function audioComponent(audio: AudioComponent): Uint8Array {
  const [first = 'jpn', second] = audio.languages;
  const body = new ByteWriter()
    .u8(0xf2)
    .u8(audio.type)
    .u8(audio.tag)
    .u8(audio.streamType)
    .u8(0xff)
    .u8((second === undefined ? 0 : 0x80) | (audio.main ? 0x40 : 0) | QUALITY_AND_RATE)
    .letters(first);
  if (second !== undefined) body.letters(second);
  return descriptor(0xc4, body.bytes(encodeText(audio.text)));
}

/** Video decode control descriptor 0xC8: 1 = 1080i, 4 = 480i, 5 = 240p. */
export function videoDecodeControl(format: number): Uint8Array {
  return descriptor(0xc8, new ByteWriter().u8(0x43 | (format << 2)));
}

/** TS information descriptor 0xCD (terrestrial): one kind of transmission for full and one for partial services. */
export function tsInformation(
  remoteControlKey: number,
  name: string,
  transmissions: readonly { kind: number; services: readonly number[] }[],
): Uint8Array {
  const text = encodeText(name);
  const body = new ByteWriter()
    .u8(remoteControlKey)
    .u8((text.length << 2) | transmissions.length)
    .bytes(text);
  for (const { kind, services } of transmissions) {
    body.u8(kind).u8(services.length);
    for (const id of services) body.u16(id);
  }
  return descriptor(0xcd, body);
}

/** Content availability descriptor 0xDE: dubbing limited, temporary storage allowed, output encrypted. */
export function contentAvailability(): Uint8Array {
  return descriptor(0xde, new ByteWriter().u8(0xef));
}

/** Terrestrial delivery system descriptor 0xFA: mode 3, guard 1/8. `frequencies` in units of 1/7 MHz. */
export function terrestrialDelivery(areaCode: number, frequencies: readonly number[]): Uint8Array {
  const body = new ByteWriter().u16((areaCode << 4) | (2 << 2) | 2);
  for (const frequency of frequencies) body.u16(frequency);
  return descriptor(0xfa, body);
}

/** Partial reception descriptor 0xFB. */
export function partialReception(services: readonly number[]): Uint8Array {
  const body = new ByteWriter();
  for (const id of services) body.u16(id);
  return descriptor(0xfb, body);
}

/** System management descriptor 0xFE: 2 BS, 3 terrestrial television, 4 wide-band CS. */
export function systemManagement(broadcastingIdentifier: number): Uint8Array {
  return descriptor(0xfe, new ByteWriter().u8(broadcastingIdentifier).u8(0x01));
}

/** Descriptor loop. */
export function descriptors(...list: readonly Uint8Array[]): Uint8Array {
  return concat(list);
}
