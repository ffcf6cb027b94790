import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { type RuleId, ruleId } from '../../lib/wire/ids.ts';
import { readIds } from './stored-json.ts';
import {
  defineTable,
  flagColumn,
  joined,
  json,
  named,
  nullableColumn,
  plain,
  type Row,
  selected,
  textColumn,
  type Values,
} from './table.ts';

interface Kept {
  id: number;
  ruleId: RuleId | null;
  name: string;
  isFree: boolean;
  keepTs: boolean | null;
  groups: readonly number[];
  reason: string | null;
  tuner: { type: 'GR' | 'BS'; rank: number } | null;
  /** Absent means null. */
  relayOf?: number | null;
  startAt: BroadcastMs;
}

const KEPT = defineTable<Kept>({
  id: plain(),
  ruleId: plain(),
  name: textColumn(),
  isFree: flagColumn(),
  keepTs: nullableColumn(flagColumn()),
  groups: json(readIds),
  reason: named('message', plain()),
  tuner: joined(
    ['tuner_type', 'tuner_rank'],
    ({ tuner_type: type, tuner_rank: rank }) =>
      type === 'GR' || type === 'BS' ? { type, rank: Number(rank) } : null,
    (tuner) => [tuner?.type ?? null, tuner?.rank ?? null],
  ),
  relayOf: plain(),
  startAt: plain(),
});

interface Listed extends Kept {
  station: string;
}

const LISTED = KEPT.with<Listed>({ station: selected(`'局' || k.id`, textColumn()) });
const { id: _, ...NEW } = {
  id: 1,
  ruleId: ruleId(7),
  name: '朝の汽車',
  isFree: true,
  keepTs: false,
  groups: [3, 4],
  reason: '混雑',
  tuner: { type: 'BS', rank: 2 },
  startAt: broadcastMs(5_000),
} satisfies Kept;
const FIELDS = KEPT.fields.filter((field) => field !== 'id');

let database: Database;

beforeEach(() => {
  database = new Database(':memory:', { strict: true });
  database.run(`CREATE TABLE kept (id INTEGER PRIMARY KEY, rule_id INTEGER, name TEXT, is_free INTEGER, keep_ts INTEGER,
    groups TEXT, message TEXT, tuner_type TEXT, tuner_rank INTEGER, relay_of INTEGER, start_at INTEGER, changed_at INTEGER)`);
});
afterEach(() => database.close());

function insert(entity: Omit<Kept, 'id'>): void {
  database
    .query(`INSERT INTO kept ${KEPT.inserted(FIELDS, { changed_at: '$now' })}`)
    .run({ ...KEPT.parameters({ id: 0, ...entity }, FIELDS), now: 99 });
}

const all = (): Kept[] =>
  database
    .query<Row, []>(`SELECT ${KEPT.columns('k')} FROM kept AS k ORDER BY k.id`)
    .all()
    .map(KEPT.read);

test('an entity is stored in its columns and read again', () => {
  insert(NEW);
  insert({ ...NEW, ruleId: null, keepTs: null, isFree: false, reason: null, tuner: null, relayOf: 12 });
  expect(all()).toEqual([
    { id: 1, ...NEW, relayOf: null },
    { id: 2, ...NEW, ruleId: null, keepTs: null, isFree: false, reason: null, tuner: null, relayOf: 12 },
  ]);
  expect(database.query('SELECT * FROM kept WHERE id = 1').get()).toEqual({
    id: 1,
    rule_id: 7,
    name: '朝の汽車',
    is_free: 1,
    keep_ts: 0,
    groups: '[3,4]',
    message: '混雑',
    tuner_type: 'BS',
    tuner_rank: 2,
    relay_of: null,
    start_at: 5_000,
    changed_at: 99,
  });
});

test('an update changes the columns of the given fields only', () => {
  insert(NEW);
  const change = { tuner: { type: 'GR', rank: 0 }, name: '夜の汽車' } as const;
  database
    .query(`UPDATE kept SET ${KEPT.assigned(['tuner', 'name'])} WHERE id = $id`)
    .run({ id: 1, ...KEPT.parameters(change) });
  expect(all()).toEqual([{ id: 1, ...NEW, ...change, relayOf: null }]);
  const changes = database
    .query(
      `UPDATE kept SET name = '' WHERE (${KEPT.names(['tuner', 'keepTs'])}) IS NOT (${KEPT.placeholders(['tuner', 'keepTs'])})`,
    )
    .run(KEPT.parameters({ ...NEW, ...change }, ['tuner', 'keepTs'])).changes;
  expect(changes).toBe(0);
});

test('a conflicting row takes over the new values', () => {
  insert(NEW);
  const other = { id: 1, ...NEW, name: '昼の汽車', isFree: false };
  database
    .query(
      `INSERT INTO kept ${KEPT.inserted(['id', 'name', 'isFree'])}
       ON CONFLICT (id) DO UPDATE SET ${KEPT.excluded(['name', 'isFree'])}`,
    )
    .run(KEPT.parameters(other, ['id', 'name', 'isFree']));
  expect(all()).toEqual([{ ...other, relayOf: null }]);
});

test('lists have fields of other tables, which cannot be written', () => {
  insert(NEW);
  const list = database.query<Row, Values>(`SELECT ${LISTED.columns('k')} FROM kept AS k`).all({});
  expect(list.map(LISTED.read)).toEqual([{ id: 1, ...NEW, relayOf: null, station: '局1' }]);
  expect(() => LISTED.assigned(['station'])).toThrow('station');
});

test('some fields are selected with the same conversions', () => {
  insert(NEW);
  const part = KEPT.pick(['keepTs', 'reason']);
  expect(part.columns()).toBe('keep_ts, message');
  expect(database.query<Row, []>(`SELECT ${part.columns()} FROM kept`).all().map(part.read)).toEqual([
    { keepTs: false, reason: '混雑' },
  ]);
});

test('damaged values do not prevent reading the row', () => {
  insert(NEW);
  database.run(`UPDATE kept SET name = x'e69c9d', groups = '{', is_free = 'x', tuner_type = x'00'`);
  expect(all()).toEqual([
    { id: 1, ...NEW, name: '朝', groups: [], isFree: false, tuner: null, relayOf: null },
  ]);
});
