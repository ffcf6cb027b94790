/** Bookings with a real database and the real worker; tests control stubs of the recorder and the agent. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type ReservationId, recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';
import { settingDefaults } from '../../lib/wire/settings.ts';
import { BookedHome, MINUTE, NOON } from '../../test/schedule/booked-home.ts';
import { StandInRecorder } from '../../test/schedule/stand-in-recorder.ts';
import { tuner } from '../../test/service/bookings.ts';
import { until } from '../../test/until.ts';
import { Failure } from '../model/failure.ts';
import { Hub } from '../notify/hub.ts';
import { ProgramStore } from '../store/program-store.ts';
import { startScheduleWorker } from '../workers.ts';
import { BookingService } from './booking-service.ts';

const SETTINGS = settingDefaults({ gpu: false });

let home: BookedHome;
let recorder: StandInRecorder;
let hub: Hub;
let events: string[];
let lines: string[];
let now: number;
let isTimeSure: boolean;
let tuners: Tuner[] | null;
const rooms: BookingService[] = [];

beforeEach(() => {
  home = new BookedHome();
  recorder = new StandInRecorder();
  isTimeSure = true;
  events = [];
  lines = [];
  now = NOON;
  tuners = [tuner('a', 0, ['GR'])];
  hub = new Hub(() => {});
  hub.subscribe(({ name }) => events.push(name));
});

afterEach(async () => {
  for (const room of rooms.splice(0)) await room.close();
  home.close();
});

function start(startWorker: () => Worker = startScheduleWorker, settleLimitMs?: number): BookingService {
  const known = () => home.stations.known();
  const room = new BookingService({
    reservations: home.reservations,
    rules: home.rules,
    cancellations: home.cancellations,
    programs: new ProgramStore(home.database),
    stations: {
      find: (id) => known().find((station) => station.id === id && !station.hidden),
      findKnown: (id) => known().find((station) => station.id === id),
    },
    tuners: async () => {
      if (tuners === null) throw new Failure('agent_unavailable', '接続できません');
      return tuners;
    },
    recorder,
    airings: () => new Map(),
    settings: { get: (key) => SETTINGS[key] },
    retractGraceMs: 60 * MINUTE,
    databasePath: home.path,
    startWorker,
    settleLimitMs,
    hub,
    log: createLog({ level: 'debug', now: () => wallMs(now), write: (line) => lines.push(line) }),
    now: () => broadcastMs(now),
    isTimeSure: () => isTimeSure,
  });
  rooms.push(room);
  room.start();
  return room;
}

const stored = () => home.reservations.all();

/** Does what the recorder does. */
function begin(reservationId: ReservationId, tunerId = 'a'): void {
  home.database.run("UPDATE reservations SET state = 'recording' WHERE id = ?", [reservationId]);
  const { closeAt = broadcastMs(0) } =
    recorder.orders.find((order) => order.reservationId === reservationId) ?? {};
  const progress = {
    phase: 'receiving' as const,
    cause: null,
    bytes: 0,
    drops: 0,
    slow: false,
    tunerId,
    until: closeAt,
  };
  recorder.recordings.set(reservationId, {
    recordingId: recordingId(100 + reservationId),
    tunerId,
    until: closeAt,
    progress,
  });
}

test('a programme cancelled for one rule is booked by another after the first is deleted', async () => {
  const station = home.station('T27');
  home.program(station, '灯台の朝', { at: 100 });
  const room = start();
  const first = await room.rules.create({ keyword: '灯台', priority: 5 });
  await room.rules.create({ keyword: '朝', priority: 1 });
  const [booked] = stored();
  expect(booked?.ruleId).toBe(ruleId(first.id));
  await room.reservations.cancel(booked?.id ?? reservationId(0));
  expect(stored().map(({ state }) => state)).toEqual(['cancelled']);
  await room.rules.remove(ruleId(first.id));
  await until(() => stored()[0]?.state === 'scheduled');
  expect(home.cancellations.all()).toEqual([]);
});

describe('the recording orders', () => {
  test('are sent to the recorder completely, with the times of the plan, on every change', async () => {
    const [one, two] = [home.station('T27'), home.station('T28')];
    const room = start();
    await room.reservations.reserve({ programId: home.program(one, '港の朝', { at: 10 }) });
    const { id } = await room.reservations.reserve({
      programId: home.program(two, '灯台の朝', { at: 40 }),
      encode: 'none',
    });
    expect(recorder.orders).toMatchObject([
      { name: '港の朝', openAt: NOON + 10 * MINUTE - 12_000, after: [], encode: 'av1' },
      // One tuner for both: the margins are dropped, and retuning cuts the end of the first.
      { name: '灯台の朝', openAt: NOON + 40 * MINUTE - 2_500, after: [1], encode: 'none', wantedFrom: null },
    ]);
    const [first, second] = room.reservations.list(false);
    expect(first).toMatchObject({
      cuts: [{ part: 'tail', ms: 2_500, title: '灯台の朝', programId: second?.programId }],
      note: '次の「灯台の朝」と同じチューナーで録画するため、終わりの約3秒は録画されません。',
    });
    expect(second).toMatchObject({ cuts: [], note: null });
    await until(() => events.includes('reservations'));
    await room.reservations.cancel(reservationId(id));
    expect(recorder.orders.map(({ name }) => name)).toEqual(['港の朝']);
    expect(room.reservations.list(false)[0]).toMatchObject({ cuts: [], note: null });
  });

  test('follow changes of the guide', async () => {
    const station = home.station('T27');
    home.program(station, '灯台の朝', { at: 100, event: 7 });
    home.rule('灯台');
    const room = start();
    await until(() => stored().length === 1);
    home.program(station, '灯台の朝[字]', { at: 130, event: 7 });
    hub.changed('programs');
    await until(() => recorder.orders[0]?.startAt === NOON + 130 * MINUTE);
    expect(stored()).toMatchObject([
      { id: 1, name: '灯台の朝[字]', startAt: broadcastMs(NOON + 130 * MINUTE) },
    ]);
    home.database.run('DELETE FROM programs');
    // Planned again; a programme that is no longer in the guide is recorded at its known time.
    await room.rules.create({ keyword: '港' });
    expect(recorder.orders).toHaveLength(1);
  });

  test('exist without an agent and before the first plan', async () => {
    tuners = null;
    const station = home.station('T27');
    const dying = URL.createObjectURL(new Blob(['onmessage = () => { throw new Error("broken"); };']));
    const room = start(() => new Worker(dying));
    await until(() => lines.some((line) => line.includes('worker lost')));
    const programId = home.program(station, '港の朝', { at: 10 });
    const reserving = room.reservations.reserve({ programId });
    await until(() => recorder.orders.length === 1);
    expect(recorder.orders[0]).toMatchObject({ openAt: NOON + 10 * MINUTE - 12_000, after: [] });
    await room.close();
    expect(await reserving).toMatchObject({ programId, state: 'scheduled', tuner: null });
  });

  test('keep running recordings on their tuners and report what conflicts with them', async () => {
    const [one, two] = [home.station('T27'), home.station('T28')];
    const room = start();
    const running = await room.reservations.reserve({ programId: home.program(one, '港の朝', { at: -5 }) });
    expect(recorder.orders[0]?.wantedFrom).toBe(NOON);
    expect(events).toContain('services');
    begin(reservationId(running.id));
    room.onBegan();
    const lost = await room.reservations.reserve({ programId: home.program(two, '灯台の朝', { at: 5 }) });
    expect(lost).toMatchObject({ state: 'conflict', blockers: [running.id] });
    expect(recorder.orders.map((order) => order.reservationId as number)).toEqual([running.id]);
    // The recording ends: the other one can begin.
    recorder.recordings.clear();
    home.database.run("UPDATE reservations SET state = 'finished' WHERE id = ?", [running.id]);
    room.onEnded({
      reservationId: reservationId(running.id),
      recordingId: recordingId(1),
      worthRepeating: false,
    });
    await until(() => stored()[1]?.state === 'scheduled');
  });

  test('of a running recording change its conversion, not its times', async () => {
    const station = home.station('T27');
    const room = start();
    const programId = home.program(station, '港の朝', { at: -5 });
    const { id } = await room.reservations.reserve({ programId });
    begin(reservationId(id));
    room.onBegan();
    const changed = await room.reservations.reserve({ programId, keepTs: true, marginAfter: 5 * MINUTE });
    expect(changed).toMatchObject({ id, state: 'recording', keepTs: true, marginAfter: null });
    await until(() => recorder.orders[0]?.keepTs === true);
  });

  test('keep the tuning time of running recordings, and cause no event when a plan changes nothing', async () => {
    const station = home.station('T27');
    const room = start();
    const programId = home.program(station, '港の朝', { at: -5 });
    const { id } = await room.reservations.reserve({ programId });
    begin(reservationId(id));
    room.onBegan();
    await until(() => events.includes('reservations'));
    const item = room.reservations.get(reservationId(id));
    expect(item).toMatchObject({ state: 'recording', openAt: NOON });
    now += MINUTE;
    await room.rules.create({ keyword: '灯台' });
    now += MINUTE;
    await room.rules.create({ keyword: '山' });
    expect(room.reservations.get(reservationId(id))).toEqual(item);
    // Another process resumes it.
    await room.close();
    expect(start().reservations.get(reservationId(id)).openAt).toBe(NOON);
  });

  test('of 200 starts or ends within a second are coalesced into a few events', async () => {
    const station = home.station('T27');
    const room = start();
    await room.reservations.reserve({ programId: home.program(station, '港の朝', { at: 10 }) });
    await until(() => events.includes('reservations'));
    events.length = 0;
    const began = performance.now();
    for (let one = 0; one < 200; one += 1) {
      home.database.run('UPDATE reservations SET note = ?', [`${one}`]);
      room.onBegan();
      room.onEnded({ reservationId: null, recordingId: recordingId(one), worthRepeating: false });
    }
    await until(() => events.includes('reservations'));
    expect(events.filter((name) => name === 'reservations').length).toBeLessThan(
      3 + (performance.now() - began) / 200,
    );
    // None of these was booked by a rule.
    expect(events).not.toContain('rules');
  });
});

test('a rule above the booking limit reports how many matches are pending, and until when', async () => {
  const stations = ['T27', 'T28', 'T29'].map((channel) => home.station(channel));
  home.database.transaction(() => {
    for (const station of stations)
      for (let at = 0; at < 350; at += 1) home.program(station, '灯台', { at: 60 + at * 30 });
  })();
  const room = start();
  const wide = await room.rules.create({ stationIds: stations, dedupe: false, enabled: false });
  expect(wide.crowded).toBeNull();
  const { crowded } = await room.rules.update(ruleId(wide.id), { stationIds: stations, dedupe: false });
  expect(crowded).toMatchObject({ left: 50, reason: expect.stringContaining('1,000') });
  expect(room.rules.list()).toMatchObject([{ id: wide.id, crowded }]);
  // It may be sent back unchanged.
  await room.rules.update(ruleId(wide.id), { ...room.rules.get(ruleId(wide.id)), enabled: false });
  expect(room.rules.get(ruleId(wide.id)).crowded).toBeNull();
});

test('a stopped recording whose verdict is pending holds no tuner', async () => {
  const [one, two] = [home.station('T27'), home.station('T28')];
  const room = start();
  const { id } = await room.reservations.reserve({
    programId: home.program(one, '港の朝', { at: -5 }),
  });
  begin(reservationId(id));
  const running = recorder.recordings.get(reservationId(id));
  if (running === undefined) throw new Error('not begun');
  const progress = { ...running.progress, phase: 'over' as const, tunerId: null };
  recorder.recordings.set(reservationId(id), { ...running, tunerId: null, progress });
  const next = await room.reservations.reserve({ programId: home.program(two, '灯台の朝', { at: 5 }) });
  expect(next.state).toBe('scheduled');
  expect(stored()[0]?.state).toBe('recording');
});

describe('a recording that is stopped by a user', () => {
  test('ends, and one that no process records any more is cancelled', async () => {
    const station = home.station('T27');
    const room = start();
    const { id } = await room.reservations.reserve({
      programId: home.program(station, '港の朝', { at: -5 }),
    });
    begin(reservationId(id));
    recorder.onStop = () => home.database.run("UPDATE reservations SET state = 'finished'");
    await room.reservations.cancel(reservationId(id));
    expect(recorder.stopped).toEqual([id]);
    expect(stored()[0]?.state).toBe('finished');
    expect(home.cancellations.all()).toHaveLength(1);
    // Begun by a process that no longer exists.
    home.database.run("UPDATE reservations SET state = 'recording'");
    recorder.recordings.clear();
    recorder.onStop = () => {};
    await room.reservations.cancel(reservationId(id));
    expect(stored()[0]?.state).toBe('cancelled');
  });
});

test('the other part of a programme that is split is booked with its options, and says why', async () => {
  const station = home.station('T27');
  const room = start();
  const programId = home.program(station, '夜の映画', { at: 30, minutes: 60 });
  await room.reservations.reserve({ programId, encode: 'none', keepTs: true });
  home.database.run('UPDATE programs SET end_at = $endAt WHERE id = $programId', [
    NOON + 55 * MINUTE,
    programId,
  ]);
  const rest = home.program(station, '夜の映画', { at: 60, minutes: 30 });
  room.onBegan();
  const part = await until(() => stored().find((one) => one.programId === rest));
  expect(part).toMatchObject({ state: 'scheduled', ruleId: null, encode: 'none', keepTs: true });
  expect(room.reservations.get(part.id).note).toBe(
    '「夜の映画」が分けて放送されるため、こちらも自動で予約しました。',
  );
});

test('the other part of a programme that a rule booked gets the options of the rule, and says why', async () => {
  const station = home.station('T27');
  const room = start();
  const programId = home.program(station, '夜の映画「灯台」', { at: 30, minutes: 60 });
  await room.rules.create({ keyword: '夜の映画', dedupe: true, encode: 'none' });
  home.database.run('UPDATE programs SET end_at = $endAt WHERE id = $programId', [
    NOON + 55 * MINUTE,
    programId,
  ]);
  const rest = home.program(station, '夜の映画「灯台」', { at: 60, minutes: 30 });
  room.onBegan();
  const part = await until(() => stored().find((one) => one.programId === rest));
  expect(part).toMatchObject({ state: 'scheduled', ruleId: 1, relayOf: programId, encode: 'none' });
  expect(room.reservations.get(part.id).note).toBe(
    '『夜の映画「灯台」』が分けて放送されるため、こちらも自動で予約しました。',
  );
});

test('a stopped recording without a verdict can be booked again', async () => {
  const station = home.station('T27');
  const room = start();
  const programId = home.program(station, '港の朝', { at: -5 });
  const { id } = await room.reservations.reserve({ programId });
  begin(reservationId(id));
  const running = recorder.recordings.get(reservationId(id));
  if (running === undefined) throw new Error('not begun');
  recorder.recordings.set(reservationId(id), {
    ...running,
    progress: { ...running.progress, phase: 'over' },
  });
  recorder.onOver = () => {
    home.database.run("UPDATE reservations SET state = 'finished'");
    recorder.recordings.clear();
  };
  expect(await room.reservations.reserve({ programId })).toMatchObject({ id, state: 'scheduled' });
  expect(recorder.orders).toHaveLength(1);
});

describe('after a recording that is damaged', () => {
  test('the next airing is booked automatically, once, with the reason', async () => {
    const station = home.station('T27');
    const first = home.program(station, '灯台 第1話', { at: -60 });
    const again = home.program(station, '灯台 第1話[再]', { at: 600 });
    const recorded = home.recording(first, { released: 1 });
    const room = start();
    room.onEnded({ reservationId: null, recordingId: recordingId(recorded), worthRepeating: true });
    await until(() => stored()[0]?.tuner != null);
    expect(stored()).toMatchObject([
      {
        programId: again,
        ruleId: null,
        state: 'scheduled',
        repeats: recordingId(recorded),
        note: { code: 'repeat_by_hand', name: '灯台 第1話[再]' },
      },
    ]);
    expect(room.reservations.list(false)[0]?.note).toBe(
      '「灯台 第1話」の録画に欠落があったため、次の放送を自動で予約しました。',
    );
    await room.reservations.cancel(stored()[0]?.id ?? reservationId(0));
    expect(await room.reservations.list(false)).toEqual([]);
  });

  test('one next airing serves several damaged recordings', async () => {
    const [one, two] = [home.station('T27'), home.station('T28')];
    for (const station of [one, two]) {
      home.recording(home.program(station, '灯台 第1話', { at: -60 }), { released: 1 });
    }
    home.program(one, '灯台 第1話[再]', { at: 600 });
    home.program(two, '灯台 第1話[再]', { at: 1200 });
    const room = start();
    await until(() => stored()[0]?.tuner != null);
    for (const keyword of ['港', '森', '海']) await room.rules.create({ keyword });
    expect(stored()).toHaveLength(1);
    expect(lines.filter((line) => line.includes('next airing booked'))).toHaveLength(1);
  });

  test('the rule books the episode again, with the reason', async () => {
    const station = home.station('T27');
    const first = home.program(station, '灯台 第1話', { at: -60 });
    home.program(station, '灯台 第1話[再]', { at: 600 });
    const rule = home.rule('灯台');
    const recorded = home.recording(first, { rule: rule.id });
    const room = start();
    expect((await room.rules.update(rule.id, { keyword: '灯台' })).booked).toBe(0);
    home.database.run('UPDATE recordings SET released = 1');
    room.onEnded({ reservationId: null, recordingId: recordingId(recorded), worthRepeating: true });
    await until(() => stored().length === 1);
    expect(stored()[0]).toMatchObject({
      ruleId: rule.id,
      repeats: recordingId(recorded),
      note: { code: 'repeat_of_rule' },
    });
  });
});

test('a booking made while planning is unavailable is recorded with its own times', async () => {
  const station = home.station('T27');
  const silent = () => new Worker(URL.createObjectURL(new Blob(['self.onmessage = () => {}'])));
  const room = start(silent, 50);
  await room.reservations.reserve({ programId: home.program(station, '港の朝', { at: -10 }) });
  expect(recorder.orders).toMatchObject([{ name: '港の朝', startAt: broadcastMs(NOON - 10 * MINUTE) }]);
});

test('removing a station cancels its future bookings, which can be restored', async () => {
  const [one, two] = [home.station('T27'), home.station('T28')];
  const room = start();
  const lost = await room.reservations.reserve({ programId: home.program(one, '港の朝', { at: 100 }) });
  await room.reservations.reserve({ programId: home.program(two, '灯台の朝', { at: 200 }) });
  home.stations.forgetStation(one, NOON);
  hub.changed('programs');
  await until(() => recorder.orders.length === 1);
  const [cancelled] = room.reservations.list(true);
  expect(cancelled).toMatchObject({ id: lost.id, state: 'cancelled', reason: expect.stringContaining('局') });
  expect(await room.reservations.restore(reservationId(lost.id))).toMatchObject({
    state: 'scheduled',
    reason: null,
  });
  expect(recorder.orders.map(({ name }) => name)).toEqual(['港の朝', '灯台の朝']);
});

test('a booking that was cancelled with its station is booked again when the station is back', async () => {
  const [one, two] = [home.station('T27'), home.station('T28')];
  const room = start();
  const programId = home.program(one, '港の朝', { at: 100, event: 7 });
  await room.reservations.reserve({ programId, keepTs: true });
  await room.reservations.reserve({ programId: home.program(two, '灯台の朝', { at: 200 }) });
  home.stations.forgetStation(one, NOON);
  hub.changed('programs');
  await until(() => recorder.orders.length === 1);
  home.program(one, '港の朝', { at: 110, event: 7 });
  hub.changed('programs');
  await until(() => recorder.orders.length === 2);
  expect(stored()[0]).toMatchObject({
    ...{ programId, state: 'scheduled', reason: null, keepTs: true },
    startAt: NOON + 110 * MINUTE,
  });
  // One that a user cancelled stays so.
  await room.reservations.cancel(reservationId(1));
  hub.changed('programs');
  await room.reservations.reserve({ programId: home.program(two, '夜の朝', { at: 300 }) });
  expect(stored()[0]?.state).toBe('cancelled');
});

test('a restored booking of a running programme is recorded from the moment of restoring', async () => {
  const station = home.station('T27');
  const room = start();
  const { id } = await room.reservations.reserve({ programId: home.program(station, '港の朝', { at: 1 }) });
  await room.reservations.cancel(reservationId(id));
  now += 5 * MINUTE;
  await room.reservations.restore(reservationId(id));
  expect(recorder.orders[0]?.wantedFrom).toBe(broadcastMs(now));
});

test('a reservation that is wrongly marked as recording does not hold its tuner forever', async () => {
  const station = home.station('T27');
  const ids = ['港の朝', '灯台の朝'].map((name, index) => {
    const programId = home.program(station, name, { at: -300 + 40 * index });
    const choice = { marginBefore: null, marginAfter: null, encode: null, keepTs: null, commercials: null };
    const { startAt, endAt } = {
      startAt: broadcastMs(NOON - 300 * MINUTE),
      endAt: broadcastMs(NOON - 200 * MINUTE),
    };
    const texts = {
      stationId: station,
      name,
      description: '',
      startAt: broadcastMs(startAt),
      endAt: broadcastMs(endAt),
    };
    return home.reservations.book({ programId, ...texts, ...choice, note: null, repeats: null }, NOON);
  });
  home.database.run("UPDATE reservations SET state = 'recording'");
  begin(ids[1] ?? reservationId(0));
  start();
  await until(() => stored()[0]?.state === 'finished');
  expect(stored()[1]?.state).toBe('recording');
});

test('settled reservations are deleted after two weeks', async () => {
  const station = home.station('T27');
  const room = start();
  const { id } = await room.reservations.reserve({ programId: home.program(station, '港の朝', { at: 10 }) });
  await room.reservations.cancel(reservationId(id));
  expect(await room.reservations.list(true)).toHaveLength(1);
  now += 15 * 86_400_000;
  hub.changed('programs');
  await until(() => stored().length === 0);
  expect(home.cancellations.all()).toEqual([]);
});

test('nothing is deleted while the clock may be wrong', async () => {
  const station = home.station('T27');
  const program = home.program(station, '港の朝', { at: 10 });
  const other = home.program(home.station('T28'), '灯台', { at: 10 });
  isTimeSure = false;
  const room = start();
  const { id } = await room.reservations.reserve({ programId: program });
  await room.reservations.cancel(reservationId(id));
  const wanted = await room.reservations.reserve({ programId: other });
  // Its clock is a month ahead at the start and is not corrected for hours.
  for (let hour = 0; hour < 3; hour++) {
    now = NOON + 30 * 86_400_000 + hour * 60 * MINUTE;
    await room.rules.create({ keyword: `どこにもない${hour}` });
    expect(stored().map(({ state }) => state)).toEqual(['cancelled', 'scheduled']);
  }
  now = NOON;
  isTimeSure = true;
  await room.rules.create({ keyword: '港' });
  expect(room.reservations.get(reservationId(wanted.id)).state).toBe('scheduled');
  expect(stored().map(({ state }) => state)).toEqual(['cancelled', 'scheduled']);
});

test('a programme that ended before the service started is reported as such', async () => {
  const station = home.station('T27');
  const programId = home.program(station, '港の朝', { at: -60 });
  const times = { startAt: broadcastMs(NOON - 60 * MINUTE), endAt: broadcastMs(NOON - 30 * MINUTE) };
  const choice = { marginBefore: null, marginAfter: null, encode: null, keepTs: null, commercials: null };
  const texts = { stationId: station, name: '港の朝', description: '', note: null, repeats: null };
  home.reservations.book({ programId, ...texts, ...times, ...choice }, broadcastMs(NOON - 90 * MINUTE));
  start();
  await until(() => stored()[0]?.state === 'missed');
  expect(stored()[0]?.reason).toEqual({ code: 'missed_service_stopped' });
});
