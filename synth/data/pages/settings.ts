/** The viewer's postal code, written to the receiver's memory; and the memory of the station, cleared on demand. */
import { colour } from '../clut.ts';
import {
  boxStyle,
  EMPTY,
  focusable,
  fontStyle,
  type PageContext,
  pictureBox,
  subpageText,
  textBox,
} from './page.ts';
import { ownMemory } from './portal.ts';

export function settingsDocument(page: PageContext): string {
  const script = `
function loaded() {
  var postal = browser.readPersistentArray("nvram://receiverinfo/zipcode", "S:7B");
  if (postal != null) document.getElementById("postal").value = postal[0];
}
function put(text) {
  document.getElementById("state").firstChild.data = text;
}
function changed() {
  var text = document.getElementById("postal").value;
  if (text.length != 7) {
    put("七けたで入れてください。");
    return;
  }
  var data = new Array();
  data[0] = text;
  var written = browser.writePersistentArray("nvram://receiverinfo/zipcode", "S:7B", data);
  put(written == 7 ? "保存しました。" : "保存できませんでした。");
  browser.playRomSound("romsound://5");
}
function forget() {
  var data = new Array();
  data[0] = 0;
  browser.writePersistentArray("${ownMemory(page, 0)}", "U:2B", data);
  put("回数を零にしました。");
}`;
  const input = `${boxStyle(page, [40, 190, 240, 52])}; nav-index:0; nav-down:1; nav-up:1`;
  const button = `${boxStyle(page, [40, 280, 420, 60])}; nav-index:1; nav-down:0; nav-up:0`;
  return subpageText(page, {
    title: '設定',
    style: [
      `input { background-color-index:${colour('pale')}; color-index:${colour('ink')}; }`,
      focusable('button'),
    ].join('\n'),
    script,
    usedKeys: 'basic data-button numeric-tuning',
    body: [
      pictureBox(page, 'video', [560, 40, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 400, 44], '設定', fontStyle(page, 'large')),
      textBox(page, 'caption', [40, 140, 400, 40], '郵便番号'),
      `<input id="postal" type="text" maxlength="7" inputmode="indirect" charactertype="number" value=""`,
      ` onchange="changed();" onkeydown="key();" style="${input}"/>`,
      `<div id="forget" class="button" style="${button}" onclick="forget();" onkeydown="key();">`,
      textBox(page, 'button', [16, 12, 380, 40], '訪問回数を消す'),
      '</div>',
      textBox(page, 'state', [40, 380, 880, 40], EMPTY),
    ],
  });
}
