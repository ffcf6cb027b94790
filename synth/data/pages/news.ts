/** News whose headlines are replaced while they are shown: the module with the table gets another version. */
import { Random } from '../../random.ts';
import { ByteWriter } from '../../si/bytes.ts';
import { MEDIA, type Resource } from '../module-file.ts';
import {
  boxStyle,
  EMPTY,
  focusable,
  fontStyle,
  moduleEvent,
  type PageContext,
  pictureBox,
  subpageText,
  textBox,
  textField,
} from './page.ts';

const HEADLINES = [
  '山の駅で紅葉まつり始まる',
  '新しい橋が開通 渋滞緩和へ',
  '水族館でペンギンの赤ちゃん誕生',
  '小学生が田んぼの生き物を調査',
  '港に大型客船 市民が歓迎',
  '図書館の利用者が十年で最多に',
  '雪の朝 各地で路面の凍結に注意',
  '商店街で夜の市 行列できる',
  '天文台が流星群の観察会',
  '鉄道の古い車両が博物館へ',
] as const;
const SHOWN = 4;
const NEWS_STRUCTURE = '0,U:2B,S:1V';
const NEWS_MODULE = '/60/0001';

/** @param edition counted up with every change */
export function newsTable(page: PageContext, edition: number): Resource {
  const table = new ByteWriter();
  const random = new Random('news', page.name, Math.floor(edition / SHOWN));
  const first = random.below(HEADLINES.length);
  for (let line = 0; line < SHOWN; line++) {
    const text = HEADLINES[(first + line + edition) % HEADLINES.length] ?? '';
    table.u16(edition & 0xffff).bytes(textField(text));
  }
  return { name: 'news.tbl', type: MEDIA.table, bytes: table.done() };
}

function headline(page: PageContext, line: number): string {
  const nav = `nav-index:${line}; nav-up:${(line + SHOWN - 1) % SHOWN}; nav-down:${(line + 1) % SHOWN}`;
  const style = `${boxStyle(page, [40, 270 + line * 52, 880, 48])}; ${nav}`;
  return [
    `<div id="line${line}" class="line" style="${style}" onclick="read();" onkeydown="key();">`,
    textBox(page, `text${line}`, [16, 6, 848, 40], EMPTY),
    '</div>',
  ].join('');
}

export function newsDocument(page: PageContext): string {
  const script = `
var isLocked = false;
function loaded() {
  browser.lockModuleOnMemory("${NEWS_MODULE}");
}
function locked() {
  if (document.currentEvent.status != 0) return;
  isLocked = true;
  var table = new BinaryTable("${NEWS_MODULE}/news.tbl", "${NEWS_STRUCTURE}");
  var line;
  browser.lockScreen();
  for (line = 0; line < table.nrow; line++) {
    document.getElementById("text" + line).firstChild.data = table.toString(line, 1);
  }
  document.getElementById("edition").firstChild.data = "第" + table.toNumber(0, 0) + "版";
  browser.unlockScreen();
}
function updated() {
  var status = document.currentEvent.status;
  if (status == 2 && !isLocked) browser.lockModuleOnMemory("${NEWS_MODULE}");
  if (status != 0 || !isLocked) return;
  browser.unlockModuleOnMemory("${NEWS_MODULE}");
  browser.lockModuleOnMemory("${NEWS_MODULE}");
}
function read() {
  browser.playRomSound("romsound://0");
}`;
  return subpageText(page, {
    title: 'ニュース',
    style: focusable('line'),
    script,
    events: [
      moduleEvent('lock', 'ModuleLocked', 'locked', NEWS_MODULE),
      moduleEvent('update', 'ModuleUpdated', 'updated', NEWS_MODULE),
    ],
    body: [
      pictureBox(page, 'video', [560, 30, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 400, 44], 'ニュース', fontStyle(page, 'large')),
      textBox(page, 'edition', [40, 100, 400, 40], EMPTY),
      ...Array.from({ length: SHOWN }, (_, line) => headline(page, line)),
      textBox(page, 'help', [40, 490, 880, 36], '放送中に入れ替わります。', fontStyle(page, 'small')),
    ],
  });
}
