import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { DataFileStore } from './data-file-store.ts';
import { openDatabase } from './database.ts';
import { RecordingStore } from './recording-store.ts';
import { RecordingSumStore } from './recording-sums.ts';
import { RecycleBin } from './recycle-bin.ts';

const STATION = 1;
const HOUR = 3_600_000;
let folder: string;
let database: Database;
let store: DataFileStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-data-store-'));
  database = openDatabase(join(folder, 'svc.db'));
  store = new DataFileStore(database);
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, hidden, seen_at)
     VALUES (${STATION}, 'GR', 1, 1, 'T27', '試験', 1, 1, 0, 0)`,
  );
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function put(state: 'recording' | 'recorded' = 'recorded') {
  const row = {
    station: STATION,
    serviceName: '試験',
    name: '番組',
    startAt: 0,
    endAt: HOUR,
    bytes: 1_000,
    state,
  };
  return recordingId(putRecording(database, row, folder));
}

const bytesOf = (id: number): number =>
  database.query<{ bytes: number }, { id: number }>('SELECT bytes FROM recordings WHERE id = $id').get({ id })
    ?.bytes ?? -1;

describe('the file with the data broadcast of a recording', () => {
  test('counts among its files, also in the sums, and no longer once it is gone', () => {
    const id = put();
    const sums = new RecordingSumStore(database);
    const path = join(folder, 'a.databroadcast');
    store.put(id, { path, bytes: 0, isComplete: false });
    expect([bytesOf(id), store.unfinished()]).toEqual([1_000, [id]]);
    store.put(id, { path, bytes: 200, isComplete: true });
    expect([bytesOf(id), sums.sums().bytes, sums.byFolder().get(folder)]).toEqual([1_200, 1_200, 1_200]);
    expect([store.find(id), store.unfinished()]).toEqual([{ path, bytes: 200, isComplete: true }, []]);
    const recordings = new RecordingStore(database);
    expect([...recordings.filePages()].flat()).toContainEqual({ recordingId: id, path });
    recordings.forgetFile({ recordingId: id, path }, { code: 'file_gone' }, wallMs(1));
    expect([bytesOf(id), store.find(id)]).toEqual([1_000, undefined]);
    expect(recordings.find(id)?.state).toBe('recorded');
  });

  test('of a recording in progress is counted at its end', () => {
    const id = put('recording');
    store.put(id, { path: join(folder, 'a'), bytes: 200, isComplete: false });
    expect([bytesOf(id), store.growing(), store.unfinished()]).toEqual([0, [id], []]);
    database.run(`UPDATE recordings SET state = 'recorded'`);
    database.run('UPDATE recording_files SET bytes = 1000');
    expect([bytesOf(id), store.growing(), store.unfinished()]).toEqual([1_200, [], [id]]);
  });

  test('leaves with its recording: the row stays until the file is removed', () => {
    const id = put();
    const path = join(folder, 'a.databroadcast');
    store.put(id, { path, bytes: 200, isComplete: true });
    const bin = new RecycleBin(database);
    bin.markDeleted([id], broadcastMs(5));
    store.put(id, { path: join(folder, 'later'), bytes: 1, isComplete: true });
    const leftovers = bin.leftovers();
    expect(leftovers.map((one) => one.path)).toContain(path);
    bin.forgetFiles(leftovers.filter((one) => one.path !== path));
    expect(bin.purge(broadcastMs(9), broadcastMs(9))).toBe(0);
    bin.forgetFiles(leftovers);
    expect(bin.purge(broadcastMs(9), broadcastMs(9))).toBe(1);
    store.put(id, { path, bytes: 1, isComplete: true });
    expect(store.find(id)).toBeUndefined();
  });
});
