import { describe, expect, test } from 'bun:test';
import { type Episode, readEpisode } from './episode.ts';
import { chineseNumber } from './number-forms.ts';
import { isSameEpisode, sameEpisodes } from './same-episode.ts';

/** A title, or a title with its summary, or also with its detail. */
type Form = string | readonly [name: string, description: string, extended?: Record<string, string>];

function read(form: Form): Episode {
  const [name, description = '', extended = null] = typeof form === 'string' ? [form] : form;
  return readEpisode({ name, description, extended });
}

interface Told {
  readonly is: readonly [series: string, number: string | null, subtitle: string | null];
  readonly forms: readonly Form[];
}

/** Forms of one line all tell the same episode. */
const EPISODES: readonly Told[] = [
  {
    is: ['灯台守の夏', '12', '嵐の夜'],
    forms: [
      '灯台守の夏　＃１２「嵐の夜」',
      '灯台守の夏 #12「嵐の夜」[字]',
      '灯台守の夏　♯１２　嵐の夜',
      '灯台守の夏#12『嵐の夜』',
      '🈟灯台守の夏　第12話「嵐の夜」🈑🈓',
      '灯台守の夏　第１２話　「嵐の夜」',
      '灯台守の夏　第 12 話「嵐の夜」',
      '灯台守の夏　第十二話「嵐の夜」',
      '灯台守の夏　第一二話「嵐の夜」',
      '灯台守の夏（１２）「嵐の夜」',
      '灯台守の夏(12)嵐の夜',
      '灯台守の夏　（十二）　嵐の夜',
      '灯台守の夏【12】嵐の夜',
      '灯台守の夏〈１２〉「嵐の夜」',
      '灯台守の夏＜12＞嵐の夜',
      '灯台守の夏《12》「嵐の夜」',
      '灯台守の夏　第12回「嵐の夜」',
      '灯台守の夏　第12回　嵐の夜',
      '灯台守の夏　12話「嵐の夜」',
      '灯台守の夏　Ｃｈａｐｔｅｒ　１２「嵐の夜」',
      '灯台守の夏 Chapter.12「嵐の夜」',
      '灯台守の夏 episode12「嵐の夜」',
      '灯台守の夏 Episode.12 嵐の夜',
      '灯台守の夏 EPISODE 12「嵐の夜」',
      '灯台守の夏　エピソード12「嵐の夜」',
      '灯台守の夏 EP12「嵐の夜」',
      '灯台守の夏 ep.12「嵐の夜」',
      '灯台守の夏 Vol.12「嵐の夜」',
      '灯台守の夏 ｖｏｌ．１２　嵐の夜',
      '灯台守の夏 No.12「嵐の夜」',
      '灯台守の夏 №12「嵐の夜」',
      '灯台守の夏 FILE.12「嵐の夜」',
      '灯台守の夏 Lesson12「嵐の夜」',
      '灯台守の夏 STAGE 12 嵐の夜',
      '灯台守の夏　第12夜「嵐の夜」',
      '灯台守の夏　第12章「嵐の夜」',
      '灯台守の夏　第12幕「嵐の夜」',
      '灯台守の夏　第十二巻「嵐の夜」',
      '灯台守の夏　其の十二「嵐の夜」',
      '灯台守の夏　その12「嵐の夜」',
      '灯台守の夏　十二の巻「嵐の夜」',
      '灯台守の夏「第12話 嵐の夜」',
      '灯台守の夏「#12 嵐の夜」',
      '灯台守の夏「嵐の夜」#12',
      '灯台守の夏「嵐の夜」(12)',
      '灯台守の夏「嵐の夜」第12話',
      '灯台守の夏 #012「嵐の夜」',
      '灯台守の夏 #12/24「嵐の夜」',
      '灯台守の夏 (12/24)「嵐の夜」',
      '灯台守の夏（全24話）　第12話「嵐の夜」',
      '灯台守の夏(再) #12「嵐の夜」',
      '灯台守の夏【再】第12話「嵐の夜」',
      '[再]灯台守の夏　第12話「嵐の夜」',
      '灯台守の夏　第12話「嵐の夜」（再放送）',
      '灯台守の夏　第12話「嵐の夜」＜アンコール＞',
      '灯台守の夏　第12話「嵐の夜」◇再放送',
      '灯台守の夏　第12話「嵐の夜」【リピート放送】',
      '🈞灯台守の夏　＃１２「嵐の夜」',
      'アニメ　灯台守の夏　第12話「嵐の夜」',
      'ＴＶアニメ　灯台守の夏　＃１２「嵐の夜」',
      '『灯台守の夏』第12話「嵐の夜」',
      '「灯台守の夏」第12話「嵐の夜」',
      '「灯台守の夏」#12 「嵐の夜」',
      ['灯台守の夏', '第12話「嵐の夜」岬に嵐が近づく。'],
      ['灯台守の夏', '＃１２「嵐の夜」'],
      ['灯台守の夏[字]', '#12 嵐の夜\n岬に嵐が近づく。'],
      ['灯台守の夏', '(12)「嵐の夜」岬に嵐が近づく。'],
      ['灯台守の夏', '【第12話】嵐の夜\n岬に嵐が近づく。'],
      ['灯台守の夏', '◆第１２話「嵐の夜」◆岬に嵐が近づく。'],
      ['灯台守の夏', '岬の灯台で過ごすひと夏の物語。\n第12話「嵐の夜」'],
      ['灯台守の夏 #12', '「嵐の夜」\n岬に嵐が近づく。'],
      ['灯台守の夏 #12', '第12話「嵐の夜」岬に嵐が近づく。'],
      ['灯台守の夏（１２）', '「嵐の夜」　岬に嵐が近づく。'],
      ['灯台守の夏「嵐の夜」', '第12話\n岬に嵐が近づく。'],
      ['灯台守の夏「嵐の夜」', '#12 岬に嵐が近づく。'],
      ['灯台守の夏', '岬に嵐が近づく。', { 番組内容: '第12話「嵐の夜」\n岬に嵐が近づく。' }],
      ['灯台守の夏', '岬に嵐が近づく。', { あらすじ: '#12「嵐の夜」' }],
      ['灯台守の夏', '', { サブタイトル: '第12話　嵐の夜' }],
      ['灯台守の夏 #12', '岬に嵐が近づく。', { サブタイトル: '嵐の夜' }],
    ],
  },
  {
    is: ['海鳴り食堂', '3', null],
    forms: [
      '海鳴り食堂 #3',
      '海鳴り食堂＃３[字][デ]',
      '海鳴り食堂　第3話',
      '海鳴り食堂　第三話',
      '海鳴り食堂(3)',
      '海鳴り食堂　（三）',
      '海鳴り食堂　第3回',
      '海鳴り食堂　第三夜',
      '海鳴り食堂 Vol.3',
      '海鳴り食堂 vol.３',
      '海鳴り食堂 Chapter3',
      '海鳴り食堂 Episode 3',
      '海鳴り食堂 EP03',
      '海鳴り食堂　第3皿',
      '海鳴り食堂　三の巻',
      '海鳴り食堂 Case.3',
      '海鳴り食堂 ROUND3',
      '海鳴り食堂 Mission 3',
      ['海鳴り食堂', '第3話'],
      ['海鳴り食堂', '#3\n港町の小さな食堂に、今日も客が来る。'],
      ['海鳴り食堂', '港町の小さな食堂に、今日も客が来る。', { 番組内容: '第3話。港町に雨が降る。' }],
    ],
  },
  {
    is: ['星の港2', '5', '帰り道'],
    forms: [
      '星の港 Season2 #5「帰り道」',
      '星の港　シーズン２　第5話「帰り道」',
      '星の港　第2期　第5話「帰り道」',
      '星の港　第二期　＃５「帰り道」',
      '星の港 2nd Season #5「帰り道」',
      '星の港　2期　#5「帰り道」',
      '星の港 S2 #5「帰り道」',
      '星の港 S2E5「帰り道」',
      '星の港 S02E05「帰り道」',
      '星の港 S2 第5話「帰り道」',
      '星の港　第2シリーズ(5)「帰り道」',
      '星の港　シリーズ2　(5)「帰り道」',
      '星の港　第2クール　第5話「帰り道」',
      '星の港2 第5話「帰り道」',
      '星の港２　＃５　帰り道',
    ],
  },
  {
    is: ['鬼面の剣無限峠編', '7', '夜明け'],
    forms: [
      '鬼面の剣　無限峠編　第7話「夜明け」',
      '鬼面の剣 無限峠編 #7「夜明け」',
      '鬼面の剣「無限峠編」第7話「夜明け」',
      '鬼面の剣〈無限峠編〉　＃７　夜明け',
      '鬼面の剣 #7 無限峠編「夜明け」',
      '鬼面の剣　第七話　無限峠編　「夜明け」',
      '鬼面の剣　無限峠編(7)「夜明け」',
    ],
  },
  {
    is: ['大河ドラマ海の城', '23', '落日'],
    forms: [
      '大河ドラマ　海の城　（２３）「落日」[解][字][デ]',
      '大河ドラマ 海の城 第23回「落日」',
      '大河ドラマ「海の城」第23回「落日」',
      '大河ドラマ　海の城　第二十三回　落日',
      '【大河ドラマ】海の城(23)「落日」',
      ['大河ドラマ　海の城（２３）', '第23回「落日」 城に火の手が上がる。'],
    ],
  },
  {
    is: ['連続テレビ小説こもれび', '78', null],
    forms: [
      '連続テレビ小説　こもれび（７８）[解][字]',
      '連続テレビ小説 こもれび 第78回',
      '【連続テレビ小説】こもれび(78)',
      // The week is another count: it does not agree.
      ['連続テレビ小説　こもれび（７８）', '第16週「秋の風」'],
      '連続テレビ小説「こもれび」(78)',
    ],
  },
  {
    is: ['昭和の食卓', '1,2', null],
    forms: [
      '昭和の食卓 #1・2',
      '昭和の食卓 #1・#2',
      '昭和の食卓 #1-2',
      '昭和の食卓 ＃１～２',
      '昭和の食卓 #1,2',
      '昭和の食卓 #1 #2',
      '昭和の食卓 第1話・第2話',
      '昭和の食卓 第1・2話',
      '昭和の食卓 第1話～第2話',
      '昭和の食卓 (1)(2)',
      '昭和の食卓 (1)・(2)',
      '昭和の食卓（１）～（２）',
      '昭和の食卓 Episode1-2',
      '昭和の食卓 Vol.1&2',
    ],
  },
  {
    is: ['昭和の食卓', '3,4,5,6', null],
    forms: ['昭和の食卓 #3~6', '昭和の食卓　第3話～第6話', '昭和の食卓 (3)~(6)'],
  },
  { is: ['昭和の食卓', '12.5', null], forms: ['昭和の食卓 #12.5', '昭和の食卓 第12.5話'] },
  {
    is: ['スペシャルドラマ霧の橋', '前', null],
    forms: [
      'スペシャルドラマ　霧の橋　前編',
      'スペシャルドラマ「霧の橋」前篇[字]',
      'スペシャルドラマ　霧の橋（前）',
      'スペシャルドラマ　霧の橋　＜前編＞',
      'スペシャルドラマ　霧の橋🈜',
      'スペシャルドラマ　霧の橋【前編】',
      'スペシャルドラマ　霧の橋（上）',
      'スペシャルドラマ　霧の橋　上巻',
    ],
  },
  {
    is: ['スペシャルドラマ霧の橋', '後', null],
    forms: [
      'スペシャルドラマ　霧の橋　後編',
      'スペシャルドラマ「霧の橋」完結編',
      'スペシャルドラマ　霧の橋（下）',
      'スペシャルドラマ　霧の橋[後]',
      'スペシャルドラマ　霧の橋（再）後篇',
    ],
  },
  {
    is: ['霧の橋', '8後', '約束'],
    forms: ['霧の橋 #8「約束」後編', '霧の橋　第8話　後編「約束」', '霧の橋🈝#8「約束」'],
  },
  { is: ['灯台守の夏', '最終', '帰港'], forms: ['灯台守の夏　最終回「帰港」', '灯台守の夏🈡最終話「帰港」'] },
  { is: ['映画', null, '海の城'], forms: ['映画「海の城」', '🈙映画『海の城』[字]', '映画「海の城」(再)'] },
  {
    is: ['土曜シネマ館', null, '遠い汽笛'],
    forms: ['土曜シネマ館「遠い汽笛」', '土曜シネマ館『遠い汽笛』🈑'],
  },
  {
    is: ['歌の祭典', '74', null],
    forms: ['第74回歌の祭典', '第７４回　歌の祭典[字]', '第七十四回 歌の祭典'],
  },
  { is: ['第74回歌の祭典', '2', null], forms: ['第74回 歌の祭典 (2)', '第74回歌の祭典 #2'] },
  {
    is: ['世界小路めぐり', '108', null],
    forms: ['世界小路めぐり EP108', '世界小路めぐり Ep.108', '世界小路めぐり　第百八回'],
  },
  {
    is: ['灯台', '3', '霧'],
    forms: [
      ['ドラマ「灯台」', '第３話「霧」 霧の中で船が…'],
      'ドラマ「灯台」第3話「霧」',
      'ドラマ　灯台　第3話「霧」',
    ],
  },
  {
    is: ['連続テレビ小説こもれび', '16週', '秋の風'],
    forms: ['連続テレビ小説　こもれび　第１６週「秋の風」', '連続テレビ小説 こもれび 第十六週「秋の風」'],
  },
  { is: ['連続テレビ小説こもれび', '16', '秋の風'], forms: ['連続テレビ小説　こもれび（１６）「秋の風」'] },
  {
    is: ['球の祭典', '1', '北高×南高'],
    forms: ['球の祭典　第１試合　北高×南高', '球の祭典 第1戦 北高×南高', '球の祭典 第1節「北高×南高」'],
  },
  // Of an event a quotation in the summary says nothing: both its parts have it.
  { is: ['夢の祭典', '9', null], forms: [['第９回夢の祭典', '「夢」 今年も始まる。']] },
  { is: ['囲碁の時間', '4', null], forms: ['囲碁の時間 第4局', '囲碁の時間 第四局'] },
];

/** Numbers of all kinds that count no episodes. Nothing is taken from them: the whole title is the series. */
const PLAIN: readonly Form[] = [
  '24時間テレビ',
  '２４時間テレビ　愛の一日',
  'プロジェクト10',
  'ニュース7',
  'ニュース845',
  'NEWS23',
  'ドラマ10',
  '５時に集まれ',
  '99人の壁画',
  '1億人の大質問',
  '朝の体操2026',
  '2026年の展望',
  '海の城(2024)',
  '海の城（１９８７）',
  '旅の駅100選',
  '10周年記念コンサート',
  '第3のビールを語る',
  '第一線の仕事',
  '第二の人生',
  '第九を歌う',
  '第2次大航海時代',
  '第三者の証言',
  '大相撲九州場所　十四日目',
  '全国高校野球　第3日',
  '3時のおやつ',
  '60分でわかる経済',
  '30代の悩み',
  '二十歳の肖像',
  '百年の森',
  '千年の都',
  '一番星みつけた',
  '七人の漁師',
  '夜ふかしトーク #推し活',
  '#ゼロ年代の歌',
  'BS8スペシャル',
  '4K紀行',
  'ステップアップ英語',
  'XSTEP108劇場',
  'ページをめくって',
  '旅の宿▽秋の京都▽紅葉と湯けむり',
  '情報ワイド　午後の窓',
  '天気予報',
  '通販の時間',
  '全12話一挙放送',
  ['港のニュース', '第3回大会で優勝した選手に聞く。'],
  ['港のニュース', '2010年に第1回を放送した名物番組。'],
  ['港のニュース', '「笑顔が一番」が合言葉の情報番組。'],
  ['港のニュース', '3日間の旅。12人の仲間が歩く。'],
  ['港のニュース', '#推し活 で投稿募集中!'],
  ['港のニュース', '(2025年放送)'],
  ['港のニュース', '全8回のシリーズ。'],
];

describe('readEpisode', () => {
  test('reads every form of the table', () => {
    for (const { is, forms } of EPISODES) {
      for (const form of forms) {
        const { series, number, subtitle } = read(form);
        expect([form, series, number, subtitle]).toEqual([form, ...is]);
      }
    }
  });

  test('leaves numbers alone that count something else', () => {
    for (const form of PLAIN) {
      const { number, subtitle } = read(form);
      expect([form, number, subtitle]).toEqual([form, null, null]);
    }
  });

  test('the table has the forms that guides use', () => {
    const count = EPISODES.reduce((sum, { forms }) => sum + forms.length, PLAIN.length);
    expect(count).toBeGreaterThanOrEqual(200);
    // No two lines tell the same.
    expect(new Set(EPISODES.map(({ is }) => is.join('/'))).size).toBe(EPISODES.length);
  });

  test('a title always has a series', () => {
    for (const name of ['', '第2回', '#1', '「」', '[字]', '(1)', '…', '再放送']) {
      expect([name, read(name === '' ? [' ', ''] : name)]).toEqual([name, expect.anything()]);
    }
    expect(read('#1').number).toBe('1');
  });

  test('seasons, arcs and signs of a name keep series apart', () => {
    const names = [
      '音楽部! #3',
      '音楽部!! #3',
      '音楽部 #3',
      '音楽部2 #3',
      '音楽部 再会編 #3',
      '音楽部 S3 #3',
    ];
    expect(new Set(names.map((name) => read(name).series)).size).toBe(names.length);
  });
});

test('Chinese numerals', () => {
  const table: [string, number][] = [
    ['一', 1],
    ['十', 10],
    ['十二', 12],
    ['二十', 20],
    ['九十九', 99],
    ['百', 100],
    ['百五', 105],
    ['三百二十一', 321],
    ['千二百', 1200],
    ['一〇三', 103],
    ['二〇', 20],
  ];
  for (const [text, value] of table) expect([text, chineseNumber(text)]).toEqual([text, value]);
});

describe('sameEpisodes', () => {
  const groups = (forms: readonly (readonly [Form, number])[]): number[][] => {
    const airings = forms.map(([form, startAt], index) => ({ episode: read(form), startAt, index }));
    return sameEpisodes(airings).map((group) => group.map(({ index }) => index));
  };

  test('series, number and subtitle must be the same', () => {
    const forms: [Form, number][] = [
      ['星の港 #3「波」', 0],
      ['星の港 第3話「波」[再]', 9],
      ['星の港 #3「風」', 20],
      ['星の港 #4「波」', 30],
      ['月の港 #3「波」', 40],
      ['星の港 Season2 #3「波」', 50],
    ];
    expect(groups(forms)).toEqual([[0, 1], [2], [3], [4], [5]]);
  });

  test('a missing subtitle is the only one that is known, and stays apart from several', () => {
    expect(
      groups([
        ['星の港 #3', 0],
        ['星の港 #3「波」', 9],
        ['星の港(3)', 20],
      ]),
    ).toEqual([[0, 1, 2]]);
    expect(
      groups([
        ['星の港 #3', 0],
        ['星の港 #3「波」', 9],
        ['星の港 #3「風」', 20],
        ['星の港(3)', 30],
      ]),
    ).toEqual([[0, 3], [1], [2]]);
    expect(
      groups([
        ['星の港「波」', 0],
        ['星の港「波」', 9],
        ['星の港「風」', 9],
      ]),
    ).toEqual([[0, 1], [2]]);
  });

  test('without number and subtitle only a simulcast is the same', () => {
    expect(
      groups([
        ['港のニュース', 0],
        ['港のニュース[字]', 0],
        ['港のニュース', 9],
        ['海のニュース', 0],
      ]),
    ).toEqual([[0, 1], [2], [3]]);
  });

  const HOUR = 3_600_000;

  test('of an event its number alone tells no episode', () => {
    for (const form of ['球の祭典　第１試合', '第74回歌の祭典', '球の祭典 第５節', '囲碁の時間 第4局'])
      expect([
        form,
        groups([
          [form, 0],
          [`${form}[字]`, 0],
          [form, 2 * HOUR],
          [form, 24 * HOUR],
        ]),
      ]).toEqual([form, [[0, 1], [2], [3]]]);
  });

  test('an event goes on after the news, and is shown again on another day', () => {
    const form = '球の祭典　第１試合　北高×南高';
    expect(
      groups([
        [form, 0],
        [form, 2 * HOUR],
        ['球の祭典　第１試合　東高×西高', 2 * HOUR],
        [form, 30 * HOUR],
        [form, 32 * HOUR],
        [form, 60 * HOUR],
      ]),
    ).toEqual([[0, 3, 5], [1, 4], [2]]);
  });

  test("a week's digest is no episode of the number of the week", () => {
    expect(
      groups([
        ['連続テレビ小説　こもれび（１）「秋の風」', 0],
        ['連続テレビ小説　こもれび　第１週「秋の風」', 5 * 24 * HOUR],
      ]),
    ).toEqual([[0], [1]]);
  });

  test('two airings are compared as a list of two is', () => {
    const forms = [
      '星の港 #3',
      '星の港 #3「波」',
      '星の港「波」',
      '星の港',
      '星の港[再]',
      '月の港 #3「波」',
      '星の港 #4',
      '星の港 第3戦 東×西',
      '星の港 第3戦',
    ];
    const airings = forms.flatMap((form) =>
      [0, 9, 12 * HOUR].map((startAt) => ({ episode: read(form), startAt })),
    );
    for (const a of airings) {
      for (const b of airings)
        expect([a, b, isSameEpisode(a, b)]).toEqual([a, b, a === b || sameEpisodes([a, b]).length === 1]);
    }
  });
});
