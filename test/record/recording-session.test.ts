/**
 * Events that end, move and resume a recording: copy control, a hand-over, a changed end, a crashed worker.
 */
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { startReceptionWorker } from '../built-programs.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { SessionFixture } from './session-fixture.ts';
import { clockSpan, compare, TestBroadcast } from './test-broadcast.ts';

/** Later than any test ends its recording: a busy machine has time for everything that happens before. */
const FAR_MS = 600_000;
const { test, lateness } = realTime();
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

/** Waits until about 3 s more of the station were written. */
async function writes(session: ReturnType<SessionFixture['record']>): Promise<void> {
  const before = session.state.bytes;
  await until('it writes', () => session.state.bytes > before + 200_000);
}

describe.concurrent('a recording', () => {
  test('of a programme that must not be copied from its start ends at once as failed', async () => {
    const repair = air.fault({ kind: 'copy_never', channel: 'T30' });
    const began = Date.now();
    const endAt = began + FAR_MS;
    const session = fixture.record({ station: air.station('T30'), endAt });
    const { result, bytes } = await fixture.conclude(session, { startAt: began, endAt });
    repair();
    expect(result.end).toBe('copy_never');
    expect(result.at - began).toBeLessThan(lateness().widened(10_000));
    expect(bytes).toHaveLength(0);
    expect(fixture.store.find(session.options.id)).toMatchObject({
      state: 'failed',
      reason: { code: 'copy_never' },
    });
    const users = (await air.tuners()).find(({ tuned }) => tuned?.channel === 'T30')?.users;
    expect(users ?? []).toEqual([]);
  });

  test('ends later when its programme is extended, or a user extends it', async () => {
    const began = Date.now();
    const session = fixture.record({ station: air.station('T31'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.phase === 'receiving');
    const startAt = Date.now();
    const firstEnd = startAt + 1000;
    fixture.extend(session, firstEnd);
    fixture.extend(session, began + FAR_MS);
    await until('the first end has passed', () => Date.now() > firstEnd + 1500);
    expect(session.state.phase).toBe('receiving');
    await session.stop();
    const { verdict, result, bytes } = await fixture.conclude(session, { startAt, endAt: began + FAR_MS });
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
    const session = own.record({ station: air.station('T32'), endAt: began + FAR_MS });
    await until('it writes', () => session.state.bytes > 300_000);
    const startAt = Date.now() - 1000;
    workers[0]?.terminate();
    await until('another one is started', () => workers.length === 2);
    await until('it receives again', () => session.state.phase === 'receiving');
    await writes(session);
    const { verdict, bytes, result } = await own.stopAndConclude(session, startAt);
    await own.close();
    expect(result.parts).toHaveLength(1);
    const found = compare(bytes, await air.sent('T32', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict.drops).toBe(0);
    // An interruption of up to 500 ms is tolerated, and a fast machine needs less.
    if (verdict.level === 'complete') expect(clockSpan(bytes).lostMs).toBeLessThan(800);
    else expect(verdict.gaps.map(({ cause }) => cause)).toEqual(['recorder_failed']);
  });

  test('yields its end margin to the next one on its tuner, and reports it', async () => {
    const small = await TestBroadcast.start(['T30', 'T31'], 'GR:1');
    const own = new SessionFixture(join(small.folder, 'own'), small.agentUrl);
    const far = Date.now() + FAR_MS;
    const first = own.record({ station: small.station('T30'), endAt: far });
    await until('it receives', () => first.state.phase === 'receiving');
    const startAt = Date.now();
    const handover = startAt + 3000;
    const second = own.record({
      ...{ station: small.station('T31'), openAt: handover, endAt: far },
      after: [`rec ${first.options.id}`],
    });
    await until('the tuner is handed over', () => Date.now() >= handover);
    first.yieldEnd(broadcastMs(Date.now()));
    const one = await own.conclude(first, { startAt, endAt: handover - 500 });
    await until('the next one receives', () => second.state.phase === 'receiving');
    const receivedAt = Date.now();
    await writes(second);
    const other = await own.stopAndConclude(second, receivedAt);
    await own.close();
    await small.close();
    expect(one.verdict).toMatchObject({ level: 'complete', drops: 0 });
    expect(one.verdict.gaps.map(({ cause }) => cause)).toEqual(['yielded']);
    expect(one.verdict.tailMs).toBeLessThan(1500);
    expect(other.verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
  });
});
