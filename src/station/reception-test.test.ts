import { expect, test } from 'bun:test';
import type { Tuner } from '../../lib/wire/agent.ts';
import { tunerOf } from '../../test/tuner.ts';
import type { SurveyResult } from '../reception/survey-types.ts';
import { ReceptionTests } from './reception-test.ts';

const REQUEST = { type: 'BS', channel: 'BS01_0' } as const;
const STATS = { packets: 9, syncErrors: 0, transportErrors: 1, continuityErrors: 2, scrambled: 3 };

const TUNED = tunerOf(['BS'], {
  ...{
    id: 's1',
    name: 'BS 1',
    tuned: REQUEST,
    stats: STATS,
    signal: { locked: true, cnr: 17.5, strength: null },
  },
  descrambling: { state: 'scrambled', failure: 'no_card' },
});

/** A test whose survey ends in the given way after the tuners were read that often. */
function rig(readings: (Tuner[] | Error)[], ends: Pick<SurveyResult, 'outcome' | 'reason'>) {
  const survey = Promise.withResolvers<SurveyResult>();
  let asked = 0;
  return new ReceptionTests({
    surveys: { survey: () => survey.promise },
    agent: {
      tuners: async () => {
        const reading = readings[asked++];
        if (asked >= readings.length) survey.resolve({ ...ends, findings: {} });
        if (reading instanceof Error) throw reading;
        return reading ?? [];
      },
    },
    pollMs: 1,
  });
}

test("a received channel reports tuner, signal, errors and the card's fault", async () => {
  const tests = rig([[TUNED], [tunerOf(['BS'], { id: 'other' }), TUNED]], {
    outcome: 'partial',
    reason: 'late',
  });
  const running = tests.run(REQUEST);
  await expect(tests.run(REQUEST)).rejects.toMatchObject({ code: 'conflict' });
  expect(await running).toEqual({
    ...REQUEST,
    ...{ received: true, message: null, tuner: { id: 's1', name: 'BS 1' } },
    ...{ signal: { locked: true, cnr: 17.5, strength: null }, stats: STATS, keyFailure: 'no_card' },
  });
});

test('a channel that is not received reports the last signal and the reason', async () => {
  const unlocked = { ...TUNED, signal: { locked: false, cnr: 2.1, strength: null }, stats: null };
  const idle = tunerOf(['BS'], { id: 's1' });
  const failed = rig([[unlocked], new Error('away'), [idle]], { outcome: 'refused', reason: '同期しません' });
  expect(await failed.run(REQUEST)).toMatchObject({
    ...{ received: false, message: '同期しません', tuner: { id: 's1' } },
    signal: { locked: false, cnr: 2.1 },
  });
  const busy = rig([[]], { outcome: 'no_tuner', reason: 'HTTP 409' });
  expect(await busy.run(REQUEST)).toMatchObject({
    ...{ received: false, message: '空いているチューナーがありませんでした', tuner: null, signal: null },
  });
});
