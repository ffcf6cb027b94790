/** Visits through the real worker, against a stand-in for the agent's stream. */
import { afterEach, describe, expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../arib/ids.ts';
import { encodeJstTime, epochMs } from '../../arib/time.ts';
import { SILENT_LOG } from '../../host/log.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import type { NowAndNext } from '../model/program.ts';
import { startGuideWorker } from '../workers.ts';
import { GuideVisits, type VisitOrder } from './visits.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const STATION = {
  id: stationId(networkId(4), serviceId(101)),
  networkId: networkId(4),
  serviceId: serviceId(101),
};

function tables(): Uint8Array {
  const event = (id: number, start: number): number[] => [
    ...u16(id),
    ...encodeJstTime(epochMs(start)),
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

function visits(startWorker: () => Worker = startGuideWorker): GuideVisits {
  const made = new GuideVisits({ startWorker, log: SILENT_LOG });
  closers.push(() => made.close());
  return made;
}

function order(url: string, over: Partial<VisitOrder> = {}): VisitOrder {
  return { url, own: [STATION], others: [], capMs: 5000, othersMs: 1000, openMs: 5000, ...over };
}

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
  test('ends as soon as all is known, and leaves the stream', async () => {
    const { url, left } = endless(tables());
    const found: NowAndNext[] = [];
    const result = await visits().visit(order(url), (items) => found.push(...items));
    expect(result).toMatchObject({ outcome: 'complete', reason: null });
    expect(found.map((item) => [item.present?.eventId, item.following?.eventId] as unknown)).toEqual([
      [1, 2],
    ]);
    await left;
  });

  test('that finds nothing ends at its cap', async () => {
    const { url, left } = endless(new StreamBuilder().nulls(20).bytes());
    const result = await visits().visit(order(url, { capMs: 100 }), () => {});
    expect(result.outcome).toBe('partial');
    await left;
  });

  test('keeps what it found when the stream breaks', async () => {
    const url = serve(() => new Response(tables()));
    const found: NowAndNext[] = [];
    const two = { ...STATION, id: stationId(networkId(4), serviceId(102)), serviceId: serviceId(102) };
    const result = await visits().visit(order(url, { own: [STATION, two] }), (items) => found.push(...items));
    expect(result).toMatchObject({ outcome: 'partial', reason: 'the stream ended' });
    expect(found).toHaveLength(1);
  });

  test('tells no tuner from a failed tuning, an absent agent and one that never answers', async () => {
    const client = visits();
    const status = (code: number) => serve(() => Response.json({ message: '理由' }, { status: code }));
    expect((await client.visit(order(status(409)), () => {})).outcome).toBe('no_tuner');
    const failed = await client.visit(order(status(500)), () => {});
    expect([failed.outcome, failed.reason]).toEqual(['failed', expect.stringContaining('理由')]);
    expect((await client.visit(order('http://127.0.0.1:1/'), () => {})).outcome).toBe('failed');
    const silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    });
    closers.push(() => silent.stop(true));
    const never = await client.visit(order(`http://127.0.0.1:${silent.port}/`, { openMs: 50 }), () => {});
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
    expect((await client.visit(order(url), () => {})).outcome).toBe('failed');
    expect((await client.visit(order(url), () => {})).outcome).toBe('complete');
    expect(starts).toBe(2);
  });
});
