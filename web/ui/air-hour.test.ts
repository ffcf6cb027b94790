import { afterEach, expect, test } from 'bun:test';
import { lateNight } from '../device/preferences.ts';
import { airHour } from './air-hour.ts';

afterEach(() => {
  lateNight.value = 'hours';
});

test('the hours after midnight are counted as the times beside them', () => {
  expect([5, 23, 24, 28].map(airHour)).toEqual([5, 23, 24, 28]);
  lateNight.value = 'words';
  expect([5, 23, 24, 28].map(airHour)).toEqual([5, 23, 0, 4]);
  lateNight.value = 'calendar';
  expect([23, 24].map(airHour)).toEqual([23, 0]);
});
