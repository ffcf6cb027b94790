import { expect, test } from 'bun:test';
import { drcsIntensities } from './drcs-image.ts';

const IMAGE = { w: 4, h: 1, depth: 4, bits: 2, data: 'Gw==', md5: '' } as const;

test('pixels of every bit count', () => {
  // 0x1b: 00 01 10 11
  expect([...(drcsIntensities(IMAGE) ?? [])].map((one) => one.toFixed(2))).toEqual([
    ...['0.00', '0.33', '0.67', '1.00'],
  ]);
  expect([...(drcsIntensities({ ...IMAGE, depth: 2, bits: 1, data: 'oA==' }) ?? [])]).toEqual([1, 0, 1, 0]);
  // 0x43 0x21 of five levels.
  expect([...(drcsIntensities({ ...IMAGE, depth: 5, bits: 4, data: 'QyE=' }) ?? [])]).toEqual([
    ...[1, 0.75, 0.5, 0.25],
  ]);
  expect([...(drcsIntensities({ ...IMAGE, w: 1, depth: 256, bits: 8, data: '/w==' }) ?? [])]).toEqual([1]);
});

test('missing data are dark, impossible sizes no picture', () => {
  expect([...(drcsIntensities({ ...IMAGE, data: '' }) ?? [])]).toEqual([0, 0, 0, 0]);
  expect([...(drcsIntensities({ ...IMAGE, data: '%' }) ?? [])]).toEqual([0, 0, 0, 0]);
  expect(drcsIntensities({ ...IMAGE, w: 0 })).toBeUndefined();
  expect(drcsIntensities({ ...IMAGE, w: 100_000, h: 100_000 })).toBeUndefined();
  expect(drcsIntensities({ ...IMAGE, depth: 1 })).toBeUndefined();
});
