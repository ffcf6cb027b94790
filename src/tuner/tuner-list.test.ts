import { expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { GAP_CAUSES } from '../../lib/wire/gap-causes.ts';
import { KEY_FAILURES } from '../../lib/wire/key-failure.ts';
import { keyFailureCause, keyFailureOf, keyFailureProblem, silenceQuery } from './tuner-list.ts';

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
  const reasons = KEY_FAILURES;
  expect(new Set(reasons.map((reason) => keyFailureProblem(reason).message)).size).toBe(reasons.length);
  for (const reason of reasons) {
    expect(keyFailureProblem(reason).message).toMatch(/。$/);
    expect(GAP_CAUSES).toContain(keyFailureCause(reason));
    expect(keyFailureCause(reason)).not.toBe('scrambled');
  }
});

/** An agent that answers with a tuner that has received this many packets; undefined: it does not answer. */
function agent(...answers: readonly (number | null | undefined)[]) {
  const left = [...answers];
  return silenceQuery(async () => {
    const packets = left.shift();
    if (packets === undefined) throw new Error('no answer');
    const stats = packets === null ? null : { packets };
    return [{ id: 't1', stats }] as unknown as Tuner[];
  });
}

const asked = async (query: ReturnType<typeof agent>, times: number) => {
  const causes = [];
  for (let time = 0; time < times; time += 1) causes.push(await query('t1'));
  return causes;
};

test('a tuner that receives nothing sends nothing', async () => {
  expect(await asked(agent(500, 500, 500), 3)).toEqual([undefined, 'stalled', 'stalled']);
});

test('packets that the tuner receives and that do not arrive are lost on the way', async () => {
  expect(await asked(agent(500, 900), 2)).toEqual([undefined, 'agent_silent']);
});

test('an agent that does not answer is silent, whatever it said before', async () => {
  expect(await asked(agent(500, undefined, 500, 500), 4)).toEqual([
    ...[undefined, 'agent_silent', undefined, 'stalled'],
  ]);
});

test('a tuner without statistics, or of another tuning, tells nothing', async () => {
  expect(await asked(agent(null, 900, 20), 3)).toEqual([undefined, undefined, 'stalled']);
  expect(await agent(500)('another')).toBeUndefined();
});
