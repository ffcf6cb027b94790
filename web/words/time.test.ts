import { afterEach, describe, expect, test } from 'bun:test';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { lateNight } from '../device/preferences.ts';
import {
  agoText,
  airDateText,
  clockText,
  dateText,
  isoText,
  leftToRecord,
  lengthText,
  momentText,
  remainingText,
  shortText,
  spanText,
} from './time.ts';

const at = broadcastMs(Date.UTC(2026, 10, 20, 15, 5)); // 2026-11-21 00:05 JST

describe('times in JST', () => {
  test('are shown in Japan time with unpadded hours', () => {
    expect(clockText(at)).toBe('0:05');
    expect(dateText(at)).toBe('11月21日(土)');
    expect(dateText(at, plusMs(at, 3_600_000))).toBe('11月21日(土)');
    expect(isoText(at)).toBe('2026-11-21T00:05+09:00');
  });

  test('the year stands where it is not the present one, by the calendar of Japan', () => {
    const newYear = broadcastMs(Date.UTC(2026, 11, 31, 15)); // 2027-01-01 00:00 JST
    expect(dateText(plusMs(newYear, -1), newYear)).toBe('2026年12月31日(木)');
    expect(shortText(plusMs(newYear, -60_000), newYear)).toBe('2026/12/31(木) 23:59');
    expect(momentText(newYear, plusMs(newYear, 86_400_000))).toBe('1/1(金) 0:00');
    expect(dateText(newYear, plusMs(newYear, -1))).toBe('2027年1月1日(金)');
  });

  test('remaining time is rounded up so that it never says zero', () => {
    expect(remainingText(at, plusMs(at, 1 - 12 * 60_000))).toBe('あと12分');
    expect(remainingText(at, plusMs(at, -59_999))).toBe('まもなく終了');
    expect(remainingText(at, at)).toBe('終了');
    expect(remainingText(at, plusMs(at, -65 * 60_000))).toBe('あと1時間5分');
    expect(remainingText(at, plusMs(at, -120 * 60_000))).toBe('あと2時間');
    expect(leftToRecord(at, plusMs(at, -59_999))).toBe('まもなく終了');
    expect(leftToRecord(at, at)).toBe('終了待ち');
  });

  test('durations and ages use the largest unit that fits', () => {
    expect([54, 60, 125].map((minutes) => lengthText(minutes * 60_000))).toEqual([
      '54分',
      '1時間',
      '2時間5分',
    ]);
    expect(agoText(at, plusMs(at, 59_999))).toBe('たった今');
    expect(agoText(at, plusMs(at, 12 * 60_000))).toBe('12分前');
    expect(agoText(at, plusMs(at, 23 * 3_600_000))).toBe('23時間前');
    expect(agoText(at, plusMs(at, 25 * 3_600_000))).toBe('11月21日(土) 0:05');
    expect(momentText(at)).toBe('11/21(土) 0:05');
  });
});

describe('a programme after midnight', () => {
  const hour = 3_600_000;
  afterEach(() => {
    lateNight.value = 'hours';
  });

  test('belongs to the evening before, by day and hour', () => {
    expect(shortText(at)).toBe('11/20(金) 24:05');
    expect(airDateText(at)).toBe('11月20日(金)');
    expect(spanText(plusMs(at, -hour), plusMs(at, hour))).toBe('23:05 – 25:05');
    expect(shortText(plusMs(at, 5 * hour))).toBe('11/21(土) 5:05');
    const newYear = broadcastMs(Date.UTC(2026, 11, 31, 15));
    expect(shortText(newYear, newYear)).toBe('2026/12/31(木) 24:00');
  });

  test('is named in words, once in a span', () => {
    lateNight.value = 'words';
    expect(shortText(at)).toBe('11/20(金) 深夜0:05');
    expect(spanText(at, plusMs(at, hour))).toBe('深夜0:05 – 1:05');
    expect(spanText(plusMs(at, -hour), plusMs(at, hour))).toBe('23:05 – 深夜1:05');
  });

  test('follows the calendar where so configured', () => {
    lateNight.value = 'calendar';
    expect(shortText(at)).toBe('11/21(土) 0:05');
    expect(airDateText(at)).toBe('11月21日(土)');
    expect(spanText(at, plusMs(at, hour))).toBe('0:05 – 1:05');
  });
});
