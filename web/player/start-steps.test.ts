import { beforeEach, expect, test } from 'bun:test';
import { wallMs } from '../../lib/wire/times.ts';
import { StartSteps } from './start-steps.ts';

beforeEach(() => performance.clearMarks());

const marks = (): string[] => performance.getEntriesByType('mark').map(({ name }) => name);

test('each step has a mark, and what it took after the one before', () => {
  const steps = new StartSteps();
  steps.note('sent');
  expect(marks()).toEqual([]);
  steps.begin();
  const at = performance.now() + 100;
  steps.note('sent', at);
  steps.note('tuned', at + 20);
  steps.noteWall('intra', wallMs(performance.timeOrigin + at + 50));
  expect(steps.durations).toEqual([]);
  steps.note('shown', at + 90);
  expect(marks().sort()).toEqual([
    'live:asked',
    'live:intra',
    'live:press',
    'live:sent',
    'live:shown',
    'live:tuned',
  ]);
  const taken = new Map(steps.durations.map(([step, ms]) => [step, Math.round(ms)]));
  expect([...taken.keys()]).toEqual(['asked', 'sent', 'tuned', 'intra', 'shown']);
  expect([taken.get('tuned'), taken.get('intra'), taken.get('shown')]).toEqual([20, 30, 40]);
});

test('the first time of a step counts, and nothing after the picture; the next start begins with nothing', () => {
  const steps = new StartSteps();
  steps.begin();
  const at = performance.now();
  steps.note('tuned', at + 10);
  steps.note('tuned', at + 99);
  steps.note('shown', at + 30);
  steps.note('data', at + 50);
  expect(steps.durations.map(([step, ms]) => [step, Math.round(ms)]).slice(1)).toEqual([
    ['tuned', 10],
    ['shown', 20],
  ]);
  steps.begin();
  expect(marks().sort()).toEqual(['live:asked', 'live:press']);
  expect(steps.durations).toEqual([]);
});
