import { describe, expect, test } from 'bun:test';
import { type BroadcastType, networkId, type StationId, serviceId, stationId } from '../../arib/ids.ts';
import type { Tuner } from '../../wire/agent.ts';
import type { StationRecord } from '../model/station.ts';
import {
  coverage,
  LEAD_MS,
  MAX_RETRY_MS,
  NO_TUNER_RETRY_MS,
  notBefore,
  type PlanInput,
  planVisits,
  RETRY_MS,
} from './plan.ts';

const NOW = 1_800_000_000_000;

function station(type: BroadcastType, channel: string, service: number, network = 0x7fe8): StationRecord {
  return {
    id: stationId(networkId(network), serviceId(service)),
    type,
    networkId: networkId(network),
    serviceId: serviceId(service),
    transportStreamId: null,
    channel,
    name: '',
    serviceType: 1,
    remoteControlKey: 1,
  };
}

function tuner(types: BroadcastType[], over: Partial<Tuner> = {}): Tuner {
  return {
    id: 't',
    name: '',
    driver: 'fake',
    device: '',
    types,
    disabled: false,
    lnb: false,
    rank: 0,
    state: 'idle',
    tuned: null,
    users: [],
    signal: null,
    stats: null,
    descrambled: true,
    error: null,
    ...over,
  };
}

const LIVE = { use: 'live GR/T27', priority: 9, lagBytes: 0 };
const T27 = [station('GR', 'T27', 1024), station('GR', 'T27', 1025)];
const T26 = [station('GR', 'T26', 2048, 0x7fe9)];
const BS = [
  station('BS', 'BS01_0', 151, 4),
  station('BS', 'BS01_1', 161, 4),
  station('BS', 'BS03_0', 181, 4),
];

function input(over: Partial<PlanInput>): PlanInput {
  return {
    stations: [...T27, ...T26, ...BS],
    covered: new Map(),
    history: new Map(),
    active: new Set(),
    tuners: [tuner(['GR']), tuner(['GR']), tuner(['BS', 'CS']), tuner(['BS', 'CS'])],
    now: NOW,
    ...over,
  };
}

function channels(over: Partial<PlanInput>): string[] {
  return planVisits(input(over)).visits.map((visit) => visit.channel);
}

function covered(stations: StationRecord[], until: number): Map<StationId, number> {
  return new Map(stations.map((row) => [row.id, until]));
}

describe('coverage', () => {
  const id = T27[0]?.id as StationId;
  const span = (startAt: number, endAt: number) => ({ stationId: id, startAt, endAt });

  test('follows programmes that join', () => {
    expect(coverage([span(0, 10), span(10, 20), span(20, 30)], 5).get(id)).toBe(30);
  });
  test('stops at a gap', () => {
    expect(coverage([span(0, 10), span(11, 20)], 5).get(id)).toBe(10);
  });
  test('nothing on the air now is no coverage', () => {
    expect(coverage([span(0, 5), span(6, 20)], 5).has(id)).toBe(false);
  });
});

describe('planVisits', () => {
  test('one visit a type at a time, most blank stations first', () => {
    expect(channels({})).toEqual(['T27', 'BS01_0']);
    expect(channels({ active: new Set(['GR/T27']) })).toEqual(['BS01_0']);
    expect(channels({ active: new Set(['GR/T27', 'BS/BS01_0']) })).toEqual([]);
  });

  test('a satellite visit welcomes the whole network, a terrestrial one only its own', () => {
    const { visits } = planVisits(input({}));
    expect(visits.map((visit) => [visit.own.length, visit.others.length])).toEqual([
      [2, 0],
      [1, 2],
    ]);
  });

  test('stations whose programmes are known are left alone until shortly before they run out', () => {
    const until = NOW + LEAD_MS + 5000;
    const plan = planVisits(input({ covered: covered([...T27, ...T26, ...BS], until) }));
    expect(plan).toEqual({ visits: [], wakeAt: NOW + 5000 });
    expect(channels({ covered: covered([...T27, ...T26, ...BS], NOW + LEAD_MS) })).toHaveLength(2);
  });

  test('one blank station makes its channel due', () => {
    const known = covered([...T27, ...T26, ...BS], NOW + 3_600_000);
    known.delete(T26[0]?.id as StationId);
    expect(channels({ covered: known })).toEqual(['T26']);
  });

  test('visits of a channel keep a distance that doubles while they are fruitless', () => {
    expect(notBefore(undefined, NOW)).toBe(0);
    expect(notBefore({ at: 0, fruitless: 0, noTuner: false }, NOW)).toBe(RETRY_MS);
    expect(notBefore({ at: 0, fruitless: 3, noTuner: false }, NOW)).toBe(RETRY_MS * 4);
    expect(notBefore({ at: 0, fruitless: 99, noTuner: false }, NOW)).toBe(MAX_RETRY_MS);
    expect(notBefore({ at: 0, fruitless: 99, noTuner: true }, NOW)).toBe(NO_TUNER_RETRY_MS);
    const history = new Map([['GR/T27', { at: NOW - 1000, fruitless: 0, noTuner: false }]]);
    expect(channels({ history })).toEqual(['T26', 'BS01_0']);
  });

  test('a clock that was set back stops no visits', () => {
    const tomorrow = { at: NOW + 86_400_000, fruitless: 3, noTuner: false };
    expect(channels({ history: new Map([['GR/T27', tomorrow]]) })).toEqual(['T27', 'BS01_0']);
  });

  test('only idle tuners are used, each once', () => {
    expect(channels({ tuners: [] })).toEqual([]);
    expect(channels({ tuners: [tuner(['GR', 'BS'])] })).toEqual(['T27']);
    expect(channels({ tuners: [tuner(['GR'], { users: [LIVE], state: 'tuned' })] })).toEqual([]);
    expect(channels({ tuners: [tuner(['GR'], { disabled: true })] })).toEqual([]);
    expect(channels({ tuners: [tuner(['GR'], { state: 'error' })] })).toEqual([]);
    expect(channels({ tuners: [tuner(['GR'], { state: 'lingering' })] })).toEqual(['T27']);
    expect(planVisits(input({ tuners: [] })).wakeAt).toBe(NOW + NO_TUNER_RETRY_MS);
  });

  test('a channel that someone watches costs no tuner', () => {
    const watched = tuner(['GR'], {
      users: [LIVE],
      state: 'tuned',
      tuned: { type: 'GR', channel: 'T26' },
    });
    expect(channels({ tuners: [watched] })).toEqual(['T26']);
  });

  test('without stations there is nothing to wake up for', () => {
    expect(planVisits(input({ stations: [] }))).toEqual({ visits: [], wakeAt: null });
  });
});
