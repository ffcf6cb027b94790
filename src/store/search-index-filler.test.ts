import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { type MonotonicMs, monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { openDatabase } from './database.ts';
import { ProgramWriter } from './program-writer.ts';
import { RecordingListStore } from './recording-list-store.ts';
import { SearchStore } from './search-store.ts';
import { StationStore } from './station-store.ts';

const HOUR_MS = 3_600_000;
const STATION = stationId(networkId(0x7fe8), serviceId(1024));
/** More than one pass of the index. */
const RECORDINGS = 1_250;

let folder: string;
let database: Database;
/** The main thread's connection. */
let other: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-index-'));
  database = openDatabase(join(folder, 'svc.db'));
  const station = {
    ...{ id: STATION, type: 'GR' as const, networkId: networkId(0x7fe8), serviceId: serviceId(1024) },
    ...{ transportStreamId: null, channel: 'T27', name: '局', serviceType: 1, remoteControlKey: 1 },
  };
  new StationStore(database).apply({ put: [station], hide: [], retype: [] }, broadcastMs(0));
  const add = database.query(
    `INSERT INTO recordings (id, station_id, service_name, state, name, description, extended, start_at, end_at,
       created_at, updated_at)
     VALUES ($id, $station, '局', 'failed', '番組', '', '{"出演者":"海野遥"}', $id * 60000, $id * 60000, 0, 0)`,
  );
  database.transaction(() => {
    for (let id = 1; id <= RECORDINGS; id += 1) add.run({ id, station: STATION });
  })();
  other = openDatabase(join(folder, 'svc.db'));
});

afterEach(() => {
  other.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function writerWith(pause: () => Promise<void>): ProgramWriter {
  let at = 0;
  // A step takes a ms.
  const elapsed = (): MonotonicMs => {
    at += 1;
    return monotonicMs(at);
  };
  return new ProgramWriter({ database, elapsed, pause });
}

const pending = (): number =>
  other.query<{ n: number }, []>('SELECT count(*) AS n FROM search_pending').get()?.n ?? -1;
const listed = (list: RecordingListStore): number =>
  list.page(
    {
      ...{ show: 'failed', sort: 'newest', words: ['海野'], unwatched: false },
      ...{ series: null, ruleId: null, stationId: null, genre: null },
    },
    0,
    1,
  ).total;

test('recordings that an update left pending are found once they are indexed, in lists that are kept too', async () => {
  const list = new RecordingListStore(other);
  expect(listed(list)).toBe(0);
  await writerWith(() => Promise.resolve()).fillIndex();
  expect(pending()).toBe(0);
  expect(listed(list)).toBe(RECORDINGS);
  const { rows, more } = await new SearchStore(other).recordings(['海野'], 3);
  expect([rows.map(({ id }) => Number(id)), more]).toEqual([[1250, 1249, 1248], true]);
});

test('other writers run between its steps: recordings are renamed and deleted, the guide is written', async () => {
  other.run('PRAGMA busy_timeout = 0');
  const left: number[] = [];
  const writer = writerWith(async () => {
    // Without waiting: the lock is free in a pause.
    const id = RECORDINGS - left.length * 10;
    other.run(`UPDATE recordings SET extended = '{"出演者":"山田"}' WHERE id = ?`, [id]);
    other.run('DELETE FROM recordings WHERE id = ?', [id - 1]);
    left.push(pending());
    await Promise.resolve();
  });
  const nothing = { programs: [], extended: new Map(), windows: [], presentFollowing: undefined };
  const filled = writer.fillIndex();
  let isFilled = false;
  void filled.then(() => {
    isFilled = true;
  });
  await writer.write({ stationId: STATION, ...nothing }, wallMs(HOUR_MS));
  // It waited for one pass, not for all.
  expect(isFilled).toBe(false);
  await filled;
  expect(pending()).toBe(0);
  const found = async (word: string): Promise<number> =>
    (await new SearchStore(other).recordings([word], 2_000)).rows.length;
  expect(left.length).toBeGreaterThan(3);
  expect([await found('山田'), await found('海野')]).toEqual([left.length, RECORDINGS - 2 * left.length]);
  expect(other.query('SELECT count(*) AS n FROM recording_letters').get()).toEqual({
    n: RECORDINGS - left.length,
  });
});
