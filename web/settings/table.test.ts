import { expect, test } from 'bun:test';
import { settingDefaults } from '../../wire/settings.ts';
import { matches, ROWS, SECTIONS } from './table.ts';

test('every row is in a known section, and its options contain the default', () => {
  const defaults = settingDefaults({ gpu: false });
  for (const row of ROWS) {
    expect(SECTIONS.map(({ key }) => key)).toContain(row.section);
    if (row.kind === 'choice') {
      expect(row.options.map(({ value }) => value)).toContain(String(defaults[row.key]));
    }
    if (row.kind === 'number') {
      expect(row.options.map(({ value }) => value)).toContain(defaults[row.key]);
    }
    if (row.kind === 'device') expect(row.options.map(({ value }) => value)).toContain(row.standard);
  }
  expect(new Set(ROWS.map(({ key }) => key)).size).toBe(ROWS.length);
});

test('a search finds a row by any of its words, in any width', () => {
  const found = (search: string) => ROWS.filter((row) => matches(row, search)).map(({ key }) => key);
  expect(found('ダーク')).toEqual(['theme', 'device-theme']);
  expect(found('ａｖ１ 端末だけ')).toEqual(['device-codec']);
  expect(found('番組表')).toEqual(['collectGuide']);
  expect(found('ない言葉')).toEqual([]);
  expect(found('')).toEqual(ROWS.map(({ key }) => key));
});
