/**
 * Answers of the proxies of data broadcasts in a real browser: scripts of the service read them, nothing runs or shows them.
 * Over plain http the browser does not say what a request is for, so that the answer's headers alone decide.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startTestService, type TestService } from '../service/harness.ts';
import { builtWeb, hasChromium, PLAIN_HOST, sharedBrowser } from './browser.ts';

const MARK =
  'document.documentElement.dataset.ran = "yes"; parent.document.documentElement.dataset.ran = "yes";';
const CONTENT: Readonly<Record<string, [type: string, body: string]>> = {
  '/x.js': ['text/javascript', MARK],
  '/x.css': ['text/css', 'body { outline: 7px solid red }'],
  '/x.html': ['text/html', `<!doctype html><title>shown</title><script>${MARK}</script>`],
  '/x.svg': ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><script>${MARK}</script></svg>`],
};
/** Fetches what it is told, as the engine does. */
const WORKER = `self.onmessage = async ({ data }) => {
  const init = data.method === 'POST' ? { method: 'POST', body: new URLSearchParams({ a: 'b' }) } : {};
  const answer = await fetch(data.path, init);
  self.postMessage([answer.status, await answer.text()]);
};`;

describe.skipIf(!hasChromium)('a page of the service', () => {
  let folder: string;
  let peer: Bun.Server<undefined>;
  let home: TestService;
  let page: Page;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-web-'));
    cpSync(await builtWeb(), folder, { recursive: true });
    writeFileSync(join(folder, 'asker-1a2b3c4d.js'), WORKER);
    peer = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const [type, body] = CONTENT[new URL(request.url).pathname] ?? ['text/plain', await request.text()];
        return new Response(body, { headers: { 'content-type': type } });
      },
    });
    home = await startTestService({
      webDir: folder,
      environment: { ALLOWED_HOSTS: PLAIN_HOST, BML_HOSTS: `data.example.test=127.0.0.1:${peer.port}` },
    });
    page = await (await sharedBrowser()).newPage();
  });
  afterAll(async () => {
    await page?.context().close();
    await home?.close();
    await peer?.stop(true);
    rmSync(folder, { recursive: true, force: true });
  });

  const proxied = (path: string, route = 'proxy'): string =>
    `/api/bml/${route}?url=${encodeURIComponent(`http://data.example.test${path}`)}`;
  const ran = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset.ran);

  for (const host of ['127.0.0.1', PLAIN_HOST]) {
    const open = () => page.goto(`http://${host}:${home.service.port}/settings`);

    test(`reads and sends by fetch, also in a worker (${host})`, async () => {
      await open();
      const found = await page.evaluate(
        async ([get, post]) => {
          const answer = await fetch(get);
          const first = [answer.status, (await answer.text()).length > 0];
          const sent = await fetch(post, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
          const second = [sent.status, await sent.text()];
          const worker = new Worker('/asker-1a2b3c4d.js');
          const ask = (data: object): Promise<unknown> =>
            new Promise((resolve) => {
              worker.onmessage = (event) => resolve(event.data);
              worker.postMessage(data);
            });
          return [
            first,
            second,
            await ask({ path: post, method: 'POST' }),
            await ask({ path: get, method: 'GET' }),
          ];
        },
        [proxied('/x.js'), proxied('/form', 'post')] as const,
      );
      expect(found).toEqual([
        [200, true],
        [200, 'a=b'],
        [200, 'a=b'],
        [200, MARK],
      ]);
    });

    test(`runs and shows nothing by an element (${host})`, async () => {
      await open();
      const ended = await page.evaluate(
        async (sources) => {
          const outcomes: string[] = [];
          for (const [name, attribute, path, more] of sources) {
            const element = document.createElement(name);
            for (const [key, value] of Object.entries(more)) element.setAttribute(key, value);
            const over = new Promise<string>((resolve) => {
              element.addEventListener('load', () => resolve('load'));
              element.addEventListener('error', () => resolve('error'));
              // Some elements tell nothing when a download takes the place of a page.
              setTimeout(() => resolve('silent'), 1_500);
            });
            element.setAttribute(attribute, path);
            document.body.append(element);
            outcomes.push(`${name} ${await over}`);
          }
          return outcomes;
        },
        [
          ['script', 'src', proxied('/x.js'), {}],
          ['script', 'src', proxied('/x.js'), { type: 'module' }],
          ['link', 'href', proxied('/x.css'), { rel: 'stylesheet' }],
          ['iframe', 'src', proxied('/x.html'), {}],
          ['embed', 'src', proxied('/x.svg'), {}],
        ] as [string, string, string, Record<string, string>][],
      );
      expect(ended.slice(0, 3)).toEqual(['script error', 'script error', 'link error']);
      expect(await ran()).toBeUndefined();
      expect(await page.evaluate(() => getComputedStyle(document.body).outlineWidth)).not.toBe('7px');
      expect(
        await page.evaluate(() =>
          [...document.querySelectorAll('iframe')].map((one) => one.contentDocument?.title ?? ''),
        ),
      ).not.toContain('shown');
      await expect(
        page
          .evaluate(
            (path) => navigator.serviceWorker?.register(path) ?? Promise.reject(new Error('none')),
            proxied('/x.js'),
          )
          .then(() => 'registered'),
      ).rejects.toThrow();
      const worker = await page.evaluate(
        (path) =>
          new Promise<string>((resolve) => {
            const started = new Worker(path);
            started.onerror = () => resolve('error');
            started.onmessage = () => resolve('message');
          }),
        proxied('/x.js'),
      );
      expect(worker).toBe('error');
    });

    test(`does not open one in a tab (${host})`, async () => {
      await open();
      const typed = await page.goto(`http://${host}:${home.service.port}${proxied('/x.html')}`);
      expect(typed?.status()).toBe(403);
      await open();
      // By a link of the page itself, with its Referer.
      const download = page.waitForEvent('download', { timeout: 1_500 }).catch(() => undefined);
      const answered = page.waitForResponse((response) => response.url().includes('/api/bml/'));
      await page.evaluate((path) => {
        const link = document.createElement('a');
        link.href = path;
        link.textContent = 'link';
        document.body.append(link);
        link.click();
      }, proxied('/x.html'));
      const status = (await answered).status();
      expect([200, 403]).toContain(status);
      expect((await download) !== undefined).toBe(status === 200);
      expect(await page.title()).not.toBe('shown');
      expect(await ran()).toBeUndefined();
    });
  }
});
