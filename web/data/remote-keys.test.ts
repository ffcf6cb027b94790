import { describe, expect, test } from 'bun:test';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { KEY } from '../bml/engine/keys.ts';
import { isDigit, LeavePresses, remoteKeyOf } from './remote-keys.ts';

test('keyboard and television remotes send the keys of a data broadcast', () => {
  const keys = ['D', 'TVDataService', 'Backspace', 'GoBack', 'B', 'ColorF3Blue', 'r', 'ColorF0Red', '0', '9'];
  const { data, back, blue, red, digit0, digit9 } = KEY;
  expect(keys.map(remoteKeyOf)).toEqual([data, data, back, back, blue, blue, red, red, digit0, digit9]);
  // Names of Object.prototype are no keys.
  expect(['constructor', 'x', 'F5'].map(remoteKeyOf)).toEqual([undefined, undefined, undefined]);
  expect(['0', '9', '-', '^'].map((key) => isDigit(remoteKeyOf(key) ?? 0))).toEqual([true, true, true, true]);
  expect([KEY.enter, KEY.right].map(isDigit)).toEqual([false, false]);
});

const at = (ms: number): MonotonicMs => ms as MonotonicMs;

describe('presses that leave the data broadcast', () => {
  test('d twice leaves, two single presses do not', () => {
    const presses = new LeavePresses();
    expect([presses.data(at(0)), presses.data(at(900))]).toEqual([false, true]);
    // The second press is used up.
    expect([presses.data(at(1500)), presses.data(at(4000))]).toEqual([false, false]);
  });

  test('Back twice leaves, unless the document followed the first press', () => {
    const presses = new LeavePresses();
    expect([presses.back(at(0), false), presses.back(at(500), false)]).toEqual([false, true]);
    expect(presses.back(at(5000), false)).toBe(false);
    presses.documentChanged();
    expect(presses.back(at(5300), false)).toBe(false);
  });

  test('Back corrects digits without leaving, and leaves when it is held', () => {
    const presses = new LeavePresses();
    presses.digit(at(0));
    expect([1000, 1300, 1600].map((ms) => presses.back(at(ms), false))).toEqual([false, false, false]);
    expect([presses.back(at(2100), true), presses.back(at(2400), true)]).toEqual([false, true]);
  });
});
