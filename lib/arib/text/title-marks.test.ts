import { expect, test } from 'bun:test';
import { decodeText } from './text.ts';
import { removeTitleMarks, TITLE_MARKS } from './title-marks.ts';

function split(name: string): [title: string, ...faces: string[]] {
  const { title, marks } = removeTitleMarks(name);
  return [title, ...marks.map((mark) => mark.face)];
}

test('every mark equals the decoded character of its cell in row 90', () => {
  for (const { cell, character, face } of TITLE_MARKS) {
    expect(decodeText(Uint8Array.of(0x7a, 0x20 + cell))).toBe(character);
    expect(face.normalize('NFKC')).toBe(face);
    expect(split(`題${character}`)).toEqual(['題', face]);
    expect(split(`[${face}]題`)).toEqual(['題', face]);
  }
  expect(new Set(TITLE_MARKS.map(({ face }) => face)).size).toBe(TITLE_MARKS.length);
  expect(new Set(TITLE_MARKS.map(({ meaning }) => meaning)).size).toBe(TITLE_MARKS.length);
});

test('marks at both ends and in the middle, in all spellings', () => {
  expect(split('\u{1F21F}土曜ドラマ「灯台」第1話\u{1F211}\u{1F14D}')).toEqual([
    '土曜ドラマ「灯台」第1話',
    '新',
    '字',
    'SS',
  ]);
  expect(split('ニュース7[字][二]')).toEqual(['ニュース7', '字', '二']);
  expect(split('［字］［ＨＶ］ニュース［ﾃﾞ］')).toEqual(['ニュース', '字', 'HV', 'デ']);
  expect(split('【再】山の一日')).toEqual(['山の一日', '再']);
  expect(split('前半\u{1F211}後半')).toEqual(['前半 後半', '字']);
  expect(split('前半 [字]　[再] 後半')).toEqual(['前半 後半', '字', '再']);
});

test('a repeated mark is returned once', () => {
  expect(split('[字]題\u{1F211}')).toEqual(['題', '字']);
});

test('brackets around other text and spaces between words are kept', () => {
  expect(split('名曲選[1] ♬ほか')).toEqual(['名曲選[1] ♬ほか']);
  expect(split('[東京]夜景　【前編】')).toEqual(['[東京]夜景　【前編】']);
  expect(split('映画「字」(再)')).toEqual(['映画「字」(再)']);
  expect(split('㊙大作戦\u{1F200}')).toEqual(['㊙大作戦\u{1F200}']);
  expect(split('[[字]]')).toEqual(['[ ]', '字']);
});

test('a title that consists of marks only is kept', () => {
  expect(split(' \u{1F211}[再]')).toEqual(['\u{1F211}[再]', '字', '再']);
  expect(split('')).toEqual(['']);
});
