import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventId, ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId, reservationId } from '../../lib/wire/ids.ts';
import { HOUR, recorderHome, STATION } from '../../test/record/recorder-home.ts';
import { NEW } from '../../test/record/stored-recording.ts';
import { until } from '../../test/until.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { RecordingOrder } from '../model/recording.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { concludeRecording } from './recording-conclusion.ts';

const home = recorderHome();
const { now, open, ordered, stateOf } = home;

describe('an order', () => {
  test('starts on time, not earlier, and its reservation shows it', async () => {
    const began: [number, number, number][] = [];
    const room = open({ onBegan: (reservation, recording) => began.push([reservation, recording, now()]) });
    const order = ordered(now() + 60);
    room.order([order]);
    await until(() => began.length === 1);
    const [reservationId, id, at] = began[0] ?? [];
    expect(at).toBeGreaterThanOrEqual(order.openAt);
    expect(reservationId).toBe(order.reservationId);
    expect(stateOf(order.reservationId)).toBe('recording');
    expect(home.store.find(recordingId(id ?? 0))).toMatchObject({
      ...{ reservationId, name: '番組[字]', startAt: order.startAt, endAt: order.endAt },
      ...{ closeAt: order.closeAt, serviceName: '試験テレビ', state: 'recording' },
      series: { key: 'ばんぐみ', name: '番組', episode: '#3' },
    });
    expect(home.sessions[0]?.options.stem).toContain('番組 (試験テレビ)');
    expect(room.running().get(order.reservationId)).toMatchObject({
      ...{ recordingId: id, tunerId: 'tuner0', until: order.closeAt },
      progress: { phase: 'receiving', bytes: 188 },
    });
    expect(room.progress().get(recordingId(id ?? 0))?.until).toBe(order.closeAt);
    await until(() => home.events.includes('recordings') && home.events.includes('services'));
  });

  test('gets the title that the guide has at its end', async () => {
    const program: ProgramRecord = {
      ...{ id: 7 as ProgramId, stationId: STATION, eventId: 7 as EventId, startAt: now() as BroadcastMs },
      ...{
        endAt: now() as BroadcastMs,
        openEnd: false,
        name: '番組',
        description: '',
        extended: { 内容: '中身' },
      },
      ...{ genres: [], audios: [], videoType: null, videoResolution: null, isFree: true, copyNever: false },
      ...{ groups: [], series: null },
    };
    let known: ProgramRecord | undefined = program;
    const room = open({
      findProgram: () => known,
      readSeries: ({ description }) => ({ key: '番組', name: '番組', episode: description }),
    });
    const texts = async (changes: Partial<ProgramRecord> | undefined) => {
      known = program;
      const order = ordered(now());
      room.order([order]);
      await until(() => room.running().has(order.reservationId));
      const id = recordingId(room.running().get(order.reservationId)?.recordingId ?? 0);
      known = changes === undefined ? undefined : { ...program, ...changes };
      await home.sessions.at(-1)?.end('finished');
      await until(() => home.store.find(id)?.state !== 'recording');
      const { name, description, extended, series } = home.store.find(id) ?? {};
      return [name, description, extended, series?.episode];
    };
    const before = ['番組[字]', '', { 内容: '中身' }, ''];
    expect(await texts(undefined)).toEqual(before);
    expect(await texts({ name: ' ' })).toEqual(before);
    // Concluded days later, when its event id belongs to another programme.
    const later = (now() + 40 * HOUR) as BroadcastMs;
    expect(await texts({ name: '別の番組', startAt: later })).toEqual(before);
    expect(await texts({ name: '番組', description: '#3', extended: null })).toEqual([
      ...['番組', '#3', { 内容: '中身' }, '#3'],
    ]);
    expect(await texts({ name: '臨時ニュース', extended: { 出演: '人' } })).toEqual([
      ...['臨時ニュース', '', { 出演: '人' }, ''],
    ]);
  });

  test('starts when the clock is set forward, and is dropped when it is withdrawn or too late', async () => {
    const room = open();
    const order = ordered(now() + 10 * HOUR);
    const withdrawn = ordered(now() + 10 * HOUR);
    const over = ordered(now() - 2 * HOUR);
    room.order([order, withdrawn, over]);
    room.order([order, over]);
    await Bun.sleep(40);
    expect(home.sessions).toHaveLength(0);
    home.skew += 10 * HOUR;
    await until(() => home.sessions.length > 0);
    await Bun.sleep(40);
    expect(home.sessions).toHaveLength(1);
    expect([stateOf(withdrawn.reservationId), stateOf(over.reservationId)]).toEqual([
      'scheduled',
      'scheduled',
    ]);
  });

  test('whose reservation was cancelled meanwhile does not start', async () => {
    const room = open();
    const order = ordered(now() + 30);
    const other = ordered(now() + 30);
    room.order([order, other]);
    home.database.run("UPDATE reservations SET state = 'cancelled' WHERE id = ?", [order.reservationId]);
    await until(() => home.sessions.length === 1);
    await Bun.sleep(40);
    expect(home.sessions).toHaveLength(1);
    expect(stateOf(order.reservationId)).toBe('cancelled');
    expect(stateOf(other.reservationId)).toBe('recording');
  });

  test('that the database cannot store starts as soon as it can', async () => {
    const room = open();
    home.database.run('ALTER TABLE recordings RENAME TO away');
    room.order([ordered(now())]);
    await Bun.sleep(60);
    expect(home.sessions).toHaveLength(0);
    home.database.run('ALTER TABLE away RENAME TO recordings');
    await until(() => home.sessions.length === 1);
  });

  test('two hundred orders in one second start without blocking other tasks', async () => {
    const room = open();
    const at = now() + 50;
    const orders = Array.from({ length: 200 }, () => ordered(at));
    room.order(orders);
    let turns = 0;
    const probe = setInterval(() => {
      if (home.sessions.length > 0 && home.sessions.length < 200) turns += 1;
    }, 1);
    await until(() => home.sessions.length === 200);
    clearInterval(probe);
    expect(room.running().size).toBe(200);
    expect(new Set(home.sessions.map(({ options }) => options.id)).size).toBe(200);
    // Other tasks ran in between.
    expect(turns).toBeGreaterThan(3);
  });
});

describe('a running recording', () => {
  async function begun(over: Partial<RecordingOrder> = {}) {
    const room = open();
    const order = ordered(now(), over);
    room.order([order]);
    await until(() => home.sessions.length === 1);
    const [session] = home.sessions;
    if (session === undefined) throw new Error('no session');
    return { room, order, session };
  }

  test('follows its programme to a later end, never an earlier one, and continues when its order is withdrawn', async () => {
    // The programme has not begun: once it is on the air, its start does not move any more.
    const { room, order, session } = await begun({ startAt: broadcastMs(now() + HOUR / 2) });
    const { id } = session.options;
    room.order([
      { ...order, endAt: broadcastMs(order.endAt + 5000), closeAt: broadcastMs(order.closeAt + 5000) },
    ]);
    expect(session.endsAt).toBe(broadcastMs(order.closeAt + 5000));
    room.order([
      { ...order, endAt: broadcastMs(order.endAt - 5000), closeAt: broadcastMs(order.closeAt - 5000) },
    ]);
    expect(session.endsAt).toBe(broadcastMs(order.closeAt + 5000));
    expect(home.store.find(id)).toMatchObject({ endAt: order.endAt - 5000, closeAt: order.closeAt + 5000 });
    const programId = (order.programId + 5000) as ProgramId;
    room.order([{ ...order, programId }]);
    expect(home.store.find(id)).toMatchObject({ programId });
    room.order([{ ...order, startAt: broadcastMs(order.startAt + 60_000) }]);
    expect(session.lifecycle.times).toMatchObject({ startAt: order.startAt + 60_000, openAt: order.openAt });
    room.order([]);
    expect(session.phase).toBe('receiving');
    expect(room.running().has(order.reservationId)).toBe(true);
  });

  test('is converted as is set when it ends, not as when it began', async () => {
    const { room, order, session } = await begun({ encode: 'av1', keepTs: false });
    const stored = () => home.store.find(session.options.id);
    expect(stored()).toMatchObject({ encode: 'av1', keepTs: false });
    room.order([{ ...order, encode: 'h264', keepTs: true, commercials: 'cut' }]);
    expect(stored()).toMatchObject({ encode: 'h264', keepTs: true, commercials: 'cut' });
  });

  test('is held open while its end is unknown, and ends at the actual end once that is known', async () => {
    const { room, order, session } = await begun({ holdUntil: broadcastMs(now() + 3 * HOUR) });
    expect(session.endsAt).toBe(broadcastMs(order.holdUntil ?? 0));
    expect(room.running().get(order.reservationId)?.until).toBe(order.closeAt);
    const moved = { ...order, endAt: plusMs(order.endAt, 5000), closeAt: plusMs(order.closeAt, 5000) };
    room.order([{ ...moved, holdUntil: broadcastMs(now() + 4 * HOUR) }]);
    expect(session.endsAt).toBeGreaterThan(order.holdUntil ?? 0);
    room.order([{ ...moved, holdUntil: null }]);
    expect(session.endsAt).toBe(broadcastMs(moved.closeAt));
  });

  test('that is held open beyond its end does not count as over at a restart, until the end is known', async () => {
    const { room, order, session } = await begun({
      closeAt: broadcastMs(now() + 100),
      holdUntil: broadcastMs(now() + HOUR),
    });
    const stored = () => home.store.find(session.options.id);
    await until(() => (stored()?.holdUntil ?? 0) > order.closeAt);
    expect(stored()).toMatchObject({ closeAt: order.closeAt });
    expect(stored()?.holdUntil).toBeLessThanOrEqual(now() + 60_000);
    expect(session.phase).toBe('receiving');
    await room.close();
    home.skew += 1000;
    const second = open();
    const [, resumed] = home.sessions;
    expect(resumed?.endsAt).toBe(broadcastMs(stored()?.holdUntil ?? 0));
    // It is not known yet whether the programme is still on.
    second.order([{ ...order, holdUntil: null }]);
    expect(resumed?.endsAt).toBe(broadcastMs(stored()?.holdUntil ?? 0));
    second.order([{ ...order, holdUntil: broadcastMs(now() + HOUR) }]);
    second.order([{ ...order, closeAt: broadcastMs(order.closeAt + 2000), holdUntil: null }]);
    expect(resumed?.endsAt).toBe(broadcastMs(order.closeAt + 2000));
    expect(stored()).toMatchObject({ closeAt: order.closeAt + 2000, holdUntil: null });
  });

  test('gets the time to wait for an interrupted programme', async () => {
    const { room, order, session } = await begun({ listenUntil: broadcastMs(now() + 2 * HOUR) });
    expect(session.endsAt).toBe(broadcastMs(broadcastMs(order.closeAt)));
    expect(session.lifecycle.times.listenUntil).toBe(broadcastMs(order.listenUntil ?? 0));
    room.order([{ ...order, listenUntil: null, holdUntil: broadcastMs(now() + 3 * HOUR) }]);
    expect(session.lifecycle.times.listenUntil).toBeNull();
    expect(session.endsAt).toBeGreaterThan(order.closeAt);
  });

  test('counts the time during which something else was on, until its programme is listed again', async () => {
    const { room, order, session } = await begun();
    const { startAt, endAt } = order;
    const later = () => home.store.find(session.options.id)?.verdict?.gaps;
    room.order([{ ...order, brokenAt: broadcastMs(startAt + 60_000) }]);
    room.order([{ ...order, holdUntil: broadcastMs(endAt + HOUR) }]);
    room.order([{ ...order, brokenAt: broadcastMs(startAt + 120_000) }]);
    // The plan no longer has it by now.
    room.order([order]);
    session.measured = { ...nothingMeasured(), stretches: [{ from: order.openAt, to: order.closeAt }] };
    await session.end('finished');
    await until(() => later() !== undefined);
    expect(later()).toEqual([{ startMs: 120_000, endMs: endAt - startAt, cause: 'broken_off' }]);
  });

  test('is notified of a clock step and its size', async () => {
    const { room, session } = await begun();
    home.skew -= 600_000;
    room.clockSet();
    expect(session.clockSteps).toHaveLength(1);
    expect(Math.abs((session.clockSteps[0] ?? 0) + 600_000)).toBeLessThan(100);
    home.skew += 300_000;
    await until(() => session.clockSteps.length === 2);
  });

  test('yields its end margin to the next recording on its tuner', async () => {
    const { room, order, session } = await begun();
    const next = ordered(now() + 30, { after: [order.reservationId, reservationId(999)] });
    room.order([order, next]);
    await until(() => home.sessions.length === 2);
    expect(home.sessions[1]?.options.after).toEqual([`rec ${session.options.id}`]);
    expect(session.lifecycle.yieldedAt).toBeGreaterThanOrEqual(next.openAt);
  });

  test('that a user stops gets a verdict, and its reservation is finished', async () => {
    const { room, order, session } = await begun();
    await room.stop(order.reservationId);
    await until(() => home.ends.length === 1);
    expect(home.ends).toEqual([
      { reservationId: order.reservationId, recordingId: session.options.id, worthRepeating: false },
    ]);
    expect(stateOf(order.reservationId)).toBe('finished');
    expect(room.running().size).toBe(0);
    // The plan is not updated yet: the recording does not begin again.
    room.order([order]);
    await Bun.sleep(40);
    expect(home.sessions).toHaveLength(1);
  });

  test('that failed gets its next airing according to the setting', async () => {
    const { session } = await begun();
    await session.end('finished');
    await until(() => home.ends.length === 1);
    expect(home.ends[0]?.worthRepeating).toBe(true);
    expect(home.store.find(session.options.id)?.state).toBe('failed');
    expect(home.database.query('SELECT released FROM recordings').get()).toEqual({ released: 1 });
  });

  test('stays in progress until the database has stored its verdict', async () => {
    const { room, order, session } = await begun();
    home.database.run('ALTER TABLE recordings RENAME TO away');
    await session.end('finished');
    await Bun.sleep(50);
    expect(home.ends).toHaveLength(0);
    expect(room.running().get(order.reservationId)?.progress.phase).toBe('over');
    home.database.run('ALTER TABLE away RENAME TO recordings');
    await until(() => home.ends.length === 1);
  });
});

test('parts are joined although the database refuses the name of the joined file at first', async () => {
  const id = home.store.create({ ...NEW, stationId: STATION }, wallMs(now())) ?? recordingId(0);
  const parts = ['one', 'two'].map((name) => ({ path: join(home.folder, `${name}.ts`), bytes: 3 }));
  for (const { path } of parts) writeFileSync(path, 'abc');
  home.store.placed(id, parts, { folder: home.folder, stem: 'one' }, wallMs(now()));
  const times = { startAt: now(), endAt: now() };
  await concludeRecording(id, { end: 'finished', at: now(), measured: nothingMeasured(), parts }, times, {
    ...{ store: home.store, folders: () => [], free: async () => undefined, retryDamaged: () => 'never' },
    ...{ persist: async (act) => act(), log: SILENT_LOG, wallClock: () => wallMs(now()) },
  });
  expect(home.store.parts(id)).toHaveLength(2);
  const { joinedLater } = home.store;
  let refusals = 0;
  home.store.joinedLater = (...row) => {
    refusals += 1;
    if (refusals === 1) throw new Error('database or disk is full');
    joinedLater.apply(home.store, row);
  };
  open({ fileCheckMs: 20, free: async () => 1e12 });
  await until(() => home.store.parts(id).length === 1);
  expect(refusals).toBe(2);
  const [joined] = home.store.parts(id);
  expect(readFileSync(joined?.path ?? '', 'utf8')).toBe('abcabc');
});
