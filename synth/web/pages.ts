/**
 * Documents of the broadcaster's server: a quiz, a search by postal code and news, with their style sheets and scripts as
 * files of their own. ARIB STD-B24 vol. 2; bidirectional content: TR-B14 vol. 3.
 */
import { clutFile, colour } from '../data/clut.ts';
import { encodeEuc } from '../data/euc.ts';
import { MEDIA } from '../data/module-file.ts';

export interface WebFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Name under which the server is known to documents. RFC 6761, 6.2. */
export const WEB_NAME = 'data.example.test';

/** Of characters that EUC-JP lacks. */
const MISSING = '〓';

/** In EUC-JP; visitors may write any character. */
function euc(text: string): Uint8Array<ArrayBuffer> {
  const parts = [...text].map((character) => {
    try {
      return encodeEuc(character);
    } catch {
      return encodeEuc(MISSING);
    }
  });
  return new Uint8Array(Buffer.concat(parts));
}

/** Text as `transmitTextDataOverIP` receives it. */
export const plainText = (text: string): WebFile => ({
  type: 'text/plain; charset="euc-jp"',
  bytes: euc(text),
});

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

interface Page {
  title: string;
  /** Addresses relative to the document. */
  style: string;
  script?: string;
  body: readonly string[];
}

function bmlPage({ title, style, script, body }: Page): WebFile {
  const onload = script === undefined ? '' : ' onload="loaded();"';
  const text = [
    '<?xml version="1.0" encoding="EUC-JP"?>',
    '<!DOCTYPE bml PUBLIC "+//ARIB STD-B24:1999//DTD BML Document//JA" "bml_1_0.dtd">',
    '<?bml bml-version="3.0"?>',
    '<bml>',
    '<head>',
    `<title>${escaped(title)}</title>`,
    `<link rel="stylesheet" type="text/css" href="${style}"/>`,
    '<script src="../back.ecm"/>',
    ...(script === undefined ? [] : [`<script src="${script}"/>`]),
    '<bevent><beitem id="press" type="DataButtonPressed" onoccur="back();" subscribe="subscribe"/></bevent>',
    '</head>',
    `<body id="body"${onload}>`,
    '<object id="video" type="video/X-arib-mpeg2" data="arib://-1.-1.-1/-1" remain="remain" style="left:620px; top:40px; width:300px; height:169px"/>',
    // Has the focus of a page without choices, so that its keys reach the script.
    ...(body.some((part) => part.includes('nav-index:0'))
      ? []
      : [
          '<div id="keys" style="left:0px; top:0px; width:0px; height:0px; nav-index:0" onkeydown="key();"></div>',
        ]),
    ...body,
    '</body>',
    '</bml>',
    '',
  ].join('\n');
  return { type: MEDIA.document, bytes: euc(text) };
}

const line = (id: string, top: number, text: string, more = ''): string =>
  `<p id="${id}" style="left:60px; top:${top}px; width:540px; height:44px"${more}><![CDATA[${text}]]></p>`;

/** A line that can have the focus. */
const choice = (id: string, index: number, count: number, top: number, text: string): string => {
  const around = `nav-up:${(index + count - 1) % count}; nav-down:${(index + 1) % count}`;
  const style = `left:60px; top:${top}px; width:540px; height:44px; nav-index:${index}; ${around}`;
  return `<p id="${id}" class="choice" style="${style}" onclick="pressed();" onkeydown="key();"><![CDATA[${text}]]></p>`;
};

export const STYLE: WebFile = {
  type: MEDIA.style,
  bytes:
    euc(`body { clut:url(http://${WEB_NAME}/main.clt); resolution:960x540; display-aspect-ratio:16v9; background-color-index:${colour('navy')};
 color-index:${colour('white')}; used-key-list:basic data-button; }
p { font-size:30px; line-height:44px; color-index:${colour('white')}; grayscale-color-index:30 15; }
.choice { background-color-index:${colour('panel')}; }
.choice:focus { background-color-index:${colour('focus')}; }
`),
};

export const COLOURS: WebFile = { type: MEDIA.clut, bytes: new Uint8Array(clutFile()) };

const script = (text: string): WebFile => ({ type: MEDIA.script, bytes: euc(text) });

/** The way back to the broadcast: by the d key, and by Back. */
export const BACK_SCRIPT = script(`
function back() {
  browser.launchDocument("arib-dc://-1.-1.-1/40/0007/interactive.bml", "cut");
}
function key() {
  if (document.currentEvent.keyCode == 19) back();
}
`);

export const QUIZ = {
  question: '日本でいちばん高い山は？',
  answers: ['富士山', '北岳', '奥穂高岳', '槍ヶ岳'],
  right: 1,
} as const;

export function quizPage(): WebFile {
  const { question, answers } = QUIZ;
  return bmlPage({
    title: 'クイズ',
    style: '../style.css',
    script: 'quiz.ecm',
    body: [
      line('question', 60, question),
      ...answers.map((text, index) =>
        choice(`answer${index + 1}`, index, answers.length, 120 + index * 60, text),
      ),
      line('result', 400, ''),
    ],
  });
}

/** Sends the number of the answer, and shows what the server counted. */
export const QUIZ_SCRIPT = script(`
function loaded() {
  document.getElementById("answer1").focus();
}
function pressed() {
  var answer = document.currentEvent.target.id.substring(6, 7);
  var reply = browser.transmitTextDataOverIP("http://${WEB_NAME}/quiz/vote", answer, "EUC-JP");
  var result = document.getElementById("result");
  if (reply[0] == 1) result.firstChild.data = reply[2];
  else result.firstChild.data = "送信できませんでした";
}
`);

/** @param counts votes for each answer @param name of the visitor, empty if not given */
export function resultPage(answer: number, counts: readonly number[], name: string): WebFile {
  const verdict = answer === QUIZ.right ? '正解です' : '残念、不正解です';
  return bmlPage({
    title: 'クイズの結果',
    style: '../style.css',
    body: [
      line('verdict', 60, name === '' ? verdict : `${name}さん、${verdict}`),
      ...QUIZ.answers.map((text, index) =>
        line(`count${index + 1}`, 120 + index * 60, `${text} ${counts[index] ?? 0}票`),
      ),
    ],
  });
}

const HEADLINES = ['山の駅で紅葉まつり始まる', '新しい橋が開通', '水族館でペンギンの赤ちゃん誕生'];

export function newsPage(): WebFile {
  return bmlPage({
    title: 'サーバーからのニュース',
    style: '../style.css',
    script: 'news.ecm',
    body: [
      '<object id="picture" type="image/X-arib-png" data="top.png" style="left:440px; top:40px; width:160px; height:160px"/>',
      line('title', 60, 'サーバーからのニュース'),
      ...HEADLINES.map((_, index) => line(`line${index}`, 220 + index * 60, '')),
    ],
  });
}

export const NEWS_SCRIPT = script(`
var headlines = new Array(${HEADLINES.map((text) => `"${text}"`).join(', ')});
function loaded() {
  for (var i = 0; i < headlines.length; i++) document.getElementById("line" + i).firstChild.data = headlines[i];
}
`);

export function postalPage(): WebFile {
  return bmlPage({
    title: '郵便番号検索',
    style: '../style.css',
    script: 'search.ecm',
    body: [
      line('title', 60, '郵便番号検索'),
      ...[...PLACES.keys()].map((code, index, { length }) =>
        choice(`c${code}`, index, length, 120 + index * 60, `${code.slice(0, 3)}-${code.slice(3)}`),
      ),
      line('result', 400, ''),
    ],
  });
}

/** Opens the result, which the server makes for the code in the address. */
export const POSTAL_SCRIPT = script(`
function loaded() {
  document.getElementById("c1000001").focus();
}
function pressed() {
  var code = document.currentEvent.target.id.substring(1, 8);
  browser.launchDocument("http://${WEB_NAME}/postal/place.bml?code=" + code, "cut");
}
`);

const PLACES: ReadonlyMap<string, string> = new Map([
  ['1000001', '東京都千代田区千代田'],
  ['0600001', '北海道札幌市中央区北一条西'],
  ['5300001', '大阪府大阪市北区梅田'],
  ['9000014', '沖縄県那覇市松尾'],
]);

/** Undefined: not in the list. */
export function placeOf(code: string): string | undefined {
  return PLACES.get(code);
}

export function placePage(code: string, place: string | undefined): WebFile {
  const text = place ?? '見つかりませんでした';
  return bmlPage({
    title: '郵便番号検索の結果',
    style: '../style.css',
    body: [line('code', 60, code.replace(/[^0-9]/g, '').slice(0, 7)), line('place', 120, text)],
  });
}
