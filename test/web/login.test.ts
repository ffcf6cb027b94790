/** Logging in with a browser, behind a real proxy with https and a path prefix, at a real identity provider. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { DeviceToken, PairingAnswer, PollAnswer } from '../../lib/wire/api.ts';
import { type FrontProxy, freePort, hasNginx, startFrontProxy } from '../access/front-proxy.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { builtWeb, hasChromium, sharedBrowser } from './browser.ts';

const CLIENT = { CLIENT_ID: 'svc-household', CLIENT_SECRET: 'a-secret-of-the-provider' };
const SCREENS = ['', 'guide', 'recordings', 'search', 'settings'];

let browser: Browser;
const opened: BrowserContext[] = [];
let service: TestService;
let proxy: FrontProxy;
let provider: Bun.Subprocess<'ignore', 'pipe', 'ignore'>;

async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

async function open(): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  opened.push(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|Mixed Content/.test(message.text())) faults.push(message.text());
  });
  return { page, faults };
}

/** Logs in on the provider's own pages. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe.skipIf(!hasChromium || !hasNginx)('a browser outside the household', () => {
  beforeAll(async () => {
    const port = await freePort();
    provider = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'access', 'provider-process.ts')], {
      env: { ...process.env, ...CLIENT, REDIRECT_URI: `https://127.0.0.1:${port}/tv/login/callback` },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [issuer, webDir] = await Promise.all([firstLine(provider.stdout), builtWeb()]);
    browser = await sharedBrowser();
    service = await startTestService({
      webDir,
      environment: {
        TRUSTED_NETWORKS: '192.168.0.0/16',
        TRUSTED_PROXIES: '127.0.0.1',
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: CLIENT.CLIENT_ID,
        OIDC_CLIENT_SECRET: CLIENT.CLIENT_SECRET,
        OIDC_GROUP: 'tv-members',
      },
    });
    proxy = await startFrontProxy(port, service.url);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
    provider.kill();
    await provider.exited;
  });

  test('logs in on the way to a screen, uses every one, and logs out', async () => {
    const { page, faults } = await open();
    await page.goto(`${proxy.base}recordings?q=a`);
    await signIn(page, 'hanako');
    await page.waitForURL(`${proxy.base}recordings?q=a`);
    const cookies = await page.context().cookies(proxy.base);
    expect(cookies.find(({ name }) => name === '__Secure-svc_session')).toMatchObject({
      path: '/tv/',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    });
    for (const screen of SCREENS) {
      await page.goto(proxy.base + screen);
      await page.locator('main').first().waitFor();
    }
    // The content security policy allows the live socket, and no other host.
    const isOpened = await page.evaluate(async () => {
      const answer = await fetch('api/live/ticket', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      const { ticket } = (await answer.json()) as { ticket: string };
      const socket = new WebSocket(new URL(`api/live/socket?ticket=${ticket}`, document.baseURI));
      return new Promise<boolean>((resolve) => {
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
      });
    });
    expect(isOpened).toBe(true);
    expect(faults).toEqual([]);
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('logout', { method: 'POST', headers })).status;
    });
    expect(status).toBe(204);
    expect(await page.evaluate(async () => (await fetch('api/services')).status)).toBe(401);
    await page.goto(`${proxy.base}logout`);
    await page.getByText('ログアウトしました').first().waitFor();
    // The provider remembers the person: one press, and no password.
    await page.getByRole('link', { name: 'ログインする' }).click();
    await page.waitForURL(proxy.base);
  });

  test('registers a television whose QR code it scanned, after a login on the way', async () => {
    const television = (path: string, body: object): Promise<Response> =>
      fetch(new URL(path, proxy.base), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        tls: { rejectUnauthorized: false },
      });
    const begun = await television('api/device/code', { name: '離れのテレビ' });
    const codes = (await begun.json()) as PairingAnswer;
    const { page, faults } = await open();
    await page.goto(new URL(codes.verificationUriComplete, proxy.base).href);
    await signIn(page, 'hanako');
    // A redirect led here: it does not tell who wanted that.
    await page.getByRole('heading', { name: 'テレビを登録しますか' }).waitFor();
    await page.getByRole('button', { name: '登録する' }).click();
    await page.getByRole('heading', { name: 'テレビを登録しました' }).waitFor();
    await page.getByText('離れのテレビ').waitFor();
    expect(page.url()).toBe(`${proxy.base}device?code=${codes.userCode}`);
    const { token } = (await (await television('api/device/token', codes)).json()) as PollAnswer;
    const served = await fetch(new URL('api/services', proxy.base), {
      headers: { authorization: `Bearer ${token}` },
      tls: { rejectUnauthorized: false },
    });
    expect(served.status).toBe(200);
    const [device] = await page.evaluate(
      async () => (await (await fetch('api/device/tokens')).json()) as DeviceToken[],
    );
    expect(device).toMatchObject({ name: '離れのテレビ', approver: 'hanako さん' });
    expect(faults).toEqual([]);
  });

  test('is shown why it is refused when the account is in no permitted group', async () => {
    const { page, faults } = await open();
    await page.goto(`${proxy.base}guide`);
    await signIn(page, 'taro');
    await page.getByRole('heading', { name: '利用が許可されていません' }).waitFor();
    await page.getByText('このアカウントでは利用できません').waitFor();
    await page.getByText('サーバーの管理者の方へ').click();
    await page.getByText('グループまたはロール「tv-members」に入っていません').waitFor();
    const again = await page.getByRole('link', { name: '別のアカウントでログインする' }).getAttribute('href');
    expect(again).toBe(`${proxy.base}login?to=guide&account=choose`);
    // The page is shown without a login, and is readable on a device without a Japanese font.
    const states = await page.evaluate(async () => {
      const faces = await document.fonts.load('16px "Kosugi Maru"', '許');
      return faces.map(({ status }) => status);
    });
    expect(states).toEqual(['loaded']);
    const kept = (await page.context().cookies(proxy.base)).map(({ name }) => name);
    expect(kept.filter((name) => name.endsWith('svc_session'))).toEqual([]);
    expect(faults).toEqual([]);
  });
});
