import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startWeb, type WebServer } from './server.ts';

let web: WebServer;
beforeAll(() => {
  web = startWeb(0);
});
afterAll(() => web.close());

const at = (path: string): string => `http://127.0.0.1:${web.port}${path}`;
const decoded = async (answer: Response): Promise<string> =>
  new TextDecoder('euc-jp', { fatal: true }).decode(await answer.arrayBuffer());
const post = (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  fetch(at(path), { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });

describe('the quiz', () => {
  test('counts answers, and answers in EUC-JP', async () => {
    expect(await decoded(await post('/quiz/vote', 'Denbun=1'))).toBe('正解 1票 0票 0票 0票');
    // 'name=': 'あ' percent-encoded in EUC-JP.
    const page = await post('/quiz/answer', 'answer=2&name=%A4%A2');
    expect(page.headers.get('content-type')).toBe('text/X-arib-bml; charset="euc-jp"');
    const text = await decoded(page);
    expect(text).toContain('あさん、残念、不正解です');
    expect(text).toContain('富士山 1票');
    expect(text).toContain('北岳 1票');
  });

  test('refuses other answers, and survives any octets', async () => {
    expect((await post('/quiz/vote', 'Denbun=9')).status).toBe(400);
    expect((await post('/quiz/vote', Uint8Array.of(0xff, 0x26, 0x3d, 0))).status).toBe(400);
    const odd = await post('/quiz/answer', 'answer=1&name=%8F%B0%A1<&"');
    expect(await decoded(odd)).toContain('〓');
  });
});

test('postal codes are found', async () => {
  expect(await decoded(await fetch(at('/postal/place.txt?code=0600001')))).toBe('北海道札幌市中央区北一条西');
  expect((await fetch(at('/postal/place.txt?code=constructor'))).status).toBe(404);
  expect(await decoded(await fetch(at('/postal/place.bml?code=9000014')))).toContain('沖縄県那覇市松尾');
});

test('files that the documents name exist', async () => {
  for (const document of ['/quiz/quiz.bml', '/news/news.bml', '/postal/postal.bml']) {
    const text = await decoded(await fetch(at(document)));
    const names = [...text.matchAll(/(?:href|src|data)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(1);
    // The picture of the broadcast is none of them.
    for (const name of names.filter((one) => !one.startsWith('arib:'))) {
      const file = await fetch(new URL(name, at(document)));
      expect([name, file.status]).toEqual([name, 200]);
      await file.body?.cancel();
    }
  }
});

test('the application and its AIT: every file that they name is there, and votes are counted', async () => {
  const ait = await (await fetch(at('/hybrid/ait.xml'))).text();
  const [, base = '', location = ''] =
    /<mhp:URLBase>([^<]*)<[\s\S]*<mhp:applicationLocation>([^<]*)</.exec(ait) ?? [];
  const page = await fetch(at(new URL(base + location).pathname));
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const names = [...(await page.text()).matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name = '']) => name);
  expect(names.length).toBe(3);
  for (const name of names) expect((await fetch(at(`/hybrid/${name}`))).status).toBe(200);
  const vote = (body: string) => fetch(at('/hybrid/vote'), { method: 'POST', body });
  await vote('{"answer":1}');
  expect(await (await vote('{"answer":1}')).json()).toMatchObject({
    counts: [{ count: 0 }, { count: 2 }, {}],
  });
  for (const body of ['', '{}', '{"answer":9}', 'null']) expect((await vote(body)).status).toBe(400);
});
