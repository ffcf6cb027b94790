import { expect, test } from 'bun:test';
import type { SearchResult } from '../../wire/api.ts';
import { withSearch } from './recent.ts';
import { SearchRun } from './state.ts';

const EMPTY = { more: false, rows: [] };
const resultOf = (q: string): SearchResult => ({
  q,
  programs: EMPTY,
  recordings: EMPTY,
  reservations: EMPTY,
  rules: EMPTY,
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 400; tries += 1) await Bun.sleep(5);
  expect(condition()).toBe(true);
}

test('only the last of several letters is asked for', async () => {
  const asked: string[] = [];
  const run = new SearchRun((words) => {
    asked.push(words);
    return Promise.resolve(resultOf(words));
  });
  for (const words of ['に', 'にゅ', 'にゅーす']) run.search(words, 4, false);
  await until(() => run.state.value.kind === 'ready');
  expect(asked).toEqual(['にゅーす']);
});

test('an answer that is no longer wanted is let go', async () => {
  const answers: ((result: SearchResult) => void)[] = [];
  const aborted: boolean[] = [];
  const run = new SearchRun((_words, _limit, signal) => {
    const index = answers.length;
    aborted[index] = false;
    signal.addEventListener('abort', () => {
      aborted[index] = true;
    });
    return new Promise((resolve) => answers.push(resolve));
  });
  run.search('古い', 4, true);
  await until(() => answers.length === 1);
  run.search('新しい', 4, true);
  await until(() => answers.length === 2);
  expect(aborted).toEqual([true, false]);
  answers[1]?.(resultOf('新しい'));
  answers[0]?.(resultOf('古い'));
  await until(() => run.state.value.kind === 'ready');
  const state = run.state.value;
  expect(state.kind === 'ready' && state.result.q).toBe('新しい');
});

test('the last result stays until the next is there, and goes with the words', async () => {
  const run = new SearchRun((words) => Promise.resolve(resultOf(words)));
  run.search('あ', 4, true);
  await until(() => run.state.value.kind === 'ready');
  run.search('あい', 4, false);
  expect(run.state.value).toMatchObject({ kind: 'waiting', before: { q: 'あ' } });
  run.search('  ', 4, false);
  expect(run.state.value.kind).toBe('empty');
});

test('recent searches hold each once, latest first, and no single letters', () => {
  expect(withSearch(['b2', 'a1'], ' a1 ')).toEqual(['a1', 'b2']);
  expect(withSearch(['b2'], 'x')).toEqual(['b2']);
  expect(withSearch(['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'], 'new').length).toBe(8);
});
