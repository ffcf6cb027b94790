/** The texts of `/device`, where a member approves a device that shows a QR code. */
import { escapeHtml, htmlPage, PAGE_FONTS } from '../route/page.ts';

/**
 * Submits the form as soon as the page is visible; without it the user presses the button. Part of the UI's files.
 */
const SCRIPT = 'device-form.js';

const TEXTS = {
  scan: 'テレビの登録',
  scanHow: 'テレビのアプリに表示された QR コードを、スマートフォンのカメラで読み取ってください。',
  gone: 'この QR コードは使えません',
  goneWhy: '有効期限（10分）が切れたか、テレビがすでに新しいコードを表示しています。',
  goneNext: 'テレビに表示されている最新の QR コードを、もう一度読み取ってください。',
  sending: 'テレビを登録しています',
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

/** Without a code in the address: codes are scanned, never typed. */
export function scanPage(): Response {
  return htmlPage({ fonts: PAGE_FONTS, status: 200, title: TEXTS.scan, body: paragraph(TEXTS.scanHow) });
}

export function gonePage(): Response {
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 404,
    title: TEXTS.gone,
    body: paragraph(TEXTS.goneWhy) + paragraph(TEXTS.goneNext),
  });
}

interface FormPage {
  /** Of the device. */
  name: string;
  userCode: string;
  /** Value that proves that the form is ours. */
  proof: string;
  cookie: string;
}

export function formPage({ name, userCode, proof, cookie }: FormPage): Response {
  const field = (key: string, value: string): string =>
    `<input type="hidden" name="${key}" value="${escapeHtml(value)}">`;
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 200,
    title: TEXTS.sending,
    body: `${named(name)}
<form id="approve" method="post" action="device">
${field('code', userCode)}
${field('proof', proof)}
<p><button class="button">${TEXTS.send}</button></p>
</form>`,
    headers: { 'set-cookie': cookie },
    script: SCRIPT,
  });
}

export function donePage(name: string): Response {
  return htmlPage({
    fonts: PAGE_FONTS,
    status: 200,
    title: TEXTS.done,
    body: `${named(name)}
${paragraph(TEXTS.doneNext)}
<p><small>${TEXTS.doneWrong} <a href="settings">${TEXTS.settings}</a></small></p>`,
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
