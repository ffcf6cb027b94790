/** The worker link with real workers: they answer, throw, exit, hang, and never start. */
import { afterEach, expect, test } from 'bun:test';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { WorkerError, WorkerLink, type WorkerLinkOptions } from '../../lib/host/worker-link.ts';
import { until } from '../until.ts';
import type { Trial } from './trial-contract.ts';

const LIMIT_MS = 20_000;
const links: WorkerLink<Trial>[] = [];

afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.close(1_000)));
});

function linked(options: Partial<WorkerLinkOptions<Trial>> = {}, entry = './trial.worker.ts') {
  const lost: string[] = [];
  const events: string[] = [];
  const lines: string[] = [];
  let started = 0;
  const link = new WorkerLink<Trial>({
    name: 'trial worker',
    startWorker: () => {
      started += 1;
      return new Worker(new URL(entry, import.meta.url));
    },
    log: createLog({ level: 'info', now: () => wallMs(0), write: (line) => lines.push(line) }, 'test'),
    onLost: (reason) => lost.push(reason),
    onEvent: ({ remembered }) => events.push(remembered),
    ...options,
  });
  links.push(link);
  return { link, lost, events, lines, started: () => started };
}

async function errorOf(promise: Promise<unknown>): Promise<WorkerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkerError)) throw new Error(`no WorkerError: ${String(error)}`);
  return error;
}

test('answers are paired with their requests, events arrive, setup comes first', async () => {
  const { link, events, started } = linked({
    setup: (send) => send({ kind: 'remember', text: 'setup ' }),
  });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => link.request('echo', String(n))));
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => `setup ${n}`));
  link.send({ kind: 'report' });
  await until('the event', () => events.length === 1);
  expect(events).toEqual(['setup ']);
  expect(started()).toBe(1);
  expect(link.openRequests).toBe(0);
});

test('buffers are moved in both directions', async () => {
  const { link } = linked();
  const bytes = new Uint8Array([1, 2, 3]);
  const answer = await link.request('bytes', bytes, { transfer: [bytes.buffer] });
  expect([...answer]).toEqual([2, 3, 4]);
  expect(bytes.length).toBe(0);
});

test('an error thrown by a handler reaches the caller with its code, and the worker keeps running', async () => {
  const { link, started } = linked();
  expect(await errorOf(link.request('fail', 'ended'))).toMatchObject({
    kind: 'failed',
    code: 'ended',
    message: 'not today',
  });
  expect(await errorOf(link.request('fail', null))).toMatchObject({ kind: 'failed', code: null });
  expect(await link.request('echo', 'a')).toBe('a');
  expect(started()).toBe(1);
});

test('a late answer is a timeout; other requests are not affected', async () => {
  const { link, started } = linked();
  await link.request('echo', 'started');
  expect((await errorOf(link.request('wait', null, { timeoutMs: 50 }))).kind).toBe('timeout');
  expect(await link.request('echo', 'a')).toBe('a');
  expect(started()).toBe(1);
});

test('an abort rejects with its reason, or is forwarded and the answer decides', async () => {
  const { link } = linked();
  const stop = new AbortController();
  const rejected = link.request('wait', null, { signal: stop.signal });
  const forwarded = link.request('wait', null, { signal: stop.signal, onAbort: 'forward' });
  stop.abort(new Error('not wanted'));
  await expect(rejected).rejects.toThrow('not wanted');
  expect(await forwarded).toBe('given up');
  await expect(link.request('wait', null, { signal: stop.signal })).rejects.toThrow('not wanted');
});

test('a worker that exits fails its requests and is replaced, with its setup', async () => {
  const { link, lost, lines, started } = linked({
    setup: (send) => send({ kind: 'remember', text: 'setup ' }),
  });
  await link.request('echo', 'started');
  const waiting = errorOf(link.request('wait', null));
  const dying = errorOf(link.request('die', null));
  expect([(await waiting).kind, (await dying).kind]).toEqual(['lost', 'lost']);
  expect(lost).toHaveLength(1);
  expect(lines.join('')).toContain('ERROR 1970-01-01T00:00:00.000Z test worker lost worker="trial worker"');
  expect(await link.request('echo', 'a')).toBe('setup a');
  expect(started()).toBe(2);
});

test('an order whose handler throws ends the worker', async () => {
  const { link, lost } = linked();
  await link.request('echo', 'started');
  link.send({ kind: 'throw' });
  await until('the loss', () => lost.length === 1);
  expect(lost[0]).toContain('broken order');
  expect(await link.request('echo', 'a')).toBe('a');
});

test('a worker that hangs in a loop is terminated by the watchdog and replaced', async () => {
  const { link, lost, started } = linked({ watchdog: { askMs: 20, limitMs: 400, startLimitMs: LIMIT_MS } });
  await link.request('echo', 'started');
  // The first answer to the watchdog ends its longer limit for the start.
  await Bun.sleep(60);
  expect((await errorOf(link.request('loop', null))).kind).toBe('lost');
  expect(lost[0]).toMatch(/^no answer for \d+ ms$/);
  expect(await link.request('echo', 'a')).toBe('a');
  expect(started()).toBe(2);
});

test("with watchWhen 'working' a worker is watched only while it works", async () => {
  const { link, lost, started } = linked({
    watchWhen: 'working',
    watchdog: { askMs: 20, limitMs: 300, startLimitMs: LIMIT_MS },
  });
  const release = link.hold();
  await link.request('echo', 'started');
  const looping = errorOf(link.request('loop', null));
  expect((await looping).kind).toBe('lost');
  release();
  release();
  expect(lost).toHaveLength(1);
  expect(started()).toBe(1);
});

test('a worker that never starts is reported, and retried only after a pause', async () => {
  let now = 0;
  const { link, lost, started } = linked(
    { clock: () => monotonicMs(now), retryMs: 1_000 },
    './broken.worker.ts',
  );
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('lost');
  expect(lost[0]).toContain('not started');
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('busy');
  link.send({ kind: 'report' });
  expect(started()).toBe(1);
  now += 1_000;
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('lost');
  now += 1_999;
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('busy');
  now += 1;
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('lost');
  expect(started()).toBe(3);
});

test('open requests are bounded', async () => {
  const { link } = linked({ maxRequests: 2 });
  const stop = new AbortController();
  const open = [1, 2].map(() => link.request('wait', null, { signal: stop.signal, onAbort: 'forward' }));
  expect((await errorOf(link.request('echo', 'a'))).kind).toBe('busy');
  stop.abort();
  expect(await Promise.all(open)).toEqual(['given up', 'given up']);
});

test('an idle worker is ended after a while, and started by the next request', async () => {
  const { link, lost, started } = linked({ idleMs: 20 });
  expect(await link.request('echo', 'a')).toBe('a');
  await until('the end', () => !link.isRunning);
  expect(await link.request('echo', 'b')).toBe('b');
  expect(started()).toBe(2);
  expect(lost).toEqual([]);
});

test('close waits for the worker, up to its limit, and then rejects open requests', async () => {
  const polite = linked();
  await polite.link.request('echo', 'a');
  expect(await polite.link.close()).toBe(true);
  expect((await errorOf(polite.link.request('echo', 'a'))).kind).toBe('closed');
  polite.link.send({ kind: 'report' });
  expect(polite.started()).toBe(1);

  const stuck = linked();
  await stuck.link.request('echo', 'a');
  stuck.link.send({ kind: 'end', end: 'never' });
  const open = errorOf(stuck.link.request('wait', null));
  expect(await stuck.link.close(100)).toBe(false);
  expect((await open).kind).toBe('closed');
  expect(stuck.lost).toEqual([]);
});
