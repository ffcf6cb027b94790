/** Sounds of the carousel and of the receiver. */
import { MEDIA } from '../module-file.ts';
import {
  boxStyle,
  EMPTY,
  event,
  focusable,
  fontStyle,
  type PageContext,
  pictureBox,
  subpageText,
  textBox,
} from './page.ts';

const LABELS = ['ＡＩＦＦの音', 'ＡＡＣの音', '受信機の音'] as const;

function button(page: PageContext, label: string, index: number): string[] {
  const count = LABELS.length;
  const nav = `nav-index:${index}; nav-up:${(index + count - 1) % count}; nav-down:${(index + 1) % count}`;
  const style = `${boxStyle(page, [40, 120 + index * 80, 420, 64])}; ${nav}`;
  return [
    `<div id="button${index}" class="button" style="${style}" onclick="play${index}();" onkeydown="key();">`,
    textBox(page, `label${index}`, [16, 14, 380, 40], label),
    '</div>',
  ];
}

export function soundsDocument(page: PageContext): string {
  const script = `
var number = 0;
function loaded() {
}
function put(text) {
  document.getElementById("state").firstChild.data = text;
}
function play0() {
  document.getElementById("aiff").streamStatus = "play";
  put("再生中");
}
function play1() {
  document.getElementById("aac").streamStatus = "play";
  put("再生中");
}
function play2() {
  browser.playRomSound("romsound://" + number);
  put("音" + number);
  number = (number + 1) % 14;
}
function stopped() {
  put("終わりました");
}`;
  const hidden = 'left:0px; top:0px; width:0px; height:0px';
  return subpageText(page, {
    title: '音',
    style: focusable('button'),
    script,
    events: [
      event('aiffEnd', { type: 'MediaStopped', handler: 'stopped', more: 'object_id="aiff"' }),
      event('aacEnd', { type: 'MediaStopped', handler: 'stopped', more: 'object_id="aac"' }),
    ],
    body: [
      pictureBox(page, 'video', [560, 40, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 400, 44], '音', fontStyle(page, 'large')),
      ...LABELS.flatMap((label, index) => button(page, label, index)),
      `<object id="aiff" type="${MEDIA.aiff}" data="/40/0006/chime.aif" style="${hidden}"/>`,
      `<object id="aac" type="${MEDIA.aac}" data="/40/0006/buzz.aac" style="${hidden}"/>`,
      textBox(page, 'state', [40, 400, 880, 40], EMPTY),
    ],
  });
}
