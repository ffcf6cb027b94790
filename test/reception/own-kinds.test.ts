/**
 * A new output and a new reader need no change of an existing file, and a fault of a reader ends only that
 * reader.
 */
import { afterEach, expect, test } from 'bun:test';
import { serviceId } from '../../arib/ids.ts';
import { systemMonotonicClock } from '../../host/clock.ts';
import { SILENT_LOG } from '../../host/log.ts';
import type { ReaderEnd } from '../../src/reception/reader-kind.ts';
import { ReceptionPool, type ReceptionStream } from '../../src/reception/reception-pool.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../stream-builder.ts';
import { until } from '../until.ts';
import { countingOutput, type Fault, faultyReader, pidReader } from './probes.ts';

const SERVICE = 101;
const PMT = 0x1f0;
const VIDEO = 0x100;
const EIT = 0x12;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** An agent whose only station is sent repeatedly. */
function agent(): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: () => {
      const builder = new StreamBuilder();
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            builder
              .sections(0, patSection(1, [[SERVICE, PMT]]))
              .sections(PMT, pmtSection(SERVICE, { pcrPid: VIDEO, streams: [{ type: 0x02, pid: VIDEO }] }))
              .pes(VIDEO, pesPacket({ streamId: 0xe0, pts: 90_000, data: new Uint8Array(400) }))
              .packet(EIT, { payload: new Uint8Array(100) })
              .nulls(20);
            controller.enqueue(builder.take() as Uint8Array<ArrayBuffer>);
            await Bun.sleep(3);
          },
        }),
      );
    },
  });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

interface PoolFixture {
  open(lane: 'recording' | 'other'): Promise<ReceptionStream>;
  startedWorkers(): number;
}

function startPool(): PoolFixture {
  let started = 0;
  const startWorker = (): Worker => {
    started += 1;
    return new Worker(new URL('./probe.worker.ts', import.meta.url));
  };
  const pool = new ReceptionPool({ agentUrl: agent(), startWorker, log: SILENT_LOG });
  closers.push(() => pool.close());
  const open = (lane: 'recording' | 'other'): Promise<ReceptionStream> =>
    pool.open({
      request: { type: 'GR', channel: 'T27', priority: 9, use: 'a test' },
      serviceId: serviceId(SERVICE),
      handlers: { ended: () => {} },
      signal: new AbortController().signal,
      lane,
    });
  return { open, startedWorkers: () => started };
}

const open = (): Promise<ReceptionStream> => startPool().open('other');

test('a custom output is fed, takes commands and ends with its own value', async () => {
  const stream = await open();
  const reports: string[] = [];
  const end = Promise.withResolvers<unknown>();
  const counter = stream.output(
    countingOutput,
    { label: 'mine' },
    {
      event: ({ label, packets, bytes }) => {
        if (packets > 0) reports.push(`${label} ${bytes.length}`);
      },
      ended: end.resolve,
    },
  );
  while (reports.length === 0) {
    counter.command({ kind: 'report' });
    await Bun.sleep(5);
  }
  expect(reports[0]).toBe('mine 8');
  await counter.stop();
  expect(await end.promise).toMatchObject({ cause: 'counted' });
});

test('a custom reader gets the PIDs that it selects, and others when it changes the selection', async () => {
  const stream = await open();
  const pids = new Set<number>();
  const reader = stream.reader(pidReader, { pid: EIT }, { value: ({ pid }) => pids.add(pid) });
  await until(() => pids.size > 0);
  expect([...pids]).toEqual([EIT]);
  reader.command({ pid: VIDEO });
  await until(() => pids.has(VIDEO));
  pids.clear();
  await until(() => pids.size > 0);
  expect([...pids]).toEqual([VIDEO]);
});

test("values are dated by this thread's clock, although the worker's has another origin", async () => {
  const stream = await open();
  const ages: number[] = [];
  const value = (_value: unknown, postedAt: number): void => {
    ages.push(systemMonotonicClock() - postedAt);
  };
  stream.reader(pidReader, { pid: EIT }, { value });
  await until(() => ages.length > 20);
  // The fastest message has no age; none comes from the future.
  expect(Math.min(...ages)).toBeWithin(-1, 5);
});

test.each<[Fault, string]>([
  ['throws', 'broken on purpose'],
  ['throws at its start', 'broken on purpose'],
  ['is slow', 'took'],
])('a reader that %s ends alone and is reported', async (fault, reason) => {
  const stream = await open();
  let packets = 0;
  const counter = stream.output(
    countingOutput,
    { label: '' },
    {
      event: (event) => {
        packets = event.packets;
      },
      ended: () => {},
    },
  );
  const beside: number[] = [];
  stream.reader(pidReader, { pid: EIT }, { value: ({ pid }) => beside.push(pid) });
  const end = Promise.withResolvers<ReaderEnd>();
  stream.reader(faultyReader, { pid: EIT, fault }, { value: () => {}, ended: end.resolve });
  expect(await end.promise).toMatchObject({ cause: 'fault', reason: expect.stringContaining(reason) });
  const before = beside.length;
  await until(() => beside.length > before);
  counter.command({ kind: 'report' });
  await until(() => packets > 0);
  const fed = packets;
  while (packets === fed) {
    counter.command({ kind: 'report' });
    await Bun.sleep(5);
  }
});

test('up to eight live streams share one worker', async () => {
  const pool = startPool();
  for (let stream = 0; stream < 8; stream += 1) await pool.open('other');
  expect(pool.startedWorkers()).toBe(1);
  await pool.open('other');
  expect(pool.startedWorkers()).toBe(2);
});

test('recordings are divided among the workers, beginning with the one without live streams', async () => {
  const pool = startPool();
  await pool.open('other');
  expect(pool.startedWorkers()).toBe(1);
  await pool.open('recording');
  expect(pool.startedWorkers()).toBe(2);
  const other = startPool();
  await other.open('recording');
  await other.open('recording');
  expect(other.startedWorkers()).toBe(2);
});
