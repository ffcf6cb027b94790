/** Descriptors of services, access and networks besides those of descriptors.test.ts, octet by octet. */
import { expect, test } from 'bun:test';
import { Reader } from '../reader.ts';
import { readDescriptors } from './index.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

const IN_1970 = Date.parse('1970-01-01T00:00:00+09:00');

/** A descriptor as sent (tag, length, body) and its parsed value. */
const DESCRIPTORS: readonly [octets: string, expected: object][] = [
  [
    '6F 03 80 11 E5 // application signalling',
    { kind: 'application_signalling', applications: [{ applicationType: 0x11, aitVersion: 5 }] },
  ],
  [
    `C9 27    // download content
     7F       // reboot 0, add_on 1, compatibility 1, module_info 1, text_info 1, reserved 3
     00 00 10 00 00 00 00 02 // component_size, download_id
     00 00 13 88 // time_out_value_DII
     00 00 0F // leak_rate 3, reserved 2
     79       // component_tag
     00 02 00 00 // no compatibility descriptors
     00 01    // num_of_modules
     00 07 00 00 10 00 01 AA // module_id, module_size, module_info
     01 BB    // private data
     6A 70 6E 02 A2 A4 // jpn, text`,
    {
      kind: 'download_content',
      reboot: false,
      addOn: true,
      componentSize: 4096,
      downloadId: 2,
      diiTimeout: 5000,
      leakRate: 3,
      componentTag: 0x79,
      compatibility: octets('00 00'),
      modules: [{ id: 7, size: 4096, info: octets('AA') }],
      privateData: octets('BB'),
      text: { language: 'jpn', text: 'あい' },
    },
  ],
  [
    `CB 0A    // CA contract info
     00 05    // CA_system_id
     12 00 10 // CA_unit_id 1, two components
     02 AB CD // verification info
     01 A2    // fee`,
    {
      kind: 'ca_contract_info',
      caSystemId: 5,
      caUnitId: 1,
      components: [0, 0x10],
      verificationInfo: octets('AB CD'),
      fee: 'あ',
    },
  ],
  [
    'CC 08 00 05 17 FF 00 65 00 66 // CA service',
    {
      kind: 'ca_service',
      caSystemId: 5,
      broadcasterGroupId: 0x17,
      messageControl: 0xff,
      serviceIds: [101, 102],
    },
  ],
  [
    `CE 08    // extended broadcaster
     1F 7E 93 // television, terrestrial_broadcaster_id
     11 03    // one affiliation
     00 04 05 // one broadcaster of BS`,
    {
      kind: 'extended_broadcaster',
      type: 'television',
      broadcasterId: 0x7e93,
      affiliations: [3],
      broadcasters: [{ originalNetworkId: 4, broadcasterId: 5 }],
      privateData: octets(''),
    },
  ],
  [
    `D7 1D    // SI parameter
     FF 9E 8B // parameter_version, 1970-01-01
     40 01 10 // NIT every ten seconds
     4E 04 FF 00 01 22 // EIT present/following of a terrestrial network
     50 08    // EIT schedule
     4F 08    // television, pattern 0, others 1; eight days
     06 0E    // base_cycle 60, reserved, two groups
     03 03 13 10
     C3 02 01 80 // SDTT every 180 seconds
     C6 01 FF // no cycle`,
    {
      kind: 'si_parameter',
      parameterVersion: 255,
      updateDate: IN_1970,
      tables: [
        { kind: 'cycle', tableId: 0x40, cycle: 10 },
        {
          kind: 'present-following',
          tableId: 0x4e,
          hCycle: undefined,
          mCycle: 0,
          lCycle: 1,
          mEvents: 2,
          lEvents: 2,
        },
        {
          kind: 'schedule',
          tableId: 0x50,
          media: [
            {
              mediaType: 1,
              pattern: 0,
              other: true,
              days: 8,
              baseCycle: 60,
              groups: [
                { segments: 3, cycle: 3 },
                { segments: 13, cycle: 10 },
              ],
            },
          ],
        },
        { kind: 'cycle', tableId: 0xc3, cycle: 180 },
        { kind: 'cycle', tableId: 0xc6, cycle: undefined },
      ],
    },
  ],
  ['D8 02 A2 A4 // broadcaster name', { kind: 'broadcaster_name', name: 'あい' }],
  [
    'F6 05 00 0E E9 01 AB // access control',
    {
      kind: 'access_control',
      caSystemId: 14,
      transmissionType: 7,
      pid: 0x901,
      privateData: octets('AB'),
    },
  ],
  // Of an event or its streams.
  [
    '55 08 4A 50 4E 0F 4A 50 4E 00 // parental rating',
    {
      kind: 'parental_rating',
      ratings: [
        { country: 'JPN', minimumAge: 18, rating: 15 },
        { country: 'JPN', minimumAge: undefined, rating: 0 },
      ],
    },
  ],
  [
    `C7 0F    // data content
     00 08 30 // captions, component_tag
     05 01 13 6A 70 6E // one language, shown at once
     01 31    // a component besides
     6A 70 6E 00`,
    {
      kind: 'data_content',
      dataComponentId: 8,
      entryComponent: 0x30,
      selector: octets('01 13 6A 70 6E'),
      components: [0x31],
      language: 'jpn',
      text: '',
    },
  ],
  [
    'C8 01 47 // video decode control',
    { kind: 'video_decode_control', stillPicture: false, sequenceEnd: true, format: '1080i' },
  ],
  [
    'DE 01 FF // content availability: ten copies, no restriction',
    {
      kind: 'content_availability',
      tenCopies: true,
      constrainsImage: false,
      retentionAllowed: false,
      retention: 7,
      encrypted: false,
    },
  ],
];

for (const [table, expected] of DESCRIPTORS) {
  const name = table.match(/\/\/ (.*)/)?.[1] ?? '';
  test(`${name} (tag 0x${table.slice(0, 2)})`, () => {
    const reader = new Reader(octets(table));
    expect(readDescriptors(reader) as unknown[]).toEqual([expected]);
    expect(reader.exhausted).toBe(false);
  });
}

/** Every descriptor cut after each octet of its body, its length corrected. */
test('a truncated body is kept raw or has fewer fields, and never throws', () => {
  for (const [table] of DESCRIPTORS) {
    const whole = octets(table);
    for (let length = 0; length < whole.length - 2; length++) {
      const cut = whole.slice(0, 2 + length);
      cut[1] = length;
      const [descriptor, ...more] = readDescriptors(new Reader(cut));
      expect(more).toEqual([]);
      if (descriptor?.kind === 'raw') expect(descriptor.data).toEqual(cut.subarray(2));
    }
  }
});
