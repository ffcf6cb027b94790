import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { formOf } from './form.ts';
import { fieldInWords, mergeForms } from './merge.ts';

const base = formOf({ name: '朝ドラ', keyword: '朝ドラ', stationIds: [1 as StationId], priority: 1 });

test('a change on one side is taken over; the same change on both sides is no conflict', () => {
  const here = { ...base, keyword: '夜ドラ', priority: '5' };
  const there = { ...base, stationIds: [1, 2] as StationId[], priority: '5' };
  const merged = mergeForms(base, here, there);
  expect(merged.conflicts).toEqual([]);
  expect(merged.form).toEqual({
    ...base,
    keyword: '夜ドラ',
    priority: '5',
    stationIds: [1, 2] as StationId[],
  });
});

test('different changes of one field keep the local value and are reported', () => {
  const here = { ...base, keyword: '夜ドラ', weekdays: [1] };
  const there = { ...base, keyword: '昼ドラ', dedupe: !base.dedupe };
  const merged = mergeForms(base, here, there);
  expect(merged.conflicts).toEqual(['keyword']);
  expect(merged.form).toEqual({ ...base, keyword: '夜ドラ', weekdays: [1], dedupe: !base.dedupe });
});

test('every field has a name', () => {
  const words = (Object.keys(base) as (keyof typeof base)[]).map((name) =>
    fieldInWords(name, base, (id) => (id === 1 ? 'みなと放送' : undefined)),
  );
  for (const { label, value } of words) expect([label, label !== '' && value !== '']).toEqual([label, true]);
  expect(words.find(({ label }) => label === '局')?.value).toBe('みなと放送');
  expect(fieldInWords('stationIds', { ...base, stationIds: [9 as StationId] }, () => undefined).value).toBe(
    '受信していない局',
  );
  expect(fieldInWords('genres', base, () => undefined).value).toBe('指定なし');
});
