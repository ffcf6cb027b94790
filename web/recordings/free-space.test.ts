import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import {
  freeSpaceText,
  gaugeOf,
  type StorageFolder,
  shortageWords,
  usableBytes,
  warningsOf,
} from './free-space.ts';

const GB = 1_000_000_000;
const OK: StorageFolder = {
  path: '/a',
  totalBytes: 100 * GB,
  freeBytes: 40 * GB,
  floorBytes: 10 * GB,
  recordingBytes: 50 * GB,
  state: 'ok',
};
const AWAY: StorageFolder = { ...OK, path: '/b', totalBytes: null, freeBytes: null, state: 'away' };

describe('the gauge', () => {
  test('separates recordings from other data and marks the floor', () => {
    expect(gaugeOf([OK])).toEqual({ recordings: 0.5, others: 0.1, floor: 0.9 });
  });

  test('leaves out missing folders, and is undefined without any', () => {
    expect(gaugeOf([OK, AWAY])).toEqual(gaugeOf([OK]));
    expect(gaugeOf([AWAY])).toBeUndefined();
  });

  test('counts no more recordings than the disk holds', () => {
    expect(gaugeOf([{ ...OK, recordingBytes: 90 * GB }])).toMatchObject({ recordings: 0.6, others: 0 });
  });
});

test('available space is the free space above the floors', () => {
  expect(usableBytes([OK, { ...OK, freeBytes: 5 * GB }, AWAY])).toBe(30 * GB);
  const recordings = { count: 0, unwatched: 0, bytes: 0, failed: 0, binned: 0, binnedBytes: 0 };
  expect(freeSpaceText({ folders: [OK], recordings, roomMs: null, shortage: null })).toBe('空き 30\u00a0GB');
  expect(freeSpaceText({ folders: [OK], recordings, roomMs: 14_400_000, shortage: null })).toBe(
    '空き 30\u00a0GB・録画可能 約4時間',
  );
});

test('a shortage shows how much is left, and when it is used up', () => {
  const recordings = { count: 0, unwatched: 0, bytes: 0, failed: 0, binned: 0, binnedBytes: 0 };
  const facts = { folders: [OK], recordings, roomMs: null };
  expect(shortageWords({ ...facts, shortage: null })).toBeUndefined();
  const leftMs = 1_500_000;
  const fullAt = Date.UTC(2026, 10, 22, 12, 30);
  const told = shortageWords({ ...facts, shortage: { leftMs, fullAt: broadcastMs(fullAt) } });
  expect(told?.text).toContain('25分');
  expect(told?.next).toContain('21:30');
  expect(shortageWords({ ...facts, shortage: { leftMs, fullAt: null } })?.next).not.toContain('いっぱい');
});

describe('warnings', () => {
  test('there is none while all is well', () => {
    expect(warningsOf([OK, { ...OK, path: '/c' }])).toEqual([]);
  });

  test('say whether recording continues in another folder', () => {
    const full: StorageFolder = { ...OK, path: '/c', state: 'full' };
    expect(warningsOf([OK, full])).toMatchObject([{ path: '/c', tone: 'warn' }]);
    expect(warningsOf([OK, full])[0]?.next).toContain('ほかの録画先に録画します');
    const alone = warningsOf([full, AWAY]);
    expect(alone.map(({ tone }) => tone)).toEqual(['bad', 'bad']);
    expect(alone[0]?.next).toContain('このままでは録画できません');
  });

  test('name the floor that was reached', () => {
    expect(warningsOf([{ ...OK, state: 'floor' }])[0]?.text).toContain('10\u00a0GB');
  });
});
