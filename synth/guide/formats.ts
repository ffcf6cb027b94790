/** All kinds of programmes. */
import { ANY_BAND, type Format } from './format.ts';
import { ENTERTAINMENT } from './formats-entertainment.ts';
import { INFORMATION } from './formats-information.ts';
import { SPECIAL } from './formats-special.ts';

export const FORMATS: readonly Format[] = [...INFORMATION, ...ENTERTAINMENT, ...SPECIAL];

/** Fills the rest of a band. */
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

/** Live sports in the evening, on stations that have them. */
export const LIVE_SPORTS: Format = {
  weight: 0,
  themes: [],
  bands: ['prime'],
  genres: [[0x1, 0x1]],
  minutes: [115],
  titles: ['プロ野球架空リーグ中継', 'ナイター中継', '架空リーグサッカー'],
  subtitles: ['ひばり×あさぎり', 'かわせみ×こもれび', '星空×すなどけい'],
  sentences: ['首位を争う二チームの直接対決を最後までお送りします。'],
  headings: ['解説', '実況', '会場'],
  marks: ['🈑', '🈓'],
  numbered: false,
};

/** Shown when nothing is on air: ARIB leaves its form to broadcasters, who give it a title. */
export const NIGHT_PAUSE: Format = {
  weight: 0,
  themes: [],
  bands: ['night'],
  genres: [[0xf, 0xf]],
  minutes: [120],
  titles: ['放送休止'],
  subtitles: [''],
  sentences: ['設備の点検のため放送をお休みします。'],
  headings: [],
  marks: [],
  numbered: false,
};

/** The replacement of a cancelled programme. */
export const INSTEAD: Format = {
  weight: 0,
  themes: [],
  bands: ['prime'],
  genres: [[0x0, 0x8]],
  minutes: [30],
  titles: ['報道特別番組', '緊急放送　ニュース特集'],
  subtitles: ['台風の進路', '記者会見の中継'],
  sentences: ['予定を変更してお送りします。最新の情報を現場からお伝えします。'],
  headings: ['キャスター', '解説'],
  marks: ['🈢', '🈑'],
  numbered: false,
};
