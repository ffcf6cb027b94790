/** Failures during an encode: the original stays, and the queue shows the reason. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { Failure } from '../../src/model/failure.ts';
import { FFMPEG, madeStream } from '../play/made-recording.ts';
import { until } from '../until.ts';
import { EncodeHome, WISH } from './encode-home.ts';

let root: string;
let film: Uint8Array;
let homes = 0;
let open: EncodeHome | undefined;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-encode-failures-'));
  // Sound only: the comparison of pictures takes eight further processes (encodes.test.ts).
  film = await madeStream({ seconds: 1, flashAt: 0, clock: 95_450, only: 'audio' });
});

afterEach(async () => {
  await open?.close();
  open = undefined;
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function home(options: ConstructorParameters<typeof EncodeHome>[1] = {}): EncodeHome {
  homes += 1;
  open = new EncodeHome(join(root, String(homes)), options);
  return open;
}

/** An ffmpeg that is replaced by a shell script. */
function fakeFfmpeg(name: string, words: string): string {
  const path = join(root, name);
  writeFileSync(path, `#!/bin/sh\n${words}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function ended({ store }: EncodeHome) {
  return until('the end of the encode', () => store.recent()[0]);
}

async function putOff({ store }: EncodeHome): Promise<string> {
  return until('a message', () => store.queue()[0]?.reason?.code);
}

/** Only the original is left, and no temporary files. */
function expectOriginal({ folder, list }: EncodeHome, id: number): void {
  expect(list.find(recordingId(id))?.files.map(({ source }) => source)).toEqual(['ts']);
  expect(readdirSync(folder).map((name) => name.replace(/^.*\./, ''))).toEqual(['ts']);
}

test.each([
  ['an ffmpeg that crashes', 'cat > /dev/null & sleep 0.1; kill -9 $$', {}, 'encoder'],
  ['an ffmpeg that hangs', 'exec sleep 1000', { stallMs: 300 }, 'stalled'],
  ['an ffmpeg that exits with success and no file', 'cat > /dev/null', {}, 'verify'],
])('%s is retried once, then given up', async (_, words, sources, code) => {
  const one = home({ ffmpeg: fakeFfmpeg(`ffmpeg-${homes}`, words), sources });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await ended(one)).toMatchObject({
    state: 'failed',
    attempts: 1,
    reason: { code },
  });
  expectOriginal(one, id);
  expect(one.store.log(recordingId(id))?.log).not.toBe('');
});

test('waits for the end of temporary faults: a full disk, an unavailable folder, a missing ffmpeg', async () => {
  let room: number | undefined = 10;
  const one = home({ sources: { room: async () => room } });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('full');
  room = undefined;
  await until('the other message', () => one.store.queue()[0]?.reason?.code === 'away');
  expectOriginal(one, id);
  room = 1e9;
  expect(await ended(one)).toMatchObject({ state: 'done', attempts: 0 });
});

test.each(['full', 'away'] as const)(
  '%s: continues when the space is there, long before its retry',
  async (code) => {
    let room = code === 'full' ? 10 : undefined;
    let now = Date.now();
    const one = home({ sources: { room: async () => room, now: () => wallMs(now) }, retryMs: 3_600_000 });
    const id = one.put(film, 1_001);
    one.jobs.start();
    expect(await putOff(one)).toBe(code);
    one.service.change({ paused: true });
    room = 1e9;
    now += 60_000;
    await until('no reason', () => one.store.queue()[0]?.reason === null);
    one.service.change({ paused: false });
    expect(await ended(one)).toMatchObject({ state: 'done', attempts: 0, recordingId: recordingId(id) });
  },
);

test('a full disk of the data folder or of the database is waited for, too', async () => {
  let failures = 3;
  const stored = async () => {
    failures -= 1;
    if (failures > 0)
      throw Object.assign(new Error('no space'), { code: failures === 1 ? 'SQLITE_FULL' : 'ENOSPC' });
  };
  const one = home({ sources: { stored } });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('full');
  expectOriginal(one, id);
  expect(await ended(one)).toMatchObject({ state: 'done', attempts: 0 });
});

test('a job that is cancelled while it waits is not said to wait', async () => {
  const one = home({ sources: { room: async () => 10 }, retryMs: 3_600_000 });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('full');
  await one.service.cancel(recordingId(id));
  expect(await ended(one)).toMatchObject({ state: 'cancelled', reason: { code: 'stopped' } });
});

test('a disk that fills up during the encode', async () => {
  const script = 'cat > /dev/null; echo "av_interleaved_write_frame(): No space left on device" >&2; exit 1';
  const one = home({ ffmpeg: fakeFfmpeg('ffmpeg-full', script) });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('full');
  expectOriginal(one, id);
});

test('waits for captions that cannot be read yet, since the original will be removed', async () => {
  let isBusy = true;
  const captions = async () => {
    if (isBusy) throw new Failure('busy', '読み取っています');
    return null;
  };
  const one = home({ sources: { captions } });
  one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('captions');
  isBusy = false;
  expect((await ended(one)).state).toBe('done');
});

test('the original stays until its data broadcast was read to the end', async () => {
  let isBusy = true;
  let asked = 0;
  const keepData = async () => {
    asked += 1;
    if (isBusy) throw new Failure('busy', '読み取っています');
    return true;
  };
  const one = home({ sources: { keepData } });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await putOff(one)).toBe('data');
  const sources = () => one.list.find(recordingId(id))?.files.map(({ source }) => source);
  expect(sources()).toEqual(['alt', 'ts']);
  // Reading begins with the encode.
  expect(asked).toBeGreaterThan(1);
  isBusy = false;
  expect(await ended(one)).toMatchObject({ state: 'done', attempts: 0 });
  expect(sources()).toEqual(['alt']);
});

test.each(['captions', 'keepData'] as const)('can be cancelled while %s take their time', async (name) => {
  const asked = Promise.withResolvers<void>();
  const hanging = (): Promise<never> => {
    asked.resolve();
    return new Promise(() => {});
  };
  const one = home({ sources: { [name]: hanging } });
  const id = one.put(film, 1_000);
  one.jobs.start();
  await asked.promise;
  await one.service.cancel(recordingId(id));
  expect((await ended(one)).state).toBe('cancelled');
});

test('cancelling says so where the folder does not respond, and takes effect when it does', async () => {
  const asked = Promise.withResolvers<void>();
  const folder = Promise.withResolvers<never>();
  const openOriginal = (): Promise<never> => {
    asked.resolve();
    return folder.promise;
  };
  const one = home({ sources: { open: openOriginal }, cancelMs: 20 });
  const id = one.put(film, 1_000);
  one.jobs.start();
  await asked.promise;
  const refusal = await one.service.cancel(recordingId(id)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'busy', message: expect.stringContaining('応答しません') });
  expect(one.store.queue()).toMatchObject([{ state: 'running' }]);
  folder.reject(new Error('EIO'));
  expect((await ended(one)).state).toBe('cancelled');
});

test.each([
  ['done', FFMPEG, 'done'],
  ['failed', 'fake', 'failed'],
] as const)('the log of one that is %s names no folder', async (_, ffmpeg, state) => {
  const words = `cat > /dev/null; echo "cannot write ${root}/x.mkv: $*" >&2; exit 1`;
  const one = home({ ffmpeg: ffmpeg === 'fake' ? fakeFfmpeg('ffmpeg-words', words) : ffmpeg });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect((await ended(one)).state).toBe(state);
  const log = one.store.log(recordingId(id))?.log ?? '';
  expect(log).toContain('.h264.');
  expect(log).not.toContain(one.folder);
  expect(log).not.toContain(join(one.folder, '..', 'work'));
  expect(log).not.toMatch(/ \/\S*ffmpeg/);
});

test('no log is deleted by a clock that may be wrong', async () => {
  const asked = { isSure: false, times: 0 };
  const isTimeSure = (): boolean => {
    asked.times += 1;
    return asked.isSure;
  };
  const one = home({ sources: { now: () => wallMs(Date.now() + 10 * 365 * 86_400_000) }, isTimeSure });
  const id = recordingId(one.put(film, 1_001));
  one.store.cancelWaiting(id, wallMs(Date.now()));
  one.service.change({ paused: true });
  one.store.enqueue(id, WISH, { automatic: false, readyAt: wallMs(0) }, wallMs(Date.now()));
  const logs = () => one.database.query('SELECT id FROM encodes').all().length;
  one.jobs.start();
  await until('two rounds', () => asked.times > 1 || undefined);
  expect(logs()).toBe(2);
  asked.isSure = true;
  await until('the old log is deleted', () => logs() === 1 || undefined);
});

test('one without a name keeps no other waiting', async () => {
  const one = home();
  const [first, second] = [one.put(film, 1_000), one.put(film, 1_000)];
  one.database.query('UPDATE recordings SET stem = NULL WHERE id = $first').run({ first });
  one.jobs.start();
  expect(await ended(one)).toMatchObject({ recordingId: second, state: 'done' });
  expect(one.store.queue().map(({ recordingId: id, state }) => [id, state])).toEqual([
    [recordingId(first), 'waiting'],
  ]);
});

test('an original that goes without its data broadcast is told', async () => {
  const one = home({ sources: { keepData: async () => false } });
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await ended(one)).toMatchObject({ state: 'done', reason: { code: 'data_lost' } });
  expect(one.list.find(recordingId(id))?.files.map(({ source }) => source)).toEqual(['alt']);
  expect(one.store.log(recordingId(id))?.log).toContain('データ放送を保存できないまま');
});

test('deleting a recording, or moving it to the recycle bin, cancels its encode', async () => {
  const slow = fakeFfmpeg('ffmpeg-slow', 'exec sleep 1000');
  const one = home({ ffmpeg: slow });
  const id = one.put(film, 1_001);
  one.jobs.start();
  const running = () => one.store.queue()[0]?.state === 'running' || undefined;
  await until('an encode', running);
  one.database.run(`UPDATE recordings SET binned_at = 1 WHERE id = ${id}`);
  one.hub.changed('recordings');
  await until('it waits', () => one.store.queue()[0]?.state === 'waiting' || undefined);
  one.database.run(`UPDATE recordings SET binned_at = NULL WHERE id = ${id}`);
  await until('an encode again', running);
  one.database.run(`UPDATE recordings SET deleted_at = 1 WHERE id = ${id}`);
  one.hub.changed('recordings');
  expect(await ended(one)).toMatchObject({ state: 'cancelled' });
});

test('is paused while a viewer is connected, and continues afterwards', async () => {
  let viewers = 1;
  const one = home({ viewers: () => viewers });
  one.put(film, 1_001);
  one.jobs.start();
  await until('the reason', () => one.service.wait === 'machine' || undefined);
  expect(one.store.queue()[0]?.state).toBe('waiting');
  viewers = 0;
  expect((await ended(one)).state).toBe('done');
});

test('is done although its end could not be stored at once, and its original is gone', async () => {
  const one = home();
  const { store } = one;
  const end = store.end.bind(store);
  let failures = 0;
  store.end = (...values) => {
    failures += 1;
    if (failures === 1) throw new Error('database is locked');
    end(...values);
  };
  one.put(film, 1_001);
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect([failures, store.queue()]).toEqual([2, []]);
});

test('the time for which it is paused is not part of the estimate', async () => {
  let [viewers, clock] = [0, 1_000];
  const etas: unknown[] = [];
  const eta = () => one.service.progress()?.etaMs;
  const onStep = async (step: string) => {
    if (step !== 'encoded' || etas.length > 0) return;
    etas.push(eta());
    viewers = 1;
    etas.push(await until('no estimate', () => (eta() === null ? 'none' : undefined)));
    clock += 3_600_000;
    viewers = 0;
    await until('an estimate', () => eta() !== null);
    etas.push(eta());
  };
  const one = home({ sources: { onStep, elapsed: () => monotonicMs(clock) }, viewers: () => viewers });
  one.put(film, 1_001, { codecs: 'both' });
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect(etas).toEqual([0, 'none', 0]);
});

test('an original of which less can be played than was recorded stays', async () => {
  const one = home();
  const id = one.put(film, 60_000);
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect(one.list.find(recordingId(id))?.files.map(({ source }) => source)).toEqual(['alt', 'ts']);
  expect(one.store.log(recordingId(id))?.log).toContain('the original stays');
});
