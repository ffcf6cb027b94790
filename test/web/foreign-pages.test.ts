/** Pages of other sites in a real browser, over plain http, where it does not say which site a request is from. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, PLAIN_HOST, sharedBrowser } from './browser.ts';

const agent = new StandInAgent();
let home: TestService;
let page: Page;
let other: ReturnType<typeof Bun.serve>;
/** Requests for a tuner. */
let tuned = 0;
/** Requests of the browser: their address and the status that was answered, in whichever order the browser tells them. */
const requests = new Map<string, { url?: string; status?: number }>();

describe.skipIf(!hasChromium)('a page', () => {
  const live = (): string =>
    `http://${PLAIN_HOST}:${home.service.port}/api/services/${HOME_STATION}/live?codec=raw`;

  beforeAll(async () => {
    agent.stream = () => {
      tuned += 1;
      return Response.json({ message: '空きチューナーがありません' }, { status: 409 });
    };
    agent.start();
    const body = '<!doctype html><title>other</title>';
    // Also at home: a browser may keep pages of the internet from addresses of the household by itself.
    other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }),
    });
    const environment = { TUNER_AGENT_URL: agent.url, ALLOWED_HOSTS: PLAIN_HOST };
    home = await startTestService({ webDir: await builtWeb(), environment });
    await until(async () => ((await (await fetch(`${home.url}/api/services`)).json()) as []).length > 0);
    page = await (await sharedBrowser()).newPage();
    // What was answered, also where the browser keeps the response from the page.
    const session = await page.context().newCDPSession(page);
    session.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
      requests.set(requestId, { ...requests.get(requestId), url });
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode: status }) => {
      requests.set(requestId, { ...requests.get(requestId), status });
    });
    await session.send('Network.enable');
  });
  afterAll(async () => {
    await page?.context().close();
    await other?.stop(true);
    await home?.close();
    await agent.stop();
  });

  /** Loads the live stream in an element of the page, which fails either way: there is no tuner. */
  async function load(element: 'video' | 'audio' | 'img' | 'iframe', policy: string): Promise<number[]> {
    requests.clear();
    const statuses = (): number[] =>
      [...requests.values()].flatMap(({ url, status }) =>
        url === live() && status !== undefined ? [status] : [],
      );
    await page.evaluate(
      ([name, src, referrer]) => {
        const added = document.createElement(name);
        added.setAttribute('referrerpolicy', referrer);
        const watched = name === 'video' || name === 'audio' ? document.createElement(name) : added;
        // Media elements have no policy of their own: the page's is set instead.
        const meta = document.createElement('meta');
        meta.name = 'referrer';
        meta.content = referrer;
        document.head.append(meta);
        document.body.append(watched);
        watched.setAttribute('src', src);
      },
      [element, live(), policy] as const,
    );
    await until(() => statuses().length > 0);
    return statuses();
  }

  test('of another site gets no tuner by an element, with its Referer or without', async () => {
    for (const element of ['video', 'audio', 'img', 'iframe'] as const) {
      for (const policy of ['no-referrer', 'unsafe-url']) {
        await page.goto(`http://127.0.0.1:${other.port}/`);
        expect([element, policy, await load(element, policy)]).toEqual([element, policy, [403]]);
      }
    }
    expect(tuned).toBe(0);
  });

  test('of the service does', async () => {
    await page.goto(`http://${PLAIN_HOST}:${home.service.port}/recordings`);
    expect((await load('video', ''))[0]).toBe(503);
    expect(tuned).toBeGreaterThan(0);
  });
});
