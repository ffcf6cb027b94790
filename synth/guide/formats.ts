/** All kinds of programmes, and the invented people and places in them. */
import { ANY_BAND, type Format } from './format.ts';
import { ENTERTAINMENT } from './formats-entertainment.ts';
import { INFORMATION } from './formats-information.ts';

export const FORMATS: readonly Format[] = [...INFORMATION, ...ENTERTAINMENT];

/** Fills what is left of a band. */
export const FILLER: Format = {
  weight: 1,
  themes: [],
  bands: ANY_BAND,
  genres: [[0x2, 0x7]],
  minutes: [5, 10, 15, 20, 25, 30],
  titles: ['番組のごあんない', '町の風景', 'ひとことメモ', '名画スケッチ'],
  subtitles: [''],
  sentences: ['このあとの番組とおすすめを紹介します。'],
  headings: [],
  marks: ['🈓'],
  numbered: false,
};

export const FAMILY_NAMES = [
  '架空',
  '仮野',
  '例田',
  '見本',
  '空木',
  '夢川',
  '霧島野',
  '想沢',
  '灯',
  '水無月',
] as const;
export const GIVEN_NAMES = [
  '太郎',
  '花子',
  '一歩',
  'みのり',
  '航',
  'つばさ',
  '桜子',
  '源三',
  'ゆき',
  '春馬',
] as const;
export const PLACES = ['ひばり市', 'あさぎり町', 'こもれび村', 'かわせみ島', '星空高原'] as const;
