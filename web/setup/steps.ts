/** The first run in four steps: requirements and completion of each. Pure. */

import type { Card, Channel, DetectedDevice, Tuner } from '../../wire/agent.ts';
import type { GuideStatus, ScanStatus } from '../../wire/api.ts';
import type { ApiFailure } from '../query/api.ts';
import { gathered } from '../query/guide-status.ts';
import { plainReason } from '../query/plain-reason.ts';
import { adviceFor } from '../words/advice.ts';
import { cardWords } from '../words/card.ts';
import { TYPE_NAMES } from '../words/tuner.ts';

/** `now`: needs an action by the user; `running`: in progress without one. */
export type StepState = 'done' | 'now' | 'running' | 'problem' | 'waiting';

export interface Step {
  readonly key: 'tuners' | 'card' | 'scan' | 'guide';
  readonly title: string;
  readonly state: StepState;
  readonly text: string;
  /** Further lines, such as the faults of each device. */
  readonly lines: readonly string[];
}

/** Undefined: not read yet, or it failed. */
export interface SetupFacts {
  readonly tuners: readonly Tuner[] | undefined;
  readonly devices: readonly DetectedDevice[] | undefined;
  readonly card: Card | undefined;
  readonly channels: readonly Channel[] | undefined;
  readonly scan: ScanStatus | undefined;
  readonly guide: GuideStatus | undefined;
  /** Why the agent's tuners cannot be read. */
  readonly failure: ApiFailure | undefined;
}

const TYPES = ['GR', 'BS', 'CS'] as const;

export function setupSteps(facts: SetupFacts): Step[] {
  return [tunerStep(facts), cardStep(facts), scanStep(facts), guideStep(facts)];
}

export function isUsable(tuner: Tuner): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.state !== 'error';
}

/** Most sentences of the agent name the device themselves. */
function withName(name: string, sentence: string): string {
  return sentence.includes('/dev/') ? sentence : `${name}：${sentence}`;
}

function tunerStep({ tuners, devices = [], failure }: SetupFacts): Step {
  const step = { key: 'tuners', title: 'チューナー', lines: [] } as const;
  if (failure !== undefined) {
    return { ...step, state: 'problem', text: failure.message, lines: [adviceFor(failure).next] };
  }
  if (tuners === undefined) return { ...step, state: 'waiting', text: 'チューナーを確かめています。' };
  const problems = [
    ...devices.flatMap(({ device, problem }) =>
      problem === null || problem.code === 'no_system'
        ? []
        : [withName(device, plainReason(problem.message, '使えません'))],
    ),
    ...tuners.flatMap(({ name, state, error, disabled }) =>
      state === 'error' && error !== null && !disabled
        ? [withName(name, plainReason(error, '使えません'))]
        : [],
    ),
  ];
  const lines = [...new Set(problems)];
  const usable = tuners.filter(isUsable);
  if (usable.length > 0) {
    const counts = TYPES.map(
      (type) => [type, usable.filter(({ types }) => types.includes(type)).length] as const,
    )
      .filter(([, count]) => count > 0)
      .map(([type, count]) => `${TYPE_NAMES[type]} ${count}台`);
    return { ...step, state: 'done', text: `${usable.length}台使えます（${counts.join('、')}）。`, lines };
  }
  if (lines.length > 0)
    return { ...step, state: 'problem', text: '見つかったチューナーを使えません。', lines };
  return {
    ...step,
    state: 'now',
    text: 'チューナーをサーバーにつないでください。つなぐと数秒で見つかります。',
    lines: [
      'PX-W3U4 などの PLEX 製は px4_drv というドライバーが必要です。PT3 や Linux が標準で対応する機器は、つなぐだけで使えます。',
    ],
  };
}

function cardStep({ card, failure, tuners }: SetupFacts): Step {
  const step = { key: 'card', title: 'カード', lines: [] } as const;
  if (card === undefined) {
    const isChecked = failure === undefined && tuners !== undefined;
    return {
      ...step,
      state: 'waiting',
      text: isChecked ? 'カードを確かめています。' : 'チューナーの次に確かめます。',
    };
  }
  const { text, tone, next } = cardWords(card);
  if (tone === 'good') {
    return { ...step, state: 'done', text: `${text}${card.reader === null ? '' : `（${card.reader}）`}。` };
  }
  if (tone === 'quiet')
    return { ...step, state: 'now', text: 'B-CAS カードをカードリーダーに差し込んでください。' };
  const lines = next === undefined ? [] : [next, 'チャンネルスキャンはカードがなくても進められます。'];
  return { ...step, state: 'problem', text, lines };
}

function stationCount(channels: readonly Channel[]): number {
  return channels.reduce((sum, { stations }) => sum + stations.length, 0);
}

const POWER_HINT =
  'BS・CSの局は見つかりませんでした。ブースターやほかの機器がアンテナに給電していないときは、「チューナーの詳しい設定」の「名前と順番」で「アンテナに給電」を1台だけオンにして、スキャンし直してください。';

/** No satellite was received, and no tuner feeds the dish: off by default, since two supplies damage each other. */
function lacksPower(scan: ScanStatus, tuners: readonly Tuner[]): boolean {
  const wasAsked = scan.types.some((type) => type !== 'GR');
  const hasFound = scan.found.some(({ type, stations }) => type !== 'GR' && stations.length > 0);
  const satellite = tuners.filter((tuner) => isUsable(tuner) && tuner.types.some((type) => type !== 'GR'));
  return (
    wasAsked &&
    !hasFound &&
    satellite.some(({ driver }) => driver !== 'fake') &&
    !satellite.some(({ lnb }) => lnb)
  );
}

function scanStep({ scan, channels, tuners = [] }: SetupFacts): Step {
  const step = { key: 'scan', title: 'チャンネルスキャン', lines: [] } as const;
  if (scan?.state === 'running') {
    const found = scan.found.reduce((sum, { stations }) => sum + stations.length, 0);
    return {
      ...step,
      state: 'running',
      text: `受信できる局を探しています。${scan.total}チャンネルのうち${scan.done}を確認、${found}局が見つかりました。`,
    };
  }
  if (scan?.state === 'finished') {
    const lines = lacksPower(scan, tuners) ? [POWER_HINT] : [];
    return {
      ...step,
      state: 'done',
      text: `${stationCount(channels ?? scan.found)}局が見つかりました。`,
      lines,
    };
  }
  if (scan?.state === 'failed') {
    const lines = ['アンテナの接続を確かめてから、もう一度お試しください。'];
    return {
      ...step,
      state: 'problem',
      text: plainReason(scan.message ?? 'スキャンできませんでした。', 'スキャンできませんでした'),
      lines,
    };
  }
  const terrestrial = (channels ?? []).filter(({ type }) => type === 'GR');
  const needsTerrestrial = tuners.some((tuner) => isUsable(tuner) && tuner.types.includes('GR'));
  const known = stationCount(channels ?? []);
  // Satellite stations are there without a scan; those of the region are not.
  if (known > 0 && (stationCount(terrestrial) > 0 || !needsTerrestrial)) {
    return { ...step, state: 'done', text: `${known}局を受信できます。` };
  }
  if (!tuners.some(isUsable))
    return { ...step, state: 'waiting', text: 'チューナーが使えるようになると始められます。' };
  return {
    ...step,
    state: 'now',
    text: '受信できる局を探します。地デジで数分、BS・CSで十数分かかります。',
  };
}

function guideStep({ guide, ...facts }: SetupFacts): Step {
  const step = { key: 'guide', title: '番組表', lines: [] } as const;
  const { known, total } = guide === undefined ? { known: 0, total: 0 } : gathered(guide.stations);
  if (total === 0 || scanStep({ guide, ...facts }).state !== 'done') {
    return { ...step, state: 'waiting', text: '局が見つかると、放送から自動で集め始めます。' };
  }
  if (known === total) return { ...step, state: 'done', text: `${total}局すべての番組表が届きました。` };
  return {
    ...step,
    state: 'running',
    text: `放送から集めています。${total}局中 ${known}局に番組表が届きました。届いた局から見られます。`,
  };
}
