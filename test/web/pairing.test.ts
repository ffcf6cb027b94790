/** A television is paired end to end, approved in a real browser; background pages approve nothing. */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { DeviceToken, PairingAnswer, Recording } from '../../lib/wire/api.ts';
import { DATABASE_FILE } from '../../src/service.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { nullPackets, putRecording } from '../service/recording-rows.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, sharedBrowser } from './browser.ts';
import { tooWide, violations } from './look.ts';
import { faultsOf, PHONE } from './rig.ts';

/** How the front proxy names a client outside of the household. */
const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };
const HOUR = 3_600_000;

const agent = new StandInAgent();
let home: TestService;
let browser: Browser;
const opened: BrowserContext[] = [];
let aheadMs = 0;

/** A television outside of the household: it knows only the URL of the service and the responses. */
class Television {
  token: string | undefined;
  codes: PairingAnswer | undefined;

  get(path: string, headers: Record<string, string> = OUTSIDE): Promise<Response> {
    const bearer = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
    return fetch(new URL(path, `${home.url}/`), { headers: { ...headers, ...bearer } });
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(new URL(path, `${home.url}/`), {
      method: 'POST',
      headers: { ...OUTSIDE, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** @returns the URL that its QR code shows */
  async begin(name: string): Promise<string> {
    this.codes = (await (await this.post('api/device/code', { name })).json()) as PairingAnswer;
    return new URL(this.codes.verificationUriComplete, `${home.url}/`).href;
  }

  /** Waits for the given interval and polls. @returns the error; undefined once it has its token */
  async poll(): Promise<string | undefined> {
    aheadMs += (this.codes?.interval ?? 0) * 1_000;
    const response = await this.post('api/device/token', { deviceCode: this.codes?.deviceCode });
    const answer = (await response.json()) as { error?: string; token?: string };
    this.token = answer.token;
    return answer.error;
  }
}

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  opened.push(context);
  return context.newPage();
}

const DONE = 'テレビを登録しました';

describe.skipIf(!hasChromium)('pairing a television', () => {
  beforeAll(async () => {
    const webDir = await builtWeb();
    browser = await sharedBrowser();
    agent.start();
    home = await startTestService({
      webDir,
      environment: { TRUSTED_PROXIES: '127.0.0.1,::1', TUNER_AGENT_URL: agent.url },
      now: () => Date.now() + aheadMs,
    });
    await until(async () => ((await (await fetch(`${home.url}/api/services`)).json()) as []).length > 0);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await home.close();
    await agent.stop();
  });

  test('401, code, approval in a browser, token, a recording, revoked in the settings, 401', async () => {
    const database = new Database(join(home.folder, DATABASE_FILE), { strict: true });
    const startAt = Date.now() - 2 * HOUR;
    const times = { startAt, endAt: startAt + HOUR };
    const texts = { station: HOME_STATION, serviceName: '試験テレビ', name: '港の朝' };
    putRecording(database, { ...texts, ...times, content: nullPackets(50) }, join(home.folder, 'recordings'));
    database.close();

    const television = new Television();
    const refused = await television.get('api/recordings');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="svc"']);
    const address = await television.begin('居間のテレビ');
    expect(await television.poll()).toBe('authorization_pending');

    const phone = await open({ ...PHONE, colorScheme: 'dark' });
    const faults = faultsOf(phone);
    await phone.goto(address);
    await phone.getByRole('heading', { name: DONE }).waitFor();
    await phone.getByText('居間のテレビ').waitFor();
    expect([await tooWide(phone), await violations(phone)]).toEqual([[], []]);
    // Neither a reload nor back and forward registers another one.
    await phone.reload();
    await phone.goBack();
    await phone.goto(address);
    await phone.getByRole('heading', { name: DONE }).waitFor();

    expect(await television.poll()).toBeUndefined();
    const { token } = television;
    expect(await television.poll()).toBe('invalid_grant');
    television.token = token;
    const [recording] = (await (await television.get('api/recordings')).json()) as Recording[];
    expect(recording?.name).toBe('港の朝');
    const file = recording?.files.find(({ source }) => source === 'ts');
    const played = await television.get(file?.url ?? '', { ...OUTSIDE, range: 'bytes=188-375' });
    expect([played.status, (await played.bytes()).length]).toEqual([206, 188]);

    await phone.goto(`${home.url}/settings`);
    const row = phone.locator('#section-devices .access-row', { hasText: '本体のブラウザーが登録' });
    await row.waitFor();
    expect(await row.count()).toBe(1);
    await row.getByRole('button').click();
    await phone.getByRole('button', { name: '解除する' }).click();
    await phone.getByText('登録されたテレビはありません').waitFor();

    // The response that makes a device pair again, also inside the trusted network.
    for (const from of [OUTSIDE, {}]) {
      const gone = await television.get('api/recordings', from);
      expect([gone.status, await gone.json()]).toEqual([401, { error: 'invalid_token' }]);
      expect(gone.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
    expect(faults).toEqual([]);
  });

  test('a page that is prerendered or in the background registers nothing until it is visible', async () => {
    const television = new Television();
    const address = await television.begin('寝室のテレビ');
    for (const [what, event] of [
      ['visibilityState', 'visibilitychange'],
      ['prerendering', 'prerenderingchange'],
    ] as const) {
      const page = await open();
      // How a browser reports a page that is not visible yet.
      await page.addInitScript((hidden) => {
        const values = { visibilityState: 'hidden', prerendering: true } as const;
        Object.defineProperty(document, hidden, { configurable: true, value: values[hidden] });
      }, what);
      await page.goto(address, { waitUntil: 'load' });
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      expect(await television.poll()).toBe('authorization_pending');
      if (what === 'visibilityState') {
        await page.close();
        continue;
      }
      await page.evaluate((name) => {
        Object.defineProperty(document, 'prerendering', { configurable: true, value: false });
        document.dispatchEvent(new Event(name));
      }, event);
      await page.getByRole('heading', { name: DONE }).waitFor();
      expect(await television.poll()).toBeUndefined();
    }
  });

  test('a link of another site registers nothing without a press; open screens show it and revoke it', async () => {
    const screen = await open({ viewport: { width: 1280, height: 800 } });
    const faults = faultsOf(screen);
    await screen.goto(`${home.url}/guide`);
    await screen.waitForFunction(() => localStorage.getItem('svc.announced-device') !== null);
    const television = new Television();
    const address = await television.begin('見知らぬテレビ');
    const page = await open(PHONE);
    await page.route('http://other.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${address}">景品が当たりました</a>` }),
    );
    await page.goto('http://other.example/');
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'テレビを登録しますか' }).waitFor();
    await page.getByText(/203\.0\.113\.5 から \d+月\d+日 \d\d:\d\d に届いた登録の要求です。/).waitFor();
    expect([await tooWide(page), await violations(page)]).toEqual([[], []]);
    expect(await television.poll()).toBe('authorization_pending');
    await page.getByRole('button', { name: '登録する' }).click();
    await page.getByRole('heading', { name: DONE }).waitFor();
    expect(await television.poll()).toBeUndefined();

    const notice = screen.getByRole('status').filter({ hasText: '「見知らぬテレビ」が登録されました' });
    await notice.waitFor();
    expect(await violations(screen)).toEqual([]);
    await notice.getByRole('button', { name: '解除' }).click();
    await screen.getByText('「見知らぬテレビ」の登録を解除しました').waitFor();
    expect((await television.get('api/recordings')).status).toBe(401);
    expect(faults).toEqual([]);
  });

  test('a device registered while no screen was open is shown by the next one, once', async () => {
    const screen = await open();
    await screen.goto(`${home.url}/guide`);
    await screen.waitForFunction(() => localStorage.getItem('svc.announced-device') !== null);
    await screen.goto('about:blank');
    const television = new Television();
    const page = await open();
    await page.goto(await television.begin('納戸のテレビ'));
    await page.getByRole('heading', { name: DONE }).waitFor();
    expect(await television.poll()).toBeUndefined();
    const told = screen.getByText('「納戸のテレビ」が登録されました');
    await screen.goto(`${home.url}/recordings`);
    await told.waitFor();
    await screen.goto(`${home.url}/rules`);
    await screen.getByRole('heading', { level: 1 }).first().waitFor();
    await screen.waitForLoadState('networkidle');
    expect(await told.count()).toBe(0);
  });

  test('without scripts there is a button', async () => {
    const television = new Television();
    const page = await open({ javaScriptEnabled: false });
    await page.goto(await television.begin('書斎のテレビ'));
    expect(await television.poll()).toBe('authorization_pending');
    await page.getByRole('button', { name: '登録する' }).click();
    await page.getByRole('heading', { name: DONE }).waitFor();
    expect(await television.poll()).toBeUndefined();
    const list = (await (await fetch(`${home.url}/api/device/tokens`)).json()) as DeviceToken[];
    expect(list.filter(({ name }) => name === '書斎のテレビ')).toHaveLength(1);
  });
});
