/** Watching recordings in a real browser. Changes and failures meanwhile: `watch-changes.test.ts`. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { SCENES } from './caption-scenes.ts';
import { faultsOf, focusOn, hasChromium, PHONE } from './rig.ts';
import { placed, watchHome } from './watch-home.ts';

const CAPTION = SCENES.find(({ name }) => name === 'one-line')?.scene.page;
if (CAPTION === undefined) throw new Error('no caption');

/** Length of a recording that is watched to its end. */
const WATCHED_S = process.env.SVC_LONG === '1' ? 7_200 : 3_000;

/** Two taps 100 ms apart by their own time stamps, however late a busy browser handles them. */
async function tapTwice(page: Page, x: number, y: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const start = (await page.evaluate(() => performance.timeOrigin + performance.now())) / 1000;
  for (const at of [0, 0.1]) {
    await session.send('Input.dispatchTouchEvent', {
      type: 'touchStart',
      touchPoints: [{ x, y }],
      timestamp: start + at,
    });
    await session.send('Input.dispatchTouchEvent', {
      type: 'touchEnd',
      touchPoints: [],
      timestamp: start + at + 0.03,
    });
  }
}

describe.skipIf(!hasChromium)('watching a recording', () => {
  const home = watchHome();
  const { rig, held, open } = home;
  const paused = (page: Page): Promise<boolean | undefined> =>
    page.evaluate(() => document.querySelector('video')?.paused);

  test('continues at the stored position, starts over on request, and notifies the service', async () => {
    Object.assign(held(1), { resumeMs: 12_000 });
    const page = await open('nowhere');
    const faults = faultsOf(page);
    await page.goto(rig.service.url);
    await page.getByRole('link', { name: /^続きを見る：ドラマ「灯台守の娘」第1話/u }).click();
    await page.waitForURL('**/watch/1');
    await placed(page, 12);
    expect(home.playback.seen).toEqual([{ id: 1, way: 'stream', codec: 'h264', from: 12, audio: null }]);
    await page.getByText('0:12 の続きから再生します').waitFor();
    await page.getByRole('button', { name: '最初から見る' }).last().click();
    await placed(page, 0, 8);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    await page.keyboard.press('7');
    await placed(page, 21, 22);
    expect(await paused(page)).toBe(true);
    await page.keyboard.press('.');
    await placed(page, 21.03, 21.04);
    await page.keyboard.press('Space');
    await placed(page, 21.2);
    await page.goBack();
    await page.locator('.watch-card').first().waitFor();
    await until(() => (held(1).resumeMs ?? 0) > 20_000);
    expect(faults).toEqual([]);
  });

  test('is played by keys alone: skips, speed, captions, and the bar itself', async () => {
    home.playback.captions = { v: 1, pages: [{ at: 1, page: CAPTION }] };
    const page = await open('watch/1');
    await placed(page, 0.2);
    // Paused, so that the next episode does not begin at the end.
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowRight');
    // The end is the last position; the last frame lasts a little longer than the description says.
    await placed(page, 25, 31);
    await page.keyboard.press('j');
    await placed(page, 15, 21);
    const drawn = (): Promise<boolean> =>
      page.evaluate(() => {
        const canvas = document.querySelector('canvas');
        const context = canvas?.getContext('2d');
        if (canvas == null || context == null) return false;
        return context.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value !== 0);
      });
    await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 300);
    expect(await drawn()).toBe(true);
    const font = (): Promise<string | undefined> =>
      page.evaluate(() => document.querySelector('canvas')?.getContext('2d')?.font);
    expect(await font()).toMatch(/svc-font"?,/u);
    // A change of the household's default applies at once.
    rig.service.household.settings.captionStyle.font = 'system';
    rig.service.send('settings');
    await page.waitForFunction(() =>
      document.querySelector('canvas')?.getContext('2d')?.font.includes('system-ui'),
    );
    await page.keyboard.press('c');
    await page.getByText('字幕を消しました').waitFor();
    expect(await drawn()).toBe(false);
    await page.keyboard.press('>');
    await page.keyboard.press('>');
    await page.locator('.control-rate', { hasText: '1.5×' }).waitFor();
    expect(
      await page.evaluate(() => {
        const video = document.querySelector('video');
        return [video?.playbackRate, video?.preservesPitch];
      }),
    ).toEqual([1.5, true]);
    const full = (wanted: boolean): Promise<unknown> =>
      page.waitForFunction(
        (on) => (document.fullscreenElement?.classList.contains('stage') ?? false) === on,
        wanted,
      );
    await page.keyboard.press('f');
    await full(true);
    expect(await page.evaluate(() => document.querySelector('video')?.clientHeight === innerHeight)).toBe(
      true,
    );
    await page.getByRole('button', { name: '全画面を終える' }).waitFor({ state: 'attached' });
    await page.keyboard.press('f');
    await full(false);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.classList.contains('control-main'));
    await page.keyboard.press('ArrowUp');
    await focusOn(page, '再生位置');
    await page.keyboard.press('Home');
    await placed(page, 0, 5);
    await page.keyboard.press('Escape');
    await page.locator('.osd-bottom:not([data-shown])').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: '操作の説明' }).waitFor();
  });

  test('shows chapters and gaps on the bar, and previews', async () => {
    home.playback.chapters = [
      { start: 0, end: 10, title: '本編' },
      { start: 10, end: 15, title: 'CM' },
      { start: 15, end: 30, title: '本編' },
    ];
    home.playback.gaps = [{ start: 24, end: 24, missing: 12, cause: 'stalled' }];
    const page = await open('watch/1');
    await placed(page, 0.2);
    await page.keyboard.press(']');
    await placed(page, 10);
    await page.locator('.stage').hover();
    const bar = await page.locator('.seek').boundingBox();
    if (bar === null) throw new Error('no bar');
    expect(await page.locator('.seek-cm').count()).toBe(1);
    await page.mouse.move(bar.x + bar.width * 0.4, bar.y + bar.height / 2);
    await page.locator('.seek-bubble', { hasText: 'CM' }).waitFor();
    await page.mouse.move(bar.x + bar.width * 0.8, bar.y + bar.height / 2);
    await page.getByText('12秒録画されていません').waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await placed(page, 24);
  });

  test('skips commercials, goes back to them on request, and never skips after a seek into one', async () => {
    home.playback.chapters = [
      { start: 0, end: 4, title: '本編' },
      { start: 4, end: 20, title: 'CM' },
      { start: 20, end: 30, title: '本編' },
    ];
    const page = await open('watch/1?t=3');
    const notice = page.getByText('CMをスキップしました');
    await notice.waitFor();
    await placed(page, 20);
    await page.getByRole('button', { name: '戻る', exact: true }).last().click();
    await placed(page, 4.5, 12);
    expect(await notice.count()).toBe(0);
    // Manually to another recording, whose position is reported only now.
    home.playback.chapters = [
      { start: 0, end: 21, title: '本編' },
      { start: 21, end: 26, title: 'CM' },
      { start: 26, end: 30, title: '本編' },
    ];
    rig.service.send('chapters');
    await page.waitForFunction(() => document.querySelectorAll('.seek-chapter').length === 3);
    await page.waitForFunction(() =>
      (document.querySelector<HTMLElement>('.seek-cm')?.style.left ?? '').startsWith('70'),
    );
    await page.keyboard.press(']');
    await placed(page, 21.5, 24);
    expect(await notice.count()).toBe(0);
    await page.keyboard.press('k');
    await page.getByRole('button', { name: '字幕・画質・操作の設定' }).click();
    await page.getByRole('radiogroup', { name: '自動でCMをスキップ' }).getByText('しない').click();
    expect(await page.evaluate(() => localStorage.getItem('svc.skip-commercials'))).toBe('"never"');
    await page.getByRole('radiogroup', { name: '戻る秒数' }).getByText('15秒', { exact: true }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await placed(page, 6.4, 9.1);
  });

  test('corrects commercials, and undoes that', async () => {
    home.playback.chapters = [
      { start: 0, end: 10, title: '本編' },
      { start: 10, end: 15, title: 'CM' },
      { start: 15, end: 30, title: '本編' },
    ];
    home.playback.changes = [{ at: 17.5, kind: 'cut' }];
    const page = await open('watch/1?t=2');
    await placed(page, 2);
    await page.keyboard.press('k');
    const edit = async (): Promise<void> => {
      await page.locator('.stage').hover();
      await page.getByRole('button', { name: '字幕・画質・操作の設定' }).click();
      await page.getByRole('button', { name: 'CMの位置を直す' }).click();
    };
    await edit();
    await page.getByRole('button', { name: 'CM 1の始まり 0:10.00' }).click();
    await placed(page, 9.9, 10.1);
    await page.getByRole('button', { name: '−1秒' }).click();
    await page.getByRole('button', { name: 'CM 1の終わり 0:15.00' }).click();
    await page.getByRole('button', { name: '次の変わり目' }).click();
    await placed(page, 17.4, 17.6);
    // Closed by mistake: nothing is lost.
    await page.getByRole('button', { name: '閉じる' }).click();
    await page.getByRole('button', { name: '続ける', exact: true }).click();
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await page.getByText('CMの位置を保存しました').waitFor();
    expect(home.playback.corrected).toEqual([{ start: 9, end: 17.5, title: 'CM' }]);
    await edit();
    await page.getByRole('button', { name: 'CM 1の始まり 0:09.00' }).waitFor();
    await page.getByRole('button', { name: '自動検出に戻す' }).click();
    await page.getByText('自動で検出した位置に戻しました').waitFor();
    expect(home.playback.corrected).toBeUndefined();
    expect(held(1).id).toBe<unknown>(1);
  });

  test('requests the chosen audio and quality, at the same position', async () => {
    const page = await open('watch/1?t=8');
    await placed(page, 8);
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('k');
    await page.keyboard.press('a');
    await page.getByRole('radio', { name: '英語' }).click();
    await until(() => home.playback.seen.length === 2);
    expect(home.playback.seen[1]).toMatchObject({ way: 'stream', audio: '0:sub', codec: 'h264' });
    expect(home.playback.seen[1]?.from).toBeGreaterThanOrEqual(8);
    await placed(page, 8, 12);
    const file = page.waitForEvent('download');
    await page.keyboard.press('s');
    expect((await file).suggestedFilename()).toMatch(/^ドラマ「灯台守の娘」第1話 0-\d\d\.png$/u);
  });

  test('obeys media and remote keys, offers picture-in-picture, saves the picture with its caption', async () => {
    home.playback.captions = { v: 1, pages: [{ at: 0, page: CAPTION }] };
    // Large enough for letters with white points.
    const page = await open('nowhere', { viewport: { width: 1440, height: 900 } });
    await page.addInitScript(() => {
      const kept = {
        handlers: new Map<string, MediaSessionActionHandler>(),
        windows: 0,
        pixels: [] as number[],
      };
      Object.assign(window, { svcKept: kept });
      const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
      navigator.mediaSession.setActionHandler = (action, handler) => {
        if (handler !== null) kept.handlers.set(action, handler);
        set(action, handler);
      };
      HTMLVideoElement.prototype.requestPictureInPicture = () => {
        kept.windows += 1;
        return Promise.reject(new Error('no window manager'));
      };
      const { toBlob } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.toBlob = function (...words) {
        const { data } = this.getContext('2d')?.getImageData(0, 0, this.width, this.height) ?? { data: [] };
        // White letters on black; the picture beside them has neither.
        kept.pixels.push(data.filter((_, index) => index % 4 === 0 && (data[index] ?? 0) > 250).length);
        toBlob.apply(this, words);
      };
    });
    await page.goto(`${rig.service.url}watch/2?t=12`);
    await placed(page, 12);
    const device = (action: MediaSessionAction, seekTime?: number): Promise<void> =>
      page.evaluate(
        ([name, place]) => {
          const { svcKept } = window as unknown as {
            svcKept: { handlers: Map<string, MediaSessionActionHandler> };
          };
          svcKept.handlers.get(name)?.({ action: name, ...(place === undefined ? {} : { seekTime: place }) });
        },
        [action, seekTime] as const,
      );
    await device('pause');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    expect(await page.evaluate(() => navigator.mediaSession.metadata?.title)).toContain('灯台守の娘');
    await device('seekto', 5);
    await placed(page, 5, 5.1);
    await device('seekforward');
    await placed(page, 25, 31);
    await device('seekto', 9);
    await placed(page, 9, 9.1);
    const shots = async (): Promise<number[]> => {
      const saved = page.waitForEvent('download');
      await page.keyboard.press('s');
      await saved;
      return page.evaluate(() => (window as unknown as { svcKept: { pixels: number[] } }).svcKept.pixels);
    };
    await shots();
    // The green key of a remote control.
    await page.evaluate(() => {
      const key = new KeyboardEvent('keydown', { key: 'ColorF1Green', bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(key);
    });
    await page.getByText('字幕を消しました').waitFor();
    const [shown = 0, hidden = 0] = await shots();
    expect(shown - hidden).toBeGreaterThan(40);
    await page.keyboard.press('p');
    await page.getByText('小窓では表示できませんでした').waitFor();
    expect(
      await page.evaluate(() => (window as unknown as { svcKept: { windows: number } }).svcKept.windows),
    ).toBe(1);
    await device('nexttrack');
    await page.waitForURL('**/watch/3');
  });

  test(`uses no more memory after ${WATCHED_S / 60} minutes than after ten`, async () => {
    home.playback.repeats = 240;
    const page = await open('watch/1');
    await placed(page, 0.2);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const held = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
      return { heap: of('JSHeapUsedSize') / 1e6, nodes: of('Nodes'), listeners: of('JSEventListeners') };
    };
    // In strides, each as far as there is something to show; the data between is fetched and dropped as in
    // normal playback.
    const watchTo = (end: number): Promise<number> =>
      page.evaluate(async (to) => {
        const video = document.querySelector('video');
        if (video === null) throw new Error('no video');
        let most = 0;
        const ranges = (): [number, number][] =>
          Array.from({ length: video.buffered.length }, (_, at) => [
            video.buffered.start(at),
            video.buffered.end(at),
          ]);
        while (video.currentTime < to) {
          const all = ranges();
          most = Math.max(
            most,
            all.reduce((sum, [from, till]) => sum + till - from, 0),
          );
          const till =
            all.find(([from, last]) => from <= video.currentTime && last > video.currentTime)?.[1] ?? 0;
          if (till - video.currentTime > 25) video.currentTime = till - 6;
          await new Promise((done) => setTimeout(done, 5));
        }
        return most;
      }, end);
    await watchTo(600);
    const early = await held();
    // 60 s behind, trimmed by 30 s, 40 s ahead, and one piece of 90 s.
    expect(await watchTo(WATCHED_S - 50)).toBeLessThan(230);
    const late = await held();
    console.log(`${WATCHED_S} s: heap ${early.heap.toFixed(1)} then ${late.heap.toFixed(1)} MB`);
    expect(late.heap - early.heap).toBeLessThan(3);
    expect(late.nodes - early.nodes).toBeLessThan(200);
    expect(late.listeners - early.listeners).toBeLessThan(50);
    expect(home.playback.seen).toHaveLength(1);
  });

  test('after the last picture the next episode is offered, and the service is notified', async () => {
    const page = await open('watch/2?t=28');
    await page.getByText('秒後に次の回を再生します').waitFor();
    await until(() => held(2).resumeMs === 30_000);
    await focusOn(page, '今すぐ見る');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/watch/3');
    await placed(page, 0.2, 10);
    await page.getByRole('heading', { name: '第3話' }).first().waitFor({ state: 'attached' });
  });

  test('on a phone double taps at the sides skip, a swipe seeks, everything else is below', async () => {
    const page = await open('watch/1', PHONE);
    await placed(page, 0.2);
    const box = await page.locator('.stage-touch').boundingBox();
    await tapTwice(page, (box?.x ?? 0) + 340, (box?.y ?? 0) + 60);
    await placed(page, 25);
    await page.locator('.skip-sign', { hasText: /30秒\d:\d\d/u }).waitFor();
    await page.getByRole('button', { name: '字幕', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: '字幕' });
    await dialog.getByText('この録画に字幕はありません').waitFor();
    await dialog.getByRole('radio', { name: '大', exact: true }).click();
    await page.getByRole('button', { name: '閉じる' }).click();
    await page.getByRole('link', { name: '第2話' }).click();
    await page.waitForURL('**/watch/2');
    await placed(page, 0.2, 10);
    const kept = await page.evaluate(() => localStorage.getItem('svc.captions'));
    expect(JSON.parse(kept ?? '{}')).toMatchObject({ size: 1.25 });
  });
});
