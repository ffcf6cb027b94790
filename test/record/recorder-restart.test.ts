/** A recording survives failures of its agent, its own process, and its disk. */
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { RecorderProcess, stored } from './recorder-process-control.ts';
import { SessionFixture } from './session-fixture.ts';
import { clockSpan, compare, probed, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
/** Every recording is ended by its test, once it has what the test needs, which depends on the machine. */
const FAR_MS = 600_000;
const LONG = process.env.SVC_LONG === '1';

const { test } = realTime();
let air: TestBroadcast;

beforeAll(async () => {
  air = await TestBroadcast.start(['T30', 'T31', 'T33', 'T34'], 'GR:4');
});
afterAll(() => air.close(), 20_000);

describe.concurrent('a killed recorder', () => {
  test('resumes in the same file: only the downtime is missing, and reported', async () => {
    const folder = join(air.folder, 'killed');
    const began = Date.now();
    const endAt = began + FAR_MS;
    const first = new RecorderProcess(air, folder, 'T30', began, endAt);
    await until('it writes', () => (first.state?.bytes ?? 0) > 300_000);
    first.process.kill('SIGKILL');
    await first.process.exited;
    const id = first.state?.id ?? 0;
    // Like a power cut in the middle of a packet.
    const [name = ''] = readdirSync(join(folder, 'recordings'));
    appendFileSync(join(folder, 'recordings', name), new Uint8Array(77).fill(0x47));
    const second = new RecorderProcess(air, folder, 'T30', began, endAt, id);
    await second.endWhenMostlyWhole();
    const { state, verdict, path, bytes } = stored(folder);
    const found = compare(bytes, await air.sent('T30', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: 1 });
    expect(readdirSync(join(folder, 'recordings'))).toEqual([name]);
    expect(state).toBe('recorded');
    expect(verdict).toMatchObject({ level: 'damaged', drops: 0 });
    expect(verdict?.gaps.map(({ cause }) => cause)).toEqual(['service_stopped']);
    // By the broadcast's own clock.
    const gap = verdict?.gaps[0];
    const reportedMs = (gap?.endMs ?? 0) - (gap?.startMs ?? 0);
    expect(Math.abs(reportedMs - clockSpan(bytes).lostMs)).toBeLessThan(500);
    expect(await probed(path)).toBeGreaterThan(60);
  });

  test('that was asked to stop leaves a recording that can be resumed', async () => {
    const folder = join(air.folder, 'asked');
    const began = Date.now();
    const endAt = began + FAR_MS;
    const first = new RecorderProcess(air, folder, 'T31', began, endAt);
    await until('it writes', () => (first.state?.bytes ?? 0) > 300_000);
    first.process.kill('SIGTERM');
    expect(await first.process.exited).toBe(0);
    const second = new RecorderProcess(air, folder, 'T31', began, endAt, first.state?.id);
    await second.endWhenMostlyWhole();
    const { state, verdict, bytes } = stored(folder);
    expect(compare(bytes, await air.sent('T31', began, Date.now()))).toMatchObject({ foreign: 0, holes: 1 });
    expect({ state, drops: verdict?.drops }).toEqual({ state: 'recorded', drops: 0 });
    const gaps = verdict?.gaps ?? [];
    expect(gaps.filter(({ cause }) => cause !== 'service_stopped')).toEqual([]);
    const reportedMs = gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    // On a fast machine the downtime is shorter than what a verdict tolerates.
    const { lostMs } = clockSpan(bytes);
    expect(Math.abs(reportedMs - lostMs)).toBeLessThan(gaps.length === 0 ? 650 : 200);
  });
});

describe.concurrent('a killed agent', () => {
  test('loses only the data of its downtime', async () => {
    const own = await TestBroadcast.start(['T32'], 'GR:1');
    const fixture = new SessionFixture(join(own.folder, 'agent'), own.agentUrl);
    const began = Date.now();
    const session = fixture.record({ station: own.station('T32'), endAt: began + FAR_MS });
    await until('it receives', () => session.state.bytes > 300_000);
    const startAt = Date.now();
    await own.killAgent();
    await until('it is interrupted', () => session.state.cause !== null);
    // Longer than the tolerance, even if starting an agent takes no time.
    await Bun.sleep(1000);
    await own.startAgent('GR:1');
    const before = session.state.bytes;
    await until('it receives again', () => session.state.bytes > before + 300_000);
    const { verdict, bytes, path } = await fixture.stopAndConclude(session, startAt);
    await fixture.close();
    expect(compare(bytes, await own.sent('T32', began, Date.now()))).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict.level).not.toBe('complete');
    expect(verdict.drops).toBe(0);
    const causes = new Set(verdict.gaps.map(({ cause }) => cause));
    expect([...causes].every((cause) => cause === 'stream_ended' || cause === 'agent_unavailable')).toBe(
      true,
    );
    expect(await probed(path)).toBeGreaterThan(60);
    await own.close();
  });
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot).concurrent('a full disk', () => {
  const mounts: string[] = [];
  afterAll(() => {
    for (const path of mounts) Bun.spawnSync(['umount', path]);
  });

  function smallDisk(name: string): string {
    const path = join(air.folder, name);
    mkdirSync(path);
    const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'svc-record', path]);
    if (mounted.exitCode !== 0) throw new Error(mounted.stderr.toString());
    mounts.push(path);
    return path;
  }

  function fill(path: string): void {
    try {
      for (;;) appendFileSync(path, new Uint8Array(64 * 1024));
    } catch (error) {
      expect((error as { code?: unknown }).code).toBe('ENOSPC');
    }
  }

  test('in the middle loses nothing: the next folder takes the rest, and both become one file', async () => {
    const small = smallDisk('small');
    const fixture = new SessionFixture(join(air.folder, 'full'), air.agentUrl);
    const folders = [{ path: join(small, 'recordings'), floorBytes: 0 }, ...fixture.folders];
    const began = Date.now();
    const session = fixture.record({ station: air.station('T33'), endAt: began + FAR_MS, folders });
    await until('it writes', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const filler = join(small, 'filler');
    fill(filler);
    await until('it writes to the next folder', () => existsSync(fixture.folders[0]?.path ?? ''));
    const before = session.state.bytes;
    await until('more is written', () => session.state.bytes > before + 100_000);
    const { verdict, bytes, path, result } = await fixture.stopAndConclude(session, startAt, folders);
    await fixture.close();
    expect(result.parts).toHaveLength(2);
    expect(compare(bytes, await air.sent('T33', began, Date.now()))).toEqual({
      ...{ foreign: 0, missing: 0, places: 0, holes: 0 },
    });
    expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
    expect(path).not.toContain('.joined');
    expect(readdirSync(join(small, 'recordings'))).toEqual([]);
  });

  test('whose disk is removed continues in the next folder, and is one file when the disk is back', async () => {
    const disk = smallDisk('taken');
    const fixture = new SessionFixture(join(air.folder, 'away'), air.agentUrl);
    const folders = [{ path: join(disk, 'recordings'), floorBytes: 0 }, ...fixture.folders];
    const began = Date.now();
    const session = fixture.record({ station: air.station('T33'), endAt: began + FAR_MS, folders });
    await until('it writes', () => session.state.bytes > 100_000);
    // On a busy machine the mount of the folder may not have been reported yet.
    const path = join(disk, 'recordings');
    await until('its mount is known', async () => {
      await fixture.mounts.used(path);
      return (await fixture.mounts.look(path)) === 'there';
    });
    const startAt = Date.now();
    // It stays mounted at another place.
    const hidden = join(air.folder, 'hidden');
    mkdirSync(hidden);
    mounts.push(hidden);
    const run = (...command: string[]): void => {
      const ran = Bun.spawnSync(command);
      if (ran.exitCode !== 0) throw new Error(ran.stderr.toString());
    };
    run('mount', '--bind', disk, hidden);
    run('umount', '-l', disk);
    await until('it writes to the next folder', () => existsSync(fixture.folders[0]?.path ?? ''));
    const before = session.state.bytes;
    await until('more is written', () => session.state.bytes > before + 100_000);
    await session.stop();
    expect(readdirSync(disk)).toEqual([]);
    run('mount', '--bind', hidden, disk);
    const { verdict, bytes, result } = await fixture.stopAndConclude(session, startAt, folders);
    await fixture.close();
    expect(result.parts).toHaveLength(2);
    expect(compare(bytes, await air.sent('T33', began, Date.now()))).toMatchObject({
      foreign: 0,
      missing: 0,
    });
    expect(verdict).toMatchObject({ level: 'complete', gaps: [] });
  });

  test('in every folder is reported, keeps the written part, and recording continues when there is space again', async () => {
    const small = smallDisk('smaller');
    const fixture = new SessionFixture(join(air.folder, 'alone'), air.agentUrl);
    const folders = [{ path: join(small, 'alone'), floorBytes: 0 }];
    const began = Date.now();
    const session = fixture.record({ station: air.station('T34'), endAt: began + FAR_MS, folders });
    await until('it writes', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const filler = join(small, 'filler');
    fill(filler);
    await until('it is reported', () => fixture.lines.some((line) => line.includes('ENOSPC')));
    const before = session.state.bytes;
    rmSync(filler);
    await until('it writes again', () => session.state.bytes > before + 100_000);
    const { verdict, bytes } = await fixture.stopAndConclude(session, startAt, folders);
    await fixture.close();
    // The queue of 64 MB had room for this time.
    expect(compare(bytes, await air.sent('T34', began, Date.now()))).toMatchObject({
      foreign: 0,
      missing: 0,
    });
    expect(verdict.level).toBe('complete');
  });
});

if (LONG)
  test('killed every 7 s, a recording is one readable file in which only the downtimes are missing', async () => {
    const folder = join(air.folder, 'again');
    const began = Date.now();
    const endAt = began + 45_000;
    let recorder = new RecorderProcess(air, folder, 'T30', began, endAt);
    await until('it is known', () => recorder.state !== undefined);
    const id = recorder.state?.id ?? 0;
    let kills = 0;
    while (Date.now() < endAt - 10_000) {
      await Bun.sleep(7_000);
      recorder.process.kill('SIGKILL');
      await recorder.process.exited;
      kills += 1;
      recorder = new RecorderProcess(air, folder, 'T30', began, endAt, id);
    }
    await recorder.process.exited;
    const { state, verdict, path, bytes } = stored(folder);
    const found = compare(bytes, await air.sent('T30', began, Date.now()));
    expect(found).toMatchObject({ foreign: 0, holes: kills });
    expect(state).toBe('recorded');
    expect(verdict).toMatchObject({ level: 'damaged', drops: 0 });
    expect(verdict?.gaps.map(({ cause }) => cause)).toEqual(Array(kills).fill('service_stopped'));
    expect(await probed(path)).toBeGreaterThan(300);
  });

if (LONG)
  test('a stall of 30 s is a gap of 30 s', async () => {
    const fixture = new SessionFixture(join(air.folder, 'stalled'), air.agentUrl);
    const began = Date.now();
    const session = fixture.record({ station: air.station('T31'), endAt: began + 45_000 });
    await until('it receives', () => session.state.bytes > 100_000);
    const startAt = Date.now();
    const repair = air.fault({ kind: 'stall', channel: 'T31' });
    await Bun.sleep(30_000);
    repair();
    const { verdict, bytes, path } = await fixture.conclude(session, { startAt, endAt: began + 44_500 });
    await fixture.close();
    expect(compare(bytes, await air.sent('T31', began, Date.now()))).toMatchObject({ foreign: 0, holes: 1 });
    expect(verdict.drops).toBe(0);
    const gapMs = verdict.gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    expect(gapMs).toBeGreaterThan(29_000);
    // The time between two attempts of a tuner without data is at most its own limit plus the longest pause.
    expect(gapMs).toBeLessThan(40_000);
    expect(await probed(path)).toBeGreaterThan(30);
  });
