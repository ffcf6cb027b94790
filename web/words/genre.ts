/** Names of the genres of programmes. ARIB STD-B10 Part 2, Annex H: content_nibble_level_1 and _level_2. */

interface MajorGenre {
  readonly name: string;
  /** By content_nibble_level_2, in its order; 0xF is その他 everywhere. */
  readonly middle: readonly string[];
}

const GENRES: Readonly<Record<number, MajorGenre>> = {
  0: {
    name: 'ニュース・報道',
    middle: [
      ...['定時・総合', '天気', '特集・ドキュメント', '政治・国会', '経済・市況', '海外・国際', '解説'],
      ...['討論・会談', '報道特番', 'ローカル・地域', '交通'],
    ],
  },
  1: {
    name: 'スポーツ',
    middle: [
      ...['スポーツニュース', '野球', 'サッカー', 'ゴルフ', 'その他の球技', '相撲・格闘技'],
      ...['オリンピック・国際大会', 'マラソン・陸上・水泳', 'モータースポーツ'],
      ...['マリン・ウィンタースポーツ', '競馬・公営競技'],
    ],
  },
  2: {
    name: '情報・ワイドショー',
    middle: [
      ...['芸能・ワイドショー', 'ファッション', '暮らし・住まい', '健康・医療', 'ショッピング・通販'],
      ...['グルメ・料理', 'イベント', '番組紹介・お知らせ'],
    ],
  },
  3: { name: 'ドラマ', middle: ['国内ドラマ', '海外ドラマ', '時代劇'] },
  4: {
    name: '音楽',
    middle: [
      ...['国内ロック・ポップス', '海外ロック・ポップス', 'クラシック・オペラ', 'ジャズ・フュージョン'],
      ...['歌謡曲・演歌', 'ライブ・コンサート', 'ランキング・リクエスト', 'カラオケ・のど自慢'],
      ...['民謡・邦楽', '童謡・キッズ', '民族音楽・ワールドミュージック'],
    ],
  },
  5: {
    name: 'バラエティ',
    middle: [
      ...['クイズ', 'ゲーム', 'トークバラエティ', 'お笑い・コメディ', '音楽バラエティ', '旅バラエティ'],
      '料理バラエティ',
    ],
  },
  6: { name: '映画', middle: ['洋画', '邦画', 'アニメ'] },
  7: { name: 'アニメ・特撮', middle: ['国内アニメ', '海外アニメ', '特撮'] },
  8: {
    name: 'ドキュメンタリー・教養',
    middle: [
      ...['社会・時事', '歴史・紀行', '自然・動物・環境', '宇宙・科学・医学', 'カルチャー・伝統文化'],
      ...['文学・文芸', 'スポーツ', 'ドキュメンタリー全般', 'インタビュー・討論'],
    ],
  },
  9: {
    name: '劇場・公演',
    middle: ['現代劇・新劇', 'ミュージカル', 'ダンス・バレエ', '落語・演芸', '歌舞伎・古典'],
  },
  10: {
    name: '趣味・教育',
    middle: [
      ...['旅・釣り・アウトドア', '園芸・ペット・手芸', '音楽・美術・工芸', '囲碁・将棋', '麻雀・パチンコ'],
      ...['車・オートバイ', 'コンピュータ・TVゲーム', '会話・語学', '幼児・小学生', '中学生・高校生'],
      ...['大学生・受験', '生涯教育・資格', '教育問題'],
    ],
  },
  11: {
    name: '福祉',
    middle: [...['高齢者', '障害者', '社会福祉', 'ボランティア', '手話', '文字（字幕）', '音声解説']],
  },
  15: { name: 'その他', middle: [] },
};

const OTHER_NIBBLE = 0xf;

/** Genre of a programme without one, with an unknown one or an extension (0xE). */
export const NO_GENRE = 15;

/** In the order of the standard; each has a colour of its own in `styles/genres.css`. */
export const MAJOR_GENRES: readonly { readonly lv1: number; readonly name: string }[] = Object.entries(
  GENRES,
).map(([lv1, { name }]) => ({ lv1: Number(lv1), name }));

/** The first genre that says something: the one whose colour the programme gets. */
export function majorGenre(genres: readonly { readonly lv1: number }[]): number {
  return genres.find(({ lv1 }) => lv1 !== NO_GENRE && lv1 in GENRES)?.lv1 ?? NO_GENRE;
}

/** 情報・ワイドショー／ショッピング・通販 */
const SHOPPING = { lv1: 2, lv2: 4 } as const;

/** A programme that sells, by its first genre that says something. */
export function isShopping(genres: readonly { readonly lv1: number; readonly lv2: number }[]): boolean {
  const first = genres.find(({ lv1 }) => lv1 !== NO_GENRE && lv1 in GENRES);
  return first?.lv1 === SHOPPING.lv1 && first.lv2 === SHOPPING.lv2;
}

export function majorGenreName(lv1: number): string {
  return GENRES[lv1]?.name ?? 'その他';
}

/** `ドラマ／国内ドラマ`; undefined for codes that name no genre (extensions, reserved). */
export function genreText(lv1: number, lv2: number): string | undefined {
  const genre = GENRES[lv1];
  if (genre === undefined) return undefined;
  const middle = genre.middle[lv2] ?? (lv2 === OTHER_NIBBLE && lv1 !== NO_GENRE ? 'その他' : undefined);
  return middle === undefined ? genre.name : `${genre.name}／${middle}`;
}

/** The middle genres of a major one, その他 last; none where there are none. */
export function middleGenres(lv1: number): { readonly lv2: number; readonly name: string }[] {
  const names = GENRES[lv1]?.middle ?? [];
  if (names.length === 0) return [];
  return [...names.map((name, lv2) => ({ lv2, name })), { lv2: OTHER_NIBBLE, name: 'その他' }];
}
