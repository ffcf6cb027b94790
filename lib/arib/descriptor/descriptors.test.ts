import { expect, test } from 'bun:test';
import { Reader } from '../reader.ts';
import { forbidsRecording } from './access.ts';
import { filterDescriptors, findDescriptor, readDescriptors } from './index.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

/** A descriptor as sent (tag, length, body) and its parsed value. */
const DESCRIPTORS: readonly [octets: string, expected: object][] = [
  [
    `09 05    // conditional access
     00 05    // CA_system_id
     E9 01    // reserved 3, CA_PID
     AB       // private data`,
    { kind: 'conditional_access', caSystemId: 5, pid: 0x901, privateData: octets('AB') },
  ],
  [
    `40 06    // network name
     3D 29 45 44 A4 A2 // 秋田, いあ in GR`,
    { kind: 'network_name', name: '秋田いあ' },
  ],
  [
    `41 06    // service list
     48 00 01 // service_id, service_type
     49 80 C0`,
    {
      kind: 'service_list',
      services: [
        { serviceId: 0x4800, serviceType: 0x01 },
        { serviceId: 0x4980, serviceType: 0xc0 },
      ],
    },
  ],
  [
    `43 0B    // satellite delivery
     01 17 27 48 // 11.72748 GHz
     11 00    // 110.0 degrees
     E8       // east 1, right 11, modulation 01000
     02 88 60 08 // 28.8600 Msymbols/s, FEC 8`,
    {
      kind: 'satellite_delivery',
      frequency: 11_727_480_000,
      orbitalPosition: 110,
      east: true,
      polarisation: 'right',
      modulation: 8,
      symbolRate: 28_860_000,
      fecInner: 8,
    },
  ],
  [
    `48 09    // service
     01       // service_type
     02 A2 A4 // provider あい
     04 0E 41 42 43 // LS1 ABC`,
    { kind: 'service', serviceType: 1, providerName: 'あい', name: 'ABC' },
  ],
  [
    `4D 0A    // short event
     6A 70 6E // jpn
     02 30 21 // 亜
     03 A2 0D A4 // あ, APR, い`,
    { kind: 'short_event', language: 'jpn', name: '亜', text: 'あ\nい' },
  ],
  [
    `50 08    // component
     F1       // reserved 4, stream_content 1
     B3 00    // component_type, component_tag
     6A 70 6E // jpn
     A2 A4    // text`,
    {
      kind: 'component',
      streamContent: 1,
      componentType: 0xb3,
      componentTag: 0,
      language: 'jpn',
      text: 'あい',
    },
  ],
  ['52 01 30 // stream identifier: component_tag', { kind: 'stream_identifier', componentTag: 0x30 }],
  [
    `54 04    // content
     71 FF    // animation, foreign; user nibbles
     E0 01    // extension, its code`,
    {
      kind: 'content',
      genres: [
        { lv1: 7, lv2: 1, user1: 15, user2: 15 },
        { lv1: 14, lv2: 0, user1: 0, user2: 1 },
      ],
    },
  ],
  [
    `C1 01    // digital copy control
     84       // one generation 10, no rate, no components, type 01, APS 00`,
    {
      kind: 'digital_copy_control',
      recordingControl: 2,
      copyControlType: 1,
      analogueProtection: 0,
      maximumBitRate: undefined,
      components: [],
    },
  ],
  [
    `C1 08    // digital copy control
     F5       // never 11, rate 1, components 1, type 01, APS 01
     50       // 80 * 250 kbit/s
     05       // component_control_length
     10 04    // component 0x10: free, type 01
     11 A4    // component 0x11: one generation, rate 1, type 01
     08       // 2 Mbit/s`,
    {
      kind: 'digital_copy_control',
      recordingControl: 3,
      copyControlType: 1,
      analogueProtection: 1,
      maximumBitRate: 20_000_000,
      components: [
        {
          componentTag: 0x10,
          recordingControl: 0,
          copyControlType: 1,
          analogueProtection: 0,
          maximumBitRate: undefined,
        },
        {
          componentTag: 0x11,
          recordingControl: 2,
          copyControlType: 1,
          analogueProtection: 0,
          maximumBitRate: 2_000_000,
        },
      ],
    },
  ],
  [
    `C4 0E    // audio component
     F2 02 10 // reserved 4, stream_content 2; dual mono; component_tag
     0F FF    // AAC in ADTS, no simulcast group
     EF       // two languages 1, main 1, quality 10, 48 kHz 111, reserved 1
     6A 70 6E 65 6E 67 // jpn, eng
     A2 A4    // text`,
    {
      kind: 'audio_component',
      streamContent: 2,
      componentType: 2,
      componentTag: 0x10,
      streamType: 0x0f,
      simulcastGroupTag: 0xff,
      main: true,
      quality: 2,
      samplingRate: 48_000,
      language: 'jpn',
      language2: 'eng',
      text: 'あい',
    },
  ],
  [
    `C4 09    // audio component, one language and no text
     F2 03 11 0F FF
     11       // one language 0, not main 0, quality 01, reserved rate 000, reserved 1
     6A 70 6E`,
    {
      kind: 'audio_component',
      streamContent: 2,
      componentType: 3,
      componentTag: 0x11,
      streamType: 0x0f,
      simulcastGroupTag: 0xff,
      main: false,
      quality: 1,
      samplingRate: undefined,
      language: 'jpn',
      language2: undefined,
      text: '',
    },
  ],
  [
    `CD 0C    // TS information
     04       // remote_control_key_id
     0A       // length_of_ts_name 2, transmission_type_count 2
     A2 A4    // ts_name
     0F 02 48 00 48 01 // transmission_type_info, num_of_service, service_ids
     AF 00    // none`,
    {
      kind: 'ts_information',
      remoteControlKeyId: 4,
      name: 'あい',
      transmissions: [
        { info: 0x0f, serviceIds: [0x4800, 0x4801] },
        { info: 0xaf, serviceIds: [] },
      ],
    },
  ],
  [
    `CF 07    // logo transmission
     01       // by CDT
     FE 05    // reserved 7, logo_id
     F0 02    // reserved 4, logo_version
     48 00    // download_data_id`,
    { kind: 'logo_transmission', type: 1, logoId: 5, logoVersion: 2, downloadDataId: 0x4800 },
  ],
  ['CF 03 02 FF 05 // by another service', { kind: 'logo_transmission', type: 2, logoId: 0x105 }],
  ['CF 05 03 0E 41 42 43 // letters', { kind: 'logo_transmission', type: 3, text: 'ABC' }],
  ['CF 02 FF 00 // unknown', { kind: 'logo_transmission', type: 'unknown', transmissionType: 0xff }],
  [
    `D5 0A    // series
     12 34    // series_id
     15       // repeat_label 1, weekly 010, expire date valid 1
     9E 8B    // 1970-01-01
     00 30 0C // episode 3 of 12
     A2 A4    // name`,
    {
      kind: 'series',
      seriesId: 0x1234,
      repeatLabel: 1,
      pattern: 2,
      expireDate: Date.parse('1970-01-01T00:00:00+09:00'),
      episodeNumber: 3,
      lastEpisodeNumber: 12,
      name: 'あい',
    },
  ],
  [
    `D6 09    // event group
     12       // shared, two events
     48 00 0E DD
     48 01 0E DE`,
    {
      kind: 'event_group',
      group: 'shared',
      events: [
        { serviceId: 0x4800, eventId: 0x0edd },
        { serviceId: 0x4801, eventId: 0x0ede },
      ],
      otherNetworkEvents: [],
    },
  ],
  [
    `D6 09    // event group
     40       // relay to another network, no events of this one
     00 04 40 10 00 65 0E DD`,
    {
      kind: 'event_group',
      group: 'relay-network',
      events: [],
      otherNetworkEvents: [
        { originalNetworkId: 4, transportStreamId: 0x4010, serviceId: 101, eventId: 0x0edd },
      ],
    },
  ],
  [
    `FA 06    // terrestrial delivery
     AC 6A    // area_code 0xAC6, guard 10, mode 10
     0E 6A    // 3690/7 MHz: channel 22
     0E 94    // 3732/7 MHz: channel 23`,
    {
      kind: 'terrestrial_delivery',
      areaCode: 0xac6,
      guardInterval: 1 / 8,
      mode: 3,
      frequencies: [527_142_857, 533_142_857],
    },
  ],
  ['FB 02 49 80 // partial reception', { kind: 'partial_reception', serviceIds: [0x4980] }],
  [
    `FD 03    // data component
     00 08    // data_component_id
     3D       // additional info`,
    { kind: 'data_component', dataComponentId: 8, additionalInfo: octets('3D') },
  ],
  [
    `FE 02    // system management
     03 01    // broadcasting 00, terrestrial 000011; additional id`,
    {
      kind: 'system_management',
      broadcastingFlag: 0,
      broadcastingIdentifier: 3,
      additionalId: 1,
      additionalInfo: octets(''),
    },
  ],
  ['80 02 01 02 // of an unknown tag', { kind: 'raw', tag: 0x80, data: octets('01 02') }],
];

for (const [table, expected] of DESCRIPTORS) {
  const name = table.match(/\/\/ (.*)/)?.[1] ?? '';
  test(`${name} (tag 0x${table.slice(0, 2)})`, () => {
    const reader = new Reader(octets(table));
    expect(readDescriptors(reader) as unknown[]).toEqual([expected]);
    expect(reader.exhausted).toBe(false);
  });
}

/** Every descriptor truncated after each octet of its body, with a corrected length. */
test('a truncated body is kept raw and never throws', () => {
  for (const [table] of DESCRIPTORS) {
    const whole = octets(table);
    for (let length = 0; length < whole.length - 2; length++) {
      const cut = whole.slice(0, 2 + length);
      cut[1] = length;
      const [descriptor, ...more] = readDescriptors(new Reader(cut));
      expect(more).toEqual([]);
      if (descriptor?.kind === 'raw') expect(descriptor.data.length).toBe(length);
    }
  }
  expect(readDescriptors(new Reader(octets('48 03 01 05 41')))).toMatchObject([{ kind: 'raw', tag: 0x48 }]);
});

test('a descriptor with invalid BCD digits is kept raw', () => {
  expect(readDescriptors(new Reader(octets('43 0B 0A 17 27 48 11 00 E8 02 88 60 08')))).toMatchObject([
    { kind: 'raw', tag: 0x43 },
  ]);
  expect(readDescriptors(new Reader(octets('43 0B 01 17 27 48 11 00 E8 02 88 60 F8')))).toMatchObject([
    { kind: 'raw', tag: 0x43 },
  ]);
});

test('a loop keeps the descriptors before one that is longer than the remaining bytes', () => {
  const reader = new Reader(octets('52 01 30 48 10 01'));
  expect(readDescriptors(reader)).toEqual([{ kind: 'stream_identifier', componentTag: 0x30 }]);
  expect(reader.exhausted).toBe(true);
});

test('descriptors are found by kind', () => {
  const descriptors = readDescriptors(new Reader(octets('52 01 30 80 00 52 01 31')));
  expect(findDescriptor(descriptors, 'stream_identifier')?.componentTag).toBe(0x30);
  expect(findDescriptor(descriptors, 'service')).toBeUndefined();
  expect(filterDescriptors(descriptors, 'stream_identifier').map((each) => each.componentTag)).toEqual([
    0x30, 0x31,
  ]);
});

test('recording is forbidden by "never copy" and by the undefined value, whatever the type', () => {
  const control = { copyControlType: 1, analogueProtection: 0, maximumBitRate: undefined };
  expect([0, 1, 2, 3].map((value) => forbidsRecording({ ...control, recordingControl: value }))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
