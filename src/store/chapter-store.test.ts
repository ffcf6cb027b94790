import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { ChapterStore } from './chapter-store.ts';
import { openDatabase } from './database.ts';

const HOUR_MS = 3_600_000;

let database: Database;
let chapters: ChapterStore;

/** Finished recordings with a file each, at intervals of an hour, the last one the newest. */
function put(count: number): void {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  database.run(
    `INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at, duration_ms,
       created_at, updated_at)
     ${numbers} SELECT i, 1, 's', 'available', 'n', '', i * ${HOUR_MS}, (i + 1) * ${HOUR_MS}, ${HOUR_MS}, 0, 0 FROM n`,
  );
  database.run(
    `INSERT INTO recording_files (recording_id, source, path, codec, bytes, created_at)
     ${numbers} SELECT i, 'ts', '/r/' || i, 'mpeg2', 1, 0 FROM n`,
  );
}

beforeEach(() => {
  database = openDatabase(':memory:');
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (1, 'BS', 4, 101, 'BS01_0', 's', 1, 1, 0)`,
  );
  chapters = new ChapterStore(database);
});

afterEach(() => database.close());

describe('the next recording for commercial detection', () => {
  const all = (onlyRequested: boolean): RecordingId[] => {
    const found = new Set<RecordingId>();
    for (let id = chapters.next(onlyRequested); id !== undefined; id = chapters.next(onlyRequested, found))
      found.add(id);
    return [...found];
  };
  const ids = (...numbers: number[]): RecordingId[] => numbers.map(recordingId);

  test('is a requested one, the oldest request first, then the newest recording', () => {
    put(6);
    chapters.request(recordingId(2), wallMs(20));
    chapters.request(recordingId(5), wallMs(10));
    chapters.cancel(recordingId(4), wallMs(30));
    chapters.putFailed(recordingId(6), 'no_file', wallMs(40));
    expect(all(false)).toEqual(ids(5, 2, 3, 1));
    expect(all(true)).toEqual(ids(5, 2));
    chapters.begin(recordingId(5), wallMs(50));
    chapters.putFailed(recordingId(5), 'no_file', wallMs(60));
    expect(all(false)).toEqual(ids(2, 3, 1));
    chapters.request(recordingId(6), wallMs(70));
    expect(all(false)).toEqual(ids(2, 6, 3, 1));
  });

  test('is one that its rule or reservation selects, whatever the setting', () => {
    put(3);
    database.run(`UPDATE recordings SET commercials = 'cut' WHERE id = 2`);
    database.run(`UPDATE recordings SET commercials = 'none' WHERE id = 3`);
    expect(all(true)).toEqual(ids(2));
    expect(all(false)).toEqual(ids(2, 1));
    expect([1, 2, 3].map((id) => chapters.handling(recordingId(id)))).toEqual([null, 'cut', 'none']);
  });

  test('is found without reading all pending ones', () => {
    const took = (): number => {
      const begin = process.threadCpuUsage();
      for (let times = 0; times < 100; times++) chapters.next(false, new Set(ids(1, 2, 3)));
      const { user, system } = process.threadCpuUsage(begin);
      return user + system;
    };
    put(5);
    took();
    const few = took();
    database.run('DELETE FROM recordings');
    put(10_000);
    chapters.request(recordingId(1), wallMs(1));
    // Reading and sorting them takes some thousand times as long.
    expect(took()).toBeLessThan(50 * Math.max(few, 1000));
    expect(chapters.next(false, new Set(ids(1, 2, 3)))).toBe(recordingId(10_000));
  });
});

describe('recordings without their original stream', () => {
  const pages = (): RecordingId[][] => [...chapters.withoutOriginal()];

  test('are listed in pages, oldest first, and marked as failed at once', () => {
    put(250);
    database.run("UPDATE recording_files SET source = 'encoded' WHERE recording_id % 2 = 0");
    database.run("INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES (2, 1, '/p', 1)");
    database.run("UPDATE recordings SET state = 'recording' WHERE id = 4");
    chapters.request(recordingId(6), wallMs(5));
    const found = pages();
    expect(found.map(({ length }) => length)).toEqual([48, 50, 25]);
    expect(found[0]?.slice(0, 3)).toEqual([6, 8, 10].map(recordingId));
    for (const page of chapters.withoutOriginal()) chapters.putAllFailed(page, 'no_file', wallMs(9));
    expect(pages().flat()).toEqual([]);
    expect(chapters.detection(recordingId(6))).toMatchObject({
      ...{ state: 'failed', reason: 'no_file', isRequested: false, updatedAt: 9 },
    });
    expect(chapters.next(false)).toBe(recordingId(249));
    expect(chapters.next(true)).toBeUndefined();
  });
});
