import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { systemErrorStep } from './system-error.ts';

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('an error of the system becomes a sentence without its own words', () => {
  const missing = errorOf(() => readFileSync('/nowhere/at/all'));
  expect(systemErrorStep(missing)).toBe('見つかりません。場所と設定を確認してください。');
  for (const error of [
    missing,
    errorOf(() => readFileSync('/')),
    errorOf(() => readdirSync('/dev/null')),
    Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }),
    Object.assign(new Error('spawn recdvb ENOENT'), { code: 'constructor' }),
    new TypeError('undefined is not an object'),
    'EACCES',
    null,
    undefined,
  ]) {
    expect(systemErrorStep(error)).toMatch(/^[^A-Za-z]+。$/u);
  }
});
