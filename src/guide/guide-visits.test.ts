/** Visits and feeds with the real workers, against a stub of the agent's stream. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { encodeJstTime } from '../../synth/si/jst-time.ts';
import { GuideSections } from '../../test/guide-sections.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { type GuideAnswer, type GuideMessage, joinSections } from '../reception/guide-reader.ts';
import { ReceptionPool } from '../reception/reception-pool.ts';
import { openDatabase } from '../store/database.ts';
import { ProgramStore } from '../store/program-store.ts';
import { StationStore } from '../store/station-store.ts';
import { WriteLock } from '../store/write-lock.ts';
import { startGuideWorker, startReceptionWorker } from '../workers.ts';
import type { VisitResult } from './guide-messages.ts';
import { GuideVisits, type RunningVisit, type VisitOrder } from './guide-visits.ts';
import { type GuideReading, GuideWorkerClient } from './guide-worker-client.ts';

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
  new StationStore(database).apply({ put, hide: [], retype: [] }, broadcastMs(0));
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
  return `http://127.0.0.1:${server.port}`;
}

function guideWorker(startWorker: () => Worker = startGuideWorker, silenceMs?: number): GuideWorkerClient {
  const made = new GuideWorkerClient({
    writeLock: new WriteLock(),
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

function poolOf(agentUrl: string): ReceptionPool {
  const pool = new ReceptionPool({ agentUrl, startWorker: startReceptionWorker, log: SILENT_LOG });
  closers.push(() => pool.close());
  return pool;
}

function begin(url: string, over: Partial<VisitOrder> = {}, worker = guideWorker()): RunningVisit {
  const wanted = [{ id: STATION.id, depth: 'present' as const, optional: false }];
  const limits = { capMs: 5000, settleMs: 0, patienceMs: 1000, openMs: 5000 };
  const request = { type: 'BS' as const, channel: 'BS01_0', priority: 3, use: 'epg BS01_0' };
  const order = { request, networkId: STATION.networkId, wanted, ...limits, ...over };
  return new GuideVisits({ pool: poolOf(url), worker }).visit(order);
}

function run(url: string, over: Partial<VisitOrder> = {}, worker = guideWorker()): Promise<VisitResult> {
  return begin(url, over, worker).result;
}

/** Connects a reading, and posts as the guide reader of its stream. @returns its port */
function post(reading: GuideReading | undefined, packets: Uint8Array): MessagePort {
  const { port1, port2 } = new MessageChannel();
  reading?.connect(port1);
  const bytes = joinSections(new GuideSections().feed(packets));
  const batch = { at: wallMs(Date.now()), postedAt: systemMonotonicClock(), bytes };
  port2.postMessage({ kind: 'sections', batch } satisfies GuideMessage);
  closers.push(() => port2.close());
  return port2;
}

/** Stored events of a station. */
const stored = (id = STATION.id): number[] =>
  programs.ofStation(id, broadcastMs(0)).map(({ eventId }) => eventId);

/** A stream that stays open after `bytes`; `left` resolves when its reader disconnects. */
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
  test('ends as soon as everything is known and stored, and closes the stream', async () => {
    const { url, left } = endless(tables());
    expect(await run(url)).toEqual({ outcome: 'complete', reason: null, sentence: null });
    expect(stored()).toEqual([1, 2]);
    expect(programs.airingOn(STATION.id, broadcastMs(Date.now()))?.eventId as number).toBe(1);
    await left;
    while (changed.length === 0) await Bun.sleep(2);
    expect([...new Set(changed)]).toEqual([STATION.id]);
  });

  test('waits for other streams of its network for a limited time', async () => {
    const { url } = endless(tables());
    const wanted = [STATION, TWO].map(({ id }) => ({
      id,
      depth: 'present' as const,
      optional: id === TWO.id,
    }));
    expect((await run(url, { wanted, patienceMs: 60_000, capMs: 400 })).outcome).toBe('partial');
    expect((await run(url, { wanted, patienceMs: 0 })).outcome).toBe('complete');
  });

  test('that finds nothing ends at its time limit', async () => {
    const { url, left } = endless(new StreamBuilder().nulls(20).bytes());
    expect((await run(url, { capMs: 100 })).outcome).toBe('partial');
    await left;
  });

  test('that is cancelled keeps what it found', async () => {
    const { url, left } = endless(tables());
    const wanted = [{ id: STATION.id, depth: 'full' as const, optional: false }];
    const visit = begin(url, { wanted, settleMs: 50_000, capMs: 60_000 });
    while (stored().length === 0) await Bun.sleep(5);
    visit.cancel();
    expect((await visit.result).outcome).toBe('broken');
    await left;
  });

  test('keeps what it found when the stream breaks', async () => {
    const url = serve(() => new Response(tables()));
    const wanted = [STATION, TWO].map(({ id }) => ({ id, depth: 'present' as const, optional: false }));
    expect(await run(url, { wanted })).toMatchObject({
      outcome: 'broken',
      reason: 'the agent ended the stream',
    });
    expect(stored()).toEqual([1, 2]);
  });

  test('distinguishes a missing tuner, a failed tuning, an unreachable agent and one that never answers', async () => {
    const client = guideWorker();
    const status = (code: number) => serve(() => Response.json({ message: '理由' }, { status: code }));
    expect((await run(status(409), {}, client)).outcome).toBe('no_tuner');
    const failed = await run(status(500), {}, client);
    expect([failed.outcome, failed.sentence]).toEqual(['failed', '理由']);
    const html = serve(() => new Response('<html>', { status: 500 }));
    expect((await run(html, {}, client)).sentence).toContain('放送を受信できません');
    expect((await run('http://127.0.0.1:1', {}, client)).outcome).toBe('failed');
    const silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    });
    closers.push(() => silent.stop(true));
    const never = await run(`http://127.0.0.1:${silent.port}`, { openMs: 50 }, client);
    expect(never.outcome).toBe('failed');
  });

  test('fails when its worker dies, and the next one works', async () => {
    let starts = 0;
    const client = guideWorker(() => {
      starts += 1;
      const broken = new Blob(['throw new Error("broken")'], { type: 'text/javascript' });
      return starts === 1 ? new Worker(URL.createObjectURL(broken)) : startGuideWorker();
    });
    const { url } = endless(tables());
    expect(await run(url, {}, client)).toMatchObject({
      outcome: 'failed',
      sentence: '番組表の処理が異常終了しました',
    });
    // After a worker that died at its start, the next start is delayed.
    let last = 'failed';
    while (last === 'failed') last = (await run(url, {}, client)).outcome;
    expect([last, starts]).toEqual(['complete', 2]);
  });

  test('continues while the disk is full, and what arrives later is stored', async () => {
    const { url } = endless(tables());
    const client = guideWorker();
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
  const FEED = {
    source: 'feed' as const,
    networkId: STATION.networkId,
    wanted: [],
    settleMs: 0,
    patienceMs: 0,
  };
  const handlers = { lost: () => {} };

  test('is stored at once, for every station that it describes', async () => {
    const feed = guideWorker().read(FEED, handlers);
    const port = post(feed, tables());
    // Present and following are separate sections, and may be stored in separate transactions.
    while (stored().length < 2) await Bun.sleep(5);
    expect(stored()).toEqual([1, 2]);
    port.postMessage({ kind: 'end' } satisfies GuideMessage);
    expect(await feed?.end(false)).toBe(true);
    post(feed, tables());
    expect(await feed?.end(false)).toBe(false);
  });

  test('is lost with a worker that does not answer, and the next one works', async () => {
    const loops = `onmessage = ({ data: { link, body } }) => {
      if (link === 'ping') postMessage({ link: 'pong' });
      while (body?.kind === 'source');
    }`;
    let starts = 0;
    const client = guideWorker(() => {
      starts += 1;
      return starts === 1 ? new Worker(URL.createObjectURL(new Blob([loops]))) : startGuideWorker();
    }, 3000);
    const lost = Promise.withResolvers<void>();
    const feed = client.read(FEED, { lost: () => lost.resolve() });
    post(feed, tables());
    await lost.promise;
    post(feed, tables());
    post(client.read(FEED, handlers), tables());
    while (stored().length === 0) await Bun.sleep(20);
    expect(starts).toBe(2);
  });

  test('is asked to post its tables again when its worker receives new stations', async () => {
    const client = guideWorker();
    const port = post(client.read(FEED, handlers), tables());
    const answers: GuideAnswer[] = [];
    port.onmessage = ({ data }) => answers.push(data);
    client.stations([STATION]);
    while (!answers.some(({ kind }) => kind === 'forget')) await Bun.sleep(2);
    port.postMessage({ kind: 'end' } satisfies GuideMessage);
  });
});
