import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { until } from '../../test/until.ts';
import type { RecordingPart } from '../model/recording.ts';
import type { FileCommand, FileEnd, FileEvent } from '../reception/file-output.ts';
import type { OutputHandlers, ReceptionStream } from '../reception/reception-pool.ts';
import { type FileOpening, REPLACED } from '../reception/recorded-file.ts';
import { ReceptionTimeline } from './reception-timeline.ts';
import { RecordingStorage } from './recording-storage.ts';

type FileHandlers = OutputHandlers<FileEvent, FileEnd>;

const CLOCKS = { broadcastClock: () => broadcastMs(5000), wallClock: () => wallMs(5000) };
const PATH = '/recordings/one.ts';
const WRITTEN_UNTIL = monotonicMs(1000);
const left = (path: string, size: number, queued = 0): FileEvent => ({
  kind: 'left',
  left: { path, size, queued, writtenUntil: WRITTEN_UNTIL },
});
const SUMS = { packets: 10, drops: 0, errors: 0, scrambled: 0 };

/** What is saved when packets return: packets measured, and octets of the file. */
function opened(bytes: number) {
  const saved: { packets: number; bytes: number }[] = [];
  let take: (event: FileEvent) => void = () => {};
  const parts: RecordingPart[] = [{ path: PATH, bytes }];
  const reception: ReceptionTimeline = new ReceptionTimeline({
    former: undefined,
    ...CLOCKS,
    began: () => {},
    onReceiving: () => saved.push({ packets: reception.measured.sums.packets, bytes: storage.bytes }),
  });
  const storage: RecordingStorage = new RecordingStorage({
    ...{ id: recordingId(1), stem: 'one', parts, reception, log: SILENT_LOG },
    folders: () => [{ path: '/recordings', floorBytes: 0 }],
    free: async () => 1_000_000_000,
    placed: async () => {},
    seam: () => {},
  });
  const stream = {
    output: (_kind: unknown, _opening: FileOpening, { event }: FileHandlers) => {
      take = (one) => event(one, monotonicMs(0));
      return { command: () => {}, stop: async () => {} };
    },
  };
  return {
    saved,
    storage,
    tell: (event: FileEvent) => take(event),
    begin: () => storage.begin(stream as unknown as Pick<ReceptionStream, 'output'>),
  };
}

const second = (from: number) => ({
  ...{
    from: monotonicMs(from),
    to: monotonicMs(from + 1000),
    pcr: null,
    lastPcr: null,
    isSteady: true,
    isApart: false,
    unwatchable: [],
  },
  ...SUMS,
});
const progress = (from: number, size: number, queued: number): FileEvent => ({
  kind: 'progress',
  progress: { second: second(from), size, queued, slowestMs: 0 },
});

test("the state saved when packets return contains the file's length", async () => {
  const { saved, tell, begin } = opened(1880);
  await begin();
  tell({ kind: 'opened', path: PATH, size: 1880, former: null });
  tell(progress(0, 3000, 760));
  expect(saved).toEqual([{ packets: 10, bytes: 3760 }]);
});

test('a file that is not open yet has its old content, then the queued data', async () => {
  const { saved, storage, tell, begin } = opened(1880);
  await begin();
  tell(progress(0, 0, 940));
  expect([saved, storage.bytes]).toEqual([[], 1880]);
  tell({ kind: 'opened', path: PATH, size: 1880, former: null });
  expect(saved).toEqual([{ packets: 10, bytes: 2820 }]);
});

test('what was queued for a file that the output leaves counts for the next one', async () => {
  const { storage, tell, begin } = opened(1880);
  await begin();
  tell({ kind: 'opened', path: PATH, size: 1880, former: null });
  tell(progress(0, 1880, 940));
  expect(storage.bytes).toBe(2820);
  tell(left(PATH, 2068, 752));
  expect(storage.parts).toEqual([{ path: PATH, bytes: 2068 }]);
  tell({ kind: 'opened', path: PATH, size: 2068, former: null });
  expect(storage.parts).toEqual([{ path: PATH, bytes: 2820 }]);
});

/** Uses real folders; records what the sink is told to do for each file. */
function placed(names: readonly string[], former: readonly RecordingPart[] = [], fallback?: string) {
  const root = mkdtempSync(join(tmpdir(), 'svc-storage-'));
  const away = new Set<string>();
  const full = new Set<string>();
  const openings: FileOpening[] = [];
  const rows: string[][] = [];
  const stems: (string | undefined)[] = [];
  const seams: unknown[] = [];
  const asked: string[] = [];
  let take: (event: FileEvent) => void = () => {};
  const ended: (() => void)[] = [];
  const at = (name: string): string => join(root, name);
  for (const name of names) mkdirSync(at(name));
  const isAway = async (folder: string): Promise<boolean> => away.has(folder);
  const reception = new ReceptionTimeline({
    ...{ former: undefined, ...CLOCKS, began: () => {}, onReceiving: () => {} },
  });
  const storage = new RecordingStorage({
    ...{ id: recordingId(1), stem: 'one', reception, log: SILENT_LOG },
    parts: former.map(({ path, bytes }) => ({ path: at(path), bytes })),
    folders: () => names.map((name) => ({ path: at(name), floorBytes: 0 })),
    fallback: fallback === undefined ? undefined : at(fallback),
    free: async (path) => {
      asked.push(path);
      if (full.has(path)) return 0;
      return away.has(path) ? undefined : 1_000_000_000;
    },
    mounts: {
      isAway,
      isDeleted: async (path) => !away.has(dirname(path)),
      identify: async () => {},
    },
    placed: async (parts, place) => {
      rows.push(parts.map(({ path }) => relative(root, path)));
      stems.push(place?.stem);
    },
    seam: (one) => void seams.push(one),
  });
  const opening = (one: FileOpening): void => {
    openings.push({ ...one, path: relative(root, one.path) });
    // Like a sink: a file that does not exist counts as deleted.
    if (one.mode === 'create' && existsSync(dirname(one.path))) writeFileSync(one.path, '');
  };
  const stream = {
    output: (_kind: unknown, first: FileOpening, { event, ended: end }: FileHandlers) => {
      opening(first);
      take = (one) => event(one, monotonicMs(0));
      ended.push(() => end({ cause: 'closed' }));
      return { command: (command: FileCommand) => opening(command.opening), stop: async () => {} };
    },
  };
  return {
    ...{ storage, openings, rows, stems, seams, asked, away, full, at, reception },
    tell: (event: FileEvent) => take(event),
    /** The same, also after the next output has begun. */
    teller: () => take,
    ended,
    begin: () => storage.begin(stream as unknown as Pick<ReceptionStream, 'output'>),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

test('a recording continues elsewhere while its disk is unavailable, and keeps what is there', async () => {
  using one = placed(['a', 'b'], [{ path: 'a/one.ts', bytes: 1880 }]);
  one.away.add(one.at('a'));
  await one.begin();
  expect(one.openings).toEqual([{ path: 'b/one.part2.ts', mode: 'create' }]);
  expect(one.rows).toEqual([['a/one.ts', 'b/one.part2.ts']]);
});

test('without an available folder it is written to the fallback folder until its end', async () => {
  using one = placed(['a', 'b'], [], 'spare');
  for (const name of ['a', 'b']) one.away.add(one.at(name));
  await one.begin();
  expect(one.openings).toEqual([{ path: 'spare/one.ts', mode: 'create' }]);
  one.tell({ kind: 'opened', path: one.at('spare/one.ts'), size: 0, former: null });
  mkdirSync(one.at('spare'));
  writeFileSync(one.at('spare/one.ts'), '');
  one.away.clear();
  const asked = one.asked.length;
  one.storage.check();
  await until(() => one.asked.length > asked);
  expect(one.openings).toHaveLength(1);
});

test('the fallback folder is not used while another is available, however full', async () => {
  using one = placed(['a', 'b'], [], 'spare');
  one.away.add(one.at('a'));
  one.full.add(one.at('b'));
  await one.begin();
  expect(one.openings).toEqual([{ path: 'b/one.ts', mode: 'create' }]);
});

test('the file name stays known when a disk disappears during writing', async () => {
  using one = placed(['a', 'b'], [{ path: 'a/one.ts', bytes: 1880 }]);
  await one.begin();
  one.away.add(one.at('a'));
  const trouble = {
    cause: 'disk_failed',
    path: one.at('a/one.ts'),
    code: 'ENOENT',
  } as const;
  one.tell({ kind: 'trouble', trouble });
  await until(() => one.openings.length === 2);
  expect(one.openings.at(-1)).toEqual({ path: 'b/one.part2.ts', mode: 'create' });
  expect(one.storage.parts.map(({ bytes }) => bytes)).toEqual([1880, 0]);
});

test('a full disk is reported at once, until another file is written', async () => {
  using one = placed(['a', 'b']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  expect(one.storage.trouble).toBeUndefined();
  one.tell({ kind: 'trouble', trouble: { cause: 'disk_full', path, code: 'ENOSPC' } });
  expect(one.storage.trouble).toBe('disk_full');
  await until(() => one.openings.length === 2);
  one.tell({ kind: 'opened', path: one.at('b/one.part2.ts'), size: 0, former: null });
  expect(one.storage.trouble).toBeUndefined();
});

test('nothing is written into an empty mount point: it is retried until the disk is mounted', async () => {
  using one = placed(['a'], [{ path: 'a/one.ts', bytes: 1880 }]);
  one.away.add(one.at('a'));
  await expect(one.begin()).rejects.toThrow('mounted');
  using fresh = placed(['a']);
  fresh.away.add(fresh.at('a'));
  await expect(fresh.begin()).rejects.toThrow('mounted');
  expect([one.openings, one.rows, fresh.rows, readdirSync(fresh.at('a'))]).toEqual([[], [], [], []]);
  one.away.clear();
  await one.begin();
  expect(one.openings).toEqual([{ path: 'a/one.ts', mode: 'append', counted: 1880 }]);
});

test('the removal of a file being written is noticed, and its content reported as lost', async () => {
  using one = placed(['a']);
  await one.begin();
  const path = one.at('a/one.ts');
  writeFileSync(path, new Uint8Array(188));
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.tell({ kind: 'progress', progress: { second: second(0), size: 188, queued: 0, slowestMs: 0 } });
  one.storage.check();
  const { length } = one.asked;
  await until(() => one.asked.length > length);
  expect(one.openings).toHaveLength(1);
  rmSync(path);
  await until(() => {
    // The previous check may still be running.
    one.storage.check();
    return one.openings.length === 2;
  });
  expect(one.openings[1]).toEqual({ path: 'a/one.part2.ts', mode: 'create' });
  expect(one.storage.parts.map((part) => part.path)).toEqual([one.at('a/one.part2.ts')]);
  expect(one.reception.measured).toMatchObject({ stretches: [], breaks: [{ cause: 'file_changed' }] });
});

test('a recording that ends removes its empty file itself: that is no loss', async () => {
  using one = placed(['a']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.storage.closing();
  rmSync(path);
  for (let checks = 0; checks < 2; checks += 1) {
    const { length } = one.asked;
    one.storage.check();
    await until(() => one.asked.length > length);
  }
  expect(one.openings).toHaveLength(1);
  expect(one.storage.parts.map((part) => part.path)).toEqual([path]);
});

test('a file whose folder was renamed or covered is kept, and the recording continues elsewhere', async () => {
  using one = placed(['a', 'b']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.tell({ kind: 'progress', progress: { second: second(0), size: 188, queued: 0, slowestMs: 0 } });
  rmSync(one.at('a'), { recursive: true });
  one.away.add(one.at('a'));
  one.storage.check();
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'b/one.part2.ts', mode: 'create' });
  expect(one.storage.parts.map((part) => part.bytes)).toEqual([188, 0]);
  expect(one.reception.measured.breaks).toEqual([]);
});

test('a file that is back when it is looked for is kept, and continued', async () => {
  using one = placed(['a', 'b'], [{ path: 'a/one.ts', bytes: 1880 }]);
  await one.begin();
  const path = one.at('a/one.ts');
  writeFileSync(path, new Uint8Array(1880));
  one.tell({
    kind: 'trouble',
    trouble: { cause: 'disk_failed', path, code: 'ENOENT' },
  });
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'a/one.ts', mode: 'append', counted: 1880 });
  expect(one.storage.parts).toEqual([{ path, bytes: 1880 }]);
  expect(one.reception.measured.breaks).toEqual([]);
});

test('a file that another one replaced is lost, and the other one is left alone', async () => {
  using one = placed(['a']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.tell({ kind: 'progress', progress: { second: second(0), size: 188, queued: 0, slowestMs: 0 } });
  one.tell(left(path, 188));
  one.tell({ kind: 'trouble', trouble: { cause: 'disk_failed', path, code: REPLACED } });
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'a/one.part2.ts', mode: 'create' });
  expect(one.reception.measured).toMatchObject({ stretches: [], breaks: [{ cause: 'file_changed' }] });
  expect(existsSync(path)).toBe(true);
});

test('a file that was shortened has a seam there', async () => {
  using one = placed(['a']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.tell({ kind: 'progress', progress: { second: second(0), size: 1880, queued: 0, slowestMs: 0 } });
  const cut = { path, size: 940, lost: 940, from: null, to: monotonicMs(900), pcr: null };
  one.tell({ kind: 'cut', cut });
  expect(one.storage.bytes).toBe(940);
  expect(one.seams).toEqual([{ path, position: 940, kind: 'resumed' }]);
});

test('a file not yet created by a slow disk does not count as removed', async () => {
  using one = placed(['a']);
  await one.begin();
  rmSync(one.at('a/one.ts'));
  // The second check begins when the first has ended.
  for (let check = 0; check < 2; check += 1) {
    const { length } = one.asked;
    one.storage.check();
    await until(() => one.asked.length > length);
  }
  expect(one.openings).toEqual([{ path: 'a/one.ts', mode: 'create' }]);
  expect(one.storage.parts.map((part) => part.path)).toEqual([one.at('a/one.ts')]);
});

describe('an output that a slow disk keeps writing after its stream', () => {
  async function replaced() {
    const one = placed(['a']);
    await one.begin();
    const path = one.at('a/one.ts');
    one.tell({ kind: 'opened', path, size: 0, former: null });
    one.tell({ kind: 'progress', progress: { second: second(0), size: 188, queued: 1880, slowestMs: 0 } });
    const late = one.teller();
    one.storage.end();
    one.reception.lose('stream_ended');
    await one.begin();
    return { one, path, late };
  }

  test('keeps its file for itself, and the verdict waits for it', async () => {
    const { one, path, late } = await replaced();
    using _ = one;
    expect(one.openings.at(-1)).toEqual({ path: 'a/one.part2.ts', mode: 'create' });
    one.tell({ kind: 'opened', path: one.at('a/one.part2.ts'), size: 0, former: null });
    let isWritten = false;
    void one.storage.written().then(() => {
      isWritten = true;
    });
    one.ended[1]?.();
    await Promise.resolve();
    late({ kind: 'ended', path, size: 2068 });
    expect(one.storage.parts.map(({ bytes }) => bytes)).toEqual([2068, 0]);
    expect(isWritten).toBe(false);
    one.ended[0]?.();
    await until(() => isWritten);
    expect(one.reception.measured).toMatchObject({ stretches: [{ from: 5000, to: 6000 }], breaks: [] });
  });

  test('loses what it gives up, and nothing of the next one', async () => {
    const { one, path, late } = await replaced();
    using _ = one;
    const next = one.at('a/one.part2.ts');
    one.tell({ kind: 'opened', path: next, size: 0, former: null });
    one.tell({ kind: 'progress', progress: { second: second(2000), size: 188, queued: 0, slowestMs: 0 } });
    late(left(path, 188, 1880));
    late({ kind: 'hole', cause: 'disk_failed', from: monotonicMs(400), to: monotonicMs(9000) });
    late({ kind: 'ended', path, size: null });
    expect(one.storage.parts.map(({ bytes }) => bytes)).toEqual([188, 188]);
    expect(one.reception.measured).toMatchObject({
      stretches: [
        { from: 5000, to: 5400 },
        { from: 7000, to: 8000 },
      ],
      breaks: [{ cause: 'stream_ended' }, { cause: 'disk_failed', from: 5400, to: 6000 }],
    });
  });
});

test('no name is used twice, also after a middle part was deleted', async () => {
  using one = placed(
    ['a', 'b'],
    [
      { path: 'b/one.part3.ts', bytes: 188 },
      { path: 'a/one.ts', bytes: 188 },
    ],
  );
  one.away.add(one.at('a'));
  await one.begin();
  expect(one.openings).toEqual([{ path: 'b/one.part4.ts', mode: 'create' }]);
});

test('a file at the size limit of its file system is continued in another one beside it', async () => {
  using one = placed(['a']);
  await one.begin();
  const path = one.at('a/one.ts');
  one.tell({ kind: 'opened', path, size: 0, former: null });
  one.tell(left(path, 1880));
  one.tell({ kind: 'trouble', trouble: { cause: 'disk_failed', path, code: 'EFBIG' } });
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'a/one.part2.ts', mode: 'create' });
  expect(one.storage.parts.map(({ bytes }) => bytes)).toEqual([1880, 0]);
});

test('a folder without long names gets short ones', async () => {
  using one = placed(['a']);
  await one.begin();
  const tooLong = (path: string): void =>
    one.tell({
      kind: 'trouble',
      trouble: { cause: 'disk_failed', path, code: 'ENAMETOOLONG' },
    });
  tooLong(one.at('a/one.ts'));
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'a/one r1.part2.ts', mode: 'create' });
  // From now on the row has this name for its files.
  expect([one.rows.at(-1), one.stems.at(-1)]).toEqual([['a/one r1.part2.ts'], 'one r1']);
});

test('unless files of the recording already have the long one', async () => {
  using one = placed(['a', 'b'], [{ path: 'a/one.ts', bytes: 1880 }]);
  one.full.add(one.at('a'));
  await one.begin();
  const path = one.at('b/one.part2.ts');
  expect(one.openings).toEqual([{ path: 'b/one.part2.ts', mode: 'create' }]);
  one.full.clear();
  one.tell({
    kind: 'trouble',
    trouble: { cause: 'disk_failed', path, code: 'ENAMETOOLONG' },
  });
  await until(() => one.rows.at(-1)?.length === 1);
  one.storage.check();
  await until(() => one.openings.length === 2);
  expect(one.openings[1]).toEqual({ path: 'a/one.ts', mode: 'append', counted: 1880 });
});
