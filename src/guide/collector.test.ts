/** The loop around the plan, with stand-ins for the agent and for the visits. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventId, programId, type StationId } from '../../arib/ids.ts';
import { epochMs } from '../../arib/time.ts';
import { createLog } from '../../host/log.ts';
import type { Channel, Tuner } from '../../wire/agent.ts';
import { Hub } from '../hub/hub.ts';
import type { NowAndNext } from '../model/program.ts';
import { openDatabase } from '../store/database.ts';
import { ProgramStore } from '../store/programs.ts';
import { StationStore } from '../store/stations.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { Collector } from './collector.ts';
import type { VisitOutcome } from './messages.ts';
import { Stations } from './stations.ts';
import type { VisitOrder, VisitResult } from './visits.ts';

const NOW = 1_800_000_000_000;
const TUNER: Tuner = {
  id: 't',
  name: '',
  driver: 'fake',
  device: '',
  types: ['GR'],
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
};

function channel(name: string, network: number, service: number): Channel {
  const station = { serviceId: service, name, serviceType: 1, remoteControlKey: 1 };
  return { type: 'GR', channel: name, tsid: network, networkId: network, stations: [station] };
}

interface Visit {
  order: VisitOrder;
  found(items: NowAndNext[]): void;
  end(result: Partial<VisitResult>): void;
}

let server: ReturnType<typeof Bun.serve>;
let tuners: Tuner[];
let asked: number;
let visits: Visit[];
let events: string[];
let stations: Stations;
let programs: ProgramStore;
let collector: Collector;
let now: number;
let database: Database;
let lines: string[];

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
  const log = createLog({ level: 'info', now: () => now, write: (line) => lines.push(line) });
  database = openDatabase(':memory:');
  programs = new ProgramStore(database);
  const hub = new Hub(() => {});
  hub.subscribe((event) => events.push(event.name));
  const clock = (): number => now;
  stations = new Stations({
    stations: new StationStore(database),
    programs,
    hub,
    log,
    now: clock,
  });
  collector = new Collector({
    stations,
    programs,
    agent: new AgentClient(`http://127.0.0.1:${server.port}`),
    visits: {
      visit: (order, found) =>
        new Promise((resolve) => {
          const end = (result: Partial<VisitResult>): void =>
            resolve({ outcome: 'complete', reason: null, clockOffsetMs: null, ...result });
          visits.push({ order, found, end });
        }),
    },
    hub,
    log,
    now: clock,
  });
});

afterEach(async () => {
  collector.close();
  await server.stop(true);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2);
}

/** Waits for one more plan to have been made. */
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

function onAir(station: StationId): NowAndNext {
  const present = {
    id: programId(station, eventId(1)),
    stationId: station,
    eventId: eventId(1),
    startAt: epochMs(NOW - 1000),
    endAt: epochMs(NOW + 3_600_000),
    openEnd: false,
    name: '番組',
    description: '',
    extended: null,
    genres: [],
    audios: [],
    videoType: null,
    videoResolution: null,
    isFree: true,
    copyNever: false,
    groups: [],
    series: null,
  };
  return { stationId: station, present, following: null };
}

describe('Collector', () => {
  test('visits channel after channel in the background and tells what it learned', async () => {
    stations.import([channel('T27', 0x7fe8, 1024), channel('T26', 0x7fe9, 2048)]);
    collector.wake();
    await until(() => visits.length === 1);
    const [first] = visits;
    const url = new URL(first?.order.url ?? '');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      type: 'GR',
      channel: 'T27',
      priority: '3',
      use: 'epg T27',
    });
    first?.found([onAir(first.order.own[0]?.id as StationId)]);
    expect(events.filter((name) => name === 'programs')).toHaveLength(1);
    first?.end({});
    await until(() => visits.length === 2);
    expect(visits[1]?.order.url).toContain('channel=T26');
    expect(stations.airing().size).toBe(1);
  });

  test('one visit of a type at a time, however often it is woken', async () => {
    stations.import([channel('T27', 0x7fe8, 1024), channel('T26', 0x7fe9, 2048)]);
    collector.wake();
    await until(() => visits.length === 1);
    for (let round = 0; round < 3; round += 1) await planned();
    expect(visits).toHaveLength(1);
  });

  test('what a visit says about a station that is gone is dropped', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    stations.import([channel('T26', 0x7fe9, 2048)]);
    const own = visits[0]?.order.own[0]?.id as StationId;
    visits[0]?.found([onAir(own)]);
    expect(programs.ofStation(own, 0)).toEqual([]);
  });

  test('a visit without a tuner is tried again soon, a fruitless one later', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    await ended(visits[0], 'no_tuner');
    now += 16_000;
    collector.wake();
    await until(() => visits.length === 2);
    await ended(visits[1], 'partial');
    now += 16_000;
    await planned();
    expect(visits).toHaveLength(2);
    now += 60_000;
    collector.wake();
    await until(() => visits.length === 3);
  });

  test('a full database loses what was learned, is logged once, and stops nothing', async () => {
    stations.import([channel('T27', 0x7fe8, 1024), channel('T26', 0x7fe9, 2048)]);
    collector.wake();
    await until(() => visits.length === 1);
    const item = onAir(visits[0]?.order.own[0]?.id as StationId);
    const { page_count } = database.query('PRAGMA page_count').get() as { page_count: number };
    database.run(`PRAGMA max_page_count = ${page_count}`);
    const large = { ...item, present: item.present && { ...item.present, description: 'x'.repeat(100_000) } };
    visits[0]?.found([large]);
    visits[0]?.found([large]);
    expect(lines.filter((line) => line.startsWith('ERROR'))).toEqual([
      expect.stringContaining('database or disk is full'),
    ]);
    visits[0]?.end({});
    await until(() => visits.length === 2);
    database.run('PRAGMA max_page_count = 1000000');
    visits[1]?.found([large]);
    expect(stations.airing().size).toBe(1);
  });

  test('a database that cannot be read ends the visit, not the process', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    collector.wake();
    await until(() => visits.length === 1);
    database.run('ALTER TABLE programs RENAME TO lost');
    visits[0]?.end({});
    await until(() => lines.some((line) => line.includes('guide not planned')));
    expect(lines.some((line) => line.includes('visit failed'))).toBe(true);
    database.run('ALTER TABLE lost RENAME TO programs');
    now += 61_000;
    collector.wake();
    await until(() => visits.length === 2);
  });

  test('an agent that is away is no reason to stop for ever', async () => {
    stations.import([channel('T27', 0x7fe8, 1024)]);
    tuners = 'nonsense' as never;
    collector.wake();
    await until(() => asked === 1);
    tuners = [TUNER];
    collector.wake();
    await until(() => visits.length === 1);
  });
});
