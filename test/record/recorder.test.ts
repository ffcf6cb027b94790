/** What is ordered, through a real agent with one tuner: begun, shared, handed over, carried on after a restart. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { RecorderFixture } from './recorder-fixture.ts';
import { compare, probed, TestBroadcast, until } from './test-broadcast.ts';

// Real broadcast time passes, on a machine that may be busy.
setDefaultTimeout(60_000);

/** A tuner takes its time on a busy machine. */
const LEAD_MS = 7000;

let air: TestBroadcast;
let other: TestBroadcast;

beforeAll(async () => {
  [air, other] = await Promise.all([
    TestBroadcast.start(['T30', 'T31'], 'GR:1'),
    TestBroadcast.start(['T32'], 'GR:1'),
  ]);
}, 90_000);
afterAll(async () => {
  await Promise.all([air.close(), other.close()]);
}, 20_000);

describe.concurrent('orders', () => {
  test('back to back on one channel share a tuning and lose nothing; another channel takes the margin', async () => {
    const studio = new RecorderFixture(air, join(air.folder, 'studio'));
    const began = Date.now() + 500;
    const at = (seconds: number): number => began + seconds * 1000;
    const times = (openAt: number, startAt: number, endAt: number, closeAt: number) => ({
      ...{ openAt: at(openAt), startAt: at(startAt), endAt: at(endAt), closeAt: at(closeAt) },
    });
    const first = studio.reserve('T30', times(0, 5, 8, 10));
    const second = studio.reserve('T30', times(6, 8, 11, 18));
    // Three seconds later: on a busy machine the air itself is late.
    const third = studio.reserve('T31', times(14, 16, 19, 20), [second.reservationId]);
    studio.recorder.order([first, second, third]);
    await until('both receive', () => {
      const running = [...studio.recorder.running().values()];
      return running.length === 2 && running.every(({ progress }) => progress.phase === 'receiving');
    });
    const [tuner] = await air.tuners();
    expect(tuner?.users.map(({ use }) => use).sort()).toEqual(['rec 1', 'rec 2']);
    const [one, two] = await Promise.all([studio.judged(first), studio.judged(second)]);
    const three = await studio.judged(third);
    await studio.close();
    const sent = await air.sent('T30', began, Date.now());
    for (const recording of [one, two]) {
      expect(recording.verdict).toMatchObject({ level: 'complete', drops: 0 });
      expect(compare(recording.bytes, sent)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(await probed(recording.path)).toBeGreaterThan(60);
    }
    expect(one.verdict?.gaps).toEqual([]);
    expect(two.verdict?.gaps).toMatchObject([{ endMs: 10_000, cause: 'yielded' }]);
    // What was left of the margin when it was handed over, and it was handed over on time.
    expect(two.verdict?.tailMs).toBeGreaterThan(300);
    expect(two.verdict?.tailMs).toBeLessThan(5000);
    expect(three.verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(studio.lines.filter((line) => line.includes('interrupted'))).toEqual([]);
  });

  test('closed in the middle and opened again goes on in the same file, and tells the gap', async () => {
    const began = Date.now();
    const first = new RecorderFixture(other, join(other.folder, 'studio'));
    const order = first.reserve('T32', {
      openAt: began,
      startAt: began + LEAD_MS,
      endAt: began + 15_000,
      closeAt: began + 16_000,
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
    // None where the machine was so busy that the air stood still meanwhile.
    expect(found.holes).toBeLessThanOrEqual(1);
    expect(seams).toMatchObject([{ path: recording.path, kind: 'resumed' }]);
    expect((seams[0]?.position ?? 1) % 188).toBe(0);
    expect(await probed(recording.path)).toBeGreaterThan(60);
  });

  test('a clock that was ten minutes late and is set is no loss and no gap', async () => {
    const began = Date.now();
    const late = 600_000;
    const studio = new RecorderFixture(other, join(other.folder, 'late'), -late);
    const order = studio.reserve('T32', {
      openAt: began - late,
      startAt: began + LEAD_MS,
      endAt: began + 14_000,
      closeAt: began + 15_000,
    });
    studio.recorder.order([order]);
    await until('it writes', () =>
      [...studio.recorder.running().values()].some(({ progress }) => progress.bytes > 200_000),
    );
    studio.skew = 0;
    studio.recorder.clockSet();
    const { verdict, bytes } = await studio.judged(order);
    await studio.close();
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(verdict?.headMs).toBeGreaterThan(0);
    expect(verdict?.headMs).toBeLessThan(LEAD_MS);
    const found = compare(bytes, await other.sent('T32', began, Date.now()));
    expect(found).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
  });
});
