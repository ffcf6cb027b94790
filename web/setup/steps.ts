/** The first run in four steps: requirements and completion of each. Pure. */
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { Card, Channel, DetectedDevice, Tuner } from '../../lib/wire/agent.ts';
import type { GuideStatus, ScanStatus } from '../../lib/wire/api.ts';
import type { ApiFailure } from '../query/api.ts';
import { isUsable, needsScan } from '../query/first-scan.ts';
import { gathered } from '../query/guide-status.ts';
import { adviceFor } from '../words/advice.ts';
import { cardWords } from '../words/card.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

/** `now`: needs an action by the user; `later`: one that can wait; `running`: in progress without one. */
export type StepState = 'done' | 'now' | 'later' | 'running' | 'problem' | 'waiting';

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

export function setupSteps(facts: SetupFacts): Step[] {
  return [tunerStep(facts), cardStep(facts), scanStep(facts), guideStep(facts)];
}

/** Most sentences of the agent name the device themselves. */
function withName(name: string, sentence: string): string {
  return sentence.includes('/dev/') ? sentence : TEXTS.faultOf(name, sentence);
}

/** How many receive which bands: a tuner of several bands is counted once. */
function kindsOf(tuners: readonly Tuner[]): string {
  const counts = new Map<string, number>();
  for (const { types } of tuners) {
    const bands = BROADCAST_TYPES.filter((type) => types.includes(type));
    const name = bands.map((type) => TYPE_NAMES[type]).join(TEXTS.between);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [only] = counts.keys();
  if (counts.size === 1 && only !== undefined) return only;
  return [...counts].map(([name, count]) => TEXTS.pieces(name, count)).join('、');
}

function tunerStep({ tuners, devices = [], failure }: SetupFacts): Step {
  const step = { key: 'tuners', title: TEXTS.tuners, lines: [] } as const;
  if (failure !== undefined) {
    return { ...step, state: 'problem', text: failure.message, lines: [adviceFor(failure).next] };
  }
  if (tuners === undefined) return { ...step, state: 'waiting', text: TEXTS.tunersChecking };
  const problems = [
    ...devices.flatMap(({ device, problem }) =>
      problem === null || problem.code === 'no_system' ? [] : [withName(device, problem.message)],
    ),
    ...tuners.flatMap(({ name, state, error, disabled }) =>
      state === 'error' && error !== null && !disabled ? [withName(name, error)] : [],
    ),
  ];
  const lines = [...new Set(problems)];
  const usable = tuners.filter(isUsable);
  if (usable.length > 0) {
    return { ...step, state: 'done', text: TEXTS.usable(usable.length, kindsOf(usable)), lines };
  }
  if (lines.length > 0) return { ...step, state: 'problem', text: TEXTS.noneUsable, lines };
  return {
    ...step,
    state: 'now',
    text: TEXTS.noTuners,
    lines: [TEXTS.drivers],
  };
}

/** Without a card in the machine everything else of the first run works. */
const CARD_MISSING: ReadonlySet<Card['failure']> = new Set([
  'no_library',
  'no_daemon',
  'no_reader',
  'no_card',
]);

function cardStep({ card, failure, tuners }: SetupFacts): Step {
  const step = { key: 'card', title: TEXTS.card, lines: [] } as const;
  if (card === undefined) {
    const isChecked = failure === undefined && tuners !== undefined;
    return {
      ...step,
      state: 'waiting',
      text: isChecked ? TEXTS.cardChecking : TEXTS.cardLater,
    };
  }
  const { text, tone, next } = cardWords(card);
  if (tone === 'good') {
    return {
      ...step,
      state: 'done',
      text: TEXTS.cardReady(text, card.reader === null ? '' : TEXTS.reader(card.reader)),
    };
  }
  if (tone === 'quiet') return { ...step, state: 'now', text: TEXTS.insertCard };
  const lines = next === undefined ? [] : [next];
  if (!CARD_MISSING.has(card.failure)) return { ...step, state: 'problem', text, lines };
  return { ...step, state: 'later', text: TEXTS.cardMissing, lines: [`${text}${next ?? ''}`] };
}

function stationCount(channels: readonly Channel[]): number {
  return channels.reduce((sum, { stations }) => sum + stations.length, 0);
}

const POWER_HINT = TEXTS.noPower;

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

/** Stations of the service's list, which leaves out data and one-segment services of the channels; else of these. */
function listedCount({ guide, channels, scan }: SetupFacts): number {
  const listed = guide?.stations.length ?? 0;
  return listed > 0 ? listed : stationCount(channels ?? scan?.found ?? []);
}

function scanStep(facts: SetupFacts): Step {
  const { scan, channels, tuners = [] } = facts;
  const step = { key: 'scan', title: TEXTS.scan, lines: [] } as const;
  if (scan?.state === 'running') {
    const found = scan.found.reduce((sum, { stations }) => sum + stations.length, 0);
    return {
      ...step,
      state: 'running',
      text: TEXTS.scanning(found),
    };
  }
  if (scan?.state === 'finished') {
    const lines = lacksPower(scan, tuners) ? [POWER_HINT] : [];
    return {
      ...step,
      state: 'done',
      text: TEXTS.found(listedCount(facts)),
      lines,
    };
  }
  if (scan?.state === 'failed') {
    const lines = [TEXTS.checkAntenna];
    return {
      ...step,
      state: 'problem',
      text: scan.message ?? TEXTS.scanFailed,
      lines,
    };
  }
  const known = new Set(
    (channels ?? []).flatMap(({ type, stations }) => (stations.length > 0 ? [type] : [])),
  );
  if (!needsScan(tuners, known)) {
    return { ...step, state: 'done', text: TEXTS.receivable(listedCount(facts)) };
  }
  if (!tuners.some(isUsable)) return { ...step, state: 'waiting', text: TEXTS.scanNeedsTuner };
  return {
    ...step,
    state: 'now',
    text: TEXTS.scanNote,
  };
}

function guideStep(facts: SetupFacts): Step {
  const { guide } = facts;
  const step = { key: 'guide', title: TEXTS.guide, lines: [] } as const;
  const { known, total } = guide === undefined ? { known: 0, total: 0 } : gathered(guide.stations);
  if (total === 0 || scanStep(facts).state !== 'done') {
    return { ...step, state: 'waiting', text: TEXTS.guideNeedsStations };
  }
  if (known === total) return { ...step, state: 'done', text: TEXTS.guideDone };
  return {
    ...step,
    state: 'running',
    text: TEXTS.guideRunning(total - known),
  };
}
