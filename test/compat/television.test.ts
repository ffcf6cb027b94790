/** Playlist, guide, HDHomeRun documents and client links, over real sockets. */
import { describe, expect, test } from 'bun:test';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { collectPids } from './packets.ts';

const home = compatHome();
const JSON_HEADERS = { 'content-type': 'application/json' };
const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };

const main = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${home.service.url}/${path}`, init);
const text = async (url: string): Promise<string> => (await fetch(url)).text();
const json = async (url: string): Promise<unknown> => (await fetch(url)).json();

interface Lineup {
  GuideNumber: string;
  GuideName: string;
  URL: string;
  VideoCodec: string;
}

async function first(url: string, bytes: number): Promise<Uint8Array> {
  const reader = (await fetch(url)).body?.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; size < bytes; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    parts.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(parts);
}

async function isIdle(): Promise<boolean> {
  return (await home.tuners()).every(({ users }) => users.every(({ use }) => !use.startsWith('live ')));
}

describe('HDHomeRun', () => {
  test('the documents stand at the root of a port, below paths, and below Mirakurun names', async () => {
    for (const base of [
      home.hdhr,
      `${home.service.url}/tv/-/hdhr`,
      `http://127.0.0.1:${home.port}/api/iptv`,
    ]) {
      const found = (await json(`${base}/discover.json`)) as {
        LineupURL: string;
        BaseURL: string;
        DeviceID: string;
      };
      expect(found.BaseURL).toBe(base);
      expect(found.LineupURL).toBe(`${base}/lineup.json`);
      expect(found.DeviceID).toMatch(/^[0-9A-F]{8}$/);
      const lineup = (await json(found.LineupURL)) as Lineup[];
      expect(lineup.length).toBeGreaterThan(2);
      for (const { URL: url, GuideNumber } of lineup) {
        expect(url).toStartWith(`${base}/stream/`);
        expect(GuideNumber).toMatch(/^[\d.]+$/);
      }
      expect(await json(`${base}/lineup_status.json`)).toMatchObject({
        ScanInProgress: 0,
        Source: 'Antenna',
      });
      expect(await text(`${base}/device.xml`)).toContain(`<URLBase>${base}</URLBase>`);
    }
    expect((await fetch(`${home.hdhr}/lineup.post?scan=start`, { method: 'POST' })).status).toBe(200);
    expect((await fetch(`${home.hdhr}/nothing`)).status).toBe(404);
  });

  test('a station streams by address and by number, and its tuning ends with the connection', async () => {
    const [one] = (await json(`${home.hdhr}/lineup.json`)) as Lineup[];
    const head = await fetch(one?.URL ?? '', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'video/MP2T']);
    expect(head.headers.get('content-length')).toBeNull();
    for (const url of [
      one?.URL ?? '',
      `${home.hdhr}/auto/v${one?.GuideNumber}`,
      `${home.hdhr}/tuner0/v${one?.GuideNumber}`,
    ]) {
      expect(collectPids(await first(url, 150_000)).programs).toHaveLength(1);
      await until('the tuner is released', isIdle);
    }
    expect((await fetch(`${home.hdhr}/auto/v999`)).status).toBe(404);
  });

  test('the encoded lineup is another device with H.264 in transport packets', async () => {
    const base = `${home.hdhr}/h264`;
    const found = (await json(`${base}/discover.json`)) as { DeviceID: string };
    expect(found.DeviceID).not.toBe(((await json(`${home.hdhr}/discover.json`)) as typeof found).DeviceID);
    const [one] = (await json(`${base}/lineup.json`)) as Lineup[];
    expect(one?.VideoCodec).toBe('H264');
    const probe = Bun.spawn(
      [
        'ffprobe',
        '-v',
        'error',
        '-show_entries',
        'stream=codec_name',
        '-of',
        'csv=p=0',
        '-f',
        'mpegts',
        'pipe:0',
      ],
      { stdin: await first(one?.URL ?? '', 400_000), stdout: 'pipe', stderr: 'ignore' },
    );
    const codecs = new Set(
      (await new Response(probe.stdout).text()).split('\n').filter((line) => line !== ''),
    );
    expect([...codecs].sort()).toEqual(['aac', 'h264']);
    await until('the tuner is released', isIdle);
  });
});

describe('playlist and guide', () => {
  test('the playlist has the tags that Kodi and Jellyfin read, and absolute addresses', async () => {
    const response = await fetch(`${home.hdhr}/playlist.m3u`);
    expect(response.headers.get('content-type')).toBe('audio/x-mpegurl; charset=utf-8');
    const lines = (await response.text()).trim().split('\n');
    expect(lines[0]).toBe(`#EXTM3U x-tvg-url="${home.hdhr}/guide.xml" url-tvg="${home.hdhr}/guide.xml"`);
    const stations = lines.filter((line) => line.startsWith('#EXTINF'));
    expect(lines.length).toBe(1 + 3 * stations.length);
    for (const line of stations)
      expect(line).toMatch(
        /^#EXTINF:-1 tvg-id="\d+\.svc" tvg-chno="[\d.]+" tvg-name="[^"]+".* group-title="[^"]+".*,[^,]+$/,
      );
    expect(lines.filter((line) => line === '#KODIPROP:mimetype=video/mp2t')).toHaveLength(stations.length);
  });

  test('the guide has every station before its programmes', async () => {
    const guide = await text(`${home.hdhr}/guide.xml`);
    expect(guide.lastIndexOf('<channel ')).toBeLessThan(guide.indexOf('<programme '));
    expect(guide).toEndWith('</programme>\n</tv>\n');
    const listed = new Set([...guide.matchAll(/<channel id="(\d+\.svc)"/g)].map(([, id]) => id));
    for (const [, id] of guide.matchAll(/<programme [^>]*channel="(\d+\.svc)"/g))
      expect(listed).toContain(id);
  });

  test('EPGStation and mirakc options: days ahead, and letters in half width', async () => {
    const mirakurun = `http://127.0.0.1:${home.port}/api/iptv`;
    const starts = (guide: string): number[] =>
      [...guide.matchAll(/ start="(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d) \+0900"/g)].map(
        ([, year, month, day, hour, minute, second]) =>
          Date.UTC(
            +(year ?? 0),
            +(month ?? 0) - 1,
            +(day ?? 0),
            +(hour ?? 0) - 9,
            +(minute ?? 0),
            +(second ?? 0),
          ),
      );
    const all = starts(await text(`${home.hdhr}/guide.xml`));
    const day = starts(await text(`${mirakurun}/epg.xml?days=1`));
    expect(day.length).toBeGreaterThan(0);
    expect(day.length).toBeLessThan(all.length);
    expect(Math.max(...day)).toBeLessThan(Date.now() + 86_400_000);
    expect(starts(await text(`${mirakurun}/epg?days=8`)).length).toBeGreaterThan(day.length);
    expect(starts(await text(`${mirakurun}/xmltv?days=nonsense`)).length).toBeGreaterThan(day.length);
    const wide = await text(`${mirakurun}/channel.m3u8?mode=1`);
    const narrow = await text(`${mirakurun}/channel.m3u8?isHalfWidth=true&mode=1`);
    expect(wide).toContain('ＢＳひばり２');
    expect(narrow).toContain('BSひばり2');
    expect(narrow).not.toContain('ＢＳ');
    const guide = await text(`${mirakurun}/epg.xml?days=1&isHalfWidth=true`);
    expect(guide).toContain('BSひばり2');
    expect(guide).not.toMatch(/[Ａ-Ｚ０-９＆＜]/u);
    expect(guide).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/);
  });

  test('numbers and addresses are the same after a second request', async () => {
    expect(await json(`${home.hdhr}/lineup.json`)).toEqual(await json(`${home.hdhr}/lineup.json`));
  });

  test('a logo is a picture', async () => {
    const [, url] = /tvg-logo="([^"]+)"/.exec(await text(`${home.hdhr}/playlist.m3u`)) ?? [];
    if (url !== undefined) {
      const got = await fetch(url);
      expect(got.headers.get('content-type')).toBe('image/png');
      const head = await fetch(url, { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe(String((await got.arrayBuffer()).byteLength));
    }
    expect((await fetch(`${home.hdhr}/logo/1.png`)).status).toBe(404);
  });
});

describe('client links', () => {
  const create = async (name: string) => {
    const response = await main('api/client-links', {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify({ name }),
    });
    return (await response.json()) as { id: number; path: string };
  };

  test('a link opens playlist, guide and streams from outside, and nothing else', async () => {
    const { path, id } = await create('居間の Kodi');
    expect(path).toMatch(/^tv\/[\w-]{22}$/);
    const outside = (below: string): Promise<Response> => main(`${path}/${below}`, { headers: OUTSIDE });
    for (const below of [
      'playlist.m3u',
      'guide.xml',
      'calendar.ics',
      'hdhr/discover.json',
      'lineup.json',
      'h264/playlist.m3u',
    ])
      expect([below, (await outside(below)).status]).toEqual([below, 200]);
    expect(await (await outside('playlist.m3u')).text()).toContain(`${home.service.url}/${path}/stream/`);
    for (const below of ['api/settings', 'api/recordings', '%2e%2e/api/settings', 'recording/1', 'x'])
      expect([below, (await outside(below)).status]).not.toEqual([below, 200]);
    const list = (await (await main('api/client-links')).json()) as {
      links: { id: number; usedAt: number | null }[];
    };
    expect(list.links.find((one) => one.id === id)?.usedAt).toBeNumber();
    expect(JSON.stringify(list)).not.toContain(path.slice(3));
    expect(home.service.lines.join('\n')).not.toContain(path.slice(3));
  });

  test('unknown and revoked keys open nothing, and streams of a revoked one end', async () => {
    expect((await main(`tv/${'A'.repeat(22)}/playlist.m3u`)).status).toBe(404);
    expect((await main('tv/playlist.m3u')).status).toBe(404);
    const { path, id } = await create('寝室');
    const list = await (await main(`${path}/lineup.json`)).json();
    const stream = await fetch((list as Lineup[])[0]?.URL ?? '');
    const reading = stream.arrayBuffer().then(
      () => 'clean',
      () => 'broken',
    );
    expect((await main(`api/client-links/${id}`, { method: 'DELETE', headers: JSON_HEADERS })).status).toBe(
      204,
    );
    expect(await reading).toBe('broken');
    expect((await main(`${path}/playlist.m3u`)).status).toBe(404);
    expect((await main(`api/client-links/${id}`, { method: 'DELETE', headers: JSON_HEADERS })).status).toBe(
      404,
    );
    await until('the tuner is released', isIdle);
  });
});
