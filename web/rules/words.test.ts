import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { formOf, readForm } from './form.ts';
import {
  actionsInWords,
  conditionsInWords,
  durationText,
  markedWords,
  periodText,
  ruleSentence,
  timeText,
  weekdaysText,
} from './words.ts';

test('consecutive weekdays as ranges from Monday', () => {
  expect(weekdaysText([1, 2, 3, 4, 5])).toBe('月〜金');
  expect(weekdaysText([0, 6])).toBe('土日');
  expect(weekdaysText([1, 3, 5])).toBe('月・水・金');
  expect(weekdaysText([5, 6, 0])).toBe('金〜日');
  expect(weekdaysText([1, 2, 4, 5, 6])).toBe('月火・木〜土');
  expect(weekdaysText([0, 1, 2, 3, 4, 5, 6])).toBe('');
});

test('times, lengths and periods', () => {
  expect(timeText(1_140, 1_320)).toBe('19:00〜22:00');
  expect(timeText(1_380, 60)).toBe('23:00〜翌1:00');
  expect(timeText(1_140, null)).toBe('19:00以降');
  expect(timeText(null, 1_440)).toBe('24:00まで');
  expect(durationText(30, 60)).toBe('30〜60分');
  expect(durationText(30, null)).toBe('30分以上');
  expect(durationText(null, 5)).toBe('5分以下');
  expect(periodText(broadcastMs(Date.UTC(2026, 10, 19, 20)), broadcastMs(Date.UTC(2026, 11, 31, 20)))).toBe(
    '2026/11/20〜2026/12/31',
  );
});

test('a rule in words', () => {
  const { body } = readForm(
    formOf({
      keyword: '灯台守',
      excludeKeyword: '再放送',
      stationIds: [1 as StationId, 2 as StationId],
      genres: [{ lv1: 3 }, { lv1: 7, lv2: 0 }],
      weekdays: [1, 2, 3, 4, 5],
      timeFrom: 1_140,
      timeTo: 1_320,
      freeOnly: false,
    }),
  );
  expect(conditionsInWords(body, (id) => (id === 1 ? 'みなと総合' : undefined)).join('、')).toBe(
    '「灯台守」を含む、「再放送」を含まない、月〜金 19:00〜22:00、みなと総合・受信していない局、ドラマ / アニメ・特撮／国内アニメ、有料番組も',
  );
  const expression = readForm(formOf({ keyword: '第\\d+話', regex: true, keywordIn: ['title'] })).body;
  expect(conditionsInWords(expression, () => '')).toEqual(['番組名が正規表現「第\\d+話」に合う']);
  expect(actionsInWords(body)).toEqual([]);
  expect(actionsInWords({ ...body, dedupe: false, keepNewest: 5, marginAfter: 60_000 })).toEqual([
    '同じ回も毎回録画',
    '録画マージン 後 60秒',
    '新しい5件だけ残す',
  ]);
});

test('a rule as one sentence', () => {
  const sentence = (conditions: Parameters<typeof formOf>[0]) =>
    ruleSentence(readForm(formOf(conditions)).body, () => 'みなと総合');
  expect(sentence({ keyword: '灯台守', excludeKeyword: '再放送', weekdays: [0, 6], timeFrom: 1_140 })).toBe(
    '土日 19:00以降の、「灯台守」を含み、「再放送」を含まない番組を録画します。',
  );
  expect(sentence({ stationIds: [1 as StationId], genres: [{ lv1: 3 }], freeOnly: false })).toBe(
    'みなと総合、ドラマの番組（有料番組も）を録画します。',
  );
  expect(sentence({ keyword: '第\\d+話', regex: true, keywordIn: ['title'] })).toBe(
    '番組名が正規表現「第\\d+話」に合う番組を録画します。',
  );
});

test('the words to highlight are those of the keyword', () => {
  expect(markedWords('灯台 -再放送 a | b', false)).toEqual(['灯台', 'a', 'b']);
  expect(markedWords('"朝の 汽車"　ﾄﾞﾗﾏ', false)).toEqual(['朝の 汽車', 'ﾄﾞﾗﾏ']);
  expect(markedWords('“-青-” －赤|白', false)).toEqual(['-青-']);
  expect(markedWords('"x | y"|z', false)).toEqual(['x | y', 'z']);
  expect(markedWords('港の夜明け“挑戦”', false)).toEqual(['港の夜明け', '挑戦']);
  expect(markedWords('第\\d+話', true)).toEqual([]);
});
