import { expect, test } from 'bun:test';
import { crcOf, longSection, type SectionFields, u16 } from '../../../test/stream-builder.ts';
import { broadcastMs } from '../time.ts';
import { readSection, type Section } from '../ts/section.ts';
import { parseEit, parseTot, type Tot } from './eit.ts';
import { parseNit, parseSdt } from './service-tables.ts';

/** Octets in hexadecimal, with a comment after `//` on each line. */
function octets(table: string): Uint8Array {
  return Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

function section(fields: Omit<SectionFields, 'body'> & { body: string }): Section {
  const read = readSection(longSection({ ...fields, body: [...octets(fields.body)] }));
  if (read === undefined) throw new Error('the test built an invalid section');
  return read;
}

const NIT = `
  F0 04          // reserved 4, network_descriptors_length
  40 02 A2 A4    // network name あい
  F0 0E          // reserved 4, transport_stream_loop_length
  40 10 00 04    // transport_stream_id, original_network_id
  F0 00          // no descriptors
  40 11 00 04
  F0 02
  80 00          // an unknown descriptor
`;

test('NIT: network, streams and their descriptors', () => {
  const nit = parseNit(section({ tableId: 0x40, extension: 4, version: 13, lastNumber: 1, body: NIT }));
  expect(nit as unknown).toEqual({
    actual: true,
    networkId: 4,
    version: 13,
    sectionNumber: 0,
    lastSectionNumber: 1,
    descriptors: [{ kind: 'network_name', name: 'あい' }],
    transportStreams: [
      { transportStreamId: 0x4010, originalNetworkId: 4, descriptors: [] },
      {
        transportStreamId: 0x4011,
        originalNetworkId: 4,
        descriptors: [{ kind: 'raw', tag: 0x80, data: octets('') }],
      },
    ],
  });
  expect(parseNit(section({ tableId: 0x41, extension: 6, body: NIT }))?.actual).toBe(false);
});

const SDT = `
  7E D0 FF       // original_network_id, reserved 8
  48 00 F3       // service_id; reserved 3, H-EIT 1, M 0, L 0, schedule 1, present/following 1
  00 06          // running_status 0, free_CA_mode 0, descriptors_loop_length
  48 04 01 00 01 // service: television, no provider, name あ
  A2
  49 80 E5       // H 0, M 0, L 1, schedule 0, present/following 1
  90 00          // running_status 4, free_CA_mode 1
`;

test('SDT: services, their EIT flags and free_CA_mode', () => {
  const sdt = parseSdt(section({ tableId: 0x42, extension: 0x7ed0, version: 3, body: SDT }));
  expect(sdt as unknown).toEqual({
    actual: true,
    transportStreamId: 0x7ed0,
    originalNetworkId: 0x7ed0,
    version: 3,
    sectionNumber: 0,
    lastSectionNumber: 0,
    services: [
      {
        serviceId: 0x4800,
        hasHEit: true,
        hasMEit: false,
        hasLEit: false,
        hasSchedule: true,
        hasPresentFollowing: true,
        runningStatus: 0,
        pay: false,
        descriptors: [{ kind: 'service', serviceType: 1, providerName: '', name: 'あ' }],
      },
      {
        serviceId: 0x4980,
        hasHEit: false,
        hasMEit: false,
        hasLEit: true,
        hasSchedule: false,
        hasPresentFollowing: true,
        runningStatus: 4,
        pay: true,
        descriptors: [],
      },
    ],
  });
});

const EIT = `
  7E D0 7E D0    // transport_stream_id, original_network_id
  01 4E          // segment_last_section_number, last_table_id
  0E DD          // event_id
  E6 40 19 00 00 // MJD 58944 = 2020-04-05, 19:00:00
  25 30 59       // 25:30:59
  10 04          // running_status 0, free_CA_mode 1, descriptors_loop_length
  54 02 71 FF    // content
  0E DE
  FF FF FF FF FF // start_time not decided
  FF FF FF       // duration not decided
  00 00
`;

test('EIT: header, times and undefined times', () => {
  const eit = parseEit(
    section({ tableId: 0x4e, extension: 0x4800, version: 4, number: 1, lastNumber: 1, body: EIT }),
  );
  expect(eit as unknown).toEqual({
    tableId: 0x4e,
    kind: 'present-following',
    actual: true,
    serviceId: 0x4800,
    transportStreamId: 0x7ed0,
    originalNetworkId: 0x7ed0,
    version: 4,
    sectionNumber: 1,
    lastSectionNumber: 1,
    segmentLastSectionNumber: 1,
    lastTableId: 0x4e,
    events: [
      {
        eventId: 0x0edd,
        startAt: Date.parse('2020-04-05T19:00:00+09:00'),
        duration: (25 * 60 + 30) * 60 + 59,
        runningStatus: 0,
        pay: true,
        descriptors: [{ kind: 'content', genres: [{ lv1: 7, lv2: 1, user1: 15, user2: 15 }] }],
      },
      {
        eventId: 0x0ede,
        startAt: undefined,
        duration: undefined,
        runningStatus: 0,
        pay: false,
        descriptors: [],
      },
    ],
  });
});

test('EIT: each table_id gives its kind', () => {
  const kinds = [0x4d, 0x4e, 0x4f, 0x50, 0x57, 0x58, 0x5f, 0x60, 0x67, 0x68, 0x6f, 0x70].map((tableId) => {
    const eit = parseEit(section({ tableId, extension: 1, body: EIT }));
    return eit && `${eit.kind} ${eit.actual ? 'actual' : 'other'}`;
  });
  expect(kinds).toEqual([
    undefined,
    'present-following actual',
    'present-following other',
    'schedule-basic actual',
    'schedule-basic actual',
    'schedule-extended actual',
    'schedule-extended actual',
    'schedule-basic other',
    'schedule-basic other',
    'schedule-extended other',
    'schedule-extended other',
    undefined,
  ]);
});

test('an EIT without events is valid: nothing is on air in that slot', () => {
  const empty = '7E D0 7E D0 01 4E';
  expect(parseEit(section({ tableId: 0x4e, extension: 1, body: empty }))?.events).toEqual([]);
});

test('TOT and TDT: the broadcast time', () => {
  const time = broadcastMs(Date.parse('2020-04-05T19:00:05+09:00'));
  const tot = octets(`
    73 70 0D       // table_id, section_syntax 0, section_length
    E6 40 19 00 05 // JST_time
    F0 02          // reserved 4, descriptors_loop_length
    58 00          // local time offset of no region
  `);
  const crc = crcOf(tot);
  const whole = Uint8Array.from([...tot, ...u16(crc >>> 16), ...u16(crc)]);
  expect(clock(whole)).toMatchObject({ time, descriptors: [{ kind: 'raw', tag: 0x58 }] });
  expect(clock(octets('70 70 05 E6 40 19 00 05'))).toEqual({ time, descriptors: [] });
  // Undefined, and digits that are not a valid time.
  expect(clock(octets('70 70 05 FF FF FF FF FF'))).toBeUndefined();
  expect(clock(octets('70 70 05 E6 40 24 00 00'))).toBeUndefined();
  expect(clock(octets('71 70 05 E6 40 19 00 05'))).toBeUndefined();
});

function clock(bytes: Uint8Array): Tot | undefined {
  const read = readSection(bytes);
  if (read === undefined) throw new Error('the test built an invalid section');
  return parseTot(read);
}

test('a section of another table, with current_next_indicator 0 or with truncated loops is rejected', () => {
  const tables = [
    { parse: parseNit, tableId: 0x40, body: NIT },
    { parse: parseSdt, tableId: 0x42, body: SDT },
    { parse: parseEit, tableId: 0x4e, body: EIT },
  ];
  for (const { parse, tableId, body } of tables) {
    expect(parse(section({ tableId: 0x02, extension: 1, body }))).toBeUndefined();
    expect(parse(section({ tableId, extension: 1, current: false, body }))).toBeUndefined();
    const whole = [...octets(body)];
    const readable = whole.map((_, length) => {
      const cut = readSection(longSection({ tableId, extension: 1, body: whole.slice(0, length) }));
      return cut !== undefined && parse(cut) !== undefined;
    });
    // If it is truncated exactly between two services or events, nothing is missing; the NIT's loops have lengths.
    const whereEntriesEnd = { 64: [], 66: [3, 14], 78: [6, 22] }[tableId];
    expect(readable.flatMap((ok, length) => (ok ? [length] : []))).toEqual(whereEntriesEnd ?? []);
  }
});
