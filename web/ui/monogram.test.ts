import { expect, test } from 'bun:test';
import { monogram } from './monogram.ts';

test('a monogram omits words that station names share', () => {
  expect(monogram('みなと放送', 1).text).toBe('みな');
  expect(monogram('テレビ青葉', 2).text).toBe('青葉');
  expect(monogram('BS星空', 3).text).toBe('星空');
});

test('a Latin name keeps its initials', () => {
  expect(monogram('ＫＡＺＥ総合', 4).text).toBe('KAZ');
  expect(monogram('tvk', 4).text).toBe('TVK');
});

test('a name of shared words alone is not left empty', () => {
  expect(monogram('テレビ放送', 5).text).toBe('テレ');
  expect(monogram('', 5).text).toBe('');
});

test('the colour depends on the station only and differs between neighbours', () => {
  expect(monogram('あ', 3274001024).hue).toBe(monogram('い', 3274001024).hue);
  const apart = Math.abs(monogram('あ', 3274001024).hue - monogram('あ', 3274001032).hue);
  expect(apart).toBeGreaterThan(10);
});
