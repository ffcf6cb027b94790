/** The page on which a member approves a device, over real sockets. */
import { describe, expect, test } from 'bun:test';
import { errorOf, JSON_TYPE, OUTSIDE, pairingHome } from './pairing-home.ts';

const home = pairingHome();
const { later, get, post, begin, poll, openPage, send, pair, listed } = home;

describe('the page', () => {
  test('is not approved by opening, reloading, prefetching or HEAD', async () => {
    const { deviceCode, userCode } = await begin();
    const page = `/device?code=${userCode}`;
    for (const headers of [{}, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
      expect((await get(page, headers)).status).toBe(200);
    }
    expect((await fetch(home.url + page, { method: 'HEAD' })).status).toBe(200);
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'authorization_pending']);
  });

  test('is for members only', async () => {
    const { userCode } = await begin();
    const form = await openPage(userCode);
    expect((await get(`/device?code=${userCode}`, OUTSIDE)).status).toBe(401);
    const sent = await send(
      { code: userCode, proof: form.proof },
      { ...OUTSIDE, cookie: form.cookie, origin: home.url },
    );
    expect(sent.status).toBe(401);
  });

  test('a token approves nothing', async () => {
    const { token } = await pair();
    const { deviceCode, userCode } = await begin();
    const { cookie, proof } = await openPage(userCode);
    for (const from of [OUTSIDE, {}]) {
      const headers = { ...from, cookie, origin: home.url, authorization: `Bearer ${token}` };
      const refused = await send({ code: userCode, proof }, headers);
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        403,
        'text/plain; charset=utf-8',
      ]);
    }
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'authorization_pending']);
  });

  test('its form is only taken from this browser, for this code, from this origin', async () => {
    const { deviceCode, userCode } = await begin();
    const other = await begin();
    const { cookie, proof } = await openPage(userCode);
    const stranger = await openPage(userCode);
    const genuine = { code: userCode, proof };
    const own = { origin: home.url };
    const planted = `svc_device=${'A'.repeat(43)}`;
    const rows: [
      what: string,
      fields: Record<string, string>,
      headers: Record<string, string>,
      status: number,
    ][] = [
      ['no cookie', genuine, own, 403],
      ["another browser's cookie", genuine, { ...own, cookie: stranger.cookie }, 403],
      ['a planted cookie', genuine, { ...own, cookie: planted }, 403],
      [
        'a planted cookie as proof',
        { code: userCode, proof: 'A'.repeat(43) },
        { ...own, cookie: planted },
        403,
      ],
      ['no proof', { code: userCode }, { ...own, cookie }, 403],
      ['the cookie as proof', { code: userCode, proof: cookie.split('=')[1] ?? '' }, { ...own, cookie }, 403],
      ['the proof of another code', { code: other.userCode, proof }, { ...own, cookie }, 403],
      ['no origin', genuine, { cookie }, 403],
      ['another origin', genuine, { cookie, origin: 'https://evil.example' }, 403],
      ['an origin that is none', genuine, { cookie, origin: 'null' }, 403],
      ['another port', genuine, { cookie, origin: 'http://127.0.0.1:1' }, 403],
      ['of another site', genuine, { ...own, cookie, 'sec-fetch-site': 'cross-site' }, 403],
      ['no code', { proof }, { ...own, cookie }, 403],
      ['a broken cookie header', genuine, { ...own, cookie: ';;=;svc_device;svc_device=;,' }, 403],
    ];
    for (const [what, fields, headers, status] of rows) {
      const response = await send(fields, headers);
      await response.body?.cancel();
      expect([what, response.status]).toEqual([what, status]);
    }
    const huge = await send(
      {},
      { ...own, cookie },
      `code=${userCode}&proof=${proof}&x=${'y'.repeat(900_000)}`,
    );
    expect(huge.status).toBe(403);
    const asJson = await post('/device', genuine, { ...own, cookie });
    expect(asJson.status).toBe(403);
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'authorization_pending']);
    expect((await send(genuine, { ...own, cookie: `a=b; ${cookie}; c=d` })).status).toBe(303);
  });

  test('reports that its code expired meanwhile', async () => {
    const { userCode } = await begin();
    const { cookie, proof } = await openPage(userCode);
    later();
    expect((await send({ code: userCode, proof }, { cookie, origin: home.url })).status).toBe(404);
  });

  test('keeps the cookie of its browser, and replaces a broken one', async () => {
    const { userCode } = await begin();
    const { cookie } = await openPage(userCode);
    expect((await openPage(userCode, { cookie: `a=b; ${cookie}` })).cookie).toBe(cookie);
    for (const broken of ['svc_device=', 'svc_device=x', `svc_device=${'A'.repeat(44)}`, 'svc_device']) {
      const renewed = (await openPage(userCode, { cookie: broken })).cookie;
      expect(renewed).toMatch(/^svc_device=[\w-]{43}$/);
      expect(renewed).not.toBe(cookie);
    }
  });

  test('that was refused leads back to the code, if there is one', async () => {
    const { userCode } = await begin();
    const refused = await (await send({ code: userCode, proof: 'x' }, { origin: home.url })).text();
    expect(refused).toContain(`href="device?code=${userCode}"`);
    expect(await (await send({ code: '"><b>' }, { origin: home.url })).text()).not.toContain('<a ');
  });

  test('sent again changes nothing, and keeps the approver', async () => {
    const { deviceCode, userCode } = await begin('二度');
    const { cookie, proof } = await openPage(userCode);
    const again = () => send({ code: userCode, proof }, { cookie, origin: home.url });
    expect((await again()).status).toBe(303);
    expect((await again()).status).toBe(303);
    expect((await poll(deviceCode)).status).toBe(200);
    expect((await again()).status).toBe(303);
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'invalid_grant']);
    expect((await listed()).filter(({ name }) => name === '二度')).toHaveLength(1);
  });

  test('explains invalid codes, and what to do without one', async () => {
    for (const code of ['BBBB-BBBB', 'x', '', '%00', 'A'.repeat(5_000), '<script>', 'bbbb-bbbb']) {
      const response = await get(`/device?code=${encodeURIComponent(code)}`);
      expect([code, response.status]).toEqual([code, 404]);
      expect(await response.text()).not.toContain('<script>');
    }
    const bare = await get('/device');
    const text = await bare.text();
    expect([bare.status, text]).toEqual([200, expect.stringContaining('QR コード')]);
    for (const part of ['<form action="device">', 'name="code"', '<a href="./">'])
      expect(text).toContain(part);
    const { paths } = (await (await get('/api/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths)).not.toContain('/device');
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${home.url}/device`, { method, headers: JSON_TYPE });
      expect([method, response.status]).toEqual([method, 405]);
    }
  });

  test('a code that was typed leads to the form, which waits for a press', async () => {
    const { deviceCode, userCode } = await begin();
    const typed = encodeURIComponent(` ${userCode.toLowerCase().replace('-', ' ')}`);
    const response = await get(`/device?code=${typed}`, { 'sec-fetch-site': 'same-origin' });
    const html = await response.text();
    expect([response.status, html]).toEqual([200, expect.stringContaining(`value="${userCode}"`)]);
    expect(html).not.toContain('<script');
    expect(await errorOf(await poll(deviceCode))).toEqual([400, 'authorization_pending']);
  });

  test('shows a name as text, under a policy without inline scripts', async () => {
    const { userCode } = await begin('<img src=x>"\u202e');
    const response = await get(`/device?code=${userCode}`);
    const html = await response.text();
    expect(html).toContain('&lt;img src=x&gt;&quot;</bdi>');
    expect(html).not.toContain('<img');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("'unsafe-inline'");
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('behind a proxy with a prefix and https, addresses and cookie have the prefix', async () => {
    const { userCode } = await begin();
    const proxied = { 'x-forwarded-prefix': '/tv', 'x-forwarded-proto': 'https' };
    const response = await get(`/device?code=${userCode}`, proxied);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toStartWith('__Secure-svc_device=');
    expect(cookie).toContain('; Path=/tv/device;');
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Secure']) expect(cookie).toContain(attribute);
    const proof = /name="proof" value="([^"]*)"/.exec(await response.text())?.[1] ?? '';
    const origin = home.url.replace('http:', 'https:');
    const sent = await send(
      { code: userCode, proof },
      { ...proxied, origin, cookie: cookie.split(';')[0] ?? '' },
    );
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/tv/device?code=${userCode}`]);
  });
});

test('no code or token of all these tests is in the log', () => home.expectNoSecretInLog());
