/**
 * Descriptors of stations, networks and data, each with its clause of ARIB STD-B10 Part 2 (6.2) unless stated
 * otherwise. Those of events and streams are in `descriptors.ts`.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { encodeText } from '../text/encode.ts';
import { ByteWriter } from './bytes.ts';
import { descriptor } from './descriptors.ts';

/** CA_system_id of the cards of BS, CS and terrestrial receivers: ARIB STD-B25 Part 1. */
const CARD_SYSTEM = 0x0005;

/** CA_system_id of the protection of terrestrial broadcasts that needs no card. */
const PROTECTION_SYSTEM = 0x000e;

/**
 * Access control descriptor 0xF6, ARIB TR-B14 vol. 4: like the following one, with a transmission_type before
 * the PID.
 */
export function accessControl(pid: Pid, privateData: readonly number[] = []): Uint8Array {
  return descriptor(0xf6, new ByteWriter().u16(PROTECTION_SYSTEM).pid(pid).bytes(privateData));
}

/** Conditional access descriptor 0x09, ISO/IEC 13818-1 2.6.16: ECM in a PMT, EMM in a CAT. */
export function conditionalAccess(pid: Pid): Uint8Array {
  return descriptor(0x09, new ByteWriter().u16(CARD_SYSTEM).pid(pid));
}

/** Application signalling descriptor 0x6F, ETSI TS 102 809 5.3.5.1. */
export function applicationSignalling(applicationType: number, version: number): Uint8Array {
  return descriptor(0x6f, new ByteWriter().u16(0x8000 | applicationType).u8(0xe0 | version));
}

/** CA contract info descriptor 0xCB, ARIB STD-B25 Part 1, 4.7.2: the price of the default components. */
export function caContractInfo(
  components: readonly number[],
  verification: Uint8Array,
  fee: string,
): Uint8Array {
  const body = new ByteWriter()
    .u16(CARD_SYSTEM)
    // CA_unit_id 1: the billing unit of the default components.
    .u8((1 << 4) | components.length)
    .bytes(components)
    .counted8(verification)
    .counted8(encodeText(fee));
  return descriptor(0xcb, body);
}

/** CA service descriptor 0xCC, ARIB STD-B25 Part 1, 4.7.3: where automatic messages are shown, without delay. */
export function caService(broadcasterGroup: number, services: readonly number[]): Uint8Array {
  const body = new ByteWriter().u16(CARD_SYSTEM).u8(broadcasterGroup).u8(0);
  for (const id of services) body.u16(id);
  return descriptor(0xcc, body);
}

/** Extended broadcaster descriptor 0xCE of terrestrial television, 6.2.43; one with no other broadcaster. */
export function extendedBroadcaster(broadcasterId: number, affiliations: readonly number[]): Uint8Array {
  const body = new ByteWriter()
    .u8(0x1f)
    .u16(broadcasterId)
    .u8(affiliations.length << 4)
    .bytes(affiliations);
  return descriptor(0xce, body);
}

/** Logo transmission descriptor 0xCF, 6.2.44, type 1: in the CDT of a download_data_id. */
export function logoInCdt(logoId: number, logoVersion: number, downloadDataId: number): Uint8Array {
  const body = new ByteWriter()
    .u8(1)
    .u16(0xfe00 | logoId)
    .u16(0xf000 | logoVersion)
    .u16(downloadDataId);
  return descriptor(0xcf, body);
}

/** Type 2: the logo of another service with the same logo_id. */
export function logoShared(logoId: number): Uint8Array {
  return descriptor(0xcf, new ByteWriter().u8(2).u16(0xfe00 | logoId));
}

/** Type 3: letters. */
export function logoLetters(text: string): Uint8Array {
  return descriptor(0xcf, new ByteWriter().u8(3).bytes(encodeText(text)));
}

/** SI parameter descriptor 0xD7, 6.2.35. `day` is a modified Julian date. */
export function siParameter(
  version: number,
  day: number,
  tables: readonly { tableId: number; parameters: Uint8Array }[],
): Uint8Array {
  const body = new ByteWriter().u8(version).u16(day);
  for (const { tableId, parameters } of tables) body.u8(tableId).counted8(parameters);
  return descriptor(0xd7, body);
}

/** Broadcaster name descriptor 0xD8, 6.2.36. */
export function broadcasterName(name: string): Uint8Array {
  return descriptor(0xd8, encodeText(name));
}

/** Data component descriptor 0xFD, 6.2.20. */
export function dataComponent(id: number, info: Uint8Array): Uint8Array {
  return descriptor(0xfd, new ByteWriter().u16(id).bytes(info));
}

/**
 * data_component_id of BML by broadcast type, and the version stated in its documents: ARIB STD-B24 vol. 2.
 */
const BML = {
  GR: { id: 0x000c, major: 3 },
  BS: { id: 0x0007, major: 1 },
  CS: { id: 0x000b, major: 2 },
} as const;

/**
 * Data component descriptor of the carousel with the startup document: additional_arib_bxml_info and
 * additional_arib_carousel_info, ARIB STD-B24 vol. 2 part 1, 9.3. @param isStandard its plane is 720x480
 */
export function bmlComponent(type: keyof typeof BML, isStandard = false): Uint8Array {
  const { id, major } = BML[type];
  const info = new ByteWriter()
    // transmission_format 0 (data carousel), entry_point_flag, auto_start_flag; resolution in 16:9, 3: 960x540,
    // 4: 640x480, whose plane is 720x480.
    .u8(isStandard ? 0x34 : 0x33)
    // use_xml 0, default_version_flag 0, independent_flag, style_for_tv_flag, reserved.
    .u8(0x3f)
    .u16(major)
    .u16(0)
    // data_event_id 0xF, event_section_flag, reserved; on demand, not to be stored, priority 1, reserved.
    .u8(0xff)
    .u8(0xbf);
  return dataComponent(id, info.done());
}

/** Data component descriptor of a further component of the document: no entry point, no resolution. */
export function bmlFurtherComponent(type: keyof typeof BML): Uint8Array {
  return dataComponent(BML[type].id, Uint8Array.of(0x1f, 0xff, 0xbf));
}

/** data_component_id of BML for one segment. */
const PARTIAL_BML = 0x000d;

/** Data component descriptors of one-segment documents, like `bmlComponent` and `bmlFurtherComponent`. */
export function partialBmlComponent(isEntry: boolean): Uint8Array {
  const info = isEntry ? [0x3f, 0x2f, 0x00, 0x0c, 0x00, 0x00, 0xff, 0xbf] : [0x1f, 0xff, 0xbf];
  return dataComponent(PARTIAL_BML, Uint8Array.from(info));
}

/** data_component_id of captions and superimposed text alike. */
const CAPTIONS = 0x0008;
/**
 * Data component descriptor of captions: additional_arib_caption_info, ARIB STD-B24 vol. 1 part 3, 9.6.1. DMF
 * 3 as used by broadcasters, reserved; timing 1 with the programme, 0 asynchronous.
 */
export function captionComponent(timing: 'programme' | 'asynchronous'): Uint8Array {
  return dataComponent(CAPTIONS, Uint8Array.of(0x3c | (timing === 'programme' ? 1 : 0)));
}

/** data_component_id of one-segment captions. */
const PARTIAL_CAPTIONS = 0x0012;

/** Data component descriptor of one-segment captions: DMF 10, timing 1. */
export function partialCaptionComponent(): Uint8Array {
  return dataComponent(PARTIAL_CAPTIONS, Uint8Array.of(0xad));
}
