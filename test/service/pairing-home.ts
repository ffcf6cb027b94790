/**
 * A service that pairs devices, with browsers and devices over real sockets, and the secrets that it must not
 * log.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { startTestService, type TestService } from './harness.ts';

/**
 * Sent through a trusted proxy on the loopback: a request without `X-Forwarded-For` comes from a trusted
 * network.
 */
export const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };
export const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
export const MINUTE = 60_000;

export interface Codes {
  deviceCode: string;
  userCode: string;
}

interface Form {
  readonly cookie: string;
  readonly proof: string;
}

export const bearer = (token: string) => ({ ...OUTSIDE, authorization: `Bearer ${token}` });

export async function errorOf(response: Response): Promise<[status: number, error: string]> {
  return [response.status, ((await response.json()) as { error: string }).error];
}

/** Runs for all tests of a file. */
export function pairingHome() {
  let home: TestService;
  let aheadMs = 0;
  let devices = 0;
  /** Every issued code and token: none of them may be logged. */
  const secrets: string[] = [];

  beforeAll(async () => {
    home = await startTestService({
      environment: { TRUSTED_PROXIES: '127.0.0.1,::1', LOG_LEVEL: 'debug' },
      now: () => Date.now() + aheadMs,
    });
  });
  afterAll(async () => {
    await home.close();
  });

  /** Moves the clock, so that codes of earlier tests have expired. */
  function later(ms = 12 * MINUTE): void {
    aheadMs += ms;
  }

  function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${home.url}${path}`, { headers, redirect: 'manual' });
  }

  function post(path: string, body?: unknown, headers: Record<string, string> = OUTSIDE): Promise<Response> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(`${home.url}${path}`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, ...text });
  }

  /** Each uses an address of its own, so that none is rate limited. */
  async function begin(name = '居間のテレビ'): Promise<Codes> {
    devices += 1;
    const response = await post('/api/device/code', { name }, { 'x-forwarded-for': `203.0.113.${devices}` });
    expect(response.status).toBe(200);
    const codes = (await response.json()) as Codes;
    secrets.push(codes.deviceCode);
    return codes;
  }

  const poll = (deviceCode: string) => post('/api/device/token', { deviceCode });

  /** Opens the page of a code like a browser at home. */
  async function openPage(userCode: string, headers: Record<string, string> = {}): Promise<Form> {
    const response = await get(`/device?code=${userCode}`, headers);
    const html = await response.text();
    return {
      cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
      proof: /name="proof" value="([^"]*)"/.exec(html)?.[1] ?? '',
    };
  }

  function send(
    fields: Record<string, string>,
    headers: Record<string, string>,
    body = new URLSearchParams(fields).toString(),
  ): Promise<Response> {
    return fetch(`${home.url}/device`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...FORM_TYPE, ...headers },
      body,
    });
  }

  async function approve(userCode: string): Promise<Response> {
    const { cookie, proof } = await openPage(userCode);
    return send({ code: userCode, proof }, { cookie, origin: home.url });
  }

  async function pair(name = '居間のテレビ'): Promise<{ token: string } & Codes> {
    const codes = await begin(name);
    expect((await approve(codes.userCode)).status).toBe(303);
    const response = await poll(codes.deviceCode);
    const { token } = (await response.json()) as { token: string };
    secrets.push(token);
    return { token, ...codes };
  }

  async function listed(): Promise<Record<string, unknown>[]> {
    return (await (await get('/api/device/tokens')).json()) as Record<string, unknown>[];
  }

  function expectNoSecretInLog(): void {
    expect(secrets.length).toBeGreaterThan(0);
    const log = home.lines.join('');
    expect(log).toContain('device paired');
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  }

  return {
    later,
    get,
    post,
    begin,
    poll,
    openPage,
    send,
    approve,
    pair,
    listed,
    expectNoSecretInLog,
    /** Adds a code or token that a test received itself. */
    keepSecret: (secret: string) => secrets.push(secret),
    get url(): string {
      return home.url;
    },
    get lines(): readonly string[] {
      return home.lines;
    },
  };
}
