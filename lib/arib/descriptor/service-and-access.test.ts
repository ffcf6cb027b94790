/** Descriptors of services, access and networks besides those of descriptors.test.ts, octet by octet. */

import { expect, test } from 'bun:test';
import { Reader } from '../reader.ts';
import { findDescriptor, readDescriptors } from './index.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

const IN_1970 = Date.parse('1970-01-01T00:00:00+09:00');

/** A descriptor as sent (tag, length, body) and its parsed value. */
const DESCRIPTORS: readonly [octets: string, expected: object][] = [
  [
    '0D 05 01 02 03 04 AA // copyright',
    { kind: 'copyright', identifier: 0x01020304, additionalInfo: octets('AA') },
  ],
  [
    `28 04    // AVC video
     42 C0    // baseline, constraint_set0 and 1
     0C       // level 1.2
     BF       // still pictures 1, 24 hours 0`,
    {
      kind: 'avc_video',
      profile: 66,
      constraints: 0xc0,
      level: 12,
      hasStillPictures: true,
      has24HourPictures: false,
    },
  ],
  [
    `2A 0F    // AVC timing and HRD
     FF       // hrd_management_valid 1, reserved 6, picture_and_timing_info_present 1
     7F       // 90kHz_flag 0
     00 00 00 01 // N
     00 00 01 2C // K
     00 00 03 E9 // num_units_in_tick
     DF       // fixed_frame_rate 1, temporal_poc 1, picture_to_display_conversion 0`,
    {
      kind: 'avc_timing',
      managesBuffers: true,
      timing: { n: 1, k: 300, unitsInTick: 1001 },
      fixedFrameRate: true,
      temporalOrder: true,
      displayConversion: false,
    },
  ],
  [
    `44 0B    // cable delivery
     04 73 00 00 // 473.0000 MHz
     FF F2    // reserved, frame_type 15, FEC_outer 2
     03       // 64-QAM
     00 52 74 0F // 5.2740 Msymbols/s, FEC_inner 15`,
    {
      kind: 'cable_delivery',
      frequency: 473_000_000,
      frameType: 15,
      fecOuter: 2,
      modulation: 3,
      symbolRate: 5_274_000,
      fecInner: 15,
    },
  ],
  ['47 02 A2 A4 // bouquet name', { kind: 'bouquet_name', name: 'あい' }],
  [
    '49 04 FF 4A 50 4E // country availability: for JPN',
    { kind: 'country_availability', available: true, countries: ['JPN'] },
  ],
  [
    `4A 08    // linkage
     40 10 00 04 00 65 // transport_stream_id, original_network_id, service_id
     05       // service replacement
     AA       // private data`,
    {
      kind: 'linkage',
      transportStreamId: 0x4010,
      originalNetworkId: 4,
      serviceId: 101,
      type: 'service-replacement',
      linkageType: 5,
      privateData: octets('AA'),
    },
  ],
  [
    '4B 06 40 10 00 04 00 65 // NVOD reference',
    {
      kind: 'nvod_reference',
      services: [{ transportStreamId: 0x4010, originalNetworkId: 4, serviceId: 101 }],
    },
  ],
  ['4C 02 00 65 // time shifted service', { kind: 'time_shifted_service', referenceServiceId: 101 }],
  [
    '4F 04 00 65 12 34 // time shifted event',
    { kind: 'time_shifted_event', referenceServiceId: 101, referenceEventId: 0x1234 },
  ],
  [
    `51 13    // mosaic
     9A       // entry point 1, columns 2, reserved 1, rows 3
     07 FA    // logical cell 1, reserved 7, presentation 2
     02 C0 C1 // elementary cells 0 and 1
     04       // an event
     00 04 40 10 00 65 12 34
     0B F9 00 00 // logical cell 2, presentation 1, no cells, no link`,
    {
      kind: 'mosaic',
      entryPoint: true,
      columns: 2,
      rows: 3,
      cells: [
        {
          id: 1,
          presentation: 2,
          elementaryCells: [0, 1],
          link: {
            to: 'event',
            originalNetworkId: 4,
            transportStreamId: 0x4010,
            serviceId: 101,
            eventId: 0x1234,
          },
        },
        { id: 2, presentation: 1, elementaryCells: [], link: { to: 'none' } },
      ],
    },
  ],
  ['53 04 00 05 00 0E // CA identifier', { kind: 'ca_identifier', caSystemIds: [5, 14] }],
  [
    `63 08    // partial transport stream
     C0 C3 50 // 50000 * 400 bits/s
     FF FF FF // no smoothing rate
     FF FF    // no smoothing buffer`,
    {
      kind: 'partial_transport_stream',
      peakRate: 20_000_000,
      smoothingRate: undefined,
      smoothingBuffer: undefined,
    },
  ],
  [
    '6F 03 80 11 E5 // application signalling',
    { kind: 'application_signalling', applications: [{ applicationType: 0x11, aitVersion: 5 }] },
  ],
  [
    `C2 07    // network identification
     4A 50 4E 42 53 // JPN, BS
     00 04    // network_id`,
    {
      kind: 'network_identification',
      country: 'JPN',
      medium: 'BS',
      networkId: 4,
      privateData: octets(''),
    },
  ],
  [
    `C3 12    // partial transport stream time
     02       // event_version_number
     9E 8B 01 00 00 // 1970-01-01 01:00
     00 30 00 // half an hour
     00 00 10 // ten seconds
     FF       // offset_flag 1 (negative), other_descriptor_status 1, jst_time_flag 1
     9E 8B 01 00 05`,
    {
      kind: 'partial_ts_time',
      eventVersion: 2,
      startAt: IN_1970 + 3_600_000,
      duration: 1800,
      offset: -10,
      othersChanged: true,
      time: IN_1970 + 3_605_000,
    },
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
    'CA 07 00 05 40 10 00 04 1E // CA EMM TS',
    {
      kind: 'ca_emm_ts',
      caSystemId: 5,
      transportStreamId: 0x4010,
      originalNetworkId: 4,
      powerSupplyPeriod: 30,
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
    `E0 05    // service group
     1F 00 65 00 66`,
    { kind: 'service_group', type: 1, pairs: [{ primary: 101, secondary: 102 }], privateData: octets('') },
  ],
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
  [
    'F7 04 01 02 03 04 // carousel compatible composite',
    { kind: 'carousel_compatible_composite', parts: [{ kind: 'raw', tag: 1, data: octets('03 04') }] },
  ],
  [
    'F8 04 00 05 E9 02 // conditional playback',
    { kind: 'conditional_playback', caSystemId: 5, pid: 0x902, privateData: octets('') },
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
    `C5 0B    // hyperlink
     01 02    // combined data, an event
     08 00 04 40 10 00 65 12 34`,
    {
      kind: 'hyperlink',
      linkageType: 1,
      destination: {
        to: 'event',
        originalNetworkId: 4,
        transportStreamId: 0x4010,
        serviceId: 101,
        eventId: 0x1234,
      },
      privateData: octets(''),
    },
  ],
  [
    `C6 08    // target region
     01       // prefectures of BS
     80 00 00 00 00 00 40 // east Hokkaido, islands of Kagoshima`,
    { kind: 'target_region', specType: 1, areas: [1, 50], spec: octets('80 00 00 00 00 00 40') },
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
    `D9 0A    // component group
     11       // multi-view, total_bit_rate 1, one group
     01       // main group, one unit
     12 00 10 // CA_unit_id 1, two components
     30       // 12 Mbit/s
     02 A2 A4
     FF       // not read`,
    {
      kind: 'component_group',
      type: 0,
      groups: [
        {
          id: 0,
          units: [{ caUnitId: 1, components: [0, 0x10] }],
          totalBitRate: 12_000_000,
          text: 'あい',
        },
      ],
    },
  ],
  [
    `DC 0A    // LDT linkage
     00 65 40 10 00 04 // service_id, transport_stream_id, original_network_id
     00 07 F2 00 // description 7, items`,
    {
      kind: 'ldt_linkage',
      serviceId: 101,
      transportStreamId: 0x4010,
      originalNetworkId: 4,
      descriptions: [{ id: 7, type: 2, userDefined: 0 }],
    },
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
  [
    `FC 08    // emergency information
     04 00 BF // service_id, on, first kind of signal
     04 5A 5F AA CF // Kanto, Tokyo`,
    {
      kind: 'emergency_information',
      services: [{ serviceId: 0x400, on: true, level: 0, areaCodes: [0x5a5, 0xaac] }],
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

/** Body of a hyperlink: type 2, the destination, its selector. */
const DESTINATIONS: readonly [octets: string, expected: object][] = [
  ['01 06 00 04 40 10 00 65', { to: 'service', serviceId: 101 }],
  [
    '03 0B 00 04 40 10 00 65 12 34 40 00 07',
    { to: 'module', eventId: 0x1234, componentTag: 0x40, moduleId: 7 },
  ],
  ['04 0A 00 04 40 10 00 65 00 00 00 09', { to: 'content', contentId: 9 }],
  ['05 0D 00 04 40 10 00 65 00 00 00 09 40 00 07', { to: 'content-module', contentId: 9, moduleId: 7 }],
  ['06 06 00 01 00 02 00 03', { to: 'node', informationProviderId: 1, eventRelationId: 2, nodeId: 3 }],
  ['07 03 61 3A 62', { to: 'stored-content', uri: 'a:b' }],
  ['99 01 AA', { to: 'unknown', destinationType: 0x99, selector: octets('AA') }],
];

test('a hyperlink refers to a service, an event, a module, content or a node', () => {
  for (const [table, expected] of DESTINATIONS) {
    const selector = octets(table);
    const bytes = Uint8Array.from([0xc5, selector.length + 1, 2, ...selector]);
    const link = findDescriptor(readDescriptors(new Reader(bytes)), 'hyperlink');
    expect(link?.destination).toMatchObject(expected);
  }
  expect(readDescriptors(new Reader(octets('C5 04 01 01 01 00')))).toMatchObject([{ kind: 'raw' }]);
});
