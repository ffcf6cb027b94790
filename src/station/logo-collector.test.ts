/**
 * Logos with the real survey worker and a stub of the agent: visits run in quiet times and end when the tuner is
 * needed.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import { networkId, type StationId, serviceId, stationId, transportStreamId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { tunerOf } from '../../test/tuner.ts';
import { until } from '../../test/until.ts';
import type { StationRecord } from '../model/station.ts';
import { Hub } from '../notify/hub.ts';
import { ChannelSurveys } from '../reception/channel-survey.ts';
import { ReceptionPool } from '../reception/reception-pool.ts';
import { openDatabase } from '../store/database.ts';
import { LogoStore } from '../store/logo-store.ts';
import { StationStore } from '../store/station-store.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { startReceptionWorker } from '../workers.ts';
import { LOGO_TIMING, LogoCollector, type LogoTiming } from './logo-collector.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const STATION: StationRecord = {
  id: stationId(networkId(0x7fe8), serviceId(1024)),
  type: 'GR',
  networkId: networkId(0x7fe8),
  serviceId: serviceId(1024),
  transportStreamId: transportStreamId(0x7fe8),
  channel: 'T27',
  name: '試験',
  serviceType: 1,
  remoteControlKey: 1,
};

const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];

function chunk(type: string, data: Iterable<number>): number[] {
  const checked = [...new TextEncoder().encode(type), ...data];
  return [...u32(checked.length - 4), ...checked, ...u32(crc32(Uint8Array.from(checked)))];
}

function picture(seed: number): number[] {
  const pixels = Uint8Array.from({ length: 36 * 65 }, (_, at) => (at % 65 === 0 ? 0 : (at * seed) % 128));
  return [
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk('IHDR', [...u32(64), ...u32(36), 8, 3, 0, 0, 0]),
    ...chunk('IDAT', deflateSync(pixels)),
    ...chunk('IEND', []),
  ];
}

/** SDT and CDT with the station's large logo. */
function air(version = 1, seed = 7): Uint8Array {
  const own = [0xcf, 7, 1, 0xfe, 0x07, ...u16(0xf000 | version), 0x00, 0x01];
  const service = [...u16(1024), 0xfd, ...u16(0xf000 | own.length), ...own];
  const png = picture(seed);
  const logo = [5, 0xfe, 0x07, ...u16(0xf000 | version), ...u16(png.length), ...png];
  return new StreamBuilder()
    .nulls(10)
    .sections(
      0x11,
      longSection({ tableId: 0x42, extension: 0x7fe8, body: [...u16(0x7fe8), 0xff, ...service] }),
    )
    .sections(
      0x29,
      longSection({
        tableId: 0xc8,
        extension: 1,
        number: 5,
        lastNumber: 5,
        body: [...u16(0x7fe8), 1, 0xf0, 0x00, ...logo],
      }),
    )
    .nulls(10)
    .bytes();
}

function tuner(uses: string[] = []): Tuner {
  if (uses.length === 0) return tunerOf(['GR']);
  const users = uses.map((use) => ({ use, priority: 9, lagBytes: 0 }));
  return tunerOf(['GR'], { state: 'tuned', tuned: { type: 'GR', channel: 'T27' }, users });
}

const RIG_NOW = 1_700_000_000_000;

interface Rig {
  /** Other users of the one tuner that the agent reports. */
  others: string[];
  stream: () => Response;
  /** Query strings of the requested streams. */
  asked: URLSearchParams[];
  busy: boolean;
  now: number;
  logos: LogoCollector;
  events: string[];
  readonly reading: number;
  /** Number of requests for the tuners. */
  looks: number;
}

function rig(timing: Partial<LogoTiming> = {}): Rig {
  let reading = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: (request) => {
      const url = new URL(request.url);
      if (url.pathname === '/agent/tuners') {
        made.looks += 1;
        return Response.json([tuner([...made.others, ...(reading > 0 ? ['logo GR/T27'] : [])])]);
      }
      made.asked.push(url.searchParams);
      reading += 1;
      request.signal.addEventListener('abort', () => {
        reading -= 1;
      });
      return made.stream();
    },
  });
  closers.push(() => server.stop(true));
  const database = openDatabase(':memory:');
  new StationStore(database).apply({ put: [STATION], hide: [], retype: [] }, broadcastMs(0));
  const agentUrl = `http://127.0.0.1:${server.port}`;
  const pool = new ReceptionPool({ agentUrl, startWorker: startReceptionWorker, log: SILENT_LOG });
  closers.push(() => pool.close());
  const surveys = new ChannelSurveys(pool);
  const hub = new Hub(() => {});
  const made: Rig = {
    others: [],
    stream: () => endless(air()),
    asked: [],
    busy: false,
    looks: 0,
    now: RIG_NOW,
    events: [],
    get reading() {
      return reading;
    },
    logos: new LogoCollector({
      stations: { list: () => [STATION], find: (id: StationId) => (id === STATION.id ? STATION : undefined) },
      store: new LogoStore(database),
      agent: new AgentClient(`http://127.0.0.1:${server.port}`),
      surveys,
      hub,
      log: SILENT_LOG,
      now: () => wallMs(made.now),
      busy: () => made.busy,
      timing: { ...LOGO_TIMING, quietAfterMs: 0, lookMs: 20, ...timing },
    }),
  };
  hub.subscribe((event) => made.events.push(event.name));
  closers.push(() => made.logos.close());
  return made;
}

function endless(bytes: Uint8Array): Response {
  return new Response(
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes), cancel: () => {} }),
  );
}

describe('logo visits', () => {
  test('run at the lowest priority when no tuner is used; the logos are stored and not read again for a week', async () => {
    const home = rig();
    home.logos.start();
    await until('a logo', () => home.logos.tag(STATION.id) !== undefined);
    const [query] = home.asked;
    expect([query?.get('priority'), query?.get('use'), query?.get('channel')]).toEqual([
      '1',
      'logo GR/T27',
      'T27',
    ]);
    expect(home.events).toEqual(['services']);
    expect(home.logos.png(STATION.id)?.length).toBeGreaterThan(500);
    await until('the tuner is left', () => home.reading === 0);
    const before = home.logos.tag(STATION.id);
    // A week later there is a new logo.
    home.stream = () => endless(air(2, 11));
    home.now += 8 * 86_400_000;
    await until('a new logo', () => {
      // The end of the last attempt may be recorded only now.
      home.now += 60_000;
      return home.logos.tag(STATION.id) !== before;
    });
    expect(home.asked).toHaveLength(2);
  });

  test('do not run while tuners are in demand, nor right after a start', async () => {
    const early = rig({ quietAfterMs: 3_600_000 });
    const busy = rig();
    busy.busy = true;
    early.logos.start();
    busy.logos.start();
    await until('looks', () => early.looks > 5 && busy.looks > 5);
    expect([early.asked.length, busy.asked.length]).toEqual([0, 0]);
    busy.busy = false;
    await until('a logo', () => busy.logos.tag(STATION.id) !== undefined);
  });

  test('that find nothing end at their time limit and are not repeated soon', async () => {
    const home = rig({ terrestrialMs: 100 });
    home.stream = () => endless(new StreamBuilder().nulls(20).bytes());
    home.logos.start();
    await until('a try', () => home.asked.length === 1);
    await until('its end', () => home.reading === 0);
    expect(home.asked).toHaveLength(1);
    await until('another try', () => {
      home.now += 60_000;
      return home.asked.length === 2;
    });
  });

  test('release the tuner at once when the service stops', async () => {
    const home = rig();
    home.stream = () => endless(new StreamBuilder().nulls(20).bytes());
    home.logos.start();
    await until('a try', () => home.reading === 1);
    await home.logos.close();
    await until('the tuner is left', () => home.reading === 0);
  });
});

describe('logos on tunings of other users', () => {
  test('are read alongside, and the tuning is released when its last other user leaves; the next one is shared at once', async () => {
    const home = rig({ quietAfterMs: 3_600_000 });
    home.stream = () => endless(new StreamBuilder().nulls(20).bytes());
    home.others = ['live GR/T27'];
    home.logos.start();
    await until('reading along', () => home.reading === 1);
    home.others = [];
    await until('the tuner is left', () => home.reading === 0);
    home.stream = () => endless(air());
    home.others = ['rec 5'];
    await until('a logo', () => home.logos.tag(STATION.id) !== undefined);
  });

  test('that break off at once are repeated soon: a viewer may watch for an evening', async () => {
    const home = rig({ quietAfterMs: 3_600_000 });
    home.stream = () => new Response(new Uint8Array(0));
    home.others = ['live GR/T27'];
    home.logos.start();
    await until('a try', () => home.asked.length === 1);
    home.stream = () => endless(air());
    await until('a logo', () => {
      home.now += 1_000;
      return home.logos.tag(STATION.id) !== undefined;
    });
    expect(home.asked).toHaveLength(2);
    expect(home.now).toBeLessThan(RIG_NOW + 25 * 60_000);
  });
});
