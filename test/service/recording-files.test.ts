/** Files of recordings over HTTP, whole and in parts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordedHome } from './recorded-home.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

describe('files', () => {
  const content = Uint8Array.from({ length: 188 * 40 }, (_, index) => (index * 7 + (index >> 8)) & 0xff);
  const file = (id: number, headers: Record<string, string> = {}, query = 'source=ts', method = 'GET') =>
    home.get(`/api/recordings/${id}/file?${query}`, { method, headers });

  test('are sent whole and in parts, to be played, not downloaded', async () => {
    const id = home.put({ content });
    const whole = await file(id);
    expect([whole.status, await whole.bytes()]).toEqual([200, content]);
    expect(whole.headers.get('content-type')).toBe('video/mp2t');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(whole.headers.get('content-length')).toBe(String(content.length));
    expect(whole.headers.get('content-disposition')).toBeNull();
    for (const [range, start, end] of [
      ['bytes=0-', 0, content.length],
      ['bytes=188-375', 188, 376],
      ['bytes=-100', content.length - 100, content.length],
      ['bytes=7000-99999', 7000, content.length],
    ] as const) {
      const part = await file(id, { range });
      expect([range, part.status]).toEqual([range, 206]);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${content.length}`);
      expect(part.headers.get('content-length')).toBe(String(end - start));
      expect(await part.bytes()).toEqual(content.slice(start, end));
    }
    const outside = await file(id, { range: 'bytes=7520-' });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([
      416,
      `bytes */${content.length}`,
    ]);
    expect((await file(id, {}, '')).status).toBe(200);
  });

  test('answer HEAD like GET, and ranges for GET only', async () => {
    const id = home.put({ content });
    const whole = await file(id);
    for (const headers of [{}, { range: 'bytes=5-9' }, { range: 'bytes=99999-' }] as Record<
      string,
      string
    >[]) {
      const head = await file(id, headers, 'source=ts', 'HEAD');
      const summary = ({ status, headers: all }: Response) => [
        status,
        all.get('content-length'),
        all.get('content-range'),
        all.get('content-type'),
        all.get('accept-ranges'),
      ];
      // RFC 9110, 14.2.
      expect(summary(head)).toEqual(summary(whole));
      expect((await head.bytes()).length).toBe(0);
    }
  });

  test('are not sent again while unchanged, and resumed only if unchanged', async () => {
    const id = home.put({ content });
    const etag = (await file(id)).headers.get('etag') ?? '';
    expect((await file(id, { 'if-none-match': etag })).status).toBe(304);
    expect((await file(id, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await file(id, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    const growing = home.put({ content, state: 'recording' }, 1);
    const part = await file(growing, { range: 'bytes=0-9' });
    expect([part.status, part.headers.get('etag'), part.headers.get('cache-control')]).toEqual([
      206,
      null,
      'no-store',
    ]);
  });

  /** Files of these lengths, each in a folder of its own; the row names the first one. */
  function putParts(lengths: readonly number[], row: Parameters<RecordedHome['put']>[0] = {}): number {
    const id = home.put({ ...row, content: content.slice(0, lengths[0]) });
    let from = lengths[0] ?? 0;
    for (const [index, length] of lengths.entries()) {
      if (index === 0) continue;
      const folder = join(home.folder, `disk${index}`);
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `r${id}.part${index + 1}.ts`);
      writeFileSync(path, content.subarray(from, from + length));
      home.database
        .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES (?, ?, ?, ?)')
        .run(id, index + 1, path, length);
      from += length;
    }
    return id;
  }

  describe('in several parts', () => {
    const lengths = [188 * 10, 188, 188 * 29];

    test('are sent as one file', async () => {
      const id = putParts(lengths);
      const whole = await file(id);
      expect([whole.status, await whole.bytes()]).toEqual([200, content]);
      const size = content.length;
      for (const [first, last] of [
        [0, size - 1],
        [0, 1879],
        [1880, 1880],
        [1879, 1880],
        [1000, 2500],
        [1880, 2067],
        [2068, size - 1],
        [7519, 7519],
      ] as const) {
        const part = await file(id, { range: `bytes=${first}-${last}` });
        expect([first, part.status, part.headers.get('content-range')]).toEqual([
          first,
          206,
          `bytes ${first}-${last}/${size}`,
        ]);
        expect(part.headers.get('content-length')).toBe(String(last + 1 - first));
        expect(await part.bytes()).toEqual(content.slice(first, last + 1));
      }
      const outside = await file(id, { range: `bytes=${size}-` });
      expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    });

    test('report their length to HEAD, and keep their ETag until one of them changes', async () => {
      const id = putParts(lengths);
      const head = await file(id, {}, 'source=ts', 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
      const etag = head.headers.get('etag') ?? '';
      expect((await file(id)).headers.get('etag')).toBe(etag);
      expect((await file(id, { 'if-none-match': etag })).status).toBe(304);
      expect((await file(id, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
      writeFileSync(join(home.folder, 'disk1', `r${id}.part2.ts`), content.subarray(0, 376));
      expect((await file(id, { 'if-none-match': etag })).status).toBe(200);
      expect((await file(id, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(200);
    });

    test('are sent while the last one grows', async () => {
      const id = putParts(lengths, { state: 'recording' });
      const part = await file(id, { range: 'bytes=1800-' });
      expect([part.status, part.headers.get('etag'), await part.bytes()]).toEqual([
        206,
        null,
        content.slice(1800),
      ]);
    });

    test('are not sent if one of them is missing: positions in the following parts would be wrong', async () => {
      const id = putParts(lengths);
      const away = join(home.folder, 'disk1', `r${id}.part2.ts`);
      renameSync(away, `${away}.away`);
      expect((await file(id)).status).toBe(404);
      renameSync(`${away}.away`, away);
      expect((await file(id)).status).toBe(200);
    });

    test('of many megabytes are sent as they are read', async () => {
      const large = Uint8Array.from({ length: 12_000_000 }, (_, index) => (index * 31 + (index >> 9)) & 0xff);
      const id = home.put({ content: large.slice(0, 7_000_000) });
      const path = join(home.folder, `r${id}.part2.ts`);
      writeFileSync(path, large.subarray(7_000_000));
      home.database
        .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES (?, 2, ?, 5000000)')
        .run(id, path);
      const range = await file(id, { range: 'bytes=100-11999899' });
      expect(range.headers.get('content-range')).toBe('bytes 100-11999899/12000000');
      expect(Buffer.compare(await range.bytes(), large.slice(100, 11_999_900))).toBe(0);
      const leaving = new AbortController();
      const left = await home.get(`/api/recordings/${id}/file?source=ts`, { signal: leaving.signal });
      await left.body?.getReader().read();
      leaving.abort();
      expect(Buffer.compare(await (await file(id)).bytes(), large)).toBe(0);
    });
  });

  test('may be larger than 32 bits can express', async () => {
    const id = home.put({ content });
    const at = 5 * 2 ** 30;
    const row = home.database.query<{ path: string }, { id: number }>(
      'SELECT path FROM recording_files WHERE recording_id = $id',
    );
    const handle = await open(row.get({ id })?.path ?? '', 'r+');
    await handle.write(content.subarray(0, 188), 0, 188, at);
    await handle.close();
    // Nothing is read to determine the length.
    const read = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const before = read();
    const head = await file(id, {}, 'source=ts', 'HEAD');
    expect(head.headers.get('content-length')).toBe(String(at + 188));
    expect(read() - before).toBeLessThan(2 ** 30);
    const part = await file(id, { range: `bytes=${at}-` });
    expect(part.headers.get('content-range')).toBe(`bytes ${at}-${at + 187}/${at + 188}`);
    expect(await part.bytes()).toEqual(content.slice(0, 188));
  });

  test('missing files and paths outside the folder are not sent', async () => {
    const id = home.put({ content });
    for (const query of ['source=encoded', 'source=alt', 'audio=only', 'source=ts&audio=only']) {
      const response = await file(id, {}, query);
      expect([query, response.status]).toEqual([query, 404]);
    }
    expect((await file(id, {}, 'source=../secret')).status).toBe(400);
    expect((await home.get(`/api/recordings/${id}/poster`)).status).toBe(404);
    const point = (path: string): void => {
      home.database
        .query('UPDATE recording_files SET path = $path WHERE recording_id = $id')
        .run({ id, path });
    };
    const secret = join(home.service.folder, 'svc.db');
    symlinkSync(secret, join(home.folder, `link r${id}.ts`));
    for (const path of [
      join(home.folder, `link r${id}.ts`),
      home.folder,
      join(home.folder, 'gone.ts'),
      join(home.folder, 'x'.repeat(300)),
    ]) {
      point(path);
      expect([path, (await file(id)).status]).toEqual([path, 404]);
    }
    const binned = home.put({ content, binnedAt: Date.now() }, 1);
    expect((await file(binned)).status).toBe(404);
  });

  test('a client that disconnects half-way does not affect the service', async () => {
    const id = home.put({ content: new Uint8Array(8_000_000) });
    for (let time = 0; time < 5; time++) {
      const leaving = new AbortController();
      const response = await home.get(`/api/recordings/${id}/file?source=ts`, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
    }
    expect((await (await file(id)).bytes()).length).toBe(8_000_000);
  });
});
