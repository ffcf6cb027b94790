/** Recordings of a small broadcast through a real agent, with and without reception faults. */
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { join } from 'node:path';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { SessionFixture } from './session-fixture.ts';
import { clockSpan, compare, probed, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
const CHANNELS = ['T30', 'T31', 'T32', 'T33', 'T34', 'T35', 'T36'];
const { test } = realTime();
let air: TestBroadcast;
let fixture: SessionFixture;

/** The tolerance of verdicts, plus the uncertainty caused by the packet rates of two stations. */
const TOLERATED_MS = 800;
const STALL_MS = 2500;
/** Later than any test ends its recording: a slow machine has time for everything that happens before. */
const FAR_MS = 200_000;
/** About 3 s of the station. */
const SOME_BYTES = 200_000;

beforeAll(async () => {
  air = await TestBroadcast.start(CHANNELS, `GR:${CHANNELS.length}`);
  fixture = new SessionFixture(join(air.folder, 'desk'), air.agentUrl);
});
afterAll(async () => {
  await fixture.close();
  await air.close();
});

/** Waits until this much more was written. */
async function writes(session: ReturnType<SessionFixture['record']>, bytes = SOME_BYTES): Promise<void> {
  const before = session.state.bytes;
  await until('it writes', () => session.state.bytes > before + bytes);
}

describe.concurrent('a recording', () => {
  test('equals the sent stream, packet by packet', async () => {
    const began = Date.now();
    const session = fixture.record({ station: air.station('T30'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.phase === 'receiving');
    const startAt = Date.now();
    await writes(session, 2 * SOME_BYTES);
    const endAt = Date.now() - 1000;
    await session.stop();
    const { verdict, bytes, path, result } = await fixture.conclude(session, { startAt, endAt });
    const sent = await air.sent('T30', began, Date.now());
    expect(compare(bytes, sent)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
    expect(result.measured.sums).toEqual({
      packets: bytes.length / 188,
      drops: 0,
      errors: 0,
      scrambled: 0,
    });
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(verdict.tailMs).toBeGreaterThan(500);
    expect(verdict.tailMs).toBeLessThan(3000);
    expect(await probed(path)).toBeGreaterThan(60);
  });

  test('continues in the same file when the stream ends', async () => {
    const began = Date.now();
    const session = fixture.record({ station: air.station('T31'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const repair = air.fault({ kind: 'end', channel: 'T31', exitCode: 1 });
    await until('the stream ended', () => session.state.cause !== null);
    repair();
    await until('it receives again', () => session.state.phase === 'receiving');
    await writes(session);
    const { verdict, bytes, path } = await fixture.stopAndConclude(session, startAt);
    const found = compare(bytes, await air.sent('T31', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: 1 });
    // The only loss is one gap; no packets are dropped otherwise.
    const { totalMs } = clockSpan(bytes);
    const packetsMs = (found.missing / (bytes.length / 188 + found.missing)) * totalMs;
    expect(verdict.drops).toBe(0);
    // An interruption of up to 500 ms is tolerated, and a fast machine needs less.
    if (verdict.level === 'complete') expect(packetsMs).toBeLessThan(TOLERATED_MS);
    else expect(verdict.gaps[0]?.cause).toBe('stream_ended');
    const gapMs = verdict.gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    expect(Math.abs(gapMs - packetsMs)).toBeLessThan(1500);
    expect(await probed(path)).toBeGreaterThan(60);
    expect(
      [...fixture.store.filePages()].flat().filter(({ path: each }) => each.includes('T31')),
    ).toHaveLength(1);
  });

  test('reports an interruption of the reception as a gap of that length', async () => {
    const began = Date.now();
    const session = fixture.record({ station: air.station('T32'), endAt: began + 40_000 });
    await until('it receives', () => session.state.bytes > 100_000);
    // In broadcast time, however late this machine sends; a longer stall would make the agent end the stream.
    const from = Date.now() + 1000;
    const to = from + STALL_MS;
    air.fault({ kind: 'stall', channel: 'T32', from, to });
    const breaks = () => fixture.store.measured(session.options.id)?.breaks ?? [];
    // A busy machine may stall by itself before.
    await until('the stall is over', () => Date.now() > to);
    await until('the stall is reported', () => breaks().some(({ cause }) => cause === 'stalled'));
    const before = session.state.bytes;
    await until('it receives again', () => session.state.bytes > before + 100_000);
    const { verdict, bytes } = await fixture.stopAndConclude(session, from - 500);
    const found = compare(bytes, await air.sent('T32', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict.drops).toBe(0);
    expect(verdict.gaps.map(({ cause }) => cause)).toEqual(['stalled']);
    const [gap] = verdict.gaps;
    expect(Math.abs((gap?.endMs ?? 0) - (gap?.startMs ?? 0) - STALL_MS)).toBeLessThan(1500);
  });

  test('counts the lost packets exactly when every hundredth is lost', async () => {
    const began = Date.now();
    const session = fixture.record({ station: air.station('T33'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const repair = air.fault({ kind: 'loss', channel: 'T33', rate: 0.01, burst: 1, pids: [0x100, 0x110] });
    await writes(session, 2 * SOME_BYTES);
    const { verdict, bytes, path } = await fixture.stopAndConclude(session, startAt);
    repair();
    const found = compare(bytes, await air.sent('T33', began, Date.now()));
    expect(found.foreign).toBe(0);
    expect(found.places).toBeGreaterThan(5);
    expect(verdict).toMatchObject({ level: 'damaged', drops: found.places, gaps: [] });
    expect(await probed(path)).toBeGreaterThan(30);
  });

  test('is whole while the layout of the station changes every second', async () => {
    const began = Date.now();
    const repair = air.fault({ kind: 'pmt', channel: 'T34', audios: 0, everySec: 2, forSec: 1 });
    const session = fixture.record({ station: air.station('T34'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.phase === 'receiving');
    const startAt = Date.now();
    await writes(session, 2 * SOME_BYTES);
    const { verdict, bytes, path } = await fixture.stopAndConclude(session, startAt);
    repair();
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    const seams = fixture.store.seams(session.options.id);
    expect(seams.length).toBeGreaterThan(3);
    for (const seam of seams) {
      expect(seam).toMatchObject({ path, kind: 'layout' });
      expect([seam.position % 188, seam.position < bytes.length]).toEqual([0, true]);
    }
    expect(await probed(path)).toBeGreaterThan(60);
  });

  test('omits what must not be copied, and continues after it', async () => {
    const began = Date.now();
    const session = fixture.record({
      ...{ station: air.station('T35'), openAt: began, mainAt: began - 60_000 },
      endAt: began + FAR_MS,
    });
    await until('it receives', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const repair = air.fault({ kind: 'copy_never', channel: 'T35' });
    await until('it is forbidden', () => session.state.cause === 'copy_never');
    const before = session.state.bytes;
    await Bun.sleep(2000);
    repair();
    await until('it is allowed', () => session.state.cause === null);
    await writes(session, SOME_BYTES / 2);
    const { verdict, bytes } = await fixture.stopAndConclude(session, startAt);
    const found = compare(bytes, await air.sent('T35', began, Date.now()));
    expect(found).toMatchObject({ holes: 1 });
    expect(found.missing).toBeGreaterThan(200);
    expect(bytes.length).toBeGreaterThan(before);
    expect(verdict.gaps.map(({ cause }) => cause)).toEqual(['copy_never']);
  });

  test('shares the tuning with the previous one: neither loses a packet', async () => {
    const began = Date.now();
    const order = { station: air.station('T36'), endAt: began + FAR_MS };
    const first = fixture.record(order);
    await until('the first receives', () => first.state.phase === 'receiving');
    const second = fixture.record(order);
    await until('both receive', () => second.state.phase === 'receiving');
    const tuners = (await air.tuners()).filter(({ tuned }) => tuned?.channel === 'T36');
    expect(tuners.map(({ users }) => users.length)).toEqual([2]);
    const startAt = Date.now();
    await writes(second);
    const one = await fixture.stopAndConclude(first, startAt);
    await writes(second);
    const both = [one, await fixture.stopAndConclude(second, startAt)];
    const sent = await air.sent('T36', began, Date.now());
    for (const { bytes, verdict } of both) {
      expect(compare(bytes, sent)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    }
  });
});
