/**
 * A new output and a new reader need no change of an existing file, and a fault of a reader ends only that
 * reader.
 */
import { afterEach, expect, test } from 'bun:test';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { ReaderEnd } from '../../src/reception/reader-kind.ts';
import { ReceptionPool, type ReceptionStream } from '../../src/reception/reception-pool.ts';
import { until } from '../until.ts';
import { EIT, SERVICE, startLoopAgent, VIDEO } from './loop-agent.ts';
import { countingOutput, type Fault, faultyReader, pidReader } from './probes.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

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
  const agent = startLoopAgent();
  closers.push(() => agent.stop());
  const pool = new ReceptionPool({ agentUrl: agent.url, startWorker, log: SILENT_LOG });
  closers.push(() => pool.close());
  const open = (lane: 'recording' | 'other'): Promise<ReceptionStream> =>
    pool.open({
      request: { type: 'GR', channel: 'T27', priority: 9, use: 'a test' },
      serviceId: SERVICE,
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

test('up to sixteen live streams share one worker', async () => {
  const pool = startPool();
  for (let stream = 0; stream < 16; stream += 1) await pool.open('other');
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
