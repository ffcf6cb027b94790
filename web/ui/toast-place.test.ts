import { expect, test } from 'bun:test';
import { liftOver } from './toast-place.ts';

const BOX = { top: 600, bottom: 650 };
const at = (top: number, bottom: number) => ({ top, bottom });

test('stays where it covers nothing', () => {
  expect(liftOver(BOX, [])).toBe(0);
  expect(liftOver(BOX, [at(650, 690), at(560, 600)])).toBe(0);
});

test('goes up until there is a gap that is high enough', () => {
  expect(liftOver(BOX, [at(620, 660)])).toBe(38);
  expect(liftOver(BOX, [at(620, 660), at(500, 540)])).toBe(38);
  expect(liftOver(BOX, [at(500, 540), at(560, 640), at(610, 660)])).toBe(158);
});
