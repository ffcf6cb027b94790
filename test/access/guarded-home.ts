/** A service with every kind of access enabled, and a client of each kind. Shared by all tests of a file. */
import { afterAll, beforeAll } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestService, type TestService } from '../service/harness.ts';
import { CLIENT_ID, CLIENT_SECRET, ProviderStandIn } from './provider-stand-in.ts';
import { Visitor } from './visitor.ts';

export const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };
export const AT_HOME = { 'x-forwarded-for': '192.168.1.5' };
export const JSON_TYPE = { 'content-type': 'application/json' };
/** A path that needs credentials, and one that changes something. */
export const SERVICES = '/api/services';
export const REVOKE = '/api/sessions/revoke-others';
export const WRITE = { method: 'POST' };

/** File names as the build produces them. */
export const UI_FILES = [
  'icon.svg',
  'icon-192.png',
  'app-1a2b3c4d.js',
  'app-1a2b3c4d.css',
  'fonts.css',
  'fonts/svc-font.woff2',
];

export class GuardedHome {
  readonly provider = new ProviderStandIn();
  /** Server of bidirectional content; `/never` does not answer. */
  #peer: Bun.Server<undefined> | undefined;
  peerRequests = 0;
  #service: TestService | undefined;
  #web = '';
  #devices = 0;
  /** Credentials of a client with a session, one with an access token, and one with a revoked token. */
  cookie = '';
  token = '';
  revoked = '';

  async begin(): Promise<void> {
    this.#web = mkdtempSync(join(tmpdir(), 'svc-web-'));
    mkdirSync(join(this.#web, 'fonts'));
    writeFileSync(join(this.#web, 'index.html'), '<!doctype html><base href="./"><title>UI</title>');
    for (const file of UI_FILES) writeFileSync(join(this.#web, file), file);
    this.provider.start();
    this.#peer = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        this.peerRequests += 1;
        return request.url.endsWith('/never') ? new Promise<Response>(() => {}) : new Response('answered');
      },
    });
    this.#service = await startTestService({
      environment: {
        TRUSTED_NETWORKS: '192.168.0.0/16',
        TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
        OIDC_ISSUER: this.provider.issuer,
        OIDC_CLIENT_ID: CLIENT_ID,
        OIDC_CLIENT_SECRET: CLIENT_SECRET,
        BML_HOSTS: `data.example.test=127.0.0.1:${this.#peer.port}`,
      },
      webDir: this.#web,
    });
    const browser = new Visitor(this.url);
    await browser.finishLogin(this.provider.signIn(await browser.beginLogin()));
    this.cookie = `svc_session=${browser.cookies.get('svc_session')}`;
    this.token = await this.pair('居間のテレビ');
    this.revoked = await this.pair('売ったテレビ');
    await this.send('/api/device/logout', {
      method: 'POST',
      headers: { ...OUTSIDE, ...JSON_TYPE, authorization: `Bearer ${this.revoked}` },
    });
  }

  async end(): Promise<void> {
    await this.#service?.close();
    await this.provider.stop();
    await this.#peer?.stop(true);
    rmSync(this.#web, { recursive: true, force: true });
  }

  get service(): TestService {
    if (this.#service === undefined) throw new Error('not started');
    return this.#service;
  }

  get url(): string {
    return this.service.url;
  }

  get port(): number {
    return this.service.service.port;
  }

  send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${this.url}${path}`, { redirect: 'manual', ...init });

  /** Each device has an address of its own, which gets a code however many another one has. @returns its codes */
  async beginPairing(name = 'テレビ'): Promise<{ deviceCode: string; userCode: string }> {
    this.#devices += 1;
    const body = JSON.stringify({ name });
    const headers = { 'x-forwarded-for': `203.0.113.${100 + this.#devices}`, ...JSON_TYPE };
    const response = await this.send('/api/device/code', { method: 'POST', headers, body });
    return (await response.json()) as { deviceCode: string; userCode: string };
  }

  /** The approval page that a browser with these headers receives. */
  async approvalForm(
    userCode: string,
    headers: Record<string, string>,
  ): Promise<{ cookie: string; proof: string }> {
    const response = await this.send(`/device?code=${userCode}`, { headers });
    const [, proof = ''] = /name="proof" value="([^"]*)"/.exec(await response.text()) ?? [];
    return { cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '', proof };
  }

  approve(
    userCode: string,
    { cookie, proof }: { cookie: string; proof: string },
    headers = {},
  ): Promise<Response> {
    return this.send('/device', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.url,
        cookie,
        ...AT_HOME,
        ...headers,
      },
      body: new URLSearchParams({ code: userCode, proof }).toString(),
    });
  }

  poll(deviceCode: string): Promise<Response> {
    const body = JSON.stringify({ deviceCode });
    return this.send('/api/device/token', { method: 'POST', headers: { ...OUTSIDE, ...JSON_TYPE }, body });
  }

  async pair(name: string): Promise<string> {
    const { deviceCode, userCode } = await this.beginPairing(name);
    await this.approve(userCode, await this.approvalForm(userCode, AT_HOME));
    return ((await (await this.poll(deviceCode)).json()) as { token: string }).token;
  }
}

/** Scope is the test file: started before the first test, closed after the last. */
export function guardedHome(): GuardedHome {
  const home = new GuardedHome();
  beforeAll(() => home.begin());
  afterAll(() => home.end());
  return home;
}
