import { expect, test } from 'bun:test';
import { Reader } from '../reader.ts';
import { readApplicationDescriptors } from './application-table.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

const DESCRIPTORS: readonly [octets: string, expected: object][] = [
  [
    `00 09    // application
     05 00 01 02 03 04 // profile 1, version 2.3.4
     FF 10    // service_bound 1, visibility 3, priority
     01       // transport_protocol_label`,
    {
      kind: 'application',
      profiles: [{ profile: 1, version: [2, 3, 4] }],
      serviceBound: true,
      visibility: 3,
      priority: 16,
      transportLabels: [1],
    },
  ],
  [
    '01 06 6A 70 6E 02 A2 A4 // application name',
    { kind: 'application_name', names: [{ language: 'jpn', name: 'あい' }] },
  ],
  [
    `02 0A    // transport protocol: HTTP
     00 03 01 // protocol_id, label
     02 61 2F // URL base
     01 02 62 2F // one extension`,
    {
      kind: 'transport_protocol',
      label: 1,
      transport: { protocol: 'http', urls: [{ base: 'a/', extensions: ['b/'] }] },
    },
  ],
  [
    `02 0B    // transport protocol: the data carousel of another service
     00 04 02 FF 00 04 40 10 00 65 40`,
    {
      kind: 'transport_protocol',
      label: 2,
      transport: {
        protocol: 'carousel',
        source: { originalNetworkId: 4, transportStreamId: 0x4010, serviceId: 101 },
        componentTag: 0x40,
      },
    },
  ],
  [
    '02 05 00 04 02 7F 40 // transport protocol: a carousel of this service',
    {
      kind: 'transport_protocol',
      label: 2,
      transport: { protocol: 'carousel', source: undefined, componentTag: 0x40 },
    },
  ],
  ['15 03 61 2F 62 // simple application location', { kind: 'simple_application_location', path: 'a/b' }],
  [
    `30 07    // boundary and permission
     01 80 01 // one bitmap
     01 02 61 2F // one URL`,
    { kind: 'application_boundary_and_permission', permissions: [{ bitmaps: [0x8001], urls: ['a/'] }] },
  ],
  ['31 01 05 // autostart priority', { kind: 'autostart_priority', priority: 5 }],
  [
    `17 07    // simple application boundary
     02       // two extensions
     02 61 2F 02 62 2F`,
    { kind: 'simple_application_boundary', urls: ['a/', 'b/'] },
  ],
  ['18 01 00 // unknown', { kind: 'raw', tag: 0x18, data: octets('00') }],
];

for (const [table, expected] of DESCRIPTORS) {
  const name = table.match(/\/\/ (.*)/)?.[1] ?? '';
  test(`${name} (tag 0x${table.slice(0, 2)} of an AIT)`, () => {
    expect(readApplicationDescriptors(new Reader(octets(table))) as unknown[]).toEqual([expected]);
  });
}

test('a truncated body is kept raw or has fewer fields; a truncated loop keeps the entries before the cut', () => {
  for (const [table] of DESCRIPTORS) {
    const whole = octets(table);
    for (let length = 0; length < whole.length - 2; length++) {
      const cut = whole.slice(0, 2 + length);
      cut[1] = length;
      expect(readApplicationDescriptors(new Reader(cut)).length).toBe(1);
    }
  }
  const reader = new Reader(octets('31 01 05 15 10 61'));
  expect(readApplicationDescriptors(reader).length).toBe(1);
  expect(reader.exhausted).toBe(true);
});
