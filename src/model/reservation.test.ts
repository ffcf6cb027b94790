import { expect, test } from 'bun:test';
import { RESERVATION_STATES } from '../../lib/wire/vocabulary.ts';
import { isReserved } from './reservation.ts';

test('only states with a tuner count as reserved', () => {
  expect(RESERVATION_STATES.filter(isReserved)).toEqual(['scheduled', 'recording']);
});
