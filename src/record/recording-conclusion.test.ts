import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { span } from '../../test/record/span.ts';
import { NEW, STATION_ROW } from '../../test/record/stored-recording.ts';
import { type Measured, nothingMeasured } from '../model/verdict.ts';
import { openDatabase } from '../store/database.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { FileWatch, reconcile } from './file-reconciliation.ts';
import { FolderMounts } from './folder-mounts.ts';
import { type ConcludeOptions, concludeRecording, joinReturned } from './recording-conclusion.ts';
import type { SessionResult } from './recording-session.ts';

const START = broadcastMs(1_700_000_000_000);
const END = broadcastMs(START + 60_000);
const WALL = wallMs(START + 99);
const PROGRAMME = { startAt: broadcastMs(START), endAt: broadcastMs(END) };
const COMPLETE: Measured = {
  ...nothingMeasured(),
  stretches: [span(START - 5000, END + 5000)],
  sums: { packets: 10, drops: 0, errors: 0, scrambled: 0 },
};

const UNCHANGED = { forgotten: 0, returned: 0 };

let folder: string;
let database: Database;
let store: RecordingStore;
let free: Map<string, number>;
let options: ConcludeOptions;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conclude-'));
  for (const name of ['a', 'b']) mkdirSync(join(folder, name));
  database = openDatabase(join(folder, 'svc.db'));
  database.run(STATION_ROW);
  store = new RecordingStore(database);
  free = new Map(['a', 'b'].map((name) => [join(folder, name), 1e12]));
  options = {
    store,
    folders: () => [...free.keys()].map((path) => ({ path, floorBytes: 0 })),
    free: async (path) => free.get(path),
    retryDamaged: () => 'never',
    persist: async (act) => act(),
    log: SILENT_LOG,
    wallClock: () => WALL,
  };
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function created(): RecordingId {
  const id = store.create(NEW, WALL);
  if (id === undefined) throw new Error('not created');
  return id;
}

/** A recording with parts of this content, each in its folder. */
function recorded(parts: [where: string, content: string][]): { id: RecordingId; result: SessionResult } {
  const id = created();
  const files = parts.map(([where, content], index) => {
    const path = join(folder, where, `r${id}.${index}.ts`);
    writeFileSync(path, content);
    return { path, bytes: content.length };
  });
  store.placed(id, files, { folder: join(folder, 'a'), stem: `r${id}` }, WALL);
  return { id, result: { end: 'finished', at: END, measured: COMPLETE, parts: files } };
}

/** The first 15 s are in its first part, the next 20 s in its second one. */
function inParts({ parts }: SessionResult): Measured {
  const ends = [START + 10_000, START + 30_000, END + 5000];
  const files = parts.map(({ path }, index) => ({
    path,
    ...span(ends[index - 1] ?? START - 5000, ends[index] ?? END + 5000),
  }));
  return { ...structuredClone(COMPLETE), files };
}

/** A recording in three files, for which no folder has room to join them; another one is in the first one's folder. */
async function unjoined(): Promise<{ id: RecordingId; result: SessionResult }> {
  const { id, result } = recorded([
    ['a', 'the longest'],
    ['b', 'second'],
    ['b', 'third'],
  ]);
  for (const path of free.keys()) free.set(path, 10);
  const other = recorded([['a', 'other']]);
  await concludeRecording(other.id, other.result, PROGRAMME, options);
  const measured = inParts(result);
  store.saveMeasured(id, measured, result.parts);
  await concludeRecording(id, { ...result, measured }, PROGRAMME, options);
  return { id, result };
}

/** Only the root is mounted. @param remembered mount points by folder */
function mountsOf(remembered: Record<string, string>): FolderMounts {
  const memory = {
    mountOf: (path: string) => remembered[path],
    rememberMount: () => {},
    filesIn: () => [],
  };
  return new FolderMounts(memory, async () => new Set(['/']));
}

const bytesOf = (id: number): unknown =>
  database.query<{ bytes: number }, [number]>('SELECT bytes FROM recordings WHERE id = ?').get(id)?.bytes;

const content = (id: number): string | undefined => {
  const file = database
    .query<{ path: string }, [number]>('SELECT path FROM recording_files WHERE recording_id = ?')
    .get(id);
  return file === null ? undefined : readFileSync(file.path, 'utf8');
};

describe('a recording that ends', () => {
  test('has its verdict, its file and its length', async () => {
    const { id, result } = recorded([['a', 'whole']]);
    await concludeRecording(id, result, PROGRAMME, options);
    expect(store.find(id)).toEqual({
      ...NEW,
      id,
      ended: null,
      holdUntil: null,
      state: 'recorded',
      reason: null,
      beganAt: null,
      durationMs: 70_000,
      folder: join(folder, 'a'),
      stem: `r${id}`,
      verdict: { level: 'complete', drops: 0, gaps: [], headMs: 5000, tailMs: 5000 },
    });
    expect(content(id)).toBe('whole');
    expect(store.unfinished()).toEqual([]);
  });

  test('has the positions of its seams in the joined file', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
    ]);
    const [first = '', second = ''] = result.parts.map(({ path }) => path);
    store.seam(id, { path: second, position: 4, kind: 'resumed', at: END });
    store.seam(id, { path: first, position: 2, kind: 'layout', at: START });
    expect(store.seams(id).map(({ position }) => position)).toEqual([2, 4]);
    await concludeRecording(id, result, PROGRAMME, options);
    const path = store.parts(id)[0]?.path ?? '';
    expect(store.seams(id)).toEqual([
      { path, position: 2, kind: 'layout', at: START },
      { path, position: 10, kind: 'resumed', at: END },
    ]);
  });

  test('of several parts is joined into one file, and the parts are removed', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second '],
      ['a', 'third'],
    ]);
    await concludeRecording(id, result, PROGRAMME, options);
    expect(content(id)).toBe('first second third');
    expect(readdirSync(join(folder, 'a'))).toEqual([`r${id}.ts`]);
    expect(readdirSync(join(folder, 'b'))).toEqual([]);
    const path = join(folder, 'a', `r${id}.ts`);
    expect(store.parts(id)).toEqual([{ path, bytes: 18 }]);
    expect([...store.filePages()].flat()).toEqual([{ recordingId: id, path }]);
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 0 });
  });

  test.each<[string, number, number]>([
    ['half of it is left, and a part of a packet', 188 + 7, 35_000],
    ['nothing is left', 0, 0],
  ])('has lost what another program cut off its file: %s', async (_, left, keptMs) => {
    const { id, result } = recorded([['a', '\0'.repeat(2 * 188)]]);
    const path = result.parts[0]?.path ?? '';
    const files = [{ path, ...span(START - 5000, END + 5000) }];
    truncateSync(path, left);
    await concludeRecording(id, { ...result, measured: { ...COMPLETE, files } }, PROGRAMME, options);
    const { verdict, reason } = store.find(id) ?? {};
    expect(verdict?.gaps).toEqual([
      { startMs: Math.max(0, keptMs - 5000), endMs: 60_000, cause: 'file_changed' },
    ]);
    expect(reason ?? null).toEqual(left === 0 ? { code: 'missing', cause: 'file_changed' } : null);
    expect(store.parts(id)).toEqual(left === 0 ? [] : [{ path, bytes: 188 }]);
    if (left > 0) expect(statSync(path).size).toBe(188);
  });

  test('has lost a file that another one replaced, which is left alone', async () => {
    const { id, result } = recorded([['a', 'whole']]);
    const [part] = result.parts;
    if (part === undefined) throw new Error('no part');
    const parts = [{ ...part, inode: statSync(part.path).ino }];
    const files = [{ path: part.path, ...span(START - 5000, END + 5000) }];
    writeFileSync(`${part.path}.new`, 'another one');
    renameSync(`${part.path}.new`, part.path);
    await concludeRecording(id, { ...result, parts, measured: { ...COMPLETE, files } }, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({
      state: 'failed',
      reason: { code: 'missing', cause: 'file_changed' },
    });
    expect([store.parts(id), readFileSync(part.path, 'utf8')]).toEqual([[], 'another one']);
  });

  test('keeps the temporary name of the joined file where the plain one is in use', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
    ]);
    writeFileSync(join(folder, 'a', `r${id}.ts`), 'not ours');
    await concludeRecording(id, result, PROGRAMME, options);
    expect(readdirSync(join(folder, 'a')).sort()).toEqual([`r${id}.joined.ts`, `r${id}.ts`]);
    expect(content(id)).toBe('first second');
    expect(readFileSync(join(folder, 'a', `r${id}.ts`), 'utf8')).toBe('not ours');
  });

  test('keeps its parts where no folder has room for the joined file, without a loss', async () => {
    const { id, result } = recorded([
      ['a', 'short'],
      ['b', 'longer one'],
    ]);
    for (const path of free.keys()) free.set(path, 10);
    await concludeRecording(id, result, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({
      state: 'recorded',
      reason: null,
      verdict: { level: 'complete', gaps: [] },
    });
    expect(store.parts(id).map(({ bytes }) => bytes)).toEqual([5, 10]);
    expect(bytesOf(id)).toBe(15);
    expect(existsSync(store.parts(id)[0]?.path ?? '')).toBe(true);
  });

  test('is not lost when its disk is unavailable at that moment', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
    ]);
    renameSync(join(folder, 'b'), join(folder, 'disk'));
    mkdirSync(join(folder, 'b'));
    await concludeRecording(id, result, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({ state: 'recorded', verdict: { level: 'complete' } });
    expect(store.parts(id)).toEqual(result.parts);
    // Another file below the mount point does not mean that the recording's files are missing.
    writeFileSync(join(folder, 'b', 'other'), '');
    const mounts = mountsOf({ [join(folder, 'b')]: '/mnt' });
    expect(await reconcile({ ...options, mounts })).toEqual({ forgotten: 0, returned: 0, removed: 0 });
    expect(store.parts(id)).toEqual(result.parts);
  });

  test('with a missing part reports what is missing', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
      ['b', 'third'],
    ]);
    rmSync(result.parts[1]?.path ?? '');
    await concludeRecording(id, { ...result, measured: inParts(result) }, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({
      state: 'recorded',
      verdict: { level: 'damaged', gaps: [{ startMs: 10_000, endMs: 30_000, cause: 'file_changed' }] },
    });
    expect(content(id)).toBe('first third');
  });

  test('leaves no unknown file when power fails after its verdict', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
    ]);
    let acts = 0;
    const persist = async (act: () => void): Promise<void> => {
      act();
      acts += 1;
      // The first act stores the name of the file to be created.
      if (acts === 2) throw new Error('power cut');
    };
    await expect(concludeRecording(id, result, PROGRAMME, { ...options, persist })).rejects.toThrow(
      'power cut',
    );
    expect(readdirSync(join(folder, 'a'))).toHaveLength(2);
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 2 });
    expect(readdirSync(join(folder, 'a'))).toEqual([`r${id}.ts`]);
    expect(readdirSync(join(folder, 'b'))).toEqual([]);
    expect(bytesOf(id)).toBe(12);
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 0 });
  });

  test('never overwrites an existing file of the same name', async () => {
    const { id, result } = recorded([
      ['a', 'first '],
      ['b', 'second'],
    ]);
    const foreign = join(folder, 'a', `r${id}.joined.ts`);
    writeFileSync(foreign, 'not ours');
    writeFileSync(join(folder, 'a', `r${id}.ts`), 'not ours either');
    await concludeRecording(id, result, PROGRAMME, options);
    expect(readFileSync(foreign, 'utf8')).toBe('not ours');
    expect(store.parts(id)).toHaveLength(2);
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 0 });
    expect(existsSync(foreign)).toBe(true);
  });

  test('with no data has failed, with the cause', async () => {
    const id = created();
    const measured = {
      ...nothingMeasured(),
      breaks: [{ ...span(START - 5000, END), cause: 'no_tuner' as const }],
    };
    await concludeRecording(id, { end: 'finished', at: END, measured, parts: [] }, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({
      state: 'failed',
      reason: { code: 'missing', cause: 'no_tuner' },
      verdict: { level: 'lost' },
    });
  });

  test('names the cause of the most loss, also in many gaps', async () => {
    const { id, result } = recorded([['a', 'little']]);
    const at = (seconds: number) => START + seconds * 1000;
    const broken = [
      { ...span(at(5), at(15)), cause: 'no_signal' as const },
      { ...span(at(20), at(35)), cause: 'yielded' as const },
      { ...span(at(40), at(50)), cause: 'no_signal' as const },
    ];
    const stretches = [span(at(0), at(5)), span(at(15), at(20)), span(at(35), at(40)), span(at(50), at(60))];
    const measured = { ...COMPLETE, stretches, breaks: broken };
    await concludeRecording(id, { ...result, measured }, PROGRAMME, options);
    expect(store.find(id)?.reason).toEqual({ code: 'missing', cause: 'no_signal' });
  });

  test('by copy control has failed, with that cause', async () => {
    const { id, result } = recorded([['a', 'margin']]);
    await concludeRecording(id, { ...result, end: 'copy_never' }, PROGRAMME, options);
    expect(store.find(id)).toMatchObject({ state: 'failed', reason: { code: 'copy_never' } });
  });

  test('by a user gets a verdict up to that moment', async () => {
    const { id, result } = recorded([['a', 'half']]);
    const measured = { ...COMPLETE, stretches: [span(START, START + 20_000)] };
    const ended = { ...result, end: 'stopped' as const, at: broadcastMs(START + 20_000), measured };
    const { verdict } = await concludeRecording(id, ended, PROGRAMME, options);
    expect(verdict).toMatchObject({ level: 'complete', tailMs: -40_000 });
  });

  test('by a user before any data reports that, not a late start', async () => {
    const { id, result } = recorded([]);
    const measured = { ...COMPLETE, stretches: [] };
    await concludeRecording(
      id,
      { ...result, end: 'stopped', at: broadcastMs(START + 500), measured },
      PROGRAMME,
      options,
    );
    expect(store.find(id)).toMatchObject({ state: 'failed', reason: { code: 'missing', cause: 'stopped' } });
  });
});

describe('a start', () => {
  test('finds a missing part: the others remain, and the verdict reports it', async () => {
    const { id, result } = await unjoined();
    rmSync(result.parts[0]?.path ?? '');
    expect(await reconcile(options)).toEqual({ forgotten: 1, returned: 0, removed: 0 });
    expect(store.parts(id)).toEqual(result.parts.slice(1));
    expect(content(id)).toBe('second');
    expect([bytesOf(id), store.find(id)?.durationMs]).toEqual([11, 55_000]);
    expect(store.find(id)?.verdict).toMatchObject({
      level: 'damaged',
      gaps: [{ startMs: 0, endMs: 10_000, cause: 'file_changed' }],
      headMs: -10_000,
    });
  });

  test('finds missing files: a recording without its file has failed', async () => {
    const gone = recorded([['a', 'one']]);
    const there = recorded([['a', 'two']]);
    for (const { id, result } of [gone, there]) await concludeRecording(id, result, PROGRAMME, options);
    rmSync(gone.result.parts[0]?.path ?? '');
    expect(await reconcile(options)).toEqual({ forgotten: 1, returned: 0, removed: 0 });
    expect(store.find(recordingId(gone.id))).toMatchObject({
      state: 'failed',
      reason: { code: 'file_gone' },
    });
    expect(store.find(recordingId(there.id))?.state).toBe('recorded');
  });

  test('does not take an empty mount point for deleted files', async () => {
    const { id, result } = recorded([['b', 'one']]);
    await concludeRecording(id, result, PROGRAMME, options);
    rmSync(join(folder, 'b'), { recursive: true });
    mkdirSync(join(folder, 'b'));
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 0 });
    expect(store.find(id)?.state).toBe('recorded');
  });

  test('removes leftovers of a join, and no file that is not in the database', async () => {
    const joining = recorded([['a', 'two']]);
    store.joining(joining.id, join(folder, 'a', 'half.joined.ts'));
    writeFileSync(join(folder, 'a', 'half.joined.ts'), 'half');
    writeFileSync(join(folder, 'a', 'holiday.ts'), 'of a person');
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 1 });
    expect(readdirSync(join(folder, 'a')).sort()).toEqual(['holiday.ts', `r${joining.id}.0.ts`]);
    expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 0, removed: 0 });
    expect(store.unfinished()).toEqual([joining.id]);
  });
});

test('measurements survive the process, and no list has to be read again for them', () => {
  const { id, result } = recorded([['a', 'x']]);
  const counter = () => database.query("SELECT value FROM counters WHERE name = 'recordings'").get();
  const before = counter();
  store.saveMeasured(id, COMPLETE, [{ path: result.parts[0]?.path ?? '', bytes: 188 }]);
  expect(counter()).toEqual(before);
  expect(store.measured(id)).toEqual(COMPLETE);
  expect(store.parts(id)[0]?.bytes).toBe(188);
  store.began(id, START, WALL);
  store.began(id, broadcastMs(START + 1), WALL);
  const later = {
    programId: null,
    startAt: broadcastMs(START + 5),
    endAt: broadcastMs(END + 5),
    closeAt: broadcastMs(END + 5),
    holdUntil: null,
    encode: 'h264',
    keepTs: true,
    commercials: null,
  } as const;
  store.follow(id, later, WALL);
  expect(store.find(id)).toMatchObject({
    beganAt: START,
    startAt: broadcastMs(START + 5),
    endAt: broadcastMs(END + 5),
    ...{ encode: 'h264', keepTs: true, commercials: null },
  });
});

test('a file deleted by hand while the service runs is noticed, once', async () => {
  const { id, result } = recorded([['a', 'alone']]);
  const other = recorded([['a', 'other']]);
  await concludeRecording(id, result, PROGRAMME, options);
  await concludeRecording(other.id, other.result, PROGRAMME, options);
  const watch = new FileWatch({ store, log: SILENT_LOG, wallClock: () => WALL });
  expect(await watch.check()).toEqual(UNCHANGED);
  rmSync(join(folder, 'a', `r${id}.0.ts`));
  expect(await watch.check()).toEqual({ forgotten: 1, returned: 0 });
  expect(store.find(id)).toMatchObject({ state: 'failed', reason: { code: 'file_gone' } });
  expect(store.find(other.id)).toMatchObject({ state: 'recorded' });
  expect(await watch.check()).toEqual(UNCHANGED);
});

test('a folder that was away, and comes back as it was, joins the parts that waited for it', async () => {
  const { id, result } = recorded([
    ['a', 'one, '],
    ['b', 'two'],
  ]);
  const other = recorded([['a', 'other']]);
  await concludeRecording(other.id, other.result, PROGRAMME, options);
  const mounts = mountsOf({});
  const watch = new FileWatch({ store, mounts, log: SILENT_LOG, wallClock: () => WALL });
  await watch.check();
  const [there, aside] = [join(folder, 'a'), join(folder, 'aside')];
  renameSync(there, aside);
  await concludeRecording(id, result, PROGRAMME, { ...options, mounts });
  expect(await watch.check()).toEqual(UNCHANGED);
  renameSync(aside, there);
  expect(await watch.check()).toEqual(UNCHANGED);
  expect(watch.hasChanged).toBe(true);
  await joinReturned(options);
  expect([content(id), store.parts(id).length]).toEqual(['one, two', 1]);
});

describe('a file that comes back', () => {
  const watchFiles = () => new FileWatch({ store, log: SILENT_LOG, wallClock: () => WALL });

  test.each(['while the service runs', 'before a start'])(
    '%s makes its recording whole again',
    async (when) => {
      const { id, result } = recorded([['a', 'alone']]);
      const other = recorded([['a', 'other']]);
      await concludeRecording(id, result, PROGRAMME, options);
      await concludeRecording(other.id, other.result, PROGRAMME, options);
      const before = { ...store.find(id), bytes: bytesOf(id) };
      const path = join(folder, 'a', `r${id}.0.ts`);
      const watch = watchFiles();
      renameSync(path, join(folder, 'a', 'ours.ts'));
      expect(await watch.check()).toEqual({ forgotten: 1, returned: 0 });
      expect(store.find(id)?.state).toBe('failed');
      expect(await watch.check()).toEqual(UNCHANGED);
      renameSync(join(folder, 'a', 'ours.ts'), path);
      if (when === 'before a start')
        expect(await reconcile(options)).toEqual({ forgotten: 0, returned: 1, removed: 0 });
      else expect(await watch.check()).toEqual({ forgotten: 0, returned: 1 });
      expect({ ...store.find(id), bytes: bytesOf(id) }).toEqual(before);
      expect([content(id), store.parts(id)]).toEqual(['alone', result.parts]);
      expect(await watch.check()).toEqual(UNCHANGED);
    },
  );

  test('brings its part of the verdict back; until then all missing parts are reported', async () => {
    const { id, result } = await unjoined();
    const before = store.find(id);
    const paths = result.parts.slice(0, 2).map(({ path }) => path);
    const watch = watchFiles();
    for (const path of paths) renameSync(path, `${path}.away`);
    expect(await watch.check()).toEqual({ forgotten: 2, returned: 0 });
    expect(store.find(id)?.verdict?.gaps).toMatchObject([{ startMs: 0, cause: 'file_changed' }]);
    expect(store.find(id)?.verdict?.headMs).toBe(-30_000);
    for (const path of paths) renameSync(`${path}.away`, path);
    expect(await watch.check()).toEqual({ forgotten: 0, returned: 2 });
    expect(store.find(id)).toEqual(before);
    expect(store.parts(id)).toEqual(result.parts);
  });

  test('is not put behind parts that were joined without it', async () => {
    const { id, result } = await unjoined();
    const path = result.parts[0]?.path ?? '';
    const watch = watchFiles();
    renameSync(path, `${path}.away`);
    expect(await watch.check()).toEqual({ forgotten: 1, returned: 0 });
    for (const place of free.keys()) free.set(place, 1e12);
    await joinReturned(options);
    expect(content(id)).toBe('secondthird');
    const { verdict } = store.find(id) ?? {};
    renameSync(`${path}.away`, path);
    expect(await watch.check()).toEqual(UNCHANGED);
    expect([content(id), store.find(id)?.verdict]).toEqual(['secondthird', verdict]);
    expect(verdict?.headMs).toBe(-10_000);
  });

  test('is nothing of a deleted recording', async () => {
    const { id, result } = recorded([['a', 'alone']]);
    const other = recorded([['a', 'other']]);
    await concludeRecording(id, result, PROGRAMME, options);
    await concludeRecording(other.id, other.result, PROGRAMME, options);
    const path = join(folder, 'a', `r${id}.0.ts`);
    const watch = watchFiles();
    renameSync(path, `${path}.away`);
    await watch.check();
    database.query('UPDATE recordings SET deleted_at = 1 WHERE id = $id').run({ id });
    renameSync(`${path}.away`, path);
    expect(await watch.check()).toEqual(UNCHANGED);
    expect(store.parts(id)).toEqual([]);
  });
});
