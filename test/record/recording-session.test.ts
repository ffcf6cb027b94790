/**
 * Events that end, move and resume a recording: copy control, a hand-over, a changed end, a crashed worker.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { startReceptionWorker } from '../../src/workers.ts';
import { until } from '../until.ts';
import { SessionFixture } from './session-fixture.ts';
import { compare, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
let air: TestBroadcast;
let fixture: SessionFixture;

beforeAll(async () => {
  air = await TestBroadcast.start(['T30', 'T31', 'T32'], 'GR:3');
  fixture = new SessionFixture(join(air.folder, 'desk'), air.agentUrl);
});
afterAll(async () => {
  await fixture.close();
  await air.close();
});

describe.concurrent('a recording', () => {
  test('of a programme that must not be copied from its start ends at once as failed', async () => {
    const repair = air.fault({ kind: 'copy_never', channel: 'T30' });
    const began = Date.now();
    const session = fixture.record({ station: air.station('T30'), endAt: began + 60_000 });
    const { result, bytes } = await fixture.conclude(session, { startAt: began, endAt: began + 59_000 });
    repair();
    expect(result.end).toBe('copy_never');
    expect(result.at - began).toBeLessThan(10_000);
    expect(bytes).toHaveLength(0);
    expect(fixture.store.find(session.options.id)).toMatchObject({
      state: 'failed',
      reason: { code: 'copy_never' },
    });
    expect((await air.tuners()).find(({ tuned }) => tuned?.channel === 'T30')?.users ?? []).toEqual([]);
  });

  test('ends later when its programme is extended, or a user extends it', async () => {
    const began = Date.now();
    // Late enough that a busy machine receives before.
    const firstEnd = began + 9000;
    const session = fixture.record({ station: air.station('T31'), endAt: firstEnd });
    await until('it receives', () => session.state.phase === 'receiving');
    const startAt = Date.now();
    fixture.extend(session, began + 60_000);
    await until('the first end has passed', () => Date.now() > firstEnd + 1500);
    expect(session.state.phase).toBe('receiving');
    await session.stop();
    const { verdict, result, bytes } = await fixture.conclude(session, { startAt, endAt: began + 59_000 });
    expect(result.end).toBe('stopped');
    expect(verdict).toMatchObject({ level: 'complete', gaps: [] });
    expect(compare(bytes, await air.sent('T31', began, Date.now()))).toMatchObject({
      foreign: 0,
      missing: 0,
    });
  });

  test('continues when its worker crashes, in the same file', async () => {
    const workers: Worker[] = [];
    const startWorker = (): Worker => {
      const worker = startReceptionWorker();
      workers.push(worker);
      return worker;
    };
    const own = new SessionFixture(
      join(air.folder, 'own'),
      air.agentUrl,
      (log) => new ReceptionPool({ agentUrl: air.agentUrl, startWorker, log }),
    );
    const began = Date.now();
    const session = own.record({ station: air.station('T32'), endAt: began + 9000 });
    await until('it writes', () => session.state.bytes > 300_000);
    const startAt = Date.now() - 1000;
    workers[0]?.terminate();
    await until('another one is started', () => workers.length === 2);
    await until('it receives again', () => session.state.phase === 'receiving');
    const { verdict, bytes, result } = await own.conclude(session, { startAt, endAt: began + 8500 });
    await own.close();
    expect(result.parts).toHaveLength(1);
    const found = compare(bytes, await air.sent('T32', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict.drops).toBe(0);
    // An interruption of up to 500 ms is tolerated, and a fast machine needs less.
    const missingMs = (found.missing / (bytes.length / 188 + found.missing)) * 8500;
    if (verdict.level === 'complete') expect(missingMs).toBeLessThan(800);
    else expect(verdict.gaps.map(({ cause }) => cause)).toEqual(['recorder_failed']);
  });

  test('yields its end margin to the next one on its tuner, and reports it', async () => {
    const small = await TestBroadcast.start(['T30', 'T31'], 'GR:1');
    const own = new SessionFixture(join(small.folder, 'own'), small.agentUrl);
    const began = Date.now();
    const first = own.record({ station: small.station('T30'), endAt: began + 9000 });
    await until('it receives', () => first.state.phase === 'receiving');
    const startAt = Date.now();
    const handover = began + 4000;
    const handedOver = until('the tuner is handed over', () => Date.now() >= handover).then(() =>
      first.yieldEnd(broadcastMs(Date.now())),
    );
    const second = own.record({
      ...{ station: small.station('T31'), openAt: handover, endAt: began + 8000 },
      after: [`rec ${first.options.id}`],
    });
    await handedOver;
    const one = await own.conclude(first, { startAt, endAt: began + 3500 });
    await until('the next one receives', () => second.state.phase === 'receiving');
    const other = await own.conclude(second, { startAt: Date.now(), endAt: began + 7500 });
    await own.close();
    await small.close();
    expect(one.verdict).toMatchObject({ level: 'complete', drops: 0 });
    expect(one.verdict.gaps.map(({ cause }) => cause)).toEqual(['yielded']);
    expect(one.verdict.tailMs).toBeLessThan(1500);
    expect(other.verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
  });
});
