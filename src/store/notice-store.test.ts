import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../../lib/wire/vocabulary.ts';
import type { NoticeFacts } from '../model/notice.ts';
import { openDatabase } from './database.ts';
import { NoticeStore } from './notice-store.ts';

let folder: string;
let database: Database;
let store: NoticeStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-notice-store-'));
  database = openDatabase(join(folder, 'svc.db'));
  store = new NoticeStore(database);
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function addTarget(events: readonly NoticeEvent[]): number {
  return store.addTarget({
    ...{
      kind: 'webhook',
      format: 'generic',
      name: '試験',
      url: 'https://hook.example/',
      secret: null,
      to: null,
    },
    ...{ events: [...events], quiet: null, digest: false, enabled: true, base: 'https://svc.example/' },
  });
}

function add(key: string, event: NoticeEvent, facts: NoticeFacts = {}): void {
  store.add({ key, event, kind: 'reservation', subject: key, facts, at: wallMs(0) });
}

test('a flood of what a target did not choose displaces nothing that it did', () => {
  const target = addTarget(['failed']);
  add('failed', 'failed');
  database.transaction(() => {
    for (let index = 0; index < 600; index++) add(`reserved${index}`, 'reserved');
  })();
  store.enqueue((to, { event }) => (to.events.includes(event) ? 1 : undefined));
  expect(store.due(target, 1).map(({ event }) => event)).toEqual(['failed']);
});

test('deliveries of an old notice are found by an index', () => {
  const plan = database
    .query<{ detail: string }, []>('EXPLAIN QUERY PLAN DELETE FROM notice_deliveries WHERE notice_id = 1')
    .all();
  expect(plan.map(({ detail }) => detail).join()).toContain('SEARCH');
});

test('damaged values of a row read as unknown', () => {
  const damaged = JSON.stringify({
    verdict: { level: 'damaged' },
    recordingReason: 5,
    reservationReason: { code: 'tuners_in_use' },
  });
  addTarget(NOTICE_EVENTS);
  add('damaged', 'finished');
  database.query('UPDATE notices SET facts = $damaged').run({ damaged });
  const facts = store.latest(1, undefined)[0]?.facts;
  expect(facts).toMatchObject({ verdict: null, reservationReason: null });
  expect(facts?.recordingReason?.code).toBe('text');
});

test('a recording that its user stopped before anything was kept is no failure', () => {
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (1, 'GR', 4, 1, 'T27', '試験テレビ', 1, 1, 0)`,
  );
  const causes = ['stopped', 'no_signal'];
  for (const [index, cause] of causes.entries()) {
    const id = index + 1;
    database.run(
      `INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at, created_at, updated_at)
       VALUES (${id}, 1, '試験テレビ', 'recording', '映画', '', 1, 2, 0, 0)`,
    );
    database
      .query(`UPDATE recordings SET state = 'failed', reason = $reason WHERE id = $id`)
      .run({ id, reason: JSON.stringify({ v: 2, code: 'missing', cause }) });
  }
  expect(store.latest(10, undefined).map(({ event, subject }) => [event, subject])).toEqual([
    ['failed', '2'],
  ]);
});
