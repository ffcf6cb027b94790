import { expect, test } from 'bun:test';
import type { FoundProgram, SearchResult } from '../../lib/wire/api.ts';
import { suggestionsFor } from './suggestions.ts';

const NONE = { more: false, rows: [] };

function found(...rows: (string | { name: string; match: string })[]): SearchResult {
  const programs = rows.map((row) =>
    typeof row === 'string'
      ? { name: row }
      : { name: row.name, match: { heading: '出演者', text: row.match } },
  ) as FoundProgram[];
  return {
    q: '',
    programs: { more: false, rows: programs },
    recordings: NONE,
    reservations: NONE,
    rules: NONE,
  };
}

test('the series of the titles, each once, those that begin with the words first', () => {
  const result = found(
    '[字]夜の灯台めぐり',
    '灯台守の日記 第3話「嵐」[再]',
    '灯台守の日記　第４話「凪」',
    'ドラマ「灯台」',
    '灯台',
  );
  expect(suggestionsFor('灯台', result, [])).toEqual(['灯台守の日記', '夜の灯台めぐり']);
});

test('people of the cast, without their roles', () => {
  const result = found({ name: '港の人びと', match: '…（高志）霧島つばさ、水無月花子／見本太郎…' });
  expect(suggestionsFor('霧島', result, [])).toEqual(['霧島つばさ']);
  expect(suggestionsFor('太郎', result, [])).toEqual(['見本太郎']);
});

test('earlier searches come first, and nothing that is not longer than the words', () => {
  const result = found('ニュースと暮らし', 'NEWS すなどけい');
  expect(suggestionsFor('news', result, ['ニュース', 'news 朝'])).toEqual(['news 朝', 'NEWS すなどけい']);
  expect(suggestionsFor('ニュースと暮らし', result, ['ニュースと暮らし'])).toEqual([]);
  expect(suggestionsFor('  ', result, ['ニュース'])).toEqual([]);
  expect(suggestionsFor('ニュース', undefined, ['ニュース 夜'])).toEqual(['ニュース 夜']);
});

test('at most five, and no sentences', () => {
  const names = Array.from({ length: 9 }, (_, index) => `港町${'あいうえおかきくけ'[index]}`);
  expect(suggestionsFor('港町', found(...names, `港町${'長'.repeat(30)}`), [])).toEqual(names.slice(0, 5));
});
