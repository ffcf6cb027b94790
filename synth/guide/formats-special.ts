/** Kinds of programmes that only a few stations show, one for nearly every existing genre. */
import { ANY_BAND, type Band, type Format } from './format.ts';

type Row = readonly [
  themes: Format['themes'],
  genres: Format['genres'],
  minutes: readonly number[],
  titles: readonly string[],
  subtitles: readonly string[],
  numbered?: boolean,
  marks?: readonly string[],
];

const DAYTIME: readonly Band[] = ['dawn', 'morning', 'noon', 'afternoon', 'evening'];
const NIGHT: readonly Band[] = ['prime', 'late', 'night'];

const NEWS = [
  '各地の動きをまとめてお伝えします。',
  '記者が現場から報告します。',
  '背景を解説委員が読み解きます。',
];
const SPORT = ['熱戦のもようを実況と解説でお届けします。', '注目の選手の一年を追いました。'];
const LIFE = ['暮らしに役立つこつを専門家に教わります。', '視聴者から届いた質問に答えます。'];
const MUSIC = ['名手たちの演奏をたっぷりとお楽しみください。', '思い出の一曲とともに振り返ります。'];
const STAGE = ['話題の公演を客席の熱気とともに収録しました。', '見どころを演者みずからが語ります。'];
const CARE = ['ともに生きる町の工夫を訪ねました。', '体験した人の声を聞きます。'];

const g = (...pairs: readonly (readonly [number, number])[]) => pairs;

const BY_DAY: readonly (readonly [sentences: readonly string[], rows: readonly Row[]])[] = [
  [
    NEWS,
    [
      [
        ['general'],
        g([0x0, 0x2], [0x0, 0x8]),
        [30, 60],
        ['報道の森', '緊急特番　検証その日'],
        ['港の再生', '消えた商店街'],
      ],
      [
        ['general', 'learning'],
        g([0x0, 0x3], [0x0, 0x7]),
        [30, 60],
        ['国会のひろば', '日曜討論会'],
        ['予算を問う', '各党に聞く'],
        true,
      ],
      [
        ['general'],
        g([0x0, 0x4], [0x0, 0x5]),
        [15, 30],
        ['市場の朝', '世界の窓から'],
        ['為替と株', '北の国の選挙'],
      ],
      [
        ['general'],
        g([0x0, 0x6], [0x0, 0xa]),
        [5, 10],
        ['解説のとびら', '交通ひとくち情報'],
        ['', '道路の混みぐあい'],
        false,
        ['🈘'],
      ],
      [
        ['general'],
        g([0x0, 0xf], [0x0, 0x9]),
        [10, 15],
        ['ひばり市だより', '県政の窓'],
        ['広報から', '催しの案内'],
        false,
        ['🈐'],
      ],
    ],
  ],
  [
    SPORT,
    [
      [
        ['sports'],
        g([0x1, 0x3], [0x1, 0x4]),
        [60, 120],
        ['架空オープンゴルフ', '室内バドミントン最強戦'],
        ['最終日', '一回戦'],
      ],
      [
        ['sports'],
        g([0x1, 0x5], [0x1, 0x7]),
        [60, 120],
        ['架空場所　中入り後', '湖畔マラソン'],
        ['三日目', '全コース'],
        false,
        ['🈢'],
      ],
      [
        ['sports'],
        g([0x1, 0x8], [0x1, 0x9]),
        [60, 90],
        ['耐久レース架空２４', '雪上選手権'],
        ['第二戦', '大回転'],
      ],
      [
        ['sports'],
        g([0x1, 0xa], [0x1, 0x6]),
        [30, 60],
        ['中央競走中継', '架空国際大会への道'],
        ['重賞', '選手の素顔'],
      ],
      [
        ['sports', 'hobby'],
        g([0x1, 0xf], [0x1, 0x2]),
        [30, 60],
        ['まちの体操教室', '草サッカー列島'],
        ['', '町内決戦'],
        true,
      ],
    ],
  ],
  [
    LIFE,
    [
      [
        ['general', 'travel'],
        g([0x2, 0x1], [0x2, 0x2]),
        [15, 30],
        ['きょうの一着', '住まいの処方せん'],
        ['秋の重ね着', '小さな台所'],
        true,
      ],
      [
        ['general', 'learning'],
        g([0x2, 0x3], [0x2, 0x6]),
        [15, 30, 60],
        ['からだ相談室', '週末おでかけ手帖'],
        ['腰の痛み', '花火大会'],
      ],
      [
        ['general'],
        g([0x2, 0xf], [0x2, 0x5]),
        [10, 15],
        ['なんでも便り', 'ひるめし三昧'],
        ['', 'うどん対決'],
      ],
      [
        ['hobby', 'learning'],
        g([0xa, 0x2], [0xa, 0x5]),
        [20, 25, 30],
        ['土をひねる', '単車で行こう'],
        ['器の形', '峠の茶屋'],
        true,
      ],
      [
        ['hobby'],
        g([0xa, 0x4], [0xa, 0x6]),
        [30, 60],
        ['卓上麻雀道場', '電脳遊戯研究会'],
        ['東風戦', '名作を遊ぶ'],
        true,
      ],
      [
        ['learning'],
        g([0xa, 0x9], [0xa, 0xa]),
        [10, 20, 30],
        ['中学の数学', '大学入試英語講座'],
        ['一次関数', '長文を読む'],
        true,
      ],
      [
        ['learning'],
        g([0xa, 0xb], [0xa, 0xc]),
        [20, 30],
        ['資格はじめの一歩', '学校を考える'],
        ['簿記', '不登校と向き合う'],
        true,
      ],
      [
        ['learning', 'hobby'],
        g([0xa, 0xf], [0xa, 0x1]),
        [15, 30],
        ['ことば玉手箱', '庭しごと十二か月'],
        ['回文', '落ち葉のあと'],
      ],
    ],
  ],
  [
    CARE,
    [
      [
        ['learning', 'general'],
        g([0xb, 0x1], [0xb, 0x2]),
        [15, 30],
        ['わたしの車いす日記', '福祉の現場から'],
        ['駅へ', '夜勤の仕事'],
        false,
        ['🈐'],
      ],
      [
        ['learning'],
        g([0xb, 0x3], [0xb, 0x5]),
        [15, 20],
        ['手をつなごう', '字幕でたのしむ名作'],
        ['海の清掃', 'はじまりの章'],
        false,
        ['🈑'],
      ],
      [
        ['learning', 'general'],
        g([0xb, 0x6], [0xb, 0xf]),
        [15, 30],
        ['耳で見る散歩道', 'ささえの輪'],
        ['鐘の音', '共同作業所'],
        false,
        ['🈖'],
      ],
    ],
  ],
];

const BY_NIGHT: readonly (readonly [sentences: readonly string[], rows: readonly Row[]])[] = [
  [
    MUSIC,
    [
      [
        ['music', 'general'],
        g([0x4, 0x1], [0x4, 0x3]),
        [30, 60],
        ['洋楽時間旅行', '青いジャズの夜'],
        ['電気ギターの名手', '三人のサックス'],
        true,
        [],
      ],
      [
        ['music'],
        g([0x4, 0x2], [0x4, 0x8]),
        [60, 90],
        ['架空交響楽団演奏会', '民謡をたずねて'],
        ['第九', '舟歌'],
        true,
        ['🅂'],
      ],
      [['music'], g([0x4, 0x4], [0x4, 0x7]), [30, 60], ['演歌の小箱', 'のど自慢決勝'], ['港の女', '夏の陣']],
      [
        ['music', 'general'],
        g([0x4, 0x6], [0x4, 0xa]),
        [30, 60],
        ['今週の番付', '世界音楽紀行'],
        ['上位十曲', '草原の歌'],
        true,
      ],
      [
        ['music'],
        g([0x4, 0xf], [0x4, 0x9]),
        [15, 30],
        ['音の実験室', 'みんなの童謡'],
        ['街の音', 'あかとんぼ'],
      ],
    ],
  ],
  [
    STAGE,
    [
      [
        ['general', 'drama'],
        g([0x9, 0x0], [0x9, 0x1]),
        [90, 120],
        ['劇場中継　架空座', '歌劇の夜'],
        ['霧の停車場', '灯台の恋'],
        false,
        ['🈞'],
      ],
      [
        ['music', 'drama'],
        g([0x9, 0x2], [0x9, 0xf]),
        [60, 90],
        ['舞踊の美', '曲芸百景'],
        ['白い鳥', '綱の上で'],
      ],
      [
        ['general', 'drama'],
        g([0x3, 0x1], [0x3, 0xf]),
        [45, 60],
        ['北の街の刑事たち', '連続人形劇　銀の船'],
        ['凍る湖', '魔法使いの島'],
        true,
        ['🈔', '🈥'],
      ],
      [
        ['general', 'film'],
        g([0x6, 0x2], [0x6, 0xf]),
        [85, 100],
        ['長編アニメ「月の井戸」', '短編映画の森'],
        ['', '学生作品集'],
        false,
        ['🈙', '🈠'],
      ],
      [
        ['anime'],
        g([0x7, 0x1], [0x7, 0xf]),
        [25, 30],
        ['海外アニメ　ねこ探偵フィン', 'アニメ情報局'],
        ['消えたチーズ', '新作予告'],
        true,
        ['🈔', '🈤'],
      ],
      [
        ['general'],
        g([0x5, 0x1], [0x5, 0x4]),
        [30, 60],
        ['遊びの鉄人', '歌って笑って'],
        ['玉入れ対決', '替え歌祭り'],
      ],
      [
        ['general', 'travel'],
        g([0x5, 0x6], [0x5, 0xf]),
        [30, 55],
        ['ふたりの厨房', 'なんだこりゃ大全'],
        ['肉じゃが勝負', '町の珍看板'],
      ],
    ],
  ],
  [
    ['その足跡を資料と証言でたどります。', '研究の最前線を訪ねます。', '語られなかった思いに耳を傾けます。'],
    [
      [
        ['general', 'learning'],
        g([0x8, 0x0], [0x8, 0x7]),
        [45, 60],
        ['時代の証言者', '人間の記録'],
        ['工場の灯', '島の診療所'],
        true,
        ['🈖'],
      ],
      [
        ['general', 'learning'],
        g([0x8, 0x3], [0x8, 0x4]),
        [45, 60],
        ['科学の階段', '伝統の手しごと'],
        ['星の生まれる場所', '漆をぬる'],
        true,
      ],
      [
        ['learning', 'travel'],
        g([0x8, 0x5], [0x8, 0x6]),
        [30, 60],
        ['文学の風景', '挑む人'],
        ['坂の町の作家', '五十歳の登頂'],
        true,
      ],
      [
        ['general', 'learning'],
        g([0x8, 0x8], [0x8, 0xf]),
        [30, 60],
        ['語りの部屋', '知の十字路'],
        ['名優に聞く', '数学と音楽'],
      ],
      [['general'], g([0xf, 0xf]), [5, 10], ['しずかな夜の水面', '雲のかたち'], ['']],
    ],
  ],
];

function formats(
  groups: readonly (readonly [sentences: readonly string[], rows: readonly Row[]])[],
  bands: readonly Band[],
): Format[] {
  return groups.flatMap(([sentences, rows]) =>
    rows.map(([themes, genres, minutes, titles, subtitles, numbered = false, marks = []]): Format => {
      return {
        weight: 3,
        themes,
        bands: themes.includes('general') ? bands : ANY_BAND,
        genres,
        minutes,
        titles,
        subtitles,
        sentences,
        headings: ['出演者', '語り'],
        marks: ['🈑', '🈓', ...marks],
        numbered,
      };
    }),
  );
}

export const SPECIAL: readonly Format[] = [...formats(BY_DAY, DAYTIME), ...formats(BY_NIGHT, NIGHT)];
