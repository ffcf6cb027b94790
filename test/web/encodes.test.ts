import { describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { until } from '../until.ts';
import { encodeItem } from './fake-encodes.ts';
import { manyStations } from './fake-guide.ts';
import { manyRecordings, newRecordings } from './fake-recordings.ts';
import { faultsOf, fillService, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([4, 2, 2]);

describe.skipIf(!hasChromium)('the conversion of recordings', () => {
  const rig = webRig({ stations: STATIONS });

  function fill() {
    fillService(rig, STATIONS);
    const state = newRecordings(manyRecordings(STATIONS, 6, Date.now()));
    rig.service.household.recordings = state;
    return state;
  }

  test('says what the next conversion waits for', async () => {
    const state = fill();
    const [one] = state.list;
    if (one === undefined) throw new Error('too few recordings');
    state.encodes.queue = [encodeItem(one, { waitsFor: 'commercials' })];
    const page = await rig.open('recordings', PHONE);
    const line = page.locator('.encode-line');
    await line.waitFor();
    expect(await line.textContent()).toContain('変換待ち1件　CMを検出しています');
  });

  test('shows its progress, and can be reordered, paused and cancelled', async () => {
    const state = fill();
    const [one, two, three] = state.list;
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few recordings');
    state.encodes.queue = [
      encodeItem(one, { state: 'running', percent: 0.437, etaMs: 12 * 60_000, title: 'ＳＯＮＧ　第７話' }),
      encodeItem(two),
      encodeItem(three, { commercials: 'cut', keepTs: true }),
    ];
    const page = await rig.open('recordings', PHONE);
    const faults = faultsOf(page);
    const line = page.locator('.encode-line');
    await line.waitFor();
    expect(await line.textContent()).toContain('「SONG 第7話」');
    expect(await line.textContent()).toContain('43%・あと12分、待ち2件');
    await line.click();
    const rows = page.locator('.encode-row');
    await rows.nth(2).waitFor();
    expect(await rows.first().locator('b').textContent()).toBe('SONG 第7話');
    expect(await rows.nth(2).textContent()).toContain('AV1・標準・CMをカット・元の録画も残す');
    await rows
      .nth(2)
      .getByRole('button', { name: /先にする$/u })
      .click();
    await until(
      () =>
        state.encodes.queue[1]?.recordingId === three.id || state.encodes.queue[0]?.recordingId === three.id,
    );
    await page.getByRole('button', { name: '一時停止する' }).click();
    await page.getByText('一時停止しています。').waitFor();
    expect(state.encodes.paused).toBe(true);
    await page
      .getByRole('button', { name: /の変換を取り消す$/u })
      .first()
      .click();
    await until(() => state.encodes.queue.length === 2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
    expect(faults).toEqual([]);
  });

  test('one that could not be cancelled is not called cancelled', async () => {
    const state = fill();
    const [one] = state.list;
    if (one === undefined) throw new Error('no recording');
    state.encodes.queue = [encodeItem(one)];
    const message = 'データベースに書き込めません。';
    rig.service.household.problems.set(`recordings/${one.id}/encode`, {
      body: { message, code: 'internal' },
      status: 500,
    });
    const page = await rig.open('recordings');
    await page.locator('.encode-line').click();
    await page.getByRole('button', { name: /の変換を取り消す$/u }).click();
    await page.locator('.toast', { hasText: '取り消せませんでした。データベースに' }).waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
  });

  test('a failed one shows the reason, and can be retried', async () => {
    const state = fill();
    const [one] = state.list;
    if (one === undefined) throw new Error('no recording');
    const message = 'ディスクに空きがありません。';
    state.encodes.recent = [encodeItem(one, { state: 'failed', message, endedAt: wallMs(Date.now()) })];
    const page = await rig.open('recordings');
    await page.locator('.encode-line', { hasText: '変換できませんでした' }).click();
    await page.getByText(message).waitFor();
    await page.getByRole('button', { name: /もう一度変換する$/u }).click();
    await until(() => state.encodes.queue[0]?.recordingId === one.id);
  });

  test('a recording is queued from its sheet, and removed again', async () => {
    const state = fill();
    const [one] = state.list;
    const page = await rig.open(`recordings?recording=${one?.id}`);
    await page.getByRole('button', { name: 'その他', exact: true }).click();
    await page.getByRole('button', { name: '変換する', exact: true }).click();
    await page.locator('.toast', { hasText: '変換の待ちに加えました' }).waitFor();
    expect(state.encodes.queue.map(({ recordingId }) => recordingId)).toEqual([recordingId(one?.id ?? 0)]);
    // One line says what will happen to the original, and opens to change it.
    const line = page.getByRole('button', { name: /^変換：待機中/u });
    await line.getByText('AV1・標準・CMにチャプター・元の録画は残さない').waitFor();
    await line.click();
    // Changing one option must not reset the others, even before the first change is answered.
    state.delayMs = 300;
    await page.getByRole('combobox', { name: 'CMの扱い' }).selectOption('CMをカット');
    await page.getByRole('combobox', { name: '元の録画' }).selectOption('元の録画も残す');
    await until(() => state.encodes.queue[0]?.keepTs === true);
    expect(state.encodes.queue[0]).toMatchObject({ codecs: 'av1', quality: 'standard', commercials: 'cut' });
    await page.getByRole('button', { name: /^変換を取り消す/u }).click();
    await until(() => state.encodes.queue.length === 0);
  });

  test('the settings explain the cost of a conversion on this machine, and when it runs', async () => {
    const state = fill();
    state.encodes.measured = [
      { codec: 'av1', quality: 'standard', bytesPerHour: 1_200_000_000, speed: 1.5, files: 12 },
    ];
    const page = await rig.open('settings');
    await page.getByText('AV1・標準：1時間あたり約1.2 GB、変換に約40分（12件の実績）').waitFor();
    await page.getByRole('combobox', { name: '変換の開始時刻' }).selectOption('1:00');
    await until(() => rig.service.household.asked.some((line) => line === 'PUT settings {"encodeFrom":60}'));
    await page.getByRole('button', { name: '変換の待ちに加える' }).click();
    await page.locator('.toast', { hasText: '変換の待ちに加えました' }).waitFor();
    expect(state.encodes.queue.length).toBeGreaterThan(0);
  });
});
