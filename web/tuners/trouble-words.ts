/** Channels whose guide could not be read, grouped by cause, as text. Pure. */
import { latest } from '../../lib/arib/time.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import type { WallMs } from '../../lib/wire/times.ts';
import { GUIDE_TROUBLES } from '../../lib/wire/vocabulary.ts';
import { firstStation, TYPE_NAMES } from '../words/tuner.ts';

type Trouble = GuideStatus['troubles'][number];

export interface TroubleWords {
  readonly key: string;
  readonly tone: 'bad' | 'quiet';
  readonly title: string;
  /** The tuner agent's message. */
  readonly reason: string | undefined;
  /** Stations, as people know them. */
  readonly places: readonly string[];
  /** How often in a row at most. */
  readonly failures: number;
  /** Of the last try of any of them. */
  readonly at: WallMs | undefined;
  readonly next: string;
}

/** Worst first. */
const RANK: Readonly<Record<Trouble['kind'], number>> = { unreadable: 0, no_such_tuner: 1, no_tuner: 2 };
const KINDS = [...GUIDE_TROUBLES].sort((a, b) => RANK[a] - RANK[b]);

function said(
  kind: Trouble['kind'],
  type: Trouble['type'],
  count: number,
): Pick<TroubleWords, 'title' | 'next'> {
  const what = `${TYPE_NAMES[type]}の${count}チャンネル`;
  switch (kind) {
    case 'unreadable':
      return {
        title: `${what}を受信できませんでした`,
        next: 'アンテナの接続を確認してください。チャンネルが変わったときは、スキャンをやり直すと直ります。',
      };
    case 'no_such_tuner':
      return {
        title: `${what}を受信できるチューナーがありません`,
        next: 'チューナーをつなぐか、無効にしたチューナーを有効にしてください。受信しない放送なら、このままで構いません。',
      };
    case 'no_tuner':
      return {
        title: `${what}が空きチューナーを待っています`,
        next: '録画や視聴が終わりしだい、自動で取得します。',
      };
  }
}

export function troubleWords(
  troubles: GuideStatus['troubles'],
  channels: readonly Channel[],
): TroubleWords[] {
  const groups = new Map<string, Trouble[]>();
  for (const trouble of troubles) {
    const reason = trouble.kind === 'unreadable' ? trouble.reason : '';
    const key = `${trouble.kind} ${trouble.type} ${reason}`;
    groups.set(key, [...(groups.get(key) ?? []), trouble]);
  }
  const rank = ([first]: readonly Trouble[]): number => KINDS.indexOf(first?.kind ?? 'no_tuner');
  return [...groups]
    .sort(([, one], [, other]) => rank(one) - rank(other))
    .flatMap(([key, list]) => {
      const [first] = list;
      if (first === undefined) return [];
      const [aTry, ...otherTries] = list.flatMap(({ at }) => (at === null ? [] : [at]));
      return {
        key,
        tone: first.kind === 'no_tuner' ? 'quiet' : 'bad',
        ...said(first.kind, first.type, list.length),
        reason: first.kind === 'unreadable' ? (first.reason ?? undefined) : undefined,
        places: list.map(({ type, channel }) => {
          const name = firstStation(channels, type, channel);
          return name === undefined ? channel : `${name}（${channel}）`;
        }),
        failures: Math.max(...list.map(({ failures }) => failures)),
        at: aTry === undefined ? undefined : latest(aTry, ...otherTries),
      };
    });
}
