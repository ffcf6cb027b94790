/**
 * Reception of a station that is likely to be tuned next, on an idle tuner. There is one tuner, so that every
 * other use conflicts.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Tuners } from '../../src/guide/visit-tuners.ts';
import { startable } from '../../src/station/channel-scan.ts';
import { until } from '../until.ts';
import { HD, OTHER_CHANNEL, prepareAir, Rig } from './rig.ts';

// Broadcasts run in real time, on a machine that may be busy.

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ stations: await prepareAir(), tuners: 'GR:1' });
});
afterEach(() => rig.leaveAll());
afterAll(() => rig.close());

const isUsed = (use: string) => async (): Promise<boolean> => (await rig.uses()).join() === use;

test('is received without a viewer, begins with its buffered packets, and is released', async () => {
  const abort = new AbortController();
  const over = rig.live.prepare(OTHER_CHANNEL, abort.signal);
  await until('it is received', isUsed('live GR/T26'));
  const viewer = await rig.watch(OTHER_CHANNEL, 'raw');
  // A viewer of a station that was just tuned gets only a packet or two first.
  await until('the burst', () => viewer.bytes > 200_000);
  abort.abort();
  const before = viewer.bytes;
  await until('it is watched on', () => viewer.bytes > before + 200_000);
  await viewer.leave();
  await over;
  await until('the tuner is free', isUsed(''));
});

test('takes no tuner from others, and yields its own to a viewer at once', async () => {
  const watching = await rig.watch(HD, 'raw');
  // Resolves at once, because no tuner is free.
  await rig.live.prepare(OTHER_CHANNEL, new AbortController().signal);
  expect(await rig.uses()).toEqual(['live GR/T27']);
  await watching.leave();
  await until('the tuner is free', isUsed(''));
  const over = rig.live.prepare(OTHER_CHANNEL, new AbortController().signal);
  await until('it is received', isUsed('live GR/T26'));
  const viewer = await rig.watch(HD, 'raw');
  await over;
  expect(await rig.uses()).toEqual(['live GR/T27']);
  await until('it plays', () => viewer.bytes > 100_000);
});

test('pictures for home screens do not keep a station from being prepared', async () => {
  const still = new AbortController();
  const use = 'still GR/T27';
  const query = new URLSearchParams({ type: 'GR', channel: 'T27', priority: String(PRIORITY.still), use });
  await fetch(`${rig.agent?.url}/agent/stream?${query}`, { signal: still.signal });
  await until('the tuner is used', isUsed(use));
  const abort = new AbortController();
  let isOver = false;
  const over = rig.live.prepare(OTHER_CHANNEL, abort.signal).then(() => {
    isOver = true;
  });
  const isReceived = isUsed('live GR/T26');
  await until('it is received, or it is not tried', async () => isOver || (await isReceived()));
  expect(isOver).toBe(false);
  for (const one of [still, abort]) one.abort();
  await over;
  await until('the tuner is free', isUsed(''));
});

test('yields its tuner to a recording, which then takes none from a viewer', async () => {
  const stations = await prepareAir();
  const other = await Rig.start({ stations, tuners: 'BS+CS:2' });
  const [watched, next] = ['BS01_0', 'BS03_0'].map(
    (name) => stations.find(({ channel }) => channel === name)?.id,
  );
  if (watched === undefined || next === undefined) throw new Error('no such station');
  const viewer = await other.watch(watched, 'raw');
  const prepared = new AbortController();
  const over = other.live.prepare(next, prepared.signal);
  await until('it is received', async () => (await other.uses()).includes('live BS/BS03_0'));
  const recording = await other.pool.open({
    request: { type: 'CS', channel: 'CS02', priority: PRIORITY.recording, use: 'rec 1' },
    ...{ serviceId: null, handlers: { ended: () => {} }, signal: new AbortController().signal },
    lane: 'recording',
  });
  expect((await other.uses()).sort()).toEqual(['live BS/BS01_0', 'rec 1']);
  expect(viewer.ending).toBeUndefined();
  await recording.close();
  prepared.abort();
  await over;
  await other.leaveAll();
  await other.close();
});

test('yields its tuner to readings of the scan and the guide, but not of logos', async () => {
  const wanted = { type: 'GR', channel: 'T27' } as const;
  const read = (priority: number, use: string) =>
    rig.pool.open({
      request: { ...wanted, priority, use },
      ...{ serviceId: null, handlers: { ended: () => {} }, signal: new AbortController().signal },
      lane: 'other',
    });
  for (const [use, priority] of [
    ['scan T27', PRIORITY.scan] as const,
    ['epg T27', PRIORITY.guide] as const,
  ]) {
    const prepared = new AbortController();
    const over = rig.live.prepare(OTHER_CHANNEL, prepared.signal);
    await until('it is received', isUsed('live GR/T26'));
    const tuners = rig.pool.withYielding(await rig.tuners());
    expect(startable([wanted], [], tuners)).toEqual([wanted]);
    expect(new Tuners(tuners, new Set()).take(wanted, PRIORITY.guide)).toBe(true);
    await expect(read(PRIORITY.logo, 'logo GR/T27')).rejects.toMatchObject({ code: 'no_tuner' });
    expect(await rig.uses()).toEqual(['live GR/T26']);
    const reading = await read(priority, use);
    expect(await rig.uses()).toEqual([use]);
    await reading.close();
    prepared.abort();
    await over;
    await until('the tuner is free', isUsed(''));
  }
});

test('keeps its tuner beside readings as long as another one is free', async () => {
  const other = await Rig.start({ stations: await prepareAir(), tuners: 'GR:2' });
  const prepared = new AbortController();
  const over = other.live.prepare(OTHER_CHANNEL, prepared.signal);
  await until('it is received', async () => (await other.uses()).includes('live GR/T26'));
  const reading = await other.pool.open({
    request: { type: 'GR', channel: 'T27', priority: PRIORITY.guide, use: 'epg T27' },
    ...{ serviceId: null, handlers: { ended: () => {} }, signal: new AbortController().signal },
    lane: 'other',
  });
  expect((await other.uses()).sort()).toEqual(['epg T27', 'live GR/T26']);
  await reading.close();
  prepared.abort();
  await over;
  await other.close();
});

test('is not begun any more once a viewer found no tuner meanwhile', async () => {
  const listed = Promise.withResolvers<void>();
  const other = await Rig.start({
    ...{ stations: await prepareAir(), tuners: 'GR:1' },
    beforeTuners: () => listed.promise,
  });
  const over = other.live.prepare(OTHER_CHANNEL, new AbortController().signal);
  const busy = new AbortController();
  const query = new URLSearchParams({ type: 'GR', channel: 'T27', priority: '10', use: 'rec 1' });
  await fetch(`${other.agent?.url}/agent/stream?${query}`, { signal: busy.signal });
  await expect(other.watch(OTHER_CHANNEL, 'raw')).rejects.toMatchObject({ code: 'no_tuner' });
  busy.abort();
  await until('the tuner is free', async () => (await other.uses()).length === 0);
  listed.resolve();
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await until('it is given up, or begun', async () => isOver || (await other.uses()).length > 0);
  expect(await other.uses()).toEqual([]);
  await other.close();
});

test('a station that is abandoned while it is tuned leaves its tuner to the next one', async () => {
  // The agent may see the end of one connection and the begin of the other in either order.
  for (const ms of [2, 5, 10, 20, 30, 30]) {
    const abort = new AbortController();
    const given = rig.watch(HD, 'raw', undefined, abort.signal).catch((error: unknown) => error);
    await Bun.sleep(ms);
    abort.abort(new Error('given up'));
    const next = await rig.watch(OTHER_CHANNEL, 'raw');
    await until('it plays', () => next.bytes > 0);
    await next.leave();
    expect(await given).toEqual(new Error('given up'));
  }
});
