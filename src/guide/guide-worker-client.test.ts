/** Visits through the real worker, against a stand-in for the agent's stream. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, serviceId, stationId } from '../../arib/ids.ts';
import { broadcastMs, encodeJstTime } from '../../arib/time.ts';
import { SILENT_LOG } from '../../host/log.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { openDatabase } from '../store/database.ts';
import { ProgramStore } from '../store/program-store.ts';
import { StationStore } from '../store/station-store.ts';
import { startGuideWorker } from '../workers.ts';
import type { VisitOrder, VisitResult } from './guide-messages.ts';
import { GuideWorkerClient } from './guide-worker-client.ts';

const closers: (() => unknown)[] = [];
let path: string;
let programs: ProgramStore;
let changed: number[];

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-visits-'));
  path = join(folder, 'svc.db');
  const database = openDatabase(path);
  programs = new ProgramStore(database);
  changed = [];
  const common = {
    type: 'BS' as const,
    transportStreamId: null,
    channel: 'BS01_0',
    name: '',
    serviceType: 1,
  };
  const put = [STATION, TWO].map((station) => ({ ...station, ...common, remoteControlKey: 1 }));
  new StationStore(database).apply({ put, hide: [], retype: [] }, 0);
  closers.push(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const STATION = {
  id: stationId(networkId(4), serviceId(101)),
  networkId: networkId(4),
  serviceId: serviceId(101),
};

const TWO = { ...STATION, id: stationId(networkId(4), serviceId(102)), serviceId: serviceId(102) };

function tables(): Uint8Array {
  const event = (id: number, start: number): number[] => [
    ...u16(id),
    ...encodeJstTime(broadcastMs(start)),
    0x01,
    0x00,
    0x00,
    0,
    0,
  ];
  const start = Math.floor(Date.now() / 60_000) * 60_000;
  const eit = (number: number, bytes: number[]) =>
    longSection({
      tableId: 0x4e,
      extension: 101,
      number,
      lastNumber: 1,
      body: [...u16(1), ...u16(4), 1, 0x4e, ...bytes],
    });
  return new StreamBuilder()
    .nulls(10)
    .sections(0x12, eit(0, event(1, start)), eit(1, event(2, start + 3_600_000)))
    .nulls(10)
    .bytes();
}

function serve(handler: () => Response): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: handler,
  });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/`;
}

function visits(startWorker: () => Worker = startGuideWorker, silenceMs?: number): GuideWorkerClient {
  const made = new GuideWorkerClient({
    startWorker,
    silenceMs,
    path,
    writeMs: { visit: 30_000, feed: 300_000 },
    log: SILENT_LOG,
    onChanged: (stations) => changed.push(...stations),
    onCoverage: () => {},
    onNamed: () => {},
    onLost: () => {},
    onClock: () => {},
  });
  made.stations([STATION, TWO]);
  closers.push(() => made.close());
  return made;
}

function order(url: string, over: Partial<VisitOrder> = {}): VisitOrder {
  const wanted = [{ id: STATION.id, depth: 'present' as const, optional: false }];
  const limits = { capMs: 5000, settleMs: 0, patienceMs: 1000, openMs: 5000 };
  return { url, networkId: STATION.networkId, wanted, ...limits, ...over };
}

function run(url: string, over: Partial<VisitOrder> = {}, client = visits()): Promise<VisitResult> {
  return client.visit(order(url, over)).result;
}

/** Events of a station that are stored. */
const stored = (id = STATION.id): number[] => programs.ofStation(id, 0).map(({ eventId }) => eventId);

/** A stream that goes on for ever after `bytes`; `left` resolves when its reader went. */
function endless(bytes: Uint8Array) {
  const left = Promise.withResolvers<void>();
  const url = serve(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(bytes),
          cancel: () => left.resolve(),
        }),
      ),
  );
  return { url, left: left.promise };
}

describe('a visit', () => {
  test('ends as soon as all is known and stored, and leaves the stream', async () => {
    const { url, left } = endless(tables());
    expect(await run(url)).toEqual({ outcome: 'complete', reason: null });
    expect(stored()).toEqual([1, 2]);
    expect(programs.airingOn(STATION.id, Date.now())?.eventId as number).toBe(1);
    await left;
    while (changed.length === 0) await Bun.sleep(2);
    expect([...new Set(changed)]).toEqual([STATION.id]);
  });

  test('waits for others of its network a while only', async () => {
    const { url } = endless(tables());
    const wanted = [STATION, TWO].map(({ id }) => ({
      id,
      depth: 'present' as const,
      optional: id === TWO.id,
    }));
    // The look at what is known is taken when something comes: the stream is still, so the cap ends it.
    expect((await run(url, { wanted, patienceMs: 50, capMs: 200 })).outcome).toBe('partial');
    expect((await run(url, { wanted, patienceMs: 0 })).outcome).toBe('complete');
  });

  test('that finds nothing ends at its cap', async () => {
    const { url, left } = endless(new StreamBuilder().nulls(20).bytes());
    expect((await run(url, { capMs: 100 })).outcome).toBe('partial');
    await left;
  });

  test('that is given up keeps what it found', async () => {
    const { url, left } = endless(tables());
    const wanted = [{ id: STATION.id, depth: 'full' as const, optional: false }];
    const visit = visits().visit(order(url, { wanted, settleMs: 50_000, capMs: 60_000 }));
    while (stored().length === 0) await Bun.sleep(5);
    visit.cancel();
    expect((await visit.result).outcome).toBe('broken');
    await left;
  });

  test('keeps what it found when the stream breaks', async () => {
    const url = serve(() => new Response(tables()));
    const wanted = [STATION, TWO].map(({ id }) => ({ id, depth: 'present' as const, optional: false }));
    expect(await run(url, { wanted })).toEqual({ outcome: 'broken', reason: 'the stream ended' });
    expect(stored()).toEqual([1, 2]);
  });

  test('tells no tuner from a failed tuning, an absent agent and one that never answers', async () => {
    const client = visits();
    const status = (code: number) => serve(() => Response.json({ message: '理由' }, { status: code }));
    expect((await run(status(409), {}, client)).outcome).toBe('no_tuner');
    const failed = await run(status(500), {}, client);
    expect([failed.outcome, failed.reason]).toEqual(['failed', expect.stringContaining('理由')]);
    expect((await run('http://127.0.0.1:1/', {}, client)).outcome).toBe('failed');
    const silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    });
    closers.push(() => silent.stop(true));
    const never = await run(`http://127.0.0.1:${silent.port}/`, { openMs: 50 }, client);
    expect(never.outcome).toBe('failed');
  });

  test('of a worker that dies fails, and the next one works', async () => {
    let starts = 0;
    const client = visits(() => {
      starts += 1;
      const broken = new Blob(['throw new Error("broken")'], { type: 'text/javascript' });
      return starts === 1 ? new Worker(URL.createObjectURL(broken)) : startGuideWorker();
    });
    const { url } = endless(tables());
    expect((await run(url, {}, client)).outcome).toBe('failed');
    expect((await run(url, {}, client)).outcome).toBe('complete');
    expect(starts).toBe(2);
  });

  test('whose database is full is read all the same, and what comes later is stored', async () => {
    const { url } = endless(tables());
    const client = visits();
    const other = openDatabase(path);
    closers.push(() => other.close());
    other.run('ALTER TABLE programs RENAME TO lost');
    expect((await run(url, {}, client)).outcome).toBe('complete');
    other.run('ALTER TABLE lost RENAME TO programs');
    expect((await run(url, {}, client)).outcome).toBe('complete');
    expect(stored()).toEqual([1, 2]);
  });
});

describe('a feed', () => {
  test('is stored at once, for every station that it tells about', async () => {
    const client = visits();
    const feed = client.feed({ networkId: STATION.networkId, wanted: [], settleMs: 0 });
    feed.packets(tables() as Uint8Array<ArrayBuffer>);
    // Present and following are sections of their own, and each may be a transaction of its own.
    while (stored().length < 2) await Bun.sleep(5);
    expect(stored()).toEqual([1, 2]);
    feed.end();
    feed.packets(tables() as Uint8Array<ArrayBuffer>);
  });

  test('goes on in a new worker when the old one died', async () => {
    const workers: Worker[] = [];
    const client = visits(() => {
      const worker = startGuideWorker();
      workers.push(worker);
      return worker;
    });
    const feed = client.feed({ networkId: STATION.networkId, wanted: [], settleMs: 0 });
    while (workers.length === 0) await Bun.sleep(2);
    workers[0]?.dispatchEvent(new ErrorEvent('error', { message: 'broken' }));
    feed.packets(tables() as Uint8Array<ArrayBuffer>);
    while (stored().length === 0) await Bun.sleep(5);
    expect(workers).toHaveLength(2);
  });

  test('goes on in a new worker when the old one answers no more', async () => {
    const loops = `onmessage = ({ data: { kind } }) => {
      if (kind === 'ask') postMessage({ kind: 'alive' });
      while (kind === 'feed');
    }`;
    let starts = 0;
    const client = visits(() => {
      starts += 1;
      return starts === 1 ? new Worker(URL.createObjectURL(new Blob([loops]))) : startGuideWorker();
    }, 3000);
    const feed = client.feed({ networkId: STATION.networkId, wanted: [], settleMs: 0 });
    while (stored().length === 0) {
      feed.packets(tables() as Uint8Array<ArrayBuffer>);
      await Bun.sleep(20);
    }
    expect(starts).toBeGreaterThan(1);
  }, 60_000);
});
