/** The first run in four steps: requirements and completion of each. Pure. */

import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { Card, Channel, DetectedDevice, Tuner } from '../../lib/wire/agent.ts';
import type { GuideStatus, ScanStatus } from '../../lib/wire/api.ts';
import type { ApiFailure } from '../query/api.ts';
import { gathered } from '../query/guide-status.ts';
import { adviceFor } from '../words/advice.ts';
import { cardWords } from '../words/card.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

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

export function setupSteps(facts: SetupFacts): Step[] {
  return [tunerStep(facts), cardStep(facts), scanStep(facts), guideStep(facts)];
}

export function isUsable(tuner: Tuner): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.state !== 'error';
}

/** Most sentences of the agent name the device themselves. */
function withName(name: string, sentence: string): string {
  return sentence.includes('/dev/') ? sentence : TEXTS.faultOf(name, sentence);
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
    const counts = BROADCAST_TYPES.map(
      (type) => [type, usable.filter(({ types }) => types.includes(type)).length] as const,
    )
      .filter(([, count]) => count > 0)
      .map(([type, count]) => TEXTS.pieces(TYPE_NAMES[type], count));
    return { ...step, state: 'done', text: TEXTS.usable(usable.length, counts.join('、')), lines };
  }
  if (lines.length > 0) return { ...step, state: 'problem', text: TEXTS.noneUsable, lines };
  return {
    ...step,
    state: 'now',
    text: TEXTS.noTuners,
    lines: [TEXTS.drivers],
  };
}

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
  const lines = next === undefined ? [] : [next, TEXTS.scanWithoutCard];
  return { ...step, state: 'problem', text, lines };
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
function listedCount({ guide, channels }: SetupFacts): number {
  const listed = guide?.stations.length ?? 0;
  return listed > 0 ? listed : stationCount(channels ?? []);
}

function scanStep(facts: SetupFacts): Step {
  const { scan, channels, tuners = [] } = facts;
  const step = { key: 'scan', title: TEXTS.scan, lines: [] } as const;
  if (scan?.state === 'running') {
    const found = scan.found.reduce((sum, { stations }) => sum + stations.length, 0);
    return {
      ...step,
      state: 'running',
      text: TEXTS.scanning(scan.total, scan.done, found),
    };
  }
  if (scan?.state === 'finished') {
    const lines = lacksPower(scan, tuners) ? [POWER_HINT] : [];
    return {
      ...step,
      state: 'done',
      text: TEXTS.found(stationCount(channels ?? scan.found)),
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
  const terrestrial = (channels ?? []).filter(({ type }) => type === 'GR');
  const needsTerrestrial = tuners.some((tuner) => isUsable(tuner) && tuner.types.includes('GR'));
  const known = stationCount(channels ?? []);
  // Satellite stations are there without a scan; those of the region are not.
  if (known > 0 && (stationCount(terrestrial) > 0 || !needsTerrestrial)) {
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
  if (known === total) return { ...step, state: 'done', text: TEXTS.guideDone(total) };
  return {
    ...step,
    state: 'running',
    text: TEXTS.guideRunning(total, known),
  };
}
