import { expect, test } from 'bun:test';
import { bytesText } from './bytes.ts';

test('sizes have two digits and a unit', () => {
  expect([0, 512, 3_400_000, 120_400_000_000, 4_000_000_000_000].map(bytesText)).toEqual([
    '0\u00a0B',
    '512\u00a0B',
    '3.4\u00a0MB',
    '120\u00a0GB',
    '4.0\u00a0TB',
  ]);
});
