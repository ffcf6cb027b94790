/** The recorder's orders through a real agent with one tuner: start, share, hand over, resume after a restart. */
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { RecorderFixture } from './recorder-fixture.ts';
import { clockSpan, compare, probed, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
/** A tuner takes longer on a busy machine. */
const LEAD_MS = 10_000;

const { test } = realTime();
let air: TestBroadcast;
let other: TestBroadcast;

beforeAll(async () => {
  [air, other] = await Promise.all([
    TestBroadcast.start(['T30', 'T31'], 'GR:1'),
    TestBroadcast.start(['T32'], 'GR:1'),
  ]);
});
afterAll(async () => {
  await Promise.all([air.close(), other.close()]);
});

describe.concurrent('orders', () => {
  test('back to back on one channel share a tuning and lose nothing; another channel takes the margin', async () => {
    const fixture = new RecorderFixture(air, join(air.folder, 'studio'));
    const began = Date.now() + 500;
    const at = (seconds: number) => broadcastMs(began + seconds * 1000);
    const times = (openAt: number, startAt: number, endAt: number, closeAt: number) => ({
      ...{ openAt: at(openAt), startAt: at(startAt), endAt: at(endAt), closeAt: at(closeAt) },
    });
    // On a busy machine tuning takes seconds, and the broadcast itself is delayed: margins allow for that.
    const first = fixture.reserve('T30', times(0, 8, 9, 14));
    const second = fixture.reserve('T30', times(8, 10, 11, 24));
    // Its programme begins when it is received, however long that takes.
    const third = fixture.reserve('T31', times(16, 600, 603, 605), [second.reservationId]);
    fixture.recorder.order([first, second, third]);
    await until('both receive', () => {
      const running = [...fixture.recorder.running().values()];
      return running.length === 2 && running.every(({ progress }) => progress.phase === 'receiving');
    });
    const [tuner] = await air.tuners();
    expect(tuner?.users.map(({ use }) => use).sort()).toEqual(['rec 1', 'rec 2']);
    const [one, two] = await Promise.all([fixture.judged(first), fixture.judged(second)]);
    const isReceived = (bytes: number): boolean =>
      (fixture.recorder.running().get(third.reservationId)?.progress.bytes ?? 0) > bytes;
    await until('the third is received', () => isReceived(0));
    const startAt = broadcastMs(Date.now() + 1000);
    fixture.recorder.order([{ ...third, startAt }]);
    await until('its programme has begun', () => Date.now() > startAt);
    const before = fixture.recorder.running().get(third.reservationId)?.progress.bytes ?? 0;
    await until('it is written', () => isReceived(before + 100_000));
    const endAt = broadcastMs(Date.now() - 1000);
    fixture.recorder.order([{ ...third, startAt, endAt }]);
    await fixture.recorder.stop(third.reservationId);
    const three = await fixture.judged(third);
    await fixture.close();
    const sent = await air.sent('T30', began, Date.now());
    for (const recording of [one, two]) {
      expect(recording.verdict).toMatchObject({ level: 'complete', drops: 0 });
      expect(compare(recording.bytes, sent)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(await probed(recording.path)).toBeGreaterThan(60);
    }
    expect(one.verdict?.gaps).toEqual([]);
    expect(two.verdict?.gaps).toMatchObject([{ endMs: 14_000, cause: 'yielded' }]);
    // The margin ended when the third took the tuner.
    expect(two.verdict?.tailMs).toBeGreaterThan(300);
    expect(second.endAt + (two.verdict?.tailMs ?? 0)).toBeLessThan(startAt - (three.verdict?.headMs ?? 0));
    expect(three.verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(fixture.lines.filter((line) => line.includes('interrupted'))).toEqual([]);
  });

  test('stopped in the middle and started again continues in the same file, and reports the gap', async () => {
    const began = Date.now();
    const first = new RecorderFixture(other, join(other.folder, 'studio'));
    const order = first.reserve('T32', {
      openAt: broadcastMs(began),
      startAt: broadcastMs(began + LEAD_MS),
      endAt: broadcastMs(began + 600_000),
      closeAt: broadcastMs(began + 602_000),
    });
    first.recorder.order([order]);
    await until(
      'it writes its programme',
      () =>
        Date.now() > order.startAt + 1000 &&
        [...first.recorder.running().values()].some(({ progress }) => progress.bytes > 300_000),
    );
    await first.close();
    const stopped = Date.now();
    const parts = first.air.folder;
    await Bun.sleep(1500);
    const second = new RecorderFixture(other, join(parts, 'studio'));
    const resumed = Date.now();
    // Waits until enough of the programme is written to count as recorded.
    await until('most of it is written', () => {
      const { lostMs } = clockSpan(second.written());
      return lostMs > 0 && Date.now() - order.startAt > 4 * lostMs;
    });
    await second.recorder.stop(order.reservationId);
    const recording = await second.judged(order);
    const seams = second.store.seams(recording.id);
    await second.close();
    expect(recording.state).toBe('recorded');
    expect(recording.verdict).toMatchObject({ level: 'damaged', drops: 0 });
    expect(recording.verdict?.gaps.map(({ cause }) => cause)).toEqual(['service_stopped']);
    const [gap] = recording.verdict?.gaps ?? [];
    const gapMs = (gap?.endMs ?? 0) - (gap?.startMs ?? 0);
    expect(gapMs).toBeGreaterThan(resumed - stopped - 500);
    const found = compare(recording.bytes, await other.sent('T32', began, Date.now()));
    expect(found.foreign).toBe(0);
    expect(found.holes).toBe(1);
    expect(seams).toMatchObject([{ path: recording.path, kind: 'resumed' }]);
    expect((seams[0]?.position ?? 1) % 188).toBe(0);
    expect(await probed(recording.path)).toBeGreaterThan(60);
  });

  test('setting a clock that was ten minutes late causes no loss and no gap', async () => {
    const began = Date.now();
    const late = 600_000;
    const fixture = new RecorderFixture(other, join(other.folder, 'late'), -late);
    const order = fixture.reserve('T32', {
      openAt: broadcastMs(began - late),
      startAt: broadcastMs(began + LEAD_MS),
      endAt: broadcastMs(began + 12_000),
      closeAt: broadcastMs(began + 17_000),
    });
    fixture.recorder.order([order]);
    await until('it writes', () =>
      [...fixture.recorder.running().values()].some(({ progress }) => progress.bytes > 200_000),
    );
    fixture.skew = 0;
    fixture.recorder.clockSet();
    const { verdict, bytes } = await fixture.judged(order);
    await fixture.close();
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(verdict?.headMs).toBeGreaterThan(0);
    expect(verdict?.headMs).toBeLessThan(LEAD_MS);
    const found = compare(bytes, await other.sent('T32', began, Date.now()));
    expect(found).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
  });
});
