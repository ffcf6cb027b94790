/** Bidirectional content: a quiz whose answer is sent, a search by postal code, and news of the broadcaster's server. */
import { XML_AIT, XML_IDS } from '../../web/application.ts';
import { WEB_NAME } from '../../web/pages.ts';
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

const WEB_SERVER = `http://${WEB_NAME}`;

/** A line that can have the focus; `choose0();` and so on are called. */
function choiceBox(
  page: PageContext,
  index: number,
  count: number,
  top: number,
  text: string,
  accessKey?: string,
): string {
  const around = `nav-up:${(index + count - 1) % count}; nav-down:${(index + 1) % count}`;
  const style = `${boxStyle(page, [40, top, 500, 56])}; nav-index:${index}; ${around}`;
  const access = accessKey === undefined ? '' : ` accesskey="${accessKey}"`;
  return [
    `<div id="choice${index}" class="choice" style="${style}" onclick="choose${index}();"${access} onkeydown="key();">`,
    textBox(page, `label${index}`, [16, 10, 300, 40], text),
    textBox(page, `more${index}`, [316, 10, 170, 40], EMPTY, 'text-align:right'),
    '</div>',
  ].join('');
}

export function interactiveDocument(page: PageContext): string {
  const choices = ['クイズ', '郵便番号で検索', 'サーバーのニュース', '放送連動アプリ'];
  // The station's own AIT, or one of the server.
  const start = page.isHybrid
    ? ''
    : `"${WEB_SERVER}${XML_AIT}", ${XML_IDS.organization}, ${XML_IDS.application}`;
  const script = `
var postal = "1000001";
function loaded() {
  var memory = browser.readPersistentArray("nvram://receiverinfo/zipcode", "S:7B");
  if (memory != null && memory[0].length == 7) postal = memory[0];
  document.getElementById("more1").firstChild.data = postal;
  var isConnected = browser.isIPConnected() > 0;
  document.getElementById("state").firstChild.data = isConnected ? "通信できます。" : "通信はできません。";
  document.getElementById("choice0").focus();
}
function choose0() {
  browser.launchDocument("/40/0007/quiz.bml", "cut");
}
function choose1() {
  browser.launchDocument("${WEB_SERVER}/postal/place.bml?code=" + postal, "cut");
}
function choose2() {
  browser.launchDocument("${WEB_SERVER}/news/news.bml", "cut");
}
function choose3() {
  if (browser.getBrowserSupport("ARIB", "APIGroup", "AITControlledApp.Start") != 1) {
    document.getElementById("state").firstChild.data = "放送連動アプリは使えません。";
    return;
  }
  document.getElementById("state").firstChild.data = "アプリを起動しています。";
  if (browser.startAITControlledApp(${start}) != 1)
    document.getElementById("state").firstChild.data = "アプリを起動できませんでした。";
}`;
  return subpageText(page, {
    title: '双方向サービス',
    style: focusable('choice'),
    script,
    body: [
      pictureBox(page, 'video', [560, 40, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 500, 44], '双方向サービス', fontStyle(page, 'large')),
      ...choices.map((text, index) =>
        choiceBox(page, index, choices.length, 120 + index * 64, text, 'BRGY'[index]),
      ),
      textBox(page, 'state', [40, 380, 880, 40], EMPTY),
      textBox(
        page,
        'help',
        [40, 470, 880, 36],
        '決定で開きます。戻るでメニューです。',
        fontStyle(page, 'small'),
      ),
    ],
  });
}

interface Quiz {
  readonly question: string;
  readonly answers: readonly string[];
}

/** The server answers with a verdict and the votes for each answer, separated by spaces. */
export function quizDocument(page: PageContext, { question, answers }: Quiz): string {
  const script = `
function loaded() {
  document.getElementById("choice0").focus();
}
function put(id, text) {
  document.getElementById(id).firstChild.data = text;
}
function vote(number) {
  put("result", "送信しています。");
  var reply = browser.transmitTextDataOverIP("${WEB_SERVER}/quiz/vote", number + ",ご家庭", "EUC-JP");
  if (reply[0] != 1 || reply[1] != "200") {
    put("result", "送信できませんでした。");
    browser.playRomSound("romsound://13");
    return;
  }
  var parts = reply[2].split(" ");
  put("result", parts[0] + "です。");
  for (var i = 1; i < parts.length; i++) put("more" + (i - 1), parts[i]);
  browser.playRomSound("romsound://7");
}
${answers.map((_, index) => `function choose${index}() { vote(${index + 1}); }`).join('\n')}`;
  return subpageText(page, {
    title: 'クイズ',
    style: `${focusable('choice')}\n#result { color-index:${colour('focus')}; }`,
    script,
    body: [
      pictureBox(page, 'video', [560, 40, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 500, 44], 'クイズ', fontStyle(page, 'large')),
      textBox(page, 'question', [40, 90, 500, 40], question),
      ...answers.map((text, index) =>
        choiceBox(page, index, answers.length, 140 + index * 66, text, 'BRGY'[index]),
      ),
      textBox(page, 'result', [40, 420, 880, 40], EMPTY),
      textBox(
        page,
        'help',
        [40, 470, 880, 36],
        '決定で答えを送ります。戻るでメニューです。',
        fontStyle(page, 'small'),
      ),
    ],
  });
}
