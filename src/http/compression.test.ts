import { describe, expect, test } from 'bun:test';
import { JsonCompression } from './compression.ts';
import { accepts } from './route/request.ts';

const LARGE = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, title: `番組 ${id % 7}` })));

function asked(encodings: string | null = 'gzip, deflate, br', method = 'GET'): Request {
  const headers: Record<string, string> = encodings === null ? {} : { 'accept-encoding': encodings };
  return new Request('http://localhost/api/x', { method, headers });
}

function json(body: string, etag: string | null = null, init: ResponseInit = {}): Response {
  const headers = { 'content-type': 'application/json', ...(etag === null ? {} : { etag }) };
  return new Response(body, { headers, ...init });
}

async function unzipped(response: Response): Promise<string> {
  return new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()));
}

describe('JsonCompression', () => {
  test('a large answer is compressed to the same text', async () => {
    const response = await new JsonCompression().apply(asked(), json(LARGE, 'W/"a"'), '/x');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('etag')).toBe('W/"a"');
    expect(await unzipped(response)).toBe(LARGE);
  });

  test('errors, small answers, other types and clients without gzip are not compressed', async () => {
    const rows: [string, Request, Response][] = [
      ['no encoding accepted', asked(null), json(LARGE)],
      ['gzip refused', asked('gzip;q=0, br'), json(LARGE)],
      ['small', asked(), json('{}')],
      ['HEAD', asked('gzip', 'HEAD'), json(LARGE)],
      [
        'an error',
        asked(),
        json(LARGE, null, { status: 400, headers: { 'content-type': 'application/json' } }),
      ],
      ['no JSON', asked(), new Response(LARGE, { headers: { 'content-type': 'text/event-stream' } })],
    ];
    for (const [what, request, response] of rows) {
      const answer = await new JsonCompression().apply(request, response, '/x');
      expect([what, answer.headers.get('content-encoding')]).toEqual([what, null]);
      expect([what, (await answer.text()).length]).toEqual([what, what === 'small' ? 2 : LARGE.length]);
    }
  });

  test('an endless stream is passed through unread', async () => {
    const body = new ReadableStream({ pull: () => {} });
    const stream = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    expect(await new JsonCompression().apply(asked(), stream, '/x')).toBe(stream);
    await body.cancel();
  });

  test('a 304 carries Vary: Accept-Encoding', async () => {
    const answer = new Response(null, { status: 304, headers: { 'content-type': 'application/json' } });
    const response = await new JsonCompression().apply(asked(), answer, '/x');
    expect([response.status, response.headers.get('vary')]).toEqual([304, 'accept-encoding']);
  });

  test('polled answers are compressed once per content', async () => {
    const compression = new JsonCompression();
    const ask = async (etag: string | null, body = LARGE): Promise<string> =>
      unzipped(await compression.apply(asked(), json(body, etag), '/x'));
    await Promise.all(Array.from({ length: 5 }, () => ask('"a"')));
    await ask('"a"');
    expect(compression.runs).toBe(1);
    const changed = LARGE.replace('番組 1', '番組 9');
    expect(await ask('"b"', changed)).toBe(changed);
    expect(compression.runs).toBe(2);
    await ask(null);
    await ask(null);
    expect(compression.runs).toBe(4);
  });

  test('concurrency and memory are bounded', async () => {
    const compression = new JsonCompression();
    const random = (): string =>
      JSON.stringify(Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('hex'));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => compression.apply(asked(), json(random(), `"${n}"`), `/${n}`)),
    );
    const sent = answers.map((answer) => answer.headers.get('content-encoding'));
    expect(sent.filter((encoding) => encoding === 'gzip')).toHaveLength(2);
    for (let n = 0; n < 100; n += 1) await compression.apply(asked(), json(random(), `"${n}"`), `/${n}`);
    expect(compression.keptBytes).toBeLessThanOrEqual(4 * 1_048_576);
    expect(compression.keptBytes).toBeGreaterThan(3 * 1_048_576);
  });
});

test('accepts reads quality values', () => {
  for (const [value, accepted] of [
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0, br', false],
    ['br', false],
  ] as const) {
    expect([value, accepts(asked(value), 'gzip')]).toEqual([value, accepted]);
  }
  expect(accepts(asked('gzip, br'), 'br')).toBe(true);
  expect(accepts(asked('gzip, br;q=0'), 'br')).toBe(false);
});
