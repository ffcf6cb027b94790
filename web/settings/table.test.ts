import { expect, test } from 'bun:test';
import { settingDefaults } from '../../lib/wire/settings.ts';
import { matches, ROWS, SECTIONS } from './table.ts';

test('every row is in a known section, and its options contain the default', () => {
  const defaults = settingDefaults({ gpu: false });
  for (const row of ROWS) {
    expect(SECTIONS.map(({ key }) => key)).toContain(row.section);
    if (row.kind === 'choice') {
      expect(row.options.map(({ value }) => value)).toContain(String(defaults[row.key]));
    }
    if (row.kind === 'number' || row.kind === 'list') {
      expect(row.options.map(({ value }) => value)).toContain(defaults[row.key]);
    }
    if (row.kind === 'device') expect(row.options.map(({ value }) => value)).toContain(row.standard);
  }
  const areas = ROWS.find((row) => row.kind === 'list')?.options ?? [];
  // The numbers of broadcasts, not those of JIS X 0401: Hokkaido has two.
  expect([1, 14, 48, 50].map((area) => areas.find(({ value }) => value === area)?.label)).toEqual([
    '北海道（東部）',
    '東京都',
    '沖縄県',
    '鹿児島県（島部）',
  ]);
  expect(areas).toHaveLength(51);
  expect(new Set(ROWS.map(({ key }) => key)).size).toBe(ROWS.length);
});

test('a phrase stands beside a setting, sentences are on demand', () => {
  for (const { note, help } of ROWS) {
    expect(note.length).toBeLessThanOrEqual(24);
    expect(note).not.toContain('。');
    if (help !== undefined) expect(help).toEndWith('。');
  }
});

test('a search finds a row by any of its words, in any width', () => {
  const found = (search: string) => ROWS.filter((row) => matches(row, search)).map(({ key }) => key);
  expect(found('ダーク')).toEqual(['theme', 'device-theme']);
  expect(found('ａｖ１ 端末だけ')).toEqual(['device-codec']);
  expect(found('番組表')).toEqual(['collectGuide']);
  expect(found('ない言葉')).toEqual([]);
  expect(found('')).toEqual(ROWS.map(({ key }) => key));
});
