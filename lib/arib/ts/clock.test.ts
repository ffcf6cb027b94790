import { expect, test } from 'bun:test';
import { pts90k } from '../time.ts';
import { PCR_MODULUS, pcrDifference, pcrToPts, ptsDifference, unwrapPcr } from './clock.ts';

test('a clock continues across its wrap', () => {
  expect(pcrDifference(100, PCR_MODULUS - 100)).toBe(200);
  expect(pcrDifference(PCR_MODULUS - 100, 100)).toBe(-200);
  expect(unwrapPcr(5, 3 * PCR_MODULUS - 5)).toBe(3 * PCR_MODULUS + 5);
});

test('time stamps are compared across their wrap', () => {
  expect(ptsDifference(pts90k(10), pts90k(-10))).toBe(20);
  expect(ptsDifference(pts90k(-10), pts90k(10))).toBe(-20);
});

test('the base of a PCR is in 90 kHz units', () => {
  expect(pcrToPts(PCR_MODULUS - 1)).toBe(pts90k(-1));
  expect(pcrToPts(299)).toBe(pts90k(0));
});
