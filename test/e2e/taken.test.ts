/**
 * One tuner for two clients: a recording takes the tuner of the station that is watched in a real browser.
 * Real agent, broadcast, encoder and service.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Recording, Station } from '../../lib/wire/api.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { scenarioFile } from '../synth/scenario-file.ts';
import { airOf } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, PLAIN_HOST, sharedBrowser } from '../web/browser.ts';
import { endRecording, startRecording } from './recorded.ts';

/** Large enough in octets that a recording is soon told to be watchable, small for encoder and decoder. */
const VIDEO = { codec: 'mpeg2', width: 352, height: 240, bitrate: 2_000_000 };
const PROGRAMMES = [{ durationSec: 86_400, title: '灯台守の日記' }];
const CHANNELS = ['T30', 'T31'].map((channel) => ({
  channel,
  bitrate: 3_500_000,
  stations: [{ video: VIDEO, programmes: PROGRAMMES }],
}));

describe.skipIf(!hasChromium)('a station whose tuner goes to a recording', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-taken-'));
  let agent: RunningAgent;
  let service: TestService;
  let page: Page;
  let stations: Station[];
  const faults: string[] = [];

  beforeAll(async () => {
    const { air, channels } = await airOf(scenarioFile({ channels: CHANNELS }));
    const channelsFile = join(folder, 'channels.json');
    writeFileSync(channelsFile, JSON.stringify(channels));
    agent = await startAgent({
      ...{ host: '127.0.0.1', port: 0, networks: Networks.parse('127.0.0.0/8') },
      ...{ tunersFile: join(folder, 'tuners.json'), channelsFile },
      fakeTune: air.tuneCommand,
      fakeTuners: 'GR:1',
      environment: process.env,
      log: SILENT_LOG,
      timing: { lingerMs: 2_000 },
    });
    const environment = {
      TUNER_AGENT_URL: agent.url,
      FFMPEG_PATH: FFMPEG_WITHOUT_AV1,
      ALLOWED_HOSTS: PLAIN_HOST,
    };
    service = await startTestService({ environment, webDir: await builtWeb() });
    const listed = async (): Promise<boolean> => {
      stations = (await (await fetch(`${service.url}/api/services`)).json()) as Station[];
      // The programme has to be in the guide, which the idle tuner collects.
      return stations.length === CHANNELS.length && stations.every(({ now }) => now !== null);
    };
    await until('the stations are listed', listed);
    const browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.on('pageerror', (error) => faults.push(error.message));
  });
  afterEach(() => {
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await page?.context().close();
    await service?.close();
    await agent?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Collects the names of the recordings in `yielded` events, from now on. */
  async function yieldedTo(signal: AbortSignal): Promise<number[]> {
    const found: number[] = [];
    const response = await fetch(`${service.url}/api/events`, { signal });
    const read = async (): Promise<void> => {
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += new TextDecoder().decode(chunk);
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const id = /event: yielded\ndata: .*"recording":\{"id":(\d+)/u.exec(event)?.[1];
          if (id !== undefined) found.push(Number(id));
        }
      }
    };
    read().catch(() => {});
    return found;
  }

  const plays = (seconds: number): Promise<unknown> =>
    page.waitForFunction((least) => {
      // On the raw path one element plays the sound, and another the picture.
      const videos = [...document.querySelectorAll('video')];
      const [first] = videos;
      const shows = videos.some(({ videoWidth }) => videoWidth > 0);
      return first !== undefined && !first.paused && first.currentTime > least && shows;
    }, seconds);

  test.each([
    ['h264', '127.0.0.1', 0, 1],
    ['raw', PLAIN_HOST, 1, 0],
  ])('%s on %s: is followed by that recording, which is chased', async (codec, host, watched, recorded) => {
    const abort = new AbortController();
    const yielded = await yieldedTo(abort.signal);
    const [watchedId = 0, recordedId = 0] = [stations[watched]?.id, stations[recorded]?.id];
    let recording: Recording | undefined;
    const url = service.url.replace('127.0.0.1', host);
    try {
      // A device that chose the raw path. One that is too slow for it is switched to the encoded path and
      // loses that choice.
      await page.goto(url);
      await page.evaluate((isRaw) => localStorage.setItem('svc.live-raw', String(isRaw)), codec === 'raw');
      await page.goto(`${url}/live/${watchedId}`);
      await plays(0.5);
      recording = await startRecording(`${service.url}/`, recordedId);
      await page.waitForURL(new RegExp(`/chase/${recording.id}`, 'u'));
      await page.getByText('録画を追いかけて再生します').waitFor();
      await plays(0.2);
      expect(yielded).toEqual([recording.id]);
    } finally {
      if (recording !== undefined) await endRecording(`${service.url}/`, recording);
      abort.abort();
    }
  });
});
