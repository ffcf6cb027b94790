/** The texts of `/device`, where a member approves a device that shows a QR code. */
import { JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { escapeHtml, htmlPage, PAGE_FONTS } from '../http/route/page.ts';

/** Submits the form as soon as the page is visible; without it a person presses the button. Part of the UI's files. */
const SCRIPT = 'device-form.js';

const TEXTS = {
  scan: 'テレビの登録',
  scanWhy: 'テレビのアプリで、家の録画と放送を見られるようにします。',
  scanHow: 'テレビのアプリに表示された QR コードを、スマートフォンのカメラで読み取ってください。',
  typeHow: 'カメラを使えないときは、QR コードの下の文字を入力してください。',
  code: 'テレビに表示されたコード',
  next: '次へ',
  home: '放送中の番組を見る',
  gone: 'このコードは使えません',
  goneWhy: '有効期限（10分）が切れたか、テレビがすでに新しいコードを表示しています。',
  goneNext: 'テレビに表示されている最新の QR コードをもう一度読み取るか、コードを入力してください。',
  sending: 'テレビを登録しています',
  ask: 'テレビを登録しますか',
  askNote:
    'テレビに QR コードが出ていないときや、この画面を開いた覚えがないときは、登録しないで閉じてください。登録したテレビは、録画を見ることも消すこともできます。',
  requested: (address: string, time: string) =>
    address === '' ? `${time} に届いた登録の要求です。` : `${address} から ${time} に届いた登録の要求です。`,
  send: '登録する',
  done: 'テレビを登録しました',
  doneNext: 'テレビの画面に戻ってください。数秒で使えるようになります。',
  doneWrong: '心当たりのないテレビのときは、設定の「連携（TV アプリ）」で解除してください。',
  settings: '設定を開く',
  stale: '登録できませんでした',
  staleWhy: 'ページを開いてから時間がたったか、ブラウザーの Cookie が無効になっています。',
  again: 'もう一度開く',
} as const;

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;
const named = (name: string): string => `<p class="name"><bdi>${escapeHtml(name)}</bdi></p>`;

const HOME = `<p><a href="./">${TEXTS.home}</a></p>`;

/** Leads to the page of the code, whose button has to be pressed: a page led there. */
const CODE_FORM = `<form action="device">
<p><label>${TEXTS.code}<input name="code" required maxlength="20" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false"></label></p>
<p><button class="button">${TEXTS.next}</button></p>
</form>`;

/** Without a code in the address. */
export function scanPage(): Response {
  const body = [...[TEXTS.scanWhy, TEXTS.scanHow, TEXTS.typeHow].map(paragraph), ...[CODE_FORM, HOME]].join(
    '\n',
  );
  return htmlPage({ fonts: PAGE_FONTS, status: 200, title: TEXTS.scan, body });
}

export function gonePage(): Response {
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 404,
    title: TEXTS.gone,
    body: [paragraph(TEXTS.goneWhy), paragraph(TEXTS.goneNext), CODE_FORM, HOME].join('\n'),
  });
}

interface FormPage {
  /** Of the device. */
  name: string;
  /** The client address of the device; empty: unknown. */
  address: string;
  /** When it requested access. */
  at: WallMs;
  userCode: string;
  /** Value that proves that the form is ours. */
  proof: string;
  cookie: string;
  /** Without it a person has to press the button. */
  submitsItself: boolean;
}

/** In Japan, as everywhere in the service. */
function clockText(at: WallMs): string {
  const [, , month = '', day = '', time = ''] =
    /^(\d+)-0?(\d+)-0?(\d+)T(\d\d:\d\d)/.exec(new Date(at + JST_OFFSET_MS).toISOString()) ?? [];
  return `${month}月${day}日 ${time}`;
}

export function formPage({ name, address, at, userCode, proof, cookie, submitsItself }: FormPage): Response {
  const field = (key: string, value: string): string =>
    `<input type="hidden" name="${key}" value="${escapeHtml(value)}">`;
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 200,
    title: submitsItself ? TEXTS.sending : TEXTS.ask,
    body: `${named(name)}
${paragraph(TEXTS.requested(address, clockText(at)))}
${submitsItself ? '' : paragraph(TEXTS.askNote)}
<form id="approve" method="post" action="device">
${field('code', userCode)}
${field('proof', proof)}
<p><button class="button">${TEXTS.send}</button></p>
</form>`,
    headers: { 'set-cookie': cookie },
    ...(submitsItself ? { script: SCRIPT } : {}),
  });
}

export function donePage(name: string): Response {
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 200,
    title: TEXTS.done,
    body: `${named(name)}
${paragraph(TEXTS.doneNext)}
<p><small>${TEXTS.doneWrong} <a href="settings">${TEXTS.settings}</a></small></p>
${HOME}`,
  });
}

/** The form was not sent by a page of this browser. @param userCode from the form, validated */
export function stalePage(userCode: string | undefined): Response {
  const link =
    userCode === undefined
      ? ''
      : `<p><a class="button" href="device?code=${userCode}">${TEXTS.again}</a></p>`;
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 403,
    title: TEXTS.stale,
    body: paragraph(TEXTS.staleWhy) + link,
  });
}

const BY_TOKEN =
  'アクセストークンで接続した端末からは、ほかの端末を登録できません。\n' +
  'A client that is authenticated by an access token cannot approve a pairing.\n';

export function refusedByToken(): Response {
  return new Response(BY_TOKEN, {
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}
