import { expect, test } from 'bun:test';
import { ruleId } from '../../lib/wire/ids.ts';
import { ApiFailure } from '../query/api.ts';
import { formOf, readForm } from './form.ts';
import { PreviewRun, previewOf } from './preview-run.ts';

const body = (keyword: string) => readForm(formOf({ keyword })).body;

interface Asked {
  readonly keyword: string | undefined;
  answer(total: number): void;
  fail(error: Error): void;
}

function newRun() {
  const asked: Asked[] = [];
  const run = new PreviewRun(
    ({ keyword }, rule, signal) =>
      new Promise((resolve, reject) => {
        expect(rule).toBe(ruleId(7));
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
        asked.push({
          keyword,
          answer: (total) => resolve({ total, programs: [] }),
          fail: reject,
        });
      }),
    ruleId(7),
    5,
  );
  const next = async (count: number): Promise<Asked> => {
    while (asked.length < count) await Bun.sleep(1);
    const last = asked[count - 1];
    if (last === undefined) throw new Error('not asked');
    return last;
  };
  const until = async (kind: string): Promise<void> => {
    while (run.state.value.kind !== kind) await Bun.sleep(1);
  };
  return { run, asked, next, until };
}

test('several changes are debounced into one request for the last', async () => {
  const { run, asked, next, until } = newRun();
  for (const keyword of ['灯', '灯台', '灯台守']) run.show(body(keyword));
  expect(run.state.value.kind).toBe('waiting');
  const only = await next(1);
  expect(only.keyword).toBe('灯台守');
  only.answer(3);
  await until('ready');
  expect(asked.length).toBe(1);
});

test('a stale answer is dropped, and the last one stays meanwhile', async () => {
  const { run, next, until } = newRun();
  run.show(body('a'), true);
  (await next(1)).answer(1);
  await until('ready');
  run.show(body('b'), true);
  const late = await next(2);
  run.show(body('c'), true);
  const last = await next(3);
  late.answer(2);
  expect(previewOf(run.state.value)?.total).toBe(1);
  last.answer(3);
  await until('ready');
  expect(previewOf(run.state.value)?.total).toBe(3);
});

test('a failure keeps the last preview and reports the reason', async () => {
  const { run, next, until } = newRun();
  run.show(body('a'), true);
  (await next(1)).answer(4);
  await until('ready');
  run.show(body('('), true);
  (await next(2)).fail(new ApiFailure('bad_request', '正規表現が正しくありません。', 400, 'keyword'));
  await until('failed');
  expect(run.state.value).toMatchObject({
    kind: 'failed',
    failure: { path: 'keyword' },
    before: { total: 4 },
  });
  run.clear();
  expect(previewOf(run.state.value)).toBeUndefined();
});
