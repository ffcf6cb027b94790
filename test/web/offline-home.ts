/** A browser of its own for saved recordings, whose profile, service worker and downloads outlive a page. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Recording } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { HANG_LIMIT_MS } from '../until.ts';
import { builtWeb, PLAIN_HOST } from './browser.ts';
import { type FakeStream, makeStream } from './fake-air.ts';
import { manyStations } from './fake-guide.ts';
import type { FakeFile, FakePlayback } from './fake-playback.ts';
import { fakeRecording, newRecordings } from './fake-recordings.ts';
import { FakeService } from './fake-service.ts';
import { moveOnce } from './page-pool.ts';

const STATIONS = manyStations([4, 0, 0]);

/** A small page: most of what a picture costs is its drawing. */
const VIEWPORT = { width: 1024, height: 640 };

/** The headless shell has no background fetch. */
export const FULL_CHROMIUM = process.env.CHROMIUM_FULL_PATH ?? '/usr/bin/chromium';
export const hasFullChromium = existsSync(FULL_CHROMIUM);

/** The stream as the encoded file of a recording. */
async function matroskaOf({ init, fragments }: FakeStream): Promise<Uint8Array<ArrayBuffer>> {
  const command = [
    'ffmpeg',
    '-v',
    'error',
    '-f',
    'mp4',
    '-i',
    'pipe:0',
    '-c',
    'copy',
    '-f',
    'matroska',
    'pipe:1',
  ];
  const input = new Blob([init, ...fragments].map((bytes) => new Uint8Array(bytes)));
  const child = Bun.spawn(command, { stdin: input, stdout: 'pipe', stderr: 'inherit' });
  return new Uint8Array(await new Response(child.stdout).arrayBuffer());
}

export interface OfflineHome {
  service: FakeService;
  readonly playback: FakePlayback;
  readonly file: FakeFile;
  readonly context: BrowserContext;
  readonly url: string;
  open(path: string): Promise<Page>;
  /** The service goes, with every connection. */
  away(): Promise<void>;
  /** @param webDir another build of the UI */
  back(webDir?: string): void;
  /** Everything as at the beginning, but for the installed UI: each test would fetch it again. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function offlineHome(executablePath: string, prefix = '/tv/'): Promise<OfflineHome> {
  const [webDir, stream] = await Promise.all([builtWeb(), makeStream()]);
  const bytes = await matroskaOf(stream);
  const profile = await mkdtemp(join(tmpdir(), 'svc-offline-'));
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
    `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
  ];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args,
    viewport: VIEWPORT,
  });
  context.setDefaultTimeout(HANG_LIMIT_MS);
  await context.addInitScript(moveOnce);
  const start = (at: number, folder = webDir): FakeService =>
    new FakeService(folder, stream, STATIONS, prefix, at);
  const now = Date.now();
  const recordings = (): Recording[] =>
    [1, 2, 3, 4].map((number) => {
      const made = fakeRecording(number, STATIONS[0] ?? { id: STATIONS[0] as never, name: '' }, now);
      const id = recordingId(number);
      const name = `[字]ドラマ「灯台守の娘」第${number}話`;
      return {
        ...made,
        ...{ name, title: name, durationMs: 30_000, resumeMs: null, watchedAt: null },
        series: { key: 'drama', name: 'ドラマ「灯台守の娘」', episode: `${number}` },
        files: [
          { source: 'alt' as const, codec: 'h264' as const, url: `api/recordings/${id}/file?source=alt` },
        ],
      };
    });
  let service = start(0);
  const { port, url } = service;
  let isAway = false;
  /** A page that was used before has compiled the scripts of the UI. */
  let [idle] = context.pages();
  const fill = (): void => {
    const held = newRecordings(recordings(), stream);
    held.playback.file = { bytes, etag: '"v1"', ranges: [] };
    held.playback.captions = { v: 1, pages: [] };
    service.household.recordings = held;
  };
  fill();
  const home = {
    get service() {
      return service;
    },
    get playback() {
      return service.household.recordings.playback;
    },
    get file() {
      const { file } = service.household.recordings.playback;
      if (file === undefined) throw new Error('no file');
      return file;
    },
    context,
    url,
    async open(path: string): Promise<Page> {
      const page = idle ?? (await context.newPage());
      idle = undefined;
      await page.goto(url + path);
      return page;
    },
    async away(): Promise<void> {
      isAway = true;
      await service.close();
    },
    back(folder: string = webDir): void {
      isAway = false;
      const { household } = service;
      service = start(port, folder);
      service.household = household;
    },
    async reset(): Promise<void> {
      if (isAway) home.back();
      const [page = await context.newPage(), ...others] = context.pages();
      await Promise.all(others.map((one) => one.close()));
      await page.goto(`${url}empty`);
      await page.setViewportSize(VIEWPORT);
      await page.evaluate(async () => {
        localStorage.clear();
        sessionStorage.clear();
        await new Promise((resolve) => {
          const request = indexedDB.deleteDatabase('svc-offline');
          request.onsuccess = resolve;
          request.onerror = resolve;
        });
      });
      fill();
      idle = page;
    },
    async close(): Promise<void> {
      await context.close();
      await service.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
  return home;
}
