import { expect, test } from 'bun:test';
import type { Tuner } from '../../wire/agent.ts';
import { silenceQuery } from './stream-silence.ts';

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
