/** An unencoded station, decoded in a real browser, on a plain-http host name and in a secure context. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { flashToBeep, recordAppends, watch } from '../e2e/watch.ts';
import { prepareAir } from '../live/rig.ts';
import { crcOf } from '../stream-builder.ts';
import { tune } from '../synth/tuning.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { PLAIN_HOST } from './browser.ts';
import { makeStream } from './fake-air.ts';
import { tooWide, violations } from './look.ts';
import { hasChromium, webRig } from './rig.ts';

const STATION = 'live/3274001024';
const SECONDS = 20;
/** Dual mono as in a broadcast: two single channel elements without a configuration. */
const TWO_SOUNDS = join(import.meta.dir, '..', 'synth', 'dual-mono.json');
const AIR_AT = broadcastMs(Date.UTC(2026, 0, 5, 12));
/**
 * A white picture and a beep of 100 ms every second, over a moving picture; small, so that a busy machine can
 * decode it.
 */
const FLASH = 'lt(mod(t,1),0.1)';

async function makeStation(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-raw-'));
  try {
    const file = join(folder, 'station.ts');
    const picture = `testsrc2=size=352x240:rate=60000/1001:duration=${SECONDS}`;
    const flash = `drawbox=enable='${FLASH}':color=white:t=fill,tinterlace=interleave_top,setdar=16/9`;
    const beep = `aevalsrc='0.5*sin(2*PI*1000*t)*${FLASH}':s=48000:d=${SECONDS}`;
    const child = Bun.spawn(
      [
        ...[
          'ffmpeg',
          '-v',
          'error',
          '-y',
          '-f',
          'lavfi',
          '-i',
          picture,
          '-f',
          'lavfi',
          '-i',
          beep,
          '-vf',
          flash,
        ],
        ...[
          '-c:v',
          'mpeg2video',
          '-flags',
          '+ildct+ilme',
          '-top',
          '1',
          '-g',
          '15',
          '-bf',
          '2',
          '-b:v',
          '1500k',
        ],
        ...['-maxrate', '2M', '-bufsize', '1M', '-c:a', 'aac', '-b:a', '128k', '-ac', '2'],
        ...['-muxrate', '3M', '-f', 'mpegts', file],
      ],
      { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    );
    const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== 0) throw new Error(`ffmpeg: ${errors}`);
    return await Bun.file(file).bytes();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!hasChromium)('live television in broadcast quality', () => {
  const rig = webRig({ stream: makeStream });
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await makeStation();
  });
  afterEach(() => {
    rig.service.live.length = 0;
    Object.assign(rig.service.state, { raw: undefined, noSocket: false, liveProblem: undefined });
  });

  /** Opens the screen of a device that chose 放送画質. */
  async function open(without?: string, host = PLAIN_HOST): Promise<Page> {
    // A small page: most of what a picture costs is its drawing.
    const page = await rig.open('', { viewport: { width: 1024, height: 640 } });
    if (without !== undefined)
      await page.addInitScript((name) => Reflect.deleteProperty(window, name), without);
    await page.addInitScript(recordAppends);
    await page.addInitScript(() => localStorage.setItem('svc.live-raw', 'true'));
    await page.goto(`${rig.service.url.replace('127.0.0.1', host)}${STATION}`);
    return page;
  }

  test.each([
    [PLAIN_HOST, false],
    ['127.0.0.1', true],
  ])('plays in sync on http://%s, a secure context: %p', async (host, isSecure) => {
    Object.assign(rig.service.state, { raw: { bytes, seconds: SECONDS }, noSocket: true });
    const page = await open(undefined, host);
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      return video !== null && !video.paused && video.currentTime > 0.2;
    });
    expect(await page.evaluate(() => isSecureContext)).toBe(isSecure);
    const seen = await watch(page, { flashes: 3, pictures: 30, limitMs: HANG_LIMIT_MS });
    expect(await page.locator('.raw-picture').count()).toBe(1);
    expect([seen.width, seen.height]).toEqual([427, 240]);
    expect(seen.pictures).toBeGreaterThanOrEqual(30);
    expect(seen.flashes.length).toBeGreaterThanOrEqual(3);
    const apart = Math.max(...flashToBeep(seen));
    console.log(
      `raw on ${host}: flash to beep at most ${Math.round(apart * 1000)} ms of ${seen.flashes.length}`,
    );
    expect(apart).toBeLessThan(0.04);
    expect(rig.service.live.map(({ codec }) => codec)).toEqual(['raw']);
    // What the picture waited for, in order: as marks for the browser's tools. The socket was tried, and refused.
    const marks = await page.evaluate(() => performance.getEntriesByType('mark').map(({ name }) => name));
    expect(marks.filter((name) => name.startsWith('live:'))).toEqual(
      ['press', 'asked', 'ticket', 'tuned', 'data', 'intra', 'decoded', 'shown'].map(
        (step) => `live:${step}`,
      ),
    );
  });

  test('is drawn by WebGL2 where media stream tracks cannot be written', async () => {
    Object.assign(rig.service.state, { raw: { bytes, seconds: SECONDS }, noSocket: true });
    const page = await open('MediaStreamTrackGenerator');
    const canvas = page.locator('canvas.raw-picture');
    await canvas.waitFor();
    const brightness = (): Promise<number> =>
      page.evaluate(() => {
        const shown = document.querySelector<HTMLCanvasElement>('canvas.raw-picture');
        const small = document.createElement('canvas');
        const context = small.getContext('2d');
        if (shown === null || context === null || shown.width !== 427) return -1;
        context.drawImage(shown, 0, 0, small.width, small.height);
        const { data } = context.getImageData(0, 0, small.width, small.height);
        return data.reduce((sum, value) => sum + value, 0) / data.length;
      });
    const seen = new Set<number>();
    // The picture moves, and the flash makes it white all over.
    while (seen.size < 10 || Math.max(...seen) < 250) seen.add(await brightness());
    expect(await canvas.count()).toBe(1);
  });

  test('one worker decodes all stations that are watched', async () => {
    Object.assign(rig.service.state, { raw: { bytes, seconds: SECONDS }, noSocket: true });
    const page = await open();
    const plays = (): Promise<unknown> =>
      page.waitForFunction(() => {
        const [clock, shown] = document.querySelectorAll('video');
        return clock !== undefined && clock.currentTime > 0.2 && (shown?.videoHeight ?? 0) > 0;
      });
    await plays();
    const workers = page.workers();
    expect(workers).toHaveLength(1);
    const { live } = rig.service;
    await page.keyboard.press('ArrowUp');
    await until(() => live.length === 2);
    await page.waitForFunction(() => document.querySelector('.stage-note') === null);
    await plays();
    expect(page.workers()).toEqual(workers);
    expect(live.map(({ codec }) => codec)).toEqual(['raw', 'raw']);
  });

  test('of dual mono the main audio is played on both channels, or the chosen one', async () => {
    const [station] = await prepareAir(TWO_SOUNDS);
    if (station === undefined) throw new Error('no station');
    const { type, channel, serviceId } = station;
    const air = await tune({ scenario: TWO_SOUNDS, type, channel, at: AIR_AT, seconds: 14 });
    const filtered = new StationFilter(serviceId).feed(air);
    Object.assign(rig.service.state, { raw: { bytes: filtered, seconds: 14 }, noSocket: true });
    const page = await rig.open('');
    await page.addInitScript(listenToOutput);
    await page.addInitScript(() => localStorage.setItem('svc.live-raw', 'true'));
    await page.goto(`${rig.service.url}${STATION}`);
    // The main sound of the broadcast has 800 Hz, the other one 1600 Hz.
    const loudest = (ear: 0 | 1, hertz: number): Promise<unknown> =>
      page.waitForFunction(
        ([side, wanted]) => {
          const { svcEars } = window as unknown as { svcEars: AnalyserNode[] };
          const analyser = svcEars.at(side - 2);
          if (analyser === undefined) return false;
          const bins = new Float32Array(analyser.frequencyBinCount);
          analyser.getFloatFrequencyData(bins);
          const top = Math.max(...bins);
          const at = (bins.indexOf(top) * analyser.context.sampleRate) / analyser.fftSize;
          return top > -60 && Math.abs(at - wanted) < 60;
        },
        [ear, hertz] as const,
      );
    await loudest(0, 800);
    await loudest(1, 800);
    await page.keyboard.press('a');
    await page.getByRole('radio', { name: '英語' }).click();
    await loudest(0, 1_600);
    await loudest(1, 1_600);
    expect(rig.service.live.map(({ codec }) => codec)).toEqual(['raw', 'raw']);
  });

  test('before the first scan the choice of stations leads to it', async () => {
    const { stations } = rig.service.state;
    rig.service.state.stations = [];
    const page = await rig.open('multi');
    await page.getByRole('button', { name: 'チャンネルを追加' }).click();
    await page.getByText('まだ局がありません').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'はじめての設定' }).click();
    await page.waitForURL('**/setup');
    rig.service.state.stations = stations;
  });

  test('several stations are shown at half the resolution, one of them heard', async () => {
    Object.assign(rig.service.state, { raw: { bytes, seconds: SECONDS }, noSocket: true });
    const page = await rig.open('multi?stations=3274001024,3274101032');
    const playing = (count: number): Promise<unknown> =>
      page.waitForFunction((wanted) => {
        const shown = [...document.querySelectorAll<HTMLVideoElement>('video.raw-picture')];
        const clocks = [...document.querySelectorAll<HTMLVideoElement>('video:not(.raw-picture)')];
        const moving = clocks.every((video) => !video.paused && video.currentTime > 0.3);
        return shown.length === wanted && moving && shown.every((video) => video.videoHeight === 120);
      }, count);
    const isHeard = (wanted: number): Promise<unknown> =>
      page.waitForFunction((index) => {
        const videos = [...document.querySelectorAll<HTMLVideoElement>('video:not(.raw-picture)')];
        return videos.every((video, at) => video.muted === (at !== index));
      }, wanted);
    await playing(2);
    await isHeard(0);
    await page.getByRole('button', { name: /みなとEテレビ.*音声を切り替える/u }).click();
    await page.getByRole('button', { name: /みなとEテレビ.*音声を再生中/u }).waitFor();
    await isHeard(1);
    // No tuner is free for a third one: its place says so, the others continue.
    const body = { message: 'チューナーがすべて使われています。', code: 'no_tuner' } as const;
    rig.service.state.liveProblem = { body, status: 503, count: 1 };
    await page.getByRole('button', { name: 'チャンネルを追加' }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /しおかぜ放送/u })
      .click();
    await page.getByRole('alert').getByText('チューナーがすべて使われています').waitFor();
    await playing(3);
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'みなと総合: マルチ画面から外す' }).click();
    await playing(2);
    expect(new URL(page.url()).searchParams.get('stations')).toBe('3274101032,3274201040');
    await page.getByRole('button', { name: /音声を再生中/u }).click();
    await page.waitForURL('**/live/3274101032');
  });

  test('falls back to the encoded path where it cannot decode, and says so', async () => {
    Object.assign(rig.service.state, {
      raw: { bytes: withoutVideo(bytes), seconds: SECONDS },
      noSocket: true,
    });
    const page = await open();
    await page.getByText('この端末では放送画質で再生できないため').waitFor();
    await page.waitForFunction(() => document.querySelector('.raw-picture') === null);
    expect(rig.service.live.map(({ codec }) => codec).slice(0, 2)).toEqual(['raw', 'h264']);
  });

  test('a fall-back keeps the last picture until the converted one shows', async () => {
    const packets = Math.floor(bytes.length / 188);
    const half = Math.floor(packets / 2) * 188;
    const broken = Buffer.concat([bytes.subarray(0, half), withoutVideo(bytes).subarray(half)]);
    Object.assign(rig.service.state, { raw: { bytes: broken, seconds: SECONDS }, noSocket: true });
    const page = await open();
    await page.waitForFunction(() => {
      const shown = document.querySelector<HTMLVideoElement>('video.raw-picture');
      return (shown?.videoWidth ?? 0) > 0 && (document.querySelector('video')?.currentTime ?? 0) > 0.2;
    });
    await page.evaluate(countBare);
    await until(() => rig.service.live.some(({ codec }) => codec === 'h264'));
    await page.waitForFunction(() => document.querySelector('video')?.videoWidth === 640);
    await page.waitForFunction(() => document.querySelector('canvas.stage-video') === null);
    const counts = await page.evaluate(
      () => (window as unknown as { svcCounts: { bare: number; stills: number } }).svcCounts,
    );
    expect(counts.bare).toBe(0);
    expect(counts.stills).toBeGreaterThan(0);
  });
});

/** Runs in the page: counts the frames in which the picture of the station is missing. Must be self-contained. */
function countBare(): void {
  const counts = { frames: 0, bare: 0, stills: 0 };
  Object.assign(window, { svcCounts: counts });
  const look = (): void => {
    const raw = document.querySelector<HTMLVideoElement>('video.raw-picture');
    const still = document.querySelector('canvas.stage-video');
    const video = document.querySelector<HTMLVideoElement>('video:not(.raw-picture)');
    counts.frames += 1;
    if (still !== null) counts.stills += 1;
    const isShown = (raw?.videoWidth ?? 0) > 0 || still !== null || (video?.videoWidth ?? 0) > 0;
    if (!isShown) counts.bare += 1;
    requestAnimationFrame(look);
  };
  look();
}

/** Runs in the page: two analysers on the audio output. Must be self-contained. */
function listenToOutput(): void {
  const ears: AnalyserNode[] = [];
  Object.assign(window, { svcEars: ears });
  const connect = AudioNode.prototype.connect as (this: AudioNode, ...to: unknown[]) => unknown;
  AudioNode.prototype.connect = function (this: AudioNode, ...to: unknown[]): never {
    const [target, output = 0] = to;
    if (target instanceof AudioDestinationNode) {
      // As the destination mixes it: a single channel goes to both ears.
      const { context } = this;
      const stereo = new GainNode(context, { channelCount: 2, channelCountMode: 'explicit' });
      const splitter = new ChannelSplitterNode(context, { numberOfOutputs: 2 });
      connect.call(this, stereo, output);
      connect.call(stereo, splitter);
      for (const ear of [0, 1]) {
        const analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
        connect.call(splitter, analyser, ear);
        ears.push(analyser);
      }
    }
    return connect.apply(this, to) as never;
  } as typeof AudioNode.prototype.connect;
}

/** The same stream with another stream type in its PMT, H.264, and a matching CRC. */
function withoutVideo(stream: Uint8Array): Uint8Array {
  const changed = stream.slice();
  for (let at = 0; at + 188 <= changed.length; at += 188) {
    const isPmt = (((changed[at + 1] ?? 0) & 0x1f) << 8) + (changed[at + 2] ?? 0) === 0x1000;
    if (!isPmt) continue;
    const section = changed.subarray(at + 5);
    const length = 3 + (((section[1] ?? 0) & 0x0f) << 8) + (section[2] ?? 0);
    const streams = 12 + (((section[10] ?? 0) & 0x0f) << 8) + (section[11] ?? 0);
    section[streams] = 0x1b;
    const crc = crcOf(section.subarray(0, length - 4));
    new DataView(section.buffer, section.byteOffset).setUint32(length - 4, crc);
  }
  return changed;
}
