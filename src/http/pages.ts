/** Pages of the server for clients without access, or if there is no working UI; addresses of the UI's screens. */
import { escapeHtml, htmlPage, PAGE_FONTS } from './route/page.ts';

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

/**
 * For `/guide/` and the like, which people type: the address without the slashes; undefined if it is not a screen.
 */
export function screenWithoutSlash(path: string): string | undefined {
  const bare = path.replace(/\/+$/, '');
  return bare !== path && bare !== '' && isScreen(bare) ? bare : undefined;
}

/** @param paragraphs plain text. */
function messagePage(
  status: number,
  title: string,
  paragraphs: readonly string[],
  {
    headers = {},
    fonts,
    english,
  }: { headers?: Record<string, string>; fonts?: string; english?: string } = {},
): Response {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  if (english !== undefined) texts.push(`<p lang="en"><small>${escapeHtml(english)}</small></p>`);
  return htmlPage({ status, title, body: texts.join('\n'), headers, fonts });
}

/**
 * @param address the client's address, so that it can be added to the configuration
 * @param prefix of a front proxy, without a trailing slash
 */
export function unauthorizedPage(address: string, prefix: string, headers: Record<string, string>): Response {
  return messagePage(
    401,
    'このネットワークからは利用できません',
    [
      'このサービスは、許可されたネットワークにある端末からだけ利用できます。',
      `お使いの端末のアドレス ${address} は許可されていません。`,
      '家庭内のネットワークから開いているのにこの画面が出る場合は、サーバーの環境変数 TRUSTED_NETWORKS に' +
        'このアドレスを含む範囲を加えて再起動してください。前段にプロキシがある場合は TRUSTED_PROXIES も' +
        '設定してください。',
    ],
    { headers, fonts: `${prefix}/${PAGE_FONTS}` },
  );
}

/**
 * For a form that was sent without a login, such as that of `/device` after the session has ended.
 * @param prefix of a front proxy, without a trailing slash
 */
export function loginNeededPage(prefix: string, headers: Record<string, string>): Response {
  const body = [
    '<p>ログインしていないか、ログインの期限が切れています。ログインしてから、もう一度お試しください。</p>',
    '<p>テレビなどを登録するところだったときは、ログインしたあとで QR コードをもう一度読み取ってください。</p>',
    `<p><a href="${escapeHtml(prefix)}/login">ログイン</a></p>`,
  ].join('\n');
  const fonts = `${prefix}/${PAGE_FONTS}`;
  return htmlPage({ status: 401, title: 'ログインが必要です', body, headers, fonts });
}

/** @param host as sent by the browser */
export function foreignHostPage(host: string): Response {
  return messagePage(
    421,
    'このアドレスでは利用できません',
    [
      `「${host}」は、このサーバーの名前として設定されていません。`,
      'この名前で利用するには、サーバーの環境変数 ALLOWED_HOSTS に加えて再起動してください。' +
        'IP アドレスか、サーバー自身の名前ならそのまま利用できます。',
    ],
    {
      // No font can be loaded: under this name every request is refused, and another origin may not load it.
      english:
        `This server is not known as "${host}". Open it by its IP address or its own name, ` +
        'or add this name to ALLOWED_HOSTS and restart the server.',
    },
  );
}

export function screensMissingPage(): Response {
  return messagePage(503, '画面のファイルがありません', [
    'サービスは動いていますが、画面のファイルが組み込まれていません。',
    'npm run build で作り直すか、npm run demo で起動してください。',
  ]);
}
