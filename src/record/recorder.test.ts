import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventId, NetworkId, ProgramId, ServiceId, StationId } from '../../arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import { monotonicMs, systemMonotonicClock, wallMs } from '../../host/clock.ts';
import { SILENT_LOG } from '../../host/log.ts';
import { FakeRecordingSession } from '../../test/record/fake-recording-session.ts';
import { type EventData, Hub } from '../hub/hub.ts';
import { reservationId } from '../model/ids.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { RecordingEnd, RecordingOrder } from '../model/recording.ts';
import type { StationRecord } from '../model/station.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { openDatabase } from '../store/database.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';

const STATION = 3_260_809_216 as StationId;
const HOUR = 3_600_000;

let folder: string;
let database: Database;
let store: RecordingStore;
let sessions: FakeRecordingSession[];
let ends: RecordingEnd[];
let told: (keyof EventData)[];
/** Of the clock that is passed in, against the machine's. */
let skew: number;
let rooms: Recorder[];

const now = (): BroadcastMs => broadcastMs(Date.now() + skew);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-room-'));
  database = openDatabase(join(folder, 'svc.db'));
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (${STATION}, 'GR', 32608, 9216, 'T27', '試験テレビ', 1, 1, 0)`,
  );
  store = new RecordingStore(database);
  sessions = [];
  ends = [];
  told = [];
  rooms = [];
  skew = 0;
});
afterEach(async () => {
  await Promise.all(rooms.map((room) => room.close()));
  database.close();
  rmSync(folder, { recursive: true });
});

function open(over: Partial<RecorderOptions> = {}): Recorder {
  const hub = new Hub((error) => {
    throw error;
  });
  hub.subscribe(({ name }) => told.push(name));
  const station: StationRecord = {
    ...{ id: STATION, type: 'GR', networkId: 32608 as NetworkId, serviceId: 9216 as ServiceId },
    ...{ transportStreamId: null, channel: 'T27', name: '試験テレビ', serviceType: 1, remoteControlKey: 1 },
  };
  const room = new Recorder({
    pool: {
      // No stream comes before the recording is given up.
      open: ({ signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
    store,
    findStation: (id) => (id === STATION ? station : undefined),
    findProgram: () => undefined,
    readSeries: () => ({ key: 'ばんぐみ', name: '番組', episode: '#3' }),
    folders: () => [{ path: folder, floorBytes: 0 }],
    retryDamaged: () => 'failed',
    onBegan: () => {},
    onEnded: (end) => ends.push(end),
    hub,
    log: SILENT_LOG,
    broadcastClock: now,
    monotonicClock: systemMonotonicClock,
    wallClock: () => wallMs(now()),
    checkMs: 20,
    openSession: (options) => {
      const session = new FakeRecordingSession(options);
      sessions.push(session);
      return session;
    },
    ...over,
  });
  rooms.push(room);
  room.start();
  return room;
}

let programs = 0;

/** A reservation as the plan has it, in `in` ms. */
function ordered(at: number, over: Partial<RecordingOrder> = {}): RecordingOrder {
  programs += 1;
  const programId = programs as ProgramId;
  const row = database
    .query<{ id: number }, [number, number]>(
      `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
         created_at, updated_at) VALUES (?, ${STATION}, 'scheduled', 2, '番組', '', ?, 0, 0, 0) RETURNING id`,
    )
    .get(programId, at);
  return {
    ...{
      reservationId: reservationId(row?.id ?? 0),
      programId,
      stationId: STATION,
      ruleId: null,
      name: '番組[字]',
    },
    ...{
      description: '',
      startAt: at + 10,
      endAt: at + HOUR,
      openAt: at,
      closeAt: at + HOUR + 15_000,
      holdUntil: null,
    },
    ...{ after: [], encode: 'none', keepTs: true, wantedFrom: null },
    ...over,
  };
}

const stateOf = (id: number): unknown =>
  database.query<{ state: string }, [number]>('SELECT state FROM reservations WHERE id = ?').get(id)?.state;

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`did not happen: ${condition}`);
    await Bun.sleep(1);
  }
}

describe('an order', () => {
  test('is begun in time, not before, and its reservation says so', async () => {
    const began: [number, number, number][] = [];
    const room = open({ onBegan: (reservation, recording) => began.push([reservation, recording, now()]) });
    const order = ordered(now() + 60);
    room.order([order]);
    await until(() => began.length === 1);
    const [reservationId, recordingId, at] = began[0] ?? [];
    expect(at).toBeGreaterThanOrEqual(order.openAt);
    expect(reservationId).toBe(order.reservationId);
    expect(stateOf(order.reservationId)).toBe('recording');
    expect(store.find(recordingId ?? 0)).toMatchObject({
      ...{ reservationId, name: '番組[字]', startAt: order.startAt, endAt: order.endAt },
      ...{ closeAt: order.closeAt, serviceName: '試験テレビ', state: 'recording' },
      series: { key: 'ばんぐみ', name: '番組', episode: '#3' },
    });
    expect(sessions[0]?.options.stem).toContain('番組 (試験テレビ)');
    expect(room.running().get(order.reservationId)).toMatchObject({
      ...{ recordingId, tunerId: 'tuner0', until: order.closeAt },
      progress: { phase: 'receiving', bytes: 188 },
    });
    expect(room.progress().get(recordingId ?? 0)?.until).toBe(order.closeAt);
    await until(() => told.includes('recordings') && told.includes('services'));
  });

  test('is named at its end as the guide has its programme then', async () => {
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
    const texts = async (told: Partial<ProgramRecord> | undefined) => {
      known = program;
      const order = ordered(now());
      room.order([order]);
      await until(() => room.running().has(order.reservationId));
      const id = room.running().get(order.reservationId)?.recordingId ?? 0;
      known = told === undefined ? undefined : { ...program, ...told };
      await sessions.at(-1)?.end('finished');
      await until(() => store.find(id)?.state !== 'recording');
      const { name, description, extended, series } = store.find(id) ?? {};
      return [name, description, extended, series?.episode];
    };
    const before = ['番組[字]', '', { 内容: '中身' }, ''];
    expect(await texts(undefined)).toEqual(before);
    expect(await texts({ name: ' ' })).toEqual(before);
    // Judged days later: its number is another programme's by then.
    const later = (now() + 40 * HOUR) as BroadcastMs;
    expect(await texts({ name: '別の番組', startAt: later })).toEqual(before);
    expect(await texts({ name: '番組', description: '#3', extended: null })).toEqual([
      ...['番組', '#3', { 内容: '中身' }, '#3'],
    ]);
    expect(await texts({ name: '臨時ニュース', extended: { 出演: '人' } })).toEqual([
      ...['臨時ニュース', '', { 出演: '人' }, ''],
    ]);
  });

  test('is begun when the clock is set forward, and dropped when it is withdrawn or too late', async () => {
    const room = open();
    const order = ordered(now() + 10 * HOUR);
    const withdrawn = ordered(now() + 10 * HOUR);
    const over = ordered(now() - 2 * HOUR);
    room.order([order, withdrawn, over]);
    room.order([order, over]);
    await Bun.sleep(40);
    expect(sessions).toHaveLength(0);
    skew += 10 * HOUR;
    await until(() => sessions.length > 0);
    await Bun.sleep(40);
    expect(sessions).toHaveLength(1);
    expect([stateOf(withdrawn.reservationId), stateOf(over.reservationId)]).toEqual([
      'scheduled',
      'scheduled',
    ]);
  });

  test('whose reservation was cancelled meanwhile is not begun', async () => {
    const room = open();
    const order = ordered(now() + 30);
    const other = ordered(now() + 30);
    room.order([order, other]);
    database.run("UPDATE reservations SET state = 'cancelled' WHERE id = ?", [order.reservationId]);
    await until(() => sessions.length === 1);
    await Bun.sleep(40);
    expect(sessions).toHaveLength(1);
    expect(stateOf(order.reservationId)).toBe('cancelled');
    expect(stateOf(other.reservationId)).toBe('recording');
  });

  test('that the database cannot store is begun as soon as it can', async () => {
    const room = open();
    database.run('ALTER TABLE recordings RENAME TO away');
    room.order([ordered(now())]);
    await Bun.sleep(60);
    expect(sessions).toHaveLength(0);
    database.run('ALTER TABLE away RENAME TO recordings');
    await until(() => sessions.length === 1);
  });

  test('two hundred in one second are begun without holding up others', async () => {
    const room = open();
    const at = now() + 50;
    const orders = Array.from({ length: 200 }, () => ordered(at));
    room.order(orders);
    let turns = 0;
    const probe = setInterval(() => {
      if (sessions.length > 0 && sessions.length < 200) turns += 1;
    }, 1);
    await until(() => sessions.length === 200);
    clearInterval(probe);
    expect(room.running().size).toBe(200);
    expect(new Set(sessions.map(({ options }) => options.id)).size).toBe(200);
    // Others had their turn in between.
    expect(turns).toBeGreaterThan(3);
  });
});

describe('a recording under way', () => {
  async function begun(over: Partial<RecordingOrder> = {}) {
    const room = open();
    const order = ordered(now(), over);
    room.order([order]);
    await until(() => sessions.length === 1);
    const [session] = sessions;
    if (session === undefined) throw new Error('no session');
    return { room, order, session };
  }

  test('follows its programme: later, never an earlier end; and goes on when it is ordered no more', async () => {
    // Still to come: the start of what is on the air moves no more.
    const { room, order, session } = await begun({ startAt: now() + HOUR / 2 });
    const { id } = session.options;
    room.order([{ ...order, endAt: order.endAt + 5000, closeAt: order.closeAt + 5000 }]);
    expect(session.endsAt).toBe(broadcastMs(order.closeAt + 5000));
    room.order([{ ...order, endAt: order.endAt - 5000, closeAt: order.closeAt - 5000 }]);
    expect(session.endsAt).toBe(broadcastMs(order.closeAt + 5000));
    expect(store.find(id)).toMatchObject({ endAt: order.endAt - 5000, closeAt: order.closeAt + 5000 });
    const programId = (order.programId + 5000) as ProgramId;
    room.order([{ ...order, programId }]);
    expect(store.find(id)).toMatchObject({ programId });
    room.order([{ ...order, startAt: order.startAt + 60_000 }]);
    expect(session.course.times).toMatchObject({ startAt: order.startAt + 60_000, openAt: order.openAt });
    room.order([]);
    expect(session.phase).toBe('receiving');
    expect(room.running().has(order.reservationId)).toBe(true);
  });

  test('is held open while its end is not known, and ends where it would have as soon as it is', async () => {
    const { room, order, session } = await begun({ holdUntil: now() + 3 * HOUR });
    expect(session.endsAt).toBe(broadcastMs(order.holdUntil ?? 0));
    expect(room.running().get(order.reservationId)?.until).toBe(order.closeAt);
    const moved = { ...order, endAt: order.endAt + 5000, closeAt: order.closeAt + 5000 };
    room.order([{ ...moved, holdUntil: now() + 4 * HOUR }]);
    expect(session.endsAt).toBeGreaterThan(order.holdUntil ?? 0);
    room.order([{ ...moved, holdUntil: null }]);
    expect(session.endsAt).toBe(broadcastMs(moved.closeAt));
  });

  test('that is held open beyond its end is not over for the next start, until that knows better', async () => {
    const { room, order, session } = await begun({ closeAt: now() + 100, holdUntil: now() + HOUR });
    const stored = () => store.find(session.options.id);
    await until(() => (stored()?.holdUntil ?? 0) > order.closeAt);
    expect(stored()).toMatchObject({ closeAt: order.closeAt });
    expect(stored()?.holdUntil).toBeLessThanOrEqual(now() + 60_000);
    expect(session.phase).toBe('receiving');
    await room.close();
    skew += 1000;
    const second = open();
    const [, resumed] = sessions;
    expect(resumed?.endsAt).toBe(broadcastMs(stored()?.holdUntil ?? 0));
    // Nobody knows yet whether it is still on.
    second.order([{ ...order, holdUntil: null }]);
    expect(resumed?.endsAt).toBe(broadcastMs(stored()?.holdUntil ?? 0));
    second.order([{ ...order, holdUntil: now() + HOUR }]);
    second.order([{ ...order, closeAt: order.closeAt + 2000, holdUntil: null }]);
    expect(resumed?.endsAt).toBe(broadcastMs(order.closeAt + 2000));
    expect(stored()).toMatchObject({ closeAt: order.closeAt + 2000, holdUntil: null });
  });

  test('is told how long to wait for a programme that was broken off', async () => {
    const { room, order, session } = await begun({ listenUntil: now() + 2 * HOUR });
    expect(session.endsAt).toBe(broadcastMs(broadcastMs(order.closeAt)));
    expect(session.course.times.listenUntil).toBe(broadcastMs(order.listenUntil ?? 0));
    room.order([{ ...order, listenUntil: null, holdUntil: now() + 3 * HOUR }]);
    expect(session.course.times.listenUntil).toBeNull();
    expect(session.endsAt).toBeGreaterThan(order.closeAt);
  });

  test('is judged by when something else was on in its place, until it is named again', async () => {
    const { room, order, session } = await begun();
    const { startAt, endAt } = order;
    const later = () => store.find(session.options.id)?.verdict?.gaps;
    room.order([{ ...order, brokenAt: startAt + 60_000 }]);
    room.order([{ ...order, holdUntil: endAt + HOUR }]);
    room.order([{ ...order, brokenAt: startAt + 120_000 }]);
    // Whoever plans has forgotten it by now.
    room.order([order]);
    session.measured = { ...nothingMeasured(), stretches: [{ from: order.openAt, to: order.closeAt }] };
    await session.end('finished');
    await until(() => later() !== undefined);
    expect(later()).toEqual([{ startMs: 120_000, endMs: endAt - startAt, cause: 'broken_off' }]);
  });

  test('learns that the clock was set, and by how much', async () => {
    const { room, session } = await begun();
    skew -= 600_000;
    room.clockSet();
    expect(session.clockSteps).toHaveLength(1);
    expect(Math.abs((session.clockSteps[0] ?? 0) + 600_000)).toBeLessThan(100);
    skew += 300_000;
    await until(() => session.clockSteps.length === 2);
  });

  test('gives its margin to the one that follows it on its tuner', async () => {
    const { room, order, session } = await begun();
    const next = ordered(now() + 30, { after: [order.reservationId, reservationId(999)] });
    room.order([order, next]);
    await until(() => sessions.length === 2);
    expect(sessions[1]?.options.after).toEqual([`rec ${session.options.id}`]);
    expect(session.course.yieldedAt).toBeGreaterThanOrEqual(next.openAt);
  });

  test('that a person stops is judged, and its reservation is finished', async () => {
    const { room, order, session } = await begun();
    await room.stop(order.reservationId);
    await until(() => ends.length === 1);
    expect(ends).toEqual([
      { reservationId: order.reservationId, recordingId: session.options.id, worthRepeating: false },
    ]);
    expect(stateOf(order.reservationId)).toBe('finished');
    expect(room.running().size).toBe(0);
    // The plan does not know yet: it is not begun again.
    room.order([order]);
    await Bun.sleep(40);
    expect(sessions).toHaveLength(1);
  });

  test('that came to nothing is worth its next airing by the setting', async () => {
    const { session } = await begun();
    await session.end('finished');
    await until(() => ends.length === 1);
    expect(ends[0]?.worthRepeating).toBe(true);
    expect(store.find(session.options.id)?.state).toBe('failed');
    expect(database.query('SELECT released FROM recordings').get()).toEqual({ released: 1 });
  });

  test('stays one under way until the database stores its verdict', async () => {
    const { room, order, session } = await begun();
    database.run('ALTER TABLE recordings RENAME TO away');
    await session.end('finished');
    await Bun.sleep(50);
    expect(ends).toHaveLength(0);
    expect(room.running().get(order.reservationId)?.progress.phase).toBe('over');
    database.run('ALTER TABLE away RENAME TO recordings');
    await until(() => ends.length === 1);
  });
});

describe('after a restart', () => {
  test('what was under way goes on where it was; closing fails nothing', async () => {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => sessions.length === 1);
    const id = sessions[0]?.options.id ?? 0;
    const measured = { ...nothingMeasured(), stretches: [{ from: order.openAt, to: order.openAt + 5 }] };
    store.saveMeasured(id, measured, []);
    await first.close();
    expect(stateOf(order.reservationId)).toBe('recording');
    expect(store.find(id)?.state).toBe('recording');

    const second = open();
    expect(sessions).toHaveLength(2);
    expect(sessions[1]?.options).toMatchObject({
      ...{ id, stem: sessions[0]?.options.stem },
      course: { times: { closeAt: order.closeAt, startAt: order.startAt } },
      former: { measured, parts: [{ bytes: 0 }] },
    });
    second.order([order]);
    expect(sessions).toHaveLength(2);
    expect(second.running().get(order.reservationId)?.recordingId).toBe(id);
  });

  test('what cannot go on is failed with a reason, and keeps nothing else from going on', async () => {
    const first = open();
    const [broken, sound] = [ordered(now()), ordered(now())];
    first.order([broken, sound]);
    await until(() => sessions.length === 2);
    const [brokenId, soundId] = sessions.map(({ options }) => options.id);
    await first.close();
    sessions = [];
    open({
      openSession: (options) => {
        if (options.id === brokenId) throw new Error('damaged');
        const session = new FakeRecordingSession(options);
        sessions.push(session);
        return session;
      },
    });
    expect(sessions.map(({ options }) => options.id)).toEqual([soundId ?? 0]);
    expect(store.find(brokenId ?? 0)).toMatchObject({ state: 'failed', reason: { code: 'unreadable' } });
    expect([broken, sound].map(({ reservationId }) => stateOf(reservationId))).toEqual([
      'finished',
      'recording',
    ]);
    await until(() => told.includes('reservations'));
  });

  /** One that had received half of its programme when its service was stopped; it starts again so much later. */
  async function half(
    laterMs: number,
    over: Partial<RecorderOptions> = {},
  ): Promise<{ id: number; order: RecordingOrder; until: number; room: Recorder }> {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => sessions.length === 1);
    const id = sessions[0]?.options.id ?? 0;
    await until(() => store.parts(id).length === 1);
    const path = join(folder, 'half.ts');
    writeFileSync(path, new Uint8Array(1880));
    store.placed(id, [{ path, bytes: 1880 }], { folder, stem: 'half' }, wallMs(now()));
    const to = order.startAt + HOUR / 2 + 60_000;
    store.saveMeasured(id, { ...nothingMeasured(), stretches: [{ from: order.openAt, to }] }, []);
    await first.close();
    skew += laterMs;
    return { id, order, until: to, room: open(over) };
  }

  function expectHalf({ id, order, until: to }: Awaited<ReturnType<typeof half>>): void {
    expect(store.find(id)).toMatchObject({
      state: 'recorded',
      verdict: { level: 'damaged', gaps: [{ startMs: to - order.startAt, cause: 'service_stopped' }] },
    });
    expect(stateOf(order.reservationId)).toBe('finished');
    expect(ends[0]?.worthRepeating).toBe(false);
  }

  test('what ended long ago is judged at once: what nobody received was lost to the stop', async () => {
    const left = await half(5 * HOUR);
    await until(() => ends.length === 1);
    expect(sessions).toHaveLength(1);
    expectHalf(left);
  });

  test('what ended a while ago is listened to first, and judged the same where it is over', async () => {
    const left = await half(2 * HOUR);
    await until(() => sessions.length === 2);
    expect(sessions[1]?.course).toMatchObject({ state: 'unheard', times: { closeAt: left.order.closeAt } });
    // An order that knows nothing better of its end changes nothing.
    left.room.order([left.order]);
    expect(sessions[1]?.endsAt).toBe(broadcastMs(left.order.closeAt));
    await sessions[1]?.end('unheard');
    await until(() => ends.length === 1);
    expectHalf(left);
  });

  test('what is still on though its end has passed goes on', async () => {
    const { room, order, id } = await half(1.5 * HOUR);
    await until(() => sessions.length === 2);
    const holdUntil = now() + HOUR;
    room.order([{ ...order, holdUntil }]);
    expect(sessions[1]?.endsAt).toBe(broadcastMs(holdUntil));
    expect(room.running().get(order.reservationId)).toMatchObject({ recordingId: id });
    expect(store.find(id)?.state).toBe('recording');
  });

  test('what is over by a clock that may be wrong waits for the right time, and goes on', async () => {
    let isSure = false;
    const { room, id } = await half(9 * HOUR, { isTimeSure: () => isSure });
    const other = ordered(now());
    room.order([other]);
    // What begins now does not wait.
    await until(() => sessions.length === 2);
    expect(sessions[1]?.options.id).not.toBe(id);
    expect(store.find(id)?.state).toBe('recording');
    skew -= 8.5 * HOUR;
    isSure = true;
    room.clockSet();
    await until(() => sessions.length === 3);
    expect(sessions[2]?.options).toMatchObject({ id, course: { state: 'on' } });
    expect(ends).toEqual([]);
  });

  test('but not for long: nobody may tell the time', async () => {
    let elapsed = 0;
    const { order, id } = await half(9 * HOUR, {
      isTimeSure: () => false,
      monotonicClock: () => monotonicMs(elapsed),
    });
    await Bun.sleep(60);
    expect(store.find(id)?.state).toBe('recording');
    elapsed = 61_000;
    await until(() => ends.length === 1);
    expect(stateOf(order.reservationId)).toBe('finished');
  });

  test('what was stopped and not judged yet is judged as it ended', async () => {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => sessions.length === 1);
    const id = sessions[0]?.options.id ?? 0;
    store.ended(id, 'copy_never', now(), wallMs(now()));
    await first.close();
    open();
    await until(() => ends.length === 1);
    expect(sessions).toHaveLength(1);
    expect(store.find(id)).toMatchObject({ state: 'failed', reason: { code: 'copy_never' } });
  });
});
