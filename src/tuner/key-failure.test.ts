import { expect, test } from 'bun:test';
import { serviceId } from '../../arib/ids.ts';
import { KeyFailureSchema, type Tuner } from '../../wire/agent.ts';
import { GAP_CAUSES } from '../model/verdict.ts';
import { keyFailureCause, keyFailureOf, keyFailureProblem } from './key-failure.ts';

const STATION = { type: 'BS', channel: 'BS01_0', serviceId: serviceId(101), tunerId: 's0' } as const;

function tuner(descrambling: Tuner['descrambling'], channel: string = STATION.channel): Tuner {
  return {
    ...{ id: 's0', name: 's0', driver: 'fake', device: '', types: ['BS'], disabled: false, lnb: false },
    ...{ rank: 0, state: 'tuned', tuned: { type: 'BS', channel }, users: [], signal: null, stats: null },
    ...{ descrambled: false, error: null, ...(descrambling === undefined ? {} : { descrambling }) },
  };
}

test('a station reports the failure of its own programme', () => {
  const programs = [{ serviceId: 102, failure: 'not_subscribed' as const }];
  const state = { state: 'descrambled', failure: 'not_subscribed', programs } as const;
  const other = { ...STATION, serviceId: serviceId(102) };
  expect(keyFailureOf([tuner({ ...state, programs })], STATION)).toBeUndefined();
  expect(keyFailureOf([tuner({ ...state, programs })], other)).toBe('not_subscribed');
});

test('without a card every station of the stream reports it, unless the tuner receives another channel', () => {
  const state = { state: 'scrambled', failure: 'no_card' } as const;
  expect(keyFailureOf([tuner(state)], STATION)).toBe('no_card');
  expect(keyFailureOf([tuner(state, 'BS03_0')], STATION)).toBeUndefined();
  expect(keyFailureOf([tuner(null)], STATION)).toBeUndefined();
  expect(keyFailureOf([tuner(undefined)], STATION)).toBeUndefined();
  expect(keyFailureOf([tuner(state)], { ...STATION, tunerId: 's1' })).toBeUndefined();
});

test('every reason has its own sentence and a cause for verdicts', () => {
  const reasons = KeyFailureSchema.anyOf.map((one) => one.const);
  expect(new Set(reasons.map((reason) => keyFailureProblem(reason).message)).size).toBe(reasons.length);
  for (const reason of reasons) {
    expect(keyFailureProblem(reason).message).toMatch(/。$/);
    expect(GAP_CAUSES).toContain(keyFailureCause(reason));
    expect(keyFailureCause(reason)).not.toBe('scrambled');
  }
});
