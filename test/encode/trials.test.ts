/** Size and speed of codecs and qualities are measured on a recording while the machine is idle. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { measuredEncodes } from '../../src/encode/encode-routes.ts';
import { EncodeTrials } from '../../src/encode/encode-trials.ts';
import { JobRunner } from '../../src/media/job/job-runner.ts';
import { Failure } from '../../src/model/failure.ts';
import { output } from '../play/made-recording.ts';
import { until } from '../until.ts';
import { EncodeHome } from './encode-home.ts';

const SECONDS = 12;
const root = mkdtempSync(join(tmpdir(), 'svc-encode-trials-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('each quality is tried once while the machine is idle, and reported until something was encoded', async () => {
  const home = new EncodeHome(root);
  const { sources } = home.service.options;
  const isWithoutAv1 = (codec: string): void => {
    if (codec === 'av1') throw new Failure('ffmpeg_unavailable', 'なし');
  };
  const encoders = {
    ...sources.encoders,
    file: async (codec: 'av1' | 'h264') => {
      isWithoutAv1(codec);
      return sources.encoders.file(codec);
    },
  };
  let isIdle = false;
  let asked = 0;
  const machine = () => {
    asked += 1;
    return { processors: 2, viewers: isIdle ? 0 : 1, recordings: 0 };
  };
  const jobs = new JobRunner({
    ...{ machine, hub: home.hub, clock: systemMonotonicClock, log: SILENT_LOG, idleMs: 20 },
  });
  jobs.add(
    new EncodeTrials({
      ...{ sources: { ...sources, encoders }, find: (id) => home.list.find(id), log: SILENT_LOG, pollMs: 10 },
    }),
  );
  try {
    const film = await output(
      ...['-f', 'lavfi', '-i', `testsrc2=s=96x64:r=30000/1001:d=${SECONDS}`],
      ...['-f', 'lavfi', '-i', `sine=r=48000:d=${SECONDS}`, '-c:v', 'mpeg2video', '-g', '15'],
      ...['-c:a', 'aac', '-pat_period', '0.1', '-f', 'mpegts', 'pipe:1'],
    );
    home.put(film, SECONDS * 1000);
    jobs.start();
    await until('it was asked whether it may', () => asked > 5 || undefined);
    expect(home.store.trials()).toEqual([]);
    isIdle = true;
    await until('all qualities', () => home.store.trials().length === 3 || undefined);
    const measured = measuredEncodes([], home.store.trials());
    expect(measured.map(({ codec, files }) => `${codec} ${files}`)).toEqual(['h264 0', 'h264 0', 'h264 0']);
    const sizeOf = (quality: string): number =>
      measured.find((one) => one.quality === quality)?.bytesPerHour ?? 0;
    expect(sizeOf('small')).toBeGreaterThan(0);
    expect(sizeOf('fine')).toBeGreaterThan(sizeOf('small'));
    expect(Math.min(...measured.map(({ speed }) => speed))).toBeGreaterThan(0);
    // The figures of a real encode replace those of the trial.
    const done = home.store.trials().filter(({ quality }) => quality === 'small');
    const both = measuredEncodes(done, home.store.trials());
    expect(both.map(({ quality, files }) => `${quality} ${files}`).sort()).toEqual([
      'fine 0',
      'small 1',
      'standard 0',
    ]);
  } finally {
    await jobs.close();
    await home.close();
  }
  expect(readdirSync(join(root, 'work'))).toEqual([]);
});
