/**
 * Simulates days of collecting in milliseconds: random tuners, viewers, interrupted streams and guides that stay
 * thin.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type BroadcastType, networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { fuzzRounds, fuzzSeed } from '../../test/fuzz/random.ts';
import type { StationRecord } from '../model/station.ts';
import type { StationCoverage } from '../store/guide-coverage.ts';
import {
  channelKey,
  NO_HISTORY,
  planVisits,
  RETRY_MS,
  type VisitHistory,
  type VisitPlan,
} from './visit-plan.ts';

const SEED = fuzzSeed();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGIN = 1_800_000_000_000;
const STEP = 30_000;
const LIMITS = { minCoverageMs: 3 * DAY, intervalMs: 6 * HOUR, retryMs: 2 * HOUR };
const SELECT = 30 * MINUTE;
const VISIT = 3 * MINUTE;

function station(type: BroadcastType, channel: string, service: number, network: number): StationRecord {
  const [n, s] = [networkId(network), serviceId(service)];
  const place = { type, networkId: n, serviceId: s, transportStreamId: null, channel };
  return { id: stationId(n, s), ...place, name: '', serviceType: 1, remoteControlKey: 1 };
}

const STATIONS = [
  ...[1, 2, 3, 4, 5].map((each) => station('GR', `T2${each}`, 1024 * each, 0x7fe0 + each)),
  ...[1, 2, 3].flatMap((each) => [0, 1].map((of) => station('BS', `BS0${each}_0`, 100 + each * 10 + of, 4))),
  ...[1, 2].map((each) => station('CS', `CS0${each * 2}`, 50 + each, 6)),
];

interface Running {
  plan: VisitPlan;
  until: number;
  tuner: number;
}

/** Conditions of visits and tuners. */
interface World {
  /** Tuners by type. */
  tuners: BroadcastType[][];
  /** Parts of the day (hours) in which all tuners are used by others. */
  busy: number[];
  /** Every n-th visit fails; 0: none does. */
  breaks: number;
  /** Stations whose guide never reaches far ahead. */
  thin: number[];
}

class Simulation {
  now = BEGIN;
  readonly coverage = new Map<StationId, StationCoverage>();
  readonly history = new Map<string, VisitHistory>();
  readonly running = new Map<string, Running>();
  readonly visits: { channel: string; kind: string; at: number; broke: boolean }[] = [];
  #selectedAt = BEGIN;
  #count = 0;

  constructor(private readonly world: World) {}

  run(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += STEP) this.#step();
  }

  get isBusy(): boolean {
    return this.world.busy.includes(Math.floor((this.now - BEGIN) / HOUR) % 24);
  }

  #tuners(): Tuner[] {
    return this.world.tuners.map((types, index) => {
      const visit = [...this.running.values()].find(({ tuner }) => tuner === index);
      const other = { use: 'rec 1', priority: 10, lagBytes: 0 };
      const own = { use: `epg ${visit?.plan.channel}`, priority: 3, lagBytes: 0 };
      const users = this.isBusy ? [other] : visit === undefined ? [] : [own];
      return {
        ...{
          id: String(index),
          name: '',
          driver: 'fake' as const,
          device: '',
          types,
          disabled: false,
          lnb: false,
        },
        ...{ rank: index, state: users.length > 0 ? ('tuned' as const) : ('idle' as const), users },
        tuned:
          this.isBusy || visit === undefined ? null : { type: visit.plan.type, channel: visit.plan.channel },
        ...{ signal: null, stats: null, descrambled: true, error: null },
      };
    });
  }

  #step(): void {
    if (this.now - this.#selectedAt >= SELECT) this.#selectedAt = this.now;
    for (const [key, visit] of this.running) {
      if (this.isBusy) this.#end(key, visit, true);
      else if (this.now >= visit.until) {
        this.#count += 1;
        this.#end(key, visit, this.world.breaks > 0 && this.#count % this.world.breaks === 0);
      }
    }
    const tuners = this.#tuners();
    const { visits } = planVisits({
      stations: STATIONS,
      coverage: this.coverage,
      airing: new Map(STATIONS.map(({ id }) => [id, this.now + HOUR])),
      history: this.history,
      active: new Set(this.running.keys()),
      looking: new Set(),
      open: new Set(),
      tuners,
      selectedAt: wallMs(this.#selectedAt),
      staleBefore: wallMs(0),
      pressedAt: null,
      enabled: true,
      limits: LIMITS,
      now: wallMs(this.now),
    });
    for (const plan of visits) {
      const used = new Set([...this.running.values()].map(({ tuner }) => tuner));
      const tuner = tuners.findIndex(
        ({ types, users }, index) => !used.has(index) && users.length === 0 && types.includes(plan.type),
      );
      // A visit is only planned if the agent would find a tuner.
      expect(tuner).toBeGreaterThanOrEqual(0);
      this.running.set(channelKey(plan), { plan, until: this.now + VISIT, tuner });
    }
  }

  #end(key: string, { plan }: Running, broke: boolean): void {
    this.running.delete(key);
    this.visits.push({ channel: key, kind: plan.kind, at: this.now, broke });
    const before = this.history.get(key) ?? NO_HISTORY;
    if (broke) {
      this.history.set(key, { ...before, failedAt: wallMs(this.now), failures: before.failures + 1 });
      return;
    }
    this.history.set(key, { ...NO_HISTORY, readAt: wallMs(this.now), lookedAt: wallMs(this.now) });
    for (const { id, depth } of plan.wanted) {
      const index = STATIONS.findIndex((each) => each.id === id);
      const filledUntil = this.now + (this.world.thin.includes(index) ? DAY : 8 * DAY);
      const readAt = depth === 'full' ? wallMs(this.now) : (this.coverage.get(id)?.readAt ?? null);
      this.coverage.set(id, { readAt, filledUntil: broadcastMs(filledUntil), hasGuide: true });
    }
  }
}

const world = fc.record({
  tuners: fc.tuple(
    fc.array(fc.constant<BroadcastType[]>(['GR']), { minLength: 1, maxLength: 3 }),
    fc.array(fc.constant<BroadcastType[]>(['BS', 'CS']), { minLength: 1, maxLength: 3 }),
  ),
  busy: fc.subarray([1, 2, 3, 10, 11, 19, 20, 21]),
  breaks: fc.constantFrom(0, 2, 3, 7),
  thin: fc.subarray([0, 4, 6, 11, 12]),
});

describe(`days of collecting (seed ${SEED})`, () => {
  const simulate = (check: (simulation: Simulation, given: World) => void): void =>
    fc.assert(
      fc.property(world, ({ tuners, ...rest }) => {
        const given = { ...rest, tuners: tuners.flat() };
        const simulation = new Simulation(given);
        simulation.run(3 * DAY);
        check(simulation, given);
      }),
      { seed: SEED, numRuns: fuzzRounds(12) },
    );

  test('keep every guide filled and refreshed within its interval, whatever fails or takes the tuners', () => {
    simulate(({ coverage, now }, { thin }) => {
      for (const [index, { id }] of STATIONS.entries()) {
        const row = coverage.get(id);
        // An interval, the next selection, the longest time without tuners, interrupted visits.
        expect(now - (row?.readAt ?? 0)).toBeLessThan(6 * HOUR + SELECT + 3 * HOUR + 2 * HOUR);
        if (!thin.includes(index)) expect(row?.filledUntil).toBeGreaterThan(now + 3 * DAY);
      }
    });
  });

  test('visit no channel again before its retry time, however little of its guide is known', () => {
    simulate(({ visits }) => {
      const last = new Map<string, { at: number; broke: boolean }>();
      for (const visit of visits) {
        const before = last.get(visit.channel);
        if (before !== undefined) {
          const wait = before.broke ? RETRY_MS : LIMITS.retryMs;
          expect(visit.at - before.at).toBeGreaterThanOrEqual(wait);
        }
        last.set(visit.channel, visit);
      }
    });
  });

  test('read every BS stream, and of CS one stream at a time, in rotation', () => {
    simulate(({ visits }, { breaks }) => {
      const read = visits.filter(({ broke }) => !broke).map(({ channel }) => channel);
      const bs = read.filter((channel) => channel.startsWith('BS/'));
      expect(new Set(bs).size).toBe(3);
      const cs = read.filter((channel) => channel.startsWith('CS/'));
      if (breaks === 0) expect(cs.every((channel, index) => channel !== cs[index - 1])).toBe(true);
    });
  });
});
