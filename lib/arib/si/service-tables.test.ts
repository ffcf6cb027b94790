/** BIT, AIT and ECM, octet by octet. */
import { describe, expect, test } from 'bun:test';
import { longSection, type SectionFields, u16 } from '../../../test/stream-builder.ts';
import { parseAit } from '../application/section-ait.ts';
import type { ServiceId } from '../ids.ts';
import { readSection, type Section } from '../ts/section.ts';
import { parseEcm } from './ecm.ts';
import { broadcasterOf, parseBit } from './service-tables.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

function section(fields: Omit<SectionFields, 'body'> & { body: string }): Section {
  const read = readSection(longSection({ ...fields, body: [...octets(fields.body)] }));
  if (read === undefined) throw new Error('the test built an invalid section');
  return read;
}

const HEAD = { version: 3, sectionNumber: 0, lastSectionNumber: 0 };

type Parser = (section: Section) => unknown;

interface Example {
  readonly name: string;
  readonly parse: Parser;
  readonly tableId: number;
  readonly extension: number;
  readonly body: string;
  readonly expected: object;
}

const EXAMPLES: readonly Example[] = [
  {
    name: 'BIT: network and broadcasters',
    parse: parseBit,
    tableId: 0xc4,
    extension: 4,
    body: `
      F0 06          // reserved 3, broadcast_view_propriety 1, first_descriptors_length
      D7 04 01 FF FF 80 // SI parameter, cut: raw
      02 F0 03       // broadcaster_id; reserved 4, broadcaster_descriptors_length
      D8 01 A2       // broadcaster name あ
      03 F0 00
    `,
    expected: {
      originalNetworkId: 4,
      ...HEAD,
      showsBroadcasters: true,
      descriptors: [{ kind: 'raw', tag: 0xd7, data: octets('01 FF FF 80') }],
      broadcasters: [
        { broadcasterId: 2, descriptors: [{ kind: 'broadcaster_name', name: 'あ' }] },
        { broadcasterId: 3, descriptors: [] },
      ],
    },
  },
  {
    name: 'AIT: applications, what to do with them and where they are',
    parse: parseAit,
    tableId: 0x74,
    extension: 0x8011,
    body: `
      F0 00          // reserved 4, common_descriptors_length
      F0 0D          // reserved 4, application_loop_length
      00 00 00 0A 00 01 // organisation_id, application_id
      01             // AUTOSTART
      F0 04          // reserved 4, length
      15 02 61 62    // simple application location
    `,
    expected: {
      test: true,
      applicationType: 0x11,
      ...HEAD,
      descriptors: [],
      applications: [
        {
          organizationId: 10,
          applicationId: 1,
          control: 'autostart',
          controlCode: 1,
          descriptors: [{ kind: 'simple_application_location', path: 'ab' }],
        },
      ],
    },
  },
  {
    name: 'ECM: what is not encrypted',
    parse: parseEcm,
    tableId: 0x82,
    extension: 0,
    body: '00 02 03 AA BB // protocol, broadcaster group, work key, encrypted',
    expected: {
      extension: 0,
      ...HEAD,
      protocol: 0,
      broadcasterGroupId: 2,
      workKeyId: 3,
      message: octets('00 02 03 AA BB'),
    },
  },
];

for (const { name, parse, tableId, extension, body, expected } of EXAMPLES) {
  test(name, () => {
    const fields = { tableId, extension, version: 3, body };
    expect(parse(section(fields))).toEqual(expected);
    expect(parse(section({ ...fields, current: false }))).toBeUndefined();
    expect(parse(section({ ...fields, tableId: 0x90 }))).toBeUndefined();
  });

  test(`${name}; truncated anywhere it is rejected or yields fewer entries`, () => {
    const whole = octets(body);
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length).toHex();
      const read = parse(section({ tableId, extension, version: 3, body: cut }));
      expect(read).not.toEqual(expected);
    }
  });
}

describe('the broadcaster of a service', () => {
  const list = (...services: number[]) => [
    0x41,
    3 * services.length,
    ...services.flatMap((id) => [...u16(id), 1]),
  ];
  const of = (broadcasters: number[][], serviceId: number) => {
    const loops = broadcasters.flatMap((loop, index) => [index + 1, ...u16(0xf000 | loop.length), ...loop]);
    const bytes = longSection({ tableId: 0xc4, extension: 4, body: [...u16(0xf000), ...loops] });
    const section = readSection(bytes);
    const bit = section === undefined ? undefined : parseBit(section);
    return bit === undefined ? undefined : broadcasterOf(bit, serviceId as ServiceId)?.broadcasterId;
  };

  test('is the one that lists it, or the only one if that lists none', () => {
    expect([101, 102, 103].map((id) => of([list(101), list(100, 102)], id))).toEqual([1, 2, undefined]);
    expect(of([[]], 101)).toBe(1);
    expect(of([[], []], 101)).toBeUndefined();
    expect(of([list(100)], 101)).toBeUndefined();
  });
});
