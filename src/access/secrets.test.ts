import { expect, test } from 'bun:test';
import { isSameSecret, newSecret, newToken, newUserCode, readTypedCode, readUserCode } from './secrets.ts';

/** Returns these octets one after another. */
function octets(...given: number[]): (bytes: number) => Uint8Array {
  let at = 0;
  return (count) => Uint8Array.from({ length: count }, () => given[at++ % given.length] ?? 0);
}

test('a code maps random bytes to letters', () => {
  expect(newUserCode(octets(0, 1, 2, 3, 4, 5, 6, 7))).toBe('BCDF-GHJK');
  expect(newUserCode(octets(19, 20, 39, 40, 239, 220, 60, 1))).toBe('ZBZB-ZBBC');
});

test('bytes that would bias the letters are rejected, and the code keeps its length', () => {
  expect(newUserCode(octets(240, 0, 255, 1, 250, 2, 241, 3, 4))).toBe('BCDF-GBCD');
});

test('a code in a URL is read as it was issued', () => {
  expect(readUserCode('BCDF-GHJK')).toBe('BCDF-GHJK');
  expect(readUserCode('bcdf-ghjk')).toBe('BCDF-GHJK');
  for (const text of [
    '',
    'BCDFGHJK',
    'BCDF-GHJ',
    'BCDF-GHJKB',
    'ABCD-GHJK',
    'BCDF-GHJ1',
    ' BCDF-GHJK',
    'BCDF_GHJK',
  ])
    expect(readUserCode(text)).toBeUndefined();
});

test('a code is read as people type it', () => {
  for (const text of [
    'BCDF-GHJK',
    'bcdfghjk',
    ' bcdf ghjk ',
    'ＢＣＤＦ－ＧＨＪＫ',
    'ｂｃｄｆーｇｈｊｋ',
    'BCDF‐GHJK',
  ])
    expect([text, readTypedCode(text)]).toEqual([text, 'BCDF-GHJK']);
  for (const text of ['', 'BCDF', 'ABCD-GHJK', 'BCDF-GHJKL', `BCDF${' '.repeat(40)}GHJK`, '%00'])
    expect([text, readTypedCode(text)]).toEqual([text, undefined]);
});

test('secrets are 32 bytes in URL-safe characters', () => {
  expect(newSecret(octets(255))).toBe(`${'_'.repeat(42)}8`);
  expect(newToken(octets(0))).toBe(`svc_${'A'.repeat(43)}`);
});

test('secrets are compared in full length', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abcd', 'abd', 'ABC']) expect(isSameSecret('abc', other)).toBe(false);
});
