import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { RecordingRemoval } from '../record/recording-removal.ts';
import { openStores, type Stores } from '../stores.ts';
import { DataFileStore } from './data-file-store.ts';
import { findCopied } from './data-folder.ts';
import { openDatabase } from './database.ts';
import { RecordingListStore } from './recording-list-store.ts';
import { RecordingStore } from './recording-store.ts';
import { RecycleBin } from './recycle-bin.ts';

const START = broadcastMs(Date.UTC(2026, 0, 5, 12));
let root: string;
/** Folder of the original's recordings. */
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-copy-')));
  folder = join(root, 'disk');
  const { database, close } = openStores(join(root, 'original'));
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 1, 0)`,
  );
  for (const state of ['available', 'recording', 'available'] as const) put(database, state, folder);
  new DataFileStore(database).put(recordingId(1), {
    path: join(folder, 'a.data'),
    bytes: 5,
    isComplete: true,
  });
  new RecycleBin(database).markDeleted([recordingId(3)], START);
  close();
});

afterEach(() => rmSync(root, { recursive: true }));

function put(database: Stores['database'], state: 'available' | 'recording', into: string): void {
  const row = {
    station: 101,
    serviceName: '衛星',
    name: `番組 ${state}`,
    startAt: START,
    endAt: START + 60_000,
  };
  putRecording(database, { ...row, state }, into);
}

function copyOriginal(): void {
  mkdirSync(join(root, 'copy'));
  copyFileSync(join(root, 'original/svc.db'), join(root, 'copy/svc.db'));
}

/** Files that a service would serve, append to, and delete. */
function used({ database }: Stores) {
  const store = new RecordingStore(database);
  return {
    files: [...new Set([...store.filePages()].flat().map(({ recordingId }) => recordingId))],
    data: [1, 2, 3, 4].filter((id) => new DataFileStore(database).find(recordingId(id)) !== undefined),
    parts: [1, 2, 3, 4].filter((id) => store.parts(recordingId(id)).length > 0),
    unfinished: store.unfinished(),
    leftovers: new RecycleBin(database).leftovers().map(({ recordingId }) => recordingId),
  };
}

const ALL = {
  files: [recordingId(1)],
  data: [1],
  parts: [1, 2, 3],
  unfinished: [recordingId(2)],
  leftovers: [recordingId(3)],
};
const NONE = { files: [], data: [], parts: [], unfinished: [], leftovers: [] };

test('a copy neither serves, continues nor deletes recordings of its original', async () => {
  copyOriginal();
  const stores = openStores(join(root, 'copy'));
  expect(stores.copied).toEqual([{ original: join(root, 'original/svc.db'), recordings: 3 }]);
  expect(used(stores)).toEqual(NONE);
  const listed = new RecordingListStore(stores.database).find(recordingId(1), { binned: true });
  expect(listed).toMatchObject({ state: 'failed', reason: { code: 'copied' }, files: [] });
  const recycleBin = new RecycleBin(stores.database);
  const paths = recycleBin.leftovers().map(({ path }) => path);
  recycleBin.markDeleted([recordingId(1), recordingId(2)], START);
  const log = createLog({ level: 'error', now: () => wallMs(START), write: () => {} });
  await new RecordingRemoval({ recycleBin, log, waitMs: 60_000 }).run();
  expect(paths.every((path) => existsSync(path))).toBe(true);
  stores.close();
  const original = openStores(join(root, 'original'));
  expect(original.copied).toEqual([]);
  expect(used(original)).toEqual(ALL);
  for (const { path } of [1, 2, 3].flatMap((id) =>
    new RecordingStore(original.database).parts(recordingId(id)),
  )) {
    expect([path, existsSync(path)]).toEqual([path, true]);
  }
  original.close();
});

test('notices that waited when it was copied are sent by the original alone', () => {
  const { database, close } = openStores(join(root, 'original'));
  database.run(
    `INSERT INTO notice_targets (kind, name, url, events, digest, enabled, base)
     VALUES ('webhook', '', 'https://hook.example/', '[]', 0, 1, '')`,
  );
  database.run(`INSERT INTO notices (key, event, kind, subject, facts, at, queued)
    VALUES ('a', 'failed', 'recording', '1', '{}', 0, 1), ('b', 'failed', 'recording', '2', '{}', 0, 0)`);
  database.run('INSERT INTO notice_deliveries (target_id, notice_id, due_at) VALUES (1, 1, 0)');
  close();
  copyOriginal();
  const waiting = (place: string): unknown => {
    const stores = openStores(join(root, place));
    const counts = stores.database
      .query(
        `SELECT (SELECT count(*) FROM notice_deliveries) AS queued, (SELECT count(*) FROM notices WHERE queued = 0) AS fresh`,
      )
      .get();
    stores.close();
    return counts;
  };
  expect(waiting('copy')).toEqual({ queued: 0, fresh: 0 });
  expect(waiting('original')).toEqual({ queued: 1, fresh: 1 });
});

test('a copy keeps its own recordings, and takes over those of the original once that no longer exists', () => {
  copyOriginal();
  const first = openStores(join(root, 'copy'));
  put(first.database, 'available', join(root, 'copy/recordings'));
  first.close();
  const second = openStores(join(root, 'copy'));
  expect(used(second)).toEqual({ ...NONE, files: [recordingId(4)], parts: [4] });
  second.close();
  rmSync(join(root, 'original'), { recursive: true });
  const third = openStores(join(root, 'copy'));
  expect(third.copied).toEqual([]);
  expect(used(third)).toEqual({ ...ALL, files: [recordingId(1), recordingId(4)], parts: [1, 2, 3, 4] });
  const listed = new RecordingListStore(third.database).find(recordingId(1), { binned: true });
  expect(listed).toMatchObject({ state: 'available', reason: null, files: [{ source: 'ts' }] });
  third.close();
});

test('a data folder that was moved or restored keeps its recordings', () => {
  copyOriginal();
  renameSync(join(root, 'original'), join(root, 'moved'));
  const moved = openStores(join(root, 'moved'));
  expect(moved.copied).toEqual([]);
  expect(used(moved)).toEqual(ALL);
  moved.close();
  renameSync(join(root, 'copy'), join(root, 'original'));
  const restored = openStores(join(root, 'original'));
  expect(restored.copied).toEqual([]);
  expect(used(restored)).toEqual(ALL);
  restored.close();
});

test('a copy is found before it is opened for the first time, and a copy of a copy', () => {
  copyOriginal();
  const path = join(root, 'copy/svc.db');
  const copied = [{ original: join(root, 'original/svc.db'), recordings: 1 }];
  const database = openDatabase(path);
  database.run('DELETE FROM recordings WHERE id > 1');
  expect(findCopied(database, path)).toEqual(copied);
  database.close();
  openStores(join(root, 'copy')).close();
  mkdirSync(join(root, 'third'));
  copyFileSync(path, join(root, 'third/svc.db'));
  const third = openStores(join(root, 'third'));
  expect(third.copied).toEqual(copied);
  expect(findCopied(third.database, join(root, 'third/svc.db'))).toEqual(copied);
  third.close();
});
