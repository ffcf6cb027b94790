/** Titles that begin with the name of a slot: the quotation after it is a series or a film. */
import { expect, test } from 'bun:test';
import { broadcastMs } from '../../../arib/time.ts';
import { readEpisode } from './episode.ts';
import { sameEpisodes } from './same-episode.ts';

/** A title, or a title with its summary. */
type Form = string | readonly [name: string, description: string];

interface Told {
  readonly is: readonly [series: string, number: string | null, subtitle: string | null];
  readonly forms: readonly Form[];
}

function read(form: Form) {
  const [name, description] = typeof form === 'string' ? [form, ''] : form;
  return readEpisode({ name, description, extended: null });
}

/** Slots that are named after day and hour, or have a name of their own. */
const SLOTS = [
  '月９',
  '火９',
  '水10',
  '木１０',
  '金9',
  '土9',
  '日10',
  '日曜９時',
  '土曜10時',
  '月9ドラマ',
  '日曜劇場',
  '木曜劇場',
  '金曜ドラマ',
  '火曜ドラマ',
  '土曜ドラマ',
  'ドラマ１０',
  'ドラマ24',
  'ドラマＬ',
  'ドラマW',
  '連続ドラマＷ',
  'ドラマNEXT',
  'ドラマイズム',
  'ドラマストリーム',
  'ドラマプレミア23',
  'ドラマ特区',
  'ドラマチューズ！',
  'ドラマホリック！',
  'よるドラ',
  '夜ドラ',
  '土ドラ',
  'オトナの土ドラ',
  '水ドラ25',
  '木ドラ２４',
  '火ドラ★イレブン',
  'シンドラ',
  'オシドラサタデー',
  '金曜ナイトドラマ',
  'ナイト・ドラマ',
  'プレミアムドラマ',
  '土曜時代ドラマ',
  'ＢＳ時代劇',
  '木曜時代劇',
  '木曜ミステリー',
  '水曜ミステリー９',
  '金曜ミステリー劇場',
  '韓ドラ',
  '韓流ドラマ',
  '連続テレビ小説',
  '大河ドラマ',
  'アニメイズム',
  'スーパーアニメイズム',
  '土曜アニメ',
  '金曜アニメナイト',
  'アニメアワー',
  'アニメ枠',
  '日５',
  '連続人形劇',
] as const;

/** As `looseText` of the slot and the series in normal form. */
function seriesOf(slot: string, name: string): string {
  return slot.normalize('NFKC').toLowerCase().replace(/[★・]/gu, '') + name;
}

test('in a slot with an episode the series is the quoted title, with or without quotation marks', () => {
  for (const slot of SLOTS) {
    const is = [seriesOf(slot, '潮騒の街'), '4', '嵐の夜'];
    for (const form of [
      `${slot}「潮騒の街」第４話「嵐の夜」`,
      `${slot}『潮騒の街』 #4 嵐の夜[字]`,
      `＜${slot}＞潮騒の街（４）「嵐の夜」`,
      [`${slot}「潮騒の街」`, '第４話「嵐の夜」 港に船が着く。'] as const,
      [`🈑${slot}「潮騒の街」 #4`, '「嵐の夜」\n港に船が着く。'] as const,
    ]) {
      const { series, number, subtitle } = read(form);
      expect([form, series, number, subtitle]).toEqual([form, ...is]);
    }
  }
});

test('a weekly series without episode data is not the same episode every week', () => {
  for (const slot of SLOTS) {
    const episode = read(`${slot}「潮騒の街」`);
    expect([slot, episode.number, episode.subtitle]).toEqual([slot, null, null]);
    const airings = [0, 1].map((week) => ({ episode, startAt: broadcastMs(week * 7 * 86_400_000) }));
    expect(sameEpisodes(airings)).toHaveLength(2);
  }
});

const FORMS: readonly Told[] = [
  {
    is: ['月9潮騒の街', '4', null],
    forms: [
      '月９「潮騒の街」 #4',
      '【月９】潮騒の街　＃４',
      '〔再〕月９「潮騒の街」第4話',
      '月９「潮騒の街」＃４　15分拡大',
      '月９「潮騒の街」#4 １５分拡大ＳＰ',
      ['月９「潮騒の街」', '＃４　港に船が着く。'],
      ['月９「潮騒の街」', '第４話　あらすじ\n港に船が着く。'],
      ['月９「潮騒の街」#4', '第４話　ゲスト：仮野ゆき'],
    ],
  },
  {
    is: ['月9潮騒の街', '1', null],
    forms: [
      '[新]月９「潮騒の街」#1',
      '【新】月９「潮騒の街」 #1',
      '🈟月９「潮騒の街」#1 初回15分拡大',
      '月９「潮騒の街」第1話　初回拡大スペシャル',
    ],
  },
  {
    is: ['月9潮騒の街', '11', null],
    forms: ['🈡月９「潮騒の街」#11 最終話', '月９「潮騒の街」＃１１　最終回'],
  },
  { is: ['月9潮騒の街', '最終', null], forms: ['月９「潮騒の街」最終話', '🈡月９「潮騒の街」＜最終回＞'] },
  { is: ['月9潮騒の街特別編', null, null], forms: ['月９「潮騒の街」特別編', '月９『潮騒の街』特別編[字]'] },
  {
    is: ['日曜劇場潮騒の街', '4', '嵐の夜'],
    forms: [
      '日曜劇場「潮騒の街」第４話　「嵐の夜」',
      '日曜劇場「潮騒の街」「嵐の夜」第４話',
      '日曜劇場「潮騒の街」「嵐の夜」#4',
      '日曜劇場　潮騒の街「嵐の夜」（４）',
      '日曜劇場　潮騒の街　第四話　嵐の夜',
      '日曜劇場　潮騒の街　第４話目　嵐の夜',
      ['日曜劇場「潮騒の街」', '【第４話】嵐の夜\n港に船が着く。'],
    ],
  },
  {
    is: ['大河ドラマ海の城', null, '落日'],
    forms: ['大河ドラマ「海の城」「落日」', '大河ドラマ『海の城』「落日」[字]'],
  },
  {
    is: ['大河ドラマ海の城', '23', null],
    forms: [
      '大河ドラマ「海の城」第23回',
      '大河ドラマ　海の城（２３）',
      '大河ドラマアンコール「海の城」（２３）',
      '大河ドラマアンコール　海の城　第23回',
    ],
  },
  {
    is: ['連続テレビ小説こもれび', '78', '秋の風'],
    forms: [
      '連続テレビ小説　こもれび（７８）「秋の風」',
      '連続テレビ小説　こもれび　第１６週「秋の風」（７８）',
      '連続テレビ小説「こもれび」第16週「秋の風」(78)',
      '連続テレビ小説　こもれび（７８）第１６週「秋の風」',
      ['連続テレビ小説「こもれび」', '（７８）「秋の風」'],
    ],
  },
  {
    is: ['連続テレビ小説こもれび', '16週', '秋の風'],
    forms: ['連続テレビ小説「こもれび」第16週「秋の風」', '連続テレビ小説　こもれび　第１６週「秋の風」'],
  },
  {
    is: ['星拾い', '4', '夜'],
    forms: [
      'アニメ「星拾い」第4話「夜」',
      'アニメ『星拾い』 #4「夜」',
      'アニメ　星拾い　＃４「夜」',
      'ＴＶアニメ「星拾い」#4「夜」',
      'テレビアニメ『星拾い』第4話「夜」',
      '[アニメ]星拾い #4「夜」',
      '【アニメ】星拾い　第四話「夜」',
      '＜アニメ＞星拾い（４）「夜」',
      '特撮「星拾い」第4話「夜」',
      'ドラマ「星拾い」第4話「夜」',
      '星拾い「夜」#4',
    ],
  },
  {
    is: ['灯台守の夏', '最終', '帰港'],
    forms: [
      '灯台守の夏「帰港」最終回',
      '灯台守の夏『帰港』＜最終話＞',
      '灯台守の夏　最終回　「帰港」',
      '灯台守の夏「最終話　帰港」',
      '灯台守の夏「帰港」最終回　30分拡大',
    ],
  },
  {
    is: ['灯台守の夏', '11', '帰港'],
    forms: [
      '灯台守の夏　＃１１　最終回「帰港」',
      '灯台守の夏　第11話「最終回　帰港」',
      '灯台守の夏　第１１話（最終話）「帰港」',
      '灯台守の夏　#11「帰港」15分拡大ＳＰ',
      '灯台守の夏　#11「帰港」（最終回）',
    ],
  },
  {
    is: ['シリーズ海の声', '4', '潮'],
    forms: ['シリーズ「海の声」第4回「潮」', 'シリーズ　海の声　第４回「潮」', 'シリーズ「海の声」(4)「潮」'],
  },
  { is: ['特集海の声', '2', null], forms: ['特集「海の声」第2回', '特集　海の声（２）'] },
  { is: ['特集', null, '海の声'], forms: ['特集「海の声」'] },
  {
    is: ['海外ドラマ刑事の川2', '4', '橋'],
    forms: [
      '海外ドラマ「刑事の川」シーズン２　第4話「橋」',
      '海外ドラマ　刑事の川２（４）「橋」',
      '海外ドラマ「刑事の川２」#4「橋」',
    ],
  },
  {
    is: ['鬼面の剣', '2', '夜明け'],
    forms: ['鬼面の剣　第弐話「夜明け」', '鬼面の剣　其の弐「夜明け」', '鬼面の剣　巻之弐「夜明け」'],
  },
  {
    is: ['朝の料理帖', '1998', '秋の煮物'],
    forms: ['朝の料理帖　第1998回「秋の煮物」', '朝の料理帖　第１９９８話　秋の煮物'],
  },
  {
    is: ['星の港2', '5', '帰り道'],
    forms: [
      '星の港　2ndシーズン　＃５「帰り道」',
      '星の港　２ｎｄシリーズ　第5話「帰り道」',
      '星の港　シーズン２　＃５「帰り道」',
      '星の港 2nd series #5「帰り道」',
    ],
  },
  {
    is: ['昭和の食卓', '1,2,3', null],
    forms: [
      '昭和の食卓　第1話から第3話',
      '昭和の食卓　第1話から3話',
      '昭和の食卓　第1話から第3話　一挙放送',
      '昭和の食卓　#1から#3',
      '昭和の食卓（１）から（３）',
    ],
  },
  {
    is: ['港のくま', '4', '雪の日'],
    forms: ['一挙放送　港のくま　第4話「雪の日」', '港のくま #4「雪の日」◇一挙放送'],
  },
  {
    is: ['港のくま', '256', '第一話から変身できない!'],
    forms: ['港のくま Chapter 256　第一話から変身できない！', '港のくま EP256「第一話から変身できない！」'],
  },
  // Films and other standalone programmes.
  { is: ['長編アニメ', null, '月の井戸'], forms: ['長編アニメ「月の井戸」', '長編アニメ『月の井戸』🈞'] },
  {
    is: ['金曜ロードショー', null, '港の探偵2'],
    forms: [
      '金曜ロードショー「港の探偵２」',
      '金曜ロードショー『港の探偵２』本編ノーカット',
      '金曜ロードショー「港の探偵２」【地上波初】',
      '[二]金曜ロードショー「港の探偵２」 地上波初放送',
    ],
  },
  {
    is: ['日曜洋画劇場', null, '港の探偵'],
    forms: ['日曜洋画劇場「港の探偵」', '日曜洋画劇場『港の探偵』ノーカット'],
  },
  { is: ['土曜映画劇場', null, '港の探偵'], forms: ['土曜映画劇場「港の探偵」'] },
  {
    is: ['午後のロードショー', null, '港の探偵'],
    forms: ['午後のロードショー「港の探偵」', '午後のロードショー『港の探偵』[字]'],
  },
  {
    is: ['プレミアムシネマ', null, '港の探偵'],
    forms: ['プレミアムシネマ「港の探偵」', 'プレミアムシネマ『港の探偵』＜再＞'],
  },
  { is: ['名画シアター', null, '港の探偵'], forms: ['名画シアター「港の探偵」'] },
  { is: ['アニメ映画', null, '港の猫'], forms: ['アニメ映画「港の猫」'] },
  {
    is: ['土曜ワイド劇場', null, '湯けむり岬の事件簿'],
    forms: ['土曜ワイド劇場「湯けむり岬の事件簿」', '土曜ワイド劇場『湯けむり岬の事件簿』[再]'],
  },
  { is: ['火曜サスペンス劇場', null, '湯けむり岬'], forms: ['火曜サスペンス劇場「湯けむり岬」'] },
  {
    is: ['土曜ワイド劇場湯けむり岬の事件簿', '12', null],
    forms: ['土曜ワイド劇場「湯けむり岬の事件簿」(12)'],
  },
  // A slot for long programmes, split over two evenings.
  {
    is: ['スペシャルドラマ霧の橋', '前', null],
    forms: ['スペシャルドラマ「霧の橋」前編', 'スペシャルドラマ「霧の橋」＜前編＞'],
  },
];

test('reads every form of the table', () => {
  for (const { is, forms } of FORMS) {
    for (const form of forms) {
      const { series, number, subtitle } = read(form);
      expect([form, series, number, subtitle]).toEqual([form, ...is]);
    }
  }
});

test('a title that only resembles a slot keeps its subtitle', () => {
  for (const [name, series, subtitle] of [
    ['ドラマみたいな恋「嵐の夜」#4', 'ドラマみたいな恋', '嵐の夜'],
    ['日曜の朝に「嵐の夜」#4', '日曜の朝に', '嵐の夜'],
    ['港の旅「秋の岬」#4', '港の旅', '秋の岬'],
    ['三月９日の約束「嵐の夜」#4', '三月9日の約束', '嵐の夜'],
    ['アニメを語る「嵐の夜」#4', 'アニメを語る', '嵐の夜'],
    ['世界のミステリー「消えた船」#4', '世界のミステリー', '消えた船'],
    ['トーク小路「ゲスト：仮野ゆき」#4', 'トーク小路', 'ゲスト仮野ゆき'],
    ['シリーズ港の旅「秋の岬」#4', 'シリーズ港の旅', '秋の岬'],
  ] as const) {
    expect([name, read(name).series, read(name).number, read(name).subtitle]).toEqual([
      name,
      series,
      '4',
      subtitle,
    ]);
  }
});

test('the table covers the forms that guides use', () => {
  expect(FORMS.reduce<number>((sum, { forms }) => sum + forms.length, SLOTS.length)).toBeGreaterThan(120);
  expect(new Set(FORMS.map(({ is }) => is.join('/'))).size).toBe(FORMS.length);
});
