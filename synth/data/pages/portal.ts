/**
 * The portal: the picture in its box, a menu with focus and colour keys, a clock, and a greeting that counts visits in
 * the receiver's memory.
 */
import { colour } from '../clut.ts';
import { MEDIA } from '../module-file.ts';
import {
  boxStyle,
  documentText,
  EMPTY,
  event,
  fontStyle,
  type PageContext,
  pictureBox,
  textBox,
} from './page.ts';

interface Choice {
  label: string;
  /** Document. */
  address: string;
  symbol: string;
  /** accesskey: blue, red, green, yellow. */
  key: 'B' | 'R' | 'G' | 'Y';
}

const CHOICES: readonly Choice[] = [
  { label: 'お天気', address: '/40/0003/weather.bml', symbol: 'sun.png', key: 'B' },
  { label: 'ニュース', address: '/60/0000/news.bml', symbol: 'news.png', key: 'R' },
  { label: 'スポーツ速報', address: '/61/0000/score.bml', symbol: 'ball.png', key: 'G' },
  { label: '設定', address: '/40/0005/settings.bml', symbol: 'gear.png', key: 'Y' },
  { label: '音', address: '/40/0006/sounds.bml', symbol: 'note.png', key: 'Y' },
  { label: '双方向', address: '/40/0007/interactive.bml', symbol: 'antenna.png', key: 'Y' },
];
/** Only four keys have colours. */
const KEYED = 4;

/** Memory of the station itself. */
export function ownMemory({ type }: PageContext, block: number): string {
  if (type === 'GR') return `nvram://local/${block}`;
  return type === 'BS' ? `nvram://~/ext/${16 + block}` : `nvram://cs_common/${block}`;
}

function choiceBox(page: PageContext, { label, symbol, key }: Choice, index: number): string[] {
  const count = CHOICES.length;
  const up = (index + count - 1) % count;
  const down = (index + 1) % count;
  const nav = `nav-index:${index}; nav-up:${up}; nav-down:${down}`;
  const access = index < KEYED ? ` accesskey="${key}"` : '';
  return [
    `<div id="choice${index}" class="choice" style="${boxStyle(page, [40, 98 + index * 70, 400, 60])}; ${nav}"`,
    ` onclick="choose${index}();"${access} onfocus="focused();" onkeydown="key();">`,
    pictureBox(page, `symbol${index}`, [8, -2, 64, 64], MEDIA.png, symbol),
    textBox(page, `label${index}`, [88, 16, 300, 40], label),
    '</div>',
  ];
}

export function portalDocument(page: PageContext): string {
  const script = `
var visits = 0;
function loaded() {
  var memory = browser.readPersistentArray("${ownMemory(page, 0)}", "U:2B");
  if (memory != null) visits = memory[0];
  visits = visits + 1;
  var data = new Array();
  data[0] = visits;
  browser.writePersistentArray("${ownMemory(page, 0)}", "U:2B", data);
  document.getElementById("visits").firstChild.data = visits + "回目のご覧です";
  var last = browser.Ureg[1];
  if (last == "") last = "0";
  document.getElementById("choice" + last).focus();
  tick();
  browser.setInterval("tick();", 1000, 0);
}
function two(number) {
  if (number < 10) return "0" + number;
  return "" + number;
}
function tick() {
  var now = new Date();
  document.getElementById("clock").firstChild.data = two(now.getHours()) + ":" + two(now.getMinutes()) + ":" + two(now.getSeconds());
}
function focused() {
  browser.playRomSound("romsound://9");
}
function go(index, address) {
  browser.Ureg[1] = "" + index;
  browser.playRomSound("romsound://7");
  browser.launchDocument(address, "cut");
}
${CHOICES.map(({ address }, index) => `function choose${index}() { go(${index}, "${address}"); }`).join('\n')}
function leave() {
  browser.launchDocument("/40/0000/startup.bml", "cut");
}
function key() {
  if (document.currentEvent.keyCode == 19) leave();
}`;
  const style = [
    `.choice { background-color-index:${colour('panel')}; border-style:solid; border-width:3px;`,
    ` border-top-color-index:${colour('panel')}; border-bottom-color-index:${colour('panel')};`,
    ` border-left-color-index:${colour('panel')}; border-right-color-index:${colour('panel')}; }`,
    `.choice:focus { border-top-color-index:${colour('focus')}; border-bottom-color-index:${colour('focus')};`,
    ` border-left-color-index:${colour('focus')}; border-right-color-index:${colour('focus')}; }`,
    `.choice:active { background-color-index:${colour('focus')}; }`,
  ].join('\n');
  return documentText(page, {
    title: page.name,
    style,
    script,
    clut: 'main.clt',
    background: colour('navy'),
    events: [event('press', { type: 'DataButtonPressed', handler: 'leave' })],
    body: [
      pictureBox(page, 'sky', [0, 0, 960, 540], MEDIA.jpeg, '/40/0002'),
      textBox(page, 'name', [40, 30, 560, 44], page.name, fontStyle(page, 'large')),
      textBox(page, 'clock', [760, 36, 180, 36], '00:00:00', 'text-align:right'),
      pictureBox(page, 'video', [464, 100, 480, 270], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'visits', [464, 396, 480, 36], EMPTY, fontStyle(page, 'small')),
      textBox(
        page,
        'help',
        [464, 440, 480, 72],
        '上下で選び、決定で開きます。<br/>ｄボタンで戻ります。',
        fontStyle(page, 'small'),
      ),
      ...CHOICES.flatMap((choice, index) => choiceBox(page, choice, index)),
    ],
  });
}
