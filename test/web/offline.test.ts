import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { CHROMIUM, hasChromium, PLAIN_HOST } from './browser.ts';
import { SCENES } from './caption-scenes.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { FULL_CHROMIUM, hasFullChromium, type OfflineHome, offlineHome } from './offline-home.ts';
import { ofItsMoment, recordedScores } from './recorded-pages.ts';

const CAPTION = SCENES.find(({ name }) => name === 'one-line')?.scene.page;
if (CAPTION === undefined) throw new Error('no caption');
/** A picture of one grey point. */
const JPEG = Uint8Array.fromBase64(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
);

const GONE = 'サーバーの録画、またはそのファイルが削除されています';

async function pressSave(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'その他', exact: true });
  await more.waitFor();
  if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
  await page.getByRole('button', { name: 'この端末に保存' }).click();
}
const isSaved = (page: Page) => page.getByText('この端末に保存済み').waitFor();

/** State and failure of each row, from the database itself. */
function rows(page: Page) {
  return page.evaluate(
    () =>
      new Promise<{ id: number; state: string; failure: string | null; bytes: number | null; way: string }[]>(
        (resolve) => {
          const opening = indexedDB.open('svc-offline');
          opening.onsuccess = () => {
            const reading = opening.result.transaction('videos').objectStore('videos').getAll();
            reading.onsuccess = () => {
              opening.result.close();
              const all = reading.result as {
                id: number;
                state: string;
                failure: string | null;
                way: string;
                video: Blob | null;
              }[];
              resolve(
                all.map(({ id, state, failure, way, video }) => ({
                  id,
                  state,
                  failure,
                  way,
                  bytes: video?.size ?? null,
                })),
              );
            };
          };
        },
      ),
  );
}

/** Changes the only row, as an earlier page would have left it. */
function change(page: Page, fields: object) {
  return page.evaluate(
    (changed) =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open('svc-offline');
        opening.onsuccess = () => {
          const videos = opening.result.transaction('videos', 'readwrite').objectStore('videos');
          const reading = videos.getAll();
          reading.onsuccess = () => videos.put({ ...reading.result[0], ...changed }, reading.result[0].id);
          videos.transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
    fields,
  );
}

/** Seconds that are shown, and whether a picture stands there. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    return { at: video?.currentTime ?? 0, width: video?.videoWidth ?? 0 };
  });
const plays = (page: Page) =>
  page.waitForFunction(() => {
    const video = document.querySelector('video');
    return video !== null && video.videoWidth > 0 && video.currentTime > 1 && !video.paused;
  });

/** First and last octet of ranges that follow each other, and their number. */
function covered(ranges: readonly (string | null)[]): number[][] {
  const spans = ranges.map((range) => (range ?? '').replace('bytes=', '').split('-').map(Number));
  const joined: number[][] = [];
  for (const [from = Number.NaN, to = Number.NaN] of spans.sort(([a = 0], [b = 0]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && last[1] === from - 1) last.splice(1, 2, to, (last[2] ?? 0) + 1);
    else joined.push([from, to, 1]);
  }
  return joined;
}

describe.skipIf(!hasChromium)('saved by the page', () => {
  let home: OfflineHome;
  beforeAll(async () => {
    home = await offlineHome(CHROMIUM);
  });
  afterAll(() => home.close());
  beforeEach(() => home.context.addInitScript(() => localStorage.setItem('svc.offline-page-only', 'true')));
  afterEach(() => home.reset());

  async function save(page: Page): Promise<void> {
    await pressSave(page);
    await isSaved(page);
  }

  test('watched without the service, with captions, chapters and place, which it is told later', async () => {
    const { file, playback } = home;
    playback.chapters = [
      { start: 0, end: 10, title: '本編' },
      { start: 10, end: 15, title: 'CM' },
      { start: 15, end: 30, title: '本編' },
    ];
    playback.captions = { v: 1, pages: [{ at: 1, page: CAPTION }] };
    playback.picture = JPEG;
    playback.previews = {
      ...{ width: 160, height: 90, columns: 10, rows: 10, count: 4, intervalMs: 10_000 },
      sheets: ['api/recordings/1/previews/0'],
    };
    const page = await home.open('recordings?recording=1');
    await save(page);
    expect(await rows(page)).toEqual([
      { id: 1, state: 'ready', failure: null, bytes: file.bytes.length, way: 'page' },
    ]);
    expect(covered(file.ranges)).toEqual([[0, file.bytes.length - 1, 3]]);
    // Online, too, the file that is here is played.
    await page.goto(`${home.url}watch/1`);
    await plays(page);
    expect([playback.seen.length, file.ranges.length]).toEqual([0, 3]);

    await home.away();
    await page.goto(`${home.url}guide`);
    await page.getByRole('heading', { name: 'オフライン再生' }).waitFor();
    await page.getByRole('link', { name: /第1話/ }).click();
    await plays(page);
    await page.keyboard.press(']');
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 9);
    await page.waitForFunction(() => {
      const canvas = document.querySelector('canvas');
      const drawn = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
      return drawn?.some((value) => value !== 0);
    });
    await page.locator('.stage').hover();
    const bar = await page.locator('.seek').boundingBox();
    if (bar === null) throw new Error('no bar');
    expect(await page.locator('.seek-cm').count()).toBe(1);
    await page.mouse.move(bar.x + bar.width * 0.4, bar.y + bar.height / 2);
    await page.waitForFunction(() => document.querySelector('.seek-bubble')?.innerHTML.includes('blob:'));
    await page.keyboard.press('k');
    const { at } = await shown(page);
    await page.goBack();
    await page.getByText('まで視聴').waitFor();
    await page.getByText('再生位置をサーバーへ送信').waitFor();
    home.back();
    await until(() => home.service.household.recordings.list[0]?.resumeMs !== null);
    const told = home.service.household.recordings.list[0]?.resumeMs ?? 0;
    expect(Math.abs(told / 1000 - at)).toBeLessThan(8);
    await page.getByText('再生位置をサーバーへ送信').waitFor({ state: 'detached' });
  });

  test('deleted without the service: it agrees once it is back, and what it refuses is said', async () => {
    const page = await home.open('recordings?recording=1');
    await save(page);
    await page.goto(`${home.url}offline`);
    await home.away();
    await page.getByRole('button', { name: /この端末から消す/ }).click();
    await page.getByRole('button', { name: '録画も削除する' }).click();
    await page.getByText('をサーバーから削除').waitFor();
    expect(await rows(page)).toEqual([]);
    home.back();
    const { household } = home.service;
    await until(() => !household.recordings.list.some(({ id }) => Number(id) === 1));
    await page.getByText('をサーバーから削除').waitFor({ state: 'detached' });
    expect(household.asked.filter((one) => one.startsWith('DELETE'))).toHaveLength(1);
  });

  test('its data broadcast is saved with it, and is that of the place without the service', async () => {
    const scores = { length: 30, every: 2, startAt: Date.now() - 86_400_000 };
    home.playback.data = recordedScores(scores);
    const page = await home.open('recordings?recording=1');
    await save(page);
    expect(home.playback.dataAsked).toEqual([0]);
    await home.away();
    await page.goto(`${home.url}watch/1?t=5`);
    await plays(page);
    await page.keyboard.press('d');
    for (const key of ['7', '2', '8']) {
      await page.keyboard.press(key);
      await page.waitForFunction(
        (from) => Math.abs((document.querySelector('video')?.currentTime ?? 0) - from) < 3,
        Number(key) * 3,
      );
      await ofItsMoment(page, scores);
    }
    home.back();
    // Another recording has none: what is not there is not fetched.
    home.playback.data = undefined;
    await page.goto(`${home.url}recordings?recording=2`);
    await save(page);
    expect(await rows(page)).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  });

  /** A file of three parts, of which all but the first wait. */
  function slow(): { release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(home.file, { open: 1, gate: promise });
    return { release: resolve };
  }

  const partsHeld = (page: Page) =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const opening = indexedDB.open('svc-offline');
          opening.onsuccess = () => {
            const counting = opening.result.transaction('parts').objectStore('parts').count();
            counting.onsuccess = () => {
              opening.result.close();
              resolve(counting.result);
            };
          };
        }),
    );

  test('the tab is closed and opened: it goes on where it was', async () => {
    const { release } = slow();
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(async () => (await partsHeld(page)) === 1);
    await page.close({ runBeforeUnload: false });
    release();
    const again = await home.open('offline');
    await again.getByRole('heading', { name: '見られる録画' }).waitFor();
    const { bytes, ranges } = home.file;
    expect(await rows(again)).toMatchObject([{ state: 'ready', bytes: bytes.length }]);
    expect(ranges.filter((range) => range?.startsWith('bytes=0-'))).toHaveLength(1);
    await until(async () => (await partsHeld(again)) === 0);
    await again.getByRole('link', { name: /第1話/ }).click();
    await plays(again);
  });

  test('stopped while a piece arrives: nothing of it stays on the device', async () => {
    const { release } = slow();
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(async () => (await partsHeld(page)) === 1);
    await page.getByRole('link', { name: /保存しています/ }).click();
    // The end of a piece that is complete already is stopped too late.
    await page.evaluate(() => {
      AbortController.prototype.abort = () => undefined;
    });
    await page.getByRole('button', { name: '保存をやめる' }).click();
    await until(async () => (await rows(page)).length === 0);
    release();
    await page.waitForFunction(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.every(({ name }) => name !== 'svc-offline-download');
    });
    expect(await partsHeld(page)).toBe(0);
  });

  test('the service goes away and comes back: it goes on without a press', async () => {
    slow();
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(async () => (await partsHeld(page)) === 1);
    await home.away();
    await page.getByRole('link', { name: /保存しています/ }).click();
    await page.getByText('サーバーに接続できません。接続できしだい続けます').waitFor();
    home.file.open = Number.POSITIVE_INFINITY;
    home.back();
    await page.getByRole('heading', { name: '見られる録画' }).waitFor();
    expect(home.file.ranges.filter((range) => range?.startsWith('bytes=0-'))).toHaveLength(1);
  });

  test('deleted at the service meanwhile: said, and kept for another try', async () => {
    const { release } = slow();
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(async () => (await partsHeld(page)) === 1);
    home.playback.file = undefined;
    await home.away();
    home.back();
    release();
    await page.goto(`${home.url}offline`);
    await page.getByText(GONE).first().waitFor();
    expect(await rows(page)).toMatchObject([{ state: 'failed', failure: 'gone' }]);
    await page.getByRole('button', { name: 'もう一度保存' }).click();
    await page.getByText(GONE, { exact: true }).waitFor();
    expect(await rows(page)).toMatchObject([{ state: 'failed', failure: 'gone' }]);
  });

  test('two tabs: one downloads at a time, everything once', async () => {
    const { release } = slow();
    const one = await home.open('recordings?recording=1');
    await pressSave(one);
    await until(async () => (await partsHeld(one)) === 1);
    const two = await home.open('recordings?recording=2');
    await pressSave(two);
    await two.getByText('保存の順番を待っています').waitFor();
    release();
    await isSaved(two);
    expect((await rows(two)).map(({ id, state }) => [id, state])).toEqual([
      [1, 'ready'],
      [2, 'ready'],
    ]);
    expect(home.file.ranges).toHaveLength(6);
    // The tab that did not download knows it, too.
    await one.goto(`${home.url}offline`);
    await until(async () => (await one.getByRole('link', { name: /灯台守の娘/ }).count()) === 2);
  });

  test('without space it is refused; a device that fills meanwhile fails it, and another try goes on', async () => {
    const page = await home.open('recordings?recording=1');
    await page.evaluate(() => {
      Object.assign(navigator.storage, { estimate: async () => ({ quota: 100_000_000, usage: 99_000_000 }) });
    });
    await pressSave(page);
    await page.getByText(/空きが足りません。4.7\u00a0MBほど必要です/u).waitFor();
    expect([home.file.ranges, await rows(page)]).toEqual([[], []]);
    // Chromium hides its true quota, and enforces it a while after it was exceeded: the store refuses by itself here.
    await page.reload();
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...row: Parameters<typeof put>) {
        if (this.name === 'parts') throw new DOMException('full', 'QuotaExceededError');
        return put.apply(this, row);
      };
    });
    await pressSave(page);
    await page.getByText('この端末の空きが足りなくなりました').first().waitFor();
    expect(await rows(page)).toMatchObject([{ state: 'failed', failure: 'full' }]);
    await page.reload();
    await page.getByRole('button', { name: 'もう一度保存' }).click();
    await isSaved(page);
  });

  /** Changes the rows of the database itself. @param change JavaScript: `row` to the new row */
  const damage = (page: Page, change: string) =>
    page.evaluate(
      (text) =>
        new Promise((resolve) => {
          const changed = new Function('row', `return ${text}`) as (row: object) => object;
          const opening = indexedDB.open('svc-offline');
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('videos', 'readwrite');
            const store = transaction.objectStore('videos');
            const reading = store.openCursor();
            reading.onsuccess = () => {
              const cursor = reading.result;
              if (cursor === null) return;
              cursor.update(changed(cursor.value));
              cursor.continue();
            };
            transaction.oncomplete = () => {
              opening.result.close();
              resolve(0);
            };
          };
        }),
      change,
    );

  test('what the browser has deleted or damaged is said, played by the service, and saved again', async () => {
    const page = await home.open('recordings?recording=1');
    await save(page);
    await damage(page, "({ ...row, video: new Blob(['nothing of a film']) })");
    await page.goto(`${home.url}watch/1`);
    await until(async () => (await rows(page))[0]?.failure === 'lost');
    await page.goto(`${home.url}offline`);
    await page.getByText('保存したデータが、ブラウザーに消されました').waitFor();
    await page.goto(`${home.url}watch/1`);
    await plays(page);
    expect(home.playback.seen.length).toBeGreaterThan(0);
    await page.goto(`${home.url}offline`);
    await page.getByRole('button', { name: 'もう一度保存' }).click();
    await page.getByRole('heading', { name: '見られる録画' }).waitFor();
    // A row that is none is neither shown nor in the way.
    await damage(page, "({ id: 'x', state: 7, video: row.video })");
    await page.goto(`${home.url}recordings?recording=1`);
    await save(page);
    expect(await rows(page)).toMatchObject([{ id: 1, state: 'ready' }]);
  });

  test('several are saved from the list with one press, and what was watched goes by itself, if that was chosen', async () => {
    // Not converted.
    home.service.household.recordings.list.find(({ id }) => Number(id) === 3)?.files.splice(0);
    const page = await home.open('recordings');
    await page.getByRole('button', { name: '選択', exact: true }).click();
    for (const number of [1, 2, 3])
      await page.getByRole('button', { name: new RegExp(`第${number}話.*選`, 'u') }).click();
    await page.getByRole('button', { name: '端末に保存' }).click();
    await page.getByText('2件をこの端末に保存します').waitFor();
    await page.getByText('1件は保存できません').waitFor();
    await until(async () => {
      const held = await rows(page);
      return held.length === 2 && held.every(({ state }) => state === 'ready');
    });
    await page.locator('.rec-lock[title="端末に保存済み"]').first().waitFor();

    const watched = (id: number): void => {
      const one = home.service.household.recordings.list.find((recording) => Number(recording.id) === id);
      Object.assign(one ?? {}, { watchedAt: Date.now() });
      home.service.send('recordings');
    };
    await page.goto(`${home.url}offline`);
    watched(1);
    await page.getByText('オフライン再生').first().waitFor();
    expect(await rows(page)).toHaveLength(2);
    await page.getByRole('switch', { name: '視聴済みを自動で消す' }).click();
    await page.getByText('視聴済みの1件をこの端末から消しました').waitFor();
    expect((await rows(page)).map(({ id }) => id)).toEqual([2]);
    // Also what was watched to its end here.
    await page.goto(`${home.url}watch/2`);
    await plays(page);
    watched(2);
    await page.goto(`${home.url}offline`);
    await page.getByText('保存した録画はありません').waitFor();
    const { list } = home.service.household.recordings;
    expect(list.filter(({ id }) => Number(id) <= 2)).toHaveLength(2);
  });

  test('a damaged database is made anew, and that is said; one of a newer version is left alone', async () => {
    const page = await home.open('empty');
    const make = (version: number) =>
      page.evaluate((wanted) => {
        localStorage.setItem('svc.offline-used', 'true');
        return new Promise((resolve) => {
          const opening = indexedDB.open('svc-offline', wanted);
          opening.onupgradeneeded = () => {
            if (!opening.result.objectStoreNames.contains('other')) opening.result.createObjectStore('other');
          };
          opening.onsuccess = () => {
            opening.result.close();
            resolve(0);
          };
        });
      }, version);
    await make(1);
    await page.goto(`${home.url}offline`);
    await page.getByText('データが壊れていたため、作り直しました').waitFor();
    await page.goto(`${home.url}recordings?recording=1`);
    await save(page);

    await page.goto(`${home.url}empty`);
    await make(2);
    await page.goto(`${home.url}offline`);
    await page.getByText('この端末の保存データは新しい版のものです').waitFor();
    await page.goto(`${home.url}empty`);
    const names = await page.evaluate(async () =>
      (await indexedDB.databases()).map(({ name, version }) => [name, version]),
    );
    expect(names).toEqual([['svc-offline', 2]]);
  });

  test('the next three episodes of a series come by themselves, and go when they were watched', async () => {
    const page = await home.open('recordings?series=drama');
    await page.getByRole('button', { name: '次の3話を自動で保存' }).click();
    await until(async () => (await rows(page)).filter(({ state }) => state === 'ready').length === 3);
    expect((await rows(page)).map(({ id }) => id)).toEqual([2, 3, 4]);
    const { list } = home.service.household.recordings;
    Object.assign(list.find(({ id }) => Number(id) === 4) ?? {}, { watchedAt: Date.now() });
    home.service.send('recordings');
    await until(async () => {
      const held = await rows(page);
      return held.map(({ id }) => id).join() === '1,2,3' && held.every(({ state }) => state === 'ready');
    });
    await page.goto(`${home.url}offline`);
    await page.getByRole('button', { name: /自動で保存しない/ }).click();
    await page.getByText('シリーズの自動保存').waitFor({ state: 'detached' });
    expect(await rows(page)).toHaveLength(3);
  });

  test('everything on it fits a phone and can be read', async () => {
    const { release } = slow();
    const page = await home.open('recordings?recording=1');
    home.file.open = 3;
    await save(page);
    await page.goto(`${home.url}recordings?recording=2`);
    await pressSave(page);
    await until(() => home.file.ranges.length > 3);
    await page.goto(`${home.url}recordings?recording=3`);
    await pressSave(page);
    await page.getByText('保存の順番を待っています').waitFor();
    await page.goto(`${home.url}offline`);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByText(/保存しています/).waitFor();
    await page.getByRole('button', { name: '一時停止' }).last().click();
    await page.getByText('保存を一時停止中').waitFor();
    if (process.env.OFFLINE_PICTURE !== undefined)
      await page.screenshot({ path: process.env.OFFLINE_PICTURE, fullPage: true });
    expect([
      ...(await tooWide(page)),
      ...(await tooSmall(page, '.progress')),
      ...(await violations(page)),
    ]).toEqual([]);
    await page.getByRole('button', { name: '再開' }).click();
    release();
    await until(async () => (await rows(page)).every(({ state }) => state === 'ready'));
  });

  test('over plain http it says what is needed, and offers the file', async () => {
    const page = await home.context.newPage();
    const { port, pathname } = new URL(home.url);
    await page.goto(`http://${PLAIN_HOST}:${port}${pathname}recordings?recording=1`);
    await pressSave(page);
    await page.getByText('https で開く必要があります').waitFor();
    const link = page.getByRole('link', { name: 'ファイルをダウンロード' });
    expect(await link.getAttribute('href')).toBe('api/recordings/1/file?source=alt');
  });

  test('an update of the app keeps what is saved, and starts offline itself', async () => {
    const page = await home.open('recordings?recording=1');
    await save(page);
    const { folder, script } = await anotherBuild(home.service.webDir);
    await home.away();
    home.back(folder);
    await page.goto(`${home.url}offline`);
    const caches = () =>
      page.evaluate(async () => {
        const names = await window.caches.keys();
        const keys = await Promise.all(names.map(async (name) => (await window.caches.open(name)).keys()));
        return keys.flat().map(({ url }) => new URL(url).pathname);
      });
    // The debugger may keep the worker before from becoming idle, which the next one waits for.
    const debug = await home.context.newCDPSession(page);
    await debug.send('ServiceWorker.enable');
    const isWaiting = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting != null);
    await until(async () => {
      if (await isWaiting()) await debug.send('ServiceWorker.stopAllWorkers');
      const held = await caches();
      return held.includes(`/tv/${script}`) && held.filter((path) => /app-/u.test(path)).length === 1;
    });
    // The app shell and the entry page alone.
    expect((await caches()).filter((path) => path.includes('/api/'))).toEqual([]);
    await home.away();
    await page.goto(`${home.url}`);
    await page.getByRole('link', { name: /第1話/ }).click();
    await plays(page);
    expect(await page.locator('script[type=module]').getAttribute('src')).toBe(script);
  });
});

/** The same UI under other names, as after an update of the service. */
async function anotherBuild(webDir: string): Promise<{ folder: string; script: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  await cp(webDir, folder, { recursive: true });
  const other = (text: string): string => text.replace(/-\w{2}(\w{6}\.js)\b/gu, '-00$1');
  for (const name of await readdir(folder)) {
    if (!/\.(?:js|html)$/u.test(name)) continue;
    const text = await Bun.file(join(folder, name)).text();
    await rm(join(folder, name));
    await Bun.write(join(folder, other(name)), other(text).replace(/version:"\w+"/u, 'version:"other"'));
  }
  const html = await Bun.file(join(folder, 'index.html')).text();
  const [script = ''] = /app-[a-z0-9]{8}\.js/u.exec(html) ?? [];
  expect(script).toStartWith('app-00');
  return { folder, script };
}

describe.skipIf(!hasFullChromium)('saved by the browser in the background', () => {
  let home: OfflineHome;
  beforeAll(async () => {
    home = await offlineHome(FULL_CHROMIUM);
  });
  afterAll(() => home.close());
  afterEach(() => home.reset());

  test('goes on without a tab, leaving out what is not there', async () => {
    home.playback.captions = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(home.file, { open: 0, gate: promise });
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await page.getByText('保存しています（0%）').waitFor();
    await until(() => home.file.ranges.length === 1);
    expect(await rows(page)).toMatchObject([{ state: 'downloading', way: 'background' }]);
    await page.goto('about:blank');
    resolve();
    await page.goto(`${home.url}offline`);
    await page.getByRole('heading', { name: '見られる録画' }).waitFor();
    expect(await rows(page)).toMatchObject([{ state: 'ready', bytes: home.file.bytes.length }]);
    expect(home.file.ranges).toEqual([null]);
    await page.getByRole('link', { name: /第1話/ }).click();
    await plays(page);
  });

  test('more than was measured fails, and another try succeeds', async () => {
    home.file.told = 1_000_000;
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await page.getByText('ファイルが、測ったときより大きくなっています').waitFor();
    delete home.file.told;
    await page.getByRole('button', { name: 'もう一度保存' }).click();
    await isSaved(page);
  });

  test('a service that goes away and comes back: saving goes on by itself', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(home.file, { open: 0, gate: promise });
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(() => home.file.ranges.length === 1);
    await home.away();
    resolve();
    home.back();
    // By the browser, or by the page where the browser gives up.
    await isSaved(page);
    expect(await rows(page)).toMatchObject([{ state: 'ready', bytes: home.file.bytes.length }]);
    expect(home.file.ranges.length).toBeGreaterThan(1);
  });

  test('what the browser gave up while nobody looked, the page saves when the service is back', async () => {
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await isSaved(page);
    for (const failure of ['network', 'gone', 'unknown']) {
      await page.goto(`${home.url}empty`);
      await change(page, { state: 'failed', failure, way: 'background', video: null });
      await page.goto(`${home.url}offline`);
      await until(async () => (await rows(page))[0]?.state === 'ready');
      expect(await rows(page)).toMatchObject([{ failure: null, way: 'page', bytes: home.file.bytes.length }]);
    }
  });

  test('deleted at the service meanwhile, and stopped by the person', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(home.file, { open: 0, gate: promise });
    const page = await home.open('recordings?recording=1');
    await pressSave(page);
    await until(() => home.file.ranges.length === 1);
    await page.goto(`${home.url}offline`);
    await page.getByRole('button', { name: '保存をやめる' }).click();
    await page.getByText('保存した録画はありません').waitFor();
    resolve();
    // Measured, and then gone.
    await page.goto(`${home.url}recordings?recording=2`);
    home.file.isGone = true;
    await pressSave(page);
    // The page, which tries after the browser, finds the same.
    await until(async () =>
      (await rows(page)).some(({ state, way }) => state === 'failed' && way === 'page'),
    );
    expect(await rows(page)).toMatchObject([{ id: 2, failure: 'gone' }]);
    await page.getByText(`${GONE}。`, { exact: true }).waitFor();
  });
});
