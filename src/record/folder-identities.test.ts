/** Folders of recordings that are renamed, recreated or covered while no service runs, with real files and rows. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { span } from '../../test/record/span.ts';
import { NEW, STATION_ROW } from '../../test/record/stored-recording.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { openDatabase } from '../store/database.ts';
import { RecordingFolderStore } from '../store/recording-folders.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { FileWatch, reconcile } from './file-reconciliation.ts';
import { FolderIdentities } from './folder-identities.ts';
import { FolderMounts } from './folder-mounts.ts';
import { concludeRecording, joinReturned } from './recording-conclusion.ts';

const WALL = wallMs(1);
const canMount = process.getuid?.() === 0;

let root: string;
let folder: string;
let aside: string;
let database: Database;
let store: RecordingStore;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-identities-')));
  [folder, aside] = [join(root, 'tv'), join(root, 'aside')];
  mkdirSync(folder);
  database = openDatabase(join(root, 'svc.db'));
  database.run(STATION_ROW);
  store = new RecordingStore(database);
});
afterEach(() => {
  database.close();
  rmSync(root, { recursive: true });
});

/** What a service has at its start: nothing is known but what is stored. */
function started() {
  const memory = new RecordingFolderStore(database);
  const mounts = new FolderMounts(memory, undefined, new FolderIdentities(memory));
  const options = {
    ...{ store, mounts, log: SILENT_LOG, wallClock: () => WALL },
    folders: () => [{ path: folder, floorBytes: 0 }],
    free: async () => 1e12,
    retryDamaged: () => 'never' as const,
    persist: async (act: () => void) => act(),
  };
  return { mounts, options, watch: new FileWatch(options) };
}

async function placed(names: readonly string[]): Promise<RecordingId> {
  const id = store.create(NEW, WALL);
  if (id === undefined) throw new Error('not created');
  const parts = names.map((name) => ({ path: join(folder, name), bytes: name.length }));
  for (const [index, { path }] of parts.entries()) writeFileSync(path, names[index] ?? '');
  store.placed(id, parts, { folder, stem: `r${id}` }, WALL);
  await started().mounts.identify(folder);
  return id;
}

async function conclude(id: RecordingId): Promise<void> {
  const { startAt, endAt } = NEW;
  const measured = {
    ...nothingMeasured(),
    stretches: [span(startAt, endAt)],
    files: store.parts(id).map(({ path }) => ({ path, ...span(startAt, endAt) })),
  };
  const result = { end: 'finished' as const, at: broadcastMs(endAt), measured, parts: store.parts(id) };
  await concludeRecording(id, result, { startAt, endAt }, started().options);
}

async function recorded(...names: string[]): Promise<RecordingId> {
  const id = await placed(names);
  await conclude(id);
  return id;
}

const listed = (): string[] =>
  [...store.filePages()]
    .flat()
    .map(({ path }) => path.slice(folder.length + 1))
    .sort();

const check = async (): Promise<number> => (await reconcile(started().options)).forgotten;

describe('a folder that is renamed away while no service runs', () => {
  test('keeps its rows when recordings go into a new folder in its place, also more than it had', async () => {
    for (let count = 0; count < 3; count += 1) await recorded(`old ${count}`);
    renameSync(folder, aside);
    expect(await check()).toBe(0);
    mkdirSync(folder);
    expect(await check()).toBe(0);
    for (let count = 0; count < 30; count += 1) await recorded(`new ${count}`);
    const { options, watch } = started();
    expect([await check(), (await watch.check()).forgotten, await check()]).toEqual([0, 0, 0]);
    expect(listed()).toHaveLength(33);
    // A file that is deleted in the new folder is told, the others are still elsewhere.
    rmSync(join(folder, 'new 7'));
    expect((await new FileWatch(options).check()).forgotten).toBe(1);
    expect(listed()).toHaveLength(32);
    // The old files are moved into the new folder, one after the other.
    renameSync(join(aside, 'old 0'), join(folder, 'old 0'));
    expect(await check()).toBe(0);
    renameSync(join(aside, 'old 1'), join(folder, 'old 1'));
    expect(await check()).toBe(0);
    rmSync(join(folder, 'old 0'));
    expect(await check()).toBe(1);
    expect(listed()).toHaveLength(31);
    expect(listed().slice(-2)).toEqual(['old 1', 'old 2']);
  });

  test('has its files again when it is back, and the newer ones are kept in turn', async () => {
    await recorded('old');
    renameSync(folder, aside);
    mkdirSync(folder);
    await recorded('new');
    expect(await check()).toBe(0);
    renameSync(folder, join(root, 'newer'));
    renameSync(aside, folder);
    expect([await check(), listed()]).toEqual([0, ['new', 'old']]);
    rmSync(join(folder, 'old'));
    writeFileSync(join(folder, 'other'), '');
    expect([await check(), listed()]).toEqual([1, ['new']]);
  });

  test.each([['absent'], ['recreated']])('is not told lost while it is %s', async (how) => {
    const before = await recorded('before');
    const id = await placed(['one', 'two']);
    renameSync(folder, aside);
    if (how === 'recreated') {
      mkdirSync(folder);
      writeFileSync(join(folder, 'something'), '');
    }
    expect(await check()).toBe(0);
    await conclude(id);
    expect(store.find(id)).toMatchObject({ state: 'recorded', verdict: { level: 'complete', gaps: [] } });
    expect(store.find(before)).toMatchObject({ state: 'recorded', verdict: { level: 'complete' } });
    await check();
    expect(store.parts(id)).toHaveLength(2);
    // Back, it is joined to one file, and its parts are removed.
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
    expect(await check()).toBe(0);
    await joinReturned(started().options);
    expect(store.parts(id)).toEqual([{ path: join(folder, `r${id}.ts`), bytes: 6 }]);
    expect(readFileSync(join(folder, `r${id}.ts`), 'utf8')).toBe('onetwo');
    expect(readdirSync(folder).sort()).toEqual(['before', `r${id}.ts`]);
    expect([await check(), listed()]).toEqual([0, ['before', `r${id}.ts`]]);
  });
});

test('a folder whose device has another number after a restart of the machine is the same', async () => {
  for (const name of ['one', 'two', 'three']) await recorded(name);
  const memory = new RecordingFolderStore(database);
  const [, inode] = (memory.identityOf(folder) ?? '').split(':');
  memory.rememberIdentity(folder, `999999:${inode}`);
  rmSync(join(folder, 'one'));
  expect([await check(), listed()]).toEqual([1, ['three', 'two']]);
});

test('a folder that was copied to another disk keeps all rows, and tells later deletions', async () => {
  for (const name of ['one', 'two', 'three']) await recorded(name);
  cpSync(folder, aside, { recursive: true });
  renameSync(folder, join(root, 'former'));
  renameSync(aside, folder);
  expect([await check(), listed()]).toEqual([0, ['one', 'three', 'two']]);
  rmSync(join(folder, 'two'));
  expect([await check(), listed()]).toEqual([1, ['one', 'three']]);
});

test.skipIf(!canMount)('a folder that a mount covers over a restart keeps its rows', async () => {
  await recorded('under');
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'svc-identities', folder]);
  if (mounted.exitCode !== 0) {
    console.warn(`a covered folder is not tested, mounting is not allowed: ${mounted.stderr}`);
    return;
  }
  try {
    expect(existsSync(join(folder, 'under'))).toBe(false);
    expect(await check()).toBe(0);
    await recorded('above');
    expect([await check(), listed()]).toEqual([0, ['above', 'under']]);
  } finally {
    Bun.spawnSync(['umount', folder]);
  }
  expect([await check(), listed()]).toEqual([0, ['above', 'under']]);
  rmSync(join(folder, 'under'));
  writeFileSync(join(folder, 'other'), '');
  expect([await check(), listed()]).toEqual([1, ['above']]);
});
