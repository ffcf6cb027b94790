/** Pages of the server for clients without access, or if there is no working UI; addresses of the UI's screens. */
import { escapeHtml, htmlPage, ownerNote, PAGE_FONTS } from './route/page.ts';

/** `#` stands for a number. */
export const SCREENS: readonly string[] = [
  ...[
    '/',
    '/guide',
    '/reservations',
    '/recordings',
    '/rules',
    '/search',
    '/tuners',
    '/notices',
    '/settings',
    '/setup',
  ],
  ...['/offline', '/device', '/multi', '/live/#', '/watch/#', '/chase/#'],
];

const PATTERN = new RegExp(`^(?:${SCREENS.join('|').replaceAll('#', '\\d{1,16}')})$`);

export function isScreen(path: string): boolean {
  return PATTERN.test(path);
}

/** For `/guide/` and the like, which people type: the address without the slashes; undefined if it is not a screen. */
export function screenWithoutSlash(path: string): string | undefined {
  const bare = path.replace(/\/+$/, '');
  return bare !== path && bare !== '' && isScreen(bare) ? bare : undefined;
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/**
 * @param address the client's address, so that it can be added to the configuration
 * @param prefix of a front proxy, without a trailing slash
 */
export function unauthorizedPage(address: string, prefix: string, headers: Record<string, string>): Response {
  const body = [
    paragraph('このサービスは、家のネットワークにある端末から利用できます。'),
    paragraph('家の Wi-Fi につないでから、もう一度開いてください。'),
    `<p><a class="button" href="${escapeHtml(prefix)}/">もう一度開く</a></p>`,
    ownerNote([
      `お使いの端末のアドレス ${address} は許可されていません。`,
      '家庭内のネットワークから開いているのにこの画面が出る場合は、サーバーの環境変数 TRUSTED_NETWORKS に' +
        'このアドレスを含む範囲を加えて再起動してください。前段にプロキシがある場合は TRUSTED_PROXIES も' +
        '設定してください。',
    ]),
  ].join('\n');
  const fonts = `${prefix}/${PAGE_FONTS}`;
  return htmlPage({ status: 401, title: 'ここからは利用できません', body, headers, fonts });
}

/**
 * For a form that was sent without a login, such as that of `/device` after the session has ended.
 * @param prefix of a front proxy, without a trailing slash
 */
export function loginNeededPage(prefix: string, headers: Record<string, string>): Response {
  const body = [
    '<p>ログインしていないか、ログインの期限が切れています。ログインしてから、もう一度お試しください。</p>',
    '<p>テレビなどを登録するところだったときは、ログインしたあとで QR コードをもう一度読み取ってください。</p>',
    `<p><a class="button" href="${escapeHtml(prefix)}/login">ログイン</a></p>`,
  ].join('\n');
  const fonts = `${prefix}/${PAGE_FONTS}`;
  return htmlPage({ status: 401, title: 'ログインが必要です', body, headers, fonts });
}

/** @param host as sent by the browser */
export function foreignHostPage(host: string): Response {
  const english =
    `This server is not known as "${host}". Open it by its IP address or its own name, ` +
    'or add this name to ALLOWED_HOSTS and restart the server.';
  const body = [
    paragraph('いつも開いているアドレス（IP アドレスか、サーバーの名前）で開いてください。'),
    ownerNote([
      `「${host}」は、このサーバーの名前として設定されていません。`,
      'この名前で利用するには、サーバーの環境変数 ALLOWED_HOSTS に加えて再起動してください。',
    ]),
    `<p lang="en"><small>${escapeHtml(english)}</small></p>`,
  ].join('\n');
  // No font can be loaded: under this name every request is refused, and another origin may not load it.
  return htmlPage({ status: 421, title: 'このアドレスでは利用できません', body, fonts: undefined });
}

export function screensMissingPage(): Response {
  const body = [
    paragraph('サービスは動いていますが、画面のファイルが組み込まれていません。'),
    paragraph('npm run build で作り直すか、npm run demo で起動してください。'),
  ].join('\n');
  return htmlPage({ status: 503, title: '画面のファイルがありません', body, fonts: undefined });
}
