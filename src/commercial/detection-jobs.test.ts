import type { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { FromWorker, ToWorker } from '../../lib/host/worker-link.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { clipPath, openClip } from '../../test/play/clip.ts';
import { until } from '../../test/until.ts';
import { JobRun } from '../media/job/job-run.ts';
import { JobRunner } from '../media/job/job-runner.ts';
import { Failure } from '../model/failure.ts';
import { Hub } from '../notify/hub.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { openDatabase } from '../store/database.ts';
import { LearntLogoStore } from '../store/logo-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { writeNow } from '../store/transaction.ts';
import { DetectionJobs } from './detection-jobs.ts';

const ID = recordingId(1);

function oneRecording(): Database {
  const database = openDatabase(':memory:');
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (1, 'BS', 4, 101, 'BS01_0', 's', 1, 1, 0)`,
  );
  database.run(
    `INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at, duration_ms,
       created_at, updated_at) VALUES (1, 1, 's', 'available', 'n', '', 0, 60000, 60000, 0, 0)`,
  );
  database.run(
    `INSERT INTO recording_files (recording_id, source, path, codec, bytes, created_at)
     VALUES (1, 'ts', '/disk/1.ts', 'mpeg2', 1, 0)`,
  );
  return database;
}

type Options = Pick<ConstructorParameters<typeof DetectionJobs>[0], 'open' | 'isAway' | 'startWorker'>;

/** Runs until the recording is settled. */
async function settled(
  database: Database,
  options: Options,
  meanwhile = async (_: ChapterStore): Promise<void> => {},
) {
  const chapters = new ChapterStore(database);
  const hub = new Hub((error) => {
    throw error;
  });
  const jobs = new JobRunner({
    ...{ hub, log: SILENT_LOG, clock: systemMonotonicClock },
    machine: () => ({ processors: 2, viewers: 0, recordings: 0 }),
  });
  const detection = new DetectionJobs({
    ...{ jobs, chapters, hub, list: new RecordingListStore(database), logos: new LearntLogoStore(database) },
    settings: { get: () => 'chapters' as never },
    ffmpeg: async () => 'ffmpeg',
    ...{ write: writeNow, log: SILENT_LOG, now: () => wallMs(0), pollMs: 1, restMs: 1 },
    ...options,
  });
  try {
    jobs.start();
    await meanwhile(chapters);
    await until('it was tried', () => chapters.detection(ID)?.state === 'failed');
    return chapters.detection(ID);
  } finally {
    await jobs.close();
    await detection.close();
  }
}

test('a recording on a disk that is not mounted waits until the disk is back', async () => {
  using database = oneRecording();
  const asked: string[] = [];
  let isAway = true;
  const options: Options = {
    open: { open: () => Promise.reject(new Failure('not_found', 'gone')) },
    isAway: async (folder) => {
      asked.push(folder);
      return isAway;
    },
    startWorker: () => {
      throw new Error('not wanted');
    },
  };
  const detection = await settled(database, options, async (chapters) => {
    await until('it was asked for three times', () => asked.length >= 3);
    expect(new Set(asked)).toEqual(new Set(['/disk']));
    expect(chapters.detection(ID)).toBeUndefined();
    isAway = false;
  });
  expect(detection?.reason).toBe('no_file');
});

test('a folder that is absent is asked once in each round, not for each of its recordings', async () => {
  using database = oneRecording();
  let asked = 0;
  const hub = new Hub(() => {});
  const detection = new DetectionJobs({
    jobs: { add: () => ({}) as never },
    ...{ chapters: new ChapterStore(database), hub, list: new RecordingListStore(database) },
    ...{ logos: new LearntLogoStore(database), settings: { get: () => 'none' as never } },
    open: { open: () => Promise.reject(new Failure('not_found', 'gone')) },
    isAway: async () => {
      asked += 1;
      return true;
    },
    startWorker: () => {
      throw new Error('not wanted');
    },
    ...{ ffmpeg: async () => 'ffmpeg', write: writeNow, log: SILENT_LOG, now: () => wallMs(0) },
  });
  const { signal } = new AbortController();
  for (const expected of [1, 2]) {
    await detection.upkeep(signal);
    for (let one = 0; one < 3; one += 1)
      await expect(detection.run({ id: ID, share: 0, isCounted: false }, new JobRun())).rejects.toThrow(
        '応答しません',
      );
    expect(asked).toBe(expected);
  }
  await detection.close();
});

/** A worker that answers with the message, or dies. */
function fakeWorker(answer: 'dies' | 'too_short'): Worker {
  const listeners = new Map<string, (event: { data: FromWorker }) => void>();
  const post = (data: FromWorker): void => listeners.get('message')?.({ data });
  const worker = {
    addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
    terminate: () => {},
    postMessage: (message: ToWorker) =>
      queueMicrotask(() => {
        if (message.link === 'ping') post({ link: 'pong' });
        if (message.link === 'close') post({ link: 'closed' });
        if (message.link !== 'request') return;
        post({ link: 'pong' });
        if (answer === 'dies') listeners.get('close')?.({} as never);
        else
          post({
            link: 'answer',
            id: message.id,
            body: { kind: 'failed', reason: answer, message: 'short' },
          });
      }),
  };
  return worker as unknown as Worker;
}

test('a recording whose worker dies is analysed again by another one', async () => {
  using database = oneRecording();
  const path = await clipPath();
  let started = 0;
  const detection = await settled(database, {
    open: { open: () => openClip(path) },
    isAway: async () => false,
    startWorker: () => {
      started += 1;
      return fakeWorker(started < 3 ? 'dies' : 'too_short');
    },
  });
  expect(detection).toMatchObject({ reason: 'too_short', attempts: 3 });
  expect(started).toBe(3);
});

test('one that ends every worker is given up after three attempts', async () => {
  using database = oneRecording();
  const path = await clipPath();
  let started = 0;
  const detection = await settled(database, {
    open: { open: () => openClip(path) },
    isAway: async () => false,
    startWorker: () => {
      started += 1;
      return fakeWorker('dies');
    },
  });
  expect(detection).toMatchObject({ reason: 'interrupted', attempts: 3 });
  expect(started).toBe(3);
});
