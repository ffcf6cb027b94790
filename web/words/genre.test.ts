import { expect, test } from 'bun:test';
import { genreText, isShopping, MAJOR_GENRES, majorGenre, NO_GENRE } from './genre.ts';

test('genres are named by both nibbles', () => {
  expect(genreText(3, 0)).toBe('ドラマ／国内ドラマ');
  expect(genreText(0, 10)).toBe('ニュース・報道／交通');
  expect(genreText(6, 15)).toBe('映画／その他');
  expect(genreText(15, 15)).toBe('その他');
  expect(genreText(7, 9)).toBe('アニメ・特撮');
  expect(genreText(0xe, 1)).toBeUndefined();
});

test('the colour comes from the first specific genre', () => {
  expect(majorGenre([{ lv1: 0xe }, { lv1: 15 }, { lv1: 7 }, { lv1: 3 }])).toBe(7);
  expect(majorGenre([{ lv1: 0xc }])).toBe(NO_GENRE);
  expect(majorGenre([])).toBe(NO_GENRE);
  expect(MAJOR_GENRES.map(({ lv1 }) => lv1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15]);
});

test('a shopping programme is recognised by its first specific genre', () => {
  expect(isShopping([{ lv1: 2, lv2: 4 }])).toBe(true);
  expect(
    isShopping([
      { lv1: 15, lv2: 15 },
      { lv1: 2, lv2: 4 },
    ]),
  ).toBe(true);
  expect(
    isShopping([
      { lv1: 5, lv2: 2 },
      { lv1: 2, lv2: 4 },
    ]),
  ).toBe(false);
  expect(isShopping([])).toBe(false);
});
