/**
 * Cases in which an original must not be removed although its recording was encoded, and files that a start
 * of the service must keep.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { EncodeStep } from '../../src/encode/encode-sources.ts';
import type { ProgramSegment } from '../../src/encode/kept-spans.ts';
import { Failure } from '../../src/model/failure.ts';
import { reconcile } from '../../src/record/file-reconciliation.ts';
import { EncodedFileStore } from '../../src/store/encoded-file-store.ts';
import type { ListedRecording } from '../../src/store/recording-list-store.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { openClip } from '../play/clip.ts';
import { FFMPEG, madeStream, output } from '../play/made-recording.ts';
import { until } from '../until.ts';
import { EncodeHome } from './encode-home.ts';

let root: string;
let film: Uint8Array;
let homes = 0;
let open: EncodeHome | undefined;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-encode-originals-'));
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

/** Called when the encoded file has its row, just before the original would be removed. */
function atLast(act: () => void): { sources: { onStep: (step: EncodeStep) => void } } {
  return { sources: { onStep: (step) => (step === 'stored' ? act() : undefined) } };
}

async function ended({ store }: EncodeHome) {
  return until('the end of the encode', () => store.recent()[0]);
}

function sourcesOf({ list }: EncodeHome, id: number): string[] | undefined {
  return list.find(recordingId(id))?.files.map(({ source }) => source);
}

function named({ folder }: EncodeHome, ending: string): string {
  const name = readdirSync(folder).find((one) => one.endsWith(ending));
  return join(folder, name ?? `no file ${ending}`);
}

test('an encode that is cancelled, or whose recording goes into the bin, at its last step keeps it', async () => {
  const cancelled: EncodeHome = home(atLast(() => void cancelled.service.cancel(recordingId(id))));
  const id = cancelled.put(film, 1_001);
  cancelled.jobs.start();
  expect((await ended(cancelled)).state).toBe('cancelled');
  expect(sourcesOf(cancelled, id)).toEqual(['alt', 'ts']);
  expect(existsSync(named(cancelled, '.ts'))).toBe(true);
  await cancelled.close();

  // Moved to the bin without an event: the database is checked too.
  let isBinned = false;
  const binned: EncodeHome = home(
    atLast(() => {
      binned.database.run('UPDATE recordings SET binned_at = 1');
      isBinned = true;
    }),
  );
  binned.put(film, 1_001);
  binned.jobs.start();
  const isOver = () => (isBinned && binned.service.progress() === undefined) || undefined;
  await until('the end of the task', isOver);
  expect(existsSync(named(binned, '.ts'))).toBe(true);
});

test('an encoded file that is incomplete or missing by then does not replace it', async () => {
  const one: EncodeHome = home(atLast(() => truncateSync(named(one, '.mkv'), 1_000)));
  const id = one.put(film, 1_001);
  one.jobs.start();
  expect(await ended(one)).toMatchObject({ state: 'failed', reason: { code: 'verify' } });
  expect(sourcesOf(one, id)).toContain('ts');
  expect(existsSync(named(one, '.ts'))).toBe(true);
});

test('a file with a gap in its pictures or sound does not replace it', async () => {
  // Drops three seconds from an otherwise correct file, exits with 0 and can be decoded.
  const lossy = join(root, 'ffmpeg-lossy');
  const words = [
    '#!/bin/sh',
    `case "$*" in *'-f null'* | *'-f rawvideo'*) exec ${FFMPEG} "$@";; esac`,
    `${FFMPEG} "$@" || exit`,
    'for made do :; done',
    `${FFMPEG} -v error -nostdin -y -i "$made" -map 0 -c copy -c:v libx264 -preset ultrafast` +
      ` -vf "select='not(between(t,1.5,4.5))'" -vsync passthrough -f matroska "$made.x" && mv "$made.x" "$made"`,
  ];
  writeFileSync(lossy, `${words.join('\n')}\n`);
  chmodSync(lossy, 0o755);
  const one = home({ ffmpeg: lossy });
  const id = one.put(await madeStream({ seconds: 6, flashAt: 0, clock: 95_450 }), 6_006);
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect(sourcesOf(one, id)).toEqual(['alt', 'ts']);
  expect(one.store.log(recordingId(id))?.log).toMatch(/the original stays: 3\.\d s of it are missing/);
});

test('a file with wrong pictures that decode without an error is not used', async () => {
  // Like a faulty driver: the right number of pictures at the right times, with wrong content.
  const wrong = join(root, 'ffmpeg-wrong');
  const words = [
    '#!/bin/sh',
    `case "$*" in *'-f null'* | *'-f rawvideo'*) exec ${FFMPEG} "$@";; esac`,
    `${FFMPEG} "$@" || exit`,
    'for made do :; done',
    `${FFMPEG} -v error -nostdin -y -i "$made" -map 0 -c copy -c:v libx264 -preset ultrafast` +
      ` -vf negate -vsync passthrough -f matroska "$made.x" && mv "$made.x" "$made"`,
  ];
  writeFileSync(wrong, `${words.join('\n')}\n`);
  chmodSync(wrong, 0o755);
  const one = home({ ffmpeg: wrong });
  const shown = await output(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=30000/1001:d=1', '-f', 'lavfi', '-i', 'sine=r=48000:d=1'],
    ...['-c:v', 'mpeg2video', '-g', '15', '-c:a', 'aac', '-f', 'mpegts', 'pipe:1'],
  );
  const id = one.put(shown, 1_001);
  one.jobs.start();
  expect(await ended(one)).toMatchObject({
    state: 'failed',
    reason: { code: 'verify' },
  });
  expect(sourcesOf(one, id)).toEqual(['ts']);
  expect(one.store.log(recordingId(id))?.log).toContain('its pictures are not those of the original');
});

function parts(...ends: number[]): ProgramSegment[] {
  return ends.map((endMs, index) => ({
    ...{ startMs: ends[index - 1] ?? 0, endMs },
    kind: index % 2 === 0 ? 'main' : 'cm',
  }));
}

test.each([
  ['that are not certain', { segments: parts(300, 600, 1_001), reliable: false }],
  ['of a stream of another length', { segments: parts(300, 600, 60_000), reliable: true }],
  ['that are most of it', { segments: parts(200, 800, 1_001), reliable: true }],
  ['that were never detected', undefined],
])('commercials %s are not cut, and it stays', async (_, chapters) => {
  const one = home({ sources: { chapters: () => chapters } });
  const id = one.put(film, 1_001, { commercials: 'cut' });
  one.jobs.start();
  expect(await ended(one)).toMatchObject({ state: 'done', reason: { code: 'commercials' } });
  expect(sourcesOf(one, id)).toEqual(['alt', 'ts']);
  expect(one.list.find(recordingId(id))?.files.map(({ cuts }) => cuts)).toEqual([null, null]);
});

test('it stays if another encode of it is cut, although there was nothing to cut', async () => {
  const one = home();
  const id = one.put(film, 1_001, { commercials: 'none' });
  const path = join(one.folder, 'earlier.av1.mkv');
  writeFileSync(path, 'earlier');
  const facts = { tracks: [], codecs: '', hasVideo: true, stretches: [], chapters: null };
  const file = { path, codec: 'av1', bytes: 7, durationMs: 600, source: 'encoded', facts } as const;
  new EncodedFileStore(one.database).put(
    recordingId(id),
    { ...file, cuts: [{ from: 0, to: 600 }] },
    wallMs(1),
  );
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect(sourcesOf(one, id)).toEqual(['encoded', 'alt', 'ts']);
});

test('waits for an unavailable folder, which does not count as a failure', async () => {
  let isAway = true;
  const opened = async ({ files }: ListedRecording) => {
    if (isAway) throw new Failure('not_found', 'この録画のファイルはありません。');
    return openClip(files[0]?.path ?? '');
  };
  const one = home({ sources: { open: opened, room: async () => (isAway ? undefined : 1e12) } });
  one.put(film, 1_001);
  one.jobs.start();
  const isReported = () => one.store.queue()[0]?.reason?.code === 'away';
  await until('the message', isReported);
  isAway = false;
  expect(await ended(one)).toMatchObject({ state: 'done', attempts: 0 });
});

test('a start removes no original without a replacement', async () => {
  const one = home();
  const id = one.put(film, 1_001);
  const files = new EncodedFileStore(one.database);
  const facts = { tracks: [], codecs: '', hasVideo: true, stretches: [], chapters: null };
  const path = join(one.folder, 'lost.h264.mkv');
  const file = { path, codec: 'h264', bytes: 7, durationMs: 1_001, source: 'alt', facts } as const;
  files.put(recordingId(id), { ...file, cuts: null }, wallMs(1));
  const [original] = files.retireOriginal(recordingId(id), wallMs(1));
  const store = new RecordingStore(one.database);
  await reconcile({ store, log: SILENT_LOG, wallClock: () => wallMs(Date.now()) });
  expect(existsSync(original ?? '')).toBe(true);
});

test('a file that a wrong clock dated in the future is made again', async () => {
  const one = home();
  const id = one.put(film, 1_001, { keepTs: true });
  const facts = { tracks: [], codecs: '', hasVideo: true, stretches: [], chapters: null };
  const path = join(one.folder, 'earlier.h264.mkv');
  writeFileSync(path, 'earlier');
  const file = { path, codec: 'h264', bytes: 7, durationMs: 1_001, source: 'alt', facts } as const;
  new EncodedFileStore(one.database).put(
    recordingId(id),
    { ...file, cuts: null },
    wallMs(Date.now() + 86_400_000),
  );
  one.jobs.start();
  expect((await ended(one)).state).toBe('done');
  expect(one.list.find(recordingId(id))?.files.find(({ source }) => source === 'alt')?.path).not.toBe(path);
});

test('a copied or restored database removes no file whose recording has no original', async () => {
  const one = home();
  const id = one.put(film, 1_001);
  const final = join(one.folder, 'made.h264.mkv');
  writeFileSync(final, 'the only file by now');
  const work = JSON.stringify([final]);
  one.database
    .query(`UPDATE encodes SET state = 'running', work = $work WHERE recording_id = $id`)
    .run({ id, work });
  rmSync(named(one, '.ts'));
  one.jobs.start();
  // Waits for the end of what a start does.
  await one.jobs.close();
  expect(existsSync(final)).toBe(true);
});
