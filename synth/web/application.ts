/**
 * The broadcaster's AIT-controlled application (HTML5, IPTVFJ STD-0011) and its AIT in XML: a menu for arrow keys, a picture, a
 * vote that is sent, a counter that is stored, the title of the programme, and the broadcast in a corner.
 */
import { symbolPng } from '../data/pictures.ts';
import type { WebFile } from './pages.ts';

/** Where its files are on the broadcaster's server. */
export const APPLICATION_FOLDER = '/hybrid/';
export const XML_AIT = `${APPLICATION_FOLDER}ait.xml`;
/** In the AIT in XML; made up. */
export const XML_IDS = { organization: 17, application: 1 } as const;
const ANSWERS = ['海', '山', '町'];

const utf8 = (type: string, text: string): WebFile => ({
  type: `${type}; charset=utf-8`,
  bytes: new TextEncoder().encode(text),
});

/** @param base of the server, without a slash at the end */
const aitText = (base: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<isdb:ServiceDiscovery xmlns:isdb="urn:arib:isdb:2012" xmlns:mhp="urn:dvb:mhp:2009" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <isdb:ApplicationDiscovery DomainName="example.test">
    <isdb:ApplicationList>
      <isdb:Application>
        <mhp:appName Language="jpn">まちの投票</mhp:appName>
        <isdb:applicationIdentifier><mhp:orgId>${XML_IDS.organization}</mhp:orgId><mhp:appId>${XML_IDS.application}</mhp:appId></isdb:applicationIdentifier>
        <isdb:applicationDescriptor>
          <isdb:type>ISDB-HTML</isdb:type>
          <mhp:controlCode>AUTOSTART</mhp:controlCode>
          <isdb:applicationBoundaryAndPermissionDescriptor>
            <isdb:boundary><isdb:permissionBitmap>0x1E00</isdb:permissionBitmap><isdb:managedURL>${base}${APPLICATION_FOLDER}</isdb:managedURL></isdb:boundary>
          </isdb:applicationBoundaryAndPermissionDescriptor>
        </isdb:applicationDescriptor>
        <mhp:applicationTransport xsi:type="mhp:HTTPTransportType"><mhp:URLBase>${base}${APPLICATION_FOLDER}</mhp:URLBase></mhp:applicationTransport>
        <mhp:applicationLocation>index.html</mhp:applicationLocation>
      </isdb:Application>
    </isdb:ApplicationList>
  </isdb:ApplicationDiscovery>
</isdb:ServiceDiscovery>
`;

const PAGE = `<!DOCTYPE html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=960">
<title>まちの投票</title>
<link rel="stylesheet" href="main.css">
</head>
<body>
<object id="broadcast" type="video/x-iptvf-broadcast"></object>
<header><img src="note.png" alt=""><h1>まちの投票</h1></header>
<p id="programme"></p>
<ul id="menu">
${[...ANSWERS.map((answer) => `「${answer}」に投票`), '地域を表示', '終了'].map((text, index) => `<li><a id="item${index}" href="#">${text}</a></li>`).join('\n')}
</ul>
<p id="result"></p>
<footer><span id="visits"></span><span>上下で選び、決定で実行します</span></footer>
<script src="main.js"></script>
</body>
</html>
`;

const STYLE = `html, body { margin: 0; width: 960px; height: 540px; overflow: hidden; }
body { background: linear-gradient(#12345a, #0a1c33); color: #fff; font: 24px/1.4 '丸ゴシック', sans-serif; }
#broadcast { position: absolute; left: 560px; top: 40px; width: 360px; height: 202px; }
header { position: absolute; left: 40px; top: 30px; display: flex; gap: 16px; align-items: center; }
header img { width: 56px; height: 56px; }
h1 { margin: 0; font-size: 36px; }
#programme { position: absolute; left: 560px; top: 250px; width: 360px; margin: 0; color: #bcd7ff; font-size: 20px; }
#menu { position: absolute; left: 40px; top: 110px; width: 440px; margin: 0; padding: 0; list-style: none; }
#menu a { display: block; margin-bottom: 8px; padding: 6px 18px; border-radius: 10px; background: #1d4a7a; color: #fff; text-decoration: none; }
#menu a:focus { background: #ffcf33; color: #10213a; }
#result { position: absolute; left: 560px; top: 320px; width: 360px; margin: 0; white-space: pre-line; }
footer { position: absolute; left: 40px; right: 40px; bottom: 20px; display: flex; justify-content: space-between; color: #bcd7ff; font-size: 20px; }
`;

const SCRIPT = `(function () {
  var owner = navigator.applicationManager.getOwnerApplication(document);
  var keys = owner.keySet;
  keys.setValue(keys.NAVIGATION + keys.RED + keys.GREEN + keys.BLUE + keys.YELLOW);
  var items = document.querySelectorAll('#menu a');
  var at = 0;
  function put(id, text) { document.getElementById(id).textContent = text; }
  function move(to) { at = (to + items.length) % items.length; items[at].focus(); }

  var visits = Number(localStorage.getItem('visits') || 0) + 1;
  localStorage.setItem('visits', String(visits));
  put('visits', visits + '回目のご利用です');
  navigator.receiverDevice.getCurrentEventInformation(function (event) {
    put('programme', event && event.name ? '放送中：' + event.name : '番組の情報はありません');
  });

  function vote(answer) {
    put('result', '送信しています');
    var request = new XMLHttpRequest();
    request.open('POST', 'vote');
    request.setRequestHeader('Content-Type', 'application/json');
    request.onload = function () {
      if (request.status !== 200) { put('result', '送信できませんでした'); return; }
      var counts = JSON.parse(request.responseText).counts;
      put('result', counts.map(function (one) { return one.answer + '　' + one.count + '票'; }).join('\\n'));
    };
    request.onerror = function () { put('result', '送信できませんでした'); };
    request.send(JSON.stringify({ answer: answer }));
  }
  function region() {
    var code = localStorage.getItem('_zipcode');
    put('result', code === null ? '地域の情報はありません' : '郵便番号　' + code);
  }
  addEventListener('storage', function (event) { if (event.key === '_zipcode') region(); });

  function run(index) {
    if (index < ${ANSWERS.length}) vote(index);
    else if (index === ${ANSWERS.length}) region();
    else owner.destroyApplication();
  }
  for (var i = 0; i < items.length; i++) items[i].onclick = run.bind(null, i);
  document.addEventListener('keydown', function (event) {
    switch (event.keyCode) {
      case VK_UP: move(at - 1); break;
      case VK_DOWN: move(at + 1); break;
      case VK_RED: vote(0); break;
      case VK_BACK: owner.destroyApplication(); break;
      default: return;
    }
    event.preventDefault();
  });
  move(0);
})();
`;

const PICTURE_SIDE = 112;
const MAX_VOTE = 1024;

type Answer = (request: Request) => Response | Promise<Response>;

function answerOf(text: string): number | undefined {
  try {
    const { answer } = JSON.parse(text.slice(0, MAX_VOTE)) as { answer?: unknown };
    return typeof answer === 'number' && ANSWERS[answer] !== undefined ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Its files and its votes, by path. @param base under which it is known, without a slash at the end */
export function applicationRoutes(base: string): Record<string, Answer> {
  const counts = ANSWERS.map(() => 0);
  const file =
    ({ type, bytes }: WebFile): Answer =>
    () =>
      new Response(bytes, { headers: { 'content-type': type } });
  const picture = new Uint8Array(symbolPng('note', PICTURE_SIDE, true));
  return {
    [XML_AIT]: file(utf8('application/vnd.dvb.ait+xml', aitText(base))),
    [`${APPLICATION_FOLDER}index.html`]: file(utf8('text/html', PAGE)),
    [`${APPLICATION_FOLDER}main.css`]: file(utf8('text/css', STYLE)),
    [`${APPLICATION_FOLDER}main.js`]: file(utf8('text/javascript', SCRIPT)),
    [`${APPLICATION_FOLDER}note.png`]: file({ type: 'image/png', bytes: picture }),
    [`${APPLICATION_FOLDER}vote`]: async (request) => {
      const answer = answerOf(await request.text());
      if (answer === undefined) return new Response('no answer', { status: 400 });
      counts[answer] = (counts[answer] ?? 0) + 1;
      return Response.json({ counts: counts.map((count, index) => ({ answer: ANSWERS[index], count })) });
    },
  };
}
