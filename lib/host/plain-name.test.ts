import { expect, test } from 'bun:test';
import { plainName } from './plain-name.ts';

test('control and bidirectional characters are removed from a name', () => {
  expect(plainName(' 居間の\u202eチューナー\u2066\u2069\u061c\u200f\u0000\u001b[31m\u0085\ud800 ')).toBe(
    '居間のチューナー[31m',
  );
  expect(plainName('上の行\r\n下の行')).toBe('上の行 下の行');
  expect(plainName('👩‍👩‍👧 家族 𠮷')).toBe('👩‍👩‍👧 家族 𠮷');
});
