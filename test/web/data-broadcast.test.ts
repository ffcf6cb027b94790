/** The data broadcast over the live picture: keys, the way out, requests of documents, the remote control on a phone. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { splitStationId } from '../../lib/arib/ids.ts';
import { until } from '../until.ts';
import { START } from './clock.ts';
import { dataBroadcast } from './data-pages.ts';
import { fakeStations, makeStream } from './fake-air.ts';
import { guideWindow } from './fake-guide.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { faultsOf, hasChromium, PHONE, webRig } from './rig.ts';
import { pressTwice } from './user-input.ts';

const STATION = 3_274_001_024;
const FIRST = `live/${STATION}`;
const SHOTS = process.env.DATA_SHOTS;

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

async function playing(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    return video !== null && !video.paused && video.currentTime > 0.2;
  });
}

/** Waits for a document by where it has the picture. */
async function documentWith(page: Page, hole: 'whole' | 'part' | 'none'): Promise<void> {
  await page.locator(`.stage[data-page="shown"][data-hole="${hole}"]`).waitFor();
}

const left = (page: Page): Promise<void> => page.locator('.stage:not([data-page])').waitFor();

describe.skipIf(!hasChromium)('the data broadcast of a station', () => {
  const rig = webRig({ stream: makeStream });
  afterEach(() => {
    rig.service.dataWishes.length = 0;
    Object.assign(rig.service.state, { data: [], hasData: undefined, stations: fakeStations(START) });
  });

  function send(): void {
    const { networkId, serviceId } = splitStationId(STATION) ?? { networkId: 0, serviceId: 0 };
    const now = Date.now();
    const day = { from: now, to: now + 10 * 3_600_000, type: null };
    const column = guideWindow(rig.service.household.guide, day, now).find(
      (one) => one.stationId === STATION,
    );
    const [program] = column?.programs.filter(({ startAt }) => startAt > now) ?? [];
    if (program === undefined) throw new Error('no programme follows');
    rig.service.state.data = dataBroadcast({ networkId, serviceId, eventId: program.id % 100_000 });
  }

  /** On a small page by default: most of what a picture costs is its drawing. */
  const open = (options: BrowserContextOptions = {}): Promise<Page> =>
    rig.open(FIRST, { viewport: { width: 1024, height: 640 }, ...options });

  /** A page where the data broadcast is shown. */
  async function opened(options: BrowserContextOptions = {}): Promise<Page> {
    send();
    const page = await open(options);
    await playing(page);
    await page.keyboard.press('d');
    await documentWith(page, 'part');
    return page;
  }

  test('loads the engine and the messages with d, and the document is used by keys', async () => {
    send();
    const page = await open();
    const faults = faultsOf(page);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await playing(page);
    expect(rig.service.dataWishes).toEqual([]);
    expect(loaded.filter((path) => path.endsWith('bml.mjs'))).toEqual([]);
    await page.mouse.move(200, 200);
    await page.getByRole('button', { name: 'メニュー' }).click();
    await page.getByRole('button', { name: 'データ放送（D）' }).click();
    await documentWith(page, 'part');
    await shot(page, 'wide-menu');
    expect(rig.service.dataWishes).toEqual([true]);
    expect(loaded.filter((path) => path.endsWith('bml.mjs'))).toHaveLength(1);
    // The picture stands in its box, the controls of the receiver are gone.
    const [plane, picture] = await Promise.all(
      ['.data-plane', '.stage-picture'].map((name) => page.locator(name).boundingBox()),
    );
    if (plane == null || picture == null) throw new Error('nothing is shown');
    expect((picture.x - plane.x) / plane.width).toBeCloseTo(464 / 960, 2);
    expect((picture.y - plane.y) / plane.height).toBeCloseTo(110 / 540, 2);
    expect(picture.width / plane.width).toBeCloseTo(0.5, 2);
    expect(await page.locator('.osd-bottom').isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    // Down changes no channel: it is the document's, and so is Enter.
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await documentWith(page, 'whole');
    await shot(page, 'wide-whole');
    expect(page.url()).toEndWith(FIRST);
    // Details of what is received.
    await page.keyboard.press('q');
    const facts = page.getByRole('region', { name: 'データ放送の受信' });
    await facts.getByText('1/2 モジュール').waitFor();
    await facts.getByText('コンポーネント 0x40').click();
    await facts.getByText('0x0007').waitFor();
    await shot(page, 'wide-facts');
    expect(faults).toEqual([]);
  });

  test('is left by d twice, by Back and by Escape whatever the document does', async () => {
    send();
    const page = await rig.open('');
    // So that the browser has somewhere to go back to.
    await page.locator('a.card').first().click();
    await playing(page);
    await page.keyboard.press('d');
    await documentWith(page, 'part');
    const wishes = (): boolean[] => [...rig.service.dataWishes];
    await pressTwice(page, 'd');
    await left(page);
    await until(() => wishes().length === 2);
    expect(wishes()).toEqual([true, false]);

    await page.keyboard.press('d');
    await documentWith(page, 'part');
    await pressTwice(page, 'Backspace');
    await left(page);

    await page.keyboard.press('d');
    await documentWith(page, 'part');
    await page.keyboard.press('Escape');
    await left(page);

    // The browser's own Back, as the gesture of a phone.
    await page.keyboard.press('d');
    await documentWith(page, 'part');
    await page.evaluate(() => history.back());
    await left(page);
    // The screen has gone back, and forward again.
    await page.waitForFunction((path) => location.href.endsWith(path), FIRST);

    // A control of the frame is reached by Tab.
    await page.keyboard.press('d');
    await documentWith(page, 'part');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await left(page);
    await until(() => wishes().filter((one) => !one).length === 5);
  });

  test('has the digits only while its document takes them', async () => {
    const page = await opened();
    await page.keyboard.press('Enter');
    await documentWith(page, 'none');
    expect(await page.locator('.stage-picture').isVisible()).toBe(false);
    await page.keyboard.press('2');
    expect(await page.locator('.channel-entry').count()).toBe(0);
    expect(page.url()).toEndWith(FIRST);
    await page.keyboard.press('Escape');
    await left(page);
    await page.keyboard.press('2');
    await page.waitForURL((url) => !url.href.endsWith(FIRST));
  });

  test('that does not end its work is stopped, and says why', async () => {
    const page = await opened();
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await documentWith(page, 'none');
    await page.keyboard.press('Enter');
    const note = page.getByRole('alert').filter({ hasText: '処理が終わらない' });
    await note.waitFor();
    await shot(page, 'wide-ended');
    // The picture plays on meanwhile.
    expect(await page.evaluate(() => document.querySelector('video')?.paused)).toBe(false);
    await page.keyboard.press('Enter');
    await documentWith(page, 'part');
  });

  test('asks before it makes a reservation', async () => {
    const page = await opened();
    const booked = (): number => rig.service.household.bookings.items.length;
    const before = booked();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: '番組の予約' });
    await question.getByText('みなと総合 のデータ放送のページから').waitFor();
    await shot(page, 'wide-question');
    // The key that was meant for the document does not accept.
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(booked()).toBe(before);
    // Refused: the script cannot ask again and again.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await left(page);
    expect(await question.count()).toBe(0);
    await page.keyboard.press('d');
    await documentWith(page, 'part');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: '予約する' }).click();
    await until(() => booked() === before + 1);
    await page.getByText('を予約しました').first().waitFor();
  });

  test('gets a text that the viewer enters in a sheet of our own', async () => {
    const page = await opened();
    for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await documentWith(page, 'none');
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    const sheet = page.getByRole('dialog', { name: '文字の入力' });
    await sheet.getByText('みなと総合 のデータ放送のページに渡されます').waitFor();
    await shot(page, 'wide-input');
    await page.keyboard.type('1500001');
    await page.keyboard.press('Enter');
    await sheet.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp');
    await documentWith(page, 'whole');
  });

  test('shows how much is loaded, and is left meanwhile', async () => {
    send();
    const [entry] = rig.service.state.data.filter(({ type }) => type === 'moduleDownloaded');
    if (entry?.type !== 'moduleDownloaded') throw new Error('no module');
    rig.service.state.data = rig.service.state.data.map((message) =>
      message === entry ? { ...entry, moduleId: 7, files: [] } : message,
    );
    const page = await open();
    await playing(page);
    await page.keyboard.press('d');
    await page.getByText('読み込み中 25%（1/2）').waitFor();
    await shot(page, 'wide-loading');
    await pressTwice(page, 'd');
    await left(page);
  });

  test('ends with the station', async () => {
    const page = await opened();
    await page.keyboard.press('PageUp');
    await page.waitForURL((url) => !url.href.endsWith(FIRST));
    await left(page);
    await until(() => rig.service.dataWishes.includes(false));
  });

  test('says that a station has none, and its button goes', async () => {
    const page = await open();
    const [pmt] = dataBroadcast({ networkId: 1, serviceId: 1, eventId: 1 });
    rig.service.state.data = pmt?.type === 'pmt' ? [{ ...pmt, components: pmt.components.slice(0, 2) }] : [];
    await playing(page);
    await page.keyboard.press('d');
    await page.getByRole('alert').filter({ hasText: 'データ放送をしていません' }).waitFor();
    await page.keyboard.press('Backspace');
    await left(page);
    await page.mouse.move(210, 210);
    await page.getByRole('button', { name: 'メニュー' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '操作の説明' }).waitFor();
    expect(await page.getByRole('button', { name: 'データ放送' }).count()).toBe(0);
  });

  test('has a button only where the service tells of it, or does not tell', async () => {
    for (const hasData of [false, true]) {
      rig.service.state.hasData = hasData;
      const page = await open();
      await playing(page);
      await page.mouse.move(210, 210);
      await page.getByRole('button', { name: 'メニュー' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '配信の状態' }).waitFor();
      expect(await page.getByRole('button', { name: 'データ放送（D）' }).count()).toBe(hasData ? 1 : 0);
    }
  });

  test('on a phone the picture stands above the page, and the remote control below', async () => {
    send();
    const page = await open(PHONE);
    await playing(page);
    await page.getByRole('button', { name: 'データ放送' }).last().tap();
    await documentWith(page, 'part');
    await shot(page, 'phone-menu');
    const boxes = await Promise.all(
      ['.data-bar', '.stage-picture', '.data-plane', '.data-remote'].map((name) =>
        page.locator(name).boundingBox(),
      ),
    );
    for (const [index, box] of boxes.slice(1).entries()) {
      const above = boxes[index];
      expect(box?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0) - 1);
    }
    expect(await tooWide(page)).toEqual([]);
    expect(await tooSmall(page, '.data-above')).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 568 });
    await shot(page, 'phone-small');
    expect(await tooWide(page)).toEqual([]);
    // Without the height for both, the picture is in the page as on a television, and no key covers another.
    expect(await tooSmall(page, '.data-above')).toEqual([]);
    const [pad, row] = [page.locator('.remote-down'), page.locator('.remote-row')];
    const [down, below] = [await pad.boundingBox(), await row.boundingBox()];
    expect((down?.y ?? 0) + (down?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    expect((below?.y ?? 0) + (below?.height ?? 0)).toBeLessThanOrEqual(568);
    await page.setViewportSize(PHONE.viewport);
    await page.getByRole('button', { name: '決定' }).tap();
    await documentWith(page, 'none');
    await page.getByRole('button', { name: '数字' }).tap();
    await page.getByRole('button', { name: '5', exact: true }).tap();
    await shot(page, 'phone-digits');
    await page.getByRole('button', { name: '矢印' }).tap();
    await page.getByRole('button', { name: '決定' }).tap();
    await documentWith(page, 'part');
    for (const step of ['下', '下', '下', '決定'])
      await page.getByRole('button', { name: step, exact: true }).tap();
    await documentWith(page, 'whole');
    await shot(page, 'phone-whole');
    await page.setViewportSize({ width: 740, height: 360 });
    await documentWith(page, 'whole');
    await shot(page, 'phone-landscape');
    await page.setViewportSize({ width: 768, height: 1024 });
    await shot(page, 'tablet');
    await page.getByRole('button', { name: 'データ放送を終了' }).tap();
    await left(page);
  });
});
