/**
 * The equipment of a home, and its faults in the course of a year. Deterministic for a given source of
 * randomness.
 */
import { rankTuners } from '../../agent/tuner-settings.ts';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Random } from '../fuzz/random.ts';
import type { AirStation } from './broadcast-year.ts';
import { DAY, HOUR, type Home, MINUTE } from './plan-home.ts';

type Equipment = readonly (readonly BroadcastType[])[];

const GR: readonly BroadcastType[] = ['GR'];
const SATELLITE: readonly BroadcastType[] = ['BS', 'CS'];
const ANY: readonly BroadcastType[] = ['GR', 'BS', 'CS'];
const EQUIPMENT: readonly Equipment[] = [
  [GR],
  [GR, GR],
  [GR, GR, GR, GR],
  [GR, SATELLITE],
  [GR, GR, SATELLITE, SATELLITE],
  [ANY],
  [ANY, ANY],
  [ANY, ANY, ANY, ANY],
  [GR, SATELLITE, ANY],
  [ANY, GR, ['BS'], ['CS']],
  [['GR', 'BS'], SATELLITE, GR],
  [SATELLITE, SATELLITE],
];

export interface RankedTuner {
  readonly rank: number;
  readonly types: readonly BroadcastType[];
}

export function equipmentOf(random: Random): RankedTuner[] {
  const equipment = random.pick(EQUIPMENT);
  const ranks = rankTuners(equipment.map((types) => ({ types, disabled: false })));
  return equipment.map((types, index) => ({ types, rank: ranks[index] ?? 0 }));
}

/** Some share a physical channel, some are of a type that no tuner receives. */
export function stationsOf(home: Home, random: Random): AirStation[] {
  const stations: AirStation[] = [];
  for (const channel of ['T21', 'T22', 'T23', 'T24'].slice(0, 2 + random.below(3))) {
    const id = home.station(channel, 1024);
    const branch = home.station(channel, 1025);
    stations.push({ id, branch }, { id: branch, branch: null });
  }
  for (const channel of ['BS01_0', 'BS01_0', 'BS03_1', 'CS02'].slice(0, 1 + random.below(4)))
    stations.push({ id: home.station(channel), branch: null });
  return stations;
}

export type TroubleKind =
  /** The machine is off; its clock may be wrong when it is on again. */
  | 'off'
  /** The agent does not answer, and all streams end. */
  | 'agent'
  /** No guide data is received. */
  | 'guide'
  /** All recording folders are full. */
  | 'full'
  /** A tuner is in error. */
  | 'tuner';

export interface Trouble {
  readonly kind: TroubleKind;
  /** Epoch ms, whole minutes; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Index of the tuner in error. */
  readonly tuner: number;
  /** Error of the clock when the machine is on again, ms. */
  readonly clockError: number;
}

const KINDS: readonly TroubleKind[] = ['off', 'agent', 'guide', 'full', 'tuner', 'tuner'];
const LENGTHS = [2 * MINUTE, 5 * MINUTE, 40 * MINUTE, 3 * HOUR, 11 * HOUR, DAY, 2 * DAY, 4 * DAY];
/** A real-time clock in another time zone, one with an empty battery, one that was set by hand. */
const CLOCK_ERRORS = [0, 0, 9 * HOUR, -9 * HOUR, 10 * MINUTE, -3 * DAY, 40 * DAY, -20 * 365 * DAY];

/** Ordered by their beginnings; those of different kinds overlap sometimes. */
export function troublesOf(random: Random, from: number, days: number, tuners: number): Trouble[] {
  const troubles: Trouble[] = [];
  const minutes = (ms: number): number => Math.floor(ms / MINUTE) * MINUTE;
  // The first day has no faults, so that something is reserved before one occurs.
  for (let at = from + DAY; at < from + days * DAY; ) {
    const length = random.pick(LENGTHS);
    // Most end within a day.
    const lasts = length >= DAY && random.below(3) > 0 ? random.below(600) * MINUTE + MINUTE : length;
    troubles.push({
      kind: random.pick(KINDS),
      from: minutes(at),
      to: minutes(at + lasts),
      tuner: random.below(tuners),
      clockError: random.pick(CLOCK_ERRORS),
    });
    at +=
      random.below(5) === 0 ? random.below(lasts / MINUTE) * MINUTE : lasts + random.below(3 * 1440) * MINUTE;
  }
  return troubles;
}
