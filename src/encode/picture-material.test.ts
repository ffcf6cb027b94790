import { expect, test } from 'bun:test';
import { materialOf, repeatedShare } from './picture-material.ts';

const line = (neither: number, top: number, bottom: number): string =>
  `[Parsed_idet_0 @ 0x1] Repeated Fields: Neither:${String(neither).padStart(6)} Top:    ${top} Bottom:    ${bottom}\n`;

test('the share of pictures with a repeated field is parsed from the output of idet', () => {
  expect(repeatedShare(line(204, 49, 49))).toBeCloseTo(98 / 302, 6);
  expect(repeatedShare(line(261, 21, 20))).toBeLessThan(0.28);
  expect(repeatedShare(line(50, 20, 20))).toBeUndefined();
  expect(repeatedShare('no such line')).toBeUndefined();
});

test('a recording counts as film only if all of it is; with some film it is mixed', () => {
  expect(materialOf([0.4, 0.39, 0.4, 0.4], false)).toBe('film');
  expect(materialOf([0.4, 0.39, 0.4, 0.4], true)).toBe('mixed');
  expect(materialOf([0.4, 0.1, 0.4, undefined], false)).toBe('mixed');
  expect(materialOf([0.1, undefined, 0.2, 0.05], true)).toBe('video');
});
