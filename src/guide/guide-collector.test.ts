/** The loop around the plan, with stubs of the agent and of the visits. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import { tunerOf } from '../../test/tuner.ts';
import { until } from '../../test/until.ts';
import { Hub } from '../notify/hub.ts';
import { StationList } from '../station/station-list.ts';
import { openDatabase } from '../store/database.ts';
import { CoverageStore } from '../store/guide-coverage.ts';
import { ProgramStore } from '../store/program-store.ts';
import { StationStore } from '../store/station-store.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { GuideCollector } from './guide-collector.ts';
import type { VisitOutcome, VisitResult } from './guide-messages.ts';
import type { VisitOrder } from './guide-visits.ts';
import type { ChannelKey } from './visit-plan.ts';

const NOW = 1_800_000_000_000;
const TUNER = tunerOf(['GR'], { id: 't', descrambled: true });

function channel(name: string, network: number, service: number): Channel {
  const station = { serviceId: service, name, serviceType: 1, remoteControlKey: 1 };
  return { type: 'GR', channel: name, tsid: network, networkId: network, stations: [station] };
}

interface Visit {
  order: VisitOrder;
  cancelled: boolean;
  end(result: Partial<VisitResult>): void;
}

const LIMITS = {
  minCoverageMs: 3 * 86_400_000,
  intervalMs: 6 * 3_600_000,
  retryMs: 2 * 3_600_000,
  selectMs: 30 * 60_000,
  visitMs: 600_000,
  settleMs: 60_000,
};

let server: ReturnType<typeof Bun.serve>;
let tuners: Tuner[];
let asked: number;
let visits: Visit[];
let events: string[];
let stations: StationList;
let programs: ProgramStore;
let collector: GuideCollector;
let now: number;
let database: Database;
let lines: string[];
let coverage: CoverageStore;
let purged: number[];
let open: ReadonlySet<ChannelKey>;

beforeEach(() => {
  tuners = [TUNER];
  asked = 0;
  visits = [];
  events = [];
  now = NOW;
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      asked += 1;
      return Response.json(tuners);
    },
  });
  lines = [];
  const log = createLog({ level: 'info', now: () => wallMs(now), write: (line) => lines.push(line) });
  database = openDatabase(':memory:');
  programs = new ProgramStore(database);
  coverage = new CoverageStore(database);
  purged = [];
  open = new Set();
  const hub = new Hub(() => {});
  hub.subscribe((event) => events.push(event.name));
  const clock = (): number => now;
  stations = new StationList({
    stations: new StationStore(database),
    programs,
    hub,
    log,
    now: () => broadcastMs(clock()),
  });
  collector = new GuideCollector({
    stations,
    programs,
    agent: new AgentClient(`http://127.0.0.1:${server.port}`),
    coverage,
    visits: {
      visit: (order) => {
        const { promise, resolve } = Promise.withResolvers<VisitResult>();
        const end = (result: Partial<VisitResult>): void =>
          resolve({ outcome: 'complete', reason: null, sentence: null, ...result });
        const visit: Visit = { order, cancelled: false, end };
        visits.push(visit);
        const cancel = (): void => {
          visit.cancelled = true;
          end({ outcome: 'broken' });
        };
        return { result: promise, cancel };
      },
    },
    purge: (before) => {
      purged.push(before);
    },
    open: () => open,
    enabled: () => true,
    limits: LIMITS,
    hub,
    log,
    now: () => wallMs(clock()),
  });
});

afterEach(async () => {
  collector.close();
  await server.stop(true);
});

/** Waits for one more plan. */
async function planned(): Promise<void> {
  const before = asked;
  collector.wake();
  await until(() => asked > before);
}

/** Ends a visit and waits for the plan that follows it. */
async function ended(visit: Visit | undefined, outcome: VisitOutcome): Promise<void> {
  const before = asked;
  visit?.end({ outcome });
  await until(() => asked > before);
}

/** Marks the guide of a station as read up to this day. */
function fill(id: StationId | undefined, days = 8): void {
  const filledUntil = now + days * 86_400_000;
  if (id !== undefined)
    coverage.put([
      {
        stationId: id,
        readAt: wallMs(now),
        filledUntil: broadcastMs(filledUntil),
        whole: true,
        hasGuide: true,
      },
    ]);
}

/** The visited channels, with the purpose of each visit. */
const seen = (): string[] =>
  visits.map((visit) => `${visit.order.request.channel} ${visit.order.wanted[0]?.depth}`);

describe('Collector', () => {
  test('reads current programmes first, then the guide, at background priority', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    expect(visits[0]?.order.request).toEqual({
      type: 'GR',
      channel: 'T27',
      priority: 3,
      use: 'epg T27',
    });
    expect(visits[0]?.order).toMatchObject({
      networkId: 0x7fe8,
      settleMs: 0,
      wanted: [{ depth: 'present' }],
    });
    visits[0]?.end({});
    await until(() => visits.length === 2);
    expect(visits[1]?.order).toMatchObject({ settleMs: 60_000, capMs: 600_000, wanted: [{ depth: 'full' }] });
    expect(collector.status([]).visits).toEqual([
      {
        type: 'GR',
        channel: 'T27',
        stationIds: [(0x7fe8 * 100_000 + 1024) as StationId],
        startedAt: wallMs(NOW),
      },
    ]);
    fill(visits[1]?.order.wanted[0]?.id);
    await ended(visits[1], 'complete');
    expect(visits).toHaveLength(2);
    expect(collector.status([]).stations).toEqual([
      expect.objectContaining({ lastReadAt: NOW, thin: false, noGuide: false }),
    ]);
  });

  test('makes one visit of a channel at a time, however often it is woken', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    for (let round = 0; round < 3; round += 1) await planned();
    expect(visits).toHaveLength(1);
  });

  test('handles a channel that needs no visit any more', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    fill(stations.list()[0]?.id);
    await ended(visits[0], 'no_tuner');
    await until(() => collector.status([]).troubles.length === 0);
  });

  test('retries a visit without a tuner soon, and an interrupted one later', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    await ended(visits[0], 'no_tuner');
    now += 16_000;
    collector.wake();
    await until(() => visits.length === 2);
    const trouble = { type: 'GR' as const, channel: 'T27', stationIds: stations.list().map(({ id }) => id) };
    const none = {
      ...trouble,
      kind: 'no_tuner' as const,
      reason: null,
      failures: 0,
      at: wallMs(now - 16_000),
    };
    expect(collector.status([]).troubles).toEqual([none]);
    visits[1]?.end({ outcome: 'failed', reason: 'HTTP 500', sentence: '受信できません' });
    await until(() => collector.status([]).troubles[0]?.kind === 'unreadable');
    const failed = {
      ...trouble,
      kind: 'unreadable' as const,
      reason: '受信できません',
      failures: 1,
      at: wallMs(now),
    };
    expect(collector.status([]).troubles).toEqual([failed]);
    // It is recorded or watched: nobody is told that it cannot be received.
    open = new Set(['GR/T27']);
    expect(collector.status([]).troubles).toEqual([]);
    open = new Set();
    now += 16_000;
    await planned();
    expect(visits).toHaveLength(2);
    now += 60_000;
    collector.wake();
    await until(() => visits.length === 3);
  });

  test('reports channels for which there is no tuner', async () => {
    tuners = [{ ...TUNER, types: ['BS'] }];
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => collector.status([]).troubles.length === 1);
    expect(collector.status([]).troubles).toMatchObject([
      { channel: 'T27', kind: 'no_such_tuner', at: null },
    ]);
    tuners = [TUNER];
    collector.wake();
    await until(() => visits.length === 1);
    expect(collector.status([]).troubles).toEqual([]);
  });

  test('selects again after its interval, and reads stale guides again', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    fill(stations.list()[0]?.id);
    await planned();
    expect(visits).toEqual([]);
    now += LIMITS.intervalMs;
    await planned();
    await until(() => visits.length === 1);
    expect(seen()).toEqual(['T27 full']);
  });

  test('reads everything again when stations were replaced', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    fill(stations.list()[0]?.id);
    await planned();
    expect(visits).toEqual([]);
    now += 1000;
    collector.recollect();
    await until(() => visits.length === 1);
  });

  test("'collect now' reads all channels at a higher priority, reports progress, and releases the tuners", async () => {
    tuners = [TUNER, { ...TUNER, id: 'u' }];
    stations.import([channel('T27', 0x7fe8, 1024), channel('T26', 0x7fe9, 2048)]);
    for (const { id } of stations.list()) fill(id);
    await planned();
    expect(visits).toEqual([]);
    now += 1000;
    expect(collector.press()).toEqual({ pressed: true, until: wallMs(now + 60_000) });
    await until(() => visits.length === 2);
    expect(visits.map((visit) => visit.order.request.priority)).toEqual([8, 8]);
    expect(collector.status([])).toMatchObject({ pressed: true, progress: { done: 0, total: 2 } });
    fill(visits[0]?.order.wanted[0]?.id);
    await ended(visits[0], 'complete');
    // The plan continues when the agent has answered.
    await until(() => collector.status([]).progress?.done === 1);
    expect(collector.status([]).progress).toEqual({ done: 1, total: 2 });
    expect(collector.release()).toEqual({ pressed: false, until: null });
    expect(visits[1]?.cancelled).toBe(true);
    await until(() => collector.status([]).visits.length === 0);
    expect(collector.status([])).toMatchObject({ pressed: false, progress: null });
  });

  test('does not visit a channel whose stream is already open', async () => {
    open = new Set(['GR/T27']);
    stations.import([channel('T27', 0x7fe8, 1024)]);
    await planned();
    expect(visits).toEqual([]);
    open = new Set();
    collector.wake();
    await until(() => visits.length === 1);
  });

  test('deletes programmes that ended more than a day ago, every hour', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    await planned();
    await planned();
    expect(purged).toEqual([NOW - 86_400_000]);
    now += 3_600_000;
    await planned();
    expect(purged).toHaveLength(2);
  });

  test('survives a database that cannot be read', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    database.run('ALTER TABLE guide_coverage RENAME TO lost');
    collector.wake();
    await until(() => lines.some((line) => line.includes('guide not planned')));
    database.run('ALTER TABLE lost RENAME TO guide_coverage');
    collector.wake();
    await until(() => visits.length === 1);
  });

  test('continues after the agent was unreachable', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    tuners = 'nonsense' as never;
    collector.wake();
    await until(() => asked === 1);
    tuners = [TUNER];
    collector.wake();
    await until(() => visits.length === 1);
  });
});
