import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { putRecording, type RecordingRow } from '../../test/service/recording-rows.ts';
import { until } from '../../test/until.ts';
import { JobRunner } from '../media/job/job-runner.ts';
import { Failure } from '../model/failure.ts';
import { Hub } from '../notify/hub.ts';
import { openDatabase } from '../store/database.ts';
import { PictureStore } from '../store/picture-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { writeNow } from '../store/transaction.ts';
import type { CaptionFiles } from './caption-files.ts';
import { PictureJobs } from './picture-jobs.ts';
import type { PictureMaker } from './picture-maker.ts';
import { RecordingCache } from './recording-cache.ts';

const HOUR = 3_600_000;

let folder: string;
let database: Database;
let cache: RecordingCache;
let hub: Hub;
let changes: number;
let jobs: JobRunner | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  database = openDatabase(':memory:');
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (400101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 101, 0)`,
  );
  cache = new RecordingCache({ folder });
  changes = 0;
  hub = new Hub((error) => {
    throw error;
  });
  hub.subscribe(() => {
    changes += 1;
  });
});

afterEach(async () => {
  await jobs?.close();
  jobs = undefined;
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(index: number, row: Partial<RecordingRow> = {}): RecordingId {
  const times = { startAt: index * HOUR, endAt: (index + 1) * HOUR };
  const texts = { station: 400_101, serviceName: '衛星', name: `番組${index}` };
  return recordingId(putRecording(database, { ...texts, ...times, ...row }, null));
}

function start(make: PictureMaker['make'], prepare: CaptionFiles['prepare'] = async () => {}): void {
  const store = new PictureStore(database);
  const list = new RecordingListStore(database);
  jobs = new JobRunner({
    ...{ hub, log: SILENT_LOG, clock: systemMonotonicClock },
    machine: () => ({ processors: 2, viewers: 0, recordings: 0 }),
  });
  jobs.add(
    new PictureJobs({
      ...{ store, list, cache, hub, maker: { make }, captions: { prepare } },
      ...{ write: writeNow, log: SILENT_LOG, now: () => wallMs(777), restMs: 1 },
    }),
  );
  jobs.start();
}

const missing = (...excluded: RecordingId[]): RecordingId | undefined =>
  new PictureStore(database).missing(new Set(excluded));

describe('PictureJobs', () => {
  test('makes pictures and captions of finished recordings, newest first, and of those that finish later', async () => {
    const [first, second] = [put(0), put(1)];
    put(2, { state: 'recording' });
    put(3, { state: 'failed' });
    put(4, { binnedAt: 1 });
    const [made, read]: [number[], number[]] = [[], []];
    const make: PictureMaker['make'] = async ({ id }, _id, onPoster) => {
      made.push(id);
      onPoster();
      return true;
    };
    start(make, async ({ id }) => {
      read.push(id);
      if (id === second) throw new Failure('busy', '');
    });
    await until('two are made', () => missing() === undefined);
    expect(made).toEqual([second, first]);
    expect(read).toEqual([second, first]);
    expect(new RecordingListStore(database).find(first)?.posterAt).toBe(wallMs(777));
    expect(changes).toBe(4);
    const third = put(5);
    hub.changed('recordings');
    await until('the next one is made', () => made.includes(third));
  });

  test('a recording that fails twice is not tried again; one without video is tried once', async () => {
    const [broken, sound] = [put(0), put(1)];
    const tried: number[] = [];
    start(async ({ id }) => {
      tried.push(id);
      if (id === broken) throw new Error('ffmpeg: no');
      return false;
    });
    await until('nothing is left', () => missing() === undefined);
    expect(tried).toEqual([sound, broken, broken]);
    expect(new RecordingListStore(database).find(broken)?.posterAt).toBeNull();
  });

  test('a recording without its original stream is settled without an attempt, one without its file after one attempt', async () => {
    const [gone, encoded] = [put(0), put(1)];
    database
      .query("UPDATE recording_files SET source = 'encoded' WHERE recording_id = $id")
      .run({ id: encoded });
    database.query('DELETE FROM recording_parts WHERE recording_id = $id').run({ id: encoded });
    const [tried, read]: [number[], number[]] = [[], []];
    start(
      async ({ id }) => {
        tried.push(id);
        throw new Failure('not_found', '');
      },
      async ({ id }) => void read.push(id),
    );
    await until('nothing is left', () => missing() === undefined);
    expect(tried).toEqual([gone]);
    expect(read).toEqual([]);
  });

  test('without ffmpeg no recording is given up, and an unresponsive folder does not block other recordings', async () => {
    const [first, second] = [put(0), put(1)];
    let isThere = false;
    const tried: number[] = [];
    start(async ({ id }) => {
      tried.push(id);
      if (!isThere) throw new Failure('ffmpeg_unavailable', '');
      if (id === second) throw new Failure('busy', '');
      return true;
    });
    await until('it is tried', () => tried.length > 0);
    expect(missing()).toBe(second);
    isThere = true;
    hub.changed('recordings');
    await until('the other one is made', () => tried.at(-1) === first && missing(second) === undefined);
    expect(missing()).toBe(second);
  });

  test('pictures of deleted recordings are removed, and missing ones are made again', async () => {
    const [kept, lost] = [put(0), put(1)];
    const store = new PictureStore(database);
    for (const id of [kept, lost]) {
      store.putPoster(id, wallMs(5));
      store.putDone(id);
    }
    const deleted = recordingId(4_000);
    for (const id of [kept, deleted]) await cache.write(id, 'poster.jpg', 'x');
    const made: number[] = [];
    start(async ({ id }) => {
      made.push(id);
      return true;
    });
    await until('it is made again', () => made.length > 0);
    expect(made).toEqual([lost]);
    expect([kept, deleted].map((id) => existsSync(cache.path(id, 'poster.jpg')))).toEqual([true, false]);
    database.run('UPDATE recordings SET deleted_at = 1');
    hub.changed('recordings');
    await until('it is cleaned', () => !existsSync(cache.path(kept, 'poster.jpg')));
  });

  test('closing cancels running jobs', async () => {
    put(0);
    let isBegun = false;
    let isEnded = false;
    start((_recording, _id, _onPoster, { signal }) => {
      isBegun = true;
      const { promise, reject } = Promise.withResolvers<boolean>();
      signal.addEventListener('abort', () => {
        isEnded = true;
        reject(signal.reason);
      });
      return promise;
    });
    await until('it is begun', () => isBegun);
    await jobs?.close();
    expect(isEnded).toBe(true);
    expect(missing()).toBeDefined();
  });
});

test('RecordingCache keeps posters and drops the rest of the oldest when it is full', async () => {
  const small = new RecordingCache({ folder, maxBytes: 250 });
  for (const id of [3, 1, 2]) {
    for (const name of ['poster.jpg', 'previews-0.jpg']) {
      await small.write(recordingId(id), name, 'x'.repeat(name === 'poster.jpg' ? 10 : 100));
    }
  }
  await small.trim();
  const left = [1, 2, 3].map((id) =>
    ['poster.jpg', 'previews-0.jpg'].map((name) => existsSync(small.path(recordingId(id), name))),
  );
  expect(left).toEqual([
    [true, false],
    [true, true],
    [true, true],
  ]);
  expect(await small.read(recordingId(1), 'previews-0.jpg')).toBeUndefined();
});
