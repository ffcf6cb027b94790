import { expect, test } from 'bun:test';
import { RunBudget } from './script-tasks.ts';

/** Runs slices of `busy` ms, each followed by `idle` ms, for a time; returns when the budget is exceeded, or -1. */
function exceededAfter(busy: number, idle: number, milliseconds: number): number {
  let now = 1_000_003;
  const start = now;
  const budget = new RunBudget(() => now);
  while (now - start < milliseconds) {
    budget.spend(() => {
      now += busy;
    });
    if (budget.exceeded) return now - start;
    now += idle;
  }
  return -1;
}

test('a script that always runs is stopped after 4 s', () => {
  expect(exceededAfter(5, 0, 20_000)).toBe(4005);
});

test('half of the time is too much, a third is not', () => {
  expect(exceededAfter(5, 5, 60_000)).toBeLessThan(8100);
  expect(exceededAfter(5, 10, 60_000)).toBe(-1);
});

test('what was used is forgotten after 10 s', () => {
  let now = 0;
  const budget = new RunBudget(() => now);
  const work = (): void => {
    now += 3900;
  };
  budget.spend(work);
  now += 10_100;
  budget.spend(work);
  expect(budget.exceeded).toBe(false);
  budget.spend(work);
  expect(budget.exceeded).toBe(true);
});
