/** Pages of the server for clients without access, or without a working UI. */
import { escapeHtml, htmlPage, PAGE_FONTS } from '../route/page.ts';

/** @param paragraphs plain text. */
function messagePage(
  status: number,
  title: string,
  paragraphs: readonly string[],
  { headers = {}, fonts }: { headers?: Record<string, string>; fonts?: string } = {},
): Response {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  return htmlPage({ status, title, body: texts.join('\n'), headers, fonts });
}

/**
 * @param address the client's decided address, so that it can be put into the configuration
 * @param prefix of a front proxy, without a final slash
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

/** @param host as the browser sent it */
export function foreignHostPage(host: string): Response {
  return messagePage(421, 'このアドレスでは利用できません', [
    `「${host}」は、このサーバーの名前として設定されていません。`,
    'この名前で利用するには、サーバーの環境変数 ALLOWED_HOSTS に加えて再起動してください。' +
      'IP アドレスか、サーバー自身の名前ならそのまま利用できます。',
  ]);
}

export function screensMissingPage(): Response {
  return messagePage(503, '画面のファイルがありません', [
    'サービスは動いていますが、画面のファイルが組み込まれていません。',
    'npm run build で作り直すか、npm run demo で起動してください。',
  ]);
}
