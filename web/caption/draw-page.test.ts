import { expect, test } from 'bun:test';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { DEFAULT_CAPTION_SETTINGS } from './caption-settings.ts';
import { drcsIntensities, layOut, textExtent } from './draw-page.ts';

/** Four cells at the bottom: [170, 450] to [330, 510]. */
const PAGE: CaptionPage = {
  v: 1,
  plane: [960, 540],
  duration: null,
  runs: [
    {
      ...{ x: 170, y: 450, w: 40, h: 60, fx: 2, fy: 12, size: 36, scaleX: 1 },
      ...{ text: '字幕です', fg: '#ffffffff', bg: '#00000080' },
    },
  ],
};

function edges(size: number, position: 'broadcast' | 'bottom' | 'top'): number[] {
  const layout = layOut(PAGE, 1920, 1080, { ...DEFAULT_CAPTION_SETTINGS, size, position });
  const { scaleX, scaleY, left, top } = layout;
  return [170 * scaleX + left, 450 * scaleY + top, 330 * scaleX + left, 510 * scaleY + top].map(Math.round);
}

test('as broadcast the plane is stretched over the picture', () => {
  expect(edges(1, 'broadcast')).toEqual([340, 900, 660, 1020]);
});

test('a larger text grows from its middle and keeps its lower edge', () => {
  expect(edges(1.5, 'broadcast')).toEqual([260, 840, 740, 1020]);
  expect(edges(0.5, 'broadcast')).toEqual([420, 960, 580, 1020]);
});

test('a text that is moved keeps off the edge', () => {
  expect(edges(1, 'top')).toEqual([340, 43, 660, 163]);
  expect(edges(1, 'bottom')).toEqual([340, 917, 660, 1037]);
});

test('nothing extends beyond the picture, at any size', () => {
  const [left = -1, top = -1, right = 0, bottom = 0] = edges(2, 'bottom');
  expect([left >= 0, top >= 0, right <= 1920, bottom <= 1080]).toEqual([true, true, true, true]);
});

test('a line across the picture grows no further than its edges', () => {
  const [run] = PAGE.runs;
  const long = { ...PAGE, runs: [{ ...(run ?? PAGE.runs[0]), x: 80, text: '字'.repeat(20) }] } as CaptionPage;
  const settings = { ...DEFAULT_CAPTION_SETTINGS, size: 2 };
  const { scaleX, left } = layOut(long, 1920, 1080, settings);
  expect([80 * scaleX + left, 880 * scaleX + left].map(Math.round)).toEqual([0, 1920]);
});

test('where the text stands is told as it is drawn: by the settings, and with its ruby only where that is shown', () => {
  const [run] = PAGE.runs;
  if (run === undefined) throw new Error('no run');
  const ruby = { ...PAGE, runs: [run, { ...run, y: 420, h: 30, ruby: true as const }] };
  const extent = (page: CaptionPage, change: object) => {
    const found = textExtent(page, 960, 540, { ...DEFAULT_CAPTION_SETTINGS, ...change });
    return found === undefined ? undefined : [found.top, found.bottom].map(Math.round);
  };
  expect(extent(PAGE, {})).toEqual([450, 510]);
  expect(extent(PAGE, { position: 'top' })).toEqual([22, 82]);
  expect(extent(ruby, { position: 'top' })).toEqual([22, 112]);
  expect(extent(ruby, { position: 'top', ruby: false })).toEqual([22, 82]);
  expect(extent(PAGE, { visible: false })).toBeUndefined();
});

const IMAGE = { w: 4, h: 1, depth: 4, bits: 2, data: 'Gw==', md5: '' } as const;

test('pixels of every bit count', () => {
  // 0x1b: 00 01 10 11
  expect([...(drcsIntensities(IMAGE) ?? [])].map((one) => one.toFixed(2))).toEqual([
    ...['0.00', '0.33', '0.67', '1.00'],
  ]);
  expect([...(drcsIntensities({ ...IMAGE, depth: 2, bits: 1, data: 'oA==' }) ?? [])]).toEqual([1, 0, 1, 0]);
  // 0x43 0x21 of five levels.
  expect([...(drcsIntensities({ ...IMAGE, depth: 5, bits: 4, data: 'QyE=' }) ?? [])]).toEqual([
    ...[1, 0.75, 0.5, 0.25],
  ]);
  expect([...(drcsIntensities({ ...IMAGE, w: 1, depth: 256, bits: 8, data: '/w==' }) ?? [])]).toEqual([1]);
});

test('missing data are dark, impossible sizes no picture', () => {
  expect([...(drcsIntensities({ ...IMAGE, data: '' }) ?? [])]).toEqual([0, 0, 0, 0]);
  expect([...(drcsIntensities({ ...IMAGE, data: '%' }) ?? [])]).toEqual([0, 0, 0, 0]);
  expect(drcsIntensities({ ...IMAGE, w: 0 })).toBeUndefined();
  expect(drcsIntensities({ ...IMAGE, w: 100_000, h: 100_000 })).toBeUndefined();
  expect(drcsIntensities({ ...IMAGE, depth: 1 })).toBeUndefined();
});
