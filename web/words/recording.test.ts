import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import {
  clockSecondsText,
  leftInBin,
  lengthClock,
  progressWords,
  quoted,
  roomText,
  spellMs,
} from './recording.ts';

const HOUR_MS = 3_600_000;

test('lengths are rounded to a useful precision', () => {
  expect([400, 43_000, 80_000, 120_000, 720_000, 3_600_000, 3_900_000].map(spellMs)).toEqual([
    '1秒未満',
    '43秒',
    '1分20秒',
    '2分',
    '12分',
    '1時間',
    '1時間5分',
  ]);
  expect([0, 59_000, 54 * 60_000, 114 * 60_000 + 5_000].map(lengthClock)).toEqual([
    '0:00',
    '0:59',
    '54:00',
    '1:54:05',
  ]);
});

test('a moment has its seconds, in Japan', () => {
  expect(clockSecondsText(broadcastMs(Date.UTC(2026, 10, 21, 12, 5, 9)))).toBe('21:05:09');
  // By the hours of the evening that it belongs to, as the programme itself.
  expect(clockSecondsText(broadcastMs(Date.UTC(2026, 10, 21, 16, 5, 9)))).toBe('25:05:09');
});

test('the bin shows its retention time', () => {
  const left = (ms: number) => leftInBin(broadcastMs(0), broadcastMs(48 * HOUR_MS - ms));
  expect([48 * HOUR_MS, 90 * 60_000, 40 * 60_000, 30_000, -5_000].map(left)).toEqual([
    'あと48時間',
    'あと1時間',
    'あと40分',
    'まもなく',
    'まもなく',
  ]);
});

test('free space is given in hours, and in minutes once there is little', () => {
  expect([1_240 * HOUR_MS, 2.5 * HOUR_MS].map(roomText)).toEqual(['約1,240時間', '約150分']);
});

test('a title with quotation marks of its own gets the other ones', () => {
  expect(quoted('天気')).toBe('「天気」');
  expect(quoted('映画「汽車」')).toBe('『映画「汽車」』');
});

describe('the state of a recording in progress', () => {
  const progress = {
    phase: 'receiving',
    cause: null,
    bytes: 1,
    drops: 0,
    slow: false,
    tunerId: null,
    until: broadcastMs(0),
  } as const;

  test('a recording without problems has no message', () => {
    expect(progressWords(progress)).toEqual({ text: '録画中', tone: 'good' });
    expect(progressWords({ ...progress, phase: 'waiting' }).tone).toBe('good');
  });

  test('a cause is named, and is severe while nothing is written', () => {
    expect(progressWords({ ...progress, phase: 'interrupted', cause: 'stream_ended' })).toEqual({
      text: '受信が途切れました',
      tone: 'bad',
    });
    expect(progressWords({ ...progress, cause: 'disk_full' })).toEqual({
      text: '録画先の空き容量がありません',
      tone: 'bad',
    });
    expect(progressWords({ ...progress, cause: 'card_missing' })).toEqual({
      text: 'カードが入っていません',
      tone: 'bad',
    });
    expect(progressWords({ ...progress, cause: 'disk_slow' })).toMatchObject({ tone: 'warn' });
    expect(progressWords({ ...progress, phase: 'interrupted' }).tone).toBe('bad');
  });

  test('a slow disk is reported', () => {
    const { text, tone } = progressWords({ ...progress, slow: true });
    expect(text).toContain('書き込みが遅れています');
    expect(tone).toBe('warn');
  });
});
