/**
 * Sound stays in sync with the picture to the end of an encoded file, whatever was lost: a recording with
 * flashes and beeps at known times, in which bursts of packets and whole seconds are missing. Three hours
 * with `--long`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs, media90k } from '../../lib/arib/time.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { encodeCommand } from '../../src/encode/encode-command.ts';
import { encodedTracks } from '../../src/encode/encoded-tracks.ts';
import { metadataText } from '../../src/encode/file-texts.ts';
import { RecordingEncode } from '../../src/encode/recording-encode.ts';
import { VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { openClip } from '../play/clip.ts';
import { FFMPEG, output } from '../play/made-recording.ts';

const IS_LONG = process.env.SVC_LONG === '1';
const SECONDS = IS_LONG ? 10_800 : 120;
/** s between marks. */
const EVERY = IS_LONG ? 60 : 10;
const PACKET = 188;
/** Tolerated offset of sound and picture, ms. */
const LIMIT_MS = 20;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-encode-losses-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A flash and a beep of 0.2 s at every mark. */
function marked(): Promise<Uint8Array> {
  const during = `lt(mod(t\\,${EVERY})\\,0.2)`;
  const tone = `0.8*sin(6283*t)*${during}`;
  return output(
    ...['-f', 'lavfi', '-i', `color=black:s=96x64:r=30000/1001:d=${SECONDS}`],
    ...['-f', 'lavfi', '-i', `aevalsrc='${tone}|${tone}':s=48000:c=stereo:d=${SECONDS}`],
    ...['-vf', `drawbox=enable='${during}':color=white:t=fill`, '-c:v', 'mpeg2video', '-g', '15', '-bf', '2'],
    ...['-c:a', 'aac', '-b:a', '64k', '-pat_period', '0.1', '-f', 'mpegts', 'pipe:1'],
  );
}

/**
 * Removes bursts of up to 40 packets, and two gaps of seconds; never within two seconds of a mark, by the
 * position in the file.
 */
function damaged(stream: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  const perSecond = stream.length / SECONDS;
  let state = 12_345;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  let at = 0;
  const lose = (second: number, bytes: number): void => {
    const from = Math.floor((second * perSecond) / PACKET) * PACKET;
    if (from <= at) return;
    kept.push(stream.subarray(at, from));
    at = from + Math.ceil(bytes / PACKET) * PACKET;
  };
  for (let mark = 0; mark + EVERY < SECONDS; mark += EVERY) {
    const isHole = mark === EVERY * 4 || mark === EVERY * 9;
    if (isHole) lose(mark + 3, 2.5 * perSecond);
    else for (const second of [3, 4.4, 6]) lose(mark + second, (1 + random(40)) * PACKET);
  }
  kept.push(stream.subarray(at));
  return Buffer.concat(kept);
}

async function ffmpegLog(path: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(
    [FFMPEG, '-v', 'info', '-nostdin', '-copyts', '-i', path, ...words, '-f', 'null', '-'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  return child.stderr.text();
}

test('audio stays within 20 ms of the video to the end', async () => {
  const source = join(folder, 'lossy.ts');
  writeFileSync(source, damaged(await marked()));
  const { bytes, index, close } = await openClip(source);
  const entry = await findEntry(bytes, index, media90k(0));
  const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');
  if (entry === undefined || encoder === undefined) throw new Error('nothing to encode');
  const metadata = join(folder, 'tags.txt');
  writeFileSync(
    metadata,
    metadataText({ title: '', station: '', description: '', startAt: broadcastMs(0) }, true),
  );
  const made = join(folder, 'made.mkv');
  const command = encodeCommand({
    choice: { ffmpeg: FFMPEG, encoder: { ...encoder, file: fast(encoder.file.small) }, standIn: false },
    video: { kind: 'mpeg2', material: 'video', shape: { width: 96, height: 64, aspect: 1.5 } },
    ...{
      quality: 'small',
      tracks: encodedTracks([], 1),
      cuts: null,
      captions: null,
      metadata,
      poster: null,
    },
    output: made,
  });
  const options = { bytes, index, entry, streams: 1, command, stallMs: 60_000 };
  const { code } = await new RecordingEncode({ ...options, elapsed: systemMonotonicClock }).outcome;
  close();
  expect(code).toBe(0);
  const [sound, picture] = await Promise.all([
    ffmpegLog(made, '-vn', '-af', 'silencedetect=n=-20dB:d=0.3'),
    ffmpegLog(made, '-an', '-vf', 'blackdetect=d=0.3:pix_th=0.3'),
  ]);
  const beeps = [...sound.matchAll(/silence_end: ([\d.]+)/g)].map((match) => Number(match[1]));
  const flashes = [...picture.matchAll(/black_end:([\d.]+)/g)].map((match) => Number(match[1]));
  // A flash begins with a picture, up to 33 ms after its mark; the beep begins at the mark.
  const pairs = flashes.flatMap((flash) => {
    const mark = Math.round(flash / EVERY) * EVERY;
    const beep = beeps.find((one) => Math.abs(one - flash) < 2);
    if (beep === undefined || Math.abs(flash - mark) > 0.5 || mark >= SECONDS) return [];
    return [{ mark, apart: Math.abs((flash - beep - (flash - mark)) * 1000) }];
  });
  expect(pairs.length).toBeGreaterThan(SECONDS / EVERY - 4);
  expect(pairs.at(-1)?.mark).toBe(SECONDS - EVERY);
  expect(pairs.filter(({ apart }) => apart > LIMIT_MS)).toEqual([]);
});

function fast(words: readonly string[]) {
  const list = words.map((word) => (word === 'veryfast' ? 'ultrafast' : word));
  return { small: list, standard: list, fine: list };
}
