/**
 * Stream descriptors of a data broadcast: event messages and NPT references in sections of table_id 0x3D.
 * ISO/IEC 13818-6, 8 and 9.2.7; ARIB STD-B24 Vol. 3, 7.1 and 7.2; operation: TR-B14 Vol. 3.
 */
import { Reader } from '../reader.ts';
import { PTS_MODULUS, type Pts90k, pts90k, unwrapPts } from '../time.ts';
import type { Section } from '../ts/section.ts';

export interface StreamDescriptors {
  /** 4 bits of table_id_extension; the other 12 are the event_msg_group_id. */
  readonly dataEventId: number;
  readonly descriptors: readonly (NptReferenceDescriptor | EventMessage)[];
}

/** NPT reference descriptor, tag 0x17: at the time `stc` the NPT is `npt`. */
export interface NptReferenceDescriptor {
  readonly kind: 'npt_reference';
  readonly postDiscontinuity: boolean;
  /** dsm_contentId, 7 bits. */
  readonly contentId: number;
  readonly stc: Pts90k;
  /** 33 bits of 90 kHz, like `stc`. */
  readonly npt: Pts90k;
  /** 1/1 while the NPT advances, 0/1 while it stands still. */
  readonly scaleNumerator: number;
  readonly scaleDenominator: number;
}

/** General event descriptor, tag 0x40. */
export interface EventMessage {
  readonly kind: 'event_message';
  /** event_msg_group_id, 12 bits. */
  readonly groupId: number;
  /** When it fires: on arrival (time_mode 0) or at an NPT (time_mode 2). */
  readonly npt: Pts90k | null;
  /** event_msg_type, 8 bits. */
  readonly type: number;
  /** Octets of event_msg_id. */
  readonly id: number;
  readonly version: number;
  readonly privateData: Uint8Array;
}

const TABLE_ID = 0x3d;
const NPT_REFERENCE = 0x17;
const GENERAL_EVENT = 0x40;
const IMMEDIATE = 0;
const AT_NPT = 2;

/** Undefined if the section is none of these or a length in it is wrong. Other descriptors are skipped. */
export function parseStreamDescriptors(section: Section): StreamDescriptors | undefined {
  if (section.tableId !== TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const descriptors: (NptReferenceDescriptor | EventMessage)[] = [];
  while (r.remaining > 0) {
    const tag = r.u8();
    const body = r.slice(r.u8());
    if (r.exhausted) return undefined;
    const read =
      tag === NPT_REFERENCE ? readReference(body) : tag === GENERAL_EVENT ? readEvent(body) : undefined;
    if (read !== undefined && !body.exhausted) descriptors.push(read);
  }
  return { dataEventId: section.extension >> 12, descriptors };
}

/** 33 bits after seven others. */
function readTime(r: Reader): Pts90k {
  const high = r.u8() & 0x01;
  return pts90k(high * 2 ** 32 + r.u32());
}

function readReference(r: Reader): NptReferenceDescriptor {
  // postDiscontinuityIndicator 1, dsm_contentId 7
  const head = r.u8();
  const stc = readTime(r); // reserved 7, STC_reference 33
  r.skip(3); // reserved 31 with the next 7
  const npt = readTime(r);
  const scale = { scaleNumerator: r.u16(), scaleDenominator: r.u16() };
  return {
    kind: 'npt_reference',
    postDiscontinuity: (head & 0x80) !== 0,
    contentId: head & 0x7f,
    stc,
    npt,
    ...scale,
  };
}

/** Undefined for the time modes that broadcasts do not operate. */
function readEvent(r: Reader): EventMessage | undefined {
  const groupId = r.u16() >> 4;
  const mode = r.u8();
  const time = readTime(r); // event_msg_NPT after 7 reserved bits; 40 reserved bits in mode 0
  const fields = { type: r.u8(), id: r.u8(), version: r.u8(), privateData: r.rest() };
  if (mode !== IMMEDIATE && mode !== AT_NPT) return undefined;
  return { kind: 'event_message', groupId, npt: mode === AT_NPT ? time : null, ...fields };
}

/**
 * The system time at which the NPT is `npt`, nearest to the reference; undefined while the NPT stands still. Times are
 * compared modulo 2^33.
 */
export function stcOfNpt(reference: NptReferenceDescriptor, npt: Pts90k): Pts90k | undefined {
  const { scaleNumerator, scaleDenominator } = reference;
  if (scaleNumerator === 0 || scaleDenominator === 0) return undefined;
  const ticks = unwrapPts(npt, reference.npt) - reference.npt;
  return pts90k(Math.round(reference.stc + (ticks * scaleDenominator) / scaleNumerator) % PTS_MODULUS);
}
