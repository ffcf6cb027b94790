/** A year of broadcasting, day by day: the size of the database becomes constant. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, networkId, programId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import type { ProgramRecord } from '../../src/model/program.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProgramWriter } from '../../src/store/program-writer.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { Random } from '../fuzz/random.ts';
import { program } from './program-rows.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-11-21T00:00:00+09:00');
const STATIONS = 2;
const GUIDE_DAYS = 8;
/** By then the database has seen everything that occurs within a month. */
const SETTLED_DAY = 60;
const WORDS = [
  'ニュース',
  '天気',
  '映画',
  '料理',
  '旅',
  '音楽',
  '歴史',
  '科学',
  '野球',
  '将棋',
  '再放送',
  '生中継',
];

const random = new Random(7);
const words = (count: number): string =>
  Array.from({ length: count }, () => WORDS[random.below(WORDS.length)]).join('');

/** Programmes of one day; their event ids are reused after ten days. */
function day(of: StationId, number: number): ProgramRecord[] {
  const start = BEGIN + number * DAY_MS;
  return Array.from({ length: 24 }, (_, hour) => {
    const event = (((number % 10) + 10) % 10) * 24 + hour;
    return program(event, 0, 60, {
      id: programId(of, eventId(event)),
      stationId: of,
      startAt: broadcastMs(start + hour * HOUR_MS),
      endAt: broadcastMs(start + (hour + 1) * HOUR_MS),
      name: words(2 + random.below(3)),
      description: words(10 + random.below(20)),
      extended: { 番組内容: words(40 + random.below(80)) },
      genres: [{ lv1: random.below(12), lv2: random.below(10) }],
    });
  });
}

test('a simulated year leaves the database at a constant size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-year-'));
  const database = openDatabase(join(folder, 'svc.db'));
  const stations = Array.from({ length: STATIONS }, (_, index) => {
    const [network, service] = [networkId(4), serviceId(101 + index)];
    return {
      id: stationId(network, service),
      ...{ type: 'BS' as const, networkId: network, serviceId: service, transportStreamId: null },
      ...{ channel: 'BS01_0', name: '', serviceType: 1, remoteControlKey: 1 },
    };
  });
  new StationStore(database).apply({ put: stations, hide: [], retype: [] }, broadcastMs(0));
  const writer = new ProgramWriter({ database, elapsed: systemMonotonicClock, pause: async () => {} });
  const pages = (): number => {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    return (database.query('PRAGMA page_count').get() as { page_count: number }).page_count;
  };
  const sizes: number[] = [];
  for (let number = -GUIDE_DAYS; number < 365; number++) {
    const now = wallMs(BEGIN + number * DAY_MS);
    for (const { id } of stations) {
      // The day that became visible, and some programmes of another day that are sent again.
      const programs = [...day(id, number + GUIDE_DAYS), ...day(id, number + 2).slice(0, 4)];
      await writer.write(
        { stationId: id, programs, extended: new Map(), windows: [], presentFollowing: undefined },
        now,
      );
    }
    await writer.purge(broadcastMs(now - DAY_MS));
    if (number >= SETTLED_DAY && number % 5 === 0) sizes.push(pages());
  }
  const { rows } = database.query('SELECT count(*) AS rows FROM programs').get() as { rows: number };
  expect(rows).toBeLessThanOrEqual(STATIONS * 24 * (GUIDE_DAYS + 2));
  const { documents } = database.query('SELECT count(*) AS documents FROM program_documents').get() as {
    documents: number;
  };
  expect(documents).toBe(rows);
  const [settled = 0] = sizes;
  // The full-text index is merged from time to time: its size varies, but does not grow.
  expect(Math.max(...sizes)).toBeLessThan(settled * 1.25);
  expect(Math.max(...sizes.slice(-12))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 12)) * 1.05);
  database.close();
  rmSync(folder, { recursive: true });
});
