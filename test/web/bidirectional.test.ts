/**
 * Bidirectional content of a data broadcast, from the key to the broadcaster's server and back: the real service, its agent,
 * the synthetic broadcast and its web server, in a browser.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Station } from '../../lib/wire/api.ts';
import { startWeb, type WebServer } from '../../synth/web/server.ts';
import { TestBroadcast } from '../record/test-broadcast.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, PLAIN_HOST, sharedBrowser } from './browser.ts';

const SITE = 'http://data.example.test';
const MENU = '/40/0007/interactive.bml';
const NEWS = `${SITE}/news/news.bml`;
const PROGRAMMES = [{ durationSec: 86_400, title: '灯台守の日記' }];
const FONT = join(
  import.meta.dir,
  '../../node_modules/@fontsource/kosugi-maru/files/kosugi-maru-japanese-400-normal.woff2',
);
const SHOTS = process.env.DATA_SHOTS;

/** The broadcaster's server, seen from outside: what it was asked, and answers that go wrong. */
class WatchedWeb {
  /** Method and path; of a form also its body. */
  readonly log: string[] = [];
  readonly headers = new Set<string>();
  /** Requests that were given up by the client. */
  aborted = 0;
  /** By path. */
  readonly faults = new Map<string, 'hangs' | 'huge' | 'moved'>();
  readonly #web: WebServer = startWeb(0);
  readonly #front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  });

  get port(): number {
    return this.#front.port ?? 0;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    this.log.push([request.method, pathname + search, ...(body === '' ? [] : [body])].join(' '));
    for (const name of request.headers.keys()) this.headers.add(name);
    const fault = this.faults.get(pathname);
    if (fault === 'hangs')
      return new Promise(() => request.signal.addEventListener('abort', () => void this.aborted++));
    if (fault === 'huge') return new Response(new Uint8Array((4 << 20) + 1));
    if (fault === 'moved') return Response.redirect('/news/news.bml', 301);
    const type = request.headers.get('content-type');
    return fetch(`http://127.0.0.1:${this.#web.port}${pathname}${search}`, {
      method: request.method,
      ...(body === '' ? {} : { body }),
      ...(type === null ? {} : { headers: { 'content-type': type } }),
    });
  }

  async close(): Promise<void> {
    await this.#front.stop(true);
    await this.#web.close();
  }
}

declare global {
  /** Addresses of the documents that were shown, and what went wrong in them. */
  var svcShown: { documents: string[]; logs: string[] };
}

describe.skipIf(!hasChromium)('bidirectional content', () => {
  let air: TestBroadcast;
  let web: WatchedWeb;
  let home: TestService;
  let station: Station;
  let page: Page | undefined;

  beforeAll(async () => {
    web = new WatchedWeb();
    air = await TestBroadcast.start(
      [
        {
          channel: 'T30',
          bitrate: 4_000_000,
          stations: [{ name: 'みなと放送', programmes: PROGRAMMES, data: 'bml', opening: 'standby' }],
        },
      ],
      'GR:2',
    );
    home = await startTestService({
      webDir: await builtWeb(),
      searchPath: process.env.PATH ?? '',
      environment: {
        TUNER_AGENT_URL: air.agentUrl,
        BML_HOSTS: `data.example.test=127.0.0.1:${web.port}`,
        ALLOWED_HOSTS: PLAIN_HOST,
      },
    });
    await until('the station is known', async () => {
      const stations = (await (await fetch(`${home.url}/api/services`)).json()) as Station[];
      const [first] = stations;
      if (first !== undefined) station = first;
      return first !== undefined;
    });
  });

  afterAll(async () => {
    await page?.context().close();
    await home?.close();
    await air?.close();
    await web?.close();
  });

  afterEach(async () => {
    web.log.length = 0;
    web.faults.clear();
    await setting({ bidirectional: true });
  });

  async function setting(body: Record<string, unknown>): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${home.url}/api/settings`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  }

  async function shot(page: Page, name: string): Promise<void> {
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
  }

  const documentOf = (page: Page): Promise<string> => page.evaluate(() => svcShown.documents.at(-1) ?? '');

  async function shown(page: Page, address: string): Promise<void> {
    await until(`the document ${address}`, async () => (await documentOf(page)) === address);
    await page.locator('.stage[data-page="shown"]').waitFor();
  }

  const faultsOf = (page: Page): Promise<string[]> => page.evaluate(() => svcShown.logs);

  async function press(page: Page, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key, { delay: 80 });
  }

  /** A page that plays the station. */
  async function playing(options: BrowserContextOptions, host: string): Promise<Page> {
    const page = await (await sharedBrowser()).newPage(options);
    await page.addInitScript(() => {
      globalThis.svcShown = { documents: [], logs: [] };
      const Original = Worker;
      globalThis.Worker = class extends Original {
        constructor(...args: ConstructorParameters<typeof Original>) {
          super(...args);
          this.addEventListener('message', ({ data }) => {
            if (data?.kind === 'document') svcShown.documents.push(data.address);
            if (data?.kind === 'log') svcShown.logs.push(data.text);
          });
        }
      };
    });
    // The build for tests has no font of data broadcasts.
    await page.route('**/api/font/*', (route) => route.fulfill({ path: FONT, contentType: 'font/woff2' }));
    const { port } = new URL(home.url);
    await page.goto(`http://${host}:${port}/live/${station.id}`);
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      return video !== null && !video.paused && video.currentTime > 0.2;
    });
    return page;
  }

  /** The menu of the bidirectional pages, by keys, on a page where the data broadcast is closed. */
  async function toMenu(page: Page): Promise<Page> {
    await page.evaluate(() => {
      globalThis.svcShown = { documents: [], logs: [] };
    });
    await press(page, 'd');
    await shown(page, '/40/0001/portal.bml');
    await press(page, 'ArrowUp', 'Enter');
    await shown(page, MENU);
    return page;
  }

  /** The menu on the page that the tests share, since a start of the station takes six seconds. */
  async function opened(): Promise<Page> {
    page ??= await playing({ viewport: { width: 1024, height: 640 } }, 'localhost');
    // A page from the network leads back to the broadcast first.
    const open = page.locator('.stage[data-page]');
    while ((await open.count()) > 0) {
      await press(page, 'd');
      await page.locator('.stage:not([data-page]), .stage[data-page="shown"]').waitFor();
    }
    return toMenu(page);
  }

  /** How many points of a part of the plane are of that colour. */
  async function points(
    page: Page,
    colour: readonly number[],
    [left, top, width, height]: readonly number[],
  ) {
    const plane = await page.locator('.data-plane').boundingBox();
    const base64 = (await page.screenshot()).toString('base64');
    return page.evaluate(
      async ([png, box, [red, green, blue], part]) => {
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        if (context === null || box === null) return 0;
        context.drawImage(bitmap, 0, 0);
        const [x = 0, y = 0, w = 0, h = 0] = part.map((value) => ((value ?? 0) / 960) * box.width);
        const { data } = context.getImageData(box.x + x, box.y + y, w, h);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          const near = (index: number, value = 0) => Math.abs((data[at + index] ?? 0) - value) < 60;
          if (near(0, red) && near(1, green) && near(2, blue)) count++;
        }
        return count;
      },
      [base64, plane, colour, [left, top, width, height]] as const,
    );
  }

  const WHITE = [255, 255, 255];
  const ORANGE = [255, 176, 32];
  const PALE = [214, 226, 246];

  test('a quiz: the answer is sent in EUC-JP, and the votes come back', async () => {
    const page = await opened();
    await press(page, 'Enter');
    await shown(page, '/40/0007/quiz.bml');
    const before = await points(page, ORANGE, [40, 420, 500, 40]);
    await press(page, 'Enter');
    await page.locator('.data-sign').waitFor();
    await until('the verdict', async () => (await points(page, ORANGE, [40, 420, 500, 40])) > before + 50);
    await shot(page, 'quiz');
    await page.locator('.data-sign').waitFor({ state: 'detached' });
    // 1, a comma and ご家庭 in EUC-JP.
    expect(web.log).toEqual(['POST /quiz/vote Denbun=1%2C%A4%B4%B2%C8%C4%ED']);
    // The votes stand beside the answers.
    expect(await points(page, WHITE, [356, 140, 170, 260])).toBeGreaterThan(50);
    expect(
      [...web.headers].filter((name) => ['cookie', 'user-agent', 'referer', 'origin'].includes(name)),
    ).toEqual([]);
    await press(page, 'Backspace');
    await shown(page, '/40/0001/portal.bml');
    expect(await faultsOf(page)).toEqual([]);
  });

  test('a search by the viewer’s postal code, and back to the broadcast', async () => {
    await setting({ postalCode: '5300001' });
    const page = await opened();
    await press(page, 'ArrowDown', 'Enter');
    await shown(page, `${SITE}/postal/place.bml?code=5300001`);
    expect(web.log).toContain('GET /postal/place.bml?code=5300001');
    await page.getByText('data.example.test').waitFor();
    await page.getByText('通信コンテンツ').waitFor();
    await until('the place', async () => (await points(page, WHITE, [60, 120, 540, 44])) > 100);
    await press(page, 'Backspace');
    await shown(page, MENU);
    await page.getByText('通信コンテンツ').waitFor({ state: 'detached' });
  });

  test('news of the server with picture, style sheet and script, and the broadcast’s picture', async () => {
    const page = await opened();
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await shown(page, NEWS);
    await until('headlines of the script', async () => (await points(page, WHITE, [60, 220, 540, 44])) > 100);
    await until('the picture', async () => (await points(page, PALE, [440, 40, 160, 160])) > 1000);
    await shot(page, 'news');
    const files = [
      '/news/news.bml',
      '/news/news.ecm',
      '/news/top.png',
      '/style.css',
      '/back.ecm',
      '/main.clt',
    ];
    expect(new Set(web.log)).toEqual(new Set(files.map((path) => `GET ${path}`)));
    const [plane, picture] = await Promise.all(
      ['.data-plane', '.stage-picture'].map((name) => page.locator(name).boundingBox()),
    );
    expect((picture?.width ?? 0) / (plane?.width ?? 1)).toBeCloseTo(300 / 960, 2);
    await press(page, 'd');
    await shown(page, MENU);
    // Again: the document is asked for, its picture, sheet and scripts are kept.
    web.log.length = 0;
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await shown(page, NEWS);
    await until('the picture', async () => (await points(page, PALE, [440, 40, 160, 160])) > 1000);
    expect(web.log.sort()).toEqual(['GET /main.clt', 'GET /news/news.bml']);
    expect(await faultsOf(page)).toEqual([]);
  });

  test('a document that has moved: its files are those of the new place', async () => {
    web.faults.set('/postal/place.bml', 'moved');
    const page = await opened();
    await press(page, 'ArrowDown', 'Enter');
    await shown(page, NEWS);
    await until('the picture', async () => (await points(page, PALE, [440, 40, 160, 160])) > 1000);
    expect(web.log).toContain('GET /news/top.png');
    expect(await faultsOf(page)).toEqual([]);
  });

  test('on a plain-http name, dark, on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
    const page = await toMenu(await playing({ ...phone, colorScheme: 'dark' }, PLAIN_HOST));
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await shown(page, NEWS);
    await until('the picture', async () => (await points(page, PALE, [440, 40, 160, 160])) > 100);
    await shot(page, 'news-phone');
    web.faults.set('/quiz/vote', 'hangs');
    await press(page, 'd');
    await shown(page, MENU);
    await press(page, 'Enter');
    await shown(page, '/40/0007/quiz.bml');
    await press(page, 'Enter');
    await page.locator('.data-sign').waitFor();
    await shot(page, 'sign-phone');
    await page.context().close();
  });

  test('switched off: nothing is sent, and the viewer is told where to switch it on', async () => {
    const page = await opened();
    await setting({ bidirectional: false });
    await until('the page follows', async () => {
      await press(page, 'ArrowUp', 'Enter');
      return (await page.getByText('双方向通信がオフ').count()) > 0;
    });
    await shot(page, 'off');
    expect(web.log.filter((line) => !line.startsWith('GET /'))).toEqual([]);
    await shown(page, '/40/0000/startup.bml');
    web.log.length = 0;
    const answer = await fetch(`${home.url}/api/bml/proxy?url=${encodeURIComponent(NEWS)}`, {
      headers: { referer: `${home.url}/` },
    });
    expect([answer.status, web.log]).toEqual([403, []]);
  });

  test('a server that hangs: the picture plays on, then the viewer is told and the broadcast starts again', async () => {
    web.faults.set('/news/news.bml', 'hangs');
    const page = await opened();
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await page.locator('.data-sign').waitFor();
    const played = () => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
    const before = await played();
    await until('the picture plays on', async () => (await played()) > before + 2);
    expect(await page.locator('.data-sign').count()).toBe(1);
    await page.getByText('通信エラー：サーバーから応答がありません').waitFor();
    await shot(page, 'hangs');
    await shown(page, '/40/0000/startup.bml');
    await page.locator('.data-sign').waitFor({ state: 'detached' });
  });

  test('a viewer who leaves ends the request', async () => {
    web.faults.set('/news/news.bml', 'hangs');
    const page = await opened();
    const before = web.aborted;
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await until('the server is asked', () => web.log.includes('GET /news/news.bml'));
    await press(page, 'd', 'd');
    await page.locator('.stage:not([data-page])').waitFor();
    await until('the request ends', () => web.aborted > before);
  });

  test('more than 4 MB: a picture is left out, a document is not shown', async () => {
    web.faults.set('/news/top.png', 'huge');
    const page = await opened();
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await shown(page, NEWS);
    await until('the picture is given up', () =>
      page.evaluate(
        (address) => svcShown.logs.some((line) => line.startsWith(address)),
        `${SITE}/news/top.png: `,
      ),
    );
    expect(await points(page, WHITE, [60, 220, 540, 44])).toBeGreaterThan(100);
    web.faults.set('/news/news.bml', 'huge');
    await press(page, 'd');
    await shown(page, MENU);
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await page.getByText('通信エラー').waitFor();
    await shown(page, '/40/0000/startup.bml');
  });
});
