/** Recordings whose announced end passed while the station was not received. */
import { afterAll, describe, expect } from 'bun:test';
import { join } from 'node:path';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { RecordingOrder } from '../../src/model/recording.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { RecorderFixture } from './recorder-fixture.ts';
import { SessionFixture } from './session-fixture.ts';
import { compare, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
/** How long a programme continues after the restart: enough for a machine that takes seconds to tune. */
const LONGER_MS = 7000;

const { prepare, test } = realTime();
let air: TestBroadcast;
let other: TestBroadcast;

prepare(async () => {
  [air, other] = await Promise.all([
    TestBroadcast.start(['T30', 'T31', 'T32'], 'GR:3'),
    TestBroadcast.start(['T32'], 'GR:1'),
  ]);
});
afterAll(async () => {
  await Promise.all([air?.close(), other?.close()]);
});

/** Priorities of the current users of a channel. */
async function priorities(on: TestBroadcast, channel: string): Promise<number[]> {
  const tuners = await on.tuners();
  return tuners
    .filter(({ tuned }) => tuned?.channel === channel)
    .flatMap(({ users }) => users.map((one) => one.priority));
}

/** A recording whose service was stopped in its middle, until after the announced end. */
async function stoppedBeforeItsEnd(
  channel: string,
): Promise<{ folder: string; began: number; order: RecordingOrder }> {
  const folder = join(air.folder, `away ${channel}`);
  const began = broadcastMs(Date.now());
  const fixture = new RecorderFixture(air, folder);
  const order = fixture.reserve(channel, {
    ...{
      openAt: began,
      startAt: plusMs(began, 3500),
      endAt: plusMs(began, 7000),
      closeAt: plusMs(began, 7500),
    },
  });
  fixture.recorder.order([order]);
  await until(
    'it writes, and its programme is on air',
    () =>
      (fixture.recorder.running().get(order.reservationId)?.progress.bytes ?? 0) > 100_000 &&
      Date.now() > order.startAt + 1000,
  );
  await fixture.close();
  await until('its end has passed', () => Date.now() > order.closeAt);
  return { folder, began, order };
}

describe.concurrent('a recording whose end passed unseen', () => {
  test('a service that restarts after the end resumes if the programme is still on air', async () => {
    const { folder, began, order } = await stoppedBeforeItsEnd('T30');
    const second = new RecorderFixture(air, folder);
    // The probe takes no tuner from other recordings, and writes nothing.
    await until('it listens', async () => (await priorities(air, 'T30')).includes(9));
    const { bytes: before = 0 } = second.recorder.running().get(order.reservationId)?.progress ?? {};
    const endAt = Date.now() + LONGER_MS;
    second.recorder.order([{ ...order, endAt: broadcastMs(endAt), closeAt: broadcastMs(endAt + 500) }]);
    await until(
      'it writes again',
      () => (second.recorder.running().get(order.reservationId)?.progress.bytes ?? 0) > before,
    );
    const { verdict, bytes, state } = await second.judged(order);
    await second.close();
    expect(state).toBe('recorded');
    expect(compare(bytes, await air.sent('T30', began, Date.now()))).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict?.gaps.map(({ cause }) => cause)).toEqual(['service_stopped']);
    expect(verdict?.tailMs).toBeGreaterThan(0);
  });

  test('a service that restarts after the end writes nothing of the next programme', async () => {
    const { folder, began, order } = await stoppedBeforeItsEnd('T31');
    const stopped = Date.now();
    const second = new RecorderFixture(air, folder);
    const { verdict, bytes, beganAt } = await second.judged(order);
    await second.close();
    expect(compare(bytes, await air.sent('T31', began, stopped))).toMatchObject({ foreign: 0, holes: 0 });
    expect(verdict?.gaps.at(-1)).toMatchObject({ endMs: 3500, cause: 'service_stopped' });
    expect(beganAt).toBeLessThan(order.closeAt);
  });

  test('a recording interrupted at its end checks the tables whether the programme is over', async () => {
    const fixture = new SessionFixture(join(other.folder, 'cut off'), other.agentUrl);
    const began = broadcastMs(Date.now());
    const endAt = began + 8000;
    const session = fixture.record({ station: other.station('T32'), endAt });
    await until(
      'it receives, and its programme is on air',
      () => session.state.bytes > 100_000 && Date.now() > began + 4500,
    );
    await other.killAgent();
    await until('its end has passed', () => Date.now() > endAt + 500);
    expect(session.state.phase).toBe('interrupted');
    await other.startAgent('GR:1');
    await until('it listens', async () => (await priorities(other, 'T32')).includes(9));
    const later = Date.now() + LONGER_MS;
    fixture.extend(session, later);
    const { verdict, bytes } = await fixture.conclude(session, { startAt: began + 3500, endAt: later - 500 });
    await fixture.close();
    expect(compare(bytes, await other.sent('T32', began, Date.now()))).toMatchObject({
      foreign: 0,
      holes: 1,
    });
    const causes = new Set(verdict.gaps.map(({ cause }) => cause));
    expect([...causes].every((cause) => cause === 'stream_ended' || cause === 'agent_unavailable')).toBe(
      true,
    );
    expect(verdict.tailMs).toBeGreaterThan(-500);
  });

  test('a recording interrupted by another programme waits, and continues in the same file', async () => {
    const fixture = new RecorderFixture(air, join(air.folder, 'broken off'));
    const began = broadcastMs(Date.now());
    const order = fixture.reserve('T32', {
      ...{
        openAt: began,
        startAt: plusMs(began, 3000),
        endAt: plusMs(began, 6000),
        closeAt: plusMs(began, 6500),
      },
    });
    const progress = () => fixture.recorder.running().get(order.reservationId)?.progress;
    const listenUntil = broadcastMs(began + 300_000);
    fixture.recorder.order([{ ...order, listenUntil }]);
    // On a tuner that any other user may take.
    await until('it waits', async () => (await priorities(air, 'T32')).includes(3));
    expect(progress()).toMatchObject({ phase: 'interrupted', cause: 'broken_off', until: listenUntil });
    await until('another programme was on air for a while', () => Date.now() > order.closeAt + 1500);
    const endAt = Date.now() + LONGER_MS;
    fixture.recorder.order([{ ...order, endAt: broadcastMs(endAt), closeAt: broadcastMs(endAt + 500) }]);
    await until('it is written again', () => progress()?.phase === 'receiving');
    const { verdict, bytes, state } = await fixture.judged(order);
    await fixture.close();
    expect(compare(bytes, await air.sent('T32', began, Date.now()))).toMatchObject({ foreign: 0, holes: 1 });
    expect([state, verdict?.level]).toEqual(['recorded', 'damaged']);
    expect(verdict?.gaps.map(({ cause }) => cause)).toEqual(['broken_off']);
    const [gap] = verdict?.gaps ?? [];
    expect((gap?.endMs ?? 0) - (gap?.startMs ?? 0)).toBeGreaterThan(1000);
    expect(verdict?.tailMs).toBeGreaterThan(-500);
  });
});
