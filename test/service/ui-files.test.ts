/** The files of the UI as a running service sends them. */
import { describe, expect, test } from 'bun:test';
import { rawRequest, startTestService } from './harness.ts';
import { servedHome } from './served-home.ts';

const home = servedHome();
const { get } = home;

describe('the files of the UI', () => {
  test('the caption font is revalidated by its ETag', async () => {
    const font = await get('/api/font/svc-font.woff2');
    expect(font.status).toBe(200);
    expect(font.headers.get('content-type')).toBe('font/woff2');
    expect(font.headers.get('cache-control')).toBe('no-cache');
    const etag = font.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await get('/api/font/svc-font.woff2', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('the decoder is compressed, revalidated by its ETag, and no other name is served', async () => {
    const wasm = await get('/api/live/mpeg2/decoder.wasm', { headers: { 'accept-encoding': 'gzip' } });
    expect([wasm.status, wasm.headers.get('content-type')]).toEqual([200, 'application/wasm']);
    expect(wasm.headers.get('content-encoding')).toBe('gzip');
    expect(wasm.headers.get('vary')).toContain('accept-encoding');
    const smaller = await get('/api/live/mpeg2/decoder.wasm', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(smaller.headers.get('content-encoding')).toBe('br');
    // The client of the test decodes both.
    expect(Buffer.compare(await smaller.bytes(), await wasm.bytes())).toBe(0);
    const etag = wasm.headers.get('etag') ?? '';
    const again = await get('/api/live/mpeg2/decoder.wasm', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    for (const name of ['decoder.mjs', 'index.html', 'icon.svg', '..%2Ficon.svg']) {
      const missing = await get(`/api/live/mpeg2/${name}`);
      expect([name, missing.status]).toEqual([name, 404]);
      expect(await missing.json()).toMatchObject({ code: 'not_found' });
    }
  });

  test('every screen is the same document, with the base address filled in', async () => {
    for (const path of [
      '/',
      '/guide',
      '/live/400151',
      '/watch/1',
      '/chase/1',
      '/multi',
      '/settings',
      '/offline',
    ]) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await response.text()).toContain('<base href="/">');
    }
    for (const path of ['/live', '/live/abc', '/nowhere', '/index.html']) {
      const unknown = await get(path, { headers: { accept: 'text/html' } });
      expect([path, unknown.status]).toEqual([path, 404]);
      // The UI reports it itself, and links to the start page.
      expect(await unknown.text()).toContain('<base href="/">');
    }
  });

  test("a trusted proxy's path prefix is the base address", async () => {
    const prefixed = await get('/guide', { headers: { 'x-forwarded-prefix': '/tv' } });
    expect(await prefixed.text()).toContain('<base href="/tv/">');
    const nasty = await get('/', { headers: { 'x-forwarded-prefix': '/"><script>' } });
    expect(await nasty.text()).toContain('<base href="/">');
    const slash = await get('/guide/?type=BS', { headers: { 'x-forwarded-prefix': '/tv' } });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '/tv/guide?type=BS']);
  });

  test('files with hashed names are cached for ever, others revalidated', async () => {
    const script = await get('/app-1a2b3c4d.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toStartWith('text/javascript');
    const icon = await get('/icon.svg');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect((await get('/icon-maskable.svg')).headers.get('cache-control')).toBe('no-cache');
    const etag = icon.headers.get('etag') ?? '';
    const again = await get('/icon.svg', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const index = await get('/');
    const same = await get('/guide', { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
  });

  test('text is compressed for clients that accept it', async () => {
    const raw = await rawRequest(
      home.port,
      'GET /app-1a2b3c4d.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: deflate, gzip\r\nConnection: close\r\n\r\n',
    );
    expect(raw.toLowerCase()).toContain('content-encoding: gzip');
    expect(raw.length).toBeLessThan(1500);
    const refused = await rawRequest(
      home.port,
      'GET /app-1a2b3c4d.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0\r\nConnection: close\r\n\r\n',
    );
    expect(refused.toLowerCase()).not.toContain('content-encoding');
  });

  test('the document has a policy that allows media blobs and workers, and no inline script', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("media-src 'self' blob:");
    expect(policy).toContain("'wasm-unsafe-eval'");
    expect(policy).not.toContain("'unsafe-inline'");
    expect((await get('/api/services')).headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('without a built UI a page explains that', async () => {
    const bare = await startTestService();
    try {
      const response = await fetch(`${bare.url}/`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('npm run build');
    } finally {
      await bare.close();
    }
  });
});
