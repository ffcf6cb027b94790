import { expect, test } from 'bun:test';
import { BitSet, TextColumns } from './text-columns.ts';

function rowsWith(columns: TextColumns, word: string, rows: readonly number[]): number[] {
  const left = new BitSet();
  for (const row of rows) left.add(row);
  columns.narrow(left, word);
  const found: number[] = [];
  left.forEach((row) => {
    found.push(row);
  });
  return found;
}

test('rows of every block are found by their text until they are cleared', () => {
  const columns = new TextColumns(1024);
  const rows = [0, 31, 32, 4095, 4096, 9000];
  for (const row of rows) columns.set(row, row % 2 === 0 ? '灯台守の夏' : '港町');
  expect(rowsWith(columns, '灯台', rows)).toEqual([0, 32, 4096, 9000]);
  expect(rowsWith(columns, '港町', rows)).toEqual([31, 4095]);
  columns.clear(4096);
  expect(rowsWith(columns, '灯台', rows)).toEqual([0, 32, 9000]);
  columns.set(4096, '港町');
  expect(rowsWith(columns, '港町', rows)).toEqual([31, 4095, 4096]);
});
