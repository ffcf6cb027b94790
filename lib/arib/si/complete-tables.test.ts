import { expect, test } from 'bun:test';
import { longSection, type SectionFields, u16 } from '../../../test/stream-builder.ts';
import { readSection, type Section } from '../ts/section.ts';
import { CompleteTables } from './complete-tables.ts';

function section(fields: SectionFields): Section {
  const read = readSection(longSection(fields));
  if (read === undefined) throw new Error('the test built an invalid section');
  return read;
}

/** A NIT section with one stream and no descriptors. */
function nit(number: number, lastNumber: number, more: Partial<SectionFields> = {}): Section {
  const stream = [...u16(0x4010 + number), ...u16(4), 0xf0, 0];
  const body = [0xf0, 0, ...u16(0xf000 | stream.length), ...stream];
  return section({ tableId: 0x40, extension: 4, number, lastNumber, body, ...more });
}

function sdt(originalNetworkId: number, number = 0, lastNumber = 0): Section {
  const body = [...u16(originalNetworkId), 0xff, ...u16(100 + number), 0xff, 0, 0];
  return section({ tableId: 0x46, extension: 0x4010, number, lastNumber, body });
}

test('a NIT of several sections is emitted when all were received, once per version', () => {
  const tables = new CompleteTables();
  expect(tables.add(nit(1, 2))).toBeUndefined();
  expect(tables.add(nit(0, 2))).toBeUndefined();
  const whole = tables.add(nit(2, 2));
  expect(whole).toMatchObject({
    kind: 'nit',
    table: { networkId: 4, sectionNumber: 0, lastSectionNumber: 2 },
  });
  if (whole?.kind !== 'nit') throw new Error('no NIT');
  expect(whole.table.transportStreams.map((each) => Number(each.transportStreamId))).toEqual([
    0x4010, 0x4011, 0x4012,
  ]);
  expect(tables.add(nit(1, 2))).toBeUndefined();
  const changed = { version: 1 };
  expect(tables.add(nit(0, 1, changed))).toBeUndefined();
  expect(tables.add(nit(1, 1, changed))?.kind).toBe('nit');
});

test('a section with current_next_indicator 0 is ignored', () => {
  const tables = new CompleteTables();
  tables.add(nit(0, 1));
  expect(tables.add(nit(1, 1, { current: false }))).toBeUndefined();
  expect(tables.add(nit(1, 1, { current: false, version: 5 }))).toBeUndefined();
  expect(tables.add(nit(1, 1))?.kind).toBe('nit');
});

test('SDTs of two networks with the same transport_stream_id are separate tables', () => {
  const tables = new CompleteTables();
  expect(tables.add(sdt(4, 0, 1))).toBeUndefined();
  expect(tables.add(sdt(6, 1, 1))).toBeUndefined();
  expect(tables.add(sdt(4, 1, 1))).toMatchObject({ kind: 'sdt', table: { originalNetworkId: 4 } });
  expect(tables.add(sdt(6, 0, 1))).toMatchObject({ kind: 'sdt', table: { originalNetworkId: 6 } });
});

test('other tables and malformed ones are ignored; the number of tables is bounded', () => {
  const tables = new CompleteTables();
  expect(tables.add(nit(0, 0, { tableId: 0x4e }))).toBeUndefined();
  expect(tables.add(section({ tableId: 0x40, extension: 4, body: [0xff] }))).toBeUndefined();
  tables.add(nit(0, 1, { extension: 9 }));
  for (let extension = 1000; extension < 1300; extension++) tables.add(nit(0, 0, { extension }));
  // The first section was evicted: the second one alone completes nothing.
  expect(tables.add(nit(1, 1, { extension: 9 }))).toBeUndefined();
});
