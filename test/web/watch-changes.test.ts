/**
 * Changes and failures while a recording is watched: it ends, it is encoded, it cannot be played, the
 * connection breaks.
 */
import { describe, expect, test } from 'bun:test';
import { until } from '../until.ts';
import { focusOn, hasChromium } from './rig.ts';
import { placed, watchHome } from './watch-home.ts';

describe.skipIf(!hasChromium)('while a recording is watched', () => {
  const home = watchHome();
  const { rig, held, open } = home;

  test('a recording in progress plays from its start, jumps to the live edge by one press, and continues past its end without a break', async () => {
    const page = await open('watch/900');
    await page.waitForURL('**/chase/900');
    await placed(page, 0.2, 10);
    await page.locator('.stage').hover();
    await page.locator('.osd-buttons .live-button').click();
    await placed(page, 13, 22);
    expect(home.playback.seen.map(({ way, from }) => [way, from])).toEqual([
      ['chase', 0],
      ['chase', 1e9],
    ]);
    await page.locator('.live-button[data-live]').first().waitFor();
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('>');
    home.playback.recorded = 1_000;
    Object.assign(held(900), { recording: false, state: 'recorded', durationMs: 30_000, progress: null });
    rig.service.send('recordings');
    await page.locator('.watch-offer', { hasText: '録画が終わりました' }).waitFor();
    await placed(page, 20.5);
    expect(await page.evaluate(() => document.querySelector('video')?.buffered.length)).toBe(1);
    await page.locator('.watch-offer').click();
    await page.waitForURL('**/watch/900');
    await placed(page, 15);
    await until(() => home.playback.seen.at(-1)?.way === 'stream');
  });

  test('a chased recording offers its encoded file once it exists, and switches to it', async () => {
    const page = await open('watch/900');
    await placed(page, 0.2, 10);
    home.playback.recorded = 1_000;
    Object.assign(held(900), {
      ...{ recording: false, state: 'available', durationMs: 30_000, progress: null, resumeMs: 4_000 },
      files: [{ source: 'encoded', codec: 'av1', url: 'api/recordings/900/file?source=encoded' }],
    });
    rig.service.send('recordings');
    await page.locator('.watch-offer', { hasText: '録画の変換が終わりました' }).click();
    await page.waitForURL('**/watch/900');
    await until(() => home.playback.seen.at(-1)?.way === 'stream');
  });

  test('after the end of a chase the programme on air is offered, and nothing is called live', async () => {
    const page = await open('watch/900');
    await page.waitForURL('**/chase/900');
    await placed(page, 0.2, 10);
    home.playback.recorded = 1_000;
    Object.assign(held(900), { recording: false, state: 'recorded', durationMs: 30_000, progress: null });
    rig.service.send('recordings');
    await page.locator('.watch-offer').waitFor();
    await page.keyboard.press('9');
    const panel = page.locator('.end-panel');
    await panel.getByText('最後まで再生しました').waitFor();
    expect(await page.locator('.osd-buttons .live-button, .watch-offer, .stage-note-small').count()).toBe(0);
    await panel.getByRole('button', { name: /^(放送の続き|次の番組)を見る$/u }).click();
    await page.waitForURL(`**/live/${held(900).serviceId}`);
  });

  test('an encoded file that the device decodes smoothly is played as it is, until another format is chosen', async () => {
    const files = [{ source: 'encoded' as const, codec: 'av1' as const, url: 'api/recordings/2/file' }];
    Object.assign(held(2), { state: 'available', files });
    const page = await open('nowhere');
    await page.addInitScript(() => {
      MediaCapabilities.prototype.decodingInfo = async (configuration) =>
        ({ supported: true, smooth: true, powerEfficient: false, configuration }) as never;
    });
    await page.goto(`${rig.service.url}watch/2`);
    await placed(page, 0.2);
    expect(home.playback.seen.map(({ codec }) => codec)).toEqual(['av1']);
    await page.locator('.stage').hover();
    await page.getByRole('button', { name: '字幕・画質・操作の設定' }).click();
    await page.getByRole('button', { name: /^画質/u }).click();
    await page.getByRole('radio', { name: /変換せずに再生/u, checked: true }).waitFor();
    await page.getByRole('radio', { name: /^H\.264/u }).click();
    await until(() => home.playback.seen.at(-1)?.codec === 'h264');
  });

  test('switches to the encoded file at the same position', async () => {
    const page = await open('watch/1?t=12');
    await placed(page, 12);
    const files = [{ source: 'encoded' as const, codec: 'av1', url: 'api/recordings/1/file?source=encoded' }];
    Object.assign(held(1), { state: 'available', files });
    rig.service.send('recordings');
    await page.getByText('変換したファイルの再生に切り替えました').waitFor();
    await placed(page, 12);
    expect(home.playback.seen.at(-1)?.from).toBeGreaterThan(11.9);
    expect(home.playback.seen).toHaveLength(2);
  });

  test('explains why there is no picture and what to do, and starts automatically once it can', async () => {
    const body = { message: 'サーバが混んでいます', code: 'busy' } as const;
    home.playback.problem = { body, status: 503, count: 1 };
    const page = await open('watch/1');
    const alert = page.getByRole('alert');
    await alert.getByText('同時に変換できる数に達しています').waitFor();
    await placed(page, 0.2);
    await alert.waitFor({ state: 'detached' });
    for (const [code, status, title] of [
      ['ffmpeg_unavailable', 503, '映像を変換できません'],
      ['not_found', 404, 'この録画は再生できません'],
    ] as const) {
      home.playback.problem = { body: { message: 'できません。', code }, status, count: 99 };
      await page.reload();
      await alert.getByText(title).waitFor();
    }
    await focusOn(page, '録画の一覧へ');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/recordings');
    await page.goto(`${rig.service.url}watch/77`);
    await alert.getByText('削除されたか、ファイルがなくなっています').waitFor();
  });

  for (const [name, viewport] of [
    ['upright', { width: 390, height: 844 }],
    ['on its side', { width: 844, height: 390 }],
  ] as const) {
    test(`on a phone ${name} the controls do not lie across the buttons of a failed player`, async () => {
      const body = { message: 'できません。', code: 'not_found' } as const;
      home.playback.problem = { body, status: 404, count: 99 };
      const page = await open('watch/1', { viewport, hasTouch: true, isMobile: true });
      const note = page.locator('.stage-note-wide');
      await note.getByRole('button').first().waitFor();
      await page.mouse.move(30, 120);
      await page.locator('.osd-bottom[data-shown]').waitFor({ state: 'attached' });
      const covered = await note.getByRole('button').evaluateAll((buttons) => {
        const bottom = document.querySelector('.osd-bottom');
        if (bottom === null) throw new Error('no controls');
        if (getComputedStyle(bottom).visibility === 'hidden') return [];
        const parts = [...bottom.querySelectorAll('[role="slider"], button')].map((part) =>
          part.getBoundingClientRect(),
        );
        return buttons.filter((button) => {
          const box = button.getBoundingClientRect();
          return parts.some((part) => part.top < box.bottom && part.bottom > box.top);
        });
      });
      expect(covered).toEqual([]);
      await note.getByRole('button', { name: '録画の一覧へ' }).tap();
      await page.waitForURL('**/recordings');
    });
  }

  test('a broken connection is resumed at the same position, and the picture continues', async () => {
    home.playback.endsAfter = { fragments: 4, breaks: true };
    const page = await open('watch/1');
    await until(() => home.playback.seen.length >= 2);
    home.playback.endsAfter = undefined;
    await placed(page, 2.6);
    // Data in transit when the connection broke may be lost.
    expect(home.playback.seen[1]?.from).toBeLessThan(2.5);
    expect(await page.evaluate(() => document.querySelector('video')?.buffered.length)).toBe(1);
  });
});
