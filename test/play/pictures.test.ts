/** Posters and previews, from a stream to JPEG files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { run as runCommand } from '../../src/ffmpeg/process.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { JobRun } from '../../src/media/job/job-run.ts';
import { continueCounters, keyFrameAt } from '../../src/play/key-frame-stream.ts';
import type { OpenRecording } from '../../src/play/open-recordings.ts';
import {
  PictureMaker,
  POSTER_FILE,
  PREVIEW,
  PREVIEWS_FILE,
  picturesCommand,
  type StoredPreviews,
  sheetFile,
} from '../../src/play/picture-maker.ts';
import { RecordingCache } from '../../src/play/recording-cache.ts';
import type { ListedRecording } from '../../src/store/recording-list-store.ts';
import { until } from '../until.ts';
import { CLIP, clipPath, openClip } from './clip.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
const cache = new RecordingCache({ folder });
const RECORDING = { id: 7, startAt: 0, endAt: 0 } as ListedRecording;
const UNHELD = new JobRun();
const LIMIT_MS = 60_000;

let path: string;

beforeAll(async () => {
  path = await clipPath();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function maker(open: () => Promise<OpenRecording> = () => openClip(path)): PictureMaker {
  const ffmpeg = async (): Promise<string> => 'ffmpeg';
  return new PictureMaker({
    cache,
    open: { open },
    ffmpeg,
    now: () => wallMs(1000),
  });
}

/** RGB pixels of a picture file. */
async function pixels(file: string): Promise<{ width: number; height: number; rgb: Uint8Array }> {
  const words = ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', file];
  const shape = (await runCommand(['ffprobe', ...words], { timeoutMs: LIMIT_MS })).stdout;
  const [width = 0, height = 0] = shape.split(',').map(Number);
  const raw = join(folder, 'pixels.raw');
  await runCommand(['ffmpeg', '-v', 'error', '-y', '-i', file, '-pix_fmt', 'rgb24', '-f', 'rawvideo', raw], {
    timeoutMs: LIMIT_MS,
  });
  return { width, height, rgb: new Uint8Array(await Bun.file(raw).arrayBuffer()) };
}

/** Mean colour of a part of a picture. */
function mean(
  { width, rgb }: { width: number; rgb: Uint8Array },
  x: number,
  y: number,
  w: number,
  h: number,
) {
  const sums = [0, 0, 0];
  for (let row = y; row < y + h; row += 1) {
    for (let column = x; column < x + w; column += 1) {
      for (const channel of [0, 1, 2])
        sums[channel] = (sums[channel] ?? 0) + (rgb[(row * width + column) * 3 + channel] ?? 0);
    }
  }
  return sums.map((sum) => sum / (w * h));
}

describe('pictures of a recording', () => {
  test('the poster shows a scene, and previews show the picture of every ten seconds', async () => {
    const id = recordingId(7);
    let posters = 0;
    const made = await maker().make(RECORDING, id, () => (posters += 1), UNHELD);
    expect([made, posters]).toEqual([true, 1]);
    const poster = await pixels(cache.path(id, POSTER_FILE));
    expect([poster.width, poster.height]).toEqual([640, 360]);
    // Black bars beside a picture of 4:3; the test picture is colourful.
    expect(Math.max(...mean(poster, 0, 0, 60, 360))).toBeLessThan(20);
    const colours = new Set(
      Array.from({ length: 8 }, (_, index) =>
        mean(poster, 90 + index * 60, 100, 20, 20)
          .map((value) => Math.round(value / 64))
          .join(),
      ),
    );
    expect(colours.size).toBeGreaterThan(3);

    const stored = (await Bun.file(cache.path(id, PREVIEWS_FILE)).json()) as StoredPreviews;
    expect(stored).toMatchObject({
      width: 160,
      height: 90,
      columns: 10,
      rows: 10,
      sheets: 1,
      madeAt: 1000,
    });
    expect([stored.count, stored.intervalMs]).toEqual([4, 10_000]);
    const sheet = await pixels(cache.path(id, sheetFile(0)));
    expect([sheet.width, sheet.height]).toEqual([1600, 90]);
    const centre = (index: number) => mean(sheet, index * 160 + 40, 20, 80, 50);
    // Key frames are half a second apart: each picture is the one at or before its time.
    const [black = [], before = [], card = [], scene = []] = [0, 1, 2, 3].map(centre);
    // The recording begins in black, for which the blue card behind it stands.
    for (const [red = 0, , blue = 0] of [black, before, card])
      expect([red > 120, blue > 120]).toEqual([false, true]);
    expect(scene.every((value) => value > 30)).toBe(true);
    // Nothing follows the last one.
    expect(mean(sheet, 4 * 160, 0, 6 * 160, 90)).toEqual([0, 0, 0]);
    expect(existsSync(cache.path(id, 'work.ts'))).toBe(false);
  });

  test('end with their run while their folder does not respond', async () => {
    const opened = await openClip(path);
    const asked = Promise.withResolvers<void>();
    const bytes = {
      size: opened.bytes.size,
      read: () => {
        asked.resolve();
        return new Promise<never>(() => {});
      },
    };
    const run = new JobRun();
    const hanging = async () => ({ ...opened, bytes }) as unknown as OpenRecording;
    const making = maker(hanging).make(RECORDING, recordingId(8), () => {}, run);
    await asked.promise;
    run.end('stopped');
    await expect(making).rejects.toThrow('the job was stopped');
    opened.close();
  });

  test('a picture that cannot be decoded does not shift the others', async () => {
    const opened = await openClip(path);
    const stream = join(folder, 'holes.ts');
    const pieces: Uint8Array[] = [];
    for (const [second, at] of [
      [1, 15],
      [3, 29],
    ] as const) {
      const entry = await findEntry(opened.bytes, opened.index, media90k(at * TICKS_PER_SECOND));
      const video = entry?.layout.video?.pid;
      if (entry === undefined || video === undefined) throw new Error('no key frame');
      const picture = keyFrameAt(await opened.bytes.read(entry.at, 1_000_000), video, second);
      if (picture === undefined) throw new Error('no picture');
      if (pieces.length === 0) pieces.push(entry.tables);
      continueCounters(picture, video, pieces.length);
      pieces.push(picture);
    }
    opened.close();
    await Bun.write(stream, Buffer.concat(pieces));
    const raw = join(folder, 'holes.raw');
    const command = picturesCommand('ffmpeg', stream, { size: PREVIEW, count: 4 }, raw);
    expect((await runCommand(command, { timeoutMs: LIMIT_MS })).code).toBe(0);
    const rgb = new Uint8Array(await Bun.file(raw).arrayBuffer());
    expect(rgb.length).toBe(4 * 160 * 90 * 3);
    const blue = [0, 1, 2, 3].map((index) => {
      const [red = 0, , value = 0] = mean({ width: 160, rgb }, 40, index * 90 + 20, 80, 50);
      return value > 120 && red < 80;
    });
    expect(blue).toEqual([true, true, true, false]);
  });

  test('pictures of another size in the middle are placed correctly too', async () => {
    const id = recordingId(10);
    const other = join(folder, 'other.ts');
    const rate = ['-muxrate', '2M', '-f', 'mpegts'];
    const red = ['-f', 'lavfi', '-i', 'color=red:s=176x144:r=30000/1001:d=15', '-aspect', '16:9'];
    await runCommand(['ffmpeg', '-v', 'error', ...red, '-c:v', 'mpeg2video', '-g', '15', ...rate, other], {
      timeoutMs: LIMIT_MS,
    });
    const joined = join(folder, 'joined.ts');
    const files = [other, path].map(async (one) => new Uint8Array(await Bun.file(one).arrayBuffer()));
    await Bun.write(joined, Buffer.concat(await Promise.all(files)));
    expect(await maker(() => openClip(joined)).make(RECORDING, id, () => {}, UNHELD)).toBe(true);
    const sheet = await pixels(cache.path(id, sheetFile(0)));
    const words = [0, 1, 2, 3, 4].map((index) => {
      const [r = 0, g = 0, b = 0] = mean(sheet, index * 160 + 40, 20, 80, 50);
      if (r > 180 && g < 60 && b < 60) return 'red';
      if (b > 120 && r < 80) return 'blue';
      return Math.max(r, g, b) < 20 ? 'black' : 'scene';
    });
    // 15 s of red, then the clip from its beginning: every position is 5 s away from a change.
    // The third is black in the recording.
    expect(words).toEqual(['red', 'red', 'blue', 'blue', 'scene']);
  });

  test('waits while an encode requested by users is running', async () => {
    const id = recordingId(8);
    const run = new JobRun();
    run.hold(true);
    let isOpened = false;
    const making = maker(() => {
      isOpened = true;
      return openClip(path);
    }).make(RECORDING, id, () => {}, run);
    await Bun.sleep(30);
    expect(isOpened).toBe(false);
    run.hold(false);
    await until('it begins', () => isOpened);
    run.end('cancelled');
    await expect(making).rejects.toThrow('cancelled');
  });

  test('a recording without video has no poster', async () => {
    const id = recordingId(9);
    const sound = join(folder, 'sound.ts');
    await runCommand(
      ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'aac', '-f', 'mpegts', sound],
      { timeoutMs: LIMIT_MS },
    );
    expect(await maker(() => openClip(sound)).make(RECORDING, id, () => {}, UNHELD)).toBe(false);
    expect(existsSync(cache.path(id, POSTER_FILE))).toBe(false);
  });
});

test('the clip has the length of its pictures', async () => {
  const opened = await openClip(path);
  expect(opened.index.duration / TICKS_PER_SECOND).toBeCloseTo(CLIP.seconds, 0);
  opened.close();
});
