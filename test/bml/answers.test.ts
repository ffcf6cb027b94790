/** What the proxies send to servers, and how their answers reach the browser. */
import { expect, test } from 'bun:test';
import { proxyHome, WEB_URL } from './proxy-home.ts';

const home = proxyHome();
const FORM = 'application/x-www-form-urlencoded';

test('an answer is data with the type, status and address of the peer', async () => {
  const url = `${WEB_URL}/status?status=404&type=${encodeURIComponent('text/html; charset=euc-jp')}`;
  const answer = await home.get(url);
  expect([answer.status, await answer.text()]).toEqual([200, 'a']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': 'sandbox',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-svc-cache-control': 'max-age=60',
    'x-svc-status': '404',
    'x-svc-content-type': 'text/html; charset=euc-jp',
    'x-svc-url': url,
  });
});

test('nothing of the viewer is sent, and nothing that the peer wants to store comes back', async () => {
  const headers = {
    cookie: 'svc_session=x',
    authorization: 'Basic eDp5',
    'user-agent': 'Mozilla/5.0 Browser',
  };
  const echo = await home.echoOf(await home.own('proxy', { url: `${WEB_URL}/echo?a=1` }, { headers }));
  expect(echo).toMatchObject({ method: 'GET', path: '/echo?a=1' });
  expect(Object.fromEntries(echo.headers)).toEqual({
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'close',
    host: 'data.example.test',
  });
  const answer = await home.get(`${WEB_URL}/cookies`);
  expect([...answer.headers].filter(([name]) => name.startsWith('set-cookie'))).toEqual([]);
});

test('forms and texts are forwarded octet by octet', async () => {
  const octets = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (const type of [
    FORM,
    `${FORM}; charset=EUC-JP`,
    'application/json',
    'text/plain;charset=UTF-8',
    'text/xml',
  ]) {
    const echo = await home.echoOf(await home.post(`${WEB_URL}/echo`, octets, type));
    expect(echo.method).toBe('POST');
    expect(Buffer.from(echo.bodyBase64, 'base64')).toEqual(Buffer.from(octets));
    const names = Object.fromEntries(echo.headers);
    expect(names).toMatchObject({ 'content-type': type, 'content-length': '256' });
    expect(Object.keys(names).filter((name) => /origin|referer|cookie|user-agent|x-svc/.test(name))).toEqual(
      [],
    );
  }
  const empty = await home.echoOf(await home.post(`${WEB_URL}/echo`, ''));
  expect(empty.bodyBase64).toBe('');
});

test('other types and larger bodies are not forwarded', async () => {
  for (const type of ['multipart/form-data; boundary=a', 'application/octet-stream', 'image/png', ''])
    expect([type, (await home.post(`${WEB_URL}/echo`, 'a=b', type)).status]).toEqual([type, 403]);
  const large = await home.post(`${WEB_URL}/echo`, 'a'.repeat(1_048_577));
  expect(large.status).toBe(413);
});

test('a reply in EUC-JP is not decoded', async () => {
  const reply = await home.post(`${WEB_URL}/quiz/vote`, 'Denbun=1');
  expect(reply.headers.get('x-svc-content-type')).toBe('text/plain; charset="euc-jp"');
  expect(new TextDecoder('euc-jp').decode(await reply.arrayBuffer())).toBe('正解 1票 0票 0票 0票');
});

test('names of the broadcaster are found with a final dot and in any case', async () => {
  expect((await home.get('http://DATA.example.test./echo')).status).toBe(200);
});

test('a type that is no header value of a browser is made one', async () => {
  const answer = await home.get(
    `${WEB_URL}/status?type=${encodeURIComponent(`text/html; a="${'é'.repeat(300)}"`)}`,
  );
  expect(answer.headers.get('x-svc-content-type')).toMatch(/^text\/html; a="\?{100,}$/);
});

test('confirm answers whether a connection is accepted', async () => {
  const answer = await home.own('confirm', { host: 'data.example.test', timeout: '5000' });
  expect(await answer.json()).toEqual({
    reachable: true,
    ipAddress: '127.0.0.1',
    responseTimeMs: expect.any(Number),
  });
});

test('pinned hosts are named at the start', () => {
  const warnings = home.lines.filter((line) => line.includes('BML_HOSTS'));
  expect(warnings).toEqual([expect.stringMatching(/^WARN .*data\.example\.test,hostile\.example\.test/)]);
});
