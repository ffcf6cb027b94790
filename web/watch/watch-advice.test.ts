import { expect, test } from 'bun:test';
import { ApiFailure } from '../query/api.ts';
import { watchAdvice } from './watch-advice.ts';

test('another quality is advised only where there is one', () => {
  const broken = new ApiFailure('decode', '');
  expect(watchAdvice(broken, true).next).toContain('別の画質');
  expect(watchAdvice(broken, false).next).not.toContain('画質');
  expect(watchAdvice(new ApiFailure('interrupted', ''), true)).toEqual(
    watchAdvice(new ApiFailure('interrupted', ''), false),
  );
});
