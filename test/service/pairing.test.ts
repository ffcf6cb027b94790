/** Pairing a device over real sockets: codes, tokens, and refused requests. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearer, type Codes, errorOf, JSON_TYPE, MINUTE, OUTSIDE, pairingHome } from './pairing-home.ts';

const home = pairingHome();
const { later, get, post, begin, poll, approve, pair, listed } = home;

describe('pairing', () => {
  test('from the first 401 to the token, used from anywhere, and its revocation', async () => {
    const first = await get('/api/services', OUTSIDE);
    expect([await errorOf(first), first.headers.get('www-authenticate')]).toEqual([
      [401, 'unauthorized'],
      'Bearer realm="svc"',
    ]);
    const answer = await post('/api/device/code', { name: '居間のテレビ' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const codes = (await answer.json()) as Codes;
    home.keepSecret(codes.deviceCode);
    expect(codes).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verificationUri: 'device',
      verificationUriComplete: `device?code=${codes.userCode}`,
      expiresIn: 600,
      interval: 5,
    } as never);
    expect(await errorOf(await poll(codes.deviceCode))).toEqual([400, 'authorization_pending']);
    expect(await errorOf(await poll(codes.deviceCode))).toEqual([400, 'slow_down']);
    later(5_000);
    expect(await errorOf(await poll(codes.deviceCode))).toEqual([400, 'authorization_pending']);

    const sent = await approve(codes.userCode);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/device?code=${codes.userCode}`]);
    const done = await (await get(`/device?code=${codes.userCode}`)).text();
    expect(done).toContain('居間のテレビ');
    expect(done).not.toContain('<form');

    const given = await poll(codes.deviceCode);
    expect([given.status, given.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { token, tokenType } = (await given.json()) as { token: string; tokenType: string };
    home.keepSecret(token);
    expect([token, tokenType]).toEqual([expect.stringMatching(/^svc_[\w-]{43}$/), 'Bearer']);
    expect(await errorOf(await poll(codes.deviceCode))).toEqual([400, 'invalid_grant']);

    expect((await get('/api/services', bearer(token))).status).toBe(200);
    // A device cannot list devices, itself included.
    expect((await get('/api/device/tokens', bearer(token))).status).toBe(403);
    const [mine] = (await (await get('/api/device/tokens')).json()) as { id: number }[];
    expect(mine).toMatchObject({
      ...{ name: '居間のテレビ', approver: '127.0.0.1' },
      ...{ pairedAt: expect.any(Number), usedAt: expect.any(Number) },
    });
    const row = `${home.url}/api/device/tokens/${mine?.id}`;
    for (let times = 0; times < 2; times += 1) {
      expect((await fetch(row, { method: 'DELETE', headers: JSON_TYPE })).status).toBe(204);
    }
    // Also inside the trusted network: the device is informed that it has to pair again.
    for (const headers of [bearer(token), { authorization: `Bearer ${token}` }]) {
      const refused = await get('/api/services', headers);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expect(await errorOf(refused)).toEqual([401, 'invalid_token']);
    }
    expect((await fetch(`${row}999`, { method: 'DELETE', headers: JSON_TYPE })).status).toBe(404);
  });

  test('a device logs out by its own token', async () => {
    const { token } = await pair();
    const other = await pair('寝室');
    expect((await listed()).filter(({ current }) => current)).toEqual([]);
    expect((await post('/api/device/logout', undefined, bearer(token))).status).toBe(204);
    expect(await errorOf(await get('/api/services', bearer(token)))).toEqual([401, 'invalid_token']);
    expect((await get('/api/services', bearer(other.token))).status).toBe(200);
    for (const headers of [{}, OUTSIDE, { authorization: 'Bearer somebody-elses' }]) {
      expect(await errorOf(await post('/api/device/logout', undefined, headers))).toEqual([
        401,
        'unauthorized',
      ]);
    }
  });

  test('changes of the lists send an event', async () => {
    const leaving = new AbortController();
    const stream = await fetch(`${home.url}/api/events`, { signal: leaving.signal });
    const reader = stream.body?.getReader();
    await pair();
    let received = '';
    while (!received.includes('event: tokens')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done || value === undefined) break;
      received += new TextDecoder().decode(value);
    }
    expect(received).toContain('event: tokens');
    leaving.abort();
  });

  test('20 codes may be pending; more are refused until they expire', async () => {
    later();
    const codes: Codes[] = [];
    for (let index = 0; index < 20; index += 1) codes.push(await begin());
    expect(await errorOf(await post('/api/device/code', { name: 'x' }))).toEqual([429, 'too_many_pending']);
    later(10 * MINUTE);
    expect(await errorOf(await poll(codes[0]?.deviceCode ?? ''))).toEqual([400, 'expired_token']);
    expect((await get(`/device?code=${codes[0]?.userCode}`)).status).toBe(404);
    await begin();
    later();
  });

  test('whoever takes all places loses one to another address, the oldest first', async () => {
    later(10 * MINUTE);
    const one = { 'x-forwarded-for': '198.51.100.7' };
    const codes: Codes[] = [];
    for (let index = 0; index < 20; index += 1) {
      const response = await post('/api/device/code', { name: 'x' }, one);
      expect(response.status).toBe(200);
      codes.push((await response.json()) as Codes);
      later(1);
    }
    expect((await post('/api/device/code', { name: 'x' }, one)).status).toBe(429);
    const { deviceCode } = await begin();
    expect(await errorOf(await poll(codes[0]?.deviceCode ?? ''))).toEqual([400, 'expired_token']);
    expect(await errorOf(await poll(codes[1]?.deviceCode ?? ''))).toEqual([400, 'authorization_pending']);
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'authorization_pending']);
    later(10 * MINUTE);
  });
});

describe('bad input', () => {
  const rows: [what: string, path: string, body: unknown, status: number][] = [
    ['a name of 41 characters', 'code', { name: 'あ'.repeat(41) }, 400],
    ['a name of 10 KB', 'code', { name: 'a'.repeat(10_000) }, 400],
    ['a name of 1 MB', 'code', { name: 'a'.repeat(1_000_000) }, 413],
    ['a name of 2 MB', 'code', { name: 'a'.repeat(2_000_000) }, 413],
    ['a name that is a number', 'code', { name: 1 }, 400],
    ['no name', 'code', {}, 400],
    ['a list', 'code', [], 400],
    ['null', 'code', null, 400],
    ['nothing', 'code', undefined, 400],
    ['no code', 'token', {}, 400],
    ['a code that is a number', 'token', { deviceCode: 5 }, 400],
    ['a code of 10 KB', 'token', { deviceCode: 'a'.repeat(10_000) }, 400],
    ['a code of 1 MB', 'token', { deviceCode: 'a'.repeat(1_000_000) }, 413],
    ['a code of 2 MB', 'token', { deviceCode: 'a'.repeat(2_000_000) }, 413],
  ];
  for (const [what, path, body, status] of rows) {
    test(`${what}: ${status}`, async () => {
      later();
      const response = await post(`/api/device/${path}`, body);
      expect(response.status).toBe(status);
      expect(((await response.json()) as { code: string }).code).toBe('bad_request');
    });
  }

  test('an unknown code is not granted; nor is one with line breaks', async () => {
    for (const code of ['', 'nobody', 'a\r\nX-Injected: 1', '\u0000']) {
      expect(await errorOf(await poll(code))).toEqual([400, 'invalid_grant']);
    }
  });

  test('broken JSON, another type, another method', async () => {
    for (const path of ['/api/device/code', '/api/device/token']) {
      const broken = await fetch(home.url + path, { method: 'POST', headers: JSON_TYPE, body: '{"name":' });
      expect(broken.status).toBe(400);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const other = await fetch(home.url + path, {
          method: 'POST',
          headers: { 'content-type': type },
          body: 'a=b',
        });
        expect([type, other.status]).toEqual([type, 403]);
      }
      expect((await get(path)).status).toBe(405);
    }
    const tokens = await fetch(`${home.url}/api/device/tokens/x`, { method: 'DELETE', headers: JSON_TYPE });
    expect(tokens.status).toBe(400);
    expect((await fetch(`${home.url}/api/device/tokens/1`, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(`${home.url}/api/device/logout`, { method: 'POST' })).status).toBe(403);
  });

  test('a name with line breaks and control characters is shown as one line, also in the log', async () => {
    later();
    await pair('寝室\r\nERROR forged line\u001b[2J');
    expect((await listed())[0]?.name).toBe('寝室 ERROR forged line[2J');
    expect(home.lines.filter((line) => line.startsWith('ERROR'))).toEqual([]);
  });

  test('an address that polls endlessly is slowed down, others are not', async () => {
    later();
    const from = (address: string) => post('/api/device/code', { name: 'x' }, { 'x-forwarded-for': address });
    const answers = await Promise.all(Array.from({ length: 70 }, () => from('198.51.100.7')));
    const refused = answers.filter((one) => one.headers.get('retry-after') !== null);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ status }) => status === 429)).toBe(true);
    later();
    expect((await from('198.51.100.8')).status).toBe(200);
    const polls = await Promise.all(
      Array.from({ length: 140 }, () =>
        post('/api/device/token', { deviceCode: 'guess' }, { 'x-forwarded-for': '198.51.100.7' }),
      ),
    );
    const slowed = polls.filter((one) => one.headers.get('retry-after') !== null);
    expect(slowed.length).toBeGreaterThan(0);
    expect(slowed.every(({ status }) => status === 400)).toBe(true);
  });
});

const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'clients.md');

/** The script in docs/clients.md. */
function documentedScript(): string {
  const script = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(readFileSync(DOCUMENT, 'utf8'))?.[1];
  if (script === undefined) throw new Error('no script');
  return script;
}

describe.skipIf(Bun.which('curl') === null)('the script of docs/clients.md', () => {
  /** A folder of its own, and a fast `sleep`. */
  function prepare(folder: string): () => ReturnType<typeof Bun.spawn<'ignore', 'pipe', 'pipe'>> {
    writeFileSync(join(folder, 'client.sh'), documentedScript());
    // From outside: a header that a front proxy would add.
    writeFileSync(join(folder, '.curlrc'), 'header = "X-Forwarded-For: 203.0.113.77"\n');
    writeFileSync(join(folder, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.05\n', { mode: 0o755 });
    const env = {
      ...{ BASE: home.url, TOKEN_FILE: join(folder, 'token'), CURL_HOME: folder },
      PATH: `${folder}:${process.env.PATH}`,
    };
    return () =>
      Bun.spawn(['sh', 'client.sh'], { cwd: folder, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  }

  test('pairs, reads, and pairs again once it was revoked', async () => {
    later();
    const folder = mkdtempSync(join(tmpdir(), 'svc-client-'));
    try {
      const start = prepare(folder);
      for (let round = 0; round < 2; round += 1) {
        const child = start();
        let output = '';
        for await (const bytes of child.stdout) {
          const before = output;
          output += new TextDecoder().decode(bytes);
          const userCode = /device\?code=(\S+)\n/.exec(output)?.[1];
          if (userCode !== undefined && !before.includes(userCode)) await approve(userCode);
        }
        expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, '']);
        expect(output.trim().split('\n').slice(-2)).toEqual(['200', '[]']);
        const again = start();
        expect((await new Response(again.stdout).text()).split('\n')).toEqual(['200', '[]']);
        const [mine] = await listed();
        expect(mine?.name).toBe('居間の箱');
        const row = `${home.url}/api/device/tokens/${mine?.id}`;
        expect((await fetch(row, { method: 'DELETE', headers: JSON_TYPE })).status).toBe(204);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test('no code or token of all these tests is in the log', () => home.expectNoSecretInLog());
