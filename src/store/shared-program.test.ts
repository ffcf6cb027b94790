/** A programme that a branch station shares with the main station (event group descriptor, shared). */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { at, BRANCH, ProgramRows, program } from '../../test/guide/program-rows.ts';
import type { StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';

let rows: ProgramRows;
beforeEach(() => {
  rows = new ProgramRows();
});
afterEach(() => rows.close());

const groups: ProgramRecord['groups'] = [
  {
    type: 'shared',
    events: [1024, 1025].map((id) => ({
      networkId: networkId(0x7fe8),
      serviceId: serviceId(id),
      eventId: eventId(1),
    })),
  },
];
const main = (over: Partial<ProgramRecord> = {}) => program(1, 0, 30, { groups, ...over });
const nothing = {
  name: '',
  genres: [],
  audios: [],
  videoType: null,
  videoResolution: null,
  extended: null,
};
const id = programId(BRANCH, eventId(1));
const shared = (over: Partial<ProgramRecord> = {}) =>
  program(1, 0, 30, { id, stationId: BRANCH, groups, ...nothing, ...over });
const writeShared = (change: Partial<StationChange> = {}) =>
  rows.write({ stationId: BRANCH, programs: [shared()], ...change });

test.each([
  ['before', true],
  ['after', false],
])('shows the texts of the main station, which came %s it', async (_when, before) => {
  const full = main({ description: '概要', copyNever: true, extended: { 出演者: '山田' } });
  if (before) await rows.write({ programs: [full] });
  await writeShared();
  if (!before) await rows.write({ programs: [full] });
  expect(rows.store.find(id)).toEqual({ ...full, id, stationId: BRANCH });
  expect(rows.store.airingOn(BRANCH, broadcastMs(at(10)))?.name).toBe('番組1');
  // Unchanged repetitions are not written again, in either order.
  expect((await writeShared()).changed).toBe(0);
  expect((await rows.write({ programs: [full] })).changed).toBe(0);
});

test('follows changes of the main event, and keeps its texts while its own tables are empty', async () => {
  await writeShared();
  await rows.write({ programs: [main()] });
  await rows.write({ extended: new Map([[eventId(1), { 内容: '山' }]]) });
  const windows = [{ kind: 'extended' as const, from: at(0), to: at(180), events: [] }];
  await writeShared({ extended: new Map([[eventId(1), null]]), windows });
  expect(rows.store.find(id)).toMatchObject({ name: '番組1', extended: { 内容: '山' } });
  await rows.write({ programs: [main({ name: '差し替え' })] });
  expect(rows.store.find(id)).toMatchObject({ name: '差し替え', extended: { 内容: '山' } });
  // Its end is its own.
  await writeShared({ programs: [shared({ endAt: broadcastMs(at(20)) })] });
  await rows.write({ programs: [main({ name: '再び' })] });
  expect(rows.store.find(id)).toMatchObject({ name: '再び', endAt: at(20) });
});

test('shows its own texts while its own table has some', async () => {
  await rows.write({ programs: [main()] });
  await writeShared({ programs: [shared({ name: '別の題' })] });
  await rows.write({ programs: [main({ name: '差し替え' })] });
  expect(rows.store.find(id)?.name).toBe('別の題');
});

test('has cast and details of the main event beside a title of its own, in any order of arrival', async () => {
  const titled = shared({ name: '別の題', description: '別の説明' });
  const full = main({ description: '概要', genres: [{ lv1: 3, lv2: 0 }] });
  await writeShared({ programs: [titled] });
  await rows.write({ programs: [full], extended: new Map([[eventId(1), { 出演者: '山田' }]]) });
  const expected = {
    name: '別の題',
    description: '別の説明',
    genres: full.genres,
    extended: { 出演者: '山田' },
  };
  expect(rows.store.find(id)).toMatchObject(expected);
  // Neither the main station's next change nor a repetition removes the title.
  await rows.write({ programs: [main({ ...full, name: '差し替え' })] });
  await rows.write({ extended: new Map([[eventId(1), { 出演者: '山田、田中' }]]) });
  expect((await writeShared({ programs: [titled] })).changed).toBe(0);
  expect(rows.store.find(id)).toMatchObject({ ...expected, extended: { 出演者: '山田、田中' } });
  // Its own text stays.
  await writeShared({ extended: new Map([[eventId(1), { 内容: '副音声で別の話' }]]) });
  await rows.write({ extended: new Map([[eventId(1), { 出演者: '佐藤' }]]) });
  expect(rows.store.find(id)?.extended).toEqual({ 内容: '副音声で別の話' });
  expect(rows.store.find(main().id)?.extended).toEqual({ 出演者: '佐藤' });
});

test('of a main station that is not received stays without a title', async () => {
  await writeShared();
  expect(rows.store.find(id)?.name).toBe('');
});
