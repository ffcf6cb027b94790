/** Pages of the login: what went wrong and the next step. */
import { escapeHtml, htmlPage, ownerNote, pageFonts } from '../http/route/page.ts';
import type { Denial } from './openid.ts';

interface LoginPage {
  status: number;
  title: string;
  /** Plain text. */
  paragraphs: readonly string[];
  /** For the owner of the machine. */
  owner?: readonly string[];
  /** Address of the login: the next step, and where the page's fonts are. */
  login: string;
  /** Text of the link to the login. */
  next?: string;
  headers?: Record<string, string>;
}

function loginPage({
  status,
  title,
  paragraphs,
  owner = [],
  login,
  next,
  headers = {},
}: LoginPage): Response {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  const link =
    next === undefined ? '' : `<p><a class="button" href="${escapeHtml(login)}">${escapeHtml(next)}</a></p>`;
  const note = owner.length === 0 ? '' : ownerNote(owner);
  return htmlPage({
    status,
    title,
    body: [...texts, link, note].join('\n'),
    headers,
    fonts: pageFonts(login),
  });
}

const AT_HOME = '家庭内のネットワークからは、ログインしなくてもそのまま利用できます。';

export const LOGIN_PAGES = {
  notConfigured: (login: string) =>
    loginPage({
      status: 404,
      login,
      title: 'ログインは設定されていません',
      paragraphs: ['このサービスは、家のネットワークにある端末からだけ利用できます。'],
    }),
  tooMany: (retryAfter: string, again: string) =>
    loginPage({
      status: 429,
      title: 'ログインの回数が多すぎます',
      paragraphs: [`${retryAfter}秒ほど待ってから、もう一度お試しください。`],
      login: again,
      next: 'もう一度ログインする',
      headers: { 'retry-after': retryAfter },
    }),
  providerDown: (again: string, hasTrustedNetworks: boolean) =>
    loginPage({
      status: 503,
      title: 'ログインサービスに接続できません',
      paragraphs: [
        'ログインに使うサービスが応答しないか、正しく応答していません。少し待ってからもう一度お試しください。',
        ...(hasTrustedNetworks ? [AT_HOME] : []),
      ],
      login: again,
      next: 'もう一度ログインする',
    }),
  expired: (again: string) =>
    loginPage({
      status: 400,
      title: 'ログインをやり直してください',
      paragraphs: [
        'このログインは期限が切れたか、すでに使われたか、別のブラウザーで始められたものです。',
        'Cookie を拒否する設定になっているときは、許可してからお試しください。',
      ],
      login: again,
      next: 'もう一度ログインする',
    }),
  refused: (again: string) =>
    loginPage({
      status: 403,
      title: 'ログインは取り消されました',
      paragraphs: ['ログインサービスでの手続きが取り消されたか、許可されませんでした。'],
      login: again,
      next: 'もう一度ログインする',
    }),
  invalid: (again: string) =>
    loginPage({
      status: 403,
      title: 'ログインを確認できませんでした',
      paragraphs: ['ログインサービスの応答を確認できなかったため、ログインを中止しました。'],
      owner: [
        '続くときは、サーバーのログと OIDC_ISSUER、OIDC_CLIENT_ID、OIDC_CLIENT_SECRET の設定を確認してください。',
      ],
      login: again,
      next: 'もう一度ログインする',
    }),
  loggedOut: (login: string) =>
    loginPage({
      status: 200,
      title: 'ログアウトしました',
      paragraphs: ['このブラウザーからログアウトしました。ログインサービスでのログインは続いています。'],
      login,
      next: 'ログインする',
    }),
};

/** Why, for the owner of the machine. */
const DENIALS: Record<Denial, (group: string) => readonly string[]> = {
  not_member: (group) => [
    `このアカウントは、利用を許可されたグループまたはロール「${group}」に入っていません。`,
  ],
  no_groups: (group) => [
    'ログインサービスから、グループもロールも伝えられませんでした。',
    `「${group}」の確認には、ID トークンに groups または roles が必要です。ログインサービスのアプリケーションの設定を確認してください。`,
  ],
  too_many_groups: (group) => [
    'このアカウントのグループが多すぎるため、ログインサービスがグループの一覧を省きました。',
    `「${group}」をロールとして割り当てるか、このアプリケーションに割り当てたグループだけを ID トークンに含める設定にしてください。`,
  ],
};

/** @param name of the person @param again leads to the login with a choice of the account */
export function deniedPage(denial: Denial, group: string, name: string, again: string): Response {
  return loginPage({
    status: 403,
    title: '利用が許可されていません',
    paragraphs: [
      `${name} としてログインしましたが、このアカウントでは利用できません。`,
      'サーバーの管理者に、利用できるようにするよう頼んでください。',
    ],
    owner: DENIALS[denial](group),
    login: again,
    next: '別のアカウントでログインする',
  });
}
