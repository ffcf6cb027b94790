import { expect, test } from 'bun:test';
import type { SearchResult } from '../../lib/wire/api.ts';
import { ruleId } from '../../lib/wire/ids.ts';
import { withSearch } from './recent.ts';
import { FIRST_SIZES, grown } from './sections.ts';
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

test('only the last of several keystrokes is requested', async () => {
  const asked: string[] = [];
  const run = new SearchRun((words) => {
    asked.push(words);
    return Promise.resolve(resultOf(words));
  });
  for (const words of ['に', 'にゅ', 'にゅーす']) run.search(words, FIRST_SIZES, false);
  await until(() => run.state.value.kind === 'ready');
  expect(asked).toEqual(['にゅーす']);
});

test('an outdated answer is dropped', async () => {
  const answers: ((result: SearchResult) => void)[] = [];
  const aborted: boolean[] = [];
  const run = new SearchRun((_words, signal) => {
    const index = answers.length;
    aborted[index] = false;
    signal.addEventListener('abort', () => {
      aborted[index] = true;
    });
    return new Promise((resolve) => answers.push(resolve));
  });
  run.search('古い', FIRST_SIZES, true);
  await until(() => answers.length === 1);
  run.search('新しい', FIRST_SIZES, true);
  await until(() => answers.length === 2);
  expect(aborted).toEqual([true, false]);
  answers[1]?.(resultOf('新しい'));
  answers[0]?.(resultOf('古い'));
  await until(() => run.state.value.kind === 'ready');
  const state = run.state.value;
  expect(state.kind === 'ready' && state.result.q).toBe('新しい');
});

test('the last result stays until the next arrives, and is cleared with the words', async () => {
  const run = new SearchRun((words) => Promise.resolve(resultOf(words)));
  run.search('あ', FIRST_SIZES, true);
  await until(() => run.state.value.kind === 'ready');
  run.search('あい', FIRST_SIZES, false);
  expect(run.state.value).toMatchObject({ kind: 'waiting', before: { q: 'あ' } });
  run.search('  ', FIRST_SIZES, false);
  expect(run.state.value.kind).toBe('empty');
});

test('more rows of one section are appended page by page', async () => {
  const all = Array.from({ length: 34 }, (_, index) => ({
    id: ruleId(index),
    name: `規則${index}`,
    enabled: true,
  }));
  const asked: string[] = [];
  const run = new SearchRun((q, _signal, rest) => {
    asked.push(rest === undefined ? 'all' : `${rest.section} ${rest.offset}`);
    const offset = rest?.offset ?? 0;
    const rules = { more: all.length > offset + 10, rows: all.slice(offset, offset + 10) };
    return Promise.resolve({ ...resultOf(q), rules });
  });
  const sizes = grown(FIRST_SIZES, 'rules') ?? FIRST_SIZES;
  run.search('規則', sizes, true);
  await until(() => run.state.value.kind === 'ready');
  const state = run.state.value;
  const rules = state.kind === 'ready' ? state.result.rules : EMPTY;
  expect(asked).toEqual(['all', 'rules 10', 'rules 20']);
  expect(rules).toEqual({ more: true, rows: all.slice(0, 30) });
  run.search('規則', grown(sizes, 'rules') ?? sizes, true);
  await until(() => asked.length === 7 && run.state.value.kind === 'ready');
  expect(run.state.value).toMatchObject({ result: { rules: { more: false, rows: all } } });
});

test('a section grows up to a bound', () => {
  let sizes = FIRST_SIZES;
  for (let bigger = grown(sizes, 'programs'); bigger !== undefined; bigger = grown(sizes, 'programs'))
    sizes = bigger;
  expect([sizes.programs, sizes.rules]).toEqual([200, 10]);
});

test('recent searches contain each once, latest first, and no single characters', () => {
  expect(withSearch(['b2', 'a1'], ' a1 ')).toEqual(['a1', 'b2']);
  expect(withSearch(['b2'], 'x')).toEqual(['b2']);
  expect(withSearch(['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'], 'new').length).toBe(8);
});
