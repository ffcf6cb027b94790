/**
 * The complete feature over a real database, without a server: login, sessions, tickets, how a request was let in.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { type MonotonicMs, systemWallClock, wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { systemRandom } from '../../lib/host/random.ts';
import type { Access } from '../../lib/wire/access.ts';
import { CLIENT_ID, CLIENT_SECRET, ProviderStandIn } from '../../test/access/provider-stand-in.ts';
import { setRequester } from '../http/route/request.ts';
import type { LetIn } from '../model/requester.ts';
import { Hub } from '../notify/hub.ts';
import { openDatabase } from '../store/database.ts';
import { decideAccess } from './access.ts';
import { createAccess } from './create-access.ts';

const BASE = 'http://127.0.0.1:9';
const OUTSIDE = '203.0.113.5';
const AT_HOME = '192.168.1.5';

const provider = new ProviderStandIn();
const closers: (() => unknown)[] = [];
beforeAll(() => provider.start());
afterEach(async () => {
  provider.fault = undefined;
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => provider.stop());

interface House {
  hasLogin?: boolean;
  group?: string;
  networks?: string;
  folder?: string;
}

function house({ hasLogin = true, group, networks = '192.168.0.0/16', folder }: House = {}) {
  const home = folder ?? mkdtempSync(join(tmpdir(), 'svc-access-'));
  if (folder === undefined) closers.push(() => rmSync(home, { recursive: true }));
  const database = openDatabase(join(home, 'svc.db'));
  closers.push(() => database.close());
  const clock = { ms: 5_000_000 };
  const lines: string[] = [];
  const access = createAccess({
    database,
    hub: new Hub(() => {}),
    log: createLog({ level: 'debug', now: systemWallClock, write: (line) => lines.push(line) }),
    oidc: hasLogin
      ? {
          ...{ issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
          ...{ group: group ?? null, sessionTtlMs: 60_000 },
        }
      : null,
    trustedNetworks: Networks.parse(networks),
    trustedProxies: Networks.none,
    tokens: { check: () => undefined },
    isToken: (id) => id === 7,
    purgeIntervalMs: 3_600_000,
    random: systemRandom,
    now: () => wallMs(Date.now()),
    isTimeSure: () => true,
    monotonicClock: () => clock.ms as MonotonicMs,
  });
  const app = new Elysia();
  access.routes(app);
  /** With the access decision applied first, unless the test sets it. */
  const ask = async (
    path: string,
    { address = OUTSIDE, cookie = '', method = 'GET', letIn }: Partial<Asked> = {},
  ): Promise<Response> => {
    const headers = { cookie, 'content-type': 'application/json' };
    const request = new Request(`${BASE}/${path}`, { method, headers });
    const { pathname } = new URL(request.url);
    const decision = decideAccess(access.policy, {
      ...{ address, path: pathname, authorization: null, cookie },
      base: `${BASE}/`,
    });
    if (decision.kind !== 'allow' && letIn === undefined) return new Response(decision.kind, { status: 401 });
    setRequester(request, {
      address,
      letIn: letIn ?? (decision.kind === 'allow' ? decision.letIn : never()),
    });
    return app.handle(request);
  };
  const begin = async (query = '', cookie = '') => {
    const response = await ask(`login${query}`, { cookie });
    const [own = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return { url: new URL(response.headers.get('location') ?? ''), cookie: own };
  };
  const finish = (back: URL, cookie: string) => ask(`login/callback${back.search}`, { cookie });
  const login = async () => {
    const begun = await begin();
    const response = await finish(provider.signIn(begun.url), begun.cookie);
    return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };
  return { access, ask, begin, finish, login, lines, clock, home };
}

interface Asked {
  address: string;
  cookie: string;
  method: string;
  letIn: LetIn;
}

function never(): never {
  throw new Error('not let in');
}

/** Address of the link to the next step. */
async function nextOf(response: Response): Promise<string | undefined> {
  return /class="button" href="([^"]*)"/.exec(await response.text())?.[1]?.replaceAll('&amp;', '&');
}

describe('how a request was let in', () => {
  test('is reported: by network, by session, by token', async () => {
    const { ask, login } = house();
    const cookie = await login();
    const you = async (from: Partial<Asked>) => {
      const response = await ask('api/access', from);
      expect(response.status).toBe(200);
      const { you: found, sessions } = (await response.json()) as Access;
      return { ...found, current: sessions.map(({ current }) => current) };
    };
    expect(await you({ address: AT_HOME })).toEqual({
      ...{ by: 'network', address: AT_HOME, network: '192.168.0.0/16', name: null, current: [false] },
    });
    expect(await you({ cookie })).toEqual({
      ...{ by: 'session', address: OUTSIDE, network: null, name: '花子', current: [true] },
    });
    expect(await you({ letIn: { by: 'token', tokenId: 7 } })).toEqual({
      ...{ by: 'token', address: OUTSIDE, network: null, name: null, current: [false] },
    });
  });

  test('the current session is marked among several', async () => {
    const { ask, login } = house();
    const [, mine] = [await login(), await login(), await login()];
    const { sessions } = (await (await ask('api/access', { cookie: mine })).json()) as Access;
    expect(sessions.map(({ current }) => current)).toEqual([false, true, false]);
  });

  test('with the configuration', async () => {
    const login = async (of: House) =>
      ((await (await house(of).ask('api/access', { address: AT_HOME })).json()) as Access).login;
    const redirectUri = `${BASE}/login/callback`;
    expect(await login({ group: 'tv' })).toEqual({
      ...{ configured: true, issuer: provider.issuer, group: 'tv', redirectUri },
    });
    expect(await login({ hasLogin: false })).toEqual({
      ...{ configured: false, issuer: null, group: null, redirectUri },
    });
  });
});

describe('ending other sessions', () => {
  const others = async (ask: ReturnType<typeof house>['ask'], from: Partial<Asked>) =>
    (await ask('api/sessions/revoke-others', { method: 'POST', ...from })).json();

  test('keeps the requesting session', async () => {
    const { ask, login } = house();
    const [mine, theirs] = [await login(), await login()];
    expect(await others(ask, { cookie: mine })).toEqual({ count: 1 });
    expect((await ask('api/access', { cookie: mine })).status).toBe(200);
    expect((await ask('api/access', { cookie: theirs })).status).toBe(401);
  });

  test('ends all of them when requested from a trusted network', async () => {
    const { ask, login } = house();
    const mine = await login();
    await login();
    expect(await others(ask, { address: AT_HOME })).toEqual({ count: 2 });
    expect((await ask('api/access', { cookie: mine })).status).toBe(401);
  });
});

test('open connections are checked again: those of ended sessions and tokens are not allowed', async () => {
  const { access, ask, login } = house();
  const cookie = await login();
  await login();
  const [, session] = access.sessions.list();
  const letIn: LetIn = { by: 'session', sessionId: session?.id ?? 0, name: '花子' };
  const is = (one: LetIn): boolean => access.isLetIn({ address: OUTSIDE, letIn: one });
  expect([is(letIn), is({ by: 'token', tokenId: 7 }), is({ by: 'token', tokenId: 8 })]).toEqual([
    ...[true, true, false],
  ]);
  expect(is({ by: 'network', address: AT_HOME, network: '' })).toBe(true);
  expect((await ask('logout', { cookie, method: 'POST' })).status).toBe(204);
  expect(is(letIn)).toBe(false);
});

test('tickets are rate-limited per address', async () => {
  const { access, ask, clock } = house();
  const issue = () => ask('api/live/ticket', { method: 'POST', address: AT_HOME });
  const { ticket } = (await (await issue()).json()) as { ticket: string };
  expect(access.tickets.redeem(ticket)?.address).toBe(AT_HOME);
  for (let n = 1; n < 60; n++) expect((await issue()).status).toBe(200);
  const refused = await issue();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  clock.ms += 500;
  expect((await issue()).status).toBe(200);
});

describe('without a provider', () => {
  test('login is refused, and trusted clients are redirected', async () => {
    const { ask } = house({ hasLogin: false });
    for (const path of ['login', 'login/callback?code=a&state=b']) expect((await ask(path)).status).toBe(404);
    const home = await ask('login?to=guide', { address: AT_HOME });
    expect([home.status, home.headers.get('location')]).toEqual([302, `${BASE}/guide`]);
  });

  test('an earlier session is not accepted', async () => {
    const before = house();
    const cookie = await before.login();
    expect((await before.ask('api/access', { cookie })).status).toBe(200);
    const after = house({ hasLogin: false, folder: before.home });
    expect((await after.ask('api/access', { cookie })).status).toBe(401);
  });
});

describe('a page that stops the login', () => {
  test('links to the login again, with the requested screen', async () => {
    const { begin, finish, ask } = house({ group: 'tv' });
    const next = async (query: string, change: (back: URL) => void = () => {}) => {
      const begun = await begin(query);
      const back = provider.signIn(begun.url);
      change(back);
      return nextOf(await finish(back, begun.cookie));
    };
    const cancel = ({ searchParams }: URL) => {
      searchParams.delete('code');
      searchParams.set('error', 'access_denied');
    };
    expect(await next('', cancel)).toBe(`${BASE}/login`);
    expect(await next('?to=guide', cancel)).toBe(`${BASE}/login?to=guide`);
    // A denied account is not offered again.
    expect(await next('?to=guide')).toBe(`${BASE}/login?to=guide&account=choose`);
    expect(await nextOf(await ask('login/callback?state=unknown'))).toBe(`${BASE}/login`);
    expect(await nextOf(await ask('logout'))).toBe(`${BASE}/login`);
  });

  test('shown while the provider is down mentions that trusted networks still work, if configured', async () => {
    provider.fault = () => new Response(null, { status: 502 });
    for (const [networks, says] of [
      ['192.168.0.0/16', true],
      ['', false],
    ] as const) {
      const response = await house({ networks }).ask('login?to=guide');
      expect(response.status).toBe(503);
      const page = await response.text();
      expect(page).toContain('ログインサービスに接続できません');
      expect(page.includes('家庭内のネットワークからは')).toBe(says);
      expect(page).toContain('login?to=guide');
    }
  });
});

describe('the account', () => {
  test('can be chosen when requested, and only then', async () => {
    const { begin } = house();
    const prompt = async (query: string) => (await begin(query)).url.searchParams.get('prompt');
    expect(await prompt('?account=choose')).toBe('select_account');
    expect(await prompt('?account=other')).toBeNull();
    expect(await prompt('')).toBeNull();
  });

  test('is bound to the browser: a callback without its cookie or without a state is refused', async () => {
    const { begin, finish } = house();
    const { url, cookie } = await begin();
    const back = provider.signIn(url);
    expect((await finish(back, '')).status).toBe(400);
    expect((await finish(back, 'svc_login=short')).status).toBe(400);
    const bare = new URL(back);
    bare.searchParams.delete('state');
    expect((await finish(bare, cookie)).status).toBe(400);
    expect((await finish(back, cookie)).status).toBe(302);
  });
});

test('attempts are counted per address, for started and completed logins alike', async () => {
  const { ask, clock } = house();
  for (let n = 0; n < 40; n++) expect((await ask('login/callback')).status).toBe(400);
  for (const path of ['login/callback', 'login']) {
    const refused = await ask(path);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
  }
  expect((await ask('login', { address: '203.0.113.6' })).status).toBe(302);
  // A client that needs no login is redirected all the same.
  expect((await ask('login', { address: AT_HOME })).status).toBe(302);
  clock.ms += 3_000;
  expect((await ask('login')).status).toBe(302);
});
