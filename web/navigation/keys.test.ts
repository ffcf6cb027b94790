import { expect, test } from 'bun:test';
import { channelStep, isRecordKey, keyNumber } from './keys.ts';

test('the number row represents the twelve buttons', () => {
  const row = Array.from('1234567890-^', (key) => keyNumber({ key }));
  expect(row).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(keyNumber({ key: 'a' })).toBeUndefined();
  expect(keyNumber({ key: '1', ctrlKey: true })).toBeUndefined();
});

test('channel buttons step', () => {
  expect(channelStep('ChannelUp')).toBe(1);
  expect(channelStep('PageDown')).toBe(-1);
  expect(channelStep('x')).toBeUndefined();
});

test('R and the red key record, but not with Ctrl, which reloads', () => {
  expect(['r', 'R', 'ColorF0Red', 'MediaRecord', 'x'].map((key) => isRecordKey({ key }))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(isRecordKey({ key: 'r', ctrlKey: true })).toBe(false);
});
