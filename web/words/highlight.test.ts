import { expect, test } from 'bun:test';
import { highlight } from './highlight.ts';

const hits = (text: string, query: string): string[] =>
  highlight(text, query)
    .filter((piece) => piece.hit)
    .map((piece) => piece.text);

test('words are found whatever their width and case', () => {
  expect(hits('ＮＨＫニュース７', 'nhk 7')).toEqual(['ＮＨＫ', '７']);
  expect(hits('ﾄﾞﾗﾏ「灯台」', 'ドラマ')).toEqual(['ﾄﾞﾗﾏ']);
  expect(hits('10～12', '〜')).toEqual(['～']);
  expect(hits('Ｌｅｔ’ｓ　Ｇｏ', "let's")).toEqual(['Ｌｅｔ’ｓ']);
  expect(hits('SONG of song', 'song')).toEqual(['SONG', 'song']);
});

test('the concatenated pieces equal the text', () => {
  for (const query of ['', '  ', '台', '灯台 台「', '無い']) {
    const text = 'ドラマ「灯台」😀第１話';
    expect(
      highlight(text, query)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  }
});

test('overlapping words make one highlight', () => {
  expect(hits('あいうえお', 'いう うえ')).toEqual(['いうえ']);
});
