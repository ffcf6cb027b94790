/**
 * Splits a programme title as broadcast into the words that people read (with narrow letters and digits) and the
 * marks that are shown as badges.
 * The marks are row 90 of the additional symbols (ARIB STD-B24 vol. 1 part 2, 7.1), which arrive either as their
 * Unicode characters (U+1F14A.., U+1F210..) or, from older decoders, as `[字]`.
 */

import { narrow } from './channel.ts';

export type MarkTone = 'fresh' | 'last' | 'again' | 'live' | 'plain';

export interface Mark {
  /** What the badge shows, one to three characters. */
  readonly face: string;
  /** What a screen reader says and a tooltip shows. */
  readonly label: string;
  readonly tone: MarkTone;
}

export interface TitleParts {
  readonly title: string;
  readonly marks: readonly Mark[];
}

/** Character, face, label, tone. */
const MARKS: readonly (readonly [string, string, string, MarkTone])[] = [
  ['\u{1F14A}', 'HV', 'ハイビジョン', 'plain'],
  ['\u{1F14C}', 'SD', '標準画質', 'plain'],
  ['\u{1F13F}', 'P', 'プログレッシブ', 'plain'],
  ['\u{1F146}', 'W', 'ワイド', 'plain'],
  ['\u{1F14B}', 'MV', 'マルチビュー', 'plain'],
  ['\u{1F210}', '手', '手話', 'plain'],
  ['\u{1F211}', '字', '字幕', 'plain'],
  ['\u{1F212}', '双', '双方向', 'plain'],
  ['\u{1F213}', 'デ', 'データ放送連動', 'plain'],
  ['\u{1F142}', 'S', 'ステレオ', 'plain'],
  ['\u{1F214}', '二', '二か国語', 'plain'],
  ['\u{1F215}', '多', '音声多重', 'plain'],
  ['\u{1F216}', '解', '解説音声', 'plain'],
  ['\u{1F14D}', 'SS', 'サラウンド', 'plain'],
  ['\u{1F131}', 'B', '圧縮Bモード', 'plain'],
  ['\u{1F13D}', 'N', 'ニュース', 'plain'],
  ['\u{1F217}', '天', '天気', 'plain'],
  ['\u{1F218}', '交', '交通', 'plain'],
  ['\u{1F219}', '映', '映画', 'plain'],
  ['\u{1F21A}', '無', '無料', 'plain'],
  ['\u{1F21B}', '料', '有料', 'plain'],
  ['\u{26BF}', '鍵', '年齢制限', 'plain'],
  ['\u{1F21C}', '前', '前編', 'plain'],
  ['\u{1F21D}', '後', '後編', 'plain'],
  ['\u{1F21E}', '再', '再放送', 'again'],
  ['\u{1F21F}', '新', '新番組', 'fresh'],
  ['\u{1F220}', '初', '初放送', 'fresh'],
  ['\u{1F221}', '終', '最終回', 'last'],
  ['\u{1F222}', '生', '生放送', 'live'],
  ['\u{1F223}', '販', '通信販売', 'plain'],
  ['\u{1F224}', '声', '声の出演', 'plain'],
  ['\u{1F225}', '吹', '吹き替え', 'plain'],
  ['\u{1F14E}', 'PPV', 'ペイパービュー', 'plain'],
  ['\u{3299}', '秘', 'マル秘', 'plain'],
];

const BY_CHARACTER = new Map<string, Mark>();
const BY_FACE = new Map<string, Mark>();
for (const [character, face, label, tone] of MARKS) {
  const mark: Mark = { face, label, tone };
  BY_CHARACTER.set(character, mark);
  BY_FACE.set(face, mark);
}

/** `[字]` and `［字］`; what stands inside is looked up afterwards, so that `[1]` stays in the title. */
const BRACKETED = /[[［]([^[\]［］]{1,3})[\]］]/gu;
const SPACES = /[\s\u3000]+/gu;

/** The words without marks, and each mark once in the order of its first appearance. */
export function splitTitle(raw: string): TitleParts {
  const marks: Mark[] = [];
  const take = (mark: Mark): void => {
    if (!marks.includes(mark)) marks.push(mark);
  };
  const unbracketed = raw.replace(BRACKETED, (whole, face: string) => {
    const mark = BY_FACE.get(face.normalize('NFKC'));
    if (mark === undefined) return whole;
    take(mark);
    return ' ';
  });
  let words = '';
  for (const character of unbracketed) {
    const mark = BY_CHARACTER.get(character);
    if (mark === undefined) words += character;
    else {
      take(mark);
      words += ' ';
    }
  }
  const title = narrow(words).replace(SPACES, ' ').trim();
  // A title of nothing but marks is still a title: better its raw form than an empty line.
  return title === '' ? { title: raw.trim(), marks: [] } : { title, marks };
}
