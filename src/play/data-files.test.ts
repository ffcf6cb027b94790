import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs, systemMonotonicClock, systemWallClock } from '../../lib/host/clock.ts';
import { createLog, SILENT_LOG } from '../../lib/host/log.ts';
import { WorkerError } from '../../lib/host/worker-link.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { VirtualTime } from '../../test/record/virtual-time.ts';
import { until } from '../../test/until.ts';
import { JobRunner } from '../media/job/job-runner.ts';
import { Failure } from '../model/failure.ts';
import { Hub } from '../notify/hub.ts';
import type { DataFile } from '../store/data-file-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { DataFiles } from './data-files.ts';
import { RecordingCache } from './recording-cache.ts';
import type { DataFileAnswer, DataFileAsk } from './side-file-messages.ts';

const ID = recordingId(7);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const folder = mkdtempSync(join(tmpdir(), 'svc-data-files-'));
let open: Around | undefined;
afterEach(async () => {
  restore?.();
  restore = undefined;
  await open?.close();
  open = undefined;
});

/** A recording of which everything around the class is replaced. */
class Around {
  readonly rows = new Map<RecordingId, DataFile>();
  readonly asks: DataFileAsk[] = [];
  readonly lines: string[] = [];
  opened = 0;
  isHanging = false;
  growing = [ID];
  isDeleted = false;
  state: ListedRecording['state'] = 'recorded';
  sources: readonly string[] = ['ts'];
  answer: () => Promise<DataFileAnswer> = async () => ({ bytes: 9, isComplete: this.state !== 'recording' });
  readonly files: DataFiles;
  readonly jobs: JobRunner;

  constructor(
    options: { followMs?: number; waitMs?: number; turnMs?: number } = {},
    readonly time?: VirtualTime,
  ) {
    const clock = time === undefined ? systemMonotonicClock : () => monotonicMs(time.now);
    const machine = () => ({ processors: 2, viewers: 0, recordings: 0 });
    this.jobs = new JobRunner({ clock, machine, hub: new Hub(() => {}), log: SILENT_LOG });
    const index = { pieces: [], size: 0, serviceId: undefined };
    const bytes = { starts: [{ path: join(folder, 'a.ts'), start: 0 }] };
    this.files = new DataFiles({
      jobs: this.jobs,
      store: {
        find: (id) => this.rows.get(id),
        stem: () => (this.isDeleted ? undefined : 'stem r7'),
        put: (id, file) => {
          if (!this.isDeleted) this.rows.set(id, file);
        },
        growing: () => (this.state === 'recording' ? this.growing : []),
        unfinished: () => (this.state === 'recorded' && this.rows.get(ID)?.isComplete === false ? [ID] : []),
      },
      list: { find: (id) => (this.isDeleted ? undefined : ({ ...this.recording, id } as never)) },
      open: {
        open: async () => {
          this.opened += 1;
          return { bytes, index, close: () => {} } as never;
        },
      },
      cache: { place: async (_, name) => join(folder, name) },
      link: {
        request: (async (_: string, ask: DataFileAsk) => {
          this.asks.push(ask);
          return this.answer();
        }) as never,
      },
      findBroadcaster: () => undefined,
      write: async (act) => act(),
      stored: async () => {},
      folderSpace: async () => (this.isHanging ? undefined : {}),
      hub: { changed: () => {} },
      log: createLog({ level: 'warn', now: systemWallClock, write: (line) => this.lines.push(line) }),
      ...options,
    });
    open = this;
  }

  async close(): Promise<void> {
    await this.jobs.close();
    await this.files.close();
  }

  get recording(): ListedRecording {
    const files = this.sources.map((source) => ({ source, path: join(folder, `a.${source}`) }));
    return { id: ID, state: this.state, stationId: 1, files } as never;
  }
}

async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );
}

function failing(kind: WorkerError['kind'], code: string | null): () => Promise<DataFileAnswer> {
  return async () => {
    throw new WorkerError(kind, 'a test', code);
  };
}

test('a cache that is too large keeps data broadcasts, whose original may be gone', async () => {
  const cache = new RecordingCache({ folder: mkdtempSync(join(folder, 'cache-')), maxBytes: 10 });
  await cache.write(ID, 'r7.databroadcast', 'twenty octets of data');
  await cache.write(ID, 'captions.json', 'twenty octets of data');
  await cache.trim();
  expect(await cache.read(ID, 'r7.databroadcast')).toBeDefined();
  expect(await cache.read(ID, 'captions.json')).toBeUndefined();
});

let virtual: VirtualTime;
let restore: (() => void) | undefined;

function startIn(time: VirtualTime, one: Around): void {
  restore = time.install();
  one.jobs.start();
}

/** Time passes until then, ms since the test began. */
async function pass(to: number): Promise<void> {
  await virtual.advance(virtual.now);
  await virtual.advance(to);
}

describe('files with the data broadcast of recordings', () => {
  beforeEach(() => {
    virtual = new VirtualTime(0);
  });

  test('are made once, with the name that is stored before', async () => {
    const one = new Around();
    const [file, same] = await Promise.all([one.files.find(one.recording), one.files.find(one.recording)]);
    expect(file).toEqual({ path: join(folder, 'stem r7.databroadcast'), bytes: 9, isComplete: true });
    expect([same, one.asks.length, one.rows.get(ID)]).toEqual([file, 1, file]);
    expect(one.asks[0]).toMatchObject({ grows: false, isBackground: false });
    await one.files.find(one.recording);
    expect(one.asks).toHaveLength(1);
  });

  test('say why there is none', async () => {
    const none = new Around();
    none.answer = async () => ({ bytes: 0, isComplete: true });
    expect(await failure(none.files.find(none.recording))).toBe('not_found');
    const gone = new Around();
    gone.sources = ['alt'];
    expect(await failure(gone.files.find(gone.recording))).toBe('not_found');
    expect(await failure(gone.files.rebuild(gone.recording))).toBe('not_found');
    expect(gone.opened).toBe(0);
    // What was read before its original was lost is better than nothing.
    gone.rows.set(ID, { path: 'x', bytes: 5, isComplete: false });
    expect((await gone.files.find(gone.recording)).bytes).toBe(5);
  });

  test('of a folder that hangs are left alone: nothing of it is opened', async () => {
    const one = new Around({ followMs: 5 });
    one.isHanging = true;
    one.state = 'recording';
    one.jobs.start();
    expect(await failure(one.files.find(one.recording))).toBe('busy');
    await until('it is logged', () => one.lines.length > 0);
    expect([one.opened, one.asks.length]).toEqual([0, 0]);
    one.isHanging = false;
    await until('it is read when the folder is back', () => one.asks.length > 2);
    expect(one.asks.every(({ grows, isBackground }) => grows && isBackground)).toBe(true);
    // Once for the request, once for all rounds.
    expect(one.lines.length).toBeLessThanOrEqual(2);
  });

  test('are completed after the end of a recording, and not tried without end', async () => {
    const one = new Around({}, virtual);
    one.state = 'recording';
    startIn(virtual, one);
    await pass(MINUTE);
    expect(one.asks.length).toBeGreaterThan(8);
    expect(one.rows.get(ID)).toMatchObject({ bytes: 9, isComplete: false });
    one.answer = failing('failed', 'ENOSPC');
    one.state = 'recorded';
    const before = one.asks.length;
    await pass(3 * MINUTE);
    const tried = one.asks.length - before;
    expect(tried).toBeGreaterThanOrEqual(3);
    expect(tried).toBeLessThan(6);
    await pass(2 * HOUR);
    expect(one.asks.length - before).toBeLessThan(20);
    one.answer = async () => ({ bytes: 10, isComplete: true });
    await pass(2 * HOUR + 11 * MINUTE);
    expect(one.rows.get(ID)?.isComplete).toBe(true);
  });

  test('do not keep an original for ever, but while it is read', async () => {
    const reading = new Around({ waitMs: 5 });
    const end = Promise.withResolvers<DataFileAnswer>();
    reading.answer = () => end.promise;
    expect(await failure(reading.files.keep(reading.recording))).toBe('busy');
    end.resolve({ bytes: 5, isComplete: true });
    await until('it was read', () => reading.rows.get(ID)?.isComplete === true);
    expect(await reading.files.keep(reading.recording)).toBe(true);
    // Removing the original frees the space.
    const full = new Around();
    full.answer = failing('failed', 'ENOSPC');
    expect(await full.files.keep(full.recording)).toBe(false);
    expect(await failure(full.files.find(full.recording))).toBe('busy');
  });

  for (const [kind, code] of [
    ['lost', null],
    ['failed', 'EIO'],
  ] as const)
    test(`keep an original for an hour of attempts that fail: ${kind}`, async () => {
      const one = new Around();
      one.answer = failing(kind, code);
      for (let call = 1; call < 12; call += 1)
        expect(await failure(one.files.keep(one.recording))).toBe('busy');
      expect(one.lines.join()).not.toContain('not kept');
      expect(await one.files.keep(one.recording)).toBe(false);
      expect(one.lines.join()).toContain('not kept');
    });

  test('keep an original of which they are not complete, but not for ever', async () => {
    const one = new Around();
    one.answer = async () => ({ bytes: 5, isComplete: false });
    let calls = 1;
    while ((await failure(one.files.keep(one.recording))) === 'busy' && calls < 1_000) calls += 1;
    expect(calls).toBe(144);
    one.answer = async () => ({ bytes: 9, isComplete: true });
    expect(await one.files.keep(one.recording)).toBe(true);
  });

  test('keep an original that hangs for half a day', async () => {
    const one = new Around({ waitMs: 1 });
    one.answer = () => new Promise(() => {});
    let calls = 1;
    while ((await failure(one.files.keep(one.recording))) === 'busy' && calls < 1_000) calls += 1;
    expect(calls).toBe(144);
    expect(one.asks).toHaveLength(1);
  });

  test('are tried less often while they cannot be written: each attempt may read the whole recording', async () => {
    const one = new Around({}, virtual);
    one.state = 'recording';
    one.answer = failing('failed', 'ENOSPC');
    startIn(virtual, one);
    await pass(10 * MINUTE);
    expect(one.asks.length).toBeGreaterThan(3);
    expect(one.asks.length).toBeLessThanOrEqual(7);
    one.answer = async () => ({ bytes: 9, isComplete: false });
    await pass(21 * MINUTE);
    expect(one.rows.get(ID)?.bytes).toBe(9);
    const before = one.asks.length;
    await pass(23 * MINUTE);
    expect(one.asks.length).toBeGreaterThan(before + 10);
  });

  test('do not take all of the worker on a slow disk: captions are read by it, too', async () => {
    const one = new Around({}, virtual);
    one.state = 'recording';
    one.growing = [1, 2, 3, 4, 5, 6, 7, 8].map(recordingId);
    one.answer = () => new Promise(() => {});
    startIn(virtual, one);
    await pass(14 * SECOND);
    // A folder that does not respond does not delay the others.
    expect(one.asks).toHaveLength(1);
    await pass(10 * MINUTE);
    expect(one.asks).toHaveLength(3);
  });

  test('are read in turn: the first ones do not keep the others waiting', async () => {
    const one = new Around({}, virtual);
    one.state = 'recording';
    one.growing = [1, 2, 3, 4, 5, 6, 7, 8].map(recordingId);
    one.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4 * SECOND));
      return { bytes: 9, isComplete: false };
    };
    startIn(virtual, one);
    await pass(2 * MINUTE);
    const reads = one.growing.map((id) => one.asks.filter(({ key }) => key.startsWith(`${id} `)).length);
    expect(Math.min(...reads)).toBeGreaterThan(2);
    expect(Math.max(...reads) - Math.min(...reads)).toBeLessThanOrEqual(1);
  });

  test('are removed if their recording was deleted while they were made', async () => {
    const one = new Around();
    const path = join(folder, 'stem r7.databroadcast');
    one.answer = async () => {
      writeFileSync(path, 'x');
      one.isDeleted = true;
      return { bytes: 1, isComplete: true };
    };
    await one.files.find(one.recording);
    expect(existsSync(path)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
