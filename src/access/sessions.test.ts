/** Sessions over a real database. */
import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWallClock, wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { systemRandom } from '../../lib/host/random.ts';
import { until } from '../../test/until.ts';
import { openDatabase } from '../store/database.ts';
import { SessionStore } from '../store/session-store.ts';
import { Sessions } from './sessions.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

const LOGIN = { subject: 'sub-1', name: '花子', address: '203.0.113.5', agent: 'Firefox' };

function household(now = 1_000_000) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sessions-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'svc.db');
  const database = openDatabase(path);
  closers.push(() => database.close());
  const lines: string[] = [];
  const clock = { now, changes: 0, isSure: true };
  const store = new SessionStore(database);
  const sessions = new Sessions({
    store,
    lifetimeMs: 60_000,
    purgeIntervalMs: 3_600_000,
    random: systemRandom,
    changed: () => {
      clock.changes += 1;
    },
    log: createLog({ level: 'debug', now: systemWallClock, write: (line) => lines.push(line) }),
    now: () => wallMs(clock.now),
    isTimeSure: () => clock.isSure,
  });
  closers.push(() => sessions.close());
  const rows = () => database.query<{ n: number }, []>('SELECT count(*) AS n FROM sessions').get()?.n;
  return { sessions, clock, database, path, rows, lines };
}

test('a session is found by its cookie value until it ends', () => {
  const { sessions, clock } = household();
  const { secret, lifetimeMs } = sessions.begin(LOGIN);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(lifetimeMs).toBe(60_000);
  expect(sessions.find(secret)).toEqual({ sessionId: 1, name: '花子' });
  for (const other of [
    '',
    'x',
    secret.slice(1),
    `${secret}A`,
    `${secret} `,
    secret.toLowerCase(),
    'é'.repeat(43),
  ])
    expect(sessions.find(other)).toBeUndefined();
  sessions.end('x');
  expect(clock.changes).toBe(1);
  sessions.end(secret);
  sessions.end(secret);
  expect(sessions.find(secret)).toBeUndefined();
  expect(clock.changes).toBe(2);
});

test('an expired session is not found, and its row is deleted by the next purge', () => {
  const { sessions, clock, rows } = household();
  const { secret } = sessions.begin(LOGIN);
  clock.now += 59_999;
  expect(sessions.find(secret)).toBeDefined();
  clock.now += 1;
  expect(sessions.find(secret)).toBeUndefined();
  expect(sessions.list()).toEqual([]);
  expect(rows()).toBe(1);
  sessions.start();
  expect(rows()).toBe(0);
});

test('a machine that starts in a wrong year logs nobody out for good', () => {
  const { sessions, clock } = household();
  const { secret } = sessions.begin(LOGIN);
  Object.assign(clock, { now: clock.now + 10 * 365 * 86_400_000, isSure: false });
  sessions.start();
  expect(sessions.find(secret)).toBeUndefined();
  clock.now = 1_000_001;
  expect(sessions.find(secret)).toBeDefined();
});

test('the cookie value is not stored in the database', () => {
  const { sessions, database, path } = household();
  const { secret } = sessions.begin(LOGIN);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const file = readFileSync(path).toString('latin1');
  expect(file).toContain('sub-1');
  for (const form of [secret, Buffer.from(secret, 'base64url').toString('latin1')])
    expect(file).not.toContain(form);
});

test('ending the other sessions returns how many were still valid', () => {
  const { sessions, clock } = household();
  sessions.begin(LOGIN);
  clock.now += 30_000;
  const [mine, theirs] = [sessions.begin(LOGIN), sessions.begin({ ...LOGIN, name: '太郎' })];
  expect(sessions.list().map(({ name }) => name)).toEqual(['太郎', '花子', '花子']);
  clock.now += 30_000;
  expect(sessions.endOthers(sessions.find(mine.secret)?.sessionId ?? null)).toBe(1);
  expect(sessions.find(mine.secret)).toBeDefined();
  expect(sessions.find(theirs.secret)).toBeUndefined();
  expect(sessions.endOthers(null)).toBe(1);
  expect(sessions.find(mine.secret)).toBeUndefined();
});

test('texts from clients are truncated, and beyond 1000 sessions the oldest are deleted', () => {
  const { sessions, rows } = household();
  const first = sessions.begin({ ...LOGIN, name: 'あ'.repeat(1_000_000), agent: 'x'.repeat(100_000) });
  expect(sessions.list()[0]).toMatchObject({ name: 'あ'.repeat(200), agent: 'x'.repeat(200) });
  for (let n = 0; n < 1_000; n++) sessions.begin(LOGIN);
  expect(rows()).toBe(1_000);
  expect(sessions.find(first.secret)).toBeUndefined();
});

test('a failed purge is logged and repeated', async () => {
  const { sessions, database, lines } = household();
  database.run('DROP TABLE sessions');
  sessions.start();
  const isLogged = () => lines.join('').includes('expired sessions are not deleted yet') || undefined;
  await until('it is logged', isLogged);
  sessions.close();
});

test('a change of the list is published, and only then', async () => {
  const { sessions, clock } = household();
  sessions.begin(LOGIN);
  sessions.begin(LOGIN);
  clock.changes = 0;
  expect(sessions.endOthers(1)).toBe(1);
  expect(clock.changes).toBe(1);
  expect(sessions.endOthers(1)).toBe(0);
  expect(clock.changes).toBe(1);
  sessions.start();
  expect(clock.changes).toBe(1);
  sessions.close();
  clock.now += 60_001;
  sessions.start();
  await until('it is published', () => clock.changes === 2 || undefined);
  sessions.close();
});
