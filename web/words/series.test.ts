import { expect, test } from 'bun:test';
import { seriesWords } from './series.ts';

test('number, subtitle and contents of an episode are left out', () => {
  expect(seriesWords('[新][字]ドラマ10 灯台守の娘 第1話「嵐の夜」')).toBe('ドラマ10 灯台守の娘');
  expect(seriesWords('宇宙のはしっこ　＃１２')).toBe('宇宙のはしっこ');
  expect(seriesWords('みなとワイド▽きょうの天気▽特集')).toBe('みなとワイド');
  expect(seriesWords('名曲選(3)')).toBe('名曲選');
});

test('a title that consists of a subtitle only is unchanged', () => {
  expect(seriesWords('「灯台」')).toBe('「灯台」');
  expect(seriesWords('ニュース')).toBe('ニュース');
});
