import { expect, test } from 'bun:test';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { CaptionTimeline } from './caption-timeline.ts';

function page(text: string, duration: number | null = null): CaptionPage {
  const place = { x: 0, y: 0, w: 40, h: 60, fx: 2, fy: 12, size: 36, scaleX: 1 };
  const runs = text === '' ? [] : [{ ...place, text, fg: '#ffffffff', bg: '#00000080' }];
  return { v: 1, plane: [960, 540], duration, runs };
}

function shown(timeline: CaptionTimeline, position: number): string {
  return timeline.at(position)?.runs[0]?.text ?? '';
}

test('the last started page is shown until its end, the next one or an empty one', () => {
  const timeline = new CaptionTimeline();
  timeline.add(1_000, page('一', 500));
  timeline.add(2_000, page('二'));
  timeline.add(3_000, page(''));
  expect([999, 1_000, 1_499, 1_500, 2_000, 2_999, 3_000].map((at) => shown(timeline, at))).toEqual([
    ...['', '一', '一', '', '二', '二', ''],
  ]);
});

test('a page with an earlier time replaces the pending ones', () => {
  const timeline = new CaptionTimeline();
  timeline.add(1_000, page('一', 6_000));
  timeline.add(7_000, page('later'));
  timeline.add(2_000, page('二'));
  expect([1_500, 2_000, 7_000].map((at) => shown(timeline, at))).toEqual(['一', '二', '二']);
});

test('ended pages are dropped, the visible one stays', () => {
  const timeline = new CaptionTimeline();
  for (let at = 0; at < 1_000; at++) timeline.add(at, page(`${at}`));
  timeline.dropBefore(950);
  expect([940, 950, 999].map((at) => shown(timeline, at))).toEqual(['', '950', '999']);
  timeline.clear();
  expect(shown(timeline, 999)).toBe('');
});
