import { expect, test } from 'bun:test';
import { longSection } from '../../../test/stream-builder.ts';
import { pts90k } from '../time.ts';
import { readSection, type Section } from '../ts/section.ts';
import { type NptReferenceDescriptor, parseStreamDescriptors, stcOfNpt } from './stream-descriptors.ts';

function octets(hex: string): number[] {
  return [...Uint8Array.fromHex(hex.replace(/\/\/.*/g, '').replace(/\s/g, ''))];
}

function sectionOf(body: number[], extension = 0xf001): Section {
  const section = readSection(longSection({ tableId: 0x3d, extension, body }));
  if (section === undefined) throw new Error('no section');
  return section;
}

const REFERENCE = octets(`
  17 12             // NPT reference descriptor
  85                // postDiscontinuityIndicator, dsm_contentId 5
  FF 80 00 00 01    // reserved, STC_reference
  FF FF FF FE 00 00 01 00 // reserved, NPT_reference
  00 01 00 01       // scale
`);
const IMMEDIATE = octets(`
  40 0E
  00 1F             // event_msg_group_id 1, reserved
  00 FF FF FF FF FF // time_mode, reserved
  02 03 04          // event_msg_type, event_msg_id
  61 62 63          // private_data
`);
const AT_NPT = octets('40 0B 00 0F 02 FF 12 34 56 78 01 02 FF');
const RESERVED_MODE = octets('40 0B 00 0F 07 FF 12 34 56 78 01 02 FF');

test('stream descriptors: every field', () => {
  const body = [...REFERENCE, ...IMMEDIATE, 0x55, 1, 0, ...AT_NPT, ...RESERVED_MODE];
  expect(parseStreamDescriptors(sectionOf(body))).toEqual({
    dataEventId: 15,
    descriptors: [
      {
        kind: 'npt_reference',
        postDiscontinuity: true,
        contentId: 5,
        stc: pts90k(0x1_8000_0001),
        npt: pts90k(0x100),
        scaleNumerator: 1,
        scaleDenominator: 1,
      },
      {
        kind: 'event_message',
        groupId: 1,
        npt: null,
        type: 2,
        id: 3,
        version: 4,
        privateData: Uint8Array.of(0x61, 0x62, 0x63),
      },
      {
        kind: 'event_message',
        groupId: 0,
        npt: pts90k(0x1_1234_5678),
        type: 1,
        id: 2,
        version: 255,
        privateData: new Uint8Array(0),
      },
    ],
  });
});

test('a descriptor that is cut short is left out, and a loop that is cut short is no table', () => {
  for (let length = 0; length < REFERENCE.length - 2; length++) {
    const cut = [0x17, length, ...REFERENCE.slice(2, 2 + length)];
    expect(parseStreamDescriptors(sectionOf([...cut, ...AT_NPT]))?.descriptors).toHaveLength(1);
    expect(parseStreamDescriptors(sectionOf(REFERENCE.slice(0, 2 + length)))).toBeUndefined();
  }
});

const reference = (fields: Partial<NptReferenceDescriptor>): NptReferenceDescriptor => ({
  ...{
    kind: 'npt_reference',
    postDiscontinuity: false,
    contentId: 0,
    scaleNumerator: 1,
    scaleDenominator: 1,
  },
  ...{ stc: pts90k(0), npt: pts90k(0) },
  ...fields,
});

test('NPT to system time, modulo 2^33', () => {
  const last = 2 ** 33 - 1;
  const at = (fields: Partial<NptReferenceDescriptor>, npt: number) =>
    stcOfNpt(reference(fields), pts90k(npt)) as unknown;
  expect(at({ stc: pts90k(1000), npt: pts90k(500) }, 700)).toBe(1200);
  expect(at({ stc: pts90k(1000), npt: pts90k(500) }, 500)).toBe(1000);
  expect(at({ stc: pts90k(100), npt: pts90k(500) }, 300)).toBe(last - 99);
  // Either of them wraps around.
  expect(at({ stc: pts90k(last), npt: pts90k(500) }, 502)).toBe(1);
  expect(at({ stc: pts90k(1000), npt: pts90k(last) }, 1)).toBe(1002);
  expect(at({ stc: pts90k(1000), npt: pts90k(0), scaleNumerator: 2 }, 100)).toBe(1050);
  expect(at({ scaleNumerator: 0 }, 5)).toBeUndefined();
  expect(at({ scaleDenominator: 0 }, 5)).toBeUndefined();
});
