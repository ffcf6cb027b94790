/** The flash and the beep are simultaneous, and each sound has its own pitch. */
import { beforeAll, expect, test } from 'bun:test';
import { mediaPids, run, type Truth, ticksAt, trimmed, truthOf, tune } from './tuning.ts';

/** All audio loops restart 4 s later: the restart is covered too. */
const JOINT_MS = 64_064;
const START = Date.UTC(2026, 10, 20, 12, 0, 0);
const AT = START - ticksAt(START) / 90 + Math.ceil(ticksAt(START) / 90 / JOINT_MS) * JOINT_MS - 4_000;
const SECONDS = 10;
const SAMPLE_RATE = 48_000;
/** The beep deviates by a hundredth of a frame at most. */
const TOLERANCE_MS = 1;

let stream: Uint8Array;
let truth: Truth;

beforeAll(async () => {
  truth = await truthOf('GR', 'T27', AT);
  const { video, audio } = mediaPids(truth);
  stream = trimmed(await tune({ type: 'GR', channel: 'T27', at: AT, seconds: SECONDS }), video, audio);
});

/**
 * Converts seconds of a decoder, which ignores some wraps of 2^33 ticks, to ms since the zero of the clock.
 */
function sinceWrap(seconds: number): number {
  const wrapMs = 2 ** 33 / 90;
  const near = ticksAt(AT) / 90;
  return seconds * 1000 + Math.round((near - seconds * 1000) / wrapMs) * wrapMs;
}

/** Times of the first bright picture of each flash. */
async function flashes(pid: number): Promise<number[]> {
  const map = `0:#${pid}`;
  // The lower right corner.
  const filter =
    'crop=iw/12:ih/12:iw*11/12:ih*11/12,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-';
  const { stdout } = await run(
    ['ffmpeg', '-v', 'error', '-copyts', '-i', 'pipe:0', '-map', map, '-vf', filter, '-f', 'null', '-'],
    stream,
  );
  const lines = new TextDecoder().decode(stdout).matchAll(/pts:(\d+) .*\s+lavfi.signalstats.YAVG=([\d.]+)/g);
  const found: number[] = [];
  let bright = false;
  for (const [, ticks, level] of lines) {
    const isBright = Number(level) > 200;
    if (isBright && !bright) found.push(sinceWrap(Number(ticks) / 90_000));
    bright = isBright;
  }
  return found;
}

interface Beep {
  at: number;
  hz: number;
}

/** Onset and pitch of every complete beep in one channel of an audio stream. */
async function beeps(pid: number, channel: 0 | 1): Promise<Beep[]> {
  const pcm = await run(
    [
      ...['ffmpeg', '-v', 'info', '-copyts', '-i', 'pipe:0', '-map', `0:#${pid}`],
      ...['-af', 'ashowinfo', '-f', 's16le', '-c:a', 'pcm_s16le', '-ac', '2', 'pipe:1'],
    ],
    stream,
  );
  const first = /n:0 pts:(\d+) /.exec(pcm.stderr)?.[1];
  if (first === undefined) throw new Error(pcm.stderr);
  const samples = new Int16Array(pcm.stdout.buffer, pcm.stdout.byteOffset, pcm.stdout.length >> 1);
  const level = (index: number): number => samples[2 * index + channel] ?? 0;
  const found: Beep[] = [];
  const count = samples.length / 2;
  const quiet = SAMPLE_RATE / 10;
  for (let index = 0, last = -quiet; index < count; index++) {
    if (Math.abs(level(index)) < 3_000) continue;
    if (index - last > quiet && index > quiet && index + quiet < count) {
      found.push({
        at: sinceWrap(Number(first) / SAMPLE_RATE) + (index / SAMPLE_RATE) * 1000,
        hz: pitch(level, index),
      });
    }
    last = index;
  }
  return found;
}

/** Counts zero crossings in 50 ms. */
function pitch(level: (index: number) => number, from: number): number {
  let crossings = 0;
  for (let index = from; index < from + SAMPLE_RATE / 20; index++) {
    if (level(index) < 0 !== level(index + 1) < 0) crossings += 1;
  }
  return crossings * 10;
}

test('every station flashes every 1.001 s of the clock', async () => {
  for (const { video } of truth.stations) {
    const found = await flashes(video.pid);
    expect(found.length).toBeGreaterThanOrEqual(7);
    for (const at of found) {
      const marks = (at * 90) / truth.marks.periodTicks;
      expect(Math.abs(marks - Math.round(marks)) * truth.marks.periodTicks).toBeLessThan(90);
    }
  }
});

test('every audio stream beeps at the flashes, at its own pitch, across the end of its loop', async () => {
  for (const { audios } of truth.stations) {
    for (const { pid, beepHz } of audios) {
      for (const channel of [0, 1] as const) {
        const found = await beeps(pid, channel);
        expect(found.length).toBeGreaterThanOrEqual(7);
        for (const { at, hz } of found) {
          const mark = Math.round((at * 90) / truth.marks.periodTicks) * (truth.marks.periodTicks / 90);
          expect(Math.abs(at - mark)).toBeLessThan(TOLERANCE_MS);
          expect(Math.abs(hz - beepHz[channel])).toBeLessThanOrEqual(40);
        }
      }
    }
  }
});
