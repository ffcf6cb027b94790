import { describe, expect, test } from 'bun:test';
import { type BroadcastType, networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { tunerOf } from '../../test/tuner.ts';
import type { StationRecord } from '../model/station.ts';
import type { StationCoverage } from '../store/guide-coverage.ts';
import { airingUntil } from './guide-collector.ts';
import {
  LEAD_MS,
  MAX_RETRY_MS,
  NO_HISTORY,
  NO_TUNER_RETRY_MS,
  notBefore,
  planVisits,
  RETRY_MS,
  type VisitHistory,
  type VisitPlan,
  type VisitPlanInput,
} from './visit-plan.ts';

const NOW = wallMs(1_800_000_000_000);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIMITS = { minCoverageMs: 3 * DAY, intervalMs: 6 * HOUR, retryMs: 2 * HOUR };

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

function used(types: BroadcastType[], channel: string, use: string, priority: number): Tuner {
  const [type = 'GR'] = types;
  return tunerOf(types, {
    state: 'tuned',
    tuned: { type, channel },
    users: [{ use, priority, lagBytes: 0 }],
  });
}

const T27 = [station('GR', 'T27', 1024), station('GR', 'T27', 1025)];
const T26 = [station('GR', 'T26', 2048, 0x7fe9)];
const BS = [
  station('BS', 'BS01_0', 151, 4),
  station('BS', 'BS01_1', 161, 4),
  station('BS', 'BS01_1', 162, 4),
  station('BS', 'BS03_0', 181, 4),
];
const CS = [station('CS', 'CS02', 51, 6), station('CS', 'CS08', 52, 6), station('CS', 'CS04', 53, 7)];
const ALL = [...T27, ...T26, ...BS, ...CS];

type Coverages = Map<StationId, StationCoverage>;

/** Coverage of these stations' guides. */
function coverage(stations: StationRecord[], over: Partial<StationCoverage> = {}): Coverages {
  const row = {
    readAt: wallMs(NOW - HOUR),
    filledUntil: broadcastMs(NOW + 8 * DAY),
    hasGuide: true,
    ...over,
  };
  return new Map(stations.map(({ id }) => [id, row]));
}

function history(key: string, over: Partial<VisitHistory>): Map<string, VisitHistory> {
  return new Map([[key, { ...NO_HISTORY, ...over }]]);
}

function input(over: Partial<VisitPlanInput>): VisitPlanInput {
  return {
    stations: ALL,
    coverage: new Map(),
    airing: new Map(ALL.map(({ id }) => [id, NOW + HOUR])),
    history: new Map(),
    active: new Set(),
    looking: new Set(),
    open: new Set(),
    tuners: [tunerOf(['GR']), tunerOf(['GR']), tunerOf(['BS', 'CS']), tunerOf(['BS', 'CS'])],
    selectedAt: NOW,
    staleBefore: wallMs(0),
    pressedAt: null,
    enabled: true,
    limits: LIMITS,
    now: NOW,
    ...over,
  };
}

function visits(over: Partial<VisitPlanInput>, kind: VisitPlan['kind'] = 'guide'): string[] {
  return planVisits(input(over))
    .visits.filter((visit) => visit.kind === kind)
    .map((visit) => visit.channel);
}

describe('airingUntil', () => {
  const id = T27[0]?.id as StationId;
  const span = (startAt: number, endAt: number) => ({
    stationId: id,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(endAt),
  });

  test('follows contiguous programmes', () => {
    expect(airingUntil([span(0, 10), span(10, 20), span(20, 30)], wallMs(5)).get(id)).toBe(30);
  });
  test('stops at a gap', () => {
    expect(airingUntil([span(0, 10), span(11, 20)], wallMs(5)).get(id)).toBe(10);
  });
  test('without a programme on the air there is no coverage', () => {
    expect(airingUntil([span(0, 5), span(6, 20)], wallMs(5)).has(id)).toBe(false);
  });
});

describe('a guide is collected', () => {
  test('when it covers less than three days', () => {
    const known = coverage(ALL, { readAt: wallMs(NOW - 3 * HOUR) });
    expect(visits({ coverage: known })).toEqual([]);
    for (const { id } of T26)
      known.set(id, {
        readAt: wallMs(NOW - 3 * HOUR),
        filledUntil: broadcastMs(NOW + 2 * DAY),
        hasGuide: true,
      });
    expect(visits({ coverage: known })).toEqual(['T26']);
  });

  test('when it was read more than six hours ago', () => {
    const known = coverage(ALL);
    for (const [id, row] of coverage(T27, { readAt: wallMs(NOW - 6 * HOUR) })) known.set(id, row);
    expect(visits({ coverage: known })).toEqual(['T27']);
  });

  test('the one with the least coverage first', () => {
    expect(visits({ tuners: [tunerOf(['GR'])] })).toEqual(['T27']);
    const known = coverage(T27, { readAt: wallMs(NOW - 7 * HOUR) });
    expect(visits({ tuners: [tunerOf(['GR'])], coverage: known })).toEqual(['T26']);
  });

  test('not again within two hours, however little it covers', () => {
    const thin = { filledUntil: broadcastMs(NOW + HOUR) };
    expect(visits({ coverage: coverage(ALL, { ...thin, readAt: wallMs(NOW - 2 * HOUR + 1) }) })).toEqual([]);
    expect(
      visits({ coverage: coverage(T27, { ...thin, readAt: wallMs(NOW - 2 * HOUR) }), stations: T27 }),
    ).toEqual(['T27']);
    expect(visits({ stations: T26, history: history('GR/T26', { readAt: wallMs(NOW - HOUR) }) })).toEqual([]);
  });

  test('only as selected: coverage lost since then waits for the next selection', () => {
    const known = coverage(ALL, { readAt: wallMs(NOW - 5 * HOUR), filledUntil: broadcastMs(NOW + 3 * DAY) });
    expect(visits({ coverage: known, selectedAt: NOW })).toEqual([]);
    const later = { coverage: known, stations: T27, now: wallMs(NOW + 20 * MINUTE) };
    expect(visits({ ...later, selectedAt: NOW })).toEqual([]);
    expect(visits({ ...later, selectedAt: wallMs(NOW + 20 * MINUTE) })).toEqual(['T27']);
  });

  test('again at once where stations were replaced', () => {
    expect(visits({ coverage: coverage(ALL), staleBefore: wallMs(NOW - 1), stations: T27 })).toEqual(['T27']);
    expect(visits({ coverage: coverage(ALL, { readAt: NOW }), staleBefore: wallMs(NOW - 1) })).toEqual([]);
  });

  test('a station without a guide does not count as poorly covered', () => {
    const without = { filledUntil: null, hasGuide: false, readAt: wallMs(NOW - 3 * HOUR) };
    expect(visits({ stations: T26, coverage: coverage(T26, without) })).toEqual([]);
    expect(
      visits({ stations: T26, coverage: coverage(T26, { ...without, readAt: wallMs(NOW - 7 * HOUR) }) }),
    ).toEqual(['T26']);
  });

  test("not while the setting is off, except by 'collect now'", () => {
    expect(planVisits(input({ enabled: false, airing: new Map() })).visits).toEqual([]);
    expect(visits({ enabled: false, pressedAt: wallMs(NOW - 1), stations: T26 })).toEqual(['T26']);
  });

  test('a clock that is set back does not stop collection', () => {
    expect(visits({ stations: T26, coverage: coverage(T26, { readAt: wallMs(NOW + DAY) }) })).toEqual([
      'T26',
    ]);
  });
});

describe('satellites', () => {
  const known = (own: StationRecord[]) => coverage([...T27, ...T26, ...own]);

  test('a BS network without programmes is read from one stream first, for all of its stations', () => {
    const { visits: planned } = planVisits(input({ coverage: known(CS) }));
    expect(planned.map(({ channel }) => channel)).toEqual(['BS01_1']);
    const depths = planned[0]?.wanted.map(({ id, depth }) => [Number(id) % 1000, depth]);
    expect(depths).toEqual([
      [161, 'full'],
      [162, 'full'],
      [151, 'basic'],
      [181, 'basic'],
    ]);
    expect(visits({ coverage: known(CS), active: new Set(['BS/BS01_1']) })).toEqual([]);
  });

  test('then each stream for its own stations, one per tuner', () => {
    const first = known([...CS, ...BS.slice(1, 3)]);
    for (const { id } of BS)
      if (!first.has(id))
        first.set(id, { readAt: null, filledUntil: broadcastMs(NOW + 8 * DAY), hasGuide: true });
    expect(visits({ coverage: first })).toEqual(['BS01_0', 'BS03_0']);
    const one = [tunerOf(['BS', 'CS'])];
    expect(visits({ coverage: first, tuners: one })).toEqual(['BS01_0']);
  });

  test('a CS network is read from one stream, in rotation', () => {
    const { visits: planned } = planVisits(input({ coverage: known(BS) }));
    expect(planned.map(({ channel }) => channel)).toEqual(['CS02', 'CS04']);
    expect(planned[0]?.wanted.map(({ depth }) => depth)).toEqual(['full', 'full']);
    const again = { coverage: known(BS), history: history('CS/CS02', { readAt: wallMs(NOW - 3 * HOUR) }) };
    expect(visits(again)).toEqual(['CS08', 'CS04']);
    const read = coverage(ALL, { readAt: wallMs(NOW - HOUR) });
    read.set(CS[1]?.id as StationId, { readAt: wallMs(NOW - HOUR), filledUntil: null, hasGuide: true });
    expect(visits({ coverage: read })).toEqual([]);
  });

  test('a stream that is already open is preferred', () => {
    const watched = [used(['CS'], 'CS08', 'live CS/CS08', 9)];
    expect(visits({ coverage: known(BS), tuners: watched })).toEqual(['CS08']);
  });
});

describe('tuners', () => {
  const GR = { stations: [...T27, ...T26] };

  test('only unused ones, each once', () => {
    expect(visits({ ...GR, tuners: [] })).toEqual([]);
    expect(visits({ ...GR, tuners: [tunerOf(['GR', 'BS'])] })).toEqual(['T27']);
    expect(visits({ ...GR, tuners: [used(['GR'], 'T25', 'live GR/T25', 9)] })).toEqual([]);
    expect(visits({ ...GR, tuners: [tunerOf(['GR'], { disabled: true })] })).toEqual([]);
    expect(visits({ ...GR, tuners: [tunerOf(['GR'], { state: 'tuning' })] })).toEqual([]);
    expect(visits({ ...GR, tuners: [tunerOf(['GR'], { state: 'lingering' })] })).toEqual(['T27']);
    expect(planVisits(input({ ...GR, tuners: [] })).wakeAt).toBe(wallMs(NOW + NO_TUNER_RETRY_MS));
  });

  test('or those whose users have a lower priority, except other visits', () => {
    expect(visits({ ...GR, tuners: [used(['GR'], 'T25', 'logo GR/T25', 1)] })).toEqual(['T27']);
    expect(visits({ ...GR, tuners: [used(['GR'], 'T25', 'scan T25', 5)] })).toEqual([]);
    expect(
      visits({ ...GR, tuners: [used(['GR'], 'T25', 'scan T25', 5)], pressedAt: wallMs(NOW - 1) }),
    ).toEqual(['T27']);
    expect(
      visits({ ...GR, tuners: [used(['GR'], 'T25', 'epg T25', 3)], pressedAt: wallMs(NOW - 1) }),
    ).toEqual([]);
  });

  test('an unusable one is tried when there is no other, as it may work again', () => {
    expect(visits({ ...GR, tuners: [tunerOf(['GR'], { state: 'error', error: 'no device' })] })).toEqual([
      'T27',
    ]);
    const one = [tunerOf(['GR'], { state: 'error' }), tunerOf(['GR'], { id: 'u' })];
    expect(visits({ ...GR, tuners: one })).toEqual(['T27', 'T26']);
  });

  test('a channel that is being watched needs no tuner and comes first', () => {
    expect(visits({ ...GR, tuners: [used(['GR'], 'T26', 'live GR/T26', 9)] })).toEqual(['T26']);
  });

  test("a channel whose tables are already being read is not visited, except by 'collect now'", () => {
    const open = { ...GR, open: new Set(['GR/T27', 'GR/T26']), airing: new Map() };
    expect(planVisits(input(open)).visits).toEqual([]);
    expect(visits({ ...open, pressedAt: wallMs(NOW - 1) })).toEqual(['T27', 'T26']);
  });

  test('a visit that the tuner list does not show yet occupies its tuner', () => {
    expect(visits({ ...GR, tuners: [tunerOf(['GR'])], active: new Set(['GR/T27']) })).toEqual([]);
  });

  test("terrestrial channels leave tuners free for others, except by 'collect now'", () => {
    const many = [1, 2, 3, 4].map((number) => station('GR', `T2${number}`, number * 1024, 0x7f00 + number));
    const tuners = [1, 2, 3, 4].map(() => tunerOf(['GR']));
    const airing = new Map(many.map(({ id }) => [id, NOW + HOUR]));
    expect(visits({ stations: many, tuners, airing })).toHaveLength(3);
    expect(visits({ stations: many, tuners: tuners.slice(1), airing })).toHaveLength(2);
    expect(visits({ stations: many, tuners: tuners.slice(2), airing })).toHaveLength(2);
    expect(visits({ stations: many, tuners, airing, pressedAt: wallMs(NOW - 1) })).toHaveLength(4);
  });
});

describe("'collect now'", () => {
  test('reads every channel once, at a higher priority', () => {
    const fresh = coverage(ALL, { readAt: wallMs(NOW - MINUTE) });
    const plan = planVisits(
      input({ coverage: fresh, pressedAt: wallMs(NOW - 1), stations: [...T27, ...T26] }),
    );
    expect(plan.visits.map(({ channel, priority }) => [channel, priority])).toEqual([
      ['T27', 8],
      ['T26', 8],
    ]);
    expect(plan.selected).toEqual(['GR/T27', 'GR/T26']);
    const after = coverage(ALL, { readAt: NOW });
    expect(planVisits(input({ coverage: after, pressedAt: wallMs(NOW - 1) })).selected).toEqual([]);
  });
});

describe('a short visit for current programmes', () => {
  const BLANK = { airing: new Map<StationId, number>() };

  test('is made where the present programme is unknown, one per type at a time, the channel with most unknown stations first', () => {
    expect(visits(BLANK, 'look')).toEqual(['T27', 'BS01_1', 'CS02']);
    // A guide that is being read for minutes does not delay short visits of the other channels.
    const beside = { ...BLANK, active: new Set(['GR/T27']) };
    expect(
      visits({ ...beside, tuners: [used(['GR'], 'T27', 'epg T27', 3), tunerOf(['GR'])] }, 'look'),
    ).toEqual(['T26']);
    expect(visits({ ...BLANK, looking: new Set(['GR/T25']) }, 'look')).toEqual(['BS01_1', 'CS02']);
  });

  test('covers the stations of a whole satellite network', () => {
    const { visits: planned } = planVisits(input({ ...BLANK, stations: BS }));
    const [look] = planned;
    expect(look?.wanted.map(({ optional }) => optional)).toEqual([false, false, true, true]);
    expect(look?.wanted.every(({ depth }) => depth === 'present')).toBe(true);
  });

  test('is due shortly before the known coverage ends, and only where no schedule is known', () => {
    const stations = T26;
    const airing = new Map([[T26[0]?.id as StationId, NOW + LEAD_MS + 5000]]);
    const off = { stations, airing, history: history('GR/T26', { readAt: wallMs(NOW - MINUTE) }) };
    expect(planVisits(input(off))).toEqual({
      visits: [],
      wakeAt: wallMs(NOW + 5000),
      selected: [],
      unreachable: [],
    });
    expect(visits({ ...off, now: wallMs(NOW + 5000) }, 'look')).toEqual(['T26']);
    expect(visits({ ...off, now: wallMs(NOW + 5000), coverage: coverage(T26) }, 'look')).toEqual([]);
  });

  test('that found nothing is repeated with growing intervals', () => {
    expect(notBefore(NO_HISTORY, NOW)).toBe(wallMs(0));
    const failed = (failures: number, noTuner = false) => ({
      ...NO_HISTORY,
      failedAt: wallMs(1),
      failures,
      noTuner,
    });
    expect(notBefore(failed(1), NOW)).toBe(wallMs(1 + RETRY_MS));
    expect(notBefore(failed(3), NOW)).toBe(wallMs(1 + RETRY_MS * 4));
    expect(notBefore(failed(99), NOW)).toBe(wallMs(1 + MAX_RETRY_MS));
    expect(notBefore(failed(99, true), NOW)).toBe(wallMs(1 + NO_TUNER_RETRY_MS));
    expect(notBefore({ ...failed(3), failedAt: wallMs(NOW + DAY) }, NOW)).toBe(wallMs(0));
    const blank = { ...BLANK, stations: T26 };
    const looked = history('GR/T26', { readAt: NOW, lookedAt: NOW, fruitless: 3 });
    expect(planVisits(input({ ...blank, history: looked })).wakeAt).toBe(wallMs(NOW + RETRY_MS * 4));
  });
});

test('channels of a type that no tuner receives are distinguished from those that wait for one', () => {
  const tuners = [used(['GR'], 'T25', 'rec 1', 10), { ...tunerOf(['BS', 'CS']), disabled: true }];
  const { visits, unreachable } = planVisits(input({ tuners, airing: new Map() }));
  expect(visits).toEqual([]);
  expect(new Set(unreachable.map((key) => key.slice(0, 2)))).toEqual(new Set(['BS', 'CS']));
});

test('without stations there is no next wake-up', () => {
  expect(planVisits(input({ stations: [] }))).toEqual({
    visits: [],
    wakeAt: null,
    selected: [],
    unreachable: [],
  });
});
