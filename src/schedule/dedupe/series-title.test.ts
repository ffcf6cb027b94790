import { expect, test } from 'bun:test';
import { readSeries } from './series-title.ts';

const ROWS: [name: string, description: string, series: string, episode: string | null][] = [
  ['海辺の診療所 #12「波の音」[字]', '', '海辺の診療所', '#12 「波の音」'],
  ['[新]海辺の診療所 第1話 はじまりの朝', '', '海辺の診療所', '#1 「はじまりの朝」'],
  ['アニメ 星をひろう猫 第３話', '', '星をひろう猫', '#3'],
  ['海辺の診療所[終]', '第11話「最後の患者」', '海辺の診療所', '#11 「最後の患者」'],
  ['夕方ニュース', '', '夕方ニュース', null],
  ['Ｔｈｅ　港町 Ｃｈａｐｔｅｒ １５', '', 'Ｔｈｅ　港町', '#15'],
  ['山の郵便局 第3週', '', '山の郵便局', '第3週'],
  ['山の郵便局 後編', '', '山の郵便局', '後編'],
  ['山の郵便局 最終回', '', '山の郵便局', '最終回'],
  ['金曜ドラマ「海辺の診療所」 第1話', '', '金曜ドラマ「海辺の診療所」', '#1'],
  ['大河ドラマ『波濤の人』（４５）「船出」', '', '大河ドラマ『波濤の人』', '#45 「船出」'],
  ['＜月９＞波濤の人　＃４「船出」', '', '＜月９＞波濤の人', '#4 「船出」'],
  ['【月９】波濤の人　＃４', '', '【月９】波濤の人', '#4'],
  ['月９「波濤の人」 #4', '', '月９「波濤の人」', '#4'],
  ['大河ドラマアンコール「波濤の人」（４５）', '', '大河ドラマアンコール「波濤の人」', '#45'],
  ['海外ドラマ「刑事の川」シーズン２　第4話「橋」', '', '海外ドラマ「刑事の川」シーズン２', '#4 「橋」'],
  ['星の港 2nd Season #5「帰り道」[字]', '', '星の港 2nd Season', '#5 「帰り道」'],
  ['洋画「港の探偵」　　字幕版', '', '洋画', '「港の探偵」　　字幕版'],
  ['金曜ロードショー「港の探偵」本編ノーカット', '', '金曜ロードショー', '「港の探偵」'],
];

for (const [name, description, series, episode] of ROWS) {
  test(`${name}: ${series} ${episode ?? ''}`, () => {
    expect(readSeries({ name, description, extended: null })).toMatchObject({ name: series, episode });
  });
}

test('episodes of one series have one key in any spelling', () => {
  const keys = ['海辺の診療所 #1', '［新］海辺の診療所　第２話「朝」', 'ドラマ 海辺の診療所 (3)'].map(
    (name) => readSeries({ name, description: '', extended: null })?.key,
  );
  expect(new Set(keys).size).toBe(1);
});

test('a programme without a title belongs to no series', () => {
  expect(readSeries({ name: ' ', description: 'x', extended: null })).toBeNull();
});

test('a text of one repeated letter is parsed quickly', () => {
  // Processor time, because the machine may be busy.
  const began = process.cpuUsage();
  readSeries({
    name: `${'あ'.repeat(500)} #1「${'あ'.repeat(300)}」`,
    description: 'あ'.repeat(2000),
    extended: null,
  });
  const { user } = process.cpuUsage(began);
  expect(user / 1000).toBeLessThan(500);
});
