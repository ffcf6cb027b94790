import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { type BeginFacts, delayOf, lifecycleOf } from './recording-begin.ts';

const START = broadcastMs(1_800_000_000_000);
const at = (seconds: number) => broadcastMs(START + seconds * 1000);
const ORDER = { startAt: START, openAt: at(-12), wantedFrom: null, after: [] };
const FACTS: BeginFacts = { now: at(-12), startedAt: at(-5000), wasInConflict: false };

test('a late start names its cause: conflict, downtime of the service, or a hand-over', () => {
  expect(delayOf(ORDER, FACTS)).toBeUndefined();
  const late = { ...FACTS, now: at(241) };
  expect(delayOf(ORDER, late)).toBeUndefined();
  expect(delayOf(ORDER, { ...late, wasInConflict: true })).toEqual({ cause: 'conflict', from: START });
  expect(delayOf(ORDER, { ...late, startedAt: at(200) })).toEqual({ cause: 'service_stopped', from: START });
  expect(delayOf({ ...ORDER, openAt: at(0), after: [reservationId(7)] }, { ...FACTS, now: at(0) })).toEqual({
    cause: 'handover',
    from: START,
  });
  // In conflict long before its time, or booked after a start: neither delayed it.
  expect(delayOf(ORDER, { ...FACTS, wasInConflict: true })).toBeUndefined();
  expect(delayOf({ ...ORDER, wantedFrom: at(240) }, { ...late, startedAt: at(200) })).toBeUndefined();
});

test('a resumed recording counts as on air where main content was written and the station did not contradict', () => {
  const times = {
    ...{ openAt: at(100), startAt: START, endAt: at(1000), closeAt: at(1010) },
    ...{ holdUntil: null, listenUntil: null, brokenAt: null },
  };
  const until = (seconds: number) => ({
    ...nothingMeasured(),
    stretches: [{ from: at(-10), to: at(seconds) }],
  });
  expect(lifecycleOf(times, undefined, at(100)).state).toBe('announced');
  expect(lifecycleOf(times, until(-1), at(100)).state).toBe('announced');
  expect(lifecycleOf(times, until(50), at(100)).state).toBe('on');
  expect(lifecycleOf(times, { ...until(50), isAired: false }, at(100)).state).toBe('announced');
  expect(lifecycleOf(times, until(50), at(2000)).state).toBe('unreceived');
});
