import { expect, test } from 'bun:test';
import { ReservationStateSchema } from '../../wire/guide.ts';
import { isReserved } from './reservation.ts';

test('only states with a tuner count as reserved', () => {
  const states = ReservationStateSchema.anyOf.map((literal) => literal.const);
  expect(states.filter(isReserved)).toEqual(['scheduled', 'recording']);
});
