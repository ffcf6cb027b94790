/** The agent's state of the smart card and of key sharing as plain text. Pure. */
import { SECOND_MS } from '../../lib/arib/time.ts';
import type { Card } from '../../lib/wire/agent.ts';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import type { BadgeTone } from './recording.ts';

interface CardWords {
  readonly text: string;
  readonly tone: BadgeTone;
  readonly next: string | undefined;
}

export function cardWords({ state, failure }: Pick<Card, 'state' | 'failure'>): CardWords {
  if (failure !== null) {
    const words = KEY_FAILURE_WORDS[failure];
    return { text: words?.what ?? 'カードを使えません。', tone: 'bad', next: words?.next };
  }
  if (state === 'ready') return { text: 'カードを読み取れます', tone: 'good', next: undefined };
  if (state === 'shared')
    return { text: 'ほかのサーバーのカードを使っています', tone: 'good', next: undefined };
  return { text: 'まだ読み取っていません', tone: 'quiet', next: undefined };
}

/** How quickly the card answers; undefined before it was asked. */
export function answerTimeText({ ecm }: Pick<Card, 'ecm'>): string | undefined {
  if (ecm.medianMs === null) return undefined;
  const ms = Math.round(ecm.medianMs);
  return ms < SECOND_MS ? `${ms}ミリ秒` : `${(ms / SECOND_MS).toFixed(1)}秒`;
}

/** The agent whose card is used, and why it gives no keys. */
export function upstreamText({ url, reason }: NonNullable<Card['upstream']>): string {
  if (reason === null) return url;
  const words = KEY_FAILURE_WORDS[reason as keyof typeof KEY_FAILURE_WORDS];
  return `${url}（${(words?.what ?? '接続できません').replace(/。$/, '')}）`;
}

/** Why a peer gets no keys: the agent says it in the words of its log. */
export function refusalText(reason: string): string {
  if (reason.includes('outside CARD_SHARE_NETWORKS'))
    return '許可していないネットワークです（CARD_SHARE_NETWORKS）';
  if (reason.includes('cannot be measured')) return '往復時間を測れません（CARD_SHARE_MAX_RTT）';
  const rtt = /^round-trip time ([\d.]+) ms exceeds/.exec(reason)?.[1];
  return rtt === undefined
    ? '接続を断りました'
    : `往復時間 ${rtt} ミリ秒が上限を超えています（CARD_SHARE_MAX_RTT）`;
}
