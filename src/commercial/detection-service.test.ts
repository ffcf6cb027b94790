import { expect, test } from 'bun:test';
import { wallMs } from '../../host/clock.ts';
import { createLog } from '../../host/log.ts';
import { until } from '../../test/until.ts';
import { Hub } from '../hub/hub.ts';
import { Failure } from '../model/failure.ts';
import { recordingId } from '../model/ids.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { openDatabase } from '../store/database.ts';
import { LearntLogoStore } from '../store/learnt-logo-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { DetectionService } from './detection-service.ts';

test('a recording on a disk that is not mounted waits until the disk is back', async () => {
  using database = openDatabase(':memory:');
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
  const chapters = new ChapterStore(database);
  const hub = new Hub((error) => {
    throw error;
  });
  const asked: string[] = [];
  let isAway = true;
  const detection = new DetectionService({
    ...{ chapters, hub, list: new RecordingListStore(database), logos: new LearntLogoStore(database) },
    open: { open: () => Promise.reject(new Failure('not_found', 'gone')) },
    isAway: async (folder) => {
      asked.push(folder);
      return isAway;
    },
    settings: { get: () => 'chapters' as never },
    ffmpeg: async () => 'ffmpeg',
    startWorker: () => {
      throw new Error('not wanted');
    },
    isBusy: () => false,
    log: createLog({ level: 'error', now: () => wallMs(0), write: () => {} }),
    now: () => wallMs(0),
    ...{ roundMs: 1, restMs: 1 },
  });
  try {
    detection.start();
    await until('it was asked for in three rounds', () => asked.length >= 3);
    expect(new Set(asked)).toEqual(new Set(['/disk']));
    expect(chapters.detection(recordingId(1))).toBeUndefined();
    isAway = false;
    await until('it was tried', () => chapters.detection(recordingId(1))?.state === 'failed');
    expect(chapters.detection(recordingId(1))?.reason).toBe('no_file');
  } finally {
    await detection.close();
  }
});
